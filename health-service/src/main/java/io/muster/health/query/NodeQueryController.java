package io.muster.health.query;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.problem.Problems;
import io.muster.health.node.NodeFilter;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Tag(name = "nodes", description = "Nodes, their GPUs and what keeps work off them")
class NodeQueryController {

    private final NodeViews views;

    NodeQueryController(NodeViews views) {
        this.views = views;
    }

    @GetMapping("/api/v1/nodes")
    @Operation(
            operationId = "listNodes",
            summary = "List nodes",
            description = "In the order of their names. Everybody may read nodes: nothing in them belongs to a tenant.")
    @ApiResponse(responseCode = "200", description = "A page of nodes")
    Page<NodeView> list(
            @Parameter(hidden = true) UserCaller caller,
            @RequestParam(required = false) @Nullable NodeCondition condition,
            @Parameter(example = "r1") @RequestParam(required = false) @Nullable String rack,
            @RequestParam(required = false) @Nullable String pageToken,
            @Parameter(description = "1 to 500") @RequestParam(defaultValue = "50") int pageSize) {
        return views.page(new NodeFilter(condition, rack), pageToken, Math.clamp(pageSize, 1, Page.MAX_SIZE));
    }

    @GetMapping("/api/v1/nodes/{id}")
    @Operation(
            operationId = "getNode",
            summary = "Look at a node",
            description = "With its GPUs, holds, checks and newest faults.")
    @ApiResponse(
            responseCode = "200",
            description = "The node",
            content = @Content(schema = @Schema(implementation = NodeView.class)))
    @ApiResponse(
            responseCode = "404",
            description = "No such node",
            content = @Content(schema = @Schema(implementation = Problem.class)))
    ResponseEntity<?> get(
            @Parameter(hidden = true) UserCaller caller,
            @Parameter(schema = @Schema(type = "string"), example = "r1-n2") @PathVariable NodeId id) {
        return views.find(caller, id)
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> Problems.answer(NodeViews.unknown(id)));
    }
}
