package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Looks at every job that waits for another service's answer or for a moment. It is woken by changes made here and looks
 * by itself four times a second, which also finds what other instances left. A look may be repeated at any time: each
 * step checks under the job's lock that it is still due.
 */
@Component
class Reconciler implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
    private static final long LOOK_MILLIS = 250;
    private static final int MOST_AT_ONCE = 64;
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final WakeStore due;
    private final JobSteps steps;
    private final JobWriter writer;
    private final Semaphore woken = new Semaphore(0);
    private final InHand inHand = new InHand();
    private volatile boolean running;
    private Thread loop = Thread.ofVirtual().unstarted(() -> {});
    private ExecutorService looks = Executors.newVirtualThreadPerTaskExecutor();

    Reconciler(WakeStore due, JobSteps steps, JobWriter writer) {
        this.due = due;
        this.steps = steps;
        this.writer = writer;
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
    void changed(JobChanged change) {
        if (change.due()) {
            woken.release();
        }
    }

    @Override
    public synchronized void start() {
        running = true;
        looks = Executors.newVirtualThreadPerTaskExecutor();
        loop = Thread.ofPlatform().daemon().name("job-reconciler").start(this::run);
    }

    @Override
    public synchronized void stop() {
        running = false;
        woken.release();
        try {
            loop.join(TimeUnit.SECONDS.toMillis(3));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        looks.shutdownNow();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void run() {
        while (running) {
            try {
                if (woken.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    woken.drainPermits();
                }
                due.take(writer.now(), MOST_AT_ONCE, LEASE).forEach(this::look);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException unavailable) {
                log.warn(
                        "jobs that are due could not be read; looking again in {} ms: {}",
                        LOOK_MILLIS,
                        unavailable.toString());
            }
        }
    }

    private void look(JobId job) {
        if (running && inHand.begin(job)) {
            looks.execute(() -> {
                do {
                    lookOnce(job);
                } while (inHand.onceMore(job));
            });
        }
    }

    private void lookOnce(JobId job) {
        try {
            steps.take(job);
        } catch (RuntimeException | Error failed) {
            // an error too: a job that stayed in hand would never be looked at again
            log.warn("job={} could not be led on; looking again in {} s", job, LEASE.toSeconds(), failed);
        }
    }
}
