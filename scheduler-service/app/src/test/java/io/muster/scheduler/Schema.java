package io.muster.scheduler;

import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The tables of scheduler-service in a fresh database, without the service. */
public record Schema(DataSource source, JdbcClient sql) {

    public static Schema fresh() {
        TestDatabase database = TestDatabases.fresh("schema");
        var source = new DriverManagerDataSource(database.url(), database.user(), database.password());
        Flyway.configure()
                .dataSource(source)
                .locations("classpath:db/scheduler")
                .load()
                .migrate();
        return new Schema(source, JdbcClient.create(source));
    }

    public TransactionTemplate transactions(int isolation) {
        var template = new TransactionTemplate(new JdbcTransactionManager(source));
        template.setIsolationLevel(isolation);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }
}
