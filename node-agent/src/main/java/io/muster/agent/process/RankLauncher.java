package io.muster.agent.process;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts a rank in a session of its own under a small shell that outlives this agent and leaves the exit code in a file
 * (whole or not at all), so that an agent that comes back still learns it. The shell passes no signal on and ignores
 * none for its child: signals go to the group. It opens the output file itself, as the rank's user: that folder is the
 * user's, and a link put there leads nowhere that the rank could not go by itself. With a rank uid the user's variables are set only after the privileges
 * are gone, so no loader variable of a user acts on a privileged process.
 * A program that ends before it was looked at has been started all the same: its exit code or its output file says so.
 */
public final class RankLauncher {

    private static final String WRAPPER = """
            out=$1
            exec >>"$2" 2>&1
            shift 2
            trap : HUP INT QUIT USR1 USR2 TERM
            "$@"
            code=$?
            trap '' HUP INT QUIT USR1 USR2 TERM
            echo $code > "$out.tmp" && /bin/mv -f "$out.tmp" "$out"
            exit $code
            """;
    private static final Duration OWN_GROUP_WITHIN = Duration.ofSeconds(2);

    private final ProcessTable table;
    private final Orphans orphans;
    private final Optional<Integer> uid;
    private final int nice;

    public RankLauncher(ProcessTable table, Orphans orphans, Optional<Integer> uid, int nice) {
        this.table = table;
        this.orphans = orphans;
        this.uid = uid;
        this.nice = nice;
    }

    /** What to start, and where its output and exit code go. */
    public record Order(List<String> command, Map<String, String> env, Path workingDir, Path log, Path exitFile) {}

    /** Returns when the process leads a group of its own, so that it can be signalled from now on. */
    public ProcessEntry start(Order order) throws IOException {
        if (!Files.isDirectory(order.workingDir())) {
            throw new IOException("working directory " + order.workingDir() + " does not exist on this node");
        }
        ProcessBuilder builder = new ProcessBuilder(commandLine(order))
                .directory(order.workingDir().toFile())
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD);
        builder.environment().clear();
        if (uid.isEmpty()) {
            builder.environment().putAll(order.env());
        }
        long before = table.now();
        long pid = orphans.start(builder);
        long until = System.nanoTime() + OWN_GROUP_WITHIN.toNanos();
        while (true) {
            Optional<ProcessEntry> found = table.find(pid);
            if (found.isEmpty()) {
                return endedUnseen(pid, before, order);
            }
            ProcessEntry entry = found.get();
            if (entry.group() == pid && entry.session() == pid) {
                return entry;
            }
            if (System.nanoTime() > until) {
                throw new IOException("process " + pid + " got no session of its own; is setsid there?");
            }
            Thread.onSpinWait();
        }
    }

    static ProcessEntry endedUnseen(long pid, long before, Order order) throws IOException {
        boolean began = Files.exists(order.exitFile(), LinkOption.NOFOLLOW_LINKS)
                || Files.exists(order.log(), LinkOption.NOFOLLOW_LINKS);
        if (!began) {
            throw new IOException("process " + pid + " ended before it had a group of its own");
        }
        return new ProcessEntry(pid, 0, pid, pid, 'X', before);
    }

    private List<String> commandLine(Order order) {
        List<String> line = new ArrayList<>(List.of("/usr/bin/setsid"));
        uid.ifPresent(user -> {
            String id = Integer.toString(user);
            line.addAll(List.of("/usr/bin/setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--"));
            line.addAll(List.of("/usr/bin/env", "-i"));
            order.env().forEach((name, value) -> line.add(name + "=" + value));
        });
        line.addAll(List.of(
                "/bin/sh",
                "-c",
                WRAPPER,
                "muster-rank",
                order.exitFile().toString(),
                order.log().toString()));
        line.addAll(List.of("/usr/bin/nice", "-n", Integer.toString(nice), "--"));
        line.addAll(order.command());
        return line;
    }
}
