package io.muster.job.submission;

import io.muster.contract.id.ProjectId;
import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.UserCaller;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job's project: one that the key may use. Without a name it is the key's only project, or for a key of the whole
 * tenant the only project that the quota tree has a default queue for.
 */
final class ProjectChoice {

    sealed interface Choice {}

    record Chosen(ProjectId project) implements Choice {}

    record Refused(Violation violation) implements Choice {}

    private ProjectChoice() {}

    static Choice choose(UserCaller caller, @Nullable ProjectId wanted, QuotaTree tree) {
        if (wanted != null) {
            return caller.mayUse(wanted)
                    ? new Chosen(wanted)
                    : refused("this key may not use project '" + wanted + "'", wanted.value(), caller.projects());
        }
        List<ProjectId> candidates = caller.projects().isEmpty() ? withDefaultQueue(caller, tree) : caller.projects();
        return candidates.size() == 1
                ? new Chosen(candidates.getFirst())
                : refused(
                        "project is missing, and this key has " + (candidates.isEmpty() ? "none" : candidates.size())
                                + " that could be meant",
                        null,
                        candidates);
    }

    private static List<ProjectId> withDefaultQueue(UserCaller caller, QuotaTree tree) {
        String own = caller.tenant() + "/";
        return tree.nodes().stream()
                .flatMap(node -> node.defaultOf().stream())
                .filter(owner -> owner.startsWith(own))
                .map(owner -> new ProjectId(owner.substring(own.length())))
                .distinct()
                .sorted()
                .toList();
    }

    private static Refused refused(String message, @Nullable String rejected, List<ProjectId> allowed) {
        String names = allowed.isEmpty()
                ? "a project of your tenant"
                : String.join(", ", allowed.stream().map(ProjectId::value).toList());
        return new Refused(new Violation("/project", message, rejected, names));
    }
}
