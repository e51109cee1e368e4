package io.muster.agent.attempt;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of an attempt is on its way to the store: the output of its ranks and the shards that they have handed over. An
 * attempt whose ranks are ended, also by an earlier life of the agent, is not settled before all of that is stored.
 * Nothing here waits for the store with a lock held.
 */
final class Outflow {

    private static final Duration FLUSH = Duration.ofSeconds(2);

    private final Tools tools;
    private final AttemptFolder folder;
    private final RankCrew crew;
    private volatile List<Path> logs = List.of();
    private volatile @Nullable RankService service;

    Outflow(Tools tools, AttemptFolder folder, RankCrew crew) {
        this.tools = tools;
        this.folder = folder;
        this.crew = crew;
    }

    /** For ranks that are to start or are alive: they are heard, and their output is shipped. */
    void open(Assignment assignment, GangTask task, RankDesk.Listener listener) throws IOException {
        shipLogs(assignment, task);
        service = RankService.open(assignment, task, folder, tools, listener);
    }

    /** For ranks that are ended: nobody is heard any more, what they left is stored. */
    void reopenSealed(Assignment assignment, GangTask task) {
        shipLogs(assignment, task);
        service = RankService.sealed(assignment, task, tools);
    }

    private void shipLogs(Assignment assignment, GangTask task) {
        List<Path> all = crew.logs(task);
        for (int process = 0; process < all.size(); process++) {
            tools.logs().add(all.get(process), crew.storedLog(assignment, task, process));
        }
        logs = List.copyOf(all);
    }

    void flush() {
        tools.logs().flush(logs, FLUSH);
    }

    void seal() {
        RankService open = service;
        if (open != null) {
            open.seal();
        }
    }

    boolean settled() {
        RankService open = service;
        return (open == null || open.drained()) && tools.logs().isWhole(logs);
    }

    void close() {
        tools.logs().remove(logs);
        RankService open = service;
        if (open != null) {
            open.close();
        }
    }
}
