package io.muster.job.neighbour;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.muster.edge.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a neighbour gave no answer, in words that may reach people: they name the service, never its address or what an
 * exception happens to say. That is in the log.
 */
final class NoAnswer {

    private static final Logger log = LoggerFactory.getLogger(NoAnswer.class);
    private static final int UNAVAILABLE = 503;

    private NoAnswer() {}

    static <T> Answer<T> of(String service, Throwable failure) {
        String name = service + "-service";
        return new Answer.Missing<>(
                switch (failure) {
                    case CallNotPermittedException resting ->
                        name + " has not answered lately and is asked again in a few seconds";
                    case ProblemException problem
                    when problem.problem().status() != UNAVAILABLE -> {
                        log.warn("{} refused a question: {}", name, failure.toString());
                        yield name + " refused the question ("
                                + problem.problem().status() + " "
                                + problem.problem().code() + ")";
                    }
                    default -> {
                        log.warn("{} did not answer: {}", name, failure.toString());
                        yield name + " did not answer; it is asked again";
                    }
                });
    }
}
