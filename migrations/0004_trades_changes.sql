-- Every write is a change of one book, and can be taken back.

-- What the trader wrote beside a trade, and what ties the two legs of one entry. Null for trades of files.
alter table trades.trade
    add column stock_name text,
    add column notes text,
    add column psychology text,
    add column market_outlook text,
    add column pair_id text,
    -- Written anew by the trader since it came.
    add column edited boolean not null default false;

alter table trades.account
    add column next_change_id bigint not null default 1;

-- The books of an account. Their counts are kept, so that nobody has to count trades.
create table trades.book (
    account_id uuid not null,
    broker text not null,
    segment text not null,
    trade_count bigint not null default 0,
    constraint book_pkey primary key (account_id, broker, segment),
    constraint book_trade_count check (trade_count >= 0)
);

insert into trades.book (account_id, broker, segment, trade_count)
select account_id, broker, segment, count(*) from trades.trade group by account_id, broker, segment;

-- One write. Taking it back deletes the trades with the numbers in `added` and those in trades.kept_trade, and puts
-- the kept ones back.
create table trades.change (
    account_id uuid not null,
    change_id bigint not null,
    broker text not null,
    segment text not null,
    kind text not null,
    made_at timestamptz not null default now(),
    -- Numbers of the trades that it added.
    added int8multirange not null default '{}',
    added_count bigint not null default 0,
    -- How many trades it took away; an edit takes away and adds none.
    removed_count bigint not null default 0,
    -- The symbol of its trades where they have but one.
    symbol text,
    pair_id text,
    -- The row of trades.import, for an import.
    import_id bigint,
    undone_at timestamptz,
    -- Rows of trades.kept_trade stand behind it.
    kept boolean not null default false,
    constraint change_pkey primary key (account_id, change_id),
    constraint change_kind check (kind in ('import', 'entry', 'replace', 'edit', 'delete'))
);

create index change_book on trades.change (account_id, broker, segment, change_id);
create index change_kept on trades.change (made_at) where kept;

-- Trades as they were before a change, for as long as it can be taken back.
create table trades.kept_trade (
    account_id uuid not null,
    change_id bigint not null,
    trade_id bigint not null,
    broker text not null,
    segment text not null,
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
    source_key text collate "C",
    stock_name text,
    notes text,
    psychology text,
    market_outlook text,
    pair_id text,
    edited boolean not null,
    constraint kept_trade_pkey primary key (account_id, change_id, trade_id)
);

-- A broker's trade as it was imported, kept from its first edit on: the next file is compared with this.
create table trades.broker_trade (
    account_id uuid not null,
    trade_id bigint not null,
    side text not null,
    symbol text not null,
    quantity numeric(20, 6) not null,
    price numeric(15, 4) not null,
    value numeric(20, 4) not null,
    executed_at timestamptz not null,
    constraint broker_trade_pkey primary key (account_id, trade_id)
);

-- Trades of files that the trader deleted: the next file does not bring them back.
create table trades.deleted_source (
    account_id uuid not null,
    source_key text collate "C" not null,
    broker text not null,
    segment text not null,
    -- The deletion, so that taking it back takes the mark away.
    change_id bigint not null,
    constraint deleted_source_pkey primary key (account_id, source_key, broker, segment)
);

-- Symbols that an account traded, for suggestions.
create table trades.symbol (
    account_id uuid not null,
    symbol text not null,
    constraint symbol_pkey primary key (account_id, symbol)
);

insert into trades.symbol (account_id, symbol) select distinct account_id, symbol from trades.trade;

-- Requests that were answered, by the key that the client gave them: asked again, they are answered again.
create table trades.answered_request (
    account_id uuid not null,
    rpc text not null,
    idempotency_key text not null,
    -- SHA-256 of what was asked.
    request_sha256 bytea not null,
    -- What came of it: the change, and how much it did.
    change_id bigint not null,
    added bigint not null,
    removed bigint not null,
    -- The trade that was added, where it is one.
    trade_id bigint,
    answered_at timestamptz not null default now(),
    constraint answered_request_pkey primary key (account_id, rpc, idempotency_key)
);

create index answered_request_answered_at on trades.answered_request (answered_at);

-- Imports from before are changes too: each added what it claims and no earlier one of its book does.
insert into trades.change (
    account_id, change_id, broker, segment, kind, made_at, added, added_count, import_id
)
select
    account_id, import_id, broker, segment, 'import', imported_at,
    claims - coalesce(
        range_agg(claims) over (
            partition by account_id, broker, segment order by import_id
            rows between unbounded preceding and 1 preceding
        ),
        '{}'
    ),
    added, import_id
from trades.import;

update trades.account set next_change_id = next_import_id;
