package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.agent.desired.Disk.Held;
import io.muster.agent.desired.Disk.Rank;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankExit;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.ProbeResult;
import io.muster.health.check.TierACheck;
import io.muster.simulation.Chance;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Machine;
import io.muster.simulation.Mutation;
import io.muster.simulation.Proc;
import io.muster.simulation.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Attempts on one node as its agent leads them: preflight, start, watch, end; as {@code io.muster.agent.attempt.Attempt} does. */
final class AttemptWork {

    private static final int KILLED = 137;
    private static final int GRACE = 5000;
    private static final int CUT_OFF_GRACE = 1000;
    private static final int COURIER = 120_000;

    private final SimulatedAgent agent;
    private final World world;
    private final Kernel kernel;
    private final Machine machine;
    private final Services services;
    private final Mutation mutation;
    private final SaveWork saves;

    AttemptWork(SimulatedAgent agent, World world, Machine machine, Services services, Mutation mutation) {
        this.agent = agent;
        this.world = world;
        this.kernel = world.kernel();
        this.machine = machine;
        this.services = services;
        this.mutation = mutation;
        this.saves = new SaveWork(agent, world, services);
    }

    private Life life() {
        return agent.life();
    }

    private Chance chance() {
        return kernel.chance();
    }

    private @Nullable Held held(AttemptKey key) {
        return agent.disk().attempts.get(key);
    }

    void apply(Action action) {
        switch (action) {
            case Action.Begin begin -> begin(begin.assignment());
            case Action.Run run -> run(run.assignment());
            case Action.Stop end -> {
                Held held = held(end.key());
                if (held != null) {
                    stop(held, ExitCause.STOPPED, GRACE);
                }
            }
            case Action.ConfirmGone confirm -> {
                Held held = new Held(confirm.assignment());
                if (agent.disk().attempts.putIfAbsent(held.key, held) == null) {
                    stop(held, ExitCause.STOPPED, GRACE);
                }
            }
            case Action.DeclareLost lost -> declareLost(lost.assignment(), lost.task());
            case Action.Forget forget -> agent.disk().attempts.remove(forget.key());
        }
    }

    private void begin(Assignment assignment) {
        Held held = new Held(assignment);
        if (!agent.ending() && agent.disk().attempts.putIfAbsent(held.key, held) == null) {
            preflight(held);
        }
    }

    /** What an earlier life of the agent had begun. */
    void resume(Held held) {
        held.examining = false;
        saves.resume(held);
        GangTask task = held.assignment.task();
        switch (held.phase) {
            case RECEIVED, PREFLIGHT -> preflight(held);
            case PREFLIGHT_PASSED, PREFLIGHT_FAILED, GONE -> {}
            case STARTING -> {
                if (task != null) {
                    lost(held, task);
                }
                stop(held, ExitCause.AGENT_DOWN, CUT_OFF_GRACE);
            }
            case RUNNING, EXITED -> look(held);
            case STOPPING -> endProcesses(held, CUT_OFF_GRACE);
        }
    }

    private void preflight(Held held) {
        GangTask task = held.assignment.task();
        if (task == null || held.examining) {
            return;
        }
        held.examining = true;
        to(held, MemberPhase.PREFLIGHT);
        life().after(chance().between(100, 2500), () -> examine(held, task));
    }

