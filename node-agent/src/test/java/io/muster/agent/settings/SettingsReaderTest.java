package io.muster.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.settings.SettingsReader.Reading;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsReaderTest {

    private static Map<String, String> good() {
        return new HashMap<>(Map.of(
                "MUSTER_NODE", "r1-n2",
                "MUSTER_AGENT_HOME", "/tmp/x",
                "MUSTER_AGENT_ADDRESS", "127.1.1.2",
                "MUSTER_HEALTH_URL", "http://127.0.0.1:8084",
                "MUSTER_JOB_URL", "http://127.0.0.1:8081",
                "MUSTER_CHECKPOINT_URL", "http://127.0.0.1:8085",
                "MUSTER_STORE_ROOT", "/tmp/store",
                "MUSTER_DOMAINS", "rack=r1,power=w1,pod=p1,cluster=local"));
    }

    @Test
    void defaultsAreFilledIn() {
        AgentSettings settings = ((Reading.Usable) SettingsReader.read(good())).settings();
        assertThat(settings.port()).isEqualTo(7070);
        assertThat(settings.gpus().simulatedCount()).isEqualTo(8);
        assertThat(settings.gpus().driver()).isEqualTo(AgentSettings.Driver.AUTO);
        assertThat(settings.rankNice()).isEqualTo(10);
        assertThat(settings.rankUid()).isEmpty();
        assertThat(settings.domains().pod()).isEqualTo("p1");
    }

    @Test
    void everyWrongSettingIsSaidAtOnce() {
        Map<String, String> env = good();
        env.put("MUSTER_NODE", "UPPER");
        env.put("MUSTER_AGENT_PORT", "0");
        env.put("MUSTER_HEALTH_URL", "health");
        env.put("MUSTER_JOB_URL", "http://[broken");
        env.remove("MUSTER_STORE_ROOT");
        env.put("MUSTER_DOMAINS", "rack=r1");
        env.put("MUSTER_GPU_DRIVER", "amd");
        env.put("MUSTER_SIMULATED_GPUS", "many");
        env.put("MUSTER_RANK_UID", "0");
        env.put("MUSTER_RANK_NICE", "20");
        String all = String.join("\n", ((Reading.Unusable) SettingsReader.read(env)).problems());
        assertThat(all)
                .contains("MUSTER_NODE", "MUSTER_AGENT_PORT is 0", "MUSTER_HEALTH_URL is 'health'", "MUSTER_JOB_URL")
                .contains("MUSTER_STORE_ROOT is not set", "names no power", "names no pod", "names no cluster")
                .contains("MUSTER_GPU_DRIVER is 'amd'", "MUSTER_SIMULATED_GPUS is 'many'", "MUSTER_RANK_UID is 0")
                .contains("MUSTER_RANK_NICE is 20");
    }

    @Test
    void unknownDomainLevelsAreSaid() {
        Map<String, String> env = good();
        env.put("MUSTER_DOMAINS", "rack=r1,power=w1,pod=p1,cluster=local,row=3");
        assertThat(((Reading.Unusable) SettingsReader.read(env)).problems()).hasSize(1);
    }

    @Test
    void nothingSetNamesAllThatIsNeeded() {
        assertThat(((Reading.Unusable) SettingsReader.read(Map.of())).problems())
                .hasSize(8);
    }
}
