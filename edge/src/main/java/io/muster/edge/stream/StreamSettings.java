package io.muster.edge.stream;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Streams of one instance of a service.
 *
 * @param most at once
 * @param mostPerCaller at once with one API key
 * @param mostBehind whoever comes back with a number so far behind begins anew with the present state
 * @param poll how soon a change of another instance is seen; also how often one thing is told of at most
 * @param idlePoll the same while no stream is open
 * @param heartbeat a comment after so long without an event
 * @param retry how long a client should wait before it comes back
 */
@ConfigurationProperties("muster.streams")
public record StreamSettings(
        @DefaultValue("256") int most,
        @DefaultValue("32") int mostPerCaller,
        @DefaultValue("50000") long mostBehind,
        @DefaultValue("250ms") Duration poll,
        @DefaultValue("1s") Duration idlePoll,
        @DefaultValue("15s") Duration heartbeat,
        @DefaultValue("1s") Duration retry) {

    public StreamSettings {
        if (most < 1 || mostPerCaller < 1) {
            throw new IllegalArgumentException("muster.streams.most is " + most
                    + " and muster.streams.most-per-caller is " + mostPerCaller + "; both must be at least 1");
        }
    }
}
