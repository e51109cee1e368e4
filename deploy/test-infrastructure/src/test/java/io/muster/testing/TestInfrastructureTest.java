package io.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

class TestInfrastructureTest {

    @Test
    void contextsHaveADatabaseOfTheirOwnUnlessTheyNameOne() throws SQLException {
        try (var one = context(Map.of());
                var two = context(Map.of());
                var three = context(Map.of("muster.test.database", "shared_one"));
                var four = context(Map.of("muster.test.database", "shared_one"))) {
            assertThat(url(one)).isNotEqualTo(url(two));
            assertThat(url(three)).isEqualTo(url(four)).isNotIn(url(one), url(two));
            var details = one.getBean(JdbcConnectionDetails.class);
            try (var connection = DriverManager.getConnection(url(one), details.getUsername(), details.getPassword())) {
                assertThat(connection.isValid(1)).isTrue();
            }
            assertThatThrownBy(
                            () -> DriverManager.getConnection(url(two), details.getUsername(), details.getPassword()))
                    .isInstanceOf(SQLException.class);
            assertThat(one.getBean(KafkaConnectionDetails.class).getBootstrapServers())
                    .containsExactly(TestBroker.bootstrapServers());
        }
    }

    @Test
    void theBrokerGoesAwayAndComesBackOnTheSameAddressWithItsTopics() throws Exception {
        String address = TestBroker.bootstrapServers();
        TestBroker.topics("infrastructure.test");
        TestBroker.stop();
        try (var admin = Admin.create(
                Map.of("bootstrap.servers", address, "default.api.timeout.ms", "1000", "request.timeout.ms", "900"))) {
            assertThatThrownBy(() -> admin.listTopics().names().get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class);
        } finally {
            TestBroker.start();
        }
        assertThat(TestBroker.bootstrapServers()).isEqualTo(address);
        try (var admin = Admin.create(Map.of("bootstrap.servers", address))) {
            assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS)).contains("infrastructure.test");
        }
    }

    private static AnnotationConfigApplicationContext context(Map<String, Object> properties) {
        var context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.register(TestInfrastructure.class);
        context.refresh();
        return context;
    }

    private static String url(AnnotationConfigApplicationContext context) {
        return context.getBean(JdbcConnectionDetails.class).getJdbcUrl();
    }
}
