package io.muster.local;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Arguments of the form {@code --name=value}; one that is not known or has no value is said and nothing is started. */
final class NamedArguments {

    private final Map<String, String> given = new LinkedHashMap<>();

    NamedArguments(List<String> known, String... arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 0 || !known.contains(argument.substring(2, equals))) {
                throw new IllegalArgumentException(
                        "cannot read '" + argument + "'; options are --name=value with the names " + known);
            }
            given.put(argument.substring(2, equals), argument.substring(equals + 1));
        }
    }

    String required(String name) {
        String value = given.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + "=… is missing");
        }
        return value;
    }

    String or(String name, String otherwise) {
        return given.getOrDefault(name, otherwise);
    }

    int number(String name) {
        String value = required(name);
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("--" + name + " is '" + value + "', not a whole number", notANumber);
        }
    }
}
