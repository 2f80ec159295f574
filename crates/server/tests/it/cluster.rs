//! Checks that tables and queries are ready for a Citus cluster, as far as a single Postgres can show: see
//! `server::distribute`.

mod queries;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use server::distribute::{Placement, TABLES, distribute, has_citus};
use sqlx::{ConnectOptions as _, PgPool};

/// Returns the reasons in the catalogue why the tables cannot be distributed as `TABLES` lists.
async fn find_schema_errors(pool: &PgPool) -> Vec<String> {
    let rows =
        async |query: &'static str| sqlx::query_as::<_, (String, String, String)>(query).fetch_all(pool).await.unwrap();
    let placements: BTreeMap<&str, Placement> = TABLES.iter().copied().collect();
    let key = |table: &str| placements.get(table).and_then(|placement| placement.column());
    let mut errors = Vec::new();

    let columns = rows(
        "select format('%s.%s', table_schema, table_name), column_name::text,
                format('%s%s', udt_name, case is_nullable when 'YES' then ' or null' else '' end)
         from information_schema.columns join information_schema.tables using (table_schema, table_name)
         where table_schema in ('analytics', 'auth', 'careers', 'journal', 'trades') and table_type = 'BASE TABLE'",
    )
    .await;
    let existing: BTreeSet<&str> = columns.iter().map(|(table, ..)| table.as_str()).collect();
    let listed: BTreeSet<&str> = placements.keys().copied().collect();
    errors.extend(existing.difference(&listed).map(|table| format!("{table} is not in the list")));
    errors.extend(listed.difference(&existing).map(|table| format!("{table} is listed but does not exist")));
    for table in &existing {
        let Some(key) = key(table) else { continue };
        let key_type = columns
            .iter()
            .find(|(owner, column, _)| owner == table && column == key)
            .map(|(.., type_name)| type_name.as_str());
        match (placements[table], key_type) {
            (_, None) => errors.push(format!("{table} has no {key}")),
            (Placement::ByAccount | Placement::ByJournal, Some("uuid")) => {}
            (Placement::ByColumn(_), Some(key_type)) if !key_type.contains("null") => {}
            (_, Some(key_type)) => errors.push(format!("{key} of {table} is {key_type}")),
        }
    }
    let unique_indexes = "select indrelid::regclass::text, indexrelid::regclass::text,
                         array_to_string(array(select attname::text from pg_attribute
                                               where attrelid = indrelid and attnum = any (indkey)), ' ')
                  from pg_index where (indisunique or indisexclusion)
                      and indrelid::regclass::text ~ '^(analytics|auth|careers|journal|trades)[.]'";
    for (table, index, columns) in rows(unique_indexes).await {
        if let Some(key) = key(&table)
            && !columns.split(' ').any(|column| column == key)
        {
            errors.push(format!("{index} of {table} is unique over all nodes"));
        }
    }
    let foreign_keys = "select conrelid::regclass::text, confrelid::regclass::text, conname::text
                   from pg_constraint where contype = 'f'";
    for (table, to, name) in rows(foreign_keys).await {
        errors.push(format!("{name} of {table} references {to}"));
    }
    let triggers = "select tgrelid::regclass::text, tgname::text, '' from pg_trigger where not tgisinternal";
    errors.extend(rows(triggers).await.into_iter().map(|(table, name, _)| format!("{name} of {table} is a trigger")));
    let sequences = "select oid::regclass::text, '', '' from pg_class where relkind = 'S'
                     and oid::regclass::text ~ '^(analytics|auth|careers|journal|trades)[.]'";
    errors.extend(rows(sequences).await.into_iter().map(|(name, ..)| format!("{name} is a sequence")));
    errors
}

#[sqlx::test(migrations = "../../migrations")]
async fn every_table_can_be_distributed(pool: PgPool) {
    assert_eq!(find_schema_errors(&pool).await, Vec::<String>::new());
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
        "drop table journal.total",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    let mut errors = find_schema_errors(&pool).await;
    errors.sort();
    assert_eq!(
        errors,
        [
            "analytics.numbers is a sequence",
            "book_account of trades.book references trades.account",
            "client_id of auth.client_id is text or null",
            "journal.total is listed but does not exist",
            "noted of trades.change is a trigger",
            "trades.stray is not in the list",
            "trades.symbol has no account_id",
            "trades.symbol_pkey of trades.symbol is unique over all nodes",
            "trades.trade_order of trades.trade is unique over all nodes",
        ]
    );
}

