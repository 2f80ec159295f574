//! Every table and every query is ready for a cluster, as far as one Postgres can tell: see `server::distribute`.

mod queries;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use server::distribute::{Place, TABLES, distribute, is_cluster};
use sqlx::{ConnectOptions as _, PgPool};

/// What the catalogue says against spreading the tables as `TABLES` has it.
async fn faults(pool: &PgPool) -> Vec<String> {
    let rows =
        async |query: &'static str| sqlx::query_as::<_, (String, String, String)>(query).fetch_all(pool).await.unwrap();
    let places: BTreeMap<&str, Place> = TABLES.iter().copied().collect();
    let key = |table: &str| places.get(table).and_then(|place| place.key());
    let mut faults = Vec::new();

    let columns = rows(
        "select format('%s.%s', table_schema, table_name), column_name::text,
                format('%s%s', udt_name, case is_nullable when 'YES' then ' or null' else '' end)
         from information_schema.columns join information_schema.tables using (table_schema, table_name)
         where table_schema in ('analytics', 'auth', 'careers', 'trades') and table_type = 'BASE TABLE'",
    )
    .await;
    let there: BTreeSet<&str> = columns.iter().map(|(table, ..)| table.as_str()).collect();
    let listed: BTreeSet<&str> = places.keys().copied().collect();
    faults.extend(there.difference(&listed).map(|table| format!("{table} is not in the list")));
    faults.extend(listed.difference(&there).map(|table| format!("{table} is in the list alone")));
    for table in &there {
        let Some(key) = key(table) else { continue };
        let key_type = columns.iter().find(|(of, column, _)| of == table && column == key).map(|(.., is)| is.as_str());
        match (places[table], key_type) {
            (_, None) => faults.push(format!("{table} has no {key}")),
            (Place::Account | Place::Journal, Some("uuid")) => {}
            (Place::Own(_), Some(is)) if !is.contains("null") => {}
            (_, Some(is)) => faults.push(format!("{key} of {table} is {is}")),
        }
    }
    let unique = "select indrelid::regclass::text, indexrelid::regclass::text,
                         array_to_string(array(select attname::text from pg_attribute
                                               where attrelid = indrelid and attnum = any (indkey)), ' ')
                  from pg_index where (indisunique or indisexclusion)
                      and indrelid::regclass::text ~ '^(analytics|auth|careers|trades)[.]'";
    for (table, index, columns) in rows(unique).await {
        if let Some(key) = key(&table)
            && !columns.split(' ').any(|column| column == key)
        {
            faults.push(format!("{index} of {table} is unique over all nodes"));
        }
    }
    let foreign = "select conrelid::regclass::text, confrelid::regclass::text, conname::text
                   from pg_constraint where contype = 'f'";
    for (table, to, name) in rows(foreign).await {
        faults.push(format!("{name} of {table} ties it to {to}"));
    }
    let triggers = "select tgrelid::regclass::text, tgname::text, '' from pg_trigger where not tgisinternal";
    faults.extend(rows(triggers).await.into_iter().map(|(table, name, _)| format!("{name} of {table} is a trigger")));
    let sequences = "select oid::regclass::text, '', '' from pg_class where relkind = 'S'
                     and oid::regclass::text ~ '^(analytics|auth|careers|trades)[.]'";
    faults.extend(rows(sequences).await.into_iter().map(|(name, ..)| format!("{name} counts for all nodes")));
    faults
}

