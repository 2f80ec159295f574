-- Strategies that the trader confirmed, joined or split. A change ends rows and adds others; ended rows are kept until they
-- are too old for an undo.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

-- Number of the last change of the account's confirmed strategies.
alter table analytics.account add column strategy_version bigint not null default 0;

create table analytics.confirmed_strategy (
    account_id uuid not null,
    change_id bigint not null,
    strategy_id text not null,
    -- Null if it is named after its shape.
    name text,
    shape text not null,
    -- Ranges of the quantities of its fills: element by element, the fill's key, start and end. A null end is that of the
    -- fill.
    fill_keys text[] not null,
    starts numeric[] not null,
    ends numeric[] not null,
    confirmed_at timestamptz not null,
    -- Change that ended it; null if it is current.
    ended_by bigint,
    constraint confirmed_strategy_pkey primary key (account_id, change_id, strategy_id),
    constraint confirmed_strategy_ranges
        check (cardinality(fill_keys) = cardinality(starts) and cardinality(fill_keys) = cardinality(ends))
);

create unique index confirmed_strategy_current on analytics.confirmed_strategy (account_id, strategy_id)
    where ended_by is null;
