package io.muster.agent.checks;

import io.muster.contract.agent.GangMember;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.ProbeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * This node must reach the agent of every other member, each within a second, with one more try. What was found about
 * each peer is kept, because only a third node can say which of the two is to blame.
 */
final class TcpPairs implements Check {

    private static final Duration FIRST = Duration.ofSeconds(1);

    /** A peer that is alive but busy is no broken link: the second try waits for as long as a starved agent may need. */
    private static final Duration SECOND = Duration.ofSeconds(5);

    /** One try to reach a peer. */
    interface Reach {
        ProbeResult reach(GangMember peer, Duration limit);
    }

    private final NodeId self;
    private final List<GangMember> members;
    private final Reach probe;
    private volatile List<ProbeResult> pairs = List.of();

    TcpPairs(NodeId self, List<GangMember> members, Reach probe) {
        this.self = self;
        this.members = List.copyOf(members);
        this.probe = probe;
    }

    /** What was found, in member order; empty before the check has ended. */
    List<ProbeResult> pairs() {
        return pairs;
    }

    @Override
    public String name() {
        return "tcp_pairs";
    }

    @Override
    public Finding look() throws InterruptedException {
        List<Future<ProbeResult>> running = new ArrayList<>();
        for (GangMember peer : members) {
            if (!peer.node().equals(self)) {
                FutureTask<ProbeResult> task = new FutureTask<>(() -> twice(peer));
                Thread.ofVirtual().name("pair-" + peer.node()).start(task);
                running.add(task);
            }
        }
        List<ProbeResult> found = new ArrayList<>();
        for (Future<ProbeResult> each : running) {
            try {
                found.add(each.get());
            } catch (ExecutionException bug) {
                throw new IllegalStateException(bug);
            }
        }
        pairs = List.copyOf(found);
        List<String> unreached = found.stream()
                .filter(pair -> !pair.reached())
                .map(ProbeResult::message)
                .toList();
        return unreached.isEmpty()
                ? Finding.pass(found.size() + " of " + found.size() + " other members reached")
                : Finding.fail(unreached.size() + " of " + found.size() + " other members not reached: "
                        + String.join("; ", unreached));
    }

    private ProbeResult twice(GangMember peer) {
        ProbeResult first = probe.reach(peer, FIRST);
        return first.reached() ? first : probe.reach(peer, SECOND);
    }
}
