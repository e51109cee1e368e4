-- Reports of gangs that are about to start, and whom a failed one is blamed on.

create table preflight (
    job_id      text        not null,
    attempt     int         not null,
    created_at  timestamptz not null,
    -- since when there is something to judge: the first failure, or the first question; null: nothing yet
    judged_from timestamptz,
    decided_at  timestamptz,
    blamed      jsonb       not null default '[]',
    message     text        not null default '',
    primary key (job_id, attempt)
);
create index preflight_undecided on preflight (judged_from) where decided_at is null and judged_from is not null;

create table preflight_report (
    job_id      text        not null,
    attempt     int         not null,
    node_id     text        not null,
    report      jsonb       not null,
    received_at timestamptz not null,
    primary key (job_id, attempt, node_id),
    foreign key (job_id, attempt) references preflight on delete cascade
);

create table probe (
    probe_id    text primary key,
    job_id      text        not null,
    attempt     int         not null,
    arbiter     text        not null,
    target      text        not null,
    address     text        not null,
    port        int         not null,
    ordered_at  timestamptz not null,
    reached     boolean,
    message     text,
    foreign key (job_id, attempt) references preflight on delete cascade
);
create index probe_of_preflight on probe (job_id, attempt);
