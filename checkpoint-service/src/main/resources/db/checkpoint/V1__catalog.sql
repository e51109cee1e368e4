-- Who may speak for a job: its members by generation, as placements say.
create table job_placement (
    job_id            text primary key,
    newest_generation integer not null
);

create table job_member (
    job_id     text not null,
    generation integer not null,
    node       text not null,
    released   boolean not null,
    primary key (job_id, generation, node)
);

-- One row for each job, locked by everything that reserves, stores, commits or restores: fence and newest commit change
-- one after another. version counts commits; it is the sequence of the job's events.
create table job_head (
    job_id        text primary key,
    tenant        text not null,
    project       text not null,
    fence         integer not null default 0,
    version       bigint not null default 0,
    checkpoint_id text
);

-- What an attempt was told to start from. Asked again, the same attempt hears the same.
create table restore_decision (
    job_id        text not null,
    attempt       integer not null check (attempt > 0),
    world_size    integer not null check (world_size > 0),
    resume_from   text not null,
    verdict       text not null,
    checkpoint_id text,
    step          bigint not null,
    message       text not null,
    decided_at    timestamptz not null,
    primary key (job_id, attempt)
);

create table checkpoint (
    id             text primary key,
    job_id         text not null references job_head (job_id),
    attempt        integer not null,
    step           bigint not null,
    world_size     integer not null,
    phase          text not null,
    parent_id      text,
    reserved_at    timestamptz not null,
    deadline       timestamptz not null,
    ended_at       timestamptz,
    commit_version bigint,
    size_bytes     bigint not null default 0,
    reason         text,
    unique (job_id, attempt, step),
    check ((phase = 'COMMITTED') <= (commit_version is not null and ended_at is not null))
);

-- The order of commits of a job has no ties.
create unique index checkpoint_commit_order on checkpoint (job_id, commit_version) where commit_version is not null;
create index checkpoint_unfinished on checkpoint (deadline) where phase = 'RESERVED';

create table checkpoint_shard (
    checkpoint_id text not null references checkpoint (id),
    rank          integer not null,
    path          text not null,
    size_bytes    bigint not null,
    sha256        text not null,
    node          text not null,
    stored_at     timestamptz not null,
    primary key (checkpoint_id, rank)
);

-- The steps that all ranks of an attempt save at, once said never changed; and how fast it trains.
create table save_step (
    job_id  text not null,
    attempt integer not null,
    step    bigint not null,
    primary key (job_id, attempt, step)
);

create table save_pace (
    job_id        text not null,
    attempt       integer not null,
    highest_step  bigint not null,
    planned_from  bigint not null,
    planned_at    timestamptz not null,
    planned_step  bigint not null,
    distance      bigint not null,
    primary key (job_id, attempt)
);
