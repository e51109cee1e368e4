package io.muster.checkpoint.catalog;

import io.muster.checkpoint.member.Membership;
import io.muster.checkpoint.member.Refusals;
import io.muster.checkpoint.member.Seat;
import io.muster.checkpoint.member.Standing;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.problem.Violation;
import io.muster.edge.identity.NodeCaller;
import java.util.List;
import java.util.function.Function;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** For the agents of a job's members: reserve a checkpoint, report shards. */
@RestController
@RequestMapping("/internal/agents/{node}/checkpoints")
class AgentCheckpointController {

    private final Membership membership;
    private final Reservations reservations;
    private final StoreShards storeShards;

    AgentCheckpointController(Membership membership, Reservations reservations, StoreShards storeShards) {
        this.membership = membership;
        this.reservations = reservations;
        this.storeShards = storeShards;
    }

    @PostMapping
    ResponseEntity<?> reserve(NodeCaller caller, @RequestBody ReserveCheckpoint request) {
        return asMember(
                caller,
                request.jobId(),
                RequestRules.of(request),
                seats -> ResponseEntity.ok(reservations.reserve(request)));
    }

    @PostMapping("/{id}/shards")
    ResponseEntity<?> store(NodeCaller caller, @PathVariable CheckpointId id, @RequestBody ReportShards report) {
        return asMember(
                caller,
                report.jobId(),
                RequestRules.of(report),
                seats -> CatalogAnswers.of(storeShards.take(id, report, caller.node(), seats)));
    }

    private ResponseEntity<?> asMember(
            NodeCaller caller, JobId job, List<Violation> wrong, Function<List<Seat>, ResponseEntity<?>> action) {
        if (!wrong.isEmpty()) {
            return CatalogAnswers.malformed(wrong);
        }
        return switch (membership.of(job, caller.node())) {
            case Standing.Member(var seats) -> action.apply(seats);
            case Standing.NotAMember stranger -> Refusals.notPlacedHere(job, caller.node(), stranger);
        };
    }
}
