-- restarts made, by whose fault; and the nodes that were lost, each with the session in which it was
alter table job add column restarts text not null default '{"platform":0,"user":0}';
alter table job add column lost_nodes text not null default '[]';
-- a node that begins a newer life looks for the jobs that shun it
create index job_shunning on job (job_id) where lost_nodes <> '[]' and ended_at is null;

alter table attempt add column step bigint;
