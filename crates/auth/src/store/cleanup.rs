//! Deletion of expired rows.

use rpc::failure;
use sqlx::postgres::PgQueryResult;

use super::Store;
use super::second_factor::totp::TOTP_SETUP_TTL;
use crate::session::ENDED_SESSION_RETENTION;
use crate::tax_link::EXPIRED_LINK_RETENTION;

/// Number of rows that one statement deletes; small enough to stay below the statement timeout.
const BATCH_SIZE: i64 = 1_000;

impl Store {
    /// Deletes expired rows of all tables. A failure is logged, does not stop the other deletions, and is retried by
    /// the next run.
    pub(crate) async fn delete_expired_rows(&self) {
        self.delete_expired_sessions().await;
        self.delete_expired_tokens().await;
        self.delete_expired_login_state().await;
        self.delete_sent_emails().await;
        self.delete_old_phone_codes().await;
        if let Err(error) = self.delete_expired_signing_keys().await {
            tracing::warn!(error = %failure::error_chain(&error), rows = "signing keys", "cleanup failed");
        }
        self.delete_expired_second_factor_state().await;
        self.delete_old_tax_links().await;
    }

    async fn delete_expired_sessions(&self) {
        let pool = &self.pool;
        // Verifiers no longer need these ids after half of that time.
        let ended_session_age = ENDED_SESSION_RETENTION.as_seconds_f64() * 2.0;
        delete_batches("ended sessions", || {
            sqlx::query!(
                "delete from auth.ended_session where session_id in (
                     select session_id from auth.ended_session
                     where ended_at < now() - make_interval(secs => $1) limit $2
                 )",
                ended_session_age,
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        delete_batches("refresh tokens", || {
            sqlx::query!(
                "delete from auth.refresh_token where token_hash in (
                     select token_hash from auth.refresh_token where expires_at < now() limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        // A day later, so that no refresh token outlives its session.
        delete_batches("sessions", || {
            sqlx::query!(
                "delete from auth.session where (account_id, session_id) in (
                     select account_id, session_id from auth.session
                     where expires_at < now() - interval '1 day' limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }

    async fn delete_expired_tokens(&self) {
        let pool = &self.pool;
        // Clocks may differ, and a token must not become usable again.
        delete_batches("used tokens", || {
            sqlx::query!(
                "delete from auth.used_token where token_id in (
                     select token_id from auth.used_token where expires_at < now() - interval '10 minutes' limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        delete_batches("tickets", || {
            sqlx::query!(
                "delete from auth.email_link_token where token_hash in (
                     select token_hash from auth.email_link_token where expires_at < now() limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }

    /// Deletes links that expired long ago, after their access logs.
    async fn delete_old_tax_links(&self) {
        let pool = &self.pool;
        let retention = EXPIRED_LINK_RETENTION.as_seconds_f64();
        delete_batches("uses of tax links", || {
            sqlx::query!(
                "delete from auth.tax_link_use where (account_id, link_id, day, action, user_agent, address) in (
                     select u.account_id, u.link_id, u.day, u.action, u.user_agent, u.address
                     from auth.tax_link l
                     join auth.tax_link_use u on u.account_id = l.account_id and u.link_id = l.link_id
                     where l.expires_at < now() - make_interval(secs => $1) limit $2
                 )",
                retention,
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        delete_batches("tax links", || {
            sqlx::query!(
                "delete from auth.tax_link where (account_id, link_id) in (
                     select account_id, link_id from auth.tax_link
                     where expires_at < now() - make_interval(secs => $1) limit $2
                 )",
                retention,
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }

    /// Deletes codes that no longer count towards a limit.
    async fn delete_old_phone_codes(&self) {
        let pool = &self.pool;
        delete_batches("phone codes", || {
            sqlx::query!(
                "delete from auth.phone_code where code_id in (
                     select code_id from auth.phone_code where created_at < now() - interval '1 day' limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }

    /// Deletes old failed logins and known devices. These rows may be updated while a batch is selected, so the outer
    /// condition repeats the check.
    async fn delete_expired_login_state(&self) {
        let pool = &self.pool;
        delete_batches("failed logins", || {
            sqlx::query!(
                "delete from auth.failed_login where last_failed_at < now() - interval '1 day' and (login, source) in (
                     select login, source from auth.failed_login
                     where last_failed_at < now() - interval '1 day' limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        // The cookie of the device has expired by then.
        delete_batches("known devices", || {
            sqlx::query!(
                "delete from auth.known_device
                 where last_seen_at < now() - interval '1 year' and (account_id, device_hash) in (
                     select account_id, device_hash from auth.known_device
                     where last_seen_at < now() - interval '1 year' limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }

    async fn delete_expired_second_factor_state(&self) {
        let pool = &self.pool;
        delete_batches("second factor challenges", || {
            sqlx::query!(
                "delete from auth.second_factor_challenge where token_hash in (
                     select token_hash from auth.second_factor_challenge where expires_at < now() limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        delete_batches("trusted devices", || {
            sqlx::query!(
                "delete from auth.trusted_device where (account_id, trusted_device_id) in (
                     select account_id, trusted_device_id from auth.trusted_device where expires_at < now() limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
        // The setup may be confirmed or begun again while a batch is selected.
        delete_batches("unconfirmed authenticator apps", || {
            sqlx::query!(
                "delete from auth.totp
                 where confirmed_at is null and created_at < now() - make_interval(secs => $1) and account_id in (
                     select account_id from auth.totp
                     where confirmed_at is null and created_at < now() - make_interval(secs => $1) limit $2
                 )",
                TOTP_SETUP_TTL.as_seconds_f64(),
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }

    /// Deletes emails that are done and no longer count towards the hourly limit. The outer condition repeats the check,
    /// because an email may be queued again while a batch is selected.
    async fn delete_sent_emails(&self) {
        let pool = &self.pool;
        delete_batches("sent emails", || {
            sqlx::query!(
                "delete from auth.outbox
                 where next_attempt_at is null and window_started_at < now() - interval '1 hour' and (login, kind) in (
                     select login, kind from auth.outbox
                     where next_attempt_at is null and window_started_at < now() - interval '1 hour' limit $1
                 )",
                BATCH_SIZE,
            )
            .execute(pool)
        })
        .await;
    }
}

/// Deletes rows in batches and logs a failure.
async fn delete_batches<F>(rows: &str, delete_batch: impl Fn() -> F)
where
    F: Future<Output = sqlx::Result<PgQueryResult>>,
{
    if let Err(error) = db::delete_in_batches(delete_batch).await {
        tracing::warn!(rows, error = %failure::error_chain(&error), "cleanup failed");
    }
}
