package io.muster.simulator;

import io.muster.simulator.failure.FailureCommand;
import java.util.List;

/** {@code failures [options]}: what failures cost one large job. */
public final class Simulator {

    private Simulator() {}

    public static void main(String[] args) {
        List<String> words = List.of(args);
        if (words.isEmpty() || !words.getFirst().equals("failures")) {
            System.err.println("say what to simulate: failures [options]; failures --help tells them");
            System.exit(2);
            return;
        }
        System.exit(FailureCommand.run(words.subList(1, words.size()), System.out, System.err));
    }
}
