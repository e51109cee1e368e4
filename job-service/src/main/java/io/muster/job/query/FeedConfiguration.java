package io.muster.job.query;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.edge.stream.ChangeFeed;
import io.muster.edge.stream.ChangeLog;
import io.muster.edge.stream.Streams;
import io.muster.job.lifecycle.JobFeeds;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What job-service streams. */
@Configuration(proxyBeanMethods = false)
class FeedConfiguration {

    @Bean
    ChangeFeed<JobSummary> listedJobs(JobListing listing) {
        return new ChangeFeed<>(listing::changed);
    }

    @Bean
    ChangeFeed<String> shownJobs(ChangeLog changes) {
        return new ChangeFeed<>((after, most) -> changes.keys(JobFeeds.SHOWN, after, most));
    }

    @Bean
    Gauge openStreams(Streams streams, MeterRegistry meters) {
        return Gauge.builder("muster.streams.open", streams, Streams::open)
                .description("Streams open on this instance")
                .register(meters);
    }
}
