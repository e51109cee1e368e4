package io.muster.contract.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** A checkpoint of a job. Example: {@code chk_01k9x3v7q2m4n8p6r0s1t5w9ya}. */
public record CheckpointId(@JsonValue String value) implements Comparable<CheckpointId> {

    private static final Pattern FORM = Pattern.compile("chk_[0-9a-z]{8,40}");

    public CheckpointId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "not a CheckpointId: '" + value + "'; it looks like 'chk_01k9x3v7q2m4n8p6r0s1t5w9ya'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static CheckpointId of(String value) {
        return new CheckpointId(value);
    }

    @Override
    public int compareTo(CheckpointId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
