package io.muster.local;

import java.util.LinkedHashMap;
import java.util.Map;

/** What each service is told at its start; everything else is its own default. */
final class Settings {

    private final Layout layout;
    private final Secrets secrets;

    Settings(Layout layout, Secrets secrets) {
        this.layout = layout;
        this.secrets = secrets;
    }

    Map<String, String> of(ServiceName service) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.address", "127.0.0.1");
        settings.put("server.port", Integer.toString(layout.port(service)));
        settings.put(
                "spring.datasource.url",
                "jdbc:postgresql://127.0.0.1:" + layout.databasePort() + "/" + service.database());
        settings.put("spring.datasource.username", service.database());
        settings.put("spring.datasource.password", secrets.databasePassword(service));
        settings.put("spring.kafka.bootstrap-servers", "127.0.0.1:" + layout.brokerPort());
        // a name that outlives the process, so that a killed one takes its own relay lease again at once
        settings.put("muster.messaging.instance", "local-" + service.label());
        settings.put("spring.lifecycle.timeout-per-shutdown-phase", "5s");
        settings.put("management.metrics.use-global-registry", "false");
        settings.put(
                "muster.identity.gateway-public-key",
                secrets.key("gateway.pub.pem").toString());
        settings.put(
                "muster.identity.node-public-key", secrets.key("node.pub.pem").toString());
        settings.put(
                "muster.identity.service-secret", secrets.key("services.secret").toString());
        for (ServiceName other : ServiceName.values()) {
            settings.put("muster.services." + other.label() + ".url", layout.url(other));
        }
        switch (service) {
            case GATEWAY -> {
                settings.put(
                        "muster.identity.gateway-private-key",
                        secrets.key("gateway.pem").toString());
                settings.put(
                        "muster.gateway.bootstrap-file",
                        secrets.gatewayBootstrapFile().toString());
                settings.put("management.server.port", Integer.toString(layout.managementPort()));
                settings.put("management.server.address", "127.0.0.1");
                // all services share one class path here, and the gateway has no events and no tables for them
                settings.put("spring.autoconfigure.exclude", "io.muster.messaging.MessagingAutoConfiguration");
            }
            case HEALTH -> {
                settings.put(
                        "muster.identity.node-private-key",
                        secrets.key("node.pem").toString());
                settings.put(
                        "muster.health.bootstrap-join-tokens",
                        secrets.joinTokensFile().toString());
            }
            case JOB -> settings.put("muster.store.root", layout.store().toString());
            case QUOTA, SCHEDULER, CHECKPOINT -> {}
        }
        return settings;
    }
}
