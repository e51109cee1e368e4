package io.muster.quota.ledger;

import io.muster.contract.Topics;
import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.EventSubscription;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Keeps the ledger from placements, and answers from it within a tenant. */
@Service
class Ledger {

    /** More lines than this are not one answer. */
    static final int MAX_LINES = 10_000;

    private final LedgerRepository intervals;
    private final Clock clock;

    Ledger(LedgerRepository intervals, Clock clock) {
        this.intervals = intervals;
        this.clock = clock;
    }

    /** In the consumer's transaction. */
    void record(PlacementState state) {
        intervals.apply(LedgerChange.of(intervals.touchedBy(state.jobId(), state.generation()), state));
    }

    /** @param tenant whose job it must be; null = anybody's */
    @Transactional(readOnly = true)
    Optional<JobCost> cost(JobId job, @Nullable TenantId tenant) {
        List<LedgerInterval> found = intervals.ofJob(job).stream()
                .filter(interval -> tenant == null || interval.tenant().equals(tenant))
                .toList();
        return found.isEmpty() ? Optional.empty() : Optional.of(JobCost.of(found, clock.instant()));
    }

    /** @param tenant whose usage; null = everybody's */
    UsageAnswer usage(String groupBy, @Nullable String from, @Nullable String to, @Nullable TenantId tenant) {
        return switch (UsageQuestion.read(groupBy, from, to, clock.instant())) {
            case UsageQuestion.Reading.Wrong(var violations) -> new UsageAnswer.Wrong(violations);
            case UsageQuestion.Reading.Understood(var question) -> {
                List<UsageRow> rows = intervals.usage(question, tenant, clock.millis(), MAX_LINES + 1);
                yield rows.size() > MAX_LINES
                        ? new UsageAnswer.TooMany(question, MAX_LINES)
                        : new UsageAnswer.Report(UsageReport.of(question, rows));
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class Subscriptions {

        @Bean
        EventSubscription<PlacementState> ledgerOfPlacements(Ledger ledger) {
            return new EventSubscription<>(
                    "quota-ledger", Topics.PLACEMENTS, PlacementState.class, (event, state) -> ledger.record(state));
        }
    }
}
