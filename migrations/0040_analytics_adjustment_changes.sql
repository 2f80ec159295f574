-- Adjustments that were added in one request are one change, which is undone as a whole. An answer to a data issue names
-- the issue.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

alter table analytics.adjustment
    add column change_id bigint,
    add column issue_id text;
update analytics.adjustment set change_id = adjustment_id;
alter table analytics.adjustment alter column change_id set not null;
