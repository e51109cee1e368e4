package io.muster.scheduler.leadership;

import io.muster.edge.id.Ids;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LeadershipConfiguration {

    @Bean
    InstanceName instanceName(Ids ids) {
        return new InstanceName(ids.newId("scheduler"));
    }
}
