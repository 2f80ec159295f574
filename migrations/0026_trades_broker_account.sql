-- Several accounts with one broker. A column that named the broker now names the account: zerodha for the first account
-- with Zerodha, as before, and zerodha-2 for the second. So no row changes.

set local citus.multi_shard_modify_mode = 'sequential';

alter table trades.trade drop constraint if exists trade_broker;
alter table trades.trade rename column broker to broker_account;
alter table trades.import rename column broker to broker_account;
alter table trades.book rename column broker to broker_account;
alter table trades.change rename column broker to broker_account;
alter table trades.undo_copy rename column broker to broker_account;
alter table trades.deleted_source_key rename column broker to broker_account;
alter table trades.preview rename column broker to broker_account;
alter table trades.account rename column last_broker to last_broker_account;
alter table analytics.adjustment rename column broker to broker_account;

-- The program knows the brokers; a new one needs no migration.
alter table trades.trade add constraint trade_broker_account
    check (broker_account ~ '^[a-z0-9]+(-([2-9]|1[0-9]|20))?$') not valid;
alter table trades.trade validate constraint trade_broker_account;

-- Facts about an account with a broker, from the trader or from a file. An account without a row has no name but its key.
create table trades.broker_account (
    account_id uuid not null,
    broker_account text collate "C" not null,
    -- Name that the trader gave it; empty if none.
    label text not null default '',
    -- Name of the person whose account it is; empty if unknown.
    holder text not null default '',
    -- Client code at the broker, in capitals; empty if unknown.
    client_code text not null default '',
    constraint broker_account_pkey primary key (account_id, broker_account)
);

-- Owner that a file states; null if it states none.
alter table trades.preview
    add column client_code text,
    add column holder text;
