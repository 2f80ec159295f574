-- A preview that was shown is told again as it was, for as long as the trades of its account are.

alter table trades.preview
    -- The message tradebahi.trades.v1.Preview. Null before it was shown, and when it need not hold any more.
    add column shown bytea,
    -- The version of the account that it was compared with.
    add column shown_version bigint;

-- Which trades stand in a file was noted and never read: a change knows those that it added.
alter table trades.import drop column claims;
