-- Copies lie in memory that outlives the agent: what tells whether they are there is the life of that memory (the facts'
-- bootId), not the agent's session. Copies from before are taken for gone when their node is next heard of.
alter table known_node rename column session to memory;
alter table known_node alter column memory type text using memory::text;
alter table shard_copy rename column session to memory;
alter table shard_copy alter column memory type text using memory::text;