    private void examine(Held held, GangTask task) {
        List<ProbeResult> pairs = new ArrayList<>();
        for (GangMember member : task.members()) {
            if (!member.node().equals(machine.id)) {
                boolean reached =
                        machine.reachesPeers() && world.machine(member.node()).answersPeers();
                pairs.add(new ProbeResult(null, machine.id, member.node(), reached, 3, "tcp"));
            }
        }
        List<CheckResult> results = new ArrayList<>(nodeChecks());
        boolean all = pairs.stream().allMatch(ProbeResult::reached);
        results.add(result(TierACheck.TCP_PAIRS, all, "peers"));
        boolean whole = task.restore().shards().stream()
                .filter(shard -> shard.rank() / task.processesPerNode() == task.nodeRank())
                .noneMatch(shard -> shard.path() != null && world.damaged(shard.path()));
        results.add(result(TierACheck.RESTORE_VERIFIED, whole, "shards"));
        if (!whole && held.phase == MemberPhase.PREFLIGHT) {
            held.damaged = task.restore().checkpointId();
        }
        boolean passed = results.stream().allMatch(CheckResult::lets);
        if (held.phase == MemberPhase.PREFLIGHT) {
            held.checks = List.copyOf(results);
            if (passed && task.nodeRank() == 0) {
                held.port = chance().between(20_000, 40_000);
            }
            to(held, passed ? MemberPhase.PREFLIGHT_PASSED : MemberPhase.PREFLIGHT_FAILED);
        }
        courier(held, task, results, pairs, kernel.millis() + COURIER);
    }

    private void courier(Held held, GangTask task, List<CheckResult> results, List<ProbeResult> pairs, long until) {
        PreflightReport report = new PreflightReport(
                held.key.job(),
                held.key.attempt(),
                agent.session(),
                task.members().stream().map(GangMember::node).toList(),
                results,
                pairs);
        services.preflight(report, taken -> {
            if (taken == null && kernel.millis() < until) {
                life().after(chance().between(200, 3000), () -> courier(held, task, results, pairs, until));
            }
        });
    }

    /** The checks that need no gang. */
    List<CheckResult> nodeChecks() {
        List<CheckResult> results = new ArrayList<>();
        for (TierACheck check : TierACheck.values()) {
            if (check.runs() == TierACheck.Runs.ALWAYS) {
                boolean good = switch (check) {
                    case DISK_WRITE_READ -> !machine.badDisk();
                    case LEFTOVER_PROCESSES -> leftovers();
                    case STORE_REACHABLE -> !world.storeAway();
                    default -> true;
                };
                results.add(result(check, good, "looked"));
            }
        }
        return results;
    }

    private boolean leftovers() {
        return world.living(machine).stream().allMatch(proc -> {
            Held held = held(proc.key);
            return held != null && held.phase != MemberPhase.GONE;
        });
    }

    private CheckResult result(TierACheck check, boolean good, String message) {
        return new CheckResult(
                check.checkName(), good ? CheckStatus.PASS : CheckStatus.FAIL, true, message, 1, agent.now());
    }

    private void run(Assignment order) {
        Held held = held(AttemptKey.of(order));
        GangTask task = order.task();
        if (held == null
                || task == null
                || task.rendezvous() == null
                || held.phase != MemberPhase.PREFLIGHT_PASSED
                || agent.ending()) {
            return;
        }
        held.assignment = order;
        to(held, MemberPhase.STARTING);
        life().after(chance().between(20, 500), () -> launch(held, task));
    }

    private void launch(Held held, GangTask task) {
        if (held.phase != MemberPhase.STARTING) {
            return;
        }
        for (int local = 0; local < task.processesPerNode(); local++) {
            Proc proc = world.start(machine, held.key, held.assignment.generation(), task, local);
            held.ranks.put(proc.rank, new Rank(proc.rank, local, proc, agent.now(), null));
        }
        to(held, MemberPhase.RUNNING);
    }

    /** Takes notice of processes that have ended. */
    void look(Held held) {
        boolean found = false;
        for (Rank rank : List.copyOf(held.ranks.values())) {
            Proc proc = rank.proc();
            if (rank.exit() == null && proc != null && !proc.alive()) {
                held.ranks.put(
                        rank.rank(),
                        new Rank(rank.rank(), rank.local(), proc, rank.startedAt(), exit(proc, held.stopping)));
                found = true;
            }
        }
        boolean ended = held.ranks.values().stream().allMatch(rank -> rank.exit() != null);
        if (held.phase == MemberPhase.RUNNING && ended) {
            to(held, MemberPhase.EXITED);
        } else if (found) {
            agent.told();
        }
    }

