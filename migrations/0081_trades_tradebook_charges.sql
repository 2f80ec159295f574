-- Charges of a day that a tradebook states, beside those of contract notes. Their note number is empty. All versions are
-- kept: a tradebook that was downloaded during the day has only a part of it.

alter table trades.contract_note add column from_tradebook boolean not null default false;
