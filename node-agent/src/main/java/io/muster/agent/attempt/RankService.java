package io.muster.agent.attempt;

import io.muster.agent.checkpoint.CheckpointPath;
import io.muster.agent.socket.RankSocket;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangTask;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The socket and the checkpoint path of one attempt, opened before its first rank and again after the agent's restart. */
final class RankService {

    private static final Logger LOG = LoggerFactory.getLogger(RankService.class);

    private final @Nullable RankSocket socket;
    private final @Nullable CheckpointPath checkpoints;

    private RankService(@Nullable RankSocket socket, @Nullable CheckpointPath checkpoints) {
        this.socket = socket;
        this.checkpoints = checkpoints;
    }

    static RankService open(
            Assignment assignment, GangTask task, AttemptFolder folder, Tools tools, RankDesk.Listener listener)
            throws IOException {
        CheckpointPath checkpoints = checkpoints(assignment, task, tools);
        RankDesk desk = new RankDesk(
                assignment.attempt(),
                task,
                checkpoints,
                tools.copies().of(assignment, task),
                listener,
                tools.json(),
                tools.clock());
        folder.prepareSocket();
        try {
            RankSocket socket =
                    RankSocket.open(folder.socket(), tools.settings().rankUid(), desk, tools.json());
            return new RankService(socket, checkpoints);
        } catch (IOException broken) {
            if (checkpoints != null) {
                checkpoints.close();
            }
            throw broken;
        }
    }

    /** Without a socket, for ranks that are ended: only what they had staged is brought to its end. */
    static RankService sealed(Assignment assignment, GangTask task, Tools tools) {
        RankService service = new RankService(null, checkpoints(assignment, task, tools));
        service.seal();
        return service;
    }

    private static @Nullable CheckpointPath checkpoints(Assignment assignment, GangTask task, Tools tools) {
        CheckpointPlan plan = task.checkpoint();
        return plan == null ? null : CheckpointPath.open(assignment, task, plan, tools.checkpoints());
    }

    /** The ranks are gone: nobody speaks any more, what is staged is still stored. */
    void seal() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException broken) {
            LOG.warn("socket: {}", broken.getMessage());
        }
        if (checkpoints != null) {
            checkpoints.seal();
        }
    }

    boolean drained() {
        return checkpoints == null || checkpoints.drained();
    }

    void close() {
        seal();
        if (checkpoints != null) {
            checkpoints.close();
        }
    }
}
