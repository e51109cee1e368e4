package io.muster.gateway;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;

/** The gateway: settings in {@code gateway.yml}, database {@code muster_gateway}. */
@SpringBootApplication(exclude = UserDetailsServiceAutoConfiguration.class)
@ConfigurationPropertiesScan
public class GatewayApplication {

    public static void main(String[] arguments) {
        application().run(arguments);
    }

    public static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(GatewayApplication.class).properties("spring.config.name=gateway");
    }
}
