package io.muster.local;

import io.muster.embedded.BrokerSettings;
import io.muster.embedded.EmbeddedBroker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/** Six application contexts beside the broker in this JVM: the quick way to a running system. */
final class OneJvm implements ServiceHost {

    private final Layout layout;
    private final Deque<ConfigurableApplicationContext> contexts = new ArrayDeque<>();
    private final Map<String, Long> pids = new LinkedHashMap<>();
    private @Nullable EmbeddedBroker broker;
    private boolean closed;

    OneJvm(Layout layout) {
        this.layout = layout;
    }

    @Override
    public synchronized void startBroker() {
        broker = EmbeddedBroker.start(
                new BrokerSettings(layout.home().resolve("kafka"), layout.brokerPort(), layout.controllerPort()));
        pids.put("kafka", ProcessHandle.current().pid());
    }

    @Override
    public synchronized void start(ServiceName service, Map<String, String> settings) {
        if (closed) {
            throw new IllegalStateException("stopped before " + service.label() + " was started");
        }
        String[] arguments = settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
        contexts.push(service.application().registerShutdownHook(false).run(arguments));
        pids.put(service.label(), ProcessHandle.current().pid());
    }

    @Override
    public synchronized Map<String, Long> pids() {
        return new LinkedHashMap<>(pids);
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!contexts.isEmpty()) {
            contexts.pop().close();
        }
        if (broker != null) {
            broker.close();
        }
    }
}
