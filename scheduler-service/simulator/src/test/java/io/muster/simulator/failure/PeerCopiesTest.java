package io.muster.simulator.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PeerCopiesTest {

    private static final ClusterPlan CLUSTER = ClusterPlan.ofTenThousandGpus();
    private static final PeerCopies COPIES =
            PeerCopies.of(IntStream.range(0, 1_224).toArray(), CLUSTER);

    private static boolean wholeWithout(IntStream lost) {
        long[] lostAt = new long[CLUSTER.nodes()];
        Arrays.fill(lostAt, -1);
        lost.forEach(node -> lostAt[node] = 100);
        return COPIES.whole(50, lostAt);
    }

    @Test
    void aRackMayBeLost() {
        assertThat(wholeWithout(IntStream.range(10, 15))).isTrue();
    }

    /** The copy lies in the next rack, which mostly hangs on the same leaf. */
    @Test
    void aLeafTakesBothCopies() {
        assertThat(wholeWithout(IntStream.range(25, 50))).isFalse();
    }

    @Test
    void theLastRackCopiesToTheFirst() {
        assertThat(wholeWithout(IntStream.of(1_223, 0))).isFalse();
        assertThat(wholeWithout(IntStream.of(1_223, 1))).isTrue();
    }

    @Test
    void memoriesLostBeforeTheSaveDoNotCount() {
        long[] lostAt = new long[CLUSTER.nodes()];
        Arrays.fill(lostAt, 49);
        assertThat(COPIES.whole(50, lostAt)).isTrue();
        assertThat(COPIES.whole(49, lostAt)).isFalse();
    }

    @Test
    void inOneRackThereIsNoCopy() {
        PeerCopies one = PeerCopies.of(new int[] {0, 1, 2}, CLUSTER);
        long[] lostAt = new long[CLUSTER.nodes()];
        Arrays.fill(lostAt, -1);
        assertThat(one.whole(0, lostAt)).isFalse();
    }
}
