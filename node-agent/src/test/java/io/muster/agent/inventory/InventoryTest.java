package io.muster.agent.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.agent.http.Json;
import io.muster.agent.settings.AgentSettings.Driver;
import io.muster.agent.settings.AgentSettings.GpuChoice;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.GpuFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InventoryTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void nvidiaSmiIsRead() throws IOException {
        String csv = """
                0, GPU-5f1b, NVIDIA H100 80GB HBM3, 81559, 31, 68.42, 96.00.74.00.01, 550.54.15
                1, GPU-6f1b, NVIDIA H100 80GB HBM3, 81559, [N/A], [Not Supported], 96.00.74.00.01, 550.54.15
                """;
        GpuDriver.Reading reading = NvidiaGpus.parse(csv, NOW);
        assertThat(reading.driverVersion()).isEqualTo("550.54.15");
        assertThat(reading.gpus())
                .containsExactly(
                        new GpuFacts(
                                0,
                                "GPU-5f1b",
                                "NVIDIA H100 80GB HBM3",
                                81559L << 20,
                                false,
                                31,
                                68,
                                "96.00.74.00.01",
                                NOW),
                        new GpuFacts(
                                1,
                                "GPU-6f1b",
                                "NVIDIA H100 80GB HBM3",
                                81559L << 20,
                                false,
                                null,
                                null,
                                "96.00.74.00.01",
                                NOW));
    }

    @Test
    void halfAnInventoryIsAFailure() {
        assertThatThrownBy(() -> NvidiaGpus.parse("0, GPU-1, H100\n", NOW)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> NvidiaGpus.parse("Unable to determine the device handle\n", NOW))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> NvidiaGpus.parse("x, a, b, c, d, e, f, g\n", NOW))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aDriverThatIsNotThereOrFailsDoesNotAnswer() {
        InstantSource clock = InstantSource.fixed(NOW);
        assertThat(new NvidiaGpus(List.of("/no/such/nvidia-smi"), clock).answers())
                .isFalse();
        assertThat(new NvidiaGpus(List.of("false"), clock).answers()).isFalse();
        assertThat(new NvidiaGpus(List.of("true"), clock).answers()).isFalse();
    }

    @Test
    void simulatedFaultsAreSeen(@TempDir Path folder) throws IOException {
        Path faults = folder.resolve("gpu-faults.json");
        SimulatedGpus driver = new SimulatedGpus(
                new NodeId("r1-n1"),
                new GpuChoice(Driver.SIMULATED, 4, "H100-SIM", "550"),
                faults,
                Json.mapper(),
                InstantSource.fixed(NOW));
        List<GpuFacts> healthy = driver.read().gpus();
        assertThat(healthy).hasSize(4).noneMatch(GpuFacts::vetoed);
        assertThat(healthy).extracting(GpuFacts::uuid).doesNotHaveDuplicates();
        Files.writeString(faults, "{\"missing\":[0],\"vetoed\":[2],\"temperatures\":{\"3\":91}}");
        List<GpuFacts> ill = driver.read().gpus();
        assertThat(ill).extracting(GpuFacts::index).containsExactly(1, 2, 3);
        assertThat(ill.get(1).vetoed()).isTrue();
        assertThat(ill.get(2).temperatureCelsius()).isEqualTo(91);
        Files.writeString(faults, "{nonsense");
        assertThatThrownBy(driver::read).isInstanceOf(IOException.class);
    }
}
