package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.contract.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads names out of requests, noting everything that is wrong instead of stopping at the first. */
final class NamedRequest {

    static final String NAME_FORM = "1 to 63 small letters, digits and hyphens, such as 'research'";

    private final List<Violation> violations = new ArrayList<>();

    List<Violation> violations() {
        return List.copyOf(violations);
    }

    void wrong(String pointer, String message, @Nullable String rejected, @Nullable String allowed) {
        violations.add(new Violation(pointer, message, rejected == null ? null : shortened(rejected), allowed));
    }

    @Nullable
    TenantId tenant(String pointer, @Nullable String text) {
        return read(pointer, text, TenantId::new);
    }

    @Nullable
    ProjectId project(String pointer, @Nullable String text) {
        return read(pointer, text, ProjectId::new);
    }

    private <T> @Nullable T read(String pointer, @Nullable String text, Function<String, T> form) {
        if (text == null || text.isBlank()) {
            wrong(pointer, "is missing", text, NAME_FORM);
            return null;
        }
        try {
            return form.apply(text);
        } catch (IllegalArgumentException e) {
            wrong(pointer, "is not a name", text, NAME_FORM);
            return null;
        }
    }

    static String shortened(String text) {
        return text.length() <= 200 ? text : text.substring(0, 200) + "…";
    }
}
