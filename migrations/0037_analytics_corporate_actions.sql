-- More kinds of corporate actions. The program knows the kinds; a new one needs no migration.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

alter table analytics.adjustment
    -- Day of allotment of bonus shares, if it is not the ex-date.
    add column allotted_on date,
    -- Part of the cost that a demerger moves to the new shares.
    add column cost_percent numeric(7, 4);
alter table analytics.adjustment drop constraint adjustment_kind;
-- A single company may demerge several others on one day.
alter table analytics.adjustment drop constraint adjustment_once;
alter table analytics.adjustment add constraint adjustment_once
    unique nulls not distinct (account_id, kind, symbol, day, broker_account, new_symbol);
alter table analytics.adjustment add constraint adjustment_cost_percent
    check (cost_percent > 0 and cost_percent < 100) not valid;
alter table analytics.adjustment validate constraint adjustment_cost_percent;
