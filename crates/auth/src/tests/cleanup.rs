//! Deletion of expired rows.

use super::*;
use crate::session::ENDED_SESSION_RETENTION;

/// Inserts more expired rows than one batch deletes.
const INSERT_MANY: &str = "
    insert into auth.refresh_token (token_hash, account_id, session_id, expires_at)
    select sha256(n::text::bytea), gen_random_uuid(), gen_random_uuid(), now() - make_interval(secs => n)
    from generate_series(1, 2500) n";

/// Makes a statement fail that deletes more than one batch.
const LIMIT_BATCH_SIZE: &str = "
    create function public.few() returns trigger language plpgsql as $$ begin
        if (select count(*) from gone) > 1000 then raise 'too many at once'; end if;
        return null;
    end $$;
    create trigger few after delete on auth.refresh_token referencing old table as gone
        for each statement execute function public.few();";

#[sqlx::test(migrations = "../../migrations")]
async fn deletes_many_rows_in_batches(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.log_in().await;
    sqlx::raw_sql(LIMIT_BATCH_SIZE).execute(&pool).await.unwrap();
    sqlx::query(INSERT_MANY).execute(&pool).await.unwrap();
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.refresh_token").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_failed_deletion_does_not_stop_the_others(pool: PgPool) {
    sqlx::query("insert into auth.used_token values (gen_random_uuid(), now() - interval '1 hour')")
        .execute(&pool)
        .await
        .unwrap();
    for table in ["ended_session", "refresh_token", "session"] {
        let rename = sqlx::AssertSqlSafe(format!("alter table auth.{table} rename to hidden_{table}"));
        sqlx::raw_sql(rename).execute(&pool).await.unwrap();
    }
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.used_token").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_columns_that_select_expired_rows_are_indexed(pool: PgPool) {
    for (table, time) in [
        ("auth.ended_session", "ended_at"),
        ("auth.refresh_token", "expires_at"),
        ("auth.session", "expires_at"),
        ("auth.used_token", "expires_at"),
        ("auth.email_link_token", "expires_at"),
        ("auth.tax_link", "expires_at"),
        ("auth.failed_login", "last_failed_at"),
        ("auth.known_device", "last_seen_at"),
        ("auth.outbox", "window_started_at"),
        ("careers.access_log", "accessed_at"),
        ("careers.idempotent_request", "received_at"),
        ("careers.application", "expires_at"),
        ("trades.idempotent_request", "recorded_at"),
        ("trades.change", "made_at"),
        ("journal.journal", "last_saved_at"),
        ("trades.preview", "expires_at"),
    ] {
        let indexed = sqlx::query_scalar::<_, bool>(
            "select exists (
                 select from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
                 where indrelid = $1::regclass and attname = $2
             )",
        );
        assert!(indexed.bind(table).bind(time).fetch_one(&pool).await.unwrap(), "{time} of {table}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn ids_of_ended_sessions_are_kept_for_twice_the_retention(pool: PgPool) {
    let ended = "insert into auth.ended_session (session_id, ended_at)
                 select gen_random_uuid(), now() - make_interval(secs => $1 * times) from unnest(array[1.9, 2.1]) times";
    sqlx::query(ended).bind(ENDED_SESSION_RETENTION.as_seconds_f64()).execute(&pool).await.unwrap();
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.ended_session").await, 1);
}
