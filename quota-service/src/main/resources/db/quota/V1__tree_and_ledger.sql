-- Every version of the tree is kept: it is small, and the audit names versions.
create table quota_tree_version (
    version  bigint primary key check (version > 0),
    document jsonb not null,
    made_at  timestamptz not null
);

-- One row, locked by whoever replaces the tree: versions rise one by one.
create table quota_tree_head (
    only_row boolean primary key default true check (only_row),
    version  bigint not null references quota_tree_version (version)
);

create table quota_audit (
    version     bigint primary key references quota_tree_version (version),
    key_id      text not null,
    made_at     timestamptz not null,
    differences jsonb not null
);

-- One row for each stretch of time in which a job held GPUs on a node. Times are whole milliseconds since 1970, so that
-- sums are exact.
create table ledger_interval (
    job_id       text not null,
    node         text not null,
    since_millis bigint not null,
    until_millis bigint,
    generation   integer not null,
    gpus         integer not null check (gpus >= 0),
    tenant       text not null,
    project      text not null,
    queue        text not null,
    primary key (job_id, node, since_millis),
    check (until_millis is null or until_millis >= since_millis)
);

create index ledger_interval_by_time on ledger_interval (tenant, since_millis);
create index ledger_interval_held on ledger_interval (queue) where until_millis is null;
