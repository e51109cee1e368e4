package io.muster.edge.stream;

import java.time.Clock;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Streams for a service that has a {@link ChangeFeed}. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@ConditionalOnClass(JdbcClient.class)
@ConditionalOnBean(ChangeFeed.class)
@EnableConfigurationProperties(StreamSettings.class)
public final class StreamAutoConfiguration {

    @Bean
    ChangeLog changeLog(JdbcClient jdbc) {
        return new ChangeLog(jdbc);
    }

    @Bean
    Streams streams(
            ChangeLog changes, List<ChangeFeed<?>> feeds, StreamSettings settings, JsonMapper json, Clock clock) {
        return new Streams(changes, feeds, settings, json, clock);
    }

    @Bean
    ChangeTail changeTail(ChangeLog changes, List<ChangeFeed<?>> feeds, Streams streams, StreamSettings settings) {
        return new ChangeTail(changes, feeds, streams, settings);
    }
}
