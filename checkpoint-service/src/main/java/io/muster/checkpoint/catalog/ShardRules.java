package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a report of shards adds. Pure. A rank saves once: the same bytes again are the same answer, other bytes
 * are refused, because nobody could say which of the two a restore would read. Copies only become more: a report that
 * knows of fewer than an earlier one adds nothing and takes nothing away, in whatever order the two arrive. A node speaks
 * only for the ranks it runs, and a shard lies only in its checkpoint's own folder, so that no report makes a restore read
 * what another job stored. What is malformed is said before what runs elsewhere.
 */
final class ShardRules {

    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    private static final int LONGEST_PATH = 1024;
    private static final int SHOWN = 200;
    private static final int MOST_HOLDERS = 8;

    private ShardRules() {}

    sealed interface Report {

        /** @param added ranks that had no shard, or now have more copies of it; with every copy told of so far */
        record Fits(List<StoredShard> added) implements Report {}

        /** Two different shards of one rank. */
        record Conflict(StoredShard known, StoredShard told) implements Report {}

        /** A rank that the reporting node does not run. */
        record Elsewhere(int rank) implements Report {}

        record Malformed(List<Violation> violations) implements Report {}
    }

    /** @param known by rank */
    static Report judge(List<StoredShard> told, ReportScope scope, Map<Integer, StoredShard> known) {
        List<Violation> violations = new ArrayList<>();
        if (told.isEmpty()) {
            violations.add(new Violation("/shards", "a report without shards says nothing", null, "at least one"));
        }
        for (int i = 0; i < told.size(); i++) {
            check("/shards/" + i, told.get(i), scope, violations);
        }
        if (!violations.isEmpty()) {
            return new Report.Malformed(violations);
        }
        for (StoredShard shard : told) {
            if (!scope.runs(shard.rank())) {
                return new Report.Elsewhere(shard.rank());
            }
        }
        Map<Integer, StoredShard> added = new TreeMap<>();
        for (StoredShard shard : told) {
            StoredShard before = added.getOrDefault(shard.rank(), known.get(shard.rank()));
            if (before == null) {
                added.put(shard.rank(), shard);
            } else if (!before.sha256().equals(shard.sha256()) || before.sizeBytes() != shard.sizeBytes()) {
                return new Report.Conflict(before, shard);
            } else if (addsTo(before, shard)) {
                added.put(shard.rank(), union(before, shard));
            }
        }
        return new Report.Fits(List.copyOf(added.values()));
    }

    private static boolean addsTo(StoredShard before, StoredShard told) {
        return before.path() == null && told.path() != null || !nodes(before).containsAll(nodes(told));
    }

    private static StoredShard union(StoredShard before, StoredShard told) {
        Set<NodeId> nodes = new TreeSet<>(nodes(before));
        nodes.addAll(nodes(told));
        return new StoredShard(
                before.rank(),
                before.path() == null ? told.path() : before.path(),
                before.sizeBytes(),
                before.sha256(),
                nodes.stream().map(node -> new ShardHolder(node, null, 0)).toList());
    }

    private static List<NodeId> nodes(StoredShard shard) {
        return shard.holders().stream().map(ShardHolder::node).toList();
    }

    private static void check(String pointer, StoredShard shard, ReportScope scope, List<Violation> violations) {
        int worldSize = scope.checkpoint().worldSize();
        if (shard.rank() < 0 || shard.rank() >= worldSize) {
            violations.add(new Violation(
                    pointer + "/rank",
                    "there is no rank " + shard.rank() + " among " + worldSize,
                    Integer.toString(shard.rank()),
                    "0 to " + (worldSize - 1)));
        }
        if (shard.sizeBytes() < 0) {
            violations.add(new Violation(
                    pointer + "/sizeBytes",
                    "a size of " + shard.sizeBytes() + " bytes",
                    Long.toString(shard.sizeBytes()),
                    "0 or more"));
        }
        @Nullable String sha = shard.sha256();
        if (sha == null || !SHA256.matcher(sha).matches()) {
            violations.add(new Violation(
                    pointer + "/sha256", "not a SHA-256", shortened(sha), "64 hexadecimal digits in lower case"));
        }
        checkHolders(pointer, shard, violations);
        if (shard.path() == null) {
            return;
        }
        if (!staysBelowTheStore(shard.path())) {
            violations.add(new Violation(
                    pointer + "/path",
                    "a shard lies below the root of the store",
                    shortened(shard.path()),
                    "names joined by '/', none of them '.' or '..', at most " + LONGEST_PATH + " characters"));
        } else if (!scope.isPlaceOf(shard.rank(), shard.path())) {
            violations.add(new Violation(
                    pointer + "/path",
                    "this is not where the shard of rank " + shard.rank() + " of "
                            + scope.checkpoint().id() + " lies",
                    shortened(shard.path()),
                    scope.placeInWords(shard.rank())));
        }
    }

    private static void checkHolders(String pointer, StoredShard shard, List<Violation> violations) {
        if (shard.path() == null && shard.holders().isEmpty()) {
            violations.add(new Violation(
                    pointer, "a shard that lies nowhere says nothing", null, "a path in the store, or holders"));
        }
        if (shard.holders().size() > MOST_HOLDERS
                || shard.holders().stream().anyMatch(holder -> holder.node() == null)) {
            violations.add(new Violation(
                    pointer + "/holders",
                    "these are not the nodes that hold the shard",
                    Integer.toString(shard.holders().size()),
                    "at most " + MOST_HOLDERS + " holders, each with its node"));
        }
    }

    private static boolean staysBelowTheStore(String path) {
        if (path.isEmpty() || path.length() > LONGEST_PATH || path.indexOf('\\') >= 0) {
            return false;
        }
        if (path.chars().anyMatch(Character::isISOControl)) {
            return false;
        }
        for (String name : path.split("/", -1)) {
            if (name.isEmpty() || name.equals(".") || name.equals("..")) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String shortened(@Nullable String text) {
        return text == null || text.length() <= SHOWN ? text : text.substring(0, SHOWN);
    }
}
