package io.muster.simulator.failure;

import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The scenario as words of the command line; what is not said is as in {@link FailureSettings#ofTenThousandGpus()}. */
record FailureOptions(FailureSettings settings, long firstSeed, int runs, boolean json) {

    static final String HELP = """
            failures: what failures cost one job over nearly all nodes of a cluster
              --days N             simulated days (60)
              --seed N             of the first run (1)
              --runs N             runs with seeds N, N+1, ... (1)
              --phases NAME        measured or published (measured)
              --save-every SECONDS or young, the optimum of Young's formula (young)
              --job-nodes N        nodes of the job, 8 GPUs each (1224)
              --spares N           nodes kept for repairs (26)
              --repair-wait SECONDS for which a wounded gang keeps its healthy nodes (600)
              --faults N           faults per 1,000 node-days that stop a node (6.5)
              --json               one object instead of the table
            """;

    static FailureOptions parse(List<String> words) {
        FailureSettings settings = FailureSettings.ofTenThousandGpus();
        String saveEvery = "young";
        long seed = 1;
        int runs = 1;
        boolean json = false;
        Deque<String> rest = new ArrayDeque<>(words);
        while (!rest.isEmpty()) {
            String word = rest.pop();
            switch (word) {
                case "--json" -> json = true;
                case "--days" -> settings = settings.withDays(number(word, rest, 1, 3_650));
                case "--seed" -> seed = number(word, rest, 0, Integer.MAX_VALUE);
                case "--runs" -> runs = number(word, rest, 1, 1_000);
                case "--phases" -> settings = settings.with(phases(value(word, rest)));
                case "--save-every" -> saveEvery = value(word, rest);
                case "--repair-wait" -> settings = settings.withRepairWait(1_000L * number(word, rest, 1, 604_800));
                case "--job-nodes" ->
                    settings = settings.with(settings.cluster()
                            .with(
                                    number(word, rest, 2, 100_000),
                                    settings.cluster().spares()));
                case "--spares" ->
                    settings = settings.with(
                            settings.cluster().with(settings.cluster().jobNodes(), number(word, rest, 0, 100_000)));
                case "--faults" -> settings = settings.with(settings.rates().withFaults(perMillion(value(word, rest))));
                default -> throw new IllegalArgumentException(word + " is not an option; --help tells those there are");
            }
        }
        return new FailureOptions(settings.with(checkpoints(saveEvery, settings)), seed, runs, json);
    }

    private static CheckpointCourse checkpoints(String saveEvery, FailureSettings settings) {
        return saveEvery.equals("young")
                ? CheckpointCourse.young(FailureSettings.millisBetweenFailures(settings.cluster(), settings.rates()))
                : CheckpointCourse.every(1_000L * whole("--save-every", saveEvery, 1, 604_800));
    }

    private static RecoveryPhases phases(String name) {
        return switch (name) {
            case "measured" -> RecoveryPhases.measured();
            case "published" -> RecoveryPhases.published();
            default -> throw new IllegalArgumentException("--phases " + name + "; measured or published is needed");
        };
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value; --help tells which");
        }
        return rest.pop();
    }

    private static int number(String option, Deque<String> rest, int least, int most) {
        return whole(option, value(option, rest), least, most);
    }

    private static int whole(String option, String text, int least, int most) {
        if (text.matches("\\d{1,9}")) {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new IllegalArgumentException(
                option + " " + text + "; a whole number from " + least + " to " + most + " is needed");
    }

    private static long perMillion(String perThousand) {
        if (!perThousand.matches("\\d{1,4}(\\.\\d{1,3})?")) {
            throw new IllegalArgumentException("--faults " + perThousand
                    + "; a number of faults per 1,000 node-days such as 6.5, up to 9999, is needed");
        }
        return new BigDecimal(perThousand).movePointRight(3).longValueExact();
    }
}
