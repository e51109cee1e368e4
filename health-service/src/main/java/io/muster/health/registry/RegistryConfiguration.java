package io.muster.health.registry;

import java.security.SecureRandom;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RegistryProperties.class)
class RegistryConfiguration {

    @Bean
    JoinSecrets joinSecrets() {
        return new JoinSecrets(new SecureRandom());
    }
}
