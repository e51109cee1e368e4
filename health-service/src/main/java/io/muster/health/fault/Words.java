package io.muster.health.fault;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import java.util.List;
import java.util.stream.Collectors;

/** What the actions of a fault say to a person who is paged: names, numbers, and the code in brackets to search for. */
final class Words {

    private static final int MOST_NAMES = 20;

    private Words() {}

    /** By name and id. */
    static String job(JobState job) {
        return "job " + job.name() + " (" + job.jobId() + ")";
    }

    /** Continues "because": a reason of job-service. One that is newer than this list is told by its code. */
    static String because(String reason) {
        String words = switch (reason) {
            case "NODE_LOST" -> "a node of its gang was lost";
            case "PREFLIGHT_FAILED" -> "a node of its gang failed the preflight";
            case "AGENT_DOWN" -> "the agent of a node of its gang went down";
            case "EVIDENCE_MISSING" -> "a node of its gang did not report in time what had broken";
            case "CHECKPOINT_DAMAGED" -> "a shard of the checkpoint to restore has no whole copy";
            case "WAITING_FOR_CHECKPOINT_COPY" ->
                "a copy of the checkpoint to restore cannot be reached now" + ", which is tried again";
            case "RESTORE_REFUSED" -> "a rank could not load the checkpoint that it was given";
            case "OUT_OF_MEMORY" -> "a rank ran out of memory";
            case "START_FAILED" -> "a rank could not be started";
            case "START_TIMEOUT" -> "not every rank said hello within the start limit";
            case "USER_ERROR" -> "its program ended with an error";
            case "KILLED_BY_SIGNAL" -> "a rank was killed by a signal";
            case "LOST_CONNECTION" -> "a rank lost the connection to another";
            case "PROCESSES_LOST" -> "processes of a rank disappeared";
            case "MAX_RUNTIME_EXCEEDED" -> "it has used up its maximum run time";
            case "CANCELLED_BY_USER" -> "a user cancelled it";
            case "COMPLETED" -> "every rank has completed";
            case "REQUEUED" -> "its attempt was given up whole";
            default -> "job-service gives this reason";
        };
        return words + " (" + reason + ")";
    }

    static String nodes(int count) {
        return count + (count == 1 ? " node" : " nodes");
    }

    static String gpus(int count) {
        return count + (count == 1 ? " GPU" : " GPUs");
    }

    /** The first names and how many more there are. */
    static String names(List<NodeId> nodes) {
        String first = nodes.stream().limit(MOST_NAMES).map(NodeId::value).collect(Collectors.joining(", "));
        return nodes.size() <= MOST_NAMES ? first : first + " and " + (nodes.size() - MOST_NAMES) + " more";
    }
}
