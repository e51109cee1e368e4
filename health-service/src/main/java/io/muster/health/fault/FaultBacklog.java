package io.muster.health.fault;

import io.muster.health.node.AfterCommit;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What could not be written about a fault at once, because another writer had the lock, is written here as soon as that
 * one is done, after the transaction of its hold and in the order in which it came. A consumer of events keeps the lock
 * for a whole batch, which can take seconds under load; nothing that is held or lifted waits for that. What is lost here
 * with the process, or in a full backlog, {@link FaultUpkeep} finds within seconds.
 */
@Component
class FaultBacklog implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(FaultBacklog.class);
    private static final int MOST = 1000;

    private final FaultRepository repository;
    private final TransactionTemplate transaction;
    private final ThreadPoolExecutor writer = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST),
            Thread.ofPlatform().daemon().name("fault-backlog-", 0).factory(),
            (_, executor) -> LOG.warn(
                    "{} stories of faults wait to be written, at most {}: one more is left to be found by upkeep",
                    executor.getQueue().size(),
                    MOST));

    FaultBacklog(FaultRepository repository, TransactionTemplate transaction) {
        this.repository = repository;
        this.transaction = transaction;
    }

    /** Writes in the caller's transaction if nobody else is writing and nothing waits; else after it. */
    void write(String about, Runnable work) {
        if (idle() && repository.lockNow()) {
            work.run();
            return;
        }
        AfterCommit.run(() -> writer.execute(() -> writeLater(about, work)));
    }

    /** So that the end of a hold is not written before its begin. */
    boolean idle() {
        return writer.getQueue().isEmpty() && writer.getActiveCount() == 0;
    }

    private void writeLater(String about, Runnable work) {
        try {
            transaction.executeWithoutResult(status -> {
                repository.lock();
                work.run();
            });
        } catch (RuntimeException e) {
            LOG.warn("the fault of {} is not written now, and found within seconds: {}", about, e.toString());
        }
    }

    @Override
    public void destroy() {
        writer.shutdownNow();
    }
}
