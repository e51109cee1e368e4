package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a report of shards adds. Pure. A rank stores once: the same bytes again are the same answer, other bytes
 * are refused, because nobody could say which of the two a restore would read. A node speaks only for the ranks it runs,
 * and a shard lies only in its checkpoint's own folder, so that no report makes a restore read what another job stored.
 * What is malformed is said before what runs elsewhere.
 */
final class ShardRules {

    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    private static final int LONGEST_PATH = 1024;
    private static final int SHOWN = 200;

    private ShardRules() {}

    sealed interface Report {

        /** @param added shards of ranks that had none */
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
            StoredShard before = known.getOrDefault(shard.rank(), added.get(shard.rank()));
            if (before == null) {
                added.put(shard.rank(), shard);
            } else if (!before.sha256().equals(shard.sha256()) || before.sizeBytes() != shard.sizeBytes()) {
                return new Report.Conflict(before, shard);
            }
        }
        return new Report.Fits(List.copyOf(added.values()));
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

    private static boolean staysBelowTheStore(@Nullable String path) {
        if (path == null || path.isEmpty() || path.length() > LONGEST_PATH || path.indexOf('\\') >= 0) {
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
