package io.muster.health.lease;

import io.muster.edge.id.Ids;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LeaseProperties.class)
class LeaseConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MonotonicTime monotonicTime() {
        return System::nanoTime;
    }

    @Bean
    LeaseJudge leaseJudge(LeaseProperties properties, MonotonicTime time) {
        return new LeaseJudge(properties.lease(), properties.heartbeat(), properties.sweepEvery(), time.nanos());
    }

    @Bean
    Sweeper sweeper(LeaseJudge leases, LeaseProperties properties, Places places, Ids ids) {
        Arbitration arbitration = new Arbitration(
                properties.heartbeat().multipliedBy(4), properties.lease(), () -> ids.newId("leaseprobe"));
        return new Sweeper(leases, new LossJudge(properties.lease(), arbitration), arbitration, places);
    }

    @Bean
    WebMvcConfigurer agentsGoToTheJudge(JudgeSeat seat) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(new OnlyTheJudge(seat))
                        .addPathPatterns("/internal/agents/**", "/internal/join");
            }
        };
    }
}
