package io.muster.agent.logs;

import io.muster.agent.pace.StopSignal;
import io.muster.agent.process.Kernel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ships all logs twice a second on its own thread. A store that is away is tried again for ever and said once; nothing
 * else waits for it, except a flush, and that no longer than it was told to. However often a log is flushed while the
 * store hangs, one thread at most hangs for that log.
 */
public final class LogShipper {

    private static final Logger LOG = LoggerFactory.getLogger(LogShipper.class);
    private static final Duration EVERY = Duration.ofMillis(500);

    private final Kernel kernel;
    private final StopSignal stop;
    private final Map<Path, Line> lines = new ConcurrentSkipListMap<>();
    private volatile boolean storeAway;

    public LogShipper(Kernel kernel, StopSignal stop) {
        this.kernel = kernel;
        this.stop = stop;
    }

    /** One log, and its flush that has not ended yet. */
    private final class Line {

        private final Path local;
        private final ShippedLog log;
        private @Nullable FutureTask<Boolean> flushing;

        Line(Path local, ShippedLog log) {
            this.local = local;
            this.log = log;
        }

        boolean ship() {
            try {
                log.ship();
                storeAway = false;
                return true;
            } catch (IOException away) {
                if (!storeAway) {
                    LOG.warn("{} cannot be shipped: {}; trying again", local, away.toString());
                }
                storeAway = true;
                return false;
            }
        }

        /** A flush that began before this call may have missed the last bytes: it is awaited, and then one more made. */
        boolean flush(long until) throws InterruptedException, TimeoutException, ExecutionException {
            while (true) {
                FutureTask<Boolean> fresh = new FutureTask<>(this::ship);
                FutureTask<Boolean> task;
                synchronized (this) {
                    FutureTask<Boolean> earlier = flushing;
                    task = earlier == null || earlier.isDone() ? fresh : earlier;
                    flushing = task;
                }
                if (task == fresh) {
                    Thread.ofPlatform().daemon().name("log-flush").start(task);
                }
                boolean shipped = task.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (task == fresh) {
                    return shipped;
                }
            }
        }
    }

    public void start() {
        Thread.ofPlatform().daemon().name("log-shipper").start(() -> {
            while (!stop.pause(EVERY)) {
                lines.values().forEach(Line::ship);
            }
        });
    }

    public void add(Path local, Path stored) {
        lines.computeIfAbsent(
                local, any -> new Line(local, new ShippedLog(local, stored, ShippedLog.STORE_CAP_BYTES, kernel)));
    }

    /** Ships what is there now; false if the store did not take all of it in time. Call it with no lock held. */
    public boolean flush(List<Path> locals, Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        try {
            boolean all = true;
            for (Path local : locals) {
                Line line = lines.get(local);
                all &= line == null || line.flush(until);
            }
            return all;
        } catch (TimeoutException storeHangs) {
            return false;
        } catch (ExecutionException bug) {
            throw new IllegalStateException(bug);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether all that these logs hold now is in the store; answers at once, however the store is. */
    public boolean isWhole(List<Path> locals) {
        return locals.stream().allMatch(local -> {
            Line line = lines.get(local);
            return line == null || line.log.isWhole();
        });
    }

    public void remove(List<Path> locals) {
        lines.keySet().removeAll(locals);
    }
}
