package io.muster.health.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeFacts;
import io.muster.health.TestNodes;
import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** One joining for one token: what compares and sets is one statement, so it is tried with two callers at once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JoinTokenRepositoryTest {

    private static final NodeId NODE = new NodeId("r1-n1");
    private static final NodeFacts FACTS = TestNodes.facts("r1-n1", 8);
    private static final Instant NOON = TestNodes.NOON;
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private JoinTokenRepository tokens;
    private TransactionTemplate transaction;

    @BeforeAll
    void start() {
        TestDatabase database = TestDatabases.fresh("tokens");
        Flyway.configure()
                .dataSource(database.url(), database.user(), database.password())
                .locations("classpath:db/health")
                .load()
                .migrate();
        var source = new DriverManagerDataSource(database.url(), database.user(), database.password());
        tokens = new JoinTokenRepository(JdbcClient.create(source));
        transaction = new TransactionTemplate(new DataSourceTransactionManager(source));
    }

    private String token(String name) {
        String hash = JoinSecrets.hash(name);
        tokens.add(hash, NODE, "bootstrap", NOON, NOON.plusSeconds(60));
        return hash;
    }

    private boolean claim(String hash, NodeFacts facts, Instant now) {
        return tokens.claim(hash, facts, now, now.minus(LIMIT));
    }

    private static NodeFacts boot(String boot) {
        return TestNodes.booted(FACTS, boot, FACTS.agentAddress(), FACTS.agentPort());
    }

    @Test
    void aTokenThatIsOfferedAgainAtTheNextStartStaysUsed() {
        String hash = token("offered");
        assertThat(tokens.find(hash).orElseThrow().usedAt()).isNull();

        assertThat(claim(hash, FACTS, NOON)).isTrue();
        tokens.add(hash, NODE, "bootstrap", NOON.plusSeconds(60), null);

        assertThat(tokens.find(hash).orElseThrow().usedAt()).isEqualTo(NOON);
        assertThat(tokens.find(JoinSecrets.hash("other"))).isEmpty();
    }

    @Test
    void itIsForItsNodeUntilItsEndAndForNobodyElse() {
        String hash = token("mine");

        assertThat(claim(hash, TestNodes.facts("r1-n2", 8), NOON)).isFalse();
        assertThat(claim(JoinSecrets.hash("made up"), FACTS, NOON)).isFalse();
        assertThat(claim(hash, FACTS, NOON.plusSeconds(60))).as("expired").isFalse();
        assertThat(tokens.find(hash).orElseThrow().usedAt()).isNull();
        assertThat(claim(hash, FACTS, NOON.plusSeconds(59))).isTrue();
    }

    @Test
    void onlyTheSameJoiningIsRepeatedAndTheLimitRunsFromTheFirstJoin() {
        String hash = token("repeated");
        assertThat(claim(hash, FACTS, NOON)).isTrue();
        tokens.joined(hash, 1);

        assertThat(claim(hash, boot("boot-2"), NOON.plusSeconds(1))).isFalse();
        assertThat(claim(hash, TestNodes.booted(FACTS, "boot-1", "10.0.0.9", FACTS.agentPort()), NOON.plusSeconds(1)))
                .isFalse();
        assertThat(claim(hash, TestNodes.booted(FACTS, "boot-1", FACTS.agentAddress(), 9), NOON.plusSeconds(1)))
                .isFalse();
        assertThat(claim(hash, FACTS, NOON.plusSeconds(599)))
                .as("the token's own end is of its first use")
                .isTrue();
        assertThat(claim(hash, FACTS, NOON.plusSeconds(600))).isFalse();
        assertThat(tokens.find(hash).orElseThrow().usedAt()).isEqualTo(NOON);
    }

    @Test
    void theUseOfItsSessionEndsItAndThatOfAnEarlierOneDoesNot() {
        String hash = token("settled");
        assertThat(claim(hash, FACTS, NOON)).isTrue();
        tokens.joined(hash, 4);

        tokens.settle(NODE, 3, NOON);
        assertThat(claim(hash, FACTS, NOON.plusSeconds(1))).isTrue();
        tokens.joined(hash, 5);
        tokens.settle(new NodeId("r1-n2"), 9, NOON);
        assertThat(claim(hash, FACTS, NOON.plusSeconds(2))).isTrue();
        tokens.joined(hash, 6);
        tokens.settle(NODE, 6, NOON.plusSeconds(3));
        assertThat(claim(hash, FACTS, NOON.plusSeconds(4))).isFalse();
        assertThat(tokens.find(hash).orElseThrow().settledAt()).isEqualTo(NOON.plusSeconds(3));
    }

    @Test
    void aMachineThatDoesNotNameItsBootRepeatsNothing() {
        String hash = token("bootless");

        assertThat(claim(hash, boot(null), NOON)).isTrue();
        assertThat(claim(hash, boot(null), NOON)).isFalse();
    }

    @Test
    void ofManyBootsAtOnceOneGetsTheToken() throws Exception {
        String hash = token("raced");
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Boolean>> claims = new ArrayList<>();
            for (int n = 0; n < 8; n++) {
                NodeFacts facts = boot("raced-" + n);
                claims.add(threads.submit(() -> claim(hash, facts, NOON)));
            }
            int won = 0;
            for (Future<Boolean> claimed : claims) {
                won += claimed.get() ? 1 : 0;
            }
            assertThat(won).isEqualTo(1);
        }
    }

    @Test
    void whoComesWhileAnotherJoinIsNotCommittedIsComparedWithItsOutcome() throws Exception {
        String hash = token("waited");
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Boolean>> waiting = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                assertThat(claim(hash, FACTS, NOON)).isTrue();
                tokens.joined(hash, 1);
                waiting.add(threads.submit(() -> claim(hash, boot("boot-2"), NOON)));
                waiting.add(threads.submit(() -> claim(hash, FACTS, NOON)));
            });
            assertThat(waiting.get(0).get()).as("another boot").isFalse();
            assertThat(waiting.get(1).get()).as("the same join again").isTrue();
        }
    }
}
