package io.muster.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Clock;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Gives a service with a database and a broker its {@link Outbox}, {@link ParkedKeys} and running subscriptions. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBean({JdbcClient.class, PlatformTransactionManager.class, KafkaConnectionDetails.class})
@EnableConfigurationProperties(MessagingProperties.class)
public class MessagingAutoConfiguration {

    @Bean
    MessagingNames messagingNames(MessagingProperties properties, Environment environment) {
        String service = properties.service();
        if (service == null) {
            service = environment.getProperty("spring.application.name");
        }
        if (service == null || service.isBlank()) {
            throw new IllegalStateException("set spring.application.name or muster.messaging.service:"
                    + " events and consumer groups are named after the service");
        }
        return MessagingNames.of(service, properties.instance());
    }

    @Bean
    RelaySignal messagingRelaySignal() {
        return new RelaySignal();
    }

    @Bean
    Envelope messagingEnvelope(JsonMapper mapper) {
        return new Envelope(mapper);
    }

    @Bean
    OutboxRepository messagingOutboxRepository(JdbcClient jdbc) {
        return new OutboxRepository(jdbc);
    }

    @Bean
    InboxRepository messagingInboxRepository(JdbcClient jdbc) {
        return new InboxRepository(jdbc);
    }

    @Bean
    MessagingMetrics messagingMetrics(ObjectProvider<MeterRegistry> registry) {
        return new MessagingMetrics(registry.getIfAvailable(CompositeMeterRegistry::new));
    }

    @Bean
    Outbox outbox(
            OutboxRepository repository,
            Envelope envelope,
            MessagingNames names,
            MessagingProperties properties,
            RelaySignal signal,
            ObjectProvider<InstantSource> clocks) {
        InstantSource clock = clocks.getIfUnique(Clock::systemUTC);
        return new TransactionalOutbox(
                repository,
                envelope,
                new EventIds(clock),
                clock,
                names.source(),
                properties.maxEventBytes(),
                signal::committed);
    }

    @Bean
    MessagingThreads messagingThreads(
            MessagingProperties properties,
            MessagingNames names,
            KafkaProperties kafka,
            KafkaConnectionDetails connection,
            OutboxRepository outbox,
            InboxRepository inbox,
            MessagingMetrics metrics,
            ObjectProvider<RelayProbe> probe,
            Envelope envelope,
            PlatformTransactionManager transactionManager,
            ObjectProvider<EventSubscription<?>> subscriptions) {
        String owner = names.instance().isEmpty() ? new EventIds(Clock.systemUTC()).next() : names.instance();
        return new MessagingThreads(
                properties,
                names,
                owner,
                new KafkaClients(kafka, connection),
                outbox,
                inbox,
                metrics,
                probe.getIfAvailable(() -> RelayProbe.NONE),
                envelope,
                new TransactionTemplate(transactionManager),
                subscriptions);
    }

    @Bean
    MessagingLifecycle messagingLifecycle(MessagingThreads threads, RelaySignal signal, InboxRepository inbox) {
        return new MessagingLifecycle(threads, signal, inbox);
    }
}
