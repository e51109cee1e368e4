package io.muster.job.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.EnvProfile;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.problem.Violation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

class SpecReaderTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    static final String FULL = """
            {"name": "llm 7b", "project": "llm", "queue": "nlp/pretrain", "kind": "fine-tuning", "priority": "high",
             "runtime": {"command": ["python3", "train.py"], "args": ["--lr", ""], "workingDir": "/data/run", "env": {"NCCL_DEBUG": "INFO"},
                         "client": true, "image": "img:1", "envProfile": "torchrun"},
             "resources": {"nodes": 4, "gpusPerNode": 8, "processesPerNode": 8, "gpuTypes": ["H200"], "minDriverVersion": "535.104.05"},
             "topology": {"within": "pod", "mode": "required", "spread": {"domain": "rack", "maxNodes": 2}, "avoidNodes": ["r1-n2"]},
             "checkpoint": {"uri": "store://llm/7b", "interval": "20 steps", "resumeFrom": "latest"},
             "faultTolerance": {"platformRestarts": 1000, "userRestarts": 3, "hangTimeout": 0},
             "limits": {"maxRuntime": "14d"}, "labels": {"team": "nlp"}}""";

    static JobSpec accepted(String json) {
        return switch (SpecReader.read(JSON.readTree(json))) {
            case SpecReader.Accepted accepted -> accepted.spec();
            case SpecReader.Refused refused -> throw new AssertionError(refused.violations());
        };
    }

    static List<Violation> refused(String json) {
        return switch (SpecReader.read(JSON.readTree(json))) {
            case SpecReader.Accepted accepted -> throw new AssertionError("accepted " + accepted.spec());
            case SpecReader.Refused refused -> refused.violations();
        };
    }

    @Test
    void theShortestJob() {
        JobSpec spec = accepted("""
                {"name": "a", "runtime": {"command": ["x"]}}""");
        assertThat(spec.kind()).isEqualTo(WorkloadKind.PRETRAINING);
        assertThat(spec.priority().level()).isEqualTo(5);
        assertThat(spec.resources().nodes()).isEqualTo(1);
        assertThat(spec.resources().gpusPerNode()).isEqualTo(8);
        assertThat(spec.resources().processesPerNode()).isEqualTo(1);
        assertThat(spec.runtime().envProfile()).isEqualTo(EnvProfile.DIRECT);
        assertThat(spec.topology().within()).isEqualTo(DomainType.CLUSTER);
        assertThat(spec.topology().mode()).isEqualTo(PlacementMode.PREFERRED);
        assertThat(spec.checkpoint()).isNull();
        assertThat(spec.faultTolerance()).isEqualTo(new JobSpec.FaultTolerance(20, 0));
        assertThat(SpecWriter.write(spec).get("faultTolerance"))
                .isEqualTo(Map.of("platformRestarts", 20, "userRestarts", 0));
    }

    @Test
    void restartsAreWholeNumbersUpToAThousand() {
        assertThat(accepted(FULL).faultTolerance()).isEqualTo(new JobSpec.FaultTolerance(1000, 3));
        for (String field : List.of("platformRestarts", "userRestarts")) {
            for (String value : List.of("1001", "-1", "1.5", "\"many\"")) {
                List<Violation> violations = refused("{\"faultTolerance\": {\"%s\": %s}}".formatted(field, value));
                assertThat(message(violations, "/faultTolerance/" + field)).contains(field);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("valid")
    void theEffectiveSpecIsAcceptedAgainAndMeansTheSame(String json) {
        JobSpec spec = accepted(json).in(new ProjectId("llm"), new QueuePath("nlp/pretrain"));
        Map<String, Object> effective = SpecWriter.write(spec);
        JobSpec again = accepted(JSON.writeValueAsString(effective));
        assertThat(again).isEqualTo(spec);
        assertThat(SpecWriter.write(again)).isEqualTo(effective);
    }

    static List<String> valid() {
        return List.of(FULL, """
                {"name": "a", "runtime": {"command": ["x"]}}""", """
                {"name": "é中\\ud83d\\ude00", "priority": 2, "runtime": {"command": ["x"]}, "checkpoint": {"uri": "store://a", "interval": "PT30S"}}""", """
                {"name": "a", "runtime": {"command": ["x"], "env": null}, "topology": {"within": "cluster", "mode": "required"}, "limits": null}""");
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        List<Violation> violations = refused("""
                {"nmae": "a", "priority": "urgent", "runtime": {"command": "x", "env": {"RANK": "1", "MUSTER_X": "1", "A": 1}},
                 "resources": {"nodes": 0, "gpusPerNode": 2.5}, "topology": {"within": "block"}, "preemptible": true,
                 "checkpoint": {"interval": "soon"}, "labels": []}""");
        assertThat(violations)
                .extracting(Violation::pointer)
                .contains(
                        "/nmae",
                        "/name",
                        "/priority",
                        "/runtime/command",
                        "/runtime/env/RANK",
                        "/runtime/env/MUSTER_X",
                        "/runtime/env/A",
                        "/resources/nodes",
                        "/resources/gpusPerNode",
                        "/topology/within",
                        "/preemptible",
                        "/checkpoint/interval",
                        "/checkpoint/uri",
                        "/labels");
        assertThat(violations).allMatch(violation -> !violation.message().isBlank());
        assertThat(message(violations, "/nmae")).contains("did you mean 'name'?");
        assertThat(message(violations, "/preemptible")).contains("not supported yet");
        assertThat(message(violations, "/resources/nodes")).contains("0").contains("100000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/faultTolerance/hangTimeout | {\"faultTolerance\": {\"hangTimeout\": 20}}",
                "/faultTolerance/preflight | {\"faultTolerance\": {\"preflight\": \"full\"}}",
                "/faultTolerance/replaceNode | {\"faultTolerance\": {\"replaceNode\": \"faulty-only\"}}",
                "/taskGroups | {\"taskGroups\": [{\"name\": \"loader\"}]}",
                "/subgroups | {\"subgroups\": []}",
                "/profile | {\"profile\": {\"dtype\": \"bf16\"}}",
                "/resources/nodes | {\"resources\": {\"nodes\": {\"min\": 1, \"max\": 2}}}",
                "/runtime/envProfile | {\"runtime\": {\"command\": [\"x\"], \"envProfile\": \"pai\"}}",
                "/checkpoint/interval | {\"checkpoint\": {\"uri\": \"store://a\", \"interval\": \"auto\"}}",
                "/checkpoint/keepLast | {\"checkpoint\": {\"uri\": \"store://a\", \"keepLast\": 3}}",
                "/limits/maxGpuHours | {\"limits\": {\"maxGpuHours\": 3}}",
                "/schedule | {\"schedule\": {\"urgency\": \"flexible\"}}"
            })
    void whatComesLaterIsRefusedByName(String pointer, String json) {
        assertThat(message(refused(json), pointer)).contains("is not supported yet");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/checkpoint/uri | {\"checkpoint\": {\"uri\": \"store://../other\"}}",
                "/checkpoint/uri | {\"checkpoint\": {\"uri\": \"store://a/../../b\"}}",
                "/checkpoint/uri | {\"checkpoint\": {\"uri\": \"store:///etc\"}}",
                "/checkpoint/uri | {\"checkpoint\": {\"uri\": \"store://a//b\"}}",
                "/checkpoint/uri | {\"checkpoint\": {\"uri\": \"store://a/.hidden\"}}",
                "/checkpoint/uri | {\"checkpoint\": {\"uri\": \"file:///etc\"}}",
                "/checkpoint/resumeFrom | {\"checkpoint\": {\"uri\": \"store://a\", \"resumeFrom\": \"newest\"}}",
                "/checkpoint/interval | {\"checkpoint\": {\"uri\": \"store://a\", \"interval\": \"0 steps\"}}",
                "/checkpoint/interval | {\"checkpoint\": {\"uri\": \"store://a\", \"interval\": \"PT0.5S\"}}",
                "/runtime/workingDir | {\"runtime\": {\"command\": [\"x\"], \"workingDir\": \"data\"}}",
                "/runtime/workingDir | {\"runtime\": {\"command\": [\"x\"], \"workingDir\": \"/data/../etc\"}}",
                "/runtime/command | {\"runtime\": {\"command\": []}}",
                "/runtime/command/0 | {\"runtime\": {\"command\": [\"\"]}}",
                "/runtime/command/0 | {\"runtime\": {\"command\": [\"a\\u0000b\"]}}",
                "/runtime/command/0 | {\"runtime\": {\"command\": [\"\\ud800\"]}}",
                "/runtime/env/1A | {\"runtime\": {\"command\": [\"x\"], \"env\": {\"1A\": \"x\"}}}",
                "/runtime/env/PET_NNODES | {\"runtime\": {\"command\": [\"x\"], \"env\": {\"PET_NNODES\": \"x\"}}}",
                "/runtime/env/CUDA_VISIBLE_DEVICES | {\"runtime\": {\"command\": [\"x\"], \"env\": {\"CUDA_VISIBLE_DEVICES\": \"x\"}}}",
                "/resources/nodes | {\"resources\": {\"nodes\": 100001}}",
                "/resources/nodes | {\"resources\": {\"nodes\": 99999999999999999999}}",
                "/resources/nodes | {\"resources\": {\"nodes\": \"4\"}}",
                "/resources/gpusPerNode | {\"resources\": {\"gpusPerNode\": 0}}",
                "/resources/minDriverVersion | {\"resources\": {\"minDriverVersion\": \"new\"}}",
                "/topology/spread/maxNodes | {\"topology\": {\"spread\": {\"domain\": \"rack\"}}}",
                "/topology/spread/domain | {\"topology\": {\"spread\": {\"domain\": \"cluster\", \"maxNodes\": 1}}}",
                "/topology/avoidNodes/0 | {\"topology\": {\"avoidNodes\": [\"A B\"]}}",
                "/limits/maxRuntime | {\"limits\": {\"maxRuntime\": \"400d\"}}",
                "/limits/maxRuntime | {\"limits\": {\"maxRuntime\": 30}}",
                "/priority | {\"priority\": 0}",
                "/priority | {\"priority\": 10}",
                "/queue | {\"queue\": \"a.b\"}",
                "/project | {\"project\": \"A\"}",
                "/kind | {\"kind\": \"pretrain\"}",
                "/labels/team~1x~1 | {\"labels\": {\"team/x/\": \"a\"}}",
                "/runtime | {\"runtime\": []}"
            })
    void aBadValueIsNamedWithItsPlaceAndWhatIsAllowed(String pointer, String json) {
        assertThat(refused(json)).anySatisfy(violation -> {
            assertThat(violation.pointer()).isEqualTo(pointer);
            assertThat(violation.message()).isNotBlank();
            assertThat(violation.allowed()).isNotBlank();
        });
    }

    @Test
    void limitsAreOnTheEdge() {
        String name = "x".repeat(128);
        assertThat(accepted("{\"name\": \"" + name
                                + "\", \"runtime\": {\"command\": [\"x\"]}, \"resources\": {\"nodes\": 100000}}")
                        .resources()
                        .nodes())
                .isEqualTo(100_000);
        assertThat(message(refused("{\"name\": \"" + name + "x\"}"), "/name"))
                .contains("129")
                .contains("128");
        assertThat(message(refused("{\"name\": \" \"}"), "/name")).contains("blank");
        assertThat(message(refused("[]"), "")).contains("must be an object");
    }

    @Test
    void nearestNames() {
        assertThat(NearestName.of("comand", List.of("command", "args"))).contains("command");
        assertThat(NearestName.of("gpuPerNode", List.of("nodes", "gpusPerNode")))
                .contains("gpusPerNode");
        assertThat(NearestName.of("xyz", List.of("command", "args"))).isEmpty();
    }

    static String message(List<Violation> violations, String pointer) {
        return violations.stream()
                .filter(violation -> violation.pointer().equals(pointer))
                .map(Violation::message)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing at " + pointer + " in " + violations));
    }
}
