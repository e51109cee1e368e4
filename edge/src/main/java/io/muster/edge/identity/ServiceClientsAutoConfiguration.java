package io.muster.edge.identity;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Clients of the other services. */
@AutoConfiguration(after = IdentityAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@EnableConfigurationProperties(ServiceAddresses.class)
public final class ServiceClientsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ServiceClients serviceClients(ServiceAddresses addresses, ServiceTokens tokens, JsonMapper json) {
        return new ServiceClients(addresses, tokens, json);
    }
}
