package io.muster.job.queue;

import io.muster.contract.Topics;
import io.muster.contract.quota.QuotaTree;
import io.muster.messaging.EventSubscription;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Listens to the quota tree. The name is kept in the database: it never changes. */
@Configuration(proxyBeanMethods = false)
class QueueConfiguration {

    @Bean
    EventSubscription<QuotaTree> quotaTree(QuotaView view) {
        return new EventSubscription<>(
                "job-quotas", Topics.QUOTAS, QuotaTree.class, (metadata, tree) -> view.put(tree));
    }
}
