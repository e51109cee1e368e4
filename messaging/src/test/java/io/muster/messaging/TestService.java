package io.muster.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.testing.TestInfrastructure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One instance of a small service: a real context on the test JVM's database and broker. */
final class TestService implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ConfigurableApplicationContext context;

    private TestService(ConfigurableApplicationContext context) {
        this.context = context;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(TestInfrastructure.class)
    static class Application {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    static Builder named(String service) {
        return new Builder(service);
    }

    /** Services of one builder name share nothing unless they share a database. */
    static final class Builder {

        private final Map<String, Object> properties = new TreeMap<>();
        private final List<Function<JdbcClient, EventSubscription<?>>> subscriptions = new ArrayList<>();
        private RelayProbe probe = RelayProbe.NONE;

        private Builder(String service) {
            properties.put("spring.application.name", service);
            properties.put("spring.main.banner-mode", "off");
            properties.put("spring.datasource.hikari.maximum-pool-size", "6");
            properties.put("spring.flyway.locations", "classpath:db/messaging,classpath:db/test");
            properties.put("muster.messaging.lease-duration", "1s");
        }

        Builder database(String name) {
            return with("muster.test.database", name);
        }

        Builder with(String property, String value) {
            properties.put(property, value);
            return this;
        }

        Builder probe(RelayProbe value) {
            probe = value;
            return this;
        }

        Builder subscribe(Function<JdbcClient, EventSubscription<?>> subscription) {
            subscriptions.add(subscription);
            return this;
        }

        TestService start() {
            var application = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .properties(properties)
                    .initializers(context -> {
                        var generic = (GenericApplicationContext) context;
                        generic.registerBean("probe", RelayProbe.class, () -> probe);
                        for (int i = 0; i < subscriptions.size(); i++) {
                            var subscription = subscriptions.get(i);
                            generic.registerBean(
                                    "subscription" + i,
                                    EventSubscription.class,
                                    () -> subscription.apply(generic.getBean(JdbcClient.class)));
                        }
                    });
            return new TestService(application.run());
        }
    }

    /** A name that no other test of this JVM uses. */
    static String unique(String prefix) {
        return prefix + COUNT.incrementAndGet();
    }

    /** Records each committed application in table {@code effect}. */
    static EventSubscription<Meter> recording(JdbcClient jdbc, String name, String topic, String instance) {
        return new EventSubscription<>(
                name, topic, Meter.class, (event, data) -> effect(jdbc, name, instance, event, data));
    }

    static void effect(JdbcClient jdbc, String subscription, String instance, EventMetadata event, Meter data) {
        jdbc.sql(
                        "INSERT INTO effect (subscription, event_id, key, sequence, value, instance) VALUES (?, ?, ?, ?, ?, ?)")
                .params(subscription, event.id(), event.key(), event.sequence(), data.value(), instance)
                .update();
    }

    JdbcClient jdbc() {
        return context.getBean(JdbcClient.class);
    }

    Outbox outbox() {
        return context.getBean(Outbox.class);
    }

    ParkedKeys parkedKeys() {
        return context.getBean(ParkedKeys.class);
    }

    <B> B bean(Class<B> type) {
        return context.getBean(type);
    }

    TransactionTemplate transactions() {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    void append(OutgoingEvent... events) {
        transactions().executeWithoutResult(status -> {
            for (OutgoingEvent event : events) {
                outbox().append(event);
            }
        });
    }

    static OutgoingEvent meter(String topic, String key, long sequence) {
        return new OutgoingEvent(
                topic, key, "io.muster.test.meter-read.v1", key, sequence, new Meter(sequence * 10, "n"));
    }

    List<Long> effects(String subscription, String key) {
        return jdbc().sql("SELECT sequence FROM effect WHERE subscription = ? AND key = ? ORDER BY id")
                .params(subscription, key)
                .query(Long.class)
                .list();
    }

    long count(String sql, Object... parameters) {
        return jdbc().sql("SELECT count(*) FROM " + sql)
                .params(List.of(parameters))
                .query(Long.class)
                .single();
    }

    double counter(String name, String... tags) {
        return context.getBean(MeterRegistry.class)
                .get(name)
                .tags(tags)
                .counter()
                .count();
    }

    double gauge(String name, String... tags) {
        return context.getBean(MeterRegistry.class).get(name).tags(tags).gauge().value();
    }

    void stopMessaging() {
        bean(MessagingLifecycle.class).stop();
    }

    void startMessaging() {
        bean(MessagingLifecycle.class).start();
    }

    @Override
    public void close() {
        context.close();
    }
}
