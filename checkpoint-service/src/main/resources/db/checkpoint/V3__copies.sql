-- Nodes as health-service tells of them: where a copy in memory really stands, and whether the agent that took it lives.
create table known_node (
    node    text primary key,
    session bigint not null,
    rack    text not null,
    power   text not null,
    address text not null,
    port    integer not null,
    evicted text
);

-- A shard may be safe in memory before it is in the store.
alter table checkpoint_shard alter column path drop not null;

-- Sealed copies in agents' memory. session is the life of the agent when the copy was first told of, and never changes:
-- a later life does not have it. Only of the newest commits and of what is not committed yet.
create table shard_copy (
    job_id        text not null,
    checkpoint_id text not null,
    rank          integer not null,
    node          text not null,
    session       bigint not null,
    told_at       timestamptz not null,
    primary key (checkpoint_id, rank, node),
    foreign key (checkpoint_id, rank) references checkpoint_shard (checkpoint_id, rank)
);
create index shard_copy_of_job on shard_copy (job_id);

alter table checkpoint add column durability text;
update checkpoint set durability = 'DURABLE' where phase = 'COMMITTED';
alter table checkpoint add check ((commit_version is not null) = (durability is not null));

drop index checkpoint_unfinished;
create index checkpoint_unfinished on checkpoint (deadline) where phase in ('RESERVED', 'LOCAL');
create index checkpoint_open_of_job on checkpoint (job_id) where phase in ('RESERVED', 'LOCAL');
create index checkpoint_corrupt_of_job on checkpoint (job_id) where phase = 'CORRUPT';

-- Commits are no longer the only events of a job: version counts commits, event_sequence the events.
alter table job_head add column event_sequence bigint not null default 0;
update job_head set event_sequence = version;

-- The newest commit, if the attempt was told to start from something older.
alter table restore_decision add column newer_id text;
