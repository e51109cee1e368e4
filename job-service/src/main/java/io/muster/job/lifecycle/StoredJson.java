package io.muster.job.lifecycle;

import io.muster.job.spec.JobSpec;
import io.muster.job.spec.SpecReader;
import io.muster.job.spec.SpecWriter;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** How records are kept in text columns; reads what an earlier version wrote, and ignores what a later one added. */
final class StoredJson {

    private final JsonMapper json = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    @Nullable
    String write(@Nullable Object value) {
        return value == null ? null : json.writeValueAsString(value);
    }

    <T> @Nullable T read(@Nullable String text, Class<T> type) {
        return text == null ? null : json.readValue(text, type);
    }

    <T> T readPresent(String text, Class<T> type) {
        return json.readValue(text, type);
    }

    <T> T read(String text, TypeReference<T> type) {
        return json.readValue(text, type);
    }

    String writeSpec(JobSpec spec) {
        return json.writeValueAsString(SpecWriter.write(spec));
    }

    /** The stored form is the effective spec, so it is read by the rules for submitted ones. */
    JobSpec readSpec(String text) {
        return switch (SpecReader.read(json.readTree(text))) {
            case SpecReader.Accepted accepted -> accepted.spec();
            case SpecReader.Refused refused ->
                throw new IllegalStateException("a stored spec is not valid any more: " + refused.violations());
        };
    }
}
