//! `tradebahi sessions`: ends sessions of users.

use anyhow::Context as _;
use sqlx::PgPool;

use crate::config::{DatabaseSettings, Sessions};
use crate::database::Database;

/// Runs the command. Messages go to standard error.
pub async fn run(settings: &DatabaseSettings, command: Sessions) -> anyhow::Result<()> {
    let database = Database::open_for_command(settings).await?;
    let outcome = run_command(&database.pools.requests, command).await;
    database.close().await?;
    outcome
}

async fn run_command(pool: &PgPool, command: Sessions) -> anyhow::Result<()> {
    let Sessions::End { login, .. } = command;
    let ended = match login {
        Some(login) => {
            let ended = auth::end_account_sessions(pool, &login).await?;
            let unknown = || format!("no account has the email address or the verified phone number {login}");
            i64::from(ended.with_context(unknown)?)
        }
        None => auth::end_all_sessions(pool).await?.try_into()?,
    };
    eprintln!(
        "{ended} {} ended. All servers reject them within 5 seconds.",
        if ended == 1 { "session" } else { "sessions" }
    );
    Ok(())
}
