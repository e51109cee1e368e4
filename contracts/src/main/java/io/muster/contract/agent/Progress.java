package io.muster.contract.agent;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How far training is, as rank 0 last reported it. */
public record Progress(long step, @Nullable Long totalSteps, Map<String, Double> metrics, Instant at) {

    public Progress {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }
}
