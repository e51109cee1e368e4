package io.muster.contract.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** A job, for its whole life; attempts are its children. Example: {@code job_01k9x3v7q2m4n8p6r0s1t5w9ya}. */
public record JobId(@JsonValue String value) implements Comparable<JobId> {

    private static final Pattern FORM = Pattern.compile("job_[0-9a-z]{8,40}");

    public JobId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "not a JobId: '" + value + "'; it looks like 'job_01k9x3v7q2m4n8p6r0s1t5w9ya'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static JobId of(String value) {
        return new JobId(value);
    }

    @Override
    public int compareTo(JobId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