/// Fake Citus that records the calls and moves no rows. The real one is tested on a real cluster.
const FAKE_CITUS: &str = "
    create table public.citus_tables
        (table_name regclass, citus_table_type text, distribution_column text, colocated_with text);
    create function public.create_distributed_table(t regclass, by text, colocate_with text) returns void language sql
        as $$ insert into public.citus_tables values (t, 'distributed', by, colocate_with) $$;
    create function public.create_reference_table(t regclass) returns void language sql
        as $$ insert into public.citus_tables values (t, 'reference', '<none>', 'none') $$;
    create table public.truncated (table_name regclass primary key);
    create function public.truncate_local_data_after_distributing_table(t regclass) returns void language sql
        as $$ insert into public.truncated values (t) $$;
";

#[sqlx::test(migrations = "../../migrations")]
async fn tables_are_distributed_once_and_those_of_an_account_are_colocated(pool: PgPool) {
    let mut connection = pool.acquire().await.unwrap();
    assert!(!has_citus(&mut connection).await.unwrap());
    sqlx::raw_sql(FAKE_CITUS).execute(&mut *connection).await.unwrap();
    assert!(has_citus(&mut connection).await.unwrap());
    distribute(&mut connection).await.unwrap();
    let distributed = sqlx::query_as::<_, (String, String, String)>(
        "select table_name::text, distribution_column, colocated_with from citus_tables join truncated using (table_name)",
    );
    let distributed = distributed.fetch_all(&pool).await.unwrap();
    let coordinators = TABLES.iter().filter(|(_, placement)| matches!(placement, Placement::Coordinator(_))).count();
    assert_eq!(distributed.len(), TABLES.len() - coordinators);
    let assert_distributed = |table: &str, by: &str, colocated_with: &str| {
        assert!(
            distributed.contains(&(table.to_owned(), by.to_owned(), colocated_with.to_owned())),
            "{table}: {distributed:?}"
        );
    };
    assert_distributed("auth.account", "account_id", "none");
    assert_distributed("trades.trade", "account_id", "auth.account");
    assert_distributed("analytics.adjustment", "account_id", "auth.account");
    assert_distributed("journal.journal", "journal_id", "none");
    assert_distributed("journal.entry", "journal_id", "journal.journal");
    assert_distributed("auth.login", "login", "none");
    assert_distributed("auth.signing_key", "<none>", "none");

    // A second creation would add rows to the fake.
    distribute(&mut connection).await.unwrap();
    let all = sqlx::query_scalar::<_, i64>("select count(*) from citus_tables").fetch_one(&pool).await.unwrap();
    assert_eq!(all, i64::try_from(distributed.len()).unwrap());
    // A new table is distributed; a table distributed by another column is an error.
    sqlx::query("delete from citus_tables where table_name = 'trades.book'::regclass").execute(&pool).await.unwrap();
    sqlx::query("delete from truncated where table_name = 'trades.book'::regclass").execute(&pool).await.unwrap();
    distribute(&mut connection).await.unwrap();
    sqlx::query("update citus_tables set distribution_column = 'symbol' where table_name = 'trades.trade'::regclass")
        .execute(&pool)
        .await
        .unwrap();
    let error = format!("{:#}", distribute(&mut connection).await.unwrap_err());
    assert_eq!(error, "cannot distribute trades.trade: the table is already distributed by symbol");
}

#[sqlx::test(migrations = "../../migrations")]
async fn without_citus_the_command_fails_with_one_line(pool: PgPool) {
    let url = pool.connect_options().to_url_lossy();
    let output = Command::new(env!("CARGO_BIN_EXE_tradebahi"))
        .args(["migrate", "--distribute", "--database-url", url.as_str()])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(stderr.starts_with("tradebahi: this database has no Citus") && stderr.lines().count() == 1, "{stderr}");
}
