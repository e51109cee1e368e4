package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocalOptionsTest {

    @Test
    void defaultsAreEightNodesInTwoRacks() {
        LocalOptions options = LocalOptions.parse("--home=/h", "--client=/c");
        assertThat(options).isEqualTo(new LocalOptions(Path.of("/h"), 8, 2, 0, false, Path.of("/c")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--nodes=0",
                "--racks=9",
                "--racks=0",
                "--nodes=600",
                "--port-offset=-1",
                "--colour=red",
                "nodes=3"
            })
    void whatCannotBeIsRefusedWithItsValue(String argument) {
        assertThatThrownBy(() -> LocalOptions.parse("--home=/h", "--client=/c", argument))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        argument.substring(argument.indexOf('=') + 1).replace("red", "colour=red"));
    }

    @Test
    void nodesFillRacksInOrderEachWithItsOwnLoopbackAddress() {
        Layout layout = Layout.of(LocalOptions.parse("--home=/h", "--client=/c", "--nodes=5", "--racks=2"));
        assertThat(layout.nodes().stream().map(Layout.LocalNode::name))
                .containsExactly("r1-n1", "r1-n2", "r1-n3", "r2-n1", "r2-n2");
        assertThat(layout.nodes().stream().map(Layout.LocalNode::address)).doesNotHaveDuplicates();
        assertThat(layout.nodes().getLast().address()).isEqualTo("127.1.2.2");
        assertThat(layout.nodes().getLast().domains().rack()).isEqualTo("r2");
    }

    @ParameterizedTest
    @CsvSource({"9,4", "5,4", "8,2", "1,1", "250,1", "7,7", "300,3"})
    void everyRackThatWasAskedForStandsAndNoneHasTwoNodesMoreThanAnother(int nodes, int racks) {
        Layout layout =
                Layout.of(LocalOptions.parse("--home=/h", "--client=/c", "--nodes=" + nodes, "--racks=" + racks));
        Map<String, Long> perRack = layout.nodes().stream()
                .collect(Collectors.groupingBy(node -> node.domains().rack(), Collectors.counting()));
        assertThat(layout.nodes()).hasSize(nodes);
        assertThat(perRack).hasSize(racks);
        assertThat(Collections.max(perRack.values()) - Collections.min(perRack.values()))
                .isLessThanOrEqualTo(1);
    }

    @Test
    void theOffsetMovesEveryPort() {
        Layout layout = Layout.of(LocalOptions.parse("--home=/h", "--client=/c", "--port-offset=1000"));
        assertThat(layout.port(ServiceName.GATEWAY)).isEqualTo(9080);
        assertThat(layout.databasePort()).isEqualTo(16_432);
        assertThat(layout.brokerPort()).isEqualTo(20_092);
        assertThat(layout.controllerPort()).isEqualTo(20_093);
        assertThat(layout.managementPort()).isEqualTo(9090);
        assertThat(layout.agentPort()).isEqualTo(8070);
    }
}
