package io.muster.agent.http;

import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.json.JsonMapper;

/** The one way this agent reads and writes JSON. Unknown fields are ignored; NaN from a trainer is read, not refused. */
public final class Json {

    private Json() {}

    public static JsonMapper mapper() {
        return JsonMapper.builder()
                .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                .build();
    }
}
