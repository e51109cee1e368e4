package io.muster.quota.tree;

import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
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
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/quota")
@Tag(name = "Quota", description = "Who may use how many GPUs")
class QuotaTreeController {

    private final ReadTree readTree;
    private final ReplaceTree replaceTree;

    QuotaTreeController(ReadTree readTree, ReplaceTree replaceTree) {
        this.readTree = readTree;
        this.replaceTree = replaceTree;
    }

    @GetMapping("/tree")
    @Operation(
            summary = "The quota tree",
            description =
                    "The nodes of the caller's tenant and those open to all; ADMIN and SRE see all. The ETag is its"
                            + " version.")
    ResponseEntity<QuotaTree> tree(@Parameter(hidden = true) UserCaller caller) {
        QuotaTree tree = readTree.tree(caller);
        return TreeAnswers.tagged(tree, tree);
    }

    @PutMapping("/tree")
    @Operation(
            summary = "Replace the quota tree (ADMIN)",
            description =
                    "Judged whole: every violation at once. With dryRun=true nothing is stored; the answer shows the"
                            + " differences and the nodes that already use more than their new limit.")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = TreeAnswers.Change.class)))
    @ApiResponse(responseCode = "400", description = "INVALID_QUOTA_TREE")
    @ApiResponse(responseCode = "412", description = "QUOTA_TREE_CHANGED_MEANWHILE")
    @ApiResponse(responseCode = "428", description = "IF_MATCH_REQUIRED")
    ResponseEntity<?> replace(
            @Parameter(hidden = true) UserCaller caller,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestParam(defaultValue = "false") boolean dryRun,
            @RequestBody TreeDocument document) {
        Long version = TreeRequests.version(ifMatch);
        if (!caller.mayAdminister()) {
            return TreeAnswers.forbidden(caller, "changing the quota tree", "ADMIN");
        }
        if (dryRun) {
            return TreeAnswers.of(replaceTree.preview(document, version));
        }
        return version == null
                ? TreeAnswers.ifMatchMissing()
                : TreeAnswers.of(replaceTree.replace(document, version, caller.keyId()));
    }

    @GetMapping("/nodes")
    @Operation(summary = "The root: guaranteed, limit and used now, and the same of its children")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = NodeUse.class)))
    ResponseEntity<?> root(@Parameter(hidden = true) UserCaller caller) {
        return node(caller, "/");
    }

    @GetMapping("/nodes/{path}")
    @Operation(summary = "A quota node: guaranteed, limit and used now, and the same of its children")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = NodeUse.class)))
    @ApiResponse(responseCode = "404", description = "QUOTA_NODE_NOT_FOUND: no such node, or it is another tenant's")
    ResponseEntity<?> node(
            @Parameter(hidden = true) UserCaller caller,
            @PathVariable @Parameter(description = "names joined by dots", example = "nlp.pretrain") String path) {
        return TreeRequests.path(path)
                .flatMap(node -> readTree.node(node, caller))
                .<ResponseEntity<?>>map(ResponseEntity::ok)
                .orElseGet(() -> TreeAnswers.unknownNode(path));
    }

    @GetMapping("/audit")
    @Operation(summary = "Who changed the tree, when and how, newest first (ADMIN, SRE)")
    ResponseEntity<?> audit(
            @Parameter(hidden = true) UserCaller caller,
            @RequestParam(required = false) @Nullable String pageToken,
            @RequestParam(defaultValue = "50") int pageSize) {
        if (!caller.seesAllTenants()) {
            return TreeAnswers.forbidden(caller, "reading the quota audit", "ADMIN or SRE");
        }
        Long before = TreeRequests.before(pageToken);
        return ResponseEntity.ok(readTree.audit(before, Math.clamp(pageSize, 1, Page.MAX_SIZE)));
    }
}
