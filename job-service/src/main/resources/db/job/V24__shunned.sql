-- nodes not to be used for a job, each with since when and with the session in which it was lost; null: it failed a start
alter table job add column shunned text not null default '[]';
update job set shunned = coalesce((
    select cast(jsonb_agg(one order by one ->> 'node') as text) from (
        select jsonb_build_object('node', node, 'since', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'lostInSession', null) as one
        from jsonb_array_elements_text(cast(failed_nodes as jsonb)) as node
        union all
        select jsonb_build_object('node', lost -> 'node',
            'since', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'lostInSession', lost -> 'session')
        from jsonb_array_elements(cast(lost_nodes as jsonb)) as lost
    ) all_of_them), '[]')
where failed_nodes <> '[]' or lost_nodes <> '[]';
drop index job_shunning;
alter table job drop column failed_nodes;
alter table job drop column lost_nodes;
-- a node whose state changes looks for the jobs that shun it
create index job_shunning on job (job_id) where shunned <> '[]' and ended_at is null;
-- jobs that wait with such nodes are looked at: how long they may shun them is bounded
update job set wake_at = now() where shunned <> '[]' and phase in ('QUEUED', 'RECOVERING');
