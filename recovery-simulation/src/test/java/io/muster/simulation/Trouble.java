package io.muster.simulation;

import io.muster.contract.agent.ExitCause;
import io.muster.job.lifecycle.SimulatedJobService;
import java.util.ArrayList;
import java.util.List;

/** Breaks things at moments of its choice, mends most of them some time later, and all that can be mended at the end. */
final class Trouble {

    /** A machine that is back sooner may never be missed: its lease is kept up by its next life. */
    private static final int STAYS_AWAY = 8000;

    private final Kernel kernel;
    private final Chance chance;
    private final World world;
    private final List<Life> services;
    private final List<Database> databases;
    private final List<Topic<?>> topics;
    private final SimulatedJobService jobs;
    private final Invariants invariants;
    private final int until;
    private final List<Machine> deadForGood = new ArrayList<>();

    Trouble(
            Kernel kernel,
            World world,
            List<Life> services,
            List<Database> databases,
            List<Topic<?>> topics,
            SimulatedJobService jobs,
            Invariants invariants,
            int until) {
        this.kernel = kernel;
        this.chance = kernel.chance();
        this.world = world;
        this.services = services;
        this.databases = databases;
        this.topics = topics;
        this.jobs = jobs;
        this.invariants = invariants;
        this.until = until;
    }

    void plan(int count) {
        List<Disturbance> all = List.of(Disturbance.values());
        Disturbance favourite = chance.of(all);
        for (int i = 0; i < count; i++) {
            Disturbance what = chance.once(0.25) ? favourite : chance.of(all);
            kernel.at(chance.between(1000, until - 500), () -> happen(what));
        }
    }

    private void happen(Disturbance what) {
        Machine machine = chance.of(world.machines());
        kernel.tell("--- " + what + " " + machine.id);
        switch (what) {
            case NODE_DIES -> nodeDies(machine);
            case RACK_DIES ->
                world.machines().stream()
                        .filter(one -> one.rack.equals(machine.rack))
                        .forEach(this::nodeDies);
            case AGENT_DIES -> {
                world.befalls(machine, false);
                machine.agent().life().die();
                later(200, 20_000, () -> restart(machine));
            }
            case AGENT_PAUSED -> {
                world.befalls(machine, false);
                machine.agent().life().pause(chance.between(500, 20_000));
            }
            case AGENT_ENDS -> {
                world.befalls(machine, false);
                machine.agent().endGently();
                later(8000, 20_000, () -> restart(machine));
            }
            case CUT_FROM_SERVICES -> cut(machine, true, false);
            case CUT_FROM_PEERS -> cut(machine, false, true);
            case CUT_FROM_ALL -> cut(machine, true, true);
            case RANK_DIES -> rankDies();
            case SERVICE_DIES -> serviceDies(chance.of(services));
            case SERVICE_DIES_AT_COMMIT -> serviceDiesAtCommit();
            case SERVICE_PAUSED -> {
                Life life = chance.of(services);
                disturbed(life, chance.between(300, 9000));
                life.pause(chance.between(300, 9000));
            }
            case TOPIC_AWAY -> chance.of(topics).away(chance.between(1000, 30_000));
            case SHARD_DAMAGED -> world.damageNewestCommit();
            case STORE_AWAY -> {
                world.storeAway(true);
                later(500, 20_000, () -> world.storeAway(false));
            }
            case BAD_DISK -> {
                machine.badDisk(true);
                later(1000, 40_000, () -> machine.badDisk(false));
            }
            case CANCEL -> cancel();
        }
    }

    private void later(int low, int high, Runnable action) {
        kernel.at(chance.between(low, high), action);
    }

    private void nodeDies(Machine machine) {
        if (!machine.powered()) {
            return;
        }
        int backAfter = chance.between(200, 40_000);
        world.kill(machine, chance.once(0.5), backAfter >= STAYS_AWAY);
        // somebody must be left to be heard: a control plane that hears nobody concludes nothing, and rightly
        boolean theFirst = machine == world.machines().getFirst();
        if (theFirst || chance.once(0.75)) {
            later(backAfter, backAfter, () -> restart(machine));
        } else {
            deadForGood.add(machine);
        }
    }

    private void restart(Machine machine) {
        if (machine.powered() && machine.agent().isEnding()) {
            later(500, 1000, () -> restart(machine));
        } else if (!deadForGood.contains(machine)) {
            if (machine.powered()) {
                machine.agent().life().start();
            } else {
                world.boot(machine);
            }
        }
    }

    private void cut(Machine machine, boolean services, boolean peers) {
        world.befalls(machine, false);
        if (services) {
            machine.cutFromServices(true);
        }
        if (peers) {
            machine.cutFromPeers(true);
        }
        later(300, 25_000, () -> {
            machine.cutFromServices(false);
            machine.cutFromPeers(false);
        });
    }

    private void rankDies() {
        List<Proc> living = new ArrayList<>();
        world.machines().forEach(machine -> living.addAll(world.living(machine)));
        if (!living.isEmpty()) {
            Proc proc = chance.of(living);
            ExitCause cause = chance.of(
                    List.of(ExitCause.USER_ERROR, ExitCause.OUT_OF_MEMORY, ExitCause.SIGNAL, ExitCause.SIGNAL));
            world.exit(proc, cause == ExitCause.SIGNAL ? 137 : 1, cause, "killed by chance", true);
        }
    }

    private void serviceDies(Life life) {
        disturbed(life, 15_000);
        life.die();
        later(100, 15_000, life::start);
    }

    private void serviceDiesAtCommit() {
        int which = chance.between(0, 2);
        databases.get(which).killAfterNextCommit();
        Life life = services.get(which);
        disturbed(life, 15_000);
        kernel.at(chance.between(1000, 20_000), life::start);
    }

    private void disturbed(Life life, int longest) {
        if (life.name().equals("health-service")) {
            for (int at = 0; at <= longest; at += 1000) {
                kernel.at(at, invariants::healthDisturbed);
            }
        }
    }

    private void cancel() {
        jobs.jobs().stream()
                .skip(chance.between(0, Math.max(0, jobs.jobs().size() - 1)))
                .findFirst()
                .filter(job -> jobs.life().awake())
                .ifPresent(job -> {
                    kernel.tell("cancel " + job.id());
                    jobs.life().guarded(() -> jobs.cancel(job.id()));
                });
    }

    /** From here on nothing breaks any more, and whatever can be mended is. */
    void end() {
        world.storeAway(false);
        services.forEach(life -> {
            life.start();
            life.resume();
        });
        databases.forEach(Database::spare);
        for (Machine machine : world.machines()) {
            machine.badDisk(false);
            machine.cutFromServices(false);
            machine.cutFromPeers(false);
            machine.agent().life().resume();
            int missed = (int) Math.max(0, machine.diedAt() + STAYS_AWAY - kernel.millis());
            later(missed, missed + 500, () -> restart(machine));
        }
    }
}
