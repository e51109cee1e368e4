package io.muster.testing;

import java.util.List;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * {@code @Import(TestInfrastructure.class)} gives a context this JVM's broker and a database of its own; contexts that
 * name the same {@code muster.test.database} share one. Both are started only when they are asked for.
 */
@TestConfiguration(proxyBeanMethods = false)
public class TestInfrastructure {

    @Bean
    TestDatabase testDatabase(Environment environment) {
        String shared = environment.getProperty("muster.test.database");
        return shared == null ? TestDatabases.fresh("test") : TestDatabases.named(shared);
    }

    @Bean
    JdbcConnectionDetails testDatabaseConnection(TestDatabase database) {
        return new JdbcConnectionDetails() {
            @Override
            public String getUsername() {
                return database.user();
            }

            @Override
            public String getPassword() {
                return database.password();
            }

            @Override
            public String getJdbcUrl() {
                return database.url();
            }
        };
    }

    @Bean
    KafkaConnectionDetails testBrokerConnection() {
        return () -> List.of(TestBroker.bootstrapServers());
    }
}
