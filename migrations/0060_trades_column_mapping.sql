-- Meaning of the columns of tables with an unknown layout, as the trader confirmed it. At most 20 for an account.
create table trades.column_mapping (
    account_id uuid not null,
    -- SHA-256 of the names in the header.
    header_digest bytea not null,
    -- Name of the file with which it was made, or a name of the trader.
    name text not null,
    -- Message tradebahi.trades.v1.ColumnMapping, at most 3 KiB.
    mapping bytea not null,
    saved_at timestamptz not null,
    constraint column_mapping_pkey primary key (account_id, header_digest)
);
