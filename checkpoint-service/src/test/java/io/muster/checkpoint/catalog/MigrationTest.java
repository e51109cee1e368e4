package io.muster.checkpoint.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What the first version committed is still the newest commit, DURABLE, and its events go on being numbered. */
class MigrationTest {

    @Test
    void commitsOfTheFirstVersionAreDurable() {
        TestDatabase database = TestDatabases.fresh("checkpoint_migration");
        var source = new DriverManagerDataSource(database.url(), database.user(), database.password());
        var jdbc = JdbcClient.create(source);
        migrate(source, "2");
        jdbc.sql("insert into job_head (job_id, tenant, project, fence, version, checkpoint_id)"
                        + " values ('job_1', 't', 'p', 1, 1, 'chk_1')")
                .update();
        jdbc.sql("""
                        insert into checkpoint (id, job_id, attempt, step, world_size, phase, reserved_at, deadline,
                                                ended_at, commit_version)
                        values ('chk_1', 'job_1', 1, 10, 1, 'COMMITTED', now(), now(), now(), 1),
                               ('chk_2', 'job_1', 1, 20, 1, 'RESERVED', now(), now(), null, null)""").update();
        migrate(source, "latest");
        assertThat(jdbc.sql("select durability from checkpoint order by id")
                        .query((row, number) -> String.valueOf(row.getString(1)))
                        .list())
                .containsExactly("DURABLE", "null");
        assertThat(jdbc.sql("select event_sequence from job_head")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
    }

    private static void migrate(DriverManagerDataSource source, String target) {
        Flyway.configure()
                .dataSource(source)
                .locations("classpath:db/checkpoint")
                .target(target)
                .load()
                .migrate();
    }
}
