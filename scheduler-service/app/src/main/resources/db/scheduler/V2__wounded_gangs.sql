-- A member that was lost with its node, and not given back by its agent: the gang is wounded until it is repaired.
ALTER TABLE allocation_member ADD COLUMN lost boolean NOT NULL DEFAULT false;
ALTER TABLE allocation_member ADD CONSTRAINT lost_is_free CHECK (NOT lost OR until IS NOT NULL);

-- The generation that took over the healthy members at ended_at; their rows in held_gpu moved to it.
ALTER TABLE allocation ADD COLUMN repaired_by integer;
ALTER TABLE allocation ADD CONSTRAINT repaired_is_ended
    CHECK (repaired_by IS NULL OR (ended_at IS NOT NULL AND repaired_by > generation));
