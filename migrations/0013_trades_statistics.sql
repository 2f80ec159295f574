-- How many rows an account has is not gathered. Where Postgres gathered it before an account came, it takes the account
-- for one of a single row, and then walks all of its rows along whichever index is the smallest, once for each trade
-- that it looks for. Without it an account is taken for one of two hundred, and the index that has it all is used.

alter table trades.trade alter column account_id set statistics 0;
alter table trades.change alter column account_id set statistics 0;
alter table trades.journal_entry alter column journal_id set statistics 0;

-- What was gathered before would stay for ever. Only a superuser, as of a cluster of our own, may take it away.
do $$
begin
    if (select rolsuper from pg_roles where rolname = current_user) then
        delete from pg_statistic s using pg_attribute a
        where (a.attrelid, a.attnum) = (s.starelid, s.staattnum) and a.attstattarget = 0
          and a.attrelid in ('trades.trade'::regclass, 'trades.change'::regclass, 'trades.journal_entry'::regclass);
    end if;
end
$$;
