package io.muster.simulation;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.GangTask;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What is really there: machines, processes, and what befell each attempt. Nobody but the invariants may ask it. */
public final class World {

    /** What really happened to an attempt, in the order of time. */
    public static final class Story {
        /** When a rank ended badly by its own fault or by a kill of that rank alone; or never. */
        public long ownFault = Long.MAX_VALUE;

        /** When a machine died under living ranks of it. */
        public long machineDied = Long.MAX_VALUE;

        /** When anything else befell a member: its agent or its network. */
        public long trouble = Long.MAX_VALUE;
    }

    private final Kernel kernel;
    private final Invariants invariants;
    private final TreeMap<NodeId, Machine> machines = new TreeMap<>();
    private final TreeMap<JobId, JobPlan> plans = new TreeMap<>();
    private final Map<AttemptKey, Training> trainings = new HashMap<>();
    private final Map<AttemptKey, Story> stories = new HashMap<>();
    private final TreeSet<String> damaged = new TreeSet<>();
    private long pids = 1000;
    private Supplier<List<List<String>>> shardsOfNewestCommits = List::of;
    private boolean storeAway;

    World(Kernel kernel, Invariants invariants) {
        this.kernel = kernel;
        this.invariants = invariants;
    }

    public Kernel kernel() {
        return kernel;
    }

    public Invariants invariants() {
        return invariants;
    }

    void add(Machine machine) {
        machines.put(machine.id, machine);
    }

    void add(JobPlan plan) {
        plans.put(plan.id(), plan);
    }

    public Machine machine(NodeId id) {
        return machines.get(id);
    }

    public List<Machine> machines() {
        return List.copyOf(machines.values());
    }

    public List<JobPlan> plans() {
        return List.copyOf(plans.values());
    }

    public JobPlan plan(JobId job) {
        return plans.get(job);
    }

    public Story story(AttemptKey key) {
        return stories.computeIfAbsent(key, any -> new Story());
    }

    public boolean storeAway() {
        return storeAway;
    }

    void storeAway(boolean away) {
        storeAway = away;
    }

    public boolean damaged(String path) {
        return damaged.contains(path);
    }

    /** One shard of the newest commit of some job is spoilt in the store, for good. */
    void damageNewestCommit() {
        List<List<String>> candidates = shardsOfNewestCommits.get();
        if (!candidates.isEmpty()) {
            String path = kernel.chance().of(kernel.chance().of(candidates));
            damaged.add(path);
            kernel.tell("damaged " + path);
        }
    }

    void commitsLie(Supplier<List<List<String>>> where) {
        shardsOfNewestCommits = where;
    }

    /** Whether any shard of it is spoilt. */
    boolean anyDamaged(CheckpointId id) {
        return damaged.stream().anyMatch(path -> path.contains("/" + id + "/"));
    }

    /** Starts a rank; what must hold before it may start is looked at here. */
    public Proc start(Machine machine, AttemptKey key, int generation, GangTask task, int local) {
        int rank = task.nodeRank() * task.processesPerNode() + local;
        List<Integer> gpus = share(task.gpus(), local, task.processesPerNode());
        Proc proc = new Proc(key, generation, rank, local, machine, gpus, pids++, kernel.millis());
        invariants.starting(proc, task);
        machine.procs.add(proc);
        kernel.tell("rank starts " + proc + " GPUs " + gpus);
        trainings
                .computeIfAbsent(
                        key,
                        any -> new Training(
                                this,
                                plan(key.job()),
                                key,
                                task.worldSize(),
                                task.restore().step()))
                .join(proc);
        return proc;
    }

    private static List<Integer> share(List<Integer> gpus, int local, int processes) {
        int each = Math.max(1, gpus.size() / processes);
        return gpus.subList(local * each, Math.min(gpus.size(), (local + 1) * each));
    }

    /** A process ends; its peers will notice. */
    public void exit(Proc proc, int code, ExitCause cause, String line, boolean ownFault) {
        if (!proc.alive()) {
            return;
        }
        if (ownFault) {
            Story story = story(proc.key);
            story.ownFault = Math.min(story.ownFault, kernel.millis());
        }
        proc.end(code, cause, line);
        kernel.tell("rank ends " + proc + " code " + code + " " + cause);
        if (code != 0) {
            Training training = trainings.get(proc.key);
            if (training != null) {
                training.lost();
            }
        }
        proc.machine.agent().changed();
    }

    public long step(AttemptKey key) {
        Training training = trainings.get(key);
        return training == null ? 0 : training.step();
    }

    /** Something befalls a machine; every attempt with ranks on it, or on its way to it, is told in its story. */
    void befalls(Machine machine, boolean dies) {
        Consumer<AttemptKey> note = key -> {
            Story story = story(key);
            if (dies) {
                story.machineDied = Math.min(story.machineDied, kernel.millis());
            } else {
                story.trouble = Math.min(story.trouble, kernel.millis());
            }
        };
        living(machine).stream().map(proc -> proc.key).distinct().forEach(note);
    }

    public List<Proc> living(Machine machine) {
        List<Proc> living = new ArrayList<>();
        for (Proc proc : machine.procs) {
            if (proc.alive()) {
                living.add(proc);
            }
        }
        return living;
    }

    /** Power off: everything on it ends at once, nobody can read how, and the next life of its agent says just that. */
    void kill(Machine machine, boolean wiped, boolean missed) {
        befalls(machine, missed);
        kernel.tell(machine.id + " dies" + (wiped ? ", its disk with it" : ""));
        machine.agent().life().die();
        List<Proc> ended = living(machine);
        machine.power(false, kernel.millis());
        for (Proc proc : ended) {
            exit(proc, 137, ExitCause.AGENT_DOWN, "the machine was started anew while this rank ran", false);
        }
        if (wiped) {
            machine.agent().wipe();
        }
    }

    void boot(Machine machine) {
        machine.power(true, kernel.millis());
        kernel.tell(machine.id + " boots");
        machine.agent().life().start();
    }
}
