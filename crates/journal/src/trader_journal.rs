//! The journal of an account: entries about positions, strategies and days, playbooks, templates, screenshots, and bulk
//! edits that can be undone.
//!
//! An entry belongs to a key of the analytics, which this module does not interpret. Imports, undos and corrections change
//! no row here, so they cannot lose an entry; an entry whose key no position has any longer is listed by the edge and can
//! be attached to another position.
//!
//! Start reading at [`entry`], then `store.rs`. `screenshots.rs` keeps the pictures; `screenshot_encoder.rs` is the sandboxed
//! process that draws them anew.

mod edit;
pub mod entry;
mod error;
mod grpc;
mod playbook;
mod screenshot;
pub mod screenshot_encoder;
mod screenshot_process;
mod screenshots;
mod search_terms;
mod settings;
mod store;

#[cfg(test)]
mod tests;

pub use error::Error;
use rpc::trader_journal::v1::trader_journal_service_server::TraderJournalServiceServer;
pub use settings::Settings;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

/// Returns the service of the journals of accounts.
///
/// # Errors
/// The directory of screenshots cannot be opened.
pub fn server(pool: PgPool, settings: Settings) -> Result<TraderJournalServiceServer<grpc::TraderJournals>, Error> {
    let store = store::Store::new(pool);
    let screenshots = screenshots::Screenshots::new(store.clone(), settings)?;
    Ok(TraderJournalServiceServer::new(grpc::TraderJournals::new(store, screenshots)))
}

/// Deletes the journal of an account with its screenshots. Idempotent.
///
/// # Errors
/// The database or the screenshot store failed, or another write takes too long. What was deleted before stays deleted.
pub async fn delete_account(pool: &PgPool, settings: &Settings, account_id: Uuid) -> Result<(), Error> {
    screenshots::delete_of_account(pool, settings, account_id).await?;
    store::delete_account(pool, account_id).await
}

/// Deletes expired changes, and screenshots that were deleted over a day ago.
///
/// # Errors
/// The database or the screenshot store failed. What was deleted before stays deleted.
pub async fn delete_expired_rows(pool: &PgPool, settings: &Settings) -> Result<(), Error> {
    store::delete_expired_changes(pool).await?;
    screenshots::delete_expired(pool, settings).await
}

/// Lists the files of all screenshots with their SHA-256, for a backup.
///
/// # Errors
/// The database failed.
pub async fn list_screenshot_files(executor: impl PgExecutor<'_>) -> Result<Vec<(Uuid, Vec<u8>)>, Error> {
    store::screenshots::list_files(executor).await
}
