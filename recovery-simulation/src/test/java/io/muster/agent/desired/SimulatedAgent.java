package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.agent.desired.Disk.Held;
import io.muster.agent.desired.Disk.Rank;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.RankReport;
import io.muster.contract.agent.ReportAnswer;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.ProbeResult;
import io.muster.contract.node.Registration;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Machine;
import io.muster.simulation.Mutation;
import io.muster.simulation.Proc;
import io.muster.simulation.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node's agent on a virtual clock: heartbeats, the poll for its desired state, reports. What to do about an attempt is
 * decided by the real {@link Convergence}; how it is done stands in {@link AttemptWork}. Its folder outlives it.
 */
public final class SimulatedAgent {

    private static final String INCARNATION = "simulated";

    private final Kernel kernel;
    private final World world;
    private final Machine machine;
    private final Services services;
    private final Mutation mutation;
    private final Life life;
    private final AttemptWork work;
    private Disk disk = new Disk();
    private long session;
    private boolean active;
    private long sequence;
    private @Nullable NodeFacts told;
    private List<CheckResult> checks = new ArrayList<>();
    private List<ProbeResult> probes = new ArrayList<>();
    private final Set<String> probing = new HashSet<>();
    private boolean checking;
    private @Nullable DesiredState desired;
    private boolean polledBefore;
    private long takenIn;
    private long toldRevision;
    private boolean reporting;
    private boolean reportAgain;
    private boolean changedSoon;
    private boolean ending;
    private Set<AttemptKey> goneAndTaken = Set.of();

    public SimulatedAgent(World world, Machine machine, Services services, Mutation mutation) {
        this.world = world;
        this.kernel = world.kernel();
        this.machine = machine;
        this.services = services;
        this.mutation = mutation;
        this.life = new Life(kernel, "agent-" + machine.id, this::boot);
        this.work = new AttemptWork(this, world, machine, services, mutation);
    }

    public Life life() {
        return life;
    }

    long session() {
        return session;
    }

    Instant now() {
        return kernel.instant().plusMillis(machine.skew);
    }

    /** Its folder is moved away. */
    public void wipe() {
        disk = new Disk();
        disk.credential = false;
    }

    private void boot() {
        active = false;
        ending = false;
        told = null;
        checks = new ArrayList<>();
        probes = new ArrayList<>();
        probing.clear();
        checking = false;
        desired = null;
        polledBefore = false;
        takenIn = 0;
        toldRevision = 0;
        reporting = false;
        reportAgain = false;
        changedSoon = false;
        goneAndTaken = Set.of();
        List.copyOf(disk.attempts.values()).forEach(work::resume);
        enter();
        poll();
        everyTwoSeconds();
    }

    // --- standing with health-service

    private void enter() {
        services.register(machine.facts(now()), !disk.credential, registration -> {
            if (registration == null) {
                life.after(kernel.chance().between(200, 2000), this::enter);
            } else {
                opened(registration);
            }
        });
    }

    private void opened(Registration registration) {
        disk.credential = true;
        session = registration.session();
        sequence = 0;
        told = null;
        active = true;
        kernel.tell(machine.id + " has session " + session);
        beat(session);
        runChecks();
    }

    private void beat(long ofSession) {
        if (!active || session != ofSession || ending) {
            return;
        }
        NodeFacts facts = told == null ? machine.facts(now()) : null;
        List<CheckResult> sentChecks = List.copyOf(checks);
        List<ProbeResult> sentProbes = List.copyOf(probes);
        Heartbeat heartbeat = new Heartbeat(session, ++sequence, now(), facts, sentChecks, sentProbes);
        services.heartbeat(heartbeat, answer -> {
            if (answer != null && session == ofSession && active) {
                obey(answer, sentChecks, sentProbes, facts);
            }
        });
        life.after(1000, () -> beat(ofSession));
    }

    private void obey(
            HeartbeatAnswer answer,
            List<CheckResult> sentChecks,
            List<ProbeResult> sentProbes,
            @Nullable NodeFacts facts) {
        if (answer.registerAgain()) {
            kernel.tell(machine.id + " registers again");
            active = false;
            life.after(kernel.chance().between(10, 1000), this::enter);
            return;
        }
        checks.removeAll(sentChecks);
        probes.removeAll(sentProbes);
        if (facts != null) {
            told = facts;
        }
        if (answer.runChecks()) {
            runChecks();
        }
        for (ProbeOrder order : answer.probes()) {
            if (probing.add(order.probeId())) {
                life.after(kernel.chance().between(5, 800), () -> {
                    boolean reached = machine.reachesPeers()
                            && world.machine(order.target()).answersPeers();
                    probes.add(new ProbeResult(order.probeId(), machine.id, order.target(), reached, 5, "probed"));
                    probing.remove(order.probeId());
                });
            }
        }
    }

    private void runChecks() {
        if (!checking) {
            checking = true;
            life.after(kernel.chance().between(100, 900), () -> {
                checking = false;
                checks.addAll(work.nodeChecks());
            });
        }
    }

    // --- desired state

