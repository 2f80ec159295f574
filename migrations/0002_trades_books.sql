-- The trade log.

create schema trades;

-- One row per account that ever wrote a trade. A writer locks it first: two writes of one account follow each other.
create table trades.account (
    account_id uuid not null,
    -- Moves with every change of the account's trades; what clients hold is compared with it.
    version bigint not null default 0,
    -- Trades and imports are numbered within the account: short on the wire, and no sequence that nodes would share.
    next_trade_id bigint not null default 1,
    next_import_id bigint not null default 1,
    -- How many trades there are, so that nobody has to count them.
    trade_count bigint not null default 0,
    -- The book that was changed last.
    last_broker text,
    last_segment text,
    constraint account_pkey primary key (account_id)
);

-- No foreign key to trades.account: it would double the cost of a large import.
create table trades.trade (
    account_id uuid not null,
    trade_id bigint not null,
    broker text not null,
    segment text not null,
    side text not null,
    symbol text not null,
    isin text,
    quantity numeric(20, 6) not null,
    price numeric(15, 4) not null,
    -- What the broker gave for all of it, or quantity times price.
    value numeric(20, 4) not null,
    executed_at timestamptz not null,
    time_precision text not null,
    exchange text not null,
    order_id text,
    -- What the broker tells its trades apart by. Null where no broker's file stands behind the trade.
    source_key text collate "C",
    constraint trade_pkey primary key (account_id, trade_id),
    -- The key itself comes early: it begins with the date, so that a file's rows land side by side in the index.
    constraint trade_source unique (account_id, source_key, broker, segment),
    constraint trade_broker check (broker in ('zerodha', 'groww')),
    constraint trade_segment check (segment in ('equity', 'fno')),
    constraint trade_side check (side in ('buy', 'sell')),
    constraint trade_exchange check (exchange in ('NSE', 'BSE')),
    constraint trade_time_precision check (time_precision in ('second', 'minute', 'day')),
    constraint trade_quantity check (quantity > 0),
    constraint trade_price check (price > 0),
    constraint trade_value check (value > 0)
);

-- The log. It is read backwards, newest first, and grows forwards, which is cheaper than the other way round.
create index trade_time on trades.trade (account_id, executed_at, trade_id);

create table trades.import (
    account_id uuid not null,
    import_id bigint not null,
    broker text not null,
    segment text not null,
    format text not null,
    file_name text not null,
    file_sha256 bytea not null,
    -- The trades that stand in the file, those that were there before included: taking an import back takes away only
    -- what no other import claims. Numbers are given in the order of the file, so a claim is a few ranges.
    claims int8multirange not null,
    added bigint not null,
    duplicates bigint not null,
    first_executed_at timestamptz,
    last_executed_at timestamptz,
    imported_at timestamptz not null default now(),
    constraint import_pkey primary key (account_id, import_id)
);
