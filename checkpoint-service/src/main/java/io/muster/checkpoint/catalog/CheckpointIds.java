package io.muster.checkpoint.catalog;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.util.Optional;
import java.util.function.Function;

/** Reads ids that people and other services write; what cannot be one names nothing. */
final class CheckpointIds {

    private CheckpointIds() {}

    static Optional<CheckpointId> read(String text) {
        return read(text, CheckpointId::new);
    }

    static Optional<JobId> readJob(String text) {
        return read(text, JobId::new);
    }

    private static <T> Optional<T> read(String text, Function<String, T> form) {
        try {
            return Optional.of(form.apply(text));
        } catch (IllegalArgumentException anotherForm) {
            return Optional.empty();
        }
    }
}
