-- Losses of the years before the log that may still be set off, as the trader entered them.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

create table analytics.brought_forward_loss (
    account_id uuid not null,
    -- Any account of the person who had the loss, such as zerodha-2.
    broker_account text not null,
    kind text not null,
    -- Year in which the financial year of the loss begins.
    year smallint not null,
    amount numeric not null,
    constraint brought_forward_loss_pkey primary key (account_id, broker_account, kind, year),
    constraint brought_forward_loss_kind
        check (kind in ('speculative', 'non-speculative', 'short-term', 'long-term')),
    constraint brought_forward_loss_amount check (amount > 0)
);
