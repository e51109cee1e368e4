package io.muster.quota.tree;

import java.time.Instant;
import java.util.List;

/**
 * Who made a version of the tree, and what it changed.
 *
 * @param keyId the API key, or {@code system} for the first tree
 */
record AuditEntry(long version, String keyId, Instant at, List<String> differences) {

    AuditEntry {
        differences = List.copyOf(differences);
    }
}
