package io.muster.job.neighbour;

import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.edge.identity.ServiceClients;
import java.util.Objects;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Asks checkpoint-service; whatever goes wrong is no answer, never a fresh start. */
@Component
class CheckpointsClient implements Checkpoints {

    private final RestClient checkpoints;

    CheckpointsClient(ServiceClients clients) {
        this.checkpoints = clients.to("checkpoint");
    }

    @Override
    @CircuitBreaker(name = "checkpoint", fallbackMethod = "unanswered")
    public Answer<RestoreDecision> restore(RestoreRequest request) {
        RestoreDecision decision = checkpoints
                .post()
                .uri("/internal/services/restores")
                .body(request)
                .retrieve()
                .body(RestoreDecision.class);
        return new Answer.Given<>(Objects.requireNonNull(decision, "an empty answer"));
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the circuit breaker calls it
    private Answer<RestoreDecision> unanswered(RestoreRequest request, Throwable failure) {
        return NoAnswer.of("checkpoint", failure);
    }
}
