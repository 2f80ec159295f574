-- Role of the server's connection pools: reads and writes rows only.
do $$
begin
    create role tradebahi_app login;
exception when duplicate_object then
    null;
end
$$;

-- Enough for the pools of a server and of a terminal command at the same time.
alter role tradebahi_app connection limit 40;

grant usage on schema analytics, auth, careers, journal, trades to tradebahi_app;
grant select, insert, update, delete on all tables in schema analytics, auth, careers, journal, trades to tradebahi_app;
