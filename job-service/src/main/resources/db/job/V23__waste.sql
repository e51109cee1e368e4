-- what the scheduler gave to a job and when it took it back, by generation: the held time of the waste ledger
create table held_gang (
    job_id     text    not null,
    generation integer not null,
    members    text    not null,
    primary key (job_id, generation)
);

-- when the checkpoints were committed that have been heard of: what is trained again counts from there
create table checkpoint_commit (
    job_id        text        not null,
    checkpoint_id text        not null,
    step          bigint      not null,
    committed_at  timestamptz not null,
    primary key (job_id, checkpoint_id)
);
