-- One row for the life of this database: agents obey only this incarnation.
create table cluster (
    only_one    boolean primary key default true check (only_one),
    cluster_id  text not null,
    incarnation text not null
);
insert into cluster (cluster_id, incarnation) values ('muster', 'inc_' || replace(gen_random_uuid()::text, '-', ''));

create table job (
    job_id           text primary key,
    tenant           text        not null,
    project          text        not null,
    queue            text        not null,
    name             text        not null,
    labels           jsonb       not null,
    spec             text        not null,
    submitted_spec   text        not null,
    nodes            integer     not null,
    gpus             integer     not null,
    phase            text        not null,
    reason           text        not null,
    message          text        not null,
    phase_since      timestamptz not null,
    submitted_at     timestamptz not null,
    ended_at         timestamptz,
    sequence         bigint      not null,
    row_version      bigint      not null,
    generation       integer     not null,
    attempt          integer     not null,
    released         text        not null,
    failed_nodes     text        not null,
    requeued         boolean     not null,
    preflight_rounds integer     not null,
    ran_millis       bigint      not null,
    running_since    timestamptz,
    progress         text,
    result           text,
    wake_at          timestamptz
);
-- a name is taken while a job of that name lives; two submissions at once: one wins
create unique index job_live_name on job (tenant, project, name) where phase not in ('SUCCEEDED', 'FAILED', 'CANCELLED');
create index job_newest on job (tenant, submitted_at desc, job_id desc);
create index job_newest_of_all on job (submitted_at desc, job_id desc);
create index job_wake on job (wake_at) where wake_at is not null;
create index job_by_phase on job (phase, queue);

create table attempt (
    job_id            text        not null references job,
    number            integer     not null,
    generation        integer     not null,
    stage             text        not null,
    ending            text,
    verdict_pending   boolean     not null,
    reached_level     text        not null,
    reached_domain    text        not null,
    restore           text,
    rendezvous        text,
    started_at        timestamptz not null,
    running_at        timestamptz,
    first_bad_exit_at timestamptz,
    ended_at          timestamptz,
    primary key (job_id, number)
);

create table member (
    job_id       text    not null,
    attempt      integer not null,
    node_rank    integer not null,
    node_id      text    not null,
    gpus         text    not null,
    address      text,
    port         integer not null,
    phase        text,
    gone         boolean not null,
    lost         boolean not null,
    alive        boolean not null,
    offered_port integer,
    checks       text    not null,
    ranks        text    not null,
    primary key (job_id, attempt, node_rank),
    foreign key (job_id, attempt) references attempt
);
create index member_of_node on member (node_id) where not gone;

create table timeline (
    entry      bigint generated always as identity primary key,
    job_id     text        not null references job,
    phase      text        not null,
    reason     text        not null,
    message    text        not null,
    attempt    integer     not null,
    generation integer     not null,
    since      timestamptz not null,
    until      timestamptz
);
create index timeline_of_job on timeline (job_id, entry);

create table node_desired (
    node_id  text primary key,
    revision bigint not null
);

create table node_view (
    node_id text primary key,
    session bigint not null,
    state   text   not null
);

create table quota_view (
    only_one boolean primary key default true check (only_one),
    version  bigint not null,
    tree     text   not null
);

create table checkpoint_view (
    job_id text primary key,
    state  text not null
);

create table idempotency (
    tenant     text        not null,
    key        text        not null,
    fingerprint text       not null,
    created_at timestamptz not null,
    job_id     text,
    answer     text,
    primary key (tenant, key)
);
create index idempotency_age on idempotency (created_at);
