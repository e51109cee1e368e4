package io.muster.gateway.problems;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.core.io.ClassPathResource;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The pages of {@code gateway-problems.json}, by code; the address of a page is the {@code type} of its problems. */
@Component
class ProblemCatalogue {

    private final Map<String, ProblemPage> pages = new TreeMap<>();

    ProblemCatalogue(JsonMapper json) {
        try (InputStream in = new ClassPathResource("gateway-problems.json").getInputStream()) {
            List<ProblemPage> all = json.readValue(in, new TypeReference<>() {});
            all.forEach(page -> pages.put(address(page.code()), page));
        } catch (IOException e) {
            throw new IllegalStateException("gateway-problems.json is not in the jar", e);
        }
    }

    /** @param code in lower case with hyphens, as in the {@code type} of a problem; the code itself does too */
    Optional<ProblemPage> find(String code) {
        return Optional.ofNullable(pages.get(address(code)));
    }

    Collection<ProblemPage> all() {
        return pages.values();
    }

    private static String address(String code) {
        return code.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
