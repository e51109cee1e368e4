package io.muster.agent;

import io.muster.agent.attempt.Attempts;
import io.muster.agent.attempt.Tools;
import io.muster.agent.checkpoint.CheckpointCalls;
import io.muster.agent.checkpoint.CheckpointPath;
import io.muster.agent.checkpoint.ShardStore;
import io.muster.agent.checks.NodeChecks;
import io.muster.agent.desired.DesiredLoop;
import io.muster.agent.heartbeat.HeartbeatLoop;
import io.muster.agent.heartbeat.PreflightCourier;
import io.muster.agent.heartbeat.ServerClock;
import io.muster.agent.http.Json;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.inventory.ExpectedGpus;
import io.muster.agent.inventory.GpuDriver;
import io.muster.agent.inventory.Machine;
import io.muster.agent.inventory.NodeInventory;
import io.muster.agent.inventory.NvidiaGpus;
import io.muster.agent.inventory.SimulatedGpus;
import io.muster.agent.logs.LogShipper;
import io.muster.agent.memory.Housekeeping;
import io.muster.agent.memory.MemoryFolder;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.pace.ChangeSignal;
import io.muster.agent.pace.StopSignal;
import io.muster.agent.peer.PeerCalls;
import io.muster.agent.peer.PeerDesk;
import io.muster.agent.probe.PeerListener;
import io.muster.agent.process.Kernel;
import io.muster.agent.process.LeftoverScan;
import io.muster.agent.process.Orphans;
import io.muster.agent.process.OutOfMemoryKills;
import io.muster.agent.process.ProcessTable;
import io.muster.agent.process.RankLauncher;
import io.muster.agent.registration.Credential;
import io.muster.agent.registration.Membership;
import io.muster.agent.restore.NearestCopy;
import io.muster.agent.settings.AgentSettings;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** All parts of one agent, put together and started in the order in which they need each other. */
final class RunningAgent {

    private static final Logger LOG = LoggerFactory.getLogger(RunningAgent.class);
    private static final Duration GRACE = Duration.ofSeconds(3);
    private static final Duration END_LIMIT = Duration.ofMillis(4500);

    private final StopSignal stop;
    private final Attempts attempts;
    private final DesiredLoop desired;
    private final PeerListener peers;
    private final FileChannel lock;

    private RunningAgent(
            StopSignal stop, Attempts attempts, DesiredLoop desired, PeerListener peers, FileChannel lock) {
        this.stop = stop;
        this.attempts = attempts;
        this.desired = desired;
        this.peers = peers;
        this.lock = lock;
    }

