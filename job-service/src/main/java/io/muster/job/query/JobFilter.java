package io.muster.job.query;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.JobPhase;
import io.muster.contract.problem.Violation;
import io.muster.edge.page.Page;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which jobs of a list are wanted; empty parts filter nothing. */
record JobFilter(
        List<JobPhase> states,
        @Nullable QueuePath queue,
        @Nullable ProjectId project,
        Map<String, String> labels,
        int pageSize) {

    /** A filter, or all that is wrong with what was asked. */
    sealed interface Outcome {}

    record Accepted(JobFilter filter) implements Outcome {}

    record Refused(List<Violation> violations) implements Outcome {}

    JobFilter {
        states = List.copyOf(states);
        labels = Map.copyOf(labels);
    }

    static Outcome of(
            List<String> states,
            @Nullable String queue,
            @Nullable String project,
            List<String> labels,
            @Nullable String pageSize) {
        List<Violation> violations = new ArrayList<>();
        List<JobPhase> phases = new ArrayList<>();
        for (String state : states) {
            value("state", state, JobPhase::valueOf, Arrays.toString(JobPhase.values()), violations)
                    .ifPresent(phases::add);
        }
        QueuePath path = value("queue", queue, QueuePath::new, "a path such as nlp/pretrain", violations)
                .orElse(null);
        ProjectId id = value("project", project, ProjectId::new, "a project id such as llm", violations)
                .orElse(null);
        Map<String, String> wanted = labels(labels, violations);
        int size = value("pageSize", pageSize, JobFilter::size, "a whole number from 1 to " + Page.MAX_SIZE, violations)
                .orElse(Page.DEFAULT_SIZE);
        return violations.isEmpty()
                ? new Accepted(new JobFilter(phases, path, id, wanted, size))
                : new Refused(List.copyOf(violations));
    }

    /** Is this a job of the list, whatever its state? None of this ever changes for a job. */
    boolean isAbout(JobSummary job) {
        return (queue == null || queue.equals(job.queue()))
                && (project == null || project.equals(job.project()))
                && job.labels().entrySet().containsAll(labels.entrySet());
    }

    boolean wants(JobPhase state) {
        return states.isEmpty() || states.contains(state);
    }

    private static Map<String, String> labels(List<String> labels, List<Violation> violations) {
        Map<String, String> wanted = new LinkedHashMap<>();
        for (String label : labels) {
            int colon = label.indexOf(':');
            if (colon < 1 || label.indexOf('\0') >= 0) {
                violations.add(violation("label", label, "name:value, such as team:nlp"));
            } else {
                wanted.put(label.substring(0, colon), label.substring(colon + 1));
            }
        }
        return wanted;
    }

    private static int size(String text) {
        int size = Integer.parseInt(text);
        if (size < 1 || size > Page.MAX_SIZE) {
            throw new IllegalArgumentException("page size " + size);
        }
        return size;
    }

    private static <T> Optional<T> value(
            String name,
            @Nullable String text,
            Function<String, T> parser,
            String allowed,
            List<Violation> violations) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(parser.apply(text));
        } catch (IllegalArgumentException refused) {
            violations.add(violation(name, text, allowed));
            return Optional.empty();
        }
    }

    private static Violation violation(String name, String text, String allowed) {
        String shown = text.length() > 200 ? text.substring(0, 200) : text;
        return new Violation("/" + name, name + " cannot be '" + shown + "'; allowed: " + allowed, shown, allowed);
    }
}
