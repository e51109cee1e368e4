package io.muster.checkpoint.catalog;

import io.muster.contract.id.TenantId;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Checkpoints within the tenant of who asks; administrators and operators see all. */
@Service
class FindCheckpoints {

    private final CatalogRepository catalog;

    FindCheckpoints(CatalogRepository catalog) {
        this.catalog = catalog;
    }

    /** Newest first; empty if there is no such job for the caller. */
    @Transactional(readOnly = true)
    Optional<Page<CheckpointView>> ofJob(String id, UserCaller caller, @Nullable String pageToken, int pageSize) {
        TenantId tenant = scope(caller);
        int size = Math.clamp(pageSize, 1, Page.MAX_SIZE);
        String before = pageToken == null ? null : PageToken.decode(pageToken).lastKey();
        return CheckpointIds.readJob(id)
                .flatMap(catalog::head)
                .filter(head -> tenant == null || head.tenant().equals(tenant))
                .map(head -> page(catalog.ofJob(head.jobId(), before, size + 1), size));
    }

    @Transactional(readOnly = true)
    Optional<CheckpointView> one(String id, UserCaller caller) {
        return CheckpointIds.read(id)
                .flatMap(known -> catalog.find(known, scope(caller), null))
                .map(found -> CheckpointView.of(
                        found, List.copyOf(catalog.shards(found.id()).values())));
    }

    private static Page<CheckpointView> page(List<Checkpoint> found, int size) {
        List<CheckpointView> views = found.stream()
                .limit(size)
                .map(checkpoint -> CheckpointView.of(checkpoint, null))
                .toList();
        boolean more = found.size() > size;
        return new Page<>(views, more ? new PageToken(views.getLast().id().value()).encoded() : null);
    }

    private static @Nullable TenantId scope(UserCaller caller) {
        return caller.seesAllTenants() ? null : caller.tenant();
    }
}
