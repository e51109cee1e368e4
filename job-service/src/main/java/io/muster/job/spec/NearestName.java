package io.muster.job.spec;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** The known name that a person most likely meant: the fewest typing errors, at most a third of the word; ties go to the earlier one. */
public final class NearestName {

    private static final int LONGEST = 64;

    private NearestName() {}

    public static Optional<String> of(String typed, Collection<String> known) {
        if (typed.length() > LONGEST) {
            return Optional.empty();
        }
        String lower = typed.toLowerCase(Locale.ROOT);
        int best = Math.max(2, typed.length() / 3) + 1;
        String nearest = null;
        for (String name : known) {
            int distance = distance(lower, name.toLowerCase(Locale.ROOT));
            if (distance < best) {
                best = distance;
                nearest = name;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** Insertions, deletions, replacements and swaps of neighbours. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                cost[i][j] = Math.min(replaced, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
