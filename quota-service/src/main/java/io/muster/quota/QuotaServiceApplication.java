package io.muster.quota;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.scheduling.annotation.EnableScheduling;

/** quota-service, alone or beside the others in one JVM: nothing here is static state. */
@SpringBootApplication
@EnableScheduling
public class QuotaServiceApplication {

    public static void main(String[] args) {
        application().run(args);
    }

    public static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(QuotaServiceApplication.class)
                .web(WebApplicationType.SERVLET)
                .properties("spring.config.name=quota-service")
                .registerShutdownHook(true);
    }
}
