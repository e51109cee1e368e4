package io.muster.health.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.health.TestNodes;
import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class JoinTokenRepositoryTest {

    private static final NodeId NODE = new NodeId("r1-n1");

    @Test
    void aTokenThatIsOfferedAgainAtTheNextStartStaysUsed() {
        TestDatabase database = TestDatabases.fresh("tokens");
        Flyway.configure()
                .dataSource(database.url(), database.user(), database.password())
                .locations("classpath:db/health")
                .load()
                .migrate();
        JoinTokenRepository tokens = new JoinTokenRepository(
                JdbcClient.create(new DriverManagerDataSource(database.url(), database.user(), database.password())));
        String hash = JoinSecrets.hash("secret");

        tokens.add(hash, NODE, "bootstrap", TestNodes.NOON, null);
        assertThat(tokens.lock(hash).orElseThrow().usedAt()).isNull();
        tokens.use(hash, TestNodes.NOON);
        tokens.add(hash, NODE, "bootstrap", TestNodes.NOON.plusSeconds(60), null);

        assertThat(tokens.lock(hash).orElseThrow().usedAt()).isEqualTo(TestNodes.NOON);
        assertThat(tokens.lock(JoinSecrets.hash("other"))).isEmpty();
    }
}
