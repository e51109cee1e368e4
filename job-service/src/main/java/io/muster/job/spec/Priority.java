package io.muster.job.spec;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** 1 (lowest) to 9 (highest); the four names stand for fixed numbers and are preferred when a priority is shown. */
public record Priority(int level) {

    private static final Map<String, Integer> NAMES = names();

    public static final Priority NORMAL = new Priority(5);

    public Priority {
        if (level < 1 || level > 9) {
            throw new IllegalArgumentException("priority is " + level + "; it goes from 1 (lowest) to 9 (highest)");
        }
    }

    static Optional<Priority> named(String name) {
        return Optional.ofNullable(NAMES.get(name)).map(Priority::new);
    }

    /** A name where there is one, else the number: both can be submitted again. */
    Object written() {
        for (Map.Entry<String, Integer> name : NAMES.entrySet()) {
            if (name.getValue() == level) {
                return name.getKey();
            }
        }
        return level;
    }

    private static Map<String, Integer> names() {
        Map<String, Integer> names = new LinkedHashMap<>();
        names.put("low", 3);
        names.put("normal", 5);
        names.put("high", 7);
        names.put("critical", 9);
        return names;
    }
}
