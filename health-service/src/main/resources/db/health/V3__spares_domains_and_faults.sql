-- Spares, holds that several nodes share, and faults with what they touch.

alter table node add column spare boolean not null default false;

-- the hold of a domain is on each of its lost nodes, under one id
alter table hold drop constraint hold_pkey;
alter table hold add primary key (hold_id, node_id);

-- what jobs and placements say
create table job_view (
    job_id  text primary key,
    tenant  text        not null,
    phase   text        not null,
    reason  text        not null,
    attempt int         not null,
    told_at timestamptz not null
);

create table job_seat (
    job_id     text    not null,
    generation int     not null,
    node_id    text    not null,
    tenant     text    not null,
    gpus       int     not null,
    held       boolean not null,
    primary key (job_id, generation, node_id)
);
create index job_seat_node on job_seat (node_id) where held;

create table fault (
    fault_id    text primary key,
    layer       text        not null,
    code        text        not null,
    domain      text        not null,
    status      text        not null,
    -- the hold that this fault is the story of; null for the others
    hold_id     text,
    detected_at timestamptz not null,
    resolved_at timestamptz,
    -- when it was last told of, and whether something has been noted since that is not told yet
    told_at     timestamptz not null,
    untold      boolean     not null,
    story       jsonb       not null
);
create unique index fault_of_hold on fault (hold_id) where hold_id is not null;
create index fault_open on fault (layer, code) where status = 'OPEN';
create index fault_untold on fault (told_at) where untold;
create index fault_by_status on fault (status, fault_id);
create index fault_by_domain on fault (domain);

create table fault_node (
    fault_id text not null references fault on delete cascade,
    node_id  text not null,
    primary key (fault_id, node_id)
);
create index fault_node_by_node on fault_node (node_id, fault_id);

create table fault_job (
    fault_id text    not null references fault on delete cascade,
    job_id   text    not null,
    tenant   text    not null,
    -- the job has not recovered from it yet
    live     boolean not null,
    primary key (fault_id, job_id)
);
create index fault_job_live on fault_job (job_id) where live;
create index fault_job_by_tenant on fault_job (tenant, fault_id);

create table fault_phase (
    fault_id text             not null references fault on delete cascade,
    job_id   text             not null,
    phase    text             not null,
    layer    text             not null,
    at       timestamptz      not null,
    seconds  double precision not null,
    primary key (fault_id, job_id, phase)
);
create index fault_phase_at on fault_phase (at);

-- the topic's sequences: one line per key, over all faults of the key
create table fault_sequence (
    event_key text primary key,
    sequence  bigint not null
);
