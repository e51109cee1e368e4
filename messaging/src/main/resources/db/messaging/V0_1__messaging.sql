-- Delivery guarantees of io.muster.messaging; the service's own scripts begin at V1.

-- Which database this is: part of every consumer group and transactional id, because offsets and fencing belong to it.
CREATE TABLE messaging_identity (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id  uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO messaging_identity DEFAULT VALUES;

CREATE TABLE outbox_event (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text        NOT NULL UNIQUE,
    topic      text        NOT NULL,
    key        text        NOT NULL,
    key_hash   integer     NOT NULL CHECK (key_hash >= 0),
    type       text        NOT NULL,
    subject    text        NOT NULL,
    sequence   bigint      NOT NULL,
    time       timestamptz NOT NULL,
    event      text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    sent_at    timestamptz
);
CREATE INDEX outbox_event_unsent ON outbox_event (position) WHERE sent_at IS NULL;
CREATE INDEX outbox_event_sent ON outbox_event (sent_at) WHERE sent_at IS NOT NULL;

-- Who relays a shard; judged by database time only.
CREATE TABLE outbox_relay (
    shard      integer PRIMARY KEY,
    owner      text        NOT NULL,
    term       bigint      NOT NULL,
    expires_at timestamptz NOT NULL
);

-- The next record to apply: written in the transaction that applies, never only in the broker.
CREATE TABLE inbox_offset (
    subscription text    NOT NULL,
    topic        text    NOT NULL,
    partition    integer NOT NULL,
    next_offset  bigint  NOT NULL,
    PRIMARY KEY (subscription, topic, partition)
);

-- The highest sequence applied.
CREATE TABLE inbox_key (
    subscription text   NOT NULL,
    key          text   NOT NULL,
    sequence     bigint NOT NULL,
    PRIMARY KEY (subscription, key)
);

-- What became of each event, for the audit.
CREATE TABLE inbox_event (
    subscription text        NOT NULL,
    event_id     text        NOT NULL,
    key          text        NOT NULL,
    sequence     bigint      NOT NULL,
    outcome      text        NOT NULL CHECK (outcome IN ('APPLIED', 'SUPERSEDED')),
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (subscription, event_id)
);
CREATE INDEX inbox_event_at ON inbox_event (at);

CREATE TABLE inbox_parked_key (
    subscription  text        NOT NULL,
    key           text        NOT NULL,
    topic         text        NOT NULL,
    partition     integer     NOT NULL,
    event_id      text        NOT NULL,
    type          text        NOT NULL,
    sequence      bigint      NOT NULL,
    event         text        NOT NULL,
    reason        text        NOT NULL,
    failed_at     text        NOT NULL,
    parked_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (subscription, key)
);

CREATE TABLE inbox_dead_letter (
    subscription  text        NOT NULL,
    topic         text        NOT NULL,
    partition     integer     NOT NULL,
    record_offset bigint      NOT NULL,
    record_key    bytea,
    record_value  bytea       NOT NULL,
    reason        text        NOT NULL,
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (subscription, topic, partition, record_offset)
);
