-- What a trader enters for the analytics: what no trade says.

create schema analytics;

-- Numbers are given within the account, and no sequence is shared. A writer locks this row first.
create table analytics.account (
    account_id uuid not null,
    next_adjustment_id bigint not null default 1,
    constraint account_pkey primary key (account_id)
);

create table analytics.adjustment (
    account_id uuid not null,
    adjustment_id bigint not null,
    kind text not null,
    symbol text not null,
    -- The ex-date, the expiry, or the day of purchase.
    day date not null,
    -- Of an opening holding; empty for all brokers, so that the key below holds.
    broker text not null default '',
    new_shares integer,
    old_shares integer,
    new_symbol text,
    quantity numeric(20, 6),
    price numeric(15, 4),
    entered_at timestamptz not null default now(),
    constraint adjustment_pkey primary key (account_id, adjustment_id),
    constraint adjustment_once unique (account_id, kind, symbol, day, broker),
    constraint adjustment_kind check (kind in ('split', 'bonus', 'rename', 'settlement', 'opening')),
    constraint adjustment_shares check (new_shares > 0 and old_shares > 0),
    constraint adjustment_quantity check (quantity > 0),
    constraint adjustment_price check (price >= 0)
);
