package io.muster.health.operation;

import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.health.query.NodeView;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Tag(name = "nodes", description = "Nodes, their GPUs and what keeps work off them")
class SpareController {

    private final SpareMark mark;

    SpareController(SpareMark mark) {
        this.mark = mark;
    }

    @PutMapping("/api/v1/nodes/{id}/spare")
    @Operation(
            operationId = "keepSpareNode",
            summary = "Keep a node for repairs",
            description =
                    "Repairs of wounded gangs use it first; new jobs are not placed there. What runs there goes on."
                            + " Roles: SRE, ADMIN.")
    @ApiResponse(
            responseCode = "200",
            description = "The node as it is now",
            content = @Content(schema = @Schema(implementation = NodeView.class)))
    @ApiResponse(
            responseCode = "404",
            description = "No such node",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> keep(
            @Parameter(hidden = true) UserCaller caller,
            @Parameter(schema = @Schema(type = "string"), example = "r1-n2") @PathVariable NodeId id) {
        return mark.set(caller, id, true).response();
    }

    @DeleteMapping("/api/v1/nodes/{id}/spare")
    @Operation(
            operationId = "giveSpareNodeBack",
            summary = "Give a spare node back to all jobs",
            description = "Roles: SRE, ADMIN.")
    @ApiResponse(
            responseCode = "200",
            description = "The node as it is now",
            content = @Content(schema = @Schema(implementation = NodeView.class)))
    @ApiResponse(
            responseCode = "404",
            description = "No such node",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> giveBack(
            @Parameter(hidden = true) UserCaller caller,
            @Parameter(schema = @Schema(type = "string"), example = "r1-n2") @PathVariable NodeId id) {
        return mark.set(caller, id, false).response();
    }
}
