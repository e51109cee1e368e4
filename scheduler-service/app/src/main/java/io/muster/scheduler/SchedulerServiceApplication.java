package io.muster.scheduler;

import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** scheduler-service by itself, or as one of several contexts of one JVM. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SchedulerServiceApplication {

    public static void main(String[] arguments) {
        application().run(arguments);
    }

    /** Settings are read from {@code scheduler-service.yml}, which six services on one class path do not fight over. */
    public static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(SchedulerServiceApplication.class)
                .properties(Map.of("spring.config.name", "scheduler-service"));
    }
}
