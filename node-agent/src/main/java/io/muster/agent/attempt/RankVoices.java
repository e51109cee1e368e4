package io.muster.agent.attempt;

import io.muster.contract.agent.EnvProfile;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.Progress;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the ranks of an attempt have said: who is ready, how far rank 0 is, what it handed over as the result. */
final class RankVoices implements RankDesk.Listener {

    private final Runnable worthKeeping;
    private final Set<Integer> ready = new TreeSet<>();
    private @Nullable Progress progress;
    private @Nullable Map<String, Object> result;

    /** @param worthKeeping called, without a lock held, after something that must outlive the agent */
    RankVoices(Runnable worthKeeping) {
        this.worthKeeping = worthKeeping;
    }

    synchronized void recall(AttemptRecord record) {
        ready.addAll(record.ready());
        progress = record.progress();
        result = record.result();
    }

    @Override
    public void ready(int rank) {
        boolean fresh;
        synchronized (this) {
            fresh = ready.add(rank);
        }
        if (fresh) {
            worthKeeping.run();
        }
    }

    @Override
    public synchronized void progress(Progress latest) {
        progress = latest;
    }

    @Override
    public void result(Map<String, Object> given) {
        synchronized (this) {
            result = given;
        }
        worthKeeping.run();
    }

    synchronized Set<Integer> ready() {
        return new TreeSet<>(ready);
    }

    synchronized @Nullable Progress progress() {
        return progress;
    }

    synchronized @Nullable Map<String, Object> result() {
        return result;
    }

    /** With torchrun one process stands for all ranks of the node. */
    synchronized boolean isReady(@Nullable GangTask task, int rank) {
        return task != null && task.launch().envProfile() == EnvProfile.TORCHRUN
                ? ready.size() == task.processesPerNode()
                : ready.contains(rank);
    }
}
