-- Balance of an account before the first entry of a ledger, from which returns on capital begin. It is null for a file
-- without balances, and for ledgers that were imported before this column.

alter table trades.ledger add column opening_balance numeric(15, 4);
