package io.muster.contract.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** A project of a tenant; unique within the tenant. Example: {@code llm}. */
public record ProjectId(@JsonValue String value) implements Comparable<ProjectId> {

    private static final Pattern FORM = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    public ProjectId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a ProjectId: '" + value + "'; it looks like 'llm'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static ProjectId of(String value) {
        return new ProjectId(value);
    }

    @Override
    public int compareTo(ProjectId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
