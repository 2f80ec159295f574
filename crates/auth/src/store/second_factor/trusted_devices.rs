//! Devices that log in without a second factor.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::Error;
use crate::second_factor::{MAX_TRUSTED_DEVICES, TRUSTED_DEVICE_TTL};
use crate::session::Device;
use crate::store::Store;
use crate::token::TokenHash;

impl Store {
    /// Returns true if the device may log in to the account without a second factor, and notes its use.
    pub(crate) async fn use_trusted_device(&self, account_id: Uuid, device: &TokenHash) -> Result<bool, Error> {
        let used = sqlx::query!(
            "update auth.trusted_device set last_used_at = now()
             where account_id = $1 and device_hash = $2 and expires_at > now()",
            account_id,
            device.as_bytes(),
        );
        Ok(used.execute(&self.pool).await?.rows_affected() > 0)
    }

    /// Ends the trust in a device. Returns false if it was not trusted.
    pub(crate) async fn remove_trusted_device(&self, account_id: Uuid, device: Uuid) -> Result<bool, Error> {
        let removed = sqlx::query!(
            "delete from auth.trusted_device where account_id = $1 and trusted_device_id = $2",
            account_id,
            device,
        );
        Ok(removed.execute(&self.pool).await?.rows_affected() == 1)
    }
}

/// Trusts the device for a while. Removes the devices used least recently above the limit.
pub(in crate::store) async fn trust_device(
    tx: &mut PgConnection,
    account_id: Uuid,
    device: &Device,
    token: &TokenHash,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into auth.trusted_device (account_id, trusted_device_id, device_hash, user_agent, expires_at)
         values ($1, $2, $3, $4, now() + make_interval(secs => $5))",
        account_id,
        Uuid::now_v7(),
        token.as_bytes(),
        device.user_agent,
        TRUSTED_DEVICE_TTL.as_seconds_f64(),
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from auth.trusted_device where account_id = $1 and trusted_device_id in (
             select trusted_device_id from auth.trusted_device where account_id = $1
             order by last_used_at desc, trusted_device_id offset $2
         )",
        account_id,
        MAX_TRUSTED_DEVICES,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends the trust in all devices, and the logins that wait for a second factor.
pub(in crate::store) async fn end_trust(tx: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    sqlx::query!("delete from auth.trusted_device where account_id = $1", account_id).execute(&mut *tx).await?;
    sqlx::query!("delete from auth.second_factor_challenge where account_id = $1", account_id).execute(tx).await?;
    Ok(())
}
