package io.muster.gateway.problems;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

final class ProblemCatalogueTest {

    private static final Pattern CODE = Pattern.compile("Problem\\.of\\(\\s*[^,;]+?,\\s*\"([A-Z_]+)\"");

    private final ProblemCatalogue catalogue = new ProblemCatalogue(JsonMapper.shared());

    /** The codes of the modules a person's request always passes; the services' pages are added with their codes. */
    @Test
    void everyCodeOfTheDoorHasAPage() throws IOException {
        TreeSet<String> codes = new TreeSet<>();
        for (String module : new String[] {"src/main/java", "../edge/src/main/java"}) {
            try (Stream<Path> files = Files.walk(Path.of(module))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    Matcher matcher = CODE.matcher(Files.readString(file));
                    while (matcher.find()) {
                        codes.add(matcher.group(1));
                    }
                }
            }
        }
        assertThat(codes).hasSizeGreaterThan(12);
        assertThat(codes)
                .allSatisfy(code -> assertThat(catalogue.find(code)).as(code).isPresent());
    }

    @Test
    void everyPageSaysWhatToDo() {
        assertThat(catalogue.all()).allSatisfy(page -> {
            assertThat(page.code()).matches("[A-Z][A-Z_]+");
            assertThat(page.status()).isBetween(400, 503);
            assertThat(page.meaning()).endsWith(".");
            assertThat(page.remedy()).endsWith(".");
            assertThat(page.retryable()).as(page.code()).isEqualTo(page.status() == 429 || page.status() == 503);
        });
    }
}