    private void poll() {
        if (!active) {
            life.after(100, this::poll);
            return;
        }
        long from = polledBefore ? Math.max(0, disk.oath) : 0;
        services.desired(from, polledBefore ? 20_000 : 0, answer -> {
            if (answer == null) {
                life.after(kernel.chance().between(100, 2000), this::poll);
            } else {
                life.after(taken(answer, from), this::poll);
            }
        });
    }

    private long taken(DesiredState answer, long from) {
        if (answer.revision() < disk.oath) {
            return 2000;
        }
        disk.oath = answer.revision();
        polledBefore = true;
        desired = answer;
        life.after(0, this::converge);
        return answer.revision() <= from ? 200 : 1;
    }

    private void converge() {
        DesiredState order = desired;
        if (order == null || ending) {
            return;
        }
        for (Action action : Convergence.decide(order.assignments(), local())) {
            work.apply(action);
        }
        if (order.revision() != takenIn) {
            takenIn = order.revision();
            tell();
        }
    }

    private List<LocalAttempt> local() {
        return disk.attempts.values().stream()
                .map(held -> new LocalAttempt(
                        held.key,
                        seen(held),
                        held.assignment.task() == null
                                ? null
                                : held.assignment.task().gpus(),
                        work.forgettable(held, goneAndTaken)))
                .toList();
    }

    private MemberPhase seen(Held held) {
        boolean overlooked = mutation == Mutation.AGENT_DOES_NOT_WAIT && held.phase == MemberPhase.STOPPING;
        return overlooked ? MemberPhase.GONE : held.phase;
    }

    // --- what changes here

    /** Something about a process has changed; noticed a moment later, if the agent lives. */
    public void changed() {
        if (!changedSoon) {
            changedSoon = true;
            life.after(kernel.chance().between(1, 100), () -> {
                changedSoon = false;
                disk.attempts.values().forEach(work::look);
                tell();
                converge();
            });
        }
    }

    void told() {
        tell();
        life.after(1, this::converge);
    }

    Disk disk() {
        return disk;
    }

    boolean ending() {
        return ending;
    }

    private void everyTwoSeconds() {
        disk.attempts.values().forEach(work::look);
        converge();
        if (!disk.attempts.isEmpty() || toldRevision != takenIn) {
            tell();
        }
        life.after(2000, this::everyTwoSeconds);
    }

    public void save(Proc proc, long step) {
        if (life.awake()) {
            work.save(proc, step);
        }
    }

    /** SIGTERM: ends its ranks, tells once, and is gone. */
    public void endGently() {
        if (!life.up() || ending) {
            return;
        }
        kernel.tell("agent-" + machine.id + " is asked to end");
        ending = true;
        work.endAll();
        life.after(5000, life::die);
    }

    /** Asked to end and not done with it: paused meanwhile, perhaps. */
    public boolean isEnding() {
        return ending && life.up();
    }

    void allEnded() {
        reporting = false;
        tell();
        life.after(800, life::die);
    }

    // --- reports

    void tell() {
        if (reporting) {
            reportAgain = true;
            return;
        }
        if ((!active && !ending) || disk.oath < 0) {
            return;
        }
        reporting = true;
        reportAgain = false;
        long acknowledged = takenIn;
        disk.attempts.values().forEach(work::look);
        List<AttemptReport> reports =
                disk.attempts.values().stream().map(this::report).toList();
        services.report(new NodeReport(session, INCARNATION, acknowledged, reports), answer -> {
            reporting = false;
            if (answer == null) {
                life.after(500, this::tell);
                return;
            }
            toldRevision = acknowledged;
            taken(answer, reports);
            if (reportAgain) {
                life.after(1, this::tell);
            }
        });
    }

    private void taken(ReportAnswer answer, List<AttemptReport> reports) {
        Set<AttemptKey> gone = new HashSet<>();
        for (AttemptReport report : reports) {
            if (report.phase() == MemberPhase.GONE) {
                gone.add(new AttemptKey(report.jobId(), report.attempt()));
            }
        }
        goneAndTaken = gone;
        life.after(1, this::converge);
    }

    private AttemptReport report(Held held) {
        List<RankReport> ranks = new ArrayList<>();
        boolean alive = !held.ranks.isEmpty();
        Instant since = Instant.MIN;
        for (Rank rank : held.ranks.values()) {
            Proc proc = rank.proc();
            ranks.add(new RankReport(
                    rank.rank(),
                    rank.local(),
                    proc == null ? 0 : proc.pid,
                    rank.startedAt(),
                    proc != null && proc.hello(),
                    rank.exit()));
            alive &= rank.exit() == null;
            since = rank.startedAt().isAfter(since) ? rank.startedAt() : since;
        }
        long step = world.step(held.key);
        boolean speaks = held.ranks.containsKey(0) && held.ranks.get(0).proc() != null && step > 0;
        return new AttemptReport(
                held.key.job(),
                held.key.attempt(),
                held.phase,
                held.port,
                alive && held.phase == MemberPhase.RUNNING ? since : null,
                held.checks,
                ranks,
                speaks ? new Progress(step, null, Map.of(), now()) : null,
                null,
                held.damaged);
    }
}
