//! Counters of failed logins. Their writes do not wait for the disk: losing the counts of the last second in a crash is
//! acceptable.

use std::time::Duration;

use uuid::Uuid;

use super::Store;
use crate::error::Error;
use crate::login_throttle::LoginAttempt;
use crate::token::TokenHash;

/// Number of failures from which logins are throttled: first for one second, then twice as long each time.
const THROTTLE_AFTER_FAILURES: i32 = 5;
/// Maximum throttle delay in seconds.
const MAX_THROTTLE_SECS: f64 = 900.0;

impl Store {
    /// Counts an attempt as failed before its password is checked, so that concurrent guesses get no further than
    /// sequential ones. Returns the remaining delay, without counting, while the login is throttled.
    pub(crate) async fn count_attempt(&self, attempt: &LoginAttempt) -> Result<Option<Duration>, Error> {
        let upsert = sqlx::query!(
            "insert into auth.failed_login as f (login, source, failures)
             select $1, $2, 1 from set_config('synchronous_commit', 'off', true)
             on conflict (login, source) do update set
                 failures = case when f.last_failed_at > now() - interval '1 day' then f.failures + 1 else 1 end,
                 last_failed_at = now(),
                 throttled_until = case when f.last_failed_at > now() - interval '1 day' and f.failures + 1 >= $3
                     then now() + make_interval(secs => least(power(2, least(f.failures + 1 - $3, 20)), $4)) end
             where f.throttled_until is null or f.throttled_until <= now()",
            attempt.login,
            attempt.source,
            THROTTLE_AFTER_FAILURES,
            MAX_THROTTLE_SECS,
        );
        if upsert.execute(&self.pool).await?.rows_affected() == 1 {
            return Ok(None);
        }
        let remaining_secs = sqlx::query_scalar!(
            r#"select ceil(extract(epoch from throttled_until - clock_timestamp()))::bigint as "left!"
               from auth.failed_login where login = $1 and source = $2 and throttled_until is not null"#,
            attempt.login,
            attempt.source,
        );
        let remaining_secs = remaining_secs.fetch_optional(&self.pool).await?.unwrap_or_default();
        Ok(Some(Duration::from_secs(u64::try_from(remaining_secs).unwrap_or_default().max(1))))
    }

    /// Reverts [`count_attempt`](Self::count_attempt) for an attempt whose password was not checked.
    pub(crate) async fn uncount_attempt(&self, attempt: &LoginAttempt) -> Result<(), Error> {
        sqlx::query!(
            "update auth.failed_login set failures = greatest(failures - 1, 0), throttled_until = null
             from set_config('synchronous_commit', 'off', true)
             where login = $1 and source = $2",
            attempt.login,
            attempt.source,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Clears the counter after a successful attempt.
    pub(crate) async fn clear_attempts(&self, attempt: &LoginAttempt) -> Result<(), Error> {
        sqlx::query!(
            "delete from auth.failed_login using set_config('synchronous_commit', 'off', true)
             where login = $1 and source = $2",
            attempt.login,
            attempt.source,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Returns true if the device has logged in to the account before.
    pub(crate) async fn is_known_device(&self, account_id: Uuid, device: &TokenHash) -> Result<bool, Error> {
        let is_known = sqlx::query_scalar!(
            r#"select exists (
                   select from auth.known_device where account_id = $1 and device_hash = $2
               ) as "known!""#,
            account_id,
            device.as_bytes(),
        );
        Ok(is_known.fetch_one(&self.pool).await?)
    }
}
