package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes sure, before the port opens, that what the bootstrap file names exists. What exists already stays as it is, also
 * a key that was revoked since. A file that cannot be applied stops the start; the message names the file and never a
 * secret.
 */
@Component
class Bootstrap implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(Bootstrap.class);
    private final AccessSettings settings;
    private final TenantRepository tenants;
    private final ProjectRepository projects;
    private final ApiKeyRepository keys;
    private final TransactionTemplate transactions;
    private final Clock clock;
    private final JsonMapper json;

    Bootstrap(
            AccessSettings settings,
            TenantRepository tenants,
            ProjectRepository projects,
            ApiKeyRepository keys,
            TransactionTemplate transactions,
            Clock clock,
            JsonMapper json) {
        this.settings = settings;
        this.tenants = tenants;
        this.projects = projects;
        this.keys = keys;
        this.transactions = transactions;
        this.clock = clock;
        this.json = json;
    }

    @Override
    public void afterSingletonsInstantiated() {
        @Nullable Path file = settings.bootstrapFile();
        if (file != null) {
            apply(BootstrapFile.read(file, json), file);
        }
    }

    private void apply(BootstrapFile plan, Path file) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        transactions.executeWithoutResult(status -> {
            for (BootstrapFile.PlannedTenant tenant : plan.tenants()) {
                tenants.addIfMissing(tenant.id().value(), now);
                for (ProjectId project : orNone(tenant.projects())) {
                    projects.addIfMissing(tenant.id().value(), project.value(), now);
                }
            }
        });
        for (BootstrapFile.PlannedKey planned : plan.keys()) {
            add(planned, file, now);
        }
    }

    private void add(BootstrapFile.PlannedKey planned, Path file, Instant now) {
        ApiKeySecret secret = planned.parsed();
        Optional<ApiKey> known = keys.findById(secret.keyId().value()).map(ApiKeyRow::toKey);
        if (known.isPresent()) {
            if (!known.get().hash().equals(secret.hash())) {
                log.warn("bootstrap file has another secret for key={}; the stored one stays valid", secret.keyId());
            }
            return;
        }
        ApiKey key = new ApiKey(
                secret.keyId(),
                planned.name(),
                planned.tenant(),
                orNone(planned.projects()),
                planned.role(),
                secret.hash(),
                now,
                null,
                null,
                null);
        try {
            transactions.executeWithoutResult(status -> keys.save(new ApiKeyRow(key)));
            log.info("api key created key={} tenant={} role={} by=bootstrap", key.id(), key.tenant(), key.role());
        } catch (DataIntegrityViolationException e) {
            if (!keys.existsById(key.id().value())) {
                throw new IllegalStateException(
                        "muster.gateway.bootstrap-file " + file + ": key '" + planned.name()
                                + "' cannot be stored; is its tenant '" + planned.tenant() + "' among the tenants?",
                        e);
            }
            log.info("another gateway has created key={} meanwhile", key.id());
        }
    }

    private static List<ProjectId> orNone(@Nullable List<ProjectId> projects) {
        return projects == null ? List.of() : projects;
    }
}
