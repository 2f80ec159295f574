-- Terms of an account with a broker that charges and tax depend on: plan, woman as first holder, dates, own brokerage.

set local citus.multi_shard_modify_mode = 'sequential';

alter table trades.broker_account
    -- Price list of the broker, of crates/trades/broker-plans.json.
    add column plan text collate "C" not null default 'standard',
    -- The first holder of the demat account is a woman.
    add column woman_first_holder boolean not null default false,
    -- First and last day of the account; null if unknown.
    add column opened_on date,
    add column closed_on date;

-- Increases with every change of a broker account, so that charges are computed again.
alter table trades.account add column broker_accounts_version bigint not null default 0;

-- Brokerage agreed with a broker, which replaces that of the plan.
create table trades.brokerage_price (
    account_id uuid not null,
    broker_account text collate "C" not null,
    -- delivery, intraday, futures or options.
    kind text collate "C" not null,
    -- First day; 1990-01-01, before which there are no trades, for all days.
    first_day date not null,
    -- Rupees for an order; null if the price is a percentage of its value.
    flat numeric(15, 4),
    percent numeric(7, 4),
    min_amount numeric(15, 4),
    max_amount numeric(15, 4),
    constraint brokerage_price_pkey primary key (account_id, broker_account, kind, first_day)
);
