-- since when an attempt is in its stage: preflight and start have limits; attempts that are under way begin anew
alter table attempt add column stage_since timestamptz;
update attempt set stage_since = coalesce(ended_at, now());
alter table attempt alter column stage_since set not null;
update job set wake_at = now() where wake_at is null and phase in ('STARTING', 'RECOVERING');

-- the gauges count live jobs and those that ended in the last 24 hours
create index job_ended on job (ended_at);
