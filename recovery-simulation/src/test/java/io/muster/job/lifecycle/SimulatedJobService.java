package io.muster.job.lifecycle;

import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.NodeState;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.placement.PlacementState;
import io.muster.job.cluster.ClusterIdentity;
import io.muster.job.cluster.KnownCluster;
import io.muster.job.neighbour.Answer;
import io.muster.job.neighbour.Checkpoints;
import io.muster.job.neighbour.Health;
import io.muster.job.node.RememberedNodes;
import io.muster.messaging.Outbox;
import io.muster.simulation.Database;
import io.muster.simulation.Fiber;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/**
 * job-service on a virtual clock: its own writer, steps, reports, losses and desired states over tables in memory. What
 * stands here is only who calls whom and when: the reconciler's looks, the long polls, and the questions to others.
 */
public final class SimulatedJobService {

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final int MOST_AT_ONCE = 64;

    /** How a question to another service is asked; null: no answer. */
    public interface Neighbours {
        void restore(RestoreRequest request, Consumer<@Nullable RestoreDecision> answer);

        void fitness(NodeId node, Consumer<@Nullable Fitness> answer);

        void verdict(JobId job, int attempt, Consumer<@Nullable PreflightVerdict> answer);
    }

    private record Poll(NodeId node, long revision, Consumer<DesiredState> answer) {}

    private final Kernel kernel;
    private final Life life;
    private final Database database = new Database();
    private final JobTables tables = new JobTables(database);
    private final RememberedNodes nodes = new RememberedNodes(database);
    private final ClusterIdentity cluster = new KnownCluster();
    private final StartLimits limits = new StartLimits(Duration.ofSeconds(60), Duration.ofMinutes(2));
    private final RepairWait repairWait = new RepairWait(Duration.ofSeconds(40));
    private final Shunning shunning = new Shunning(Duration.ofMinutes(10));
    private final WasteRecords waste = new NoWaste();
    private final Neighbours neighbours;
    private final Outbox jobsTopic;
    private final boolean looks;
    private @Nullable Writer writer;
    private @Nullable JobSteps steps;
    private @Nullable NodeLosses losses;
    private @Nullable AgentReports reports;
    private @Nullable DesiredStates desired;
    private final Set<JobId> inHand = new HashSet<>();
    private final List<Poll> polls = new ArrayList<>();

    public SimulatedJobService(Kernel kernel, Neighbours neighbours, OutboxOf topic, boolean looks) {
        this.kernel = kernel;
        this.neighbours = neighbours;
        this.looks = looks;
        this.life = new Life(kernel, "job-service", this::boot);
        this.jobsTopic = topic.on(life, database);
    }

    /** The outbox needs the life and the database, which are made here. */
    public interface OutboxOf {
        Outbox on(Life life, Database database);
    }

    public Life life() {
        return life;
    }

    public Database database() {
        return database;
    }

    private void boot() {
        inHand.clear();
        polls.clear();
        Clock clock = kernel.clock();
        writer = new Writer(clock, event -> {
            if (event instanceof JobChanged change) {
                changed(change);
            }
        });
        losses = new NodeLosses(nodes, tables.desired, writer);
        reports = new AgentReports(writer, tables.desired, nodes, cluster);
        desired = new DesiredStates(
                tables.desired, tables.store, new NodeSignals(), cluster, new PeerKeys(new byte[32]), clock, database);
        steps = new JobSteps(
                tables.store,
                tables.wakes,
                writer,
                nodes,
                tables.views,
                new AskedCheckpoints(),
                new AskedHealth(),
                limits,
                repairWait,
                shunning,
                database);
        look();
    }

    /** The one writer, with the transactions that Spring would open. */
    private final class Writer extends JobWriter {

        private Writer(Clock clock, ApplicationEventPublisher committed) {
            super(
                    tables.store,
                    tables.timeline,
                    tables.desired,
                    limits,
                    repairWait,
                    shunning,
                    jobsTopic,
                    (feed, key) -> {},
                    clock,
                    committed);
        }

        @Override
        public Optional<Job> change(JobId id, BiFunction<Job, Instant, Job> decision) {
            return database.write(() -> super.change(id, decision));
        }

        @Override
        public void create(Job job, String submittedSpec, String labels) {
            database.writing(() -> super.create(job, submittedSpec, labels));
        }
    }

    /** Keeps no books for people. */
    @SuppressWarnings("NullAway")
    private final class NoWaste extends WasteRecords {

        private NoWaste() {
            super(null, tables.store);
        }

