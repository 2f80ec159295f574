//! Deleting what is of no use any more.

use rpc::failure;
use sqlx::postgres::PgQueryResult;

use super::Store;
use crate::token::REMEMBER_ENDED_FOR;

/// How many rows one statement deletes: so few that it is not cut off, however many there are.
const BATCH: i64 = 1_000;

impl Store {
    /// Deletes what is of no use any more. What fails goes to the log, keeps nothing else from being deleted, and is
    /// tried again at the next sweep.
    pub(crate) async fn sweep(&self) {
        let pool = &self.pool;
        // Well after everybody has stopped asking for them.
        let forgotten = REMEMBER_ENDED_FOR.as_seconds_f64() * 2.0;
        delete_all("ended sign-ins", || {
            sqlx::query!(
                "delete from auth.ended_sign_in where sign_in_id in (
                     select sign_in_id from auth.ended_sign_in
                     where ended_at < now() - make_interval(secs => $1) limit $2
                 )",
                forgotten,
                BATCH,
            )
            .execute(pool)
        })
        .await;
        delete_all("refresh tokens", || {
            sqlx::query!(
                "delete from auth.refresh_token where token_hash in (
                     select token_hash from auth.refresh_token where expires_at < now() limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
        // A day later, so that no token outlives its sign-in.
        delete_all("sign-ins", || {
            sqlx::query!(
                "delete from auth.sign_in where (account_id, sign_in_id) in (
                     select account_id, sign_in_id from auth.sign_in
                     where expires_at < now() - interval '1 day' limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
        // Clocks may differ: a token must not come to life again.
        delete_all("used tokens", || {
            sqlx::query!(
                "delete from auth.used_token where token_id in (
                     select token_id from auth.used_token where expires_at < now() - interval '10 minutes' limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
        delete_all("tickets", || {
            sqlx::query!(
                "delete from auth.ticket where ticket_hash in (
                     select ticket_hash from auth.ticket where expires_at < now() limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
        // Of those below, one may come into use again meanwhile: what is deleted is old once more then.
        delete_all("failed logins", || {
            sqlx::query!(
                "delete from auth.failed_login where last_failed_at < now() - interval '1 day' and (login, network) in (
                     select login, network from auth.failed_login
                     where last_failed_at < now() - interval '1 day' limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
        // The device has forgotten it by then.
        delete_all("known devices", || {
            sqlx::query!(
                "delete from auth.known_device
                 where last_seen_at < now() - interval '1 year' and (account_id, device_hash) in (
                     select account_id, device_hash from auth.known_device
                     where last_seen_at < now() - interval '1 year' limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
        // Those that are done and count no more.
        delete_all("letters", || {
            sqlx::query!(
                "delete from auth.letter
                 where next_attempt_at is null and counted_from < now() - interval '1 hour' and (login, kind) in (
                     select login, kind from auth.letter
                     where next_attempt_at is null and counted_from < now() - interval '1 hour' limit $1
                 )",
                BATCH,
            )
            .execute(pool)
        })
        .await;
    }
}

/// Deletes batch after batch until nothing is left.
async fn delete_all<F>(what: &str, batch: impl Fn() -> F)
where
    F: Future<Output = sqlx::Result<PgQueryResult>>,
{
    loop {
        match batch().await {
            Ok(deleted) if deleted.rows_affected() == 0 => return,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(what, error = %failure::chain(&error), "sweeping failed");
                return;
            }
        }
    }
}
