package io.muster.checkpoint.member;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The members of jobs without SQL, and the real {@link Membership} on them. */
public final class RememberedMembers {

    private final Table<JobId, TreeMap<Integer, PlacementState>> placements;
    private final Membership membership;

    public RememberedMembers(Database database) {
        this.placements = new Table<>(database);
        this.membership = new Membership(new Rows());
    }

    public Membership membership() {
        return membership;
    }

    public void record(PlacementState state) {
        membership.record(state);
    }

    @SuppressWarnings("NullAway")
    private final class Rows extends MembershipRepository {

        private Rows() {
            super((JdbcClient) null, (JdbcOperations) null);
        }

        @Override
        void replace(PlacementState state) {
            TreeMap<Integer, PlacementState> all =
                    new TreeMap<>(placements.find(state.jobId()).orElseGet(TreeMap::new));
            all.put(state.generation(), state);
            placements.put(state.jobId(), all);
        }

        @Override
        Optional<Integer> newestGeneration(JobId job) {
            return placements.find(job).map(TreeMap::lastKey);
        }

        @Override
        List<Seat> seats(JobId job, NodeId node, int newestGeneration) {
            List<Seat> seats = new ArrayList<>();
            placements.find(job).orElseGet(TreeMap::new).descendingMap().forEach((generation, state) -> {
                for (PlacedMember member : state.members()) {
                    if (member.node().equals(node) && (generation == newestGeneration || member.until() == null)) {
                        seats.add(new Seat(
                                generation, member.nodeRank(), state.members().size()));
                    }
                }
            });
            return seats;
        }
    }
}
