package io.muster.local;

import io.muster.checkpoint.CheckpointServiceApplication;
import io.muster.gateway.GatewayApplication;
import io.muster.health.HealthServiceApplication;
import io.muster.job.JobServiceApplication;
import io.muster.quota.QuotaServiceApplication;
import io.muster.scheduler.SchedulerServiceApplication;
import java.util.Locale;
import java.util.function.Supplier;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** The six services in the order in which they are begun; they stop in the opposite order. */
enum ServiceName {
    HEALTH(8084, HealthServiceApplication.class, HealthServiceApplication::application),
    QUOTA(8082, QuotaServiceApplication.class, QuotaServiceApplication::application),
    SCHEDULER(8083, SchedulerServiceApplication.class, SchedulerServiceApplication::application),
    CHECKPOINT(8085, CheckpointServiceApplication.class, CheckpointServiceApplication::application),
    JOB(8081, JobServiceApplication.class, JobServiceApplication::application),
    GATEWAY(8080, GatewayApplication.class, GatewayApplication::application);

    private final int port;
    private final Class<?> mainClass;
    private final Supplier<SpringApplicationBuilder> application;

    ServiceName(int port, Class<?> mainClass, Supplier<SpringApplicationBuilder> application) {
        this.port = port;
        this.mainClass = mainClass;
        this.application = application;
    }

    int port() {
        return port;
    }

    Class<?> mainClass() {
        return mainClass;
    }

    SpringApplicationBuilder application() {
        return application.get();
    }

    /** As in URLs and settings: {@code job}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String database() {
        return "muster_" + label();
    }
}
