-- Segments of contract notes with the charges that the broker states, by the import that brought them. Of several versions
-- of a note, that of the last import counts.

set local citus.multi_shard_modify_mode = 'sequential';

create table trades.contract_note (
    account_id uuid not null,
    broker_account text collate "C" not null,
    segment text collate "C" not null,
    day date not null,
    note_number text not null,
    change_id bigint not null,
    -- Sum of the values of its trades, bought and sold.
    turnover numeric(20, 4) not null,
    -- Rupees; negative for a credit.
    brokerage numeric(15, 4) not null,
    stt numeric(15, 4) not null,
    -- Exchange transaction and clearing charges.
    exchange_charges numeric(15, 4) not null,
    sebi numeric(15, 4) not null,
    ipft numeric(15, 4) not null,
    stamp_duty numeric(15, 4) not null,
    gst numeric(15, 4) not null,
    constraint contract_note_pkey primary key (account_id, broker_account, segment, day, note_number, change_id)
);

create index contract_note_change on trades.contract_note (account_id, change_id);

-- Contract notes of a previewed file: message tradebahi.trades.v1.ImportEnd with its notes only; null if the file has none.
alter table trades.preview add column encoded_notes bytea;
