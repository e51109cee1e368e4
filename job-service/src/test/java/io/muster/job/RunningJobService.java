package io.muster.job;

import io.muster.testing.TestInfrastructure;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/** One instance of job-service; those that name the same database are instances of one service. */
public final class RunningJobService implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    public RunningJobService(String database, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--muster.test.database=" + database,
                "--logging.level.root=WARN",
                "--logging.level.org.apache.kafka=ERROR"));
        all.addAll(List.of(settings));
        context = JobServiceApplication.application()
                .sources(TestInfrastructure.class, TestNeighbours.class)
                .initializers(new TestDoor())
                .registerShutdownHook(false)
                .run(all.toArray(String[]::new));
    }

    public int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }
}
