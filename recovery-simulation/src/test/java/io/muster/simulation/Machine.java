package io.muster.simulation;

import io.muster.agent.desired.SimulatedAgent;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeDomains;
import io.muster.contract.node.NodeFacts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A node as it really is, whatever anybody believes of it. */
public final class Machine {

    public final NodeId id;
    public final String rack;
    public final int gpus;
    public final String address;
    public final long skew;
    public final List<Proc> procs = new ArrayList<>();
    private boolean powered = true;
    private boolean cutFromServices;
    private boolean cutFromPeers;
    private boolean badDisk;
    private int boots = 1;
    private long diedAt = -1_000_000;
    private @Nullable SimulatedAgent agent;

    Machine(int number, String rack, int gpus, long skew) {
        this.id = NodeId.of("node-" + number);
        this.rack = rack;
        this.gpus = gpus;
        this.address = "127.1.0." + number;
        this.skew = skew;
    }

    void run(SimulatedAgent its) {
        agent = its;
    }

    public SimulatedAgent agent() {
        return Objects.requireNonNull(agent);
    }

    public boolean powered() {
        return powered;
    }

    public boolean reachesServices() {
        return powered && !cutFromServices;
    }

    public boolean reachesPeers() {
        return powered && !cutFromPeers;
    }

    public boolean badDisk() {
        return badDisk;
    }

    long diedAt() {
        return diedAt;
    }

    void power(boolean on, long now) {
        diedAt = on ? diedAt : now;
        boots += on && !powered ? 1 : 0;
        powered = on;
    }

    void cutFromServices(boolean cut) {
        cutFromServices = cut;
    }

    void cutFromPeers(boolean cut) {
        cutFromPeers = cut;
    }

    void badDisk(boolean bad) {
        badDisk = bad;
    }

    /** Whether another agent's connection to this node's agent would succeed. */
    public boolean answersPeers() {
        return reachesPeers() && agent().life().awake();
    }

    public NodeFacts facts(Instant now) {
        List<GpuFacts> list = IntStream.range(0, gpus)
                .mapToObj(index ->
                        new GpuFacts(index, id + "-gpu-" + index, "H200", 1L << 37, false, null, null, null, now))
                .toList();
        return new NodeFacts(
                id,
                "0.1.0",
                address,
                7000,
                new NodeDomains(rack, "power-1", "pod-1", "cluster-1"),
                "simulated",
                "570.1",
                list,
                16,
                1L << 38,
                "boot-" + boots);
    }
}