        @Override
        void held(PlacementState placement) {
            // nobody looks
        }

        @Override
        void committed(CheckpointState state) {
            // nobody looks
        }
    }

    private final class AskedCheckpoints implements Checkpoints {
        @Override
        public Answer<RestoreDecision> restore(RestoreRequest request) {
            return given(Fiber.await(answer -> neighbours.restore(request, answer)));
        }
    }

    private final class AskedHealth implements Health {
        @Override
        public Answer<PreflightVerdict> preflightVerdict(JobId job, int attempt) {
            return given(Fiber.await(answer -> neighbours.verdict(job, attempt, answer)));
        }

        @Override
        public Answer<Fitness> fitness(NodeId node) {
            return given(Fiber.await(answer -> neighbours.fitness(node, answer)));
        }
    }

    private static <T> Answer<T> given(@Nullable T value) {
        return value == null ? new Answer.Missing<>("no answer") : new Answer.Given<>(value);
    }

    private void changed(JobChanged change) {
        database.withCommit(() -> {
            if (change.due()) {
                life.after(kernel.chance().between(0, 3), this::lookNow);
            }
            for (NodeId node : change.touched()) {
                life.after(0, () -> answerPolls(node));
            }
            Job before = change.before();
            Job after = change.after();
            if (before.phase() != after.phase()
                    || before.attempt() != null
                            && after.attempt() != null
                            && before.attempt().stage() != after.attempt().stage()) {
                kernel.tell("job " + after.id() + " " + after.phase() + "/"
                        + after.status().reason() + " g"
                        + after.holding().generation()
                        + (after.attempt() == null
                                ? ""
                                : " a" + after.attempt().number() + " "
                                        + after.attempt().stage()
                                        + (after.attempt().ending() == null
                                                ? ""
                                                : " " + after.attempt().ending()))
                        + " released " + after.holding().released() + " shuns "
                        + after.holding().failedNodes());
            }
        });
    }

    /** Four times a second, and when something is due at once. */
    private void look() {
        if (!looks) {
            return;
        }
        lookNow();
        life.after(250, this::look);
    }

    private void lookNow() {
        Instant now = kernel.instant();
        boolean any = tables.wakeAt.rows().values().stream().anyMatch(at -> !at.isAfter(now));
        if (!any || !looks) {
            return;
        }
        for (JobId job : tables.wakes.take(now, MOST_AT_ONCE, LEASE)) {
            if (inHand.add(job)) {
                JobSteps taking = steps;
                Fiber.run(life, () -> {
                    try {
                        taking.take(job);
                    } finally {
                        inHand.remove(job);
                    }
                });
            }
        }
    }

    public void submit(Job.Head head) {
        writer.create(Job.submitted(head), "", "{}");
    }

    public void cancel(JobId job) {
        new CancelJob(writer).cancel(job);
    }

    public void placement(PlacementState state) {
        new PlacementListener(writer, nodes, waste).apply(null, state);
    }

    public void node(NodeState state) {
        losses.learn(state);
    }

    public void commit(CheckpointState state) {
        tables.views.put(state);
    }

    public ReportAnswer report(NodeId node, NodeReport report) {
        return reports.take(node, report);
    }

    /** A long poll: the answer comes when the revision is higher, or when the wait is over. */
    public void poll(NodeId node, long revision, long wait, Consumer<DesiredState> answer) {
        Poll poll = new Poll(node, revision, answer);
        if (wait == 0 || tables.desired.revision(node) > revision) {
            answer.accept(current(node));
            return;
        }
        polls.add(poll);
        life.after(wait, () -> {
            if (polls.remove(poll)) {
                answer.accept(current(node));
            }
        });
    }

    private void answerPolls(NodeId node) {
        for (Poll poll : List.copyOf(polls)) {
            if (poll.node().equals(node) && tables.desired.revision(node) > poll.revision()) {
                polls.remove(poll);
                poll.answer().accept(current(node));
            }
        }
    }

    private DesiredState current(NodeId node) {
        return desired.await(node, 0, Duration.ZERO);
    }

    public Collection<Job> jobs() {
        return tables.jobs.rows().values().stream().map(JobStore.Stored::job).toList();
    }

    public @Nullable Job job(JobId id) {
        JobStore.Stored stored = tables.jobs.get(id);
        return stored == null ? null : stored.job();
    }

    public TreeMap<Integer, Attempt> attempts(JobId id) {
        return tables.attempts.find(id).orElseGet(TreeMap::new);
    }
}
