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
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Tag(name = "nodes", description = "Nodes, their GPUs and what keeps work off them")
class CordonController {

    private final Cordon cordon;

    CordonController(Cordon cordon) {
        this.cordon = cordon;
    }

    @PostMapping("/api/v1/nodes/{id}/cordon")
    @Operation(
            operationId = "cordonNode",
            summary = "Keep new work off a node",
            description = "What runs there goes on. The hold belongs to your key. Roles: SRE, ADMIN.")
    @ApiResponse(
            responseCode = "200",
            description = "The node as it is now",
            content = @Content(schema = @Schema(implementation = NodeView.class)))
    @ApiResponse(
            responseCode = "400",
            description = "The reason is missing",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> cordon(
            @Parameter(hidden = true) UserCaller caller,
            @Parameter(schema = @Schema(type = "string"), example = "r1-n2") @PathVariable NodeId id,
            @RequestBody CordonRequest request) {
        return cordon.cordon(caller, id, request.reason()).response();
    }

    @PostMapping("/api/v1/nodes/{id}/uncordon")
    @Operation(
            operationId = "uncordonNode",
            summary = "Give a cordoned node back",
            description = "Lifts the cordon of your key, and a FLAPPING hold, which waits for a person; nothing else."
                    + " Roles: SRE, ADMIN.")
    @ApiResponse(
            responseCode = "200",
            description = "The node as it is now",
            content = @Content(schema = @Schema(implementation = NodeView.class)))
    @ApiResponse(
            responseCode = "409",
            description = "Only others hold the node; the answer names them",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> uncordon(
            @Parameter(hidden = true) UserCaller caller,
            @Parameter(schema = @Schema(type = "string"), example = "r1-n2") @PathVariable NodeId id) {
        return cordon.uncordon(caller, id).response();
    }
}
