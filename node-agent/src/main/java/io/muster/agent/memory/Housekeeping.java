package io.muster.agent.memory;

import io.muster.agent.pace.StopSignal;
import io.muster.contract.id.JobId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets go of the shards of jobs that have no attempt here any more. They stay for a while longer than a gang waits for
 * its repair, because the next attempt may come back to this node; room for others is made with them before that.
 */
public final class Housekeeping {

    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration STAY = Duration.ofMinutes(15);

    private final ShardMemory memory;
    private final UnaryOperator<Set<JobId>> living;
    private final Map<JobId, Long> aloneSince = new HashMap<>();

    /** @param living of these jobs in memory, and all others, those that have attempts here */
    public Housekeeping(ShardMemory memory, UnaryOperator<Set<JobId>> living) {
        this.memory = memory;
        this.living = living;
    }

    public void start(StopSignal stop) {
        Thread.ofPlatform().daemon().name("memory").start(() -> {
            while (!stop.pause(EVERY)) {
                lookAndGoOn(System.nanoTime());
            }
        });
    }

    private void lookAndGoOn(long now) {
        try {
            look(now);
        } catch (RuntimeException bug) {
            LOG.error("looking for shards to let go failed; it goes on", bug);
        }
    }

    void look(long now) {
        Set<JobId> held = memory.jobs();
        Set<JobId> here = living.apply(held);
        aloneSince.keySet().removeIf(job -> here.contains(job) || !held.contains(job));
        for (JobId job : held) {
            if (!here.contains(job) && now - aloneSince.computeIfAbsent(job, any -> now) > STAY.toNanos()) {
                LOG.info("shards of {} are let go: no attempt of it has been here for {}", job, STAY);
                memory.forget(job);
            }
        }
    }
}
