package io.muster.agent.heartbeat;

import io.muster.agent.checks.NodeChecks;
import io.muster.agent.http.Answer;
import io.muster.agent.http.ServiceClient;
import io.muster.agent.inventory.NodeInventory;
import io.muster.agent.pace.StopSignal;
import io.muster.agent.probe.PeerProbe;
import io.muster.agent.registration.Membership;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.ProbeOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the session open and sends a heartbeat every interval. Checks, probes and facts are made on other threads: a
 * heartbeat only carries what is ready, so a hanging disk or driver never costs the lease. A refused or unanswered
 * heartbeat changes nothing on this node.
 */
public final class HeartbeatLoop {

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatLoop.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(1);
    private static final long FACTS_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

    private final AgentSettings settings;
    private final ServiceClient services;
    private final Membership membership;
    private final Supplier<NodeFacts> inventory;
    private final NodeChecks checks;
    private final ServerClock serverClock;
    private final InstantSource clock;
    private final StopSignal stop;
    private final Outgoing outgoing = new Outgoing();
    private final PeerProbe probe;
    private final AtomicBoolean checking = new AtomicBoolean();
    private final Set<String> probing = ConcurrentHashMap.newKeySet();
    private volatile @Nullable NodeFacts seen;
    private @Nullable NodeFacts told;
    private long toldAtNanos;
    private long sequence;

    public HeartbeatLoop(
            AgentSettings settings,
            ServiceClient services,
            Membership membership,
            Supplier<NodeFacts> inventory,
            NodeChecks checks,
            ServerClock serverClock,
            InstantSource clock,
            StopSignal stop) {
        this.settings = settings;
        this.services = services;
        this.membership = membership;
        this.inventory = inventory;
        this.checks = checks;
        this.serverClock = serverClock;
        this.clock = clock;
        this.stop = stop;
        this.probe = new PeerProbe(settings.node(), settings.address());
    }

    public void start() {
        Thread.ofPlatform().daemon().name("heartbeat").start(this::run);
        Thread.ofPlatform().daemon().name("inventory").start(this::watchInventory);
    }

    private void run() {
        while (!stop.raised()) {
            long begun = System.nanoTime();
            try {
                if (!membership.active()) {
                    membership.enter(services, stop);
                    sequence = 0;
                    told = null;
                    if (membership.active()) {
                        beat();
                        runChecks();
                    }
                } else {
                    beat();
                }
            } catch (RuntimeException bug) {
                LOG.error("heartbeat failed; the next one is sent as usual", bug);
            }
            Duration spent = Duration.ofNanos(System.nanoTime() - begun);
            Duration left = membership.heartbeatEvery().minus(spent);
            stop.pause(left.isNegative() ? Duration.ofMillis(10) : left);
        }
    }

    private void watchInventory() {
        while (!stop.pause(Duration.ofSeconds(1))) {
            seen = inventory.get();
        }
    }

    private @Nullable NodeFacts factsToTell() {
        NodeFacts now = seen;
        if (now == null) {
            return null;
        }
        boolean due =
                told == null || System.nanoTime() - toldAtNanos > FACTS_EVERY_NANOS || NodeInventory.changed(told, now);
        return due ? now : null;
    }

    private void beat() {
        Outgoing.Batch batch = outgoing.waiting();
        NodeFacts facts = factsToTell();
        Instant sent = clock.instant();
        Heartbeat heartbeat =
                new Heartbeat(membership.session(), ++sequence, sent, facts, batch.checks(), batch.probes());
        String path = "/internal/agents/" + settings.node() + "/heartbeat";
        switch (services.post(settings.healthUrl(), path, heartbeat, HeartbeatAnswer.class, PATIENCE)) {
            case Answer.Ok<HeartbeatAnswer> ok -> {
                serverClock.answered(sent, clock.instant(), ok.body().serverTime());
                obey(ok.body(), batch, facts);
            }
            case Answer.Refused<HeartbeatAnswer> refused -> {
                LOG.warn("heartbeat refused status={} {}", refused.status(), refused.detail());
                if (refused.unauthorized()) {
                    membership.ended();
                }
            }
            case Answer.Unreachable<HeartbeatAnswer> away -> LOG.debug("heartbeat unanswered: {}", away.why());
        }
    }

    private void obey(HeartbeatAnswer answer, Outgoing.Batch batch, @Nullable NodeFacts facts) {
        if (answer.registerAgain()) {
            LOG.info("session {} has ended; registering again", membership.session());
            membership.ended();
            return;
        }
        outgoing.delivered(batch);
        if (facts != null) {
            told = facts;
            toldAtNanos = System.nanoTime();
        }
        if (answer.renewed() != null) {
            membership.renewed(answer.renewed());
        }
        if (answer.runChecks()) {
            runChecks();
        }
        answer.probes().forEach(this::execute);
    }

    private void runChecks() {
        if (checking.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("node-checks").start(() -> {
                try {
                    outgoing.addChecks(checks.node());
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                } finally {
                    checking.set(false);
                }
            });
        }
    }

    private void execute(ProbeOrder order) {
        if (probing.size() < 64 && probing.add(order.probeId())) {
            Thread.ofVirtual().name("probe-" + order.probeId()).start(() -> {
                try {
                    outgoing.addProbe(
                            probe.reach(order.probeId(), order.target(), order.address(), order.port(), PROBE_LIMIT));
                } finally {
                    probing.remove(order.probeId());
                }
            });
        }
    }
}
