package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.inPreflight;
import static io.muster.job.lifecycle.JobFixture.lost;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GangTasksTest {

    private static final PeerKeys KEYS =
            new PeerKeys("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII));

    private static List<GangTask> tasks(Job job, PeerKeys keys) {
        return job.attemptOrThrow().members().stream()
                .flatMap(member -> GangTasks.assignment(job.head(), job.attemptOrThrow(), member, keys).stream())
                .map(Assignment::task)
                .flatMap(Stream::ofNullable)
                .toList();
    }

    @Test
    void everyMemberIsToldOfTheOthersWithTheirRacks() {
        for (GangTask task : tasks(inPreflight(queued(2, 20, 0)), KEYS)) {
            assertThat(task.members())
                    .containsExactly(
                            new GangMember(0, node(0), "127.1.0.0", 7000, "r0"),
                            new GangMember(1, node(1), "127.1.0.1", 7000, "r1"));
        }
    }

    @Test
    void theMembersOfAJobShareAKeyThatNoOtherJobOrSecretHas() {
        Job first = inPreflight(queued(2, 20, 0));
        Job stopped = AttemptDecisions.reported(lost(first, List.of(node(1)), T0), node(0), JobFixture.gone(first), T0);
        Job second = JobFixture.answered(
                StartDecisions.placed(stopped, placement(2, List.of(node(0), new NodeId("s1"))), T0),
                JobFixture.fresh());
        List<String> keys = Stream.concat(tasks(first, KEYS).stream(), tasks(second, KEYS).stream())
                .map(GangTask::peerKey)
                .toList();
        assertThat(keys).hasSize(4);
        assertThat(keys.getFirst()).hasSize(64).matches("[0-9a-f]+");
        assertThat(keys).as("over all attempts").containsOnly(keys.getFirst());
        PeerKeys other = new PeerKeys("another-secret-another-secret-12".getBytes(StandardCharsets.US_ASCII));
        assertThat(tasks(first, other).getFirst().peerKey()).isNotEqualTo(keys.get(0));
        assertThat(KEYS.of(new JobId("job_00000000002"))).isNotEqualTo(keys.get(0));
        assertThat(second.toString() + KEYS + second.notes() + tasks(second, KEYS))
                .as("nowhere but in the task, and not in what it prints")
                .doesNotContain(keys.get(0), keys.get(2));
    }
}
