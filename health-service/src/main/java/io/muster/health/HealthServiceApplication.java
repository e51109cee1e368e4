package io.muster.health;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Starts health-service, by itself or as one of six contexts in a JVM. */
@SpringBootApplication
public class HealthServiceApplication {

    public static void main(String[] args) {
        application().run(args);
    }

    /** Reads {@code health-service.yml}; properties given to the builder's run win. */
    public static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(HealthServiceApplication.class)
                .properties("spring.config.name=health-service");
    }
}
