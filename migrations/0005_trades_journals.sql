-- The journals of the public pages. Each goes by its own id, and its entries lie with it.

create table trades.journal (
    -- Of one with a key: the first half of the hash.
    journal_id uuid not null,
    -- SHA-256 of the key that opens it; null once it belongs to an account.
    key_hash bytea,
    -- Entries are never taken out, so this is the number of the last one too.
    entry_count bigint not null default 0,
    -- One with a key is swept away 90 days later.
    last_saved_at timestamptz not null default now(),
    constraint journal_pkey primary key (journal_id),
    constraint journal_entry_count check (entry_count between 0 and 10000)
);

create index journal_last_saved_at on trades.journal (last_saved_at) where key_hash is not null;

-- The journal of an account.
create table trades.account_journal (
    account_id uuid not null,
    journal_id uuid not null,
    constraint account_journal_pkey primary key (account_id)
);

-- Counts and sums are kept, so that nobody has to read all entries for them.
create table trades.journal_tally (
    journal_id uuid not null,
    kind text not null,
    entries bigint not null,
    wins bigint not null,
    pnl numeric(24, 2) not null,
    constraint journal_tally_pkey primary key (journal_id, kind)
);

create table trades.journal_entry (
    journal_id uuid not null,
    entry_id bigint not null,
    kind text not null,
    symbol text not null,
    quantity numeric(20, 6) not null,
    buy_price numeric(15, 4) not null,
    sell_price numeric(15, 4) not null,
    target_price numeric(15, 4) not null,
    stop_loss numeric(15, 4) not null,
    bought_at timestamptz not null,
    sold_at timestamptz not null,
    idempotency_key text,
    written_at timestamptz not null default now(),
    constraint journal_entry_pkey primary key (journal_id, entry_id),
    constraint journal_entry_idempotency_key unique (journal_id, idempotency_key),
    constraint journal_entry_kind check (kind in ('intraday', 'equity'))
);

create index journal_entry_list on trades.journal_entry (journal_id, kind, entry_id);
