//! Journals: that of an account, with entries about its positions and days, and those of the public pages.
//!
//! This crate owns the schema `journal`. The two kinds of journals share nothing but the schema: [`trader_journal`] belongs
//! to an account, [`public_journal`] to anyone who has its key.
//!
//! Start reading at [`trader_journal`] or [`public_journal`].

mod amount;
pub mod public_journal;
pub mod trader_journal;

use sqlx::PgPool;
pub use trader_journal::Settings;
use uuid::Uuid;

/// Deletes the journals of an account. Idempotent.
///
/// # Errors
/// The database or the screenshot store failed, or another write takes too long. What was deleted before stays deleted.
pub async fn delete_account(pool: &PgPool, settings: &Settings, account_id: Uuid) -> Result<(), Error> {
    public_journal::delete_account(pool, account_id).await?;
    Ok(trader_journal::delete_account(pool, settings, account_id).await?)
}

/// Deletes public journals, undoable changes and deleted screenshots that have expired.
///
/// # Errors
/// The database or the screenshot store failed. Rows deleted before stay deleted.
pub async fn delete_expired_rows(pool: &PgPool, settings: &Settings) -> Result<(), Error> {
    public_journal::delete_expired_rows(pool).await?;
    Ok(trader_journal::delete_expired_rows(pool, settings).await?)
}

/// Error of a deletion.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A public journal could not be deleted.
    #[error("failed to delete public journals")]
    Public(#[from] public_journal::Error),
    /// The journal of an account could not be deleted.
    #[error("failed to delete rows of the journal")]
    Trader(#[from] trader_journal::Error),
}
