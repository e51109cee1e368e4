package io.muster.job;

import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** job-service: what people asked for, and how far it is. */
@SpringBootApplication
public class JobServiceApplication {

    public static void main(String[] args) {
        application().run(args);
    }

    /** Reads job-service.yml and nothing called application: six services may share one class path. */
    public static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(JobServiceApplication.class)
                .properties(Map.of("spring.config.name", "job-service"));
    }
}
