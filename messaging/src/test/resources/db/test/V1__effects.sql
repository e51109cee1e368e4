-- One row per call of a handler that was committed: twice for one event would show.
CREATE TABLE effect (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription text   NOT NULL,
    event_id     text   NOT NULL,
    key          text   NOT NULL,
    sequence     bigint NOT NULL,
    value        bigint NOT NULL,
    instance     text   NOT NULL
);
