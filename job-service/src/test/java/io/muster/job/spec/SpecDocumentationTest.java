package io.muster.job.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/job-spec.md and the catalogue say the same. */
class SpecDocumentationTest {

    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|.*\\| (yes|not supported yet) \\|");

    @Test
    void everyFieldIsDocumentedWithWhetherItIsAccepted() throws IOException {
        Map<String, SpecCatalogue.Support> documented = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(Path.of("..", "docs", "job-spec.md"));
        for (String line : lines) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                documented.put(
                        row.group(1).replace("[]", "").replace("{}", ""),
                        row.group(2).equals("yes") ? SpecCatalogue.Support.ACCEPTED : SpecCatalogue.Support.NOT_YET);
            }
        }
        Map<String, SpecCatalogue.Support> catalogue = new LinkedHashMap<>(SpecCatalogue.fields());
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(catalogue);
    }
}
