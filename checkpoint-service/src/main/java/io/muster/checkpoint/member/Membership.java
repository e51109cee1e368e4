package io.muster.checkpoint.member;

import io.muster.contract.Topics;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.EventSubscription;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;

/**
 * Says whether an agent may reserve, store and plan for a job: only one whose node the job was placed on. Known from
 * placements alone; before the placement has been heard of, nobody speaks for the job.
 */
@Service
public class Membership {

    private final MembershipRepository members;

    Membership(MembershipRepository members) {
        this.members = members;
    }

    public Standing of(JobId job, NodeId node) {
        int newest = members.newestGeneration(job).orElse(0);
        List<Seat> seats = members.seats(job, node, newest);
        return seats.isEmpty() ? new Standing.NotAMember(newest) : new Standing.Member(seats);
    }

    /** In the consumer's transaction. */
    void record(PlacementState state) {
        members.replace(state);
    }

    @Configuration(proxyBeanMethods = false)
    static class Subscriptions {

        @Bean
        EventSubscription<PlacementState> membersOfPlacements(Membership membership) {
            return new EventSubscription<>(
                    "checkpoint-members",
                    Topics.PLACEMENTS,
                    PlacementState.class,
                    (event, state) -> membership.record(state));
        }
    }
}
