package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agents, always processes of their own; each adopts the ranks that an agent of its node was killed over. One that
 * ends is never started again unasked: a dead node stays dead until a person says {@code ./muster node restart}, so a
 * node that {@code ./muster node kill} marked as killed is not started by {@code up} either.
 */
final class Agents implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Agents.class);
    private static final int HEAP_MEGABYTES = 64;
    static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final Layout layout;
    private final Secrets secrets;
    private final JavaCommand java;
    private final Path client;
    private final SystemFile file;
    private final Map<String, ChildProcess> running = new LinkedHashMap<>();
    private boolean closed;

    Agents(Layout layout, Secrets secrets, JavaCommand java, Path client, SystemFile file) {
        this.layout = layout;
        this.secrets = secrets;
        this.java = java;
        this.client = client;
        this.file = file;
    }

    /** Starts those that are not marked as killed and returns their names. */
    List<String> startAll() {
        List<Layout.LocalNode> startable = layout.nodes().stream()
                .filter(node -> !Files.exists(layout.killedMark(node.name())))
                .toList();
        startable.forEach(this::startUnlessRunning);
        return startable.stream().map(Layout.LocalNode::name).toList();
    }

    /** What {@code ./muster node restart} asks for; a name that is no node's is said in the log. */
    void startAgain(String name) {
        layout.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .ifPresentOrElse(
                        this::startUnlessRunning,
                        () -> LOG.warn("asked to start the agent of {}, which is no node of this system", name));
    }

    private synchronized void startUnlessRunning(Layout.LocalNode node) {
        ChildProcess before = running.get(node.name());
        if (!closed && (before == null || !before.process().isAlive())) {
            ChildProcess agent = start(node);
            running.put(node.name(), agent);
            file.started("agent " + node.name(), agent.pid());
        }
    }

    private ChildProcess start(Layout.LocalNode node) {
        try {
            Files.createDirectories(node.folder());
            return ChildProcess.start(
                    "agent " + node.name(),
                    layout.logs().resolve("agent-" + node.name() + ".log"),
                    java.agentCommand(HEAP_MEGABYTES, "io.muster.agent.NodeAgent"),
                    environment(node));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the agent of " + node.name(), e);
        }
    }

    Map<String, String> environment(Layout.LocalNode node) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("MUSTER_NODE", node.name());
        environment.put("MUSTER_AGENT_HOME", node.folder().toString());
        environment.put("MUSTER_AGENT_ADDRESS", node.address());
        environment.put("MUSTER_AGENT_PORT", Integer.toString(layout.agentPort()));
        environment.put(
                "MUSTER_JOIN_TOKEN_FILE", secrets.joinTokenFile(node.name()).toString());
        environment.put("MUSTER_HEALTH_URL", layout.url(ServiceName.HEALTH));
        environment.put("MUSTER_JOB_URL", layout.url(ServiceName.JOB));
        environment.put("MUSTER_CHECKPOINT_URL", layout.url(ServiceName.CHECKPOINT));
        environment.put("MUSTER_STORE_ROOT", layout.store().toString());
        environment.put(
                "MUSTER_DOMAINS",
                "rack=%s,power=%s,pod=%s,cluster=%s"
                        .formatted(
                                node.domains().rack(),
                                node.domains().power(),
                                node.domains().pod(),
                                node.domains().cluster()));
        environment.put("MUSTER_GPU_DRIVER", "simulated");
        environment.put("MUSTER_CLIENT_PYTHONPATH", client.toString());
        return environment;
    }

    @Override
    public synchronized void close() {
        closed = true;
        running.values().forEach(ChildProcess::terminate);
        running.values().forEach(agent -> agent.awaitEnd(STOP_LIMIT));
    }
}
