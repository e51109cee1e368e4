package io.muster.contract.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** A machine with GPUs, named by the administrator. Example: {@code r1-n2}. */
public record NodeId(@JsonValue String value) implements Comparable<NodeId> {

    private static final Pattern FORM = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");

    public NodeId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a NodeId: '" + value + "'; it looks like 'r1-n2'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static NodeId of(String value) {
        return new NodeId(value);
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
