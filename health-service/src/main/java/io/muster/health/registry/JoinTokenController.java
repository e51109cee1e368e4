package io.muster.health.registry;

import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Tag(name = "nodes", description = "Nodes, their GPUs and what keeps work off them")
class JoinTokenController {

    private final JoinTokens tokens;

    JoinTokenController(JoinTokens tokens) {
        this.tokens = tokens;
    }

    @PostMapping("/api/v1/nodes/join-tokens")
    @Operation(
            operationId = "createJoinToken",
            summary = "Let a node join",
            description =
                    "Makes a one-time join token for one node. The secret is shown in this answer only; its hash is"
                            + " kept. Roles: SRE, ADMIN.")
    @ApiResponse(
            responseCode = "201",
            description = "The token",
            content = @Content(schema = @Schema(implementation = JoinToken.class)))
    @ApiResponse(
            responseCode = "400",
            description = "Node or end is not usable",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    @ApiResponse(
            responseCode = "403",
            description = "The role may not",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> create(@Parameter(hidden = true) UserCaller caller, @RequestBody JoinTokenRequest request) {
        return switch (tokens.make(caller, request)) {
            case JoinTokens.Answer.Made(var token) ->
                ResponseEntity.status(HttpStatus.CREATED).body(token);
            case JoinTokens.Answer.Refused(var problem) -> Problems.answer(problem);
        };
    }
}
