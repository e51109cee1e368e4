package io.muster.job.neighbour;

import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.muster.contract.id.JobId;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.edge.identity.ServiceClients;
import io.muster.edge.problem.ProblemException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Asks scheduler-service. A person who submits waits at most 300 ms for the question whether the job can ever fit; with
 * a scheduler that is slow or away the question is skipped, and after several failures not even tried for a while.
 */
@Component
class SchedulerClient implements Scheduler, DisposableBean {

    private static final Duration FEASIBILITY_BUDGET = Duration.ofMillis(300);

    private final RestClient scheduler;
    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

    SchedulerClient(ServiceClients clients) {
        this.scheduler = clients.to("scheduler");
    }

    @Override
    @CircuitBreaker(name = "scheduler", fallbackMethod = "unasked")
    public Answer<FeasibilityAnswer> feasibility(FeasibilityRequest request) {
        Future<FeasibilityAnswer> call = calls.submit(() -> scheduler
                .post()
                .uri("/internal/services/feasibility")
                .body(request)
                .retrieve()
                .body(FeasibilityAnswer.class));
        try {
            return new Answer.Given<>(call.get(FEASIBILITY_BUDGET.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException late) {
            call.cancel(true);
            throw new IllegalStateException("no answer within " + FEASIBILITY_BUDGET.toMillis() + " ms", late);
        } catch (ExecutionException failed) {
            throw new IllegalStateException(String.valueOf(failed.getCause()), failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped while asking", stopped);
        }
    }

    @Override
    @CircuitBreaker(name = "scheduler", fallbackMethod = "unexplained")
    public Answer<Optional<Explanation>> explanation(JobId job) {
        try {
            return new Answer.Given<>(Optional.ofNullable(scheduler
                    .get()
                    .uri("/internal/services/jobs/{id}/explanation", job.value())
                    .retrieve()
                    .body(Explanation.class)));
        } catch (ProblemException refused) {
            if (refused.problem().status() == 404) {
                return new Answer.Given<>(Optional.empty());
            }
            throw refused;
        }
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the circuit breaker calls it
    private Answer<FeasibilityAnswer> unasked(FeasibilityRequest request, Throwable failure) {
        return NoAnswer.of("scheduler", failure);
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the circuit breaker calls it
    private Answer<Optional<Explanation>> unexplained(JobId job, Throwable failure) {
        return NoAnswer.of("scheduler", failure);
    }

    @Override
    public void destroy() {
        calls.shutdownNow();
    }
}
