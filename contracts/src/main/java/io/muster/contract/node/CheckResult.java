package io.muster.contract.node;

import java.time.Instant;

/**
 * One check's outcome.
 *
 * @param check stable name, such as gpu_count or disk_write_read
 * @param required a required check that is FAIL or UNKNOWN keeps work off the node
 * @param message what was measured and what was expected, with numbers
 */
public record CheckResult(
        String check, CheckStatus status, boolean required, String message, long tookMillis, Instant at) {

    /** Whether work may start in spite of this result. */
    public boolean lets() {
        return switch (status) {
            case PASS, WARN, SKIPPED -> true;
            case FAIL, UNKNOWN -> !required;
        };
    }
}
