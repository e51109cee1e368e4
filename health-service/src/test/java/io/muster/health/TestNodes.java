package io.muster.health;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeDomains;
import io.muster.contract.node.NodeFacts;
import io.muster.health.check.TierACheck;
import io.muster.health.check.TierACheck.Runs;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Nodes as agents would describe them. */
public final class TestNodes {

    public static final Instant NOON = Instant.parse("2026-11-02T12:00:00Z");

    private TestNodes() {}

    public static NodeId node(String name) {
        return new NodeId(name);
    }

    public static NodeFacts facts(String name, int gpus) {
        return facts(name, gpus, "127.0.0.1", 1 + Math.floorMod(name.hashCode(), 60_000), NOON);
    }

    public static NodeFacts facts(String name, int gpus, String address, int port, Instant at) {
        return facts(
                name,
                IntStream.range(0, gpus).mapToObj(i -> gpu(name, i, false, at)).toList(),
                address,
                port);
    }

    public static NodeFacts facts(String name, List<GpuFacts> gpus, String address, int port) {
        return facts(name, "r1", gpus, address, port);
    }

    public static NodeFacts inRack(String name, String rack, int gpus) {
        return facts(
                name,
                rack,
                IntStream.range(0, gpus)
                        .mapToObj(i -> gpu(name, i, false, NOON))
                        .toList(),
                "127.0.0.1",
                1 + Math.floorMod(name.hashCode(), 60_000));
    }

    private static NodeFacts facts(String name, String rack, List<GpuFacts> gpus, String address, int port) {
        return new NodeFacts(
                new NodeId(name),
                "0.1.0",
                address,
                port,
                new NodeDomains(rack, "p-" + rack, "pod1", "local"),
                "simulated",
                "535.104.05",
                gpus,
                4,
                8L << 30,
                "boot-1");
    }

    /** The same node after another boot, or at another address. */
    public static NodeFacts booted(NodeFacts facts, @Nullable String boot, String address, int port) {
        return new NodeFacts(
                facts.node(),
                facts.agentVersion(),
                address,
                port,
                facts.domains(),
                facts.gpuDriver(),
                facts.driverVersion(),
                facts.gpus(),
                facts.cpus(),
                facts.memoryBytes(),
                boot);
    }

    public static GpuFacts gpu(String name, int index, boolean vetoed, Instant at) {
        return new GpuFacts(index, "GPU-" + name + "-" + index, "SIM-80G", 80L << 30, vetoed, 40, 100, "1.0", at);
    }

    public static CheckResult check(String name, CheckStatus status, Instant at) {
        return new CheckResult(name, status, true, name + " is " + status + ", 3 of 10", 5, at);
    }

    /** What an agent sends when it is told to run its checks and all pass. */
    public static List<CheckResult> allPass(Instant at) {
        return Arrays.stream(TierACheck.values())
                .filter(check -> check.runs() == Runs.ALWAYS)
                .map(check -> check(check.checkName(), CheckStatus.PASS, at))
                .toList();
    }

    /** The same with one of another status. */
    public static List<CheckResult> allPassBut(String name, CheckStatus status, Instant at) {
        return allPass(at).stream()
                .map(result -> result.check().equals(name) ? check(name, status, at) : result)
                .toList();
    }
}
