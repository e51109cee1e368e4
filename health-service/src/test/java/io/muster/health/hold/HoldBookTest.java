package io.muster.health.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.Hold;
import io.muster.health.TestNodes;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class HoldBookTest {

    private static final Instant NOW = TestNodes.NOON;
    private final AtomicInteger count = new AtomicInteger();
    private final Supplier<String> ids = () -> "hold_" + count.incrementAndGet();

    @Test
    void oneMatterIsHeldOnceAndNewEvidenceRenewsIt() {
        HoldBook first = HoldBook.EMPTY.with(byHealth(HoldCause.CHECK_FAILED, "3 GiB free", 1), ids, NOW);
        HoldBook second = first.with(byHealth(HoldCause.CHECK_FAILED, "2 GiB free", 2), ids, NOW.plusSeconds(9));

        assertThat(second.holds()).singleElement().satisfies(hold -> {
            assertThat(hold.holdId()).isEqualTo("hold_1");
            assertThat(hold.since()).isEqualTo(NOW);
            assertThat(hold.message()).isEqualTo("2 GiB free");
            assertThat(hold.session()).isEqualTo(2);
        });
    }

    @Test
    void nobodyLiftsTheHoldOfAnother() {
        HoldBook book = HoldBook.EMPTY
                .with(cordon("key_a"), ids, NOW)
                .with(cordon("key_b"), ids, NOW)
                .with(byHealth(HoldCause.LEASE_EXPIRED, "silent", 1), ids, NOW);

        assertThat(book.liftedBy("key_a", HoldCause.CORDONED).holds())
                .extracting(Hold::owner)
                .containsExactly("key_b", "health");
        assertThat(book.liftedBy("key_c", HoldCause.CORDONED)).isEqualTo(book);
        assertThat(book.liftedBy("key_a", HoldCause.LEASE_EXPIRED)).isEqualTo(book);
    }

    @Test
    void passedChecksLiftWhatHealthOpenedAndNothingElse() {
        HoldBook book = HoldBook.EMPTY
                .with(byHealth(HoldCause.ADMISSION, "new", 2), ids, NOW)
                .with(byHealth(HoldCause.LEASE_EXPIRED, "silent", 1), ids, NOW)
                .with(byHealth(HoldCause.CHECK_FAILED, "disk", 2), ids, NOW)
                .with(cordon("key_a"), ids, NOW);

        assertThat(book.afterPassedChecks(book, 2, Set.of(), NOW).open())
                .extracting(OpenHold::cause)
                .containsExactly(HoldCause.CORDONED);
    }

    @Test
    void passedChecksOfAnEarlierLifeLiftNothingOfALaterOne() {
        HoldBook book = HoldBook.EMPTY.with(byHealth(HoldCause.LEASE_EXPIRED, "silent", 3), ids, NOW);

        assertThat(book.afterPassedChecks(book, 2, Set.of(), NOW)).isEqualTo(book);
        assertThat(book.wantsChecks(2, Set.of(), NOW)).isFalse();
    }

    @Test
    void evidenceThatCameAfterTheAskingStays() {
        HoldBook asked = HoldBook.EMPTY.with(byHealth(HoldCause.LEASE_EXPIRED, "silent", 1), ids, NOW);
        HoldBook later = asked.with(byHealth(HoldCause.CHECK_FAILED, "disk", 2), ids, NOW);

        assertThat(later.afterPassedChecks(asked, 2, Set.of(), NOW).open())
                .extracting(OpenHold::cause)
                .containsExactly(HoldCause.CHECK_FAILED);
    }

    @Test
    void aBlamedNodeStaysOutUntilItsTime() {
        HoldBook book = HoldBook.EMPTY.with(
                new HoldOpening(HoldCause.PREFLIGHT_FAILED, "r1-n1", "blamed", HoldBook.HEALTH, 1, NOW.plusSeconds(60)),
                ids,
                NOW);

        assertThat(book.wantsChecks(1, Set.of(), NOW.plusSeconds(59))).isFalse();
        assertThat(book.wantsChecks(1, Set.of(), NOW.plusSeconds(60))).isTrue();
        assertThat(book.afterPassedChecks(book, 1, Set.of(), NOW.plusSeconds(60))
                        .open())
                .isEmpty();
    }

    @Test
    void aRepeatedBlameNeverShortensTheWait() {
        HoldBook book = HoldBook.EMPTY
                .with(
                        new HoldOpening(
                                HoldCause.PREFLIGHT_FAILED, "r1-n1", "a", HoldBook.HEALTH, 1, NOW.plusSeconds(600)),
                        ids,
                        NOW)
                .with(
                        new HoldOpening(
                                HoldCause.PREFLIGHT_FAILED, "r1-n1", "b", HoldBook.HEALTH, 1, NOW.plusSeconds(60)),
                        ids,
                        NOW);

        assertThat(book.open().getFirst().notBefore()).isEqualTo(NOW.plusSeconds(600));
    }

    @Test
    void aVetoedGpuComesBackOnlyWhenItsAgentWantsItToo() {
        HoldBook book =
                HoldBook.EMPTY.with(HoldOpening.byHealth(HoldCause.GPU_VETOED, "r1-n1/3", "vetoed", 1), ids, NOW);

        assertThat(book.wantsChecks(1, Set.of("r1-n1/3"), NOW)).isFalse();
        assertThat(book.afterPassedChecks(book, 1, Set.of("r1-n1/2"), NOW).open())
                .isEmpty();
    }

    @Test
    void expiredHoldsAreClosedByTheSweepWhoeverOwnsThem() {
        Hold hold = HoldBook.EMPTY.with(cordon("key_a"), ids, NOW).holds().getFirst();
        Hold limited = new Hold(
                hold.holdId(),
                hold.scope(),
                hold.target(),
                hold.effect(),
                hold.cause(),
                hold.message(),
                hold.owner(),
                hold.session(),
                hold.since(),
                NOW.plusSeconds(5));
        HoldBook book = new HoldBook(List.of(new OpenHold(HoldCause.CORDONED, limited, null)));

        assertThat(book.withoutExpired(NOW.plusSeconds(4))).isEqualTo(book);
        assertThat(book.withoutExpired(NOW.plusSeconds(5)).open()).isEmpty();
    }

    private static HoldOpening byHealth(HoldCause cause, String message, long session) {
        return HoldOpening.byHealth(cause, "r1-n1", message, session);
    }

    private static HoldOpening cordon(String owner) {
        return new HoldOpening(HoldCause.CORDONED, "r1-n1", "ticket 4711", owner, 1, null);
    }
}
