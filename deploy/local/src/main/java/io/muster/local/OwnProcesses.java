package io.muster.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The broker and each service in a process of its own. One that dies is started again after 5 s, so that a kill is a
 * fault of seconds and not the end; one that is kept down, when it no longer is.
 */
final class OwnProcesses implements ServiceHost {

    private static final Logger LOG = LoggerFactory.getLogger(OwnProcesses.class);
    static final Duration STOP_LIMIT = Duration.ofSeconds(15);
    private static final int RESTART_SECONDS = 5;
    private static final int LOOK_AGAIN_MILLIS = 250;

    private final Layout layout;
    private final JavaCommand java;
    private final JsonMapper mapper;
    private final SystemFile file;
    private final Map<String, ChildProcess> children = new LinkedHashMap<>();
    private final ScheduledExecutorService supervision = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("supervision").factory());
    private boolean closing;

    OwnProcesses(Layout layout, JavaCommand java, JsonMapper mapper, SystemFile file) {
        this.layout = layout;
        this.java = java;
        this.mapper = mapper;
        this.file = file;
    }

    @Override
    public void startBroker() {
        List<String> command = java.command(
                256,
                "io.muster.embedded.BrokerProcess",
                "--port",
                Integer.toString(layout.brokerPort()),
                "--controller-port",
                Integer.toString(layout.controllerPort()),
                "--data",
                layout.home().resolve("kafka").toString());
        supervise("kafka", () -> ChildProcess.start("kafka", layout.logs().resolve("kafka.log"), command, Map.of()));
    }

    @Override
    public void start(ServiceName service, Map<String, String> settings) {
        // by environment and not by argument: arguments are readable by every user of the machine
        Map<String, String> environment = Map.of("SPRING_APPLICATION_JSON", mapper.writeValueAsString(settings));
        List<String> command = java.command(256, service.mainClass().getName());
        supervise(
                service.label(),
                () -> ChildProcess.start(
                        service.label(), layout.logs().resolve(service.label() + ".log"), command, environment));
    }

    private synchronized void supervise(String label, Supplier<ChildProcess> start) {
        if (closing) {
            throw new IllegalStateException("stopped before " + label + " was started");
        }
        ChildProcess child = start.get();
        children.put(label, child);
        file.started(label, child.pid());
        var unusedFuture = child.process().onExit().thenAccept(ended -> restartLater(label, start, ended.exitValue()));
    }

    private synchronized void restartLater(String label, Supplier<ChildProcess> start, int code) {
        if (!closing) {
            LOG.warn("{} ended with code {}; starting it again in {} s", label, code, RESTART_SECONDS);
            var unusedFuture = supervision.schedule(() -> restart(label, start), RESTART_SECONDS, TimeUnit.SECONDS);
        }
    }

    private synchronized void restart(String label, Supplier<ChildProcess> start) {
        if (closing) {
            return;
        }
        if (layout.keptDown().has(label)) {
            var unusedFuture =
                    supervision.schedule(() -> restart(label, start), LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        try {
            supervise(label, start);
        } catch (RuntimeException e) {
            LOG.error("{} could not be started again", label, e);
            var unusedFuture = supervision.schedule(() -> restart(label, start), RESTART_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        List<ChildProcess> services;
        synchronized (this) {
            closing = true;
            services = new ArrayList<>(children.values());
        }
        supervision.shutdownNow();
        List<ChildProcess> withoutBroker = services.stream()
                .filter(child -> !child.label().equals("kafka"))
                .toList();
        withoutBroker.forEach(ChildProcess::terminate);
        withoutBroker.forEach(child -> child.awaitEnd(STOP_LIMIT));
        services.stream().filter(child -> child.label().equals("kafka")).forEach(broker -> {
            broker.terminate();
            broker.awaitEnd(STOP_LIMIT);
        });
    }
}
