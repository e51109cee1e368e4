package io.muster.gateway.door;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.muster.contract.id.TenantId;
import io.muster.contract.problem.Problem;
import org.springframework.stereotype.Component;

/**
 * How many requests a tenant may send: {@code resilience4j.ratelimiter.configs.tenant}, or the tenant's own {@code
 * resilience4j.ratelimiter.instances.tenant-<id>}; counted by each gateway for itself. Tenants do not share: one that floods the door waits alone.
 */
@Component
class TenantRate {

    private static final String SETTINGS = "tenant";

    private final RateLimiterRegistry limiters;

    TenantRate(RateLimiterRegistry limiters) {
        this.limiters = limiters;
    }

    boolean admits(TenantId tenant) {
        return limiter(tenant).acquirePermission();
    }

    long retryAfterSeconds(TenantId tenant) {
        return Math.max(
                1,
                limiter(tenant).getRateLimiterConfig().getLimitRefreshPeriod().toSeconds());
    }

    Problem refusal(TenantId tenant) {
        int limit = limiter(tenant).getRateLimiterConfig().getLimitForPeriod();
        return Problem.of(
                429,
                "RATE_LIMITED",
                "Too many requests",
                "Tenant '" + tenant + "' has sent its " + limit + " requests of the last " + retryAfterSeconds(tenant)
                        + " s.",
                "Wait as long as the Retry-After header says; ask for larger pages instead of many small ones.");
    }

    private RateLimiter limiter(TenantId tenant) {
        return limiters.rateLimiter("tenant-" + tenant, SETTINGS);
    }
}
