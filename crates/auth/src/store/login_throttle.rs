//! Counters of failed logins. Their writes do not wait for the disk: losing the counts of the last second in a crash is
//! acceptable.

use std::time::Duration;

use uuid::Uuid;

use super::Store;
use crate::error::Error;
use crate::login_throttle::{ALL_NETWORKS, LoginAttempt};
use crate::token::TokenHash;

/// Limit of failures: from `after_failures` on, logins are throttled, first for one second, then twice as long each time
/// up to `max_secs`.
struct Limit {
    after_failures: i32,
    max_secs: f64,
}

/// Limit of one source.
const SOURCE_LIMIT: Limit = Limit { after_failures: 5, max_secs: 900.0 };
/// Limit of an account over all networks: about 400 guesses on the first day and 290 on each further one, from however
/// many networks they come. The shorter delay lets an owner with a new device in between the guesses.
const ALL_NETWORKS_LIMIT: Limit = Limit { after_failures: 100, max_secs: 300.0 };

impl Store {
    /// Counts an attempt as failed before its password is checked, so that concurrent guesses get no further than
    /// sequential ones. Returns the remaining delay, without counting, while the login is throttled.
    pub(crate) async fn count_attempt(&self, attempt: &LoginAttempt) -> Result<Option<Duration>, Error> {
        let LoginAttempt { login, source, counts_for_all_networks, .. } = attempt;
        if let Some(delay) = self.count_failure(login, source, SOURCE_LIMIT).await? {
            return Ok(Some(delay));
        }
        if !counts_for_all_networks {
            return Ok(None);
        }
        let delay = self.count_failure(login, ALL_NETWORKS, ALL_NETWORKS_LIMIT).await?;
        if delay.is_some() {
            self.uncount_failure(login, source).await?;
        }
        Ok(delay)
    }

    async fn count_failure(&self, login: &str, source: &str, limit: Limit) -> Result<Option<Duration>, Error> {
        let upsert = sqlx::query!(
            "insert into auth.failed_login as f (login, source, failures)
             select $1, $2, 1 from set_config('synchronous_commit', 'off', true)
             on conflict (login, source) do update set
                 failures = case when f.last_failed_at > now() - interval '1 day' then f.failures + 1 else 1 end,
                 last_failed_at = now(),
                 throttled_until = case when f.last_failed_at > now() - interval '1 day' and f.failures + 1 >= $3
                     then now() + make_interval(secs => least(power(2, least(f.failures + 1 - $3, 20)), $4)) end
             where f.throttled_until is null or f.throttled_until <= now()",
            login,
            source,
            limit.after_failures,
            limit.max_secs,
        );
        if upsert.execute(&self.pool).await?.rows_affected() == 1 {
            return Ok(None);
        }
        let remaining_secs = sqlx::query_scalar!(
            r#"select ceil(extract(epoch from throttled_until - clock_timestamp()))::bigint as "left!"
               from auth.failed_login where login = $1 and source = $2 and throttled_until is not null"#,
            login,
            source,
        );
        let remaining_secs = remaining_secs.fetch_optional(&self.pool).await?.unwrap_or_default();
        Ok(Some(Duration::from_secs(u64::try_from(remaining_secs).unwrap_or_default().max(1))))
    }

    /// Reverts [`count_attempt`](Self::count_attempt) for an attempt whose password was not checked.
    pub(crate) async fn uncount_attempt(&self, attempt: &LoginAttempt) -> Result<(), Error> {
        self.uncount_failure(&attempt.login, &attempt.source).await?;
        if attempt.counts_for_all_networks {
            self.uncount_failure(&attempt.login, ALL_NETWORKS).await?;
        }
        Ok(())
    }

    async fn uncount_failure(&self, login: &str, source: &str) -> Result<(), Error> {
        sqlx::query!(
            "update auth.failed_login set failures = greatest(failures - 1, 0), throttled_until = null
             from set_config('synchronous_commit', 'off', true)
             where login = $1 and source = $2",
            login,
            source,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Clears the counter of the source after a successful attempt. The failures of other networks still count.
    pub(crate) async fn clear_attempts(&self, attempt: &LoginAttempt) -> Result<(), Error> {
        sqlx::query!(
            "delete from auth.failed_login using set_config('synchronous_commit', 'off', true)
             where login = $1 and source = $2",
            attempt.login,
            attempt.source,
        )
        .execute(&self.pool)
        .await?;
        if attempt.counts_for_all_networks {
            self.uncount_failure(&attempt.login, ALL_NETWORKS).await?;
        }
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
