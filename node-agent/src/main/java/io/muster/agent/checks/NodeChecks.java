package io.muster.agent.checks;

import io.muster.agent.inventory.GpuDriver;
import io.muster.agent.inventory.Machine;
import io.muster.agent.probe.PeerProbe;
import io.muster.agent.restore.NearestCopy;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.ProbeResult;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The tier-A checks of this node: those of the node alone, and with an attempt also those of its gang. */
public final class NodeChecks {

    private static final Duration RESTORE_PATIENCE = Duration.ofSeconds(20);

    private final AgentSettings settings;
    private final String agentVersion;
    private final GpuDriver driver;
    private final int expectedGpus;
    private final Leftovers leftovers;
    private final Supplier<OptionalLong> clockOffset;
    private final Copies copies;
    private final RandomGenerator random;
    private final CheckRunner runner;
    private final PeerProbe probe;

    /** What the process table says about attempts that nobody runs. */
    public interface Leftovers {
        List<String> find() throws IOException;
    }

    /** Where whole copies of what an attempt restores are looked for. */
    public interface Copies {
        NearestCopy of(Assignment assignment, GangTask task);
    }

    /**
     * All results of a preflight, and what was found about each peer.
     *
     * @param damaged the checkpoint to restore of which a shard has no whole copy anywhere; null if none
     */
    public record Preflight(
            List<CheckResult> checks,
            List<ProbeResult> pairs,
            @Nullable CheckpointId damaged) {

        /** The checks could not even be run: never a pass. */
        public static Preflight impossible(String why, Instant at) {
            return new Preflight(
                    List.of(new CheckResult("preflight", CheckStatus.UNKNOWN, true, why, 0, at)), List.of(), null);
        }

        public boolean passed() {
            return checks.stream().allMatch(CheckResult::lets);
        }
    }

    public NodeChecks(
            AgentSettings settings,
            String agentVersion,
            GpuDriver driver,
            int expectedGpus,
            Leftovers leftovers,
            Supplier<OptionalLong> clockOffset,
            Copies copies,
            RandomGenerator random,
            InstantSource clock) {
        this.settings = settings;
        this.agentVersion = agentVersion;
        this.driver = driver;
        this.expectedGpus = expectedGpus;
        this.leftovers = leftovers;
        this.clockOffset = clockOffset;
        this.copies = copies;
        this.random = random;
        this.runner = new CheckRunner(clock);
        this.probe = new PeerProbe(settings.node(), settings.address());
    }

    /** The checks that need no gang. */
    public List<CheckResult> node() throws InterruptedException {
        return runner.run(ofNode(true));
    }

    /**
     * Everything that must be right before ranks of this attempt start here. What is restored needs the store only if no
     * memory has it, and {@code restore_verified} finds that out; so the store itself is not required then.
     */
    public Preflight preflight(Assignment assignment, GangTask task) throws InterruptedException {
        TcpPairs pairs = new TcpPairs(
                settings.node(),
                task.members(),
                (peer, limit) -> probe.reach(null, peer.node(), peer.address(), peer.port(), limit));
        NearestCopy copy = copies.of(assignment, task);
        copy.prepare();
        RestoreVerified restore = new RestoreVerified(
                task.restore(),
                task.nodeRank() * task.processesPerNode(),
                task.processesPerNode(),
                RESTORE_PATIENCE,
                copy::find);
        List<Check> checks = new ArrayList<>(ofNode(task.restore().verdict() != RestoreVerdict.RESTORED));
        checks.add(pairs);
        checks.add(restore);
        List<CheckResult> results = runner.run(checks);
        return new Preflight(results, pairs.pairs(), restore.damaged());
    }

    private List<Check> ofNode(boolean storeRequired) {
        return List.of(
                new GpuCount(driver, expectedGpus),
                new LeftoverProcesses(leftovers::find),
                new DiskSpace(this::space),
                new WriteRead(
                        "disk_write_read", settings.home().resolve("probe"), 4 << 20, Duration.ofSeconds(20), random),
                new Memory(Machine::availableMemory),
                new ClockOffset(clockOffset),
                new NameResolution(
                        hostName(), name -> InetAddress.getByName(name).getHostAddress()),
                new FdLimit(NodeChecks::openFilesLimit),
                storeRequired ? store() : new Advisory(store(), "what is restored is looked for elsewhere too"),
                new AgentVersionMatch(agentVersion, settings.expectedAgentVersion()));
    }

    private Check store() {
        return new WriteRead(
                "store_reachable",
                settings.storeRoot().resolve(".probe").resolve(settings.node().value()),
                64 << 10,
                Duration.ofSeconds(5),
                random);
    }

    private DiskSpace.Space space() throws IOException {
        FileStore store = Files.getFileStore(settings.home());
        return new DiskSpace.Space(store.getUsableSpace(), store.getTotalSpace());
    }

    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException unreadable) {
            return "localhost";
        }
    }

    private static long openFilesLimit() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
            if (line.startsWith("Max open files")) {
                String soft = List.of(line.substring("Max open files".length())
                                .strip()
                                .split(" ", -1))
                        .getFirst();
                return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        }
        throw new IOException("/proc/self/limits has no 'Max open files'");
    }
}
