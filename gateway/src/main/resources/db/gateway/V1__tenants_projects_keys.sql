create table tenant (
    id         text primary key,
    created_at timestamptz not null
);

create table project (
    tenant_id  text        not null references tenant (id),
    id         text        not null,
    created_at timestamptz not null,
    primary key (tenant_id, id)
);

create table api_key (
    id           text primary key,
    name         text        not null,
    tenant_id    text        not null references tenant (id),
    -- empty: every project of the tenant
    projects     text[]      not null,
    role         text        not null check (role in ('VIEWER', 'ENGINEER', 'SRE', 'ADMIN')),
    -- SHA-256 of the whole secret; 256 random bits need no salt and no slow hash
    secret_hash  bytea       not null check (length(secret_hash) = 32),
    created_at   timestamptz not null,
    last_used_at timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz
);

create index api_key_of_tenant on api_key (tenant_id, id);
