-- Entries of the brokers' ledgers: what changed the balance of an account, and the costs outside trades among it.

set local citus.multi_shard_modify_mode = 'sequential';

create table trades.ledger (
    account_id uuid not null,
    ledger_id uuid not null,
    broker_account text collate "C" not null,
    file_name text not null,
    format text collate "C" not null,
    -- First and last day of its entries.
    first_day date not null,
    last_day date not null,
    entries integer not null,
    imported_at timestamptz not null,
    constraint ledger_pkey primary key (account_id, ledger_id)
);

create table trades.ledger_entry (
    account_id uuid not null,
    broker_account text collate "C" not null,
    -- Hash of the content, the same in each file that has the entry.
    source_key bytea not null,
    day date not null,
    kind text collate "C" not null,
    -- Rupees that left the account; negative if they came in.
    amount numeric(15, 4) not null,
    particulars text not null,
    -- Imported ledgers that have it; it is deleted with the last one.
    ledger_ids uuid[] not null,
    constraint ledger_entry_pkey primary key (account_id, broker_account, source_key)
);

create index ledger_entry_day on trades.ledger_entry (account_id, day);
