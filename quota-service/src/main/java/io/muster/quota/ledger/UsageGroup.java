package io.muster.quota.ledger;

import java.util.Locale;
import java.util.Optional;

/** By what usage is summed. */
enum UsageGroup {
    TENANT,
    PROJECT,
    QUEUE,
    JOB;

    static Optional<UsageGroup> of(String word) {
        for (UsageGroup group : values()) {
            if (group.word().equals(word)) {
                return Optional.of(group);
            }
        }
        return Optional.empty();
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
