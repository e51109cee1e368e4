package io.muster.health.fault;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.edge.stream.ChangeFeed;
import io.muster.edge.stream.Streams;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What health-service streams: faults, whenever the fault stream tells of them too. */
@Configuration(proxyBeanMethods = false)
class FaultFeed {

    /** In the change log; the key is the fault's id. */
    static final String NAME = "faults";

    @Bean
    ChangeFeed<Fault> toldFaults(FaultRepository repository) {
        return new ChangeFeed<>(repository::changed);
    }

    @Bean
    Gauge openStreams(Streams streams, MeterRegistry meters) {
        return Gauge.builder("muster.streams.open", streams, Streams::open)
                .description("Streams open on this instance")
                .register(meters);
    }
}
