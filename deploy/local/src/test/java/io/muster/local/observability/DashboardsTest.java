package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every panel of every dashboard says what it shows, in which unit, and reads only what is measured. */
class DashboardsTest {

    private static final Path GRAFANA = MetricCatalogue.OBSERVABILITY.resolve("grafana");
    private static final Set<String> UNITS = Set.of("short", "s", "bytes", "percentunit", "ops", "reqps");
    private static final Map<String, String> GRAFANAS_OWN = Map.of("$__rate_interval", "1m");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern VARIABLE_QUERY = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

    private final Queries queries = Queries.of(MetricCatalogue.read());

    static List<Path> dashboards() throws IOException {
        try (Stream<Path> files = Files.list(GRAFANA)) {
            return files.sorted().toList();
        }
    }

    @Test
    void thereAreTheFourBoards() throws IOException {
        assertThat(dashboards().stream().map(file -> file.getFileName().toString()))
                .containsExactly("control-plane.json", "fleet.json", "queues-and-quota.json", "reliability.json");
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void everyPanelSaysWhatItShowsAndReadsOnlyWhatIsMeasured(Path file) throws IOException {
        JsonNode board = read(file);
        List<String> variables = variables(board);
        Set<String> titles = new TreeSet<>();
        Set<Integer> ids = new TreeSet<>();
        for (JsonNode panel : board.get("panels")) {
            String title = panel.get("title").stringValue();
            assertThat(titles.add(title)).as("two panels are called %s", title).isTrue();
            assertThat(ids.add(panel.get("id").intValue())).as(title).isTrue();
            assertThat(panel.get("description").stringValue()).as(title).hasSizeGreaterThan(10);
            assertThat(panel.at("/fieldConfig/defaults/unit").stringValue())
                    .as(title)
                    .isIn(UNITS);
            assertThat(panel.at("/datasource/uid").stringValue()).as(title).isEqualTo("${datasource}");
            assertThat(panel.get("targets").size()).as(title).isPositive();
            for (JsonNode target : panel.get("targets")) {
                PromQl.Checked checked =
                        queries.check(without(variables, target.get("expr").stringValue()));
                String legend = target.get("legendFormat").stringValue();
                assertThat(legend).as(title).isNotBlank();
                assertThat(new TreeSet<>(LEGEND.matcher(legend)
                                .results()
                                .map(found -> found.group(1))
                                .toList()))
                        .as("the legend of %s names the labels that tell its lines apart", title)
                        .isEqualTo(new TreeSet<>(checked.labels()));
            }
        }
    }

    /** A query of a variable is label_values(series, label). */
    @ParameterizedTest
    @MethodSource("dashboards")
    void variablesOfferWhatExists(Path file) throws IOException {
        for (JsonNode variable : read(file).at("/templating/list")) {
            if (variable.get("type").stringValue().equals("query")) {
                var query = VARIABLE_QUERY.matcher(variable.get("query").stringValue());
                assertThat(query.matches()).isTrue();
                assertThat(queries.check(query.group(1)).labels()).contains(query.group(2));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void noTwoPanelsLieOnEachOther(Path file) throws IOException {
        Set<String> cells = new TreeSet<>();
        for (JsonNode panel : read(file).get("panels")) {
            JsonNode place = panel.get("gridPos");
            int right = place.get("x").intValue() + place.get("w").intValue();
            assertThat(right).isLessThanOrEqualTo(24);
            for (int x = place.get("x").intValue(); x < right; x++) {
                for (int y = 0; y < place.get("h").intValue(); y++) {
                    assertThat(cells.add(x + " " + (place.get("y").intValue() + y)))
                            .as(panel.get("title").stringValue())
                            .isTrue();
                }
            }
        }
    }

    private static JsonNode read(Path file) throws IOException {
        return JsonMapper.builder().build().readTree(Files.readString(file));
    }

    private static List<String> variables(JsonNode board) {
        List<String> names = new ArrayList<>();
        board.at("/templating/list")
                .forEach(variable -> names.add("$" + variable.get("name").stringValue()));
        return names;
    }

    /** Variables of Grafana stand for text: here for what matches all, and a usual interval. */
    private static String without(List<String> variables, String query) {
        String text = query;
        for (var own : GRAFANAS_OWN.entrySet()) {
            text = text.replace(own.getKey(), own.getValue());
        }
        for (String variable : variables) {
            text = text.replace(variable, ".*");
        }
        assertThat(text).as("an unknown variable").doesNotContain("$");
        return text;
    }
}
