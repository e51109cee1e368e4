package io.muster.job.neighbour;

import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.PreflightVerdict;
import io.muster.edge.identity.ServiceClients;
import java.util.Objects;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Asks health-service; until it answers nobody is blamed, and nothing is concluded about a node. */
@Component
class HealthClient implements Health {

    private final RestClient health;

    HealthClient(ServiceClients clients) {
        this.health = clients.to("health");
    }

    @Override
    @CircuitBreaker(name = "health", fallbackMethod = "unanswered")
    public Answer<PreflightVerdict> preflightVerdict(JobId job, int attempt) {
        PreflightVerdict verdict = health.get()
                .uri("/internal/services/preflights/{job}/{attempt}/verdict", job.value(), attempt)
                .retrieve()
                .body(PreflightVerdict.class);
        return new Answer.Given<>(Objects.requireNonNull(verdict, "an empty answer"));
    }

    @Override
    @CircuitBreaker(name = "health", fallbackMethod = "unknown")
    public Answer<Fitness> fitness(NodeId node) {
        Fitness fitness = health.get()
                .uri("/internal/services/nodes/{node}/fitness", node.value())
                .retrieve()
                .body(Fitness.class);
        return new Answer.Given<>(Objects.requireNonNull(fitness, "an empty answer"));
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the circuit breaker calls it
    private Answer<Fitness> unknown(NodeId node, Throwable failure) {
        return NoAnswer.of("health", failure);
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the circuit breaker calls it
    private Answer<PreflightVerdict> unanswered(JobId job, int attempt, Throwable failure) {
        return NoAnswer.of("health", failure);
    }
}
