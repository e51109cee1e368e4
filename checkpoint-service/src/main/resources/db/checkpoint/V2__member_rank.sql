-- Which ranks a member runs follows from its place in the gang. Of members heard of before it is not known, so they are
-- forgotten: their jobs save again when they are placed anew. No release had the table without it.
delete from job_member;
alter table job_member add column node_rank integer not null;
