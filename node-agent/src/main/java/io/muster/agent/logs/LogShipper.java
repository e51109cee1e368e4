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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ships all logs twice a second on its own thread. A store that is away is tried again for ever and said once; nothing
 * else waits for it, except a flush, and that no longer than it was told to.
 */
public final class LogShipper {

    private static final Logger LOG = LoggerFactory.getLogger(LogShipper.class);
    private static final Duration EVERY = Duration.ofMillis(500);

    private final Kernel kernel;
    private final StopSignal stop;
    private final Map<Path, ShippedLog> logs = new ConcurrentSkipListMap<>();
    private volatile boolean storeAway;

    public LogShipper(Kernel kernel, StopSignal stop) {
        this.kernel = kernel;
        this.stop = stop;
    }

    public void start() {
        Thread.ofPlatform().daemon().name("log-shipper").start(() -> {
            while (!stop.pause(EVERY)) {
                logs.keySet().forEach(this::ship);
            }
        });
    }

    public void add(Path local, Path stored) {
        logs.put(local, new ShippedLog(local, stored, ShippedLog.STORE_CAP_BYTES, kernel));
    }

    /** Ships what is there now; false if the store did not take all of it in time. */
    public boolean flush(List<Path> locals, Duration limit) {
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            boolean all = true;
            for (Path local : locals) {
                all &= ship(local);
            }
            return all;
        });
        Thread.ofPlatform().daemon().name("log-flush").start(task);
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException storeHangs) {
            return false;
        } catch (ExecutionException bug) {
            throw new IllegalStateException(bug);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public void remove(List<Path> locals) {
        logs.keySet().removeAll(locals);
    }

    private boolean ship(Path local) {
        ShippedLog log = logs.get(local);
        if (log == null) {
            return true;
        }
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
}
