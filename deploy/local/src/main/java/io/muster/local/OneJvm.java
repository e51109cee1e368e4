package io.muster.local;

import io.muster.embedded.BrokerSettings;
import io.muster.embedded.EmbeddedBroker;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Six application contexts beside the broker in this JVM: the quick way to a running system. Contexts may be started
 * side by side; they stop in the opposite order of {@link ServiceName}.
 */
final class OneJvm implements ServiceHost {

    private final Layout layout;
    private final SystemFile file;
    private final Map<ServiceName, ConfigurableApplicationContext> contexts = new EnumMap<>(ServiceName.class);
    private @Nullable EmbeddedBroker broker;
    private boolean closed;

    OneJvm(Layout layout, SystemFile file) {
        this.layout = layout;
        this.file = file;
    }

    @Override
    public void startBroker() {
        EmbeddedBroker started = EmbeddedBroker.start(
                new BrokerSettings(layout.home().resolve("kafka"), layout.brokerPort(), layout.controllerPort()));
        if (keep(started)) {
            return;
        }
        started.close();
        throw new IllegalStateException("stopped while Kafka was starting");
    }

    private synchronized boolean keep(EmbeddedBroker started) {
        broker = started;
        file.started("kafka", ProcessHandle.current().pid());
        return !closed;
    }

    @Override
    public void start(ServiceName service, Map<String, String> settings) {
        String[] arguments = settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
        ConfigurableApplicationContext context =
                service.application().registerShutdownHook(false).run(arguments);
        if (keep(service, context)) {
            return;
        }
        context.close();
        throw new IllegalStateException("stopped while " + service.label() + " was starting");
    }

    private synchronized boolean keep(ServiceName service, ConfigurableApplicationContext context) {
        if (!closed) {
            contexts.put(service, context);
            file.started(service.label(), ProcessHandle.current().pid());
        }
        return !closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        List.copyOf(contexts.values()).reversed().forEach(ConfigurableApplicationContext::close);
        contexts.clear();
        if (broker != null) {
            broker.close();
            broker = null;
        }
    }
}
