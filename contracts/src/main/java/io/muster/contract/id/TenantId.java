package io.muster.contract.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** An organisation whose jobs, logs and checkpoints others never see. Example: {@code research}. */
public record TenantId(@JsonValue String value) implements Comparable<TenantId> {

    private static final Pattern FORM = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    public TenantId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a TenantId: '" + value + "'; it looks like 'research'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static TenantId of(String value) {
        return new TenantId(value);
    }

    @Override
    public int compareTo(TenantId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
