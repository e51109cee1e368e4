package io.muster.scheduler.leadership;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param lease how long a leader that says nothing stays leader; renewed at a third of it
 * @param poll how long the decision thread waits for a signal before it reads the projections anyway
 * @param placementsPerCommit how many gangs one transaction places at most; the next follows at once
 */
@ConfigurationProperties("muster.scheduler")
public record SchedulerProperties(
        @DefaultValue("3s") Duration lease,
        @DefaultValue("200ms") Duration poll,
        @DefaultValue("64") int placementsPerCommit) {

    public SchedulerProperties {
        if (lease.toMillis() < 100 || lease.compareTo(Duration.ofMinutes(5)) > 0) {
            throw new IllegalArgumentException(
                    "muster.scheduler.lease is " + lease.toMillis() + " ms; between 100 ms and 5 minutes are possible");
        }
        if (poll.toMillis() < 1 || poll.compareTo(lease) > 0) {
            throw new IllegalArgumentException("muster.scheduler.poll is " + poll.toMillis()
                    + " ms; between 1 ms and the lease of " + lease.toMillis() + " ms are possible");
        }
        if (placementsPerCommit < 1) {
            throw new IllegalArgumentException(
                    "muster.scheduler.placements-per-commit is " + placementsPerCommit + "; at least 1 is needed");
        }
    }
}
