-- Role of the server's connection pools: reads and writes rows only.
do $$
begin
    create role tradebahi_app login;
exception when duplicate_object then
    null;
end
$$;

-- The password of the owner, which this server knows. The role limits what SQL can do, not who can log in.
do $$
begin
    execute format('alter role tradebahi_app password %L', (select rolpassword from pg_authid where rolname = current_user));
end
$$;

-- Enough for the pools of a server and of a terminal command at the same time.
alter role tradebahi_app connection limit 50;

grant usage on schema analytics, auth, careers, journal, trades to tradebahi_app;
grant select, insert, update, delete on all tables in schema analytics, auth, careers, journal, trades to tradebahi_app;
