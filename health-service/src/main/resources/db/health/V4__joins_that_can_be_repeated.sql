-- A join whose answer was lost can be repeated by the same boot of the same node, until its session is used.

-- who used the token up; null for tokens that were used before there were repeats
alter table join_token add column joined_boot text;
alter table join_token add column joined_address text;
alter table join_token add column joined_port int;
-- the session that the last join with it got
alter table join_token add column joined_session bigint;
-- when the node used that session, or began another one: from then on the token is worth nothing
alter table join_token add column settled_at timestamptz;

create index join_token_unsettled on join_token (node_id) where used_at is not null and settled_at is null;
