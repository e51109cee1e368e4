package io.muster.simulation;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.ExitCause;
import java.util.ArrayList;
import java.util.List;

/**
 * All ranks of an attempt as one computation: they meet, step together and save together. When one is gone or cannot be
 * reached, the others die of a lost connection some time later, or hang until somebody ends them.
 */
public final class Training {

    private static final int MEET_WITHIN = 60_000;

    private final World world;
    private final Kernel kernel;
    private final JobPlan plan;
    private final AttemptKey key;
    private final int worldSize;
    public final long startStep;
    private final List<Proc> ranks = new ArrayList<>();
    private long step;
    private boolean stepping;
    private boolean broken;

    Training(World world, JobPlan plan, AttemptKey key, int worldSize, long startStep) {
        this.world = world;
        this.kernel = world.kernel();
        this.plan = plan;
        this.key = key;
        this.worldSize = worldSize;
        this.startStep = startStep;
        this.step = startStep;
        kernel.at(MEET_WITHIN, () -> {
            if (!stepping) {
                breakUp();
            }
        });
    }

    public long step() {
        return step;
    }

    void join(Proc proc) {
        ranks.add(proc);
        kernel.at(kernel.chance().between(50, 800), proc::sayHello);
        if (broken) {
            loseConnection(proc);
        } else if (ranks.size() == worldSize && !stepping) {
            stepping = true;
            kernel.at(kernel.chance().between(200, 1000), this::advance);
        }
    }

    private boolean whole() {
        boolean alone = ranks.stream().map(rank -> rank.machine).distinct().count() == 1;
        return ranks.stream()
                .allMatch(rank -> rank.alive() && (alone ? rank.machine.powered() : rank.machine.reachesPeers()));
    }

    private void advance() {
        if (broken) {
            return;
        }
        if (!whole()) {
            breakUp();
            return;
        }
        step++;
        Proc faulty = ranks.get((int) (step % worldSize));
        if (plan.failsAt(key.attempt(), step)) {
            world.exit(faulty, plan.exitCode(), plan.exitCause(), plan.lastLine(), true);
            return;
        }
        if (step >= plan.steps()) {
            ranks.forEach(rank -> kernel.at(
                    kernel.chance().between(10, 600), () -> world.exit(rank, 0, ExitCause.COMPLETED, "done", false)));
            broken = true;
            return;
        }
        if (plan.savesEvery() > 0 && step % plan.savesEvery() == 0) {
            ranks.forEach(rank -> rank.machine.agent().save(rank, step));
        }
        kernel.at(plan.stepMillis(), this::advance);
    }

    /** One of them has ended. */
    void lost() {
        if (!broken) {
            kernel.at(kernel.chance().between(20, 500), this::breakUp);
        }
    }

    private void breakUp() {
        if (broken) {
            return;
        }
        broken = true;
        ranks.forEach(this::loseConnection);
    }

    private void loseConnection(Proc proc) {
        // one of them always notices: that all ranks hang for ever is nobody's to find yet
        if (proc == ranks.getFirst() || kernel.chance().once(0.9)) {
            kernel.at(
                    kernel.chance().between(100, 6000),
                    () -> world.exit(proc, 1, ExitCause.LOST_CONNECTION, "ConnectionResetError", false));
        }
    }
}
