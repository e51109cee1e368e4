package io.muster.gateway.access;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** An API key by its public name. Example: {@code key_01k9x3v7q2m4n8p6r0s1t5w9ya}. */
public record KeyId(@JsonValue String value) {

    private static final Pattern FORM = Pattern.compile("key_[0-9a-z]{8,40}");

    public KeyId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "not a key id: '" + value + "'; it looks like 'key_01k9x3v7q2m4n8p6r0s1t5w9ya'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static KeyId of(String value) {
        return new KeyId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
