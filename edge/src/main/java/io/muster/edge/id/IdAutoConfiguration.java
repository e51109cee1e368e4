package io.muster.edge.id;

import java.security.SecureRandom;
import java.time.Clock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The clock and the generator of ids; tests bring their own. */
@AutoConfiguration
public final class IdAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean
    @ConditionalOnMissingBean
    Ids ids(Clock clock) {
        return new Ids(clock, new SecureRandom());
    }
}
