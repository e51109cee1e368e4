package io.muster.edge.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestNameTest {

    private static final List<String> KNOWN =
            List.of("nodes", "gpusPerNode", "processesPerNode", "mode", "name", "queue");

    @ParameterizedTest
    @CsvSource({
        "node,nodes",
        "Nodes,nodes",
        "gpuPerNode,gpusPerNode",
        "gpus_per_node,gpusPerNode",
        "modes,mode",
        "nam,name",
        "queu,queue",
        "zzz,",
        "x,",
        "gpusPerNodeAndSomethingElseEntirely,"
    })
    void fewEditsForItsLength(String given, String expected) {
        assertThat(NearestName.of(given, KNOWN).orElse(null)).isEqualTo(expected);
    }
}
