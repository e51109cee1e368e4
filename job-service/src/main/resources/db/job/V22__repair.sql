-- the newest placement taken notice of: a wounded gang waits there for its repair
alter table job add column gang text;

-- when an attempt's end was decided, from when evidence is awaited at the longest, and how far it has trained
alter table attempt add column decided_at timestamptz;
alter table attempt add column evidence_since timestamptz;
alter table attempt add column first_step_at timestamptz;
alter table attempt add column stall_millis bigint not null default 0;

alter table member add column rack text not null default '';
-- evidence is awaited by revision: with which one the node was asked, and what came of it
alter table member add column asked_revision bigint;
alter table member add column heard boolean not null default false;
alter table member add column in_question boolean not null default false;
create index member_asked on member (node_id) where asked_revision is not null and not heard;
alter table member add column damaged text;
-- an attempt that broke and waited by the clock asks its nodes anew
update attempt set first_bad_exit_at = null where stage = 'RUN';
update job set wake_at = now() where ended_at is null and attempt > 0;
