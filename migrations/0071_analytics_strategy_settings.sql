-- Settings of the trader for grouping strategies; a change increments strategy_version.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

alter table analytics.account
    -- Time within which the legs of one strategy are opened.
    add column strategy_window_minutes smallint not null default 5
        constraint account_strategy_window check (strategy_window_minutes between 1 and 60),
    -- Groups positions of all accounts of one person.
    add column strategies_across_accounts boolean not null default false;
