package io.muster.quota.tree;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.problem.Violation;
import io.muster.contract.quota.QuotaNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads one node of a document by itself: forms and ranges, everything wrong at once. A field that is wrong is read as
 * its default (guarantee 0, no limit, weight 1, all flags off, no tenant), so that the rules between nodes can still be
 * judged; a node without a usable path takes no part in them.
 */
final class NodeReading {

    static final int MAX_DEPTH = 16;
    static final int MAX_WEIGHT = 1_000;
    /** Far above any cluster, low enough that sums over a whole tree stay exact. */
    static final long MAX_GPUS = 100_000_000;

    private static final int SHOWN = 200;

    private final String pointer;
    private final List<Violation> violations;

    private NodeReading(String pointer, List<Violation> violations) {
        this.pointer = pointer;
        this.violations = violations;
    }

    static Optional<QuotaNode> read(
            int index, TreeDocument.@Nullable NodeDocument document, List<Violation> violations) {
        var reading = new NodeReading("/nodes/" + index, violations);
        if (document == null) {
            reading.refuse("", "a node is null", null, "an object with at least a path");
            return Optional.empty();
        }
        Optional<QueuePath> path = reading.path(document.path());
        boolean isolated = Boolean.TRUE.equals(document.isolated());
        long guaranteed = reading.gpus("/guaranteedGpus", document.guaranteedGpus(), 0L);
        Long limit = document.limitGpus() == null ? null : reading.gpus("/limitGpus", document.limitGpus(), MAX_GPUS);
        reading.limitAgainstGuarantee(document, guaranteed, limit, isolated);
        int weight = reading.weight(document.weight());
        @Nullable
        TenantId tenant = document.tenant() == null
                ? null
                : reading.value("/tenant", document.tenant(), TenantId::new, "a tenant id such as 'research'");
        List<String> defaults = reading.defaults(document.defaultOf());
        return path.map(known -> new QuotaNode(
                known,
                guaranteed,
                isolated ? Long.valueOf(guaranteed) : limit,
                weight,
                isolated,
                Boolean.TRUE.equals(document.pool()),
                Boolean.TRUE.equals(document.closing()),
                tenant,
                defaults));
    }

    private Optional<QueuePath> path(@Nullable String path) {
        if (path == null) {
            refuse("/path", "a node needs a path", null, "'/' for the root, else names joined by '/'");
            return Optional.empty();
        }
        long depth = path.equals("/") ? 0 : path.chars().filter(c -> c == '/').count() + 1;
        if (depth > MAX_DEPTH) {
            refuse(
                    "/path",
                    "the path has " + depth + " names; a tree is at most " + MAX_DEPTH + " deep",
                    path,
                    "at most " + MAX_DEPTH + " names");
            return Optional.empty();
        }
        return Optional.ofNullable(value("/path", path, QueuePath::new, "names of letters, digits, '-' and '_'"));
    }

    private long gpus(String field, @Nullable Long gpus, long fallback) {
        if (gpus == null) {
            return 0;
        }
        if (gpus < 0 || gpus > MAX_GPUS) {
            refuse(
                    field,
                    field.substring(1) + " is " + gpus + "; 0 to " + MAX_GPUS + " GPUs are possible",
                    gpus.toString(),
                    "0 to " + MAX_GPUS);
            return fallback;
        }
        return gpus;
    }

    private void limitAgainstGuarantee(
            TreeDocument.NodeDocument document, long guaranteed, @Nullable Long limit, boolean isolated) {
        if (limit == null) {
            return;
        }
        if (isolated && limit != guaranteed) {
            refuse(
                    "/limitGpus",
                    document.path() + " is isolated: it neither lends nor borrows, so its limit is its guarantee of "
                            + guaranteed + " GPUs, not " + limit,
                    limit.toString(),
                    "leave limitGpus out, or " + guaranteed);
        } else if (limit < guaranteed) {
            refuse(
                    "/limitGpus",
                    document.path() + " is guaranteed " + guaranteed + " GPUs but limited to " + limit,
                    limit.toString(),
                    "at least " + guaranteed + ", or a guarantee of at most " + limit);
        }
    }

    private int weight(@Nullable Integer weight) {
        if (weight == null) {
            return 1;
        }
        if (weight < 1 || weight > MAX_WEIGHT) {
            refuse("/weight", "weight is " + weight, weight.toString(), "1 to " + MAX_WEIGHT);
            return 1;
        }
        return weight;
    }

    private List<String> defaults(@Nullable List<@Nullable String> defaultOf) {
        List<String> read = new ArrayList<>();
        if (defaultOf == null) {
            return read;
        }
        for (int i = 0; i < defaultOf.size(); i++) {
            String entry = defaultOf.get(i);
            String good = entry == null
                    ? refuse("/defaultOf/" + i, "an entry is null", null, "tenant/project")
                    : value("/defaultOf/" + i, entry, NodeReading::tenantAndProject, "tenant/project");
            if (good != null) {
                read.add(good);
            }
        }
        return read;
    }

    private static String tenantAndProject(String entry) {
        int slash = entry.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("'" + entry + "' has no '/' between tenant and project");
        }
        return new TenantId(entry.substring(0, slash)) + "/" + new ProjectId(entry.substring(slash + 1));
    }

    private <T> @Nullable T value(String field, String text, Function<String, T> form, String allowed) {
        try {
            return form.apply(text);
        } catch (IllegalArgumentException wrongForm) {
            refuse(field, shortened(String.valueOf(wrongForm.getMessage())), text, allowed);
            return null;
        }
    }

    private @Nullable String refuse(String field, String message, @Nullable String rejected, String allowed) {
        violations.add(new Violation(pointer + field, message, rejected == null ? null : shortened(rejected), allowed));
        return null;
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN);
    }
}
