package io.muster.checkpoint.pace;

import io.muster.checkpoint.catalog.Fence;
import io.muster.checkpoint.catalog.Fences;
import io.muster.checkpoint.member.Membership;
import io.muster.checkpoint.member.Refusals;
import io.muster.checkpoint.member.Standing;
import io.muster.contract.id.JobId;
import io.muster.edge.identity.NodeCaller;
import java.time.Duration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** For the agents of a job's members: when do all save next? */
@RestController
class SavePlanController {

    private final Membership membership;
    private final Fences fences;
    private final PlanSave planSave;

    SavePlanController(Membership membership, Fences fences, PlanSave planSave) {
        this.membership = membership;
        this.fences = fences;
        this.planSave = planSave;
    }

    @GetMapping("/internal/agents/{node}/jobs/{job}/save-plan")
    ResponseEntity<?> next(
            NodeCaller caller,
            @PathVariable JobId job,
            @RequestParam int attempt,
            @RequestParam long step,
            @RequestParam long intervalSeconds) {
        if (PlanRequest.outOfRange(step, intervalSeconds)) {
            return PlanRequest.refusal(step, intervalSeconds);
        }
        if (membership.of(job, caller.node()) instanceof Standing.NotAMember stranger) {
            return Refusals.notPlacedHere(job, caller.node(), stranger);
        }
        return switch (fences.of(job, attempt)) {
            case Fence.Acting() ->
                ResponseEntity.ok(planSave.next(job, attempt, step, Duration.ofSeconds(intervalSeconds)));
            case Fence.Passed(var message) -> Refusals.fenced(message);
            case Fence.NotBegun(var message) -> Refusals.notBegun(message);
        };
    }
}
