//! A closed account is erased in every table there is, and nothing else is.

use std::fs::{self, File};
use std::time::{Duration, Instant, SystemTime};

use clap::Parser as _;
use server::config::{Cli, Command, Serve};
use server::core::sweep;
use server::database::Pools;
use sqlx::PgPool;
use uuid::Uuid;

use crate::app::App;
use crate::process::Process;

/// Looks into every table, also those that are not here yet.
const LOOK: &str = "
    create function public.places() returns table (place regclass, of_accounts boolean) language sql as $$
        select format('%I.%I', t.table_schema, t.table_name)::regclass,
               exists (select from information_schema.columns c
                       where (c.table_schema, c.table_name) = (t.table_schema, t.table_name)
                         and c.column_name = 'account_id')
        from information_schema.tables t
        where t.table_type = 'BASE TABLE' and t.table_name <> '_sqlx_migrations'
          and t.table_schema not in ('pg_catalog', 'information_schema')
        order by 1
    $$;

    -- The rows that have a text in any of their columns, by table.
    create function public.rows_with(needle text) returns table (place text, digest text) language plpgsql as $$
    declare
        looked regclass;
    begin
        for looked in select p.place from public.places() p loop
            return query execute format(
                'select %L::text, md5(string_agg(t::text, chr(10) order by t::text)) from %s t
                 where strpos(lower(t::text), lower($1)) > 0 having count(*) > 0', looked, looked) using needle;
        end loop;
    end $$;

    -- Gives an account a row in every table that has rows of accounts and none of this one.
    create function public.fill(account uuid) returns void language plpgsql as $$
    declare
        filled regclass;
        rule name;
        names text;
        contents text;
        has boolean;
    begin
        for filled in select p.place from public.places() p where p.of_accounts loop
            execute format('select exists (select from %s where account_id = $1)', filled) into has using account;
            continue when has;
            for rule in select conname from pg_constraint where conrelid = filled and contype = 'c' loop
                execute format('alter table %s drop constraint %I', filled, rule);
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
            where attrelid = filled and attnum > 0 and not attisdropped and attnotnull
              and (not atthasdef or attname = 'account_id') and attgenerated = '' and attidentity = '';
            execute format('insert into %s (%s) values (%s) on conflict do nothing', filled, names, contents);
        end loop;
    end $$;
";

/// Where `needle` is found, with a digest of the rows.
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

fn settings() -> Box<Serve> {
    let Command::Serve(settings) = Cli::parse_from(["tradebahi", "serve"]).command else { unreachable!() };
    settings
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_month_after_it_was_closed_nothing_of_an_account_is_left_and_others_keep_all(pool: PgPool) {
    let app = App::new(&pool).await;
    let (leaves, stays) = (app.trader().await, app.trader().await);
    let (left, stayed) = (account_id(&pool, &leaves.email).await, account_id(&pool, &stays.email).await);
    sqlx::raw_sql(LOOK).execute(&pool).await.unwrap();
    for (account, trader, name) in [(left, &leaves, "Zubin Leaving"), (stayed, &stays, "Tara Staying")] {
        sqlx::query("select public.fill($1)").bind(account).execute(&pool).await.unwrap();
        sqlx::query("update auth.account set name = $2 where account_id = $1")
            .bind(account)
            .bind(name)
            .execute(&pool)
            .await
            .unwrap();
        sqlx::query("insert into auth.failed_login (login, network, failures) values ('email:' || $1, 'here', 3)")
            .bind(&trader.email)
            .execute(&pool)
            .await
            .unwrap();
    }
    let of_accounts: Vec<String> =
        sqlx::query_scalar("select place::text from public.places() where of_accounts").fetch_all(&pool).await.unwrap();
    assert!(of_accounts.len() > 15, "{of_accounts:?}");
    let before = rows_with(&pool, &left.to_string()).await;
    assert!(of_accounts.iter().all(|table| before.iter().any(|(place, _)| place == table)), "{before:?}");
    let of_the_other = rows_with(&pool, &stayed.to_string()).await;

    let (pools, settings) =
        (Pools { requests: pool.clone(), imports: pool.clone(), readiness: pool.clone() }, settings().auth());
    let close = "update auth.account set closed_at = now() - make_interval(days => $2) where account_id = $1";
    sqlx::query(close).bind(left).bind(29).execute(&pool).await.unwrap();
    sweep(&pools, &settings).await;
    assert_eq!(account_id(&pool, &leaves.email).await, left, "there is still time to come back");

    sqlx::query(close).bind(left).bind(31).execute(&pool).await.unwrap();
    for _ in 0..2 {
        sweep(&pools, &settings).await;
    }
    for needle in [&left.to_string(), &leaves.email, &leaves.phone, "Zubin"] {
        assert_eq!(rows_with(&pool, needle).await, [], "{needle}");
    }
    assert_eq!(rows_with(&pool, &stayed.to_string()).await, of_the_other);
    for needle in [&stays.email, &stays.phone, "Tara"] {
        assert_ne!(rows_with(&pool, needle).await, [], "{needle}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_that_cannot_be_erased_now_keeps_no_other_from_it(pool: PgPool) {
    let app = App::new(&pool).await;
    let (busy, _) = (app.trader().await, app.trader().await);
    let held = account_id(&pool, &busy.email).await;
    sqlx::query("update auth.account set closed_at = now() - interval '31 days'").execute(&pool).await.unwrap();
    sqlx::query("insert into trades.account (account_id) values ($1) on conflict do nothing")
        .bind(held)
        .execute(&pool)
        .await
        .unwrap();
    let pools = Pools::connect(pool.connect_options().as_ref(), 1).await.unwrap();
    let mut writes = pool.begin().await.unwrap();
    sqlx::query("select from trades.account where account_id = $1 for update")
        .bind(held)
        .execute(&mut *writes)
        .await
        .unwrap();
    sweep(&pools, &settings().auth()).await;
    assert_eq!(accounts_left(&pool).await, [busy.email]);
    writes.rollback().await.unwrap();
    sweep(&pools, &settings().auth()).await;
    assert_eq!(accounts_left(&pool).await, [""; 0]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_server_deletes_letters_that_were_kept_as_files_long_enough(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("mail");
    fs::create_dir(&folder).unwrap();
    let [old, new] = [8, 6].map(|days| {
        let letter = folder.join(format!("{days}.eml"));
        let age = Duration::from_secs(days * 24 * 60 * 60);
        File::create(&letter).unwrap().set_modified(SystemTime::now() - age).unwrap();
        letter
    });
    let _server = Process::start_with(&pool, data.path(), |command| command);
    let started = Instant::now();
    while old.exists() {
        assert!(started.elapsed() < Duration::from_secs(30), "it stays");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(new.exists());
}

async fn accounts_left(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select email from auth.account").fetch_all(pool).await.unwrap()
}
