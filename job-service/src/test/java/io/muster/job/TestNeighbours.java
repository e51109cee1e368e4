package io.muster.job;

import io.muster.contract.Topics;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.contract.scheduling.FeasibilityVerdict;
import io.muster.job.neighbour.Answer;
import io.muster.job.neighbour.Checkpoints;
import io.muster.job.neighbour.Health;
import io.muster.job.neighbour.Scheduler;
import io.muster.messaging.EventSubscription;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The other services, answering what a test has told them to. */
@TestConfiguration(proxyBeanMethods = false)
public class TestNeighbours {

    public static final class Script implements Scheduler, Checkpoints, Health {
        public volatile Answer<FeasibilityAnswer> feasibility = startsNow();
        public volatile Answer<Optional<Explanation>> explanation = new Answer.Given<>(Optional.empty());
        public volatile Answer<RestoreDecision> restore = fresh();
        public volatile Answer<PreflightVerdict> verdict =
                new Answer.Given<>(new PreflightVerdict(true, List.of(), "nobody"));
        public final Map<NodeId, Fitness> fitness = new ConcurrentHashMap<>();
        public volatile Runnable whileRestoring = () -> {};
        public final List<RestoreRequest> restores = new CopyOnWriteArrayList<>();

        public void reset() {
            feasibility = startsNow();
            explanation = new Answer.Given<>(Optional.empty());
            restore = fresh();
            verdict = new Answer.Given<>(new PreflightVerdict(true, List.of(), "nobody"));
            whileRestoring = () -> {};
            restores.clear();
            fitness.clear();
        }

        private static Answer<FeasibilityAnswer> startsNow() {
            return new Answer.Given<>(new FeasibilityAnswer(FeasibilityVerdict.CAN_START_NOW, null));
        }

        private static Answer<RestoreDecision> fresh() {
            return new Answer.Given<>(
                    new RestoreDecision(RestoreVerdict.FRESH, null, 0, List.of(), "no checkpoint yet"));
        }

        @Override
        public Answer<FeasibilityAnswer> feasibility(FeasibilityRequest request) {
            return feasibility;
        }

        @Override
        public Answer<Optional<Explanation>> explanation(JobId job) {
            return explanation;
        }

        @Override
        public Answer<RestoreDecision> restore(RestoreRequest request) {
            restores.add(request);
            whileRestoring.run();
            return restore;
        }

        @Override
        public Answer<PreflightVerdict> preflightVerdict(JobId job, int attempt) {
            return verdict;
        }

        /** Alive and free of holds unless a test says otherwise. */
        @Override
        public Answer<Fitness> fitness(NodeId node) {
            return new Answer.Given<>(fitness.getOrDefault(node, new Fitness(node, true, true, List.of(), false)));
        }
    }

    /** What has been heard on muster.jobs.v1, newest last. */
    public static final class Heard {
        private final Map<JobId, List<JobState>> states = new ConcurrentHashMap<>();

        void add(JobState state) {
            states.computeIfAbsent(state.jobId(), id -> new CopyOnWriteArrayList<>())
                    .add(state);
        }

        public List<JobState> of(JobId job) {
            return states.getOrDefault(job, List.of());
        }
    }

    @Bean
    @Primary
    Script script() {
        return new Script();
    }

    @Bean
    Heard heard() {
        return new Heard();
    }

    @Bean
    EventSubscription<JobState> jobsHeard(Heard heard) {
        return new EventSubscription<>("test-jobs", Topics.JOBS, JobState.class, (metadata, state) -> heard.add(state));
    }
}
