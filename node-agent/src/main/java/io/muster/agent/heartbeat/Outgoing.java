package io.muster.agent.heartbeat;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.ProbeResult;
import java.util.ArrayList;
import java.util.List;

/** Results that wait for the next heartbeat; they stay until one is answered. The oldest of over 512 are dropped. */
final class Outgoing {

    private static final int MOST = 512;

    private final List<CheckResult> checks = new ArrayList<>();
    private final List<ProbeResult> probes = new ArrayList<>();

    record Batch(List<CheckResult> checks, List<ProbeResult> probes) {}

    synchronized void addChecks(List<CheckResult> results) {
        checks.addAll(results);
        trim(checks);
    }

    synchronized void addProbe(ProbeResult result) {
        probes.add(result);
        trim(probes);
    }

    synchronized Batch waiting() {
        return new Batch(List.copyOf(checks), List.copyOf(probes));
    }

    synchronized void delivered(Batch batch) {
        checks.removeAll(batch.checks());
        probes.removeAll(batch.probes());
    }

    private static void trim(List<?> results) {
        if (results.size() > MOST) {
            results.subList(0, results.size() - MOST).clear();
        }
    }
}
