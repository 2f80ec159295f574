-- Where a trader meant to get out at a loss, and which trades changed since a version.

alter table trades.trade
    -- The trader's own note: no file tells it. On which side of the price it must be, the trade log checks: a broker may
    -- correct the price later.
    add column stop_loss numeric(15, 4),
    add constraint trade_stop_loss check (stop_loss > 0);

alter table trades.kept_trade
    add column stop_loss numeric(15, 4);

alter table trades.change
    -- The account's version since the change was made, added to, or taken back.
    add column version bigint not null default 0,
    -- Numbers of the trades that it added or took away; null where they are many or were not noted.
    add column touched int8multirange;

create index change_version on trades.change (account_id, version);
