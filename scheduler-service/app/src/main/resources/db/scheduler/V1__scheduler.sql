-- What others own, as scheduler-service last heard it: the whole state of each key. changed_in is the transaction that
-- wrote the row; the decision thread asks for everything that was not visible to its last reading (see
-- ProjectionRepository).
CREATE TABLE job_projection (
    job_id     text   PRIMARY KEY,
    sequence   bigint NOT NULL,
    ended      boolean NOT NULL,
    changed_in xid8   NOT NULL,
    state      jsonb  NOT NULL
);
CREATE INDEX job_projection_changed ON job_projection (changed_in);
CREATE INDEX job_projection_open ON job_projection (job_id) WHERE NOT ended;

CREATE TABLE node_projection (
    node       text   PRIMARY KEY,
    sequence   bigint NOT NULL,
    changed_in xid8   NOT NULL,
    state      jsonb  NOT NULL
);
CREATE INDEX node_projection_changed ON node_projection (changed_in);

CREATE TABLE quota_projection (
    key        text   PRIMARY KEY,
    sequence   bigint NOT NULL,
    changed_in xid8   NOT NULL,
    state      jsonb  NOT NULL
);

-- Who decides. One row; time is the database's alone. last_commit keeps commit times from running backwards when the
-- database's clock is set back.
CREATE TABLE leadership (
    one         boolean     PRIMARY KEY DEFAULT true CHECK (one),
    epoch       bigint      NOT NULL,
    holder      text        NOT NULL,
    expires_at  timestamptz NOT NULL,
    last_commit timestamptz NOT NULL
);
INSERT INTO leadership (epoch, holder, expires_at, last_commit) VALUES (0, 'nobody', '-infinity', 'epoch');

-- Which job holds which GPU. position rises with every change, in commit order (commits are serial by the lock on
-- leadership): it is the sequence of the placement events and the cursor of repair.
CREATE SEQUENCE placement_position;

CREATE TABLE allocation (
    job_id         text        NOT NULL,
    generation     integer     NOT NULL CHECK (generation > 0),
    epoch          bigint      NOT NULL,
    tenant         text        NOT NULL,
    project        text        NOT NULL,
    queue          text        NOT NULL,
    reached_level  text        NOT NULL,
    reached_domain text        NOT NULL,
    placed_at      timestamptz NOT NULL,
    ended_at       timestamptz,
    position       bigint      NOT NULL,
    PRIMARY KEY (job_id, generation)
);
CREATE UNIQUE INDEX one_live_allocation_of_a_job ON allocation (job_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX allocation_position ON allocation (position);

CREATE TABLE allocation_member (
    job_id     text        NOT NULL,
    generation integer     NOT NULL,
    node_rank  integer     NOT NULL,
    node       text        NOT NULL,
    gpus       integer[]   NOT NULL,
    since      timestamptz NOT NULL,
    until      timestamptz,
    PRIMARY KEY (job_id, generation, node_rank),
    UNIQUE (job_id, generation, node),
    FOREIGN KEY (job_id, generation) REFERENCES allocation (job_id, generation),
    CHECK (until IS NULL OR until >= since)
);

-- The last guard, beneath every line of code: a GPU is in at most one live allocation. Rows leave with the member's
-- release; the history is in allocation_member.
CREATE TABLE held_gpu (
    node       text    NOT NULL,
    gpu        integer NOT NULL,
    job_id     text    NOT NULL,
    generation integer NOT NULL,
    PRIMARY KEY (node, gpu),
    FOREIGN KEY (job_id, generation) REFERENCES allocation (job_id, generation)
);
CREATE INDEX held_gpu_of_allocation ON held_gpu (job_id, generation);
