package io.muster.checkpoint;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/** checkpoint-service, alone or beside the others in one JVM: nothing here is static state. */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class CheckpointServiceApplication {

    public static void main(String[] args) {
        application().run(args);
    }

    public static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(CheckpointServiceApplication.class)
                .web(WebApplicationType.SERVLET)
                .properties("spring.config.name=checkpoint-service")
                .registerShutdownHook(true);
    }
}
