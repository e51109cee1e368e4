-- Which nodes there are, what keeps work off them, and who judges their heartbeats.

create table node (
    node_id          text primary key,
    session          bigint      not null,
    session_ended    boolean     not null,
    facts            jsonb       not null,
    facts_at         timestamptz not null,
    inventory_gpus   int         not null,
    agent_address    text        not null,
    agent_port       int         not null,
    rack             text        not null,
    condition        text        not null,
    registered_at    timestamptz not null,
    token_expires_at timestamptz not null,
    sequence         bigint      not null
);

-- two living nodes never stand at one address
create unique index node_address on node (agent_address, agent_port) where not session_ended;
create index node_condition on node (condition, node_id);
create index node_rack on node (rack, node_id);

create table hold (
    hold_id        text primary key,
    node_id        text        not null references node,
    scope          text        not null,
    target         text        not null,
    effect         text        not null,
    cause          text        not null,
    message        text        not null,
    owner          text        not null,
    session        bigint      not null,
    since          timestamptz not null,
    not_before     timestamptz,
    expires_at     timestamptz,
    closed_at      timestamptz,
    closed_because text
);

-- one open hold for one matter
create unique index hold_open on hold (node_id, cause, target, owner) where closed_at is null;
create index hold_history on hold (node_id, cause, since);
create index hold_expiry on hold (expires_at) where closed_at is null and expires_at is not null;

create table join_token (
    token_hash   text primary key,
    node_id      text        not null,
    created_by   text        not null,
    created_at   timestamptz not null,
    expires_at   timestamptz,
    used_at      timestamptz
);

create table check_result (
    node_id     text        not null references node,
    check_name  text        not null,
    status      text        not null,
    required    boolean     not null,
    message     text        not null,
    took_millis bigint      not null,
    agent_time  timestamptz not null,
    received_at timestamptz not null,
    session     bigint      not null,
    primary key (node_id, check_name)
);

-- One row: which instance judges heartbeats. The term rises at every takeover and fences the judge's writes.
create table judge_seat (
    seat    int primary key check (seat = 1),
    term    bigint      not null,
    holder  text        not null,
    address text        not null,
    until   timestamptz not null
);
insert into judge_seat values (1, 0, '', '', 'epoch');
