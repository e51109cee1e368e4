package io.muster.agent;

import io.muster.agent.settings.AgentSettings;
import io.muster.agent.settings.SettingsReader;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** One node with its folder, store and control plane; its agent inside this JVM or as a process of its own. */
final class AgentFixture implements AutoCloseable {

    static final String ADDRESS = "127.9.1.1";

    final String name;
    final String address;
    final FakeControlPlane plane;
    final Path home;
    final Path store;
    final int port;
    final Map<String, String> env = new LinkedHashMap<>();
    private Optional<RunningAgent> inside = Optional.empty();
    private final List<Process> processes = new ArrayList<>();

    AgentFixture(Path folder) throws IOException {
        this(folder, "r1-n1", ADDRESS);
    }

    AgentFixture(Path folder, String name, String ownAddress) throws IOException {
        this.name = name;
        this.address = ownAddress;
        plane = new FakeControlPlane();
        home = Files.createDirectories(folder.resolve(name + "-home"));
        store = Files.createDirectories(folder.resolve("store"));
        Path token = Files.writeString(folder.resolve(name + "-join-token"), FakeControlPlane.JOIN_TOKEN);
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(ownAddress))) {
            port = free.getLocalPort();
        }
        env.put("MUSTER_NODE", name);
        env.put("MUSTER_AGENT_HOME", home.toString());
        env.put("MUSTER_AGENT_ADDRESS", ownAddress);
        env.put("MUSTER_AGENT_PORT", Integer.toString(port));
        env.put("MUSTER_JOIN_TOKEN_FILE", token.toString());
        env.put("MUSTER_HEALTH_URL", plane.url());
        env.put("MUSTER_JOB_URL", plane.url());
        env.put("MUSTER_CHECKPOINT_URL", plane.url());
        env.put("MUSTER_STORE_ROOT", store.toString());
        env.put("MUSTER_MEMORY_FOLDER", folder.resolve("memory").toString());
        env.put("MUSTER_DOMAINS", "rack=" + name.substring(0, 2) + ",power=w1,pod=p1,cluster=local");
        env.put("MUSTER_GPU_DRIVER", "simulated");
        env.put("MUSTER_SIMULATED_GPUS", "4");
    }

    AgentSettings settings() {
        return ((SettingsReader.Reading.Usable) SettingsReader.read(env)).settings();
    }

    void startInside() throws IOException {
        inside = Optional.of(RunningAgent.start(settings()));
    }

    void stopInside() {
        inside.ifPresent(RunningAgent::stop);
        inside = Optional.empty();
    }

    /** The agent as production runs it. */
    Process startProcess() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.muster.agent.NodeAgent")
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(new File(home.toFile().getParentFile(), "agent.log")));
        builder.environment().putAll(env);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    Gang gang() {
        return new Gang(name, address, port);
    }

    AttemptReport await(int attempt, MemberPhase phase) {
        return Await.untilFound(
                "attempt " + attempt + " in " + phase + "; last: " + plane.latest(Gang.JOB, attempt),
                () -> plane.latest(Gang.JOB, attempt).filter(report -> report.phase() == phase));
    }

    /** Through preflight to running; returns the report. */
    AttemptReport run(Gang gang, int attempt) {
        plane.desire(gang.preflight(attempt));
        AttemptReport passed = await(attempt, MemberPhase.PREFLIGHT_PASSED);
        plane.desire(gang.run(attempt, passed.offeredMasterPort()));
        return Await.untilFound(
                "attempt " + attempt + " with ranks",
                () -> plane.latest(Gang.JOB, attempt)
                        .filter(report -> !report.ranks().isEmpty()));
    }

    Path folder(int attempt) {
        return home.resolve("jobs/" + Gang.JOB + "/" + attempt);
    }

    Path storedLog(int attempt, int rank) {
        return store.resolve("logs/research/" + Gang.JOB + "/" + attempt + "/rank-" + rank + ".log");
    }

    /** Living processes that were started with the mark of this node's attempts. */
    long livingRanks() {
        return ranks().count();
    }

    /** All at once and with what started them, as a machine that dies does it. */
    void killRanks() {
        while (livingRanks() > 0) {
            ranks().forEach(ProcessHandle::destroyForcibly);
        }
    }

    private Stream<ProcessHandle> ranks() {
        String mark = "MUSTER_NODES_FILE=" + home.resolve("jobs");
        return ProcessHandle.allProcesses().filter(process -> {
            try {
                Path proc = Path.of("/proc/" + process.pid());
                return Files.readString(proc.resolve("environ"), java.nio.charset.StandardCharsets.ISO_8859_1)
                                .contains(mark)
                        && !Files.readString(proc.resolve("stat")).contains(") Z ");
            } catch (IOException ended) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        stopInside();
        processes.forEach(Process::destroyForcibly);
        ProcessHandle.allProcesses()
                .filter(process -> {
                    try {
                        return Files.readString(
                                        Path.of("/proc/" + process.pid() + "/environ"),
                                        java.nio.charset.StandardCharsets.ISO_8859_1)
                                .contains("MUSTER_NODES_FILE=" + home.resolve("jobs"));
                    } catch (IOException ended) {
                        return false;
                    }
                })
                .forEach(ProcessHandle::destroyForcibly);
        plane.close();
    }
}
