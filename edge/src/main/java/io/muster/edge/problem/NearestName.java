package io.muster.edge.problem;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds what was probably meant: the known name with the fewest edits, if they are few for its length. */
public final class NearestName {

    private NearestName() {}

    /** At most a third of the letters may differ; of two equally near names the one that begins alike is taken. */
    public static Optional<String> of(String given, Collection<String> known) {
        if (given.length() > 100) {
            return Optional.empty();
        }
        String wanted = given.toLowerCase(Locale.ROOT);
        int best = 2 * Math.max(1, given.length() / 3) + 1;
        String nearest = null;
        for (String name : known.stream().sorted().toList()) {
            String lower = name.toLowerCase(Locale.ROOT);
            int distance = 2 * edits(wanted, lower) - (lower.startsWith(wanted) || wanted.startsWith(lower) ? 1 : 0);
            if (distance < best) {
                best = distance;
                nearest = name;
            }
        }
        return Optional.ofNullable(nearest);
    }

    private static int edits(String a, String b) {
        int[] last = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + change);
            }
            last = row;
        }
        return last[b.length()];
    }
}
