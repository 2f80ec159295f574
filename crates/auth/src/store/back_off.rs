//! Wrong passwords, counted. A count that a crash takes away within a second is no loss, so nobody waits until it is on
//! the disk.

use std::time::Duration;

use super::Store;
use crate::back_off::Attempt;
use crate::error::Error;
use crate::token::TokenHash;
use uuid::Uuid;

/// The first failure that holds. It holds for a second, the next for two, and so on to fifteen minutes.
const HOLDING_FAILURE: i32 = 5;
const LONGEST_HOLD: f64 = 900.0;

impl Store {
    /// Counts an attempt as failed before its password is looked at, so that many at once get no further than one
    /// after another. Answers with the wait where the last failure still holds: then nothing is counted.
    pub(crate) async fn count_attempt(&self, attempt: &Attempt) -> Result<Option<Duration>, Error> {
        let counted = sqlx::query!(
            "insert into auth.failed_login as f (login, network, failures)
             select $1, $2, 1 from set_config('synchronous_commit', 'off', true)
             on conflict (login, network) do update set
                 failures = case when f.last_failed_at > now() - interval '1 day' then f.failures + 1 else 1 end,
                 last_failed_at = now(),
                 held_until = case when f.last_failed_at > now() - interval '1 day' and f.failures + 1 >= $3
                     then now() + make_interval(secs => least(power(2, least(f.failures + 1 - $3, 20)), $4)) end
             where f.held_until is null or f.held_until <= now()",
            attempt.login,
            attempt.place,
            HOLDING_FAILURE,
            LONGEST_HOLD,
        );
        if counted.execute(&self.pool).await?.rows_affected() == 1 {
            return Ok(None);
        }
        let left = sqlx::query_scalar!(
            r#"select ceil(extract(epoch from held_until - clock_timestamp()))::bigint as "left!"
               from auth.failed_login where login = $1 and network = $2 and held_until is not null"#,
            attempt.login,
            attempt.place,
        );
        let left = left.fetch_optional(&self.pool).await?.unwrap_or_default();
        Ok(Some(Duration::from_secs(u64::try_from(left).unwrap_or_default().max(1))))
    }

    /// Takes back what [`count_attempt`](Self::count_attempt) counted: the password was not looked at.
    pub(crate) async fn discount_attempt(&self, attempt: &Attempt) -> Result<(), Error> {
        sqlx::query!(
            "update auth.failed_login set failures = greatest(failures - 1, 0), held_until = null
             from set_config('synchronous_commit', 'off', true)
             where login = $1 and network = $2",
            attempt.login,
            attempt.place,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// The password was right: what was wrong before is forgotten.
    pub(crate) async fn clear_attempts(&self, attempt: &Attempt) -> Result<(), Error> {
        sqlx::query!(
            "delete from auth.failed_login using set_config('synchronous_commit', 'off', true)
             where login = $1 and network = $2",
            attempt.login,
            attempt.place,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Whether the device signed in to the account before.
    pub(crate) async fn knows_device(&self, account_id: Uuid, device: &TokenHash) -> Result<bool, Error> {
        let known = sqlx::query_scalar!(
            r#"select exists (
                   select from auth.known_device where account_id = $1 and device_hash = $2
               ) as "known!""#,
            account_id,
            device.as_bytes(),
        );
        Ok(known.fetch_one(&self.pool).await?)
    }
}
