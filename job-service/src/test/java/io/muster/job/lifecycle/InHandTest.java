package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InHandTest {

    private final InHand inHand = new InHand();

    @Test
    void aJobThatBecomesDueWhileItIsInHandIsLookedAtOnceMore() {
        assertThat(inHand.begin(JobFixture.ID)).isTrue();
        assertThat(inHand.begin(JobFixture.ID)).isFalse();
        assertThat(inHand.begin(JobFixture.ID)).isFalse();
        assertThat(inHand.onceMore(JobFixture.ID)).isTrue();
        assertThat(inHand.onceMore(JobFixture.ID)).isFalse();
        assertThat(inHand.begin(JobFixture.ID)).isTrue();
    }

    /** Whenever somebody comes, a look begins afterwards that sees what made him come; and never two at a time. */
    @Test
    void nobodyComesInVain() throws InterruptedException {
        AtomicInteger due = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        AtomicInteger looking = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            callers.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 20_000; i++) {
                    due.incrementAndGet();
                    if (inHand.begin(JobFixture.ID)) {
                        do {
                            together.addAndGet(looking.getAndIncrement());
                            seen.set(due.get());
                            looking.decrementAndGet();
                        } while (inHand.onceMore(JobFixture.ID));
                    }
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(seen).hasValue(80_000);
        assertThat(together).hasValue(0);
    }
}
