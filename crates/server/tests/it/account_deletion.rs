//! Deletion of closed accounts from every table, without changes to other accounts.

use std::fs::{self, File};
use std::time::{Duration, Instant, SystemTime};

use server::core::run_cleanup;
use server::database::Pools;
use sqlx::PgPool;
use uuid::Uuid;

use crate::app::{App, pools};
use crate::process::Process;

/// SQL functions that search and fill every table, including tables added later.
const SEARCH_FUNCTIONS: &str = "
    create function public.all_tables() returns table (place regclass, has_account_id boolean) language sql as $$
        select format('%I.%I', t.table_schema, t.table_name)::regclass,
               exists (select from information_schema.columns c
                       where (c.table_schema, c.table_name) = (t.table_schema, t.table_name)
                         and c.column_name = 'account_id')
        from information_schema.tables t
        where t.table_type = 'BASE TABLE' and t.table_name <> '_sqlx_migrations'
          and t.table_schema not in ('pg_catalog', 'information_schema')
        order by 1
    $$;

    -- Digests of the rows that contain a text in any column, by table.
    create function public.rows_with(needle text) returns table (place text, digest text) language plpgsql as $$
    declare
        searched_table regclass;
    begin
        for searched_table in select p.place from public.all_tables() p loop
            return query execute format(
                'select %L::text, md5(string_agg(t::text, chr(10) order by t::text)) from %s t
                 where strpos(lower(t::text), lower($1)) > 0 having count(*) > 0', searched_table, searched_table) using needle;
        end loop;
    end $$;

    -- Adds a row of an account to every table that has rows of accounts and none of this one.
    create function public.fill(account uuid) returns void language plpgsql as $$
    declare
        filled_table regclass;
        rule name;
        names text;
        contents text;
        has boolean;
    begin
        for filled_table in select p.place from public.all_tables() p where p.has_account_id loop
            execute format('select exists (select from %s where account_id = $1)', filled_table) into has using account;
            continue when has;
            for rule in select conname from pg_constraint where conrelid = filled_table and contype = 'c' loop
                execute format('alter table %s drop constraint %I', filled_table, rule);
            end loop;
            select string_agg(quote_ident(attname), ', '),
                   string_agg(case
                       when attname = 'account_id' then quote_literal(account)
                       when atttypid = 'text'::regtype then quote_literal(account)
                       when atttypid = 'uuid'::regtype then quote_literal(gen_random_uuid())
                       when atttypid = 'bytea'::regtype then quote_literal(sha256(account::text::bytea))
                       when atttypid = 'timestamptz'::regtype then quote_literal(now() + interval '90 days')
                       when atttypid = 'date'::regtype then quote_literal(current_date)
                       when atttypid = 'boolean'::regtype then 'false'
                       when typcategory = 'N' then '7'
                       else quote_literal('{}')
                   end, ', ')
            into names, contents
            from pg_attribute join pg_type t on t.oid = atttypid
            where attrelid = filled_table and attnum > 0 and not attisdropped and attnotnull
              and (not atthasdef or attname = 'account_id') and attgenerated = '' and attidentity = '';
            execute format('insert into %s (%s) values (%s) on conflict do nothing', filled_table, names, contents);
        end loop;
    end $$;
";

/// Returns the tables that contain `needle`, with a digest of the rows.
async fn rows_with(pool: &PgPool, needle: &str) -> Vec<(String, String)> {
    sqlx::query_as("select place, digest from public.rows_with($1)").bind(needle).fetch_all(pool).await.unwrap()
}

async fn account_id(pool: &PgPool, email: &str) -> Uuid {
    sqlx::query_scalar("select account_id from auth.account where email = $1")
        .bind(email)
        .fetch_one(pool)
        .await
        .unwrap()
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_closed_account_is_deleted_from_every_table_after_30_days(pool: PgPool) {
    let app = App::new(&pool).await;
    let (closing, staying) = (app.register_trader().await, app.register_trader().await);
    let (closing_id, staying_id) = (account_id(&pool, &closing.email).await, account_id(&pool, &staying.email).await);
    sqlx::raw_sql(SEARCH_FUNCTIONS).execute(&pool).await.unwrap();
    for (account, trader, name) in [(closing_id, &closing, "Zubin Leaving"), (staying_id, &staying, "Tara Staying")] {
        sqlx::query("select public.fill($1)").bind(account).execute(&pool).await.unwrap();
        sqlx::query("update auth.account set name = $2 where account_id = $1")
            .bind(account)
            .bind(name)
            .execute(&pool)
            .await
            .unwrap();
        sqlx::query("insert into auth.failed_login (login, source, failures) values ('email:' || $1, 'here', 3)")
            .bind(&trader.email)
            .execute(&pool)
            .await
            .unwrap();
    }
    let account_tables: Vec<String> =
        sqlx::query_scalar("select place::text from public.all_tables() where has_account_id")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert!(account_tables.len() > 15, "{account_tables:?}");
    let before = rows_with(&pool, &closing_id.to_string()).await;
    assert!(account_tables.iter().all(|table| before.iter().any(|(place, _)| place == table)), "{before:?}");
    let rows_of_other = rows_with(&pool, &staying_id.to_string()).await;

    let pools = pools(&pool);
    let close = "update auth.account set closed_at = now() - make_interval(days => $2) where account_id = $1";
    sqlx::query(close).bind(closing_id).bind(29).execute(&pool).await.unwrap();
    run_cleanup(&pools, &app.settings).await;
    assert_eq!(account_id(&pool, &closing.email).await, closing_id, "the account can still be restored");

    sqlx::query(close).bind(closing_id).bind(31).execute(&pool).await.unwrap();
    for _ in 0..2 {
        run_cleanup(&pools, &app.settings).await;
    }
    for needle in [&closing_id.to_string(), &closing.email, &closing.phone, "Zubin"] {
        assert_eq!(rows_with(&pool, needle).await, [], "{needle}");
    }
    assert_eq!(rows_with(&pool, &staying_id.to_string()).await, rows_of_other);
    for needle in [&staying.email, &staying.phone, "Tara"] {
        assert_ne!(rows_with(&pool, needle).await, [], "{needle}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_locked_account_does_not_block_the_deletion_of_others(pool: PgPool) {
    let app = App::new(&pool).await;
    let (locked, _) = (app.register_trader().await, app.register_trader().await);
    let locked_id = account_id(&pool, &locked.email).await;
    sqlx::query("update auth.account set closed_at = now() - interval '31 days'").execute(&pool).await.unwrap();
    sqlx::query("insert into trades.account (account_id) values ($1) on conflict do nothing")
        .bind(locked_id)
        .execute(&pool)
        .await
        .unwrap();
    let pools = Pools::connect(pool.connect_options().as_ref(), 1).await.unwrap();
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("select from trades.account where account_id = $1 for update")
        .bind(locked_id)
        .execute(&mut *lock)
        .await
        .unwrap();
    run_cleanup(&pools, &app.settings).await;
    assert_eq!(remaining_emails(&pool).await, [locked.email]);
    lock.rollback().await.unwrap();
    run_cleanup(&pools, &app.settings).await;
    assert_eq!(remaining_emails(&pool).await, [""; 0]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_server_deletes_email_files_older_than_a_week(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("mail");
    fs::create_dir(&folder).unwrap();
    let [old, new] = [8, 6].map(|days| {
        let email = folder.join(format!("{days}.eml"));
        let age = Duration::from_secs(days * 24 * 60 * 60);
        File::create(&email).unwrap().set_modified(SystemTime::now() - age).unwrap();
        email
    });
    let _server = Process::start_with(&pool, data.path(), |command| command);
    let started = Instant::now();
    while old.exists() {
        assert!(started.elapsed() < Duration::from_secs(30), "the email was not deleted");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(new.exists());
}

async fn remaining_emails(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select email from auth.account").fetch_all(pool).await.unwrap()
}
