package io.muster.edge.problem;

import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * How request bodies are read: nothing that was sent is ignored or bent. Unknown and repeated fields, fractions for
 * whole numbers and texts for numbers are refused. Bodies of agents and services may hold fields this version does not
 * know, so that a newer one can talk to it.
 */
final class StrictJson {

    private StrictJson() {}

    static JsonMapper of(JsonMapper json) {
        return json.rebuild()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .withCoercionConfig(LogicalType.Textual, text -> {
                    text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                    text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                    text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                })
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .addHandler(new ForwardCompatible())
                .build();
    }

    private static final class ForwardCompatible extends DeserializationProblemHandler {

        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                @Nullable ValueDeserializer<?> deserializer,
                Object bean,
                String name) {
            if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request
                    && request.getRequest().getRequestURI().startsWith("/internal/")) {
                parser.skipChildren();
                return true;
            }
            return false;
        }
    }
}
