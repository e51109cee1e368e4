package io.muster.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.memory.HeldShard.Origin;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetentionTest {

    private static final JobId JOB = new JobId("job_0000000001");
    private static final JobId OTHER = new JobId("job_0000000002");

    private static HeldShard shard(JobId job, int attempt, long step, @Nullable String checkpoint) {
        CheckpointId id = checkpoint == null ? null : new CheckpointId("chk_000000000" + checkpoint);
        return new HeldShard(job, attempt, 0, step, Origin.OWN, 10, "h", id);
    }

    @Test
    void theNewestTwoCommittedAndWhatIsNewerStay() {
        HeldShard one = shard(JOB, 1, 10, "1");
        HeldShard two = shard(JOB, 1, 20, "2");
        HeldShard open = shard(JOB, 1, 25, null);
        HeldShard three = shard(JOB, 2, 15, "3");
        HeldShard next = shard(JOB, 2, 30, null);
        assertThat(Retention.overtaken(List.of(one, two, open, three, next), none -> false))
                .containsExactly(one, open);
        assertThat(Retention.overtaken(List.of(open, next), none -> false))
                .as("nothing is committed")
                .isEmpty();
    }

    /** Copies that came to be here in different attempts are one checkpoint all the same. */
    @Test
    void aCheckpointCountsOnceHoweverItsShardsCameHere() {
        HeldShard own = shard(JOB, 1, 20, "2");
        HeldShard fetched = shard(JOB, 2, 20, "2");
        HeldShard older = shard(JOB, 1, 10, "1");
        assertThat(Retention.overtaken(List.of(older, own, fetched), none -> false))
                .isEmpty();
    }

    @Test
    void jobsThatAreGoneMakeRoomFirstThenOlderCommitsNeverTheNewestOrWhatIsOnItsWay() {
        HeldShard one = shard(JOB, 1, 10, "1");
        HeldShard two = shard(JOB, 1, 20, "2");
        HeldShard open = shard(JOB, 1, 30, null);
        HeldShard gone = shard(OTHER, 1, 99, "9");
        assertThat(Retention.dispensable(List.of(one, two, open, gone), Set.of(JOB), none -> false))
                .containsExactly(gone, one);
    }

    @Test
    void whatTheStoreStillNeedsIsNeitherOvertakenNorGivenUp() {
        HeldShard one = shard(JOB, 1, 10, "1");
        HeldShard two = shard(JOB, 1, 20, "2");
        HeldShard three = shard(JOB, 1, 30, "3");
        List<HeldShard> all = List.of(one, two, three);
        assertThat(Retention.overtaken(all, one::equals)).isEmpty();
        assertThat(Retention.dispensable(all, Set.of(JOB), one::equals)).containsExactly(two);
        assertThat(Retention.dispensable(all, Set.of(), one::equals))
                .as("a job that is gone pins nothing")
                .containsExactly(one, two, three);
    }
}
