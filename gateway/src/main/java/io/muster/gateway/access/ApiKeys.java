package io.muster.gateway.access;

import io.muster.contract.id.TenantId;
import io.muster.edge.id.Ids;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.domain.Limit;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Makes, lists and revokes keys, for administrators only. The last valid ADMIN key cannot be revoked. */
@Service
class ApiKeys {

    private static final Logger log = LoggerFactory.getLogger(ApiKeys.class);

    private final ApiKeyRepository keys;
    private final TenantRepository tenants;
    private final ProjectRepository projects;
    private final KeyCache cache;
    private final Clock clock;
    private final Ids ids;
    private final SecureRandom random = new SecureRandom();

    ApiKeys(
            ApiKeyRepository keys,
            TenantRepository tenants,
            ProjectRepository projects,
            KeyCache cache,
            Clock clock,
            Ids ids) {
        this.keys = keys;
        this.tenants = tenants;
        this.projects = projects;
        this.cache = cache;
        this.clock = clock;
        this.ids = ids;
    }

    @Transactional(readOnly = true)
    Answer<Page<KeyView>> list(UserCaller caller, @Nullable TenantId tenant, PageWish wish) {
        if (!caller.mayAdminister()) {
            return new Answer.Refused<>(Refusals.administratorsOnly(caller, "list API keys"));
        }
        Limit limit = Limit.of(wish.size() + 1);
        List<ApiKeyRow> rows = tenant == null
                ? keys.findByIdGreaterThanOrderById(wish.after(), limit)
                : keys.findByTenantIdAndIdGreaterThanOrderById(tenant.value(), wish.after(), limit);
        return new Answer.Granted<>(wish.page(
                rows.stream().map(row -> KeyView.of(row.toKey())).toList(),
                key -> key.id().value()));
    }

    @Transactional
    Answer<CreatedKey> create(UserCaller caller, KeyRequest request) {
        if (!caller.mayAdminister()) {
            return new Answer.Refused<>(Refusals.administratorsOnly(caller, "create API keys"));
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        Answer<KeyRequest.Wish> checked = request.check(
                tenant -> tenants.existsById(tenant.value()),
                (tenant, project) -> projects.existsById(new ProjectRow.Key(tenant.value(), project.value())),
                now);
        return switch (checked) {
            case Answer.Refused<KeyRequest.Wish>(var problem) -> new Answer.Refused<>(problem);
            case Answer.Granted<KeyRequest.Wish>(var wish) -> new Answer.Granted<>(store(caller, wish, now));
        };
    }

    private CreatedKey store(UserCaller caller, KeyRequest.Wish wish, Instant now) {
        ApiKeySecret secret = ApiKeySecret.generate(ids, random);
        ApiKey key = new ApiKey(
                secret.keyId(),
                wish.name(),
                wish.tenant(),
                wish.projects(),
                wish.role(),
                secret.hash(),
                now,
                null,
                wish.expiresAt(),
                null);
        keys.save(new ApiKeyRow(key));
        log.info("api key created key={} tenant={} role={} by={}", key.id(), key.tenant(), key.role(), caller.keyId());
        return new CreatedKey(KeyView.of(key), secret.value());
    }

    /** Revoking again is harmless. */
    @Transactional
    Answer<KeyId> revoke(UserCaller caller, KeyId id) {
        if (!caller.mayAdminister()) {
            return new Answer.Refused<>(Refusals.administratorsOnly(caller, "revoke API keys"));
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        // before the key is read: the second of two administrators must see what the first one did
        List<String> administrators = keys.lockLiveAdministrators(now);
        Optional<ApiKeyRow> row = keys.findById(id.value());
        if (row.isEmpty()) {
            return new Answer.Refused<>(Refusals.noSuchKey(id));
        }
        if (row.get().toKey().role() == Role.ADMIN && administrators.equals(List.of(id.value()))) {
            return new Answer.Refused<>(Refusals.lastAdministrator(id));
        }
        row.get().revoke(now);
        cache.forget(id);
        log.info("api key revoked key={} by={}", id, caller.keyId());
        return new Answer.Granted<>(id);
    }
}
