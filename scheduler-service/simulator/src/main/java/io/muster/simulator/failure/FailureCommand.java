package io.muster.simulator.failure;

import java.io.PrintStream;
import java.util.List;

/** Runs single faults and, from the same seeds, correlated ones too; prints both beside the formula. */
public final class FailureCommand {

    private FailureCommand() {}

    /** @return the exit code: 0, or 2 for words that are not understood */
    public static int run(List<String> words, PrintStream out, PrintStream err) {
        if (words.contains("--help")) {
            out.print(FailureOptions.HELP);
            return 0;
        }
        FailureOptions options;
        try {
            options = FailureOptions.parse(words);
        } catch (IllegalArgumentException notUnderstood) {
            err.println(notUnderstood.getMessage());
            return 2;
        }
        Comparison comparison = Comparison.of(options.settings(), options.firstSeed(), options.runs());
        out.print(options.json() ? ComparisonJson.of(comparison) : ComparisonTable.of(comparison));
        return 0;
    }
}
