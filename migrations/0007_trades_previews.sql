-- What an import would do, shown before it is done; what a broker corrects later; what a contract is.

-- Of futures and options, what the symbol stands for. Null where that is not known.
alter table trades.trade
    add column underlying text,
    -- 2025-06-05, or 2025-06 where only the month is known: in this form they stand in order.
    add column expiry text collate "C",
    add column contract_kind text,
    add column strike numeric(15, 4),
    add constraint trade_contract_kind check (contract_kind in ('FUT', 'CE', 'PE'));

alter table trades.kept_trade
    add column underlying text,
    add column expiry text collate "C",
    add column contract_kind text,
    add column strike numeric(15, 4);

-- What the history says of an import. Null where it was not noted.
alter table trades.import
    add column rows bigint,
    add column problems bigint,
    add column duration_ms bigint,
    add column warnings bigint not null default 0,
    -- Trades that the broker told otherwise than before: left as they were, and changed to that.
    add column conflicts bigint not null default 0,
    add column corrected bigint not null default 0;

-- What a broker told of a trade, each time that it was something else and somebody decided about it; the newest counts.
-- The first, of change 0, is how the trade was imported; the others go when their change is taken back.
alter table trades.broker_trade
    add column change_id bigint not null default 0,
    drop constraint broker_trade_pkey,
    add constraint broker_trade_pkey primary key (account_id, trade_id, change_id);

-- A file that was read and not imported yet. For an hour; once it is imported, for as long as the answer is given again.
create table trades.preview (
    account_id uuid not null,
    preview_id uuid not null,
    broker text not null,
    segment text not null,
    format text not null,
    file_name text not null,
    file_sha256 bytea not null,
    -- Trades of the file, those that stand in it twice included.
    trades bigint not null,
    first_executed_at timestamptz,
    last_executed_at timestamptz,
    -- What the reader of the file said beside its trades: the message tradebahi.trades.v1.FileFindings, and its counts.
    findings bytea not null,
    rows bigint not null,
    problems bigint not null,
    warnings bigint not null,
    reading_ms bigint not null,
    -- Stands for what the trader was shown last.
    state text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null default now() + interval '1 hour',
    -- The change that it became.
    change_id bigint,
    constraint preview_pkey primary key (account_id, preview_id)
);

create index preview_expires_at on trades.preview (expires_at);

-- The trades of a preview that is not imported yet, each once.
create table trades.preview_trade (
    account_id uuid not null,
    preview_id uuid not null,
    source_key text collate "C" not null,
    -- Its place among the trades of the file, from 1, and its row in the file.
    place bigint not null,
    file_row bigint not null,
    side text not null,
    symbol text not null,
    isin text,
    quantity numeric(20, 6) not null,
    price numeric(15, 4) not null,
    value numeric(20, 4) not null,
    executed_at timestamptz not null,
    time_precision text not null,
    exchange text not null,
    order_id text,
    underlying text,
    expiry text collate "C",
    contract_kind text,
    strike numeric(15, 4),
    constraint preview_trade_pkey primary key (account_id, preview_id, source_key)
);
