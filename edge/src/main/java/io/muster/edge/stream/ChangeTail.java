package io.muster.edge.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Follows the change log for all streams of this instance: every poll gives numbers to new marks, whichever instance made
 * them, and lets the feeds read on. It runs also when nobody listens, more slowly, so that marks do not pile up. While the
 * database is away the streams wait; nothing is lost, because the marks are in it.
 */
final class ChangeTail implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ChangeTail.class);

    /** Before the web server, so that no stream begins before the feeds know where they are; and ends after it. */
    private static final int PHASE = 0;

    private final ChangeLog changes;
    private final List<ChangeFeed<?>> feeds;
    private final Streams streams;
    private final StreamSettings settings;
    private volatile @Nullable Running running;

    private record Running(Thread thread, CountDownLatch stopped) {}

    ChangeTail(ChangeLog changes, List<ChangeFeed<?>> feeds, Streams streams, StreamSettings settings) {
        this.changes = changes;
        this.feeds = List.copyOf(feeds);
        this.streams = streams;
        this.settings = settings;
    }

    @Override
    public void start() {
        long newest = changes.newest();
        feeds.forEach(feed -> feed.startAt(newest));
        CountDownLatch stopped = new CountDownLatch(1);
        running = new Running(Thread.ofVirtual().name("change-tail").start(() -> run(stopped)), stopped);
    }

    private void run(CountDownLatch stopped) {
        boolean away = false;
        try {
            while (!stopped.await(pause().toMillis(), TimeUnit.MILLISECONDS)) {
                away = poll(away);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration pause() {
        return streams.open() == 0 ? settings.idlePoll() : settings.poll();
    }

    private boolean poll(boolean wasAway) {
        try {
            changes.number();
            long newest = changes.newest();
            feeds.forEach(feed -> feed.advance(newest));
            return false;
        } catch (RuntimeException e) {
            if (!wasAway) {
                log.warn("changes cannot be read; streams wait until they can", e);
            }
            return true;
        }
    }

    @Override
    public void stop() {
        Running was = running;
        running = null;
        if (was != null) {
            was.stopped().countDown();
            try {
                was.thread().join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
