package io.muster.agent.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All processes of one attempt, wherever they hid. A process belongs to it if it was started with the attempt's
 * {@code MUSTER_NODES_FILE} (a reserved variable, unique by folder), is in the session or group of a living rank, was
 * seen as one of them before, or has a parent that is. So daemons, double forks and own sessions are found, and a
 * stranger with a reused number is not. One that has shed all of these is an orphan, see {@link Orphans}.
 */
public final class AttemptProcesses {

    /** The variable that marks every process of an attempt. */
    public static final String MARKER = "MUSTER_NODES_FILE";

    private static final Logger LOG = LoggerFactory.getLogger(AttemptProcesses.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(40);

    private final ProcessTable table;
    private final Kernel kernel;
    private final Orphans orphans;
    private final Path nodesFile;
    private final long ownPid = ProcessHandle.current().pid();
    private final Map<Long, Long> known = new HashMap<>();

    public AttemptProcesses(ProcessTable table, Kernel kernel, Orphans orphans, Path nodesFile) {
        this.table = table;
        this.kernel = kernel;
        this.orphans = orphans;
        this.nodesFile = nodesFile;
    }

    /** A rank's first process, by number and start; 0 if there was none. */
    public synchronized void add(long pid, long startTicks) {
        if (pid != 0) {
            known.put(pid, startTicks);
            orphans.claim(nodesFile, startTicks, known);
        }
    }

    /** The living ones now; also remembers them, so looking now and then makes the end surer. */
    private synchronized List<ProcessEntry> living(boolean ending) throws IOException {
        Orphans.Look look = orphans.look();
        List<ProcessEntry> all = look.all();
        Map<Long, ProcessEntry> mine = new LinkedHashMap<>();
        for (ProcessEntry entry : all) {
            if (entry.alive() && entry.pid() != ownPid && isKnownOrMarked(entry)) {
                mine.put(entry.pid(), entry);
            }
        }
        for (ProcessEntry orphan : look.orphans()) {
            if (!mine.containsKey(orphan.pid()) && orphans.belongs(orphan, nodesFile, ending)) {
                mine.put(orphan.pid(), orphan);
            }
        }
        boolean grew = !mine.isEmpty();
        while (grew) {
            grew = false;
            for (ProcessEntry entry : all) {
                if (entry.alive()
                        && entry.pid() != ownPid
                        && !mine.containsKey(entry.pid())
                        && (mine.containsKey(entry.parent())
                                || mine.containsKey(entry.session())
                                || mine.containsKey(entry.group()))) {
                    mine.put(entry.pid(), entry);
                    grew = true;
                }
            }
        }
        known.clear();
        mine.values().forEach(entry -> known.put(entry.pid(), entry.startTicks()));
        orphans.knows(nodesFile, known);
        return List.copyOf(mine.values());
    }

    private boolean isKnownOrMarked(ProcessEntry entry) {
        Long start = known.get(entry.pid());
        return (start != null && start == entry.startTicks())
                || table.environment(entry.pid(), MARKER)
                        .filter(value -> value.equals(nodesFile.toString()))
                        .isPresent();
    }

    /** Looks only to remember; a process table that cannot be read now is looked at again later. */
    public void track() {
        try {
            living(false);
        } catch (IOException unreadable) {
            LOG.warn("process table: {}", unreadable.getMessage());
        }
    }

    /** Ends them all, however often the process table has to be asked. */
    public void endForSure(Duration grace) throws InterruptedException {
        while (true) {
            try {
                end(grace);
                orphans.release(nodesFile);
                return;
            } catch (IOException unreadable) {
                LOG.error("process table: {}; nothing is gone until it can be read", unreadable.getMessage());
                Thread.sleep(Duration.ofSeconds(1));
            }
        }
    }

    /**
     * Ends them all: SIGTERM once to each, after the grace SIGKILL again and again. Returns only when two looks in a
     * row found none; throws if the process table cannot be read or the thread is interrupted.
     */
    private void end(Duration grace) throws IOException, InterruptedException {
        long killFrom = System.nanoTime() + grace.toNanos();
        Set<Long> asked = new HashSet<>();
        int emptyLooks = 0;
        while (true) {
            List<ProcessEntry> living = living(true);
            emptyLooks = living.isEmpty() ? emptyLooks + 1 : 0;
            if (emptyLooks == 2) {
                return;
            }
            if (System.nanoTime() >= killFrom) {
                signal(living, Kernel.KILL);
            } else {
                List<ProcessEntry> fresh =
                        living.stream().filter(entry -> asked.add(entry.pid())).toList();
                signal(fresh, Kernel.TERMINATE);
            }
            Thread.sleep(living.isEmpty() ? Duration.ofMillis(5) : LOOK_EVERY);
        }
    }

    /** By group where the group's leader is one of them, so that a forking tree cannot outrun the signal. */
    private void signal(List<ProcessEntry> targets, int signal) {
        Set<Long> pids = new HashSet<>();
        targets.forEach(entry -> pids.add(entry.pid()));
        Set<Long> groupsDone = new HashSet<>();
        for (ProcessEntry entry : targets) {
            if (pids.contains(entry.group())) {
                if (groupsDone.add(entry.group())) {
                    kernel.signalGroup(entry.group(), signal);
                }
            } else {
                kernel.signal(entry.pid(), signal);
            }
        }
    }
}
