package io.muster.job.lifecycle;

import io.muster.contract.id.NodeId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Wakes the long polls of nodes whose desired state has changed through this instance. Changes made by another instance
 * are found by looking again, so a signal that is missed costs a second, never an order.
 */
@Component
class NodeSignals {

    private final ConcurrentHashMap<NodeId, CompletableFuture<Void>> waiting = new ConcurrentHashMap<>();

    /** To be taken before looking: a change after that wakes. */
    CompletableFuture<Void> next(NodeId node) {
        return waiting.computeIfAbsent(node, any -> new CompletableFuture<>());
    }

    static void await(CompletableFuture<Void> signal, Duration most) {
        try {
            signal.get(Math.max(1, most.toMillis()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException nothingYet) {
            return;
        } catch (ExecutionException never) {
            throw new IllegalStateException(never);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
    void changed(JobChanged change) {
        for (NodeId node : change.touched()) {
            CompletableFuture<Void> signal = waiting.remove(node);
            if (signal != null) {
                signal.complete(null);
            }
        }
    }
}
