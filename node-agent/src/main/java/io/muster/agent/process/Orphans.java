package io.muster.agent.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that ranks left behind. The agent is the subreaper of all that it starts: when a parent ends, its children
 * become the agent's own, whatever they did to their environment and session. A child of the agent that it has not
 * started, in another session than the agent's, is therefore of one of its attempts (what the agent runs for itself
 * stays in the agent's session and is never meant). Ended ones are reaped here.
 *
 * <p>Whose it is, when several attempts run: of the one whose process, session or mark it has; else of those in whose
 * folder it works or has a file open; else of any attempt that had ranks before it was born. Where that leaves more than
 * one, it is ended with the first of them that is ended, because "gone" must be true: nothing of that attempt is alive.
 *
 * <p>Only for ranks that this process has started: orphans of ranks that an earlier life of the agent started go to the
 * init process and are found by mark, session and parents only. So does everything on a kernel without subreapers.
 */
public final class Orphans {

    private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);

    private final ProcessTable table;
    private final Kernel kernel;
    private final long ownPid = ProcessHandle.current().pid();
    private final long ownSession;
    private final Map<Long, Process> started = new HashMap<>();
    private final Map<Path, Claim> claims = new TreeMap<>();

    private Orphans(ProcessTable table, Kernel kernel, long ownSession) {
        this.table = table;
        this.kernel = kernel;
        this.ownSession = ownSession;
    }

    /**
     * An attempt that has, or had, processes.
     *
     * @param since clock ticks from boot to the start of its first rank
     * @param known its processes, by number and start
     */
    record Claim(long since, Map<Long, Long> known) {

        boolean holds(ProcessEntry entry) {
            Long start = known.get(entry.pid());
            return (start != null && start == entry.startTicks())
                    || known.containsKey(entry.session())
                    || known.containsKey(entry.group());
        }
    }

    /** One look at the process table. */
    record Look(List<ProcessEntry> all, List<ProcessEntry> orphans) {}

    /** Makes this process the one that orphans come to. */
    public static Orphans adopt(ProcessTable table, Kernel kernel) throws IOException {
        if (!kernel.adoptOrphans()) {
            LOG.warn(
                    "the kernel knows no subreapers: ranks that hide from their environment and session are not found");
        }
        long own = ProcessHandle.current().pid();
        long session = table.find(own)
                .orElseThrow(() -> new IOException("/proc/" + own + "/stat cannot be read; is /proc mounted?"))
                .session();
        return new Orphans(table, kernel, session);
    }

    /** Starts a process that is none: nobody looks between its start and its entry here. */
    synchronized long start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        started.put(process.pid(), process);
        var ignored = process.onExit().thenRun(() -> ended(process));
        return process.pid();
    }

    private synchronized void ended(Process process) {
        started.remove(process.pid(), process);
    }

    /** From now on orphans may be of this attempt, named by its mark. */
    synchronized void claim(Path nodesFile, long since, Map<Long, Long> known) {
        Claim before = claims.get(nodesFile);
        claims.put(nodesFile, new Claim(before == null ? since : Math.min(since, before.since()), Map.copyOf(known)));
    }

    /** What is known to be of an attempt now; of no effect if it has claimed nothing. */
    synchronized void knows(Path nodesFile, Map<Long, Long> known) {
        claims.computeIfPresent(nodesFile, (any, claim) -> new Claim(claim.since(), Map.copyOf(known)));
    }

    synchronized void release(Path nodesFile) {
        claims.remove(nodesFile);
    }

    /** Takes ended orphans out of the process table; one that cannot be read now is read again later. */
    public void reap() {
        try {
            look();
        } catch (IOException unreadable) {
            LOG.warn("process table: {}", unreadable.getMessage());
        }
    }

    synchronized Look look() throws IOException {
        List<ProcessEntry> all = table.all();
        List<ProcessEntry> orphans = new ArrayList<>();
        for (ProcessEntry entry : all) {
            if (entry.parent() == ownPid && entry.session() != ownSession && !started.containsKey(entry.pid())) {
                if (entry.alive()) {
                    orphans.add(entry);
                } else {
                    kernel.reap(entry.pid());
                }
            }
        }
        return new Look(all, orphans);
    }

    /** Whether an orphan is, or as the attempt is being ended may be, of this attempt. */
    synchronized boolean belongs(ProcessEntry orphan, Path nodesFile, boolean ending) {
        Set<Path> traced = new HashSet<>();
        Set<Path> worksIn = table.files(orphan.pid());
        for (Path claimant : claims.keySet()) {
            Path folder = claimant.resolveSibling(".").normalize();
            if (worksIn.stream().anyMatch(file -> file.startsWith(folder))) {
                traced.add(claimant);
            }
        }
        return table.environment(orphan.pid(), AttemptProcesses.MARKER)
                .map(mark -> mark.equals(nodesFile.toString()))
                .orElseGet(() -> owns(orphan, nodesFile, claims, traced, ending));
    }

    static boolean owns(
            ProcessEntry orphan, Path nodesFile, Map<Path, Claim> claims, Set<Path> traced, boolean ending) {
        boolean another = claims.entrySet().stream()
                .anyMatch(each ->
                        !each.getKey().equals(nodesFile) && each.getValue().holds(orphan));
        if (another) {
            return false;
        }
        if (!traced.isEmpty()) {
            return traced.contains(nodesFile);
        }
        List<Path> possible = claims.entrySet().stream()
                .filter(each -> each.getValue().since() <= orphan.startTicks())
                .map(Map.Entry::getKey)
                .toList();
        return possible.contains(nodesFile) && (ending || possible.size() == 1);
    }
}
