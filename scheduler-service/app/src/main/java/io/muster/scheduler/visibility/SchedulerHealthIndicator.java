package io.muster.scheduler.visibility;

import io.muster.scheduler.cycle.Publication;
import io.muster.scheduler.cycle.Published;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Ready once an image is loaded; a standby is as healthy as the leader. */
@Component("scheduler")
class SchedulerHealthIndicator implements HealthIndicator {

    private final Publication publication;

    SchedulerHealthIndicator(Publication publication) {
        this.publication = publication;
    }

    @Override
    public Health health() {
        Published published = publication.current();
        Health.Builder health = published.loaded() ? Health.up() : Health.outOfService();
        return health.withDetail("role", published.leads() ? "leader" : "standby")
                .withDetail("epoch", published.epoch())
                .withDetail("imageLoaded", published.loaded())
                .withDetail("imageVersion", published.image().provenance().version())
                .build();
    }
}
