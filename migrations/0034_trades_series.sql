-- Series of a trade at NSE or group at BSE, such as EQ, BE, A or XT, as broker files state it; null if unknown. It
-- decides whether a share is traded trade to trade and which exchange charges apply.

alter table trades.trade
    add column series text,
    -- The trade was made in the exchange's auction for shares that were not delivered.
    add column auction boolean not null default false;

alter table trades.undo_copy
    add column series text,
    add column auction boolean not null default false;

alter table trades.preview_trade
    add column series text,
    add column auction boolean not null default false;
