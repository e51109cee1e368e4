package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.fault.FaultSeverity;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The mapping to PagerDuty does what the table of {@code docs/sre.md} says, for every severity that a fault can have. */
class PagerDutyTest {

    private static final Path FOLDER = MetricCatalogue.OBSERVABILITY.resolve("pagerduty");
    private static final Path GOLDEN =
            MetricCatalogue.ROOT.resolve("contracts/src/test/resources/golden/muster.faults.v1.json");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([A-Z]+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    @TempDir
    Path folder;

    @Test
    void theMappingIsThatOfTheTable() throws Exception {
        List<String> lines = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (FaultSeverity severity : FaultSeverity.values()) {
            for (String column : List.of("root", "follows", "resolved")) {
                names.add(severity + " " + column);
                lines.add(event(severity, column, names.getLast()));
            }
        }
        Map<String, String> mapped = new LinkedHashMap<>();
        names.forEach(name -> mapped.put(name, "nothing"));
        for (JsonNode sent : run(lines)) {
            JsonNode severity = sent.at("/payload/severity");
            mapped.put(
                    sent.get("dedup_key").stringValue(),
                    sent.get("event_action").stringValue()
                            + (severity.isMissingNode() ? "" : " " + severity.stringValue()));
        }
        assertThat(mapped).isEqualTo(table());
    }

    @Test
    void itsOwnTestsPass() throws Exception {
        Process process = new ProcessBuilder("python3", "-m", "unittest", "-q")
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).containsPattern("Ran [1-9][0-9]* tests");
    }

    private static Map<String, String> table() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        ROW.matcher(Files.readString(MetricCatalogue.ROOT.resolve("docs/sre.md")))
                .results()
                .forEach(row -> {
                    rows.put(row.group(1) + " root", row.group(2).strip());
                    rows.put(row.group(1) + " follows", row.group(3).strip());
                    rows.put(row.group(1) + " resolved", row.group(4).strip());
                });
        return rows;
    }

    private static String event(FaultSeverity severity, String column, String faultId) throws IOException {
        ObjectNode fault = (ObjectNode) MAPPER.readTree(Files.readString(GOLDEN));
        fault.put("faultId", faultId).put("severity", severity.name());
        if (column.equals("follows")) {
            fault.put("causedBy", "fault_of_the_root");
        }
        if (column.equals("resolved")) {
            fault.put("status", "RESOLVED").put("resolvedAt", "2026-11-29T12:01:00Z");
        }
        ObjectNode event = MAPPER.createObjectNode();
        event.set("data", fault);
        return event.toString();
    }

    private List<JsonNode> run(List<String> lines) throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "not a real key\n");
        Process process = new ProcessBuilder(
                        "python3",
                        FOLDER.resolve("fault_to_pagerduty.py").toString(),
                        "--routing-key-file",
                        key.toString())
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        List<JsonNode> sent = new ArrayList<>();
        for (String line : output.lines().toList()) {
            sent.add(MAPPER.readTree(line));
        }
        return sent;
    }
}