#[sqlx::test(migrations = "../../migrations")]
async fn every_table_is_ready_to_be_spread(pool: PgPool) {
    assert_eq!(faults(&pool).await, Vec::<String>::new());
    for statement in [
        "create table trades.stray (account_id uuid primary key)",
        "create unique index trade_order on trades.trade (order_id)",
        "alter table trades.book add constraint book_account foreign key (account_id) references trades.account",
        "create function public.noted() returns trigger language plpgsql as 'begin return new; end'",
        "create trigger noted before insert on trades.change for each row execute function public.noted()",
        "create sequence analytics.numbers",
        "alter table auth.client_id drop constraint client_id_pkey",
        "alter table auth.client_id alter column client_id drop not null",
        "alter table trades.symbol rename column account_id to owner",
        "drop table trades.journal_tally",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    let mut found = faults(&pool).await;
    found.sort();
    assert_eq!(
        found,
        [
            "analytics.numbers counts for all nodes",
            "book_account of trades.book ties it to trades.account",
            "client_id of auth.client_id is text or null",
            "noted of trades.change is a trigger",
            "trades.journal_tally is in the list alone",
            "trades.stray is not in the list",
            "trades.symbol has no account_id",
            "trades.symbol_pkey of trades.symbol is unique over all nodes",
            "trades.trade_order of trades.trade is unique over all nodes",
        ]
    );
}

/// A stand-in for Citus that remembers what it is asked for. It moves no row: that the real one takes the tables is
/// tried on a real cluster.
const STAND_IN: &str = "
    create table public.citus_tables
        (table_name regclass, citus_table_type text, distribution_column text, beside text);
    create function public.create_distributed_table(t regclass, by text, colocate_with text) returns void language sql
        as $$ insert into public.citus_tables values (t, 'distributed', by, colocate_with) $$;
    create function public.create_reference_table(t regclass) returns void language sql
        as $$ insert into public.citus_tables values (t, 'reference', '<none>', 'none') $$;
    create table public.truncated (table_name regclass primary key);
    create function public.truncate_local_data_after_distributing_table(t regclass) returns void language sql
        as $$ insert into public.truncated values (t) $$;
";

#[sqlx::test(migrations = "../../migrations")]
async fn tables_are_spread_once_and_those_of_an_account_lie_together(pool: PgPool) {
    let mut connection = pool.acquire().await.unwrap();
    assert!(!is_cluster(&mut connection).await.unwrap());
    sqlx::raw_sql(STAND_IN).execute(&mut *connection).await.unwrap();
    assert!(is_cluster(&mut connection).await.unwrap());
    distribute(&mut connection).await.unwrap();
    let spread = sqlx::query_as::<_, (String, String, String)>(
        "select table_name::text, distribution_column, beside from citus_tables join truncated using (table_name)",
    );
    let spread = spread.fetch_all(&pool).await.unwrap();
    let coordinators = TABLES.iter().filter(|(_, place)| matches!(place, Place::Coordinator(_))).count();
    assert_eq!(spread.len(), TABLES.len() - coordinators);
    let told = |table: &str, by: &str, beside: &str| {
        assert!(spread.contains(&(table.to_owned(), by.to_owned(), beside.to_owned())), "{table}: {spread:?}");
    };
    told("auth.account", "account_id", "none");
    told("trades.trade", "account_id", "auth.account");
    told("analytics.adjustment", "account_id", "auth.account");
    told("trades.journal", "journal_id", "none");
    told("trades.journal_entry", "journal_id", "trades.journal");
    told("auth.login", "login", "none");
    told("auth.signing_key", "<none>", "none");

    // Each is there once, so a second creation would be seen.
    distribute(&mut connection).await.unwrap();
    let all = sqlx::query_scalar::<_, i64>("select count(*) from citus_tables").fetch_one(&pool).await.unwrap();
    assert_eq!(all, i64::try_from(spread.len()).unwrap());
    // A table that is new goes where it belongs; one that lies elsewhere is not passed over.
    sqlx::query("delete from citus_tables where table_name = 'trades.book'::regclass").execute(&pool).await.unwrap();
    sqlx::query("delete from truncated where table_name = 'trades.book'::regclass").execute(&pool).await.unwrap();
    distribute(&mut connection).await.unwrap();
    sqlx::query("update citus_tables set distribution_column = 'symbol' where table_name = 'trades.trade'::regclass")
        .execute(&pool)
        .await
        .unwrap();
    let refused = format!("{:#}", distribute(&mut connection).await.unwrap_err());
    assert_eq!(refused, "trades.trade is not distributed: it is distributed by symbol already");
}

#[sqlx::test(migrations = "../../migrations")]
async fn without_the_extension_a_sentence_says_what_to_do(pool: PgPool) {
    let url = pool.connect_options().to_url_lossy();
    let output = Command::new(env!("CARGO_BIN_EXE_tradebahi"))
        .args(["migrate", "--distribute", "--database-url", url.as_str()])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(said.starts_with("tradebahi: this database has no Citus") && said.lines().count() == 1, "{said}");
}
