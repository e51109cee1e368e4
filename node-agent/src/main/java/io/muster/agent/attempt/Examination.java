package io.muster.agent.attempt;

import io.muster.agent.checks.NodeChecks.Preflight;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.node.CheckResult;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an attempt's preflight on this node has found, and the port that rank 0 shall listen on: it stays held from the
 * preflight to the start, so that nobody else gets it. Without a port the preflight is not passed. Its attempt guards it.
 */
final class Examination {

    private static final Logger LOG = LoggerFactory.getLogger(Examination.class);

    private List<CheckResult> checks = List.of();
    private @Nullable Integer offeredMasterPort;
    private @Nullable CheckpointId damaged;
    private @Nullable PortHold port;
    private @Nullable Thread thread;

    void recall(AttemptRecord record) {
        checks = record.checks();
        offeredMasterPort = record.offeredMasterPort();
        damaged = record.damagedCheckpoint();
    }

    boolean isBegun() {
        return thread != null;
    }

    /** On a thread of its own. */
    void begin(AttemptKey key, Runnable preflight) {
        thread = Thread.ofPlatform().daemon().name("preflight-" + key).start(preflight);
    }

    void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Whether ranks may start. */
    boolean passes(AttemptKey key, Preflight found, boolean offersPort, String address) {
        checks = found.checks();
        damaged = found.damaged();
        checks.stream()
                .filter(check -> !check.lets())
                .forEach(check -> LOG.warn("{} {} {}: {}", key, check.check(), check.status(), check.message()));
        if (!found.passed() || !offersPort) {
            return found.passed();
        }
        try {
            PortHold held = PortHold.on(address);
            port = held;
            offeredMasterPort = held.port();
            return true;
        } catch (IOException none) {
            LOG.error("no free port on {} for {}: {}", address, key, none.getMessage());
            return false;
        }
    }

    void releasePort() {
        if (port != null) {
            port.close();
        }
        port = null;
    }

    List<CheckResult> checks() {
        return checks;
    }

    @Nullable
    Integer offeredMasterPort() {
        return offeredMasterPort;
    }

    /** The checkpoint of which a shard has no whole copy anywhere. */
    @Nullable
    CheckpointId damaged() {
        return damaged;
    }
}