    static RunningAgent start(AgentSettings settings) throws IOException {
        FileChannel lock = takeHome(settings);
        JsonMapper json = Json.mapper();
        Clock clock = Clock.systemUTC();
        RandomGenerator random = new SecureRandom();
        StopSignal stop = new StopSignal();
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        GpuDriver driver = driver(settings, json, clock);
        String version = version();
        Machine machine = Machine.read();
        NodeInventory inventory = new NodeInventory(settings, version, driver, machine);
        Membership membership =
                new Membership(settings, new Credential(settings.home(), json), inventory::facts, random);
        ServiceClient services = new ServiceClient(json, executor, membership::token);
        Kernel kernel = new Kernel();
        ProcessTable table = new ProcessTable();
        Orphans orphans = Orphans.adopt(table, kernel);
        LogShipper logs = new LogShipper(kernel, stop);
        ShardStore store = new ShardStore(settings.storeRoot());
        MemoryFolder.Chosen inMemory = memoryFolder(settings, random);
        ShardMemory memory = ShardMemory.open(inMemory.folder(), inMemory.limitBytes(), json);
        PeerCalls peerCalls = new PeerCalls(settings.node(), settings.address(), memory, json);
        CheckpointPath.Means checkpoints = new CheckpointPath.Means(
                settings.node(),
                memory,
                peerCalls,
                store,
                new CheckpointCalls(services, settings.checkpointUrl(), settings.node()),
                random,
                settings.maxShardBytes());
        NearestCopy.Means restores = new NearestCopy.Means(settings.node(), memory, peerCalls, store);
        NodeChecks.Copies copies = (assignment, task) -> new NearestCopy(assignment, task, restores);
        ServerClock serverClock = new ServerClock();
        LeftoverScan leftovers = new LeftoverScan(table, settings.jobsFolder());
        AtomicReference<Supplier<Set<Path>>> lookedAfter = new AtomicReference<>(Set::of);
        NodeChecks checks = new NodeChecks(
                settings,
                version,
                driver,
                ExpectedGpus.of(settings, driver, json),
                () -> leftovers.find(Objects.requireNonNull(lookedAfter.get()).get()),
                serverClock::offsetMillis,
                copies,
                random,
                clock);
        PreflightCourier courier = new PreflightCourier(settings, services, membership, random, stop);
        ChangeSignal converge = new ChangeSignal();
        ChangeSignal tell = new ChangeSignal();
        Attempts attempts = new Attempts(new Tools(
                settings,
                table,
                kernel,
                orphans,
                new RankLauncher(table, orphans, settings.rankUid(), settings.rankNice()),
                checks::preflight,
                courier::tell,
                logs,
                checkpoints,
                copies,
                new OutOfMemoryKills(),
                machine.bootId() + "/" + inMemory.life(),
                json,
                clock,
                () -> {
                    converge.raise();
                    tell.raise();
                }));
        lookedAfter.set(attempts::lookedAfter);
        DesiredLoop desired =
                new DesiredLoop(settings, services, membership, attempts, json, random, converge, tell, stop);

        PeerDesk desk = new PeerDesk(settings.node(), memory, attempts, settings.maxShardBytes(), json);
        PeerListener peers =
                PeerListener.open(settings.address(), settings.port(), settings.node(), membership::session, desk);
        attempts.start(stop);
        memory.living(attempts::jobs);
        new Housekeeping(memory, attempts::jobsWithKeysOf).start(stop);
        logs.start();
        new HeartbeatLoop(settings, services, membership, inventory::facts, checks, serverClock, clock, stop).start();
        desired.start();
        LOG.info(
                "agent of {} started version={} driver={} address={}:{}",
                settings.node(),
                version,
                driver.name(),
                settings.address(),
                peers.port());
        return new RunningAgent(stop, attempts, desired, peers, lock);
    }

    /** Ends all ranks, tells so, and lets everything go; at most about 6 s. */
    void stop() {
        boolean gone = attempts.endAll(GRACE, END_LIMIT, new StopSignal());
        desired.lastReport();
        stop.raise();
        try {
            peers.close();
            lock.close();
        } catch (IOException broken) {
            LOG.debug("closing: {}", broken.getMessage());
        }
        if (!gone) {
            LOG.error("some ranks could not be ended within {} ms; the next agent ends them", END_LIMIT.toMillis());
        }
    }

    /** One agent for one folder. */
    private static FileChannel takeHome(AgentSettings settings) throws IOException {
        Path home = settings.home();
        Files.createDirectories(settings.jobsFolder());
        Files.createDirectories(settings.controlFolder());
        boolean shared = settings.rankUid().isPresent();
        Files.setPosixFilePermissions(settings.controlFolder(), PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString(shared ? "rwx--x--x" : "rwx------"));
        FileChannel channel =
                FileChannel.open(home.resolve("agent.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            throw new IOException("another agent uses " + home + "; stop it or set MUSTER_AGENT_HOME");
        }
        return channel;
    }

    private static MemoryFolder.Chosen memoryFolder(AgentSettings settings, RandomGenerator random) throws IOException {
        MemoryFolder.Chosen chosen = MemoryFolder.open(
                settings.home(), settings.node(), settings.memoryFolder(), settings.memoryBytes(), random);
        LOG.info("shards are held in {}, at most {} bytes", chosen.folder(), chosen.limitBytes());
        return chosen;
    }

    private static GpuDriver driver(AgentSettings settings, JsonMapper json, Clock clock) {
        SimulatedGpus simulated = new SimulatedGpus(
                settings.node(), settings.gpus(), settings.home().resolve("gpu-faults.json"), json, clock);
        NvidiaGpus nvidia = new NvidiaGpus(clock);
        return switch (settings.gpus().driver()) {
            case SIMULATED -> simulated;
            case NVIDIA -> nvidia;
            case AUTO -> nvidia.answers() ? nvidia : simulated;
        };
    }

    private static String version() {
        String packaged = NodeAgent.class.getPackage().getImplementationVersion();
        return packaged == null ? "unpackaged" : packaged;
    }
}
