-- What the server itself connects as: it reads and writes rows, and changes nothing else.
do $$
begin
    create role tradebahi_app login connection limit 20;
exception when duplicate_object then
    null;
end
$$;

grant usage on schema analytics, auth, careers, trades to tradebahi_app;
grant select, insert, update, delete on all tables in schema analytics, auth, careers, trades to tradebahi_app;