    private RankExit exit(Proc proc, @Nullable ExitCause stopping) {
        int code = proc.code();
        ExitCause cause = stopping != null ? stopping : Objects.requireNonNull(proc.cause());
        return new RankExit(code, code > 128 ? code - 128 : null, cause, proc.lastLine(), agent.now());
    }

    private void lost(Held held, GangTask task) {
        for (int local = 0; local < task.processesPerNode(); local++) {
            int rank = task.nodeRank() * task.processesPerNode() + local;
            Rank known = held.ranks.get(rank);
            RankExit exit = new RankExit(KILLED, 9, ExitCause.AGENT_DOWN, "record lost", agent.now());
            held.ranks.put(rank, new Rank(rank, local, known == null ? null : known.proc(), agent.now(), exit));
        }
    }

    private void declareLost(Assignment assignment, GangTask task) {
        Held held = new Held(assignment);
        if (agent.disk().attempts.putIfAbsent(held.key, held) == null) {
            held.phase = MemberPhase.EXITED;
            lost(held, task);
            agent.told();
        }
    }

    void stop(Held held, ExitCause why, int grace) {
        if (held.phase == MemberPhase.STOPPING || held.phase == MemberPhase.GONE) {
            return;
        }
        look(held);
        held.stopping = why;
        if (mutation == Mutation.GONE_TOO_EARLY) {
            to(held, MemberPhase.GONE);
        } else {
            to(held, MemberPhase.STOPPING);
        }
        endProcesses(held, grace);
    }

    private List<Proc> living(Held held) {
        return world.living(machine).stream()
                .filter(proc -> proc.key.equals(held.key))
                .toList();
    }

    private void endProcesses(Held held, int grace) {
        for (Proc proc : living(held)) {
            if (chance().once(0.8)) {
                kernel.at(
                        chance().between(10, 1500), () -> world.exit(proc, 143, ExitCause.SIGNAL, "terminated", false));
            }
        }
        life().after(grace, () -> living(held).forEach(proc -> world.exit(proc, KILLED, ExitCause.SIGNAL, "", false)));
        awaitGone(held);
    }

    private void awaitGone(Held held) {
        if (!living(held).isEmpty()) {
            life().after(100, () -> awaitGone(held));
            return;
        }
        look(held);
        saves.seal(held);
        to(held, MemberPhase.GONE);
        if (agent.ending() && started().stream().allMatch(one -> one.phase == MemberPhase.GONE)) {
            agent.allEnded();
        }
    }

    private List<Held> started() {
        return agent.disk().attempts.values().stream()
                .filter(held -> held.phase.compareTo(MemberPhase.STARTING) >= 0)
                .toList();
    }

    void endAll() {
        List<Held> started = started();
        started.forEach(held -> stop(held, ExitCause.AGENT_DOWN, GRACE));
        if (started.stream().allMatch(held -> held.phase == MemberPhase.GONE)) {
            agent.allEnded();
        }
    }

    boolean forgettable(Held held, Set<AttemptKey> taken) {
        return held.phase == MemberPhase.GONE && taken.contains(held.key) && saves.settled(held);
    }

    void save(Proc proc, long step) {
        Held held = held(proc.key);
        if (held != null && held.phase == MemberPhase.RUNNING) {
            saves.stage(held, proc, step);
        }
    }

    private void to(Held held, MemberPhase next) {
        held.phase = next;
        kernel.tell(held.key + " is " + next + " on " + machine.id);
        agent.told();
    }

    /** A shard as it lies in the store. */
    static StoredShard shard(String path, AttemptKey key, long step, int rank) {
        long content = key.job().hashCode() * 31L + step * 1009 + rank;
        return new StoredShard(rank, path, 100, "%064x".formatted(content & Long.MAX_VALUE), List.of());
    }
}
