//! `tradebahi service-token`: manages the tokens of internal services.

use anyhow::ensure;
use auth::service_token;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::config::{DatabaseSettings, ServiceToken};
use crate::database::Database;

/// Runs the command. Data goes to standard output, messages go to standard error.
pub async fn run(settings: &DatabaseSettings, command: ServiceToken) -> anyhow::Result<()> {
    let database = Database::open_for_command(settings).await?;
    let outcome = run_command(&database.pools.requests, command).await;
    database.close().await?;
    outcome
}

async fn run_command(pool: &PgPool, command: ServiceToken) -> anyhow::Result<()> {
    match command {
        ServiceToken::Create { name, scopes, days } => {
            let token = service_token::create(pool, &name, &scopes, Duration::days(days)).await?;
            let Some(token) = token else {
                anyhow::bail!("{name} already has a token; revoke it first");
            };
            println!("{token}");
            eprintln!("Token of {name} created. It is not shown again, and expires in {days} days.");
        }
        ServiceToken::List => {
            let tokens = service_token::list(pool).await?;
            println!("{:<24} {:<11} {:<11} {:<11} SCOPES", "NAME", "CREATED", "EXPIRES", "REVOKED");
            tokens.iter().for_each(|token| println!("{}", table_row(token)));
        }
        ServiceToken::Revoke { name } => {
            ensure!(service_token::revoke(pool, &name).await?, "{name} has no active token");
            eprintln!("Token of {name} revoked. All servers reject it within 5 seconds.");
        }
    }
    Ok(())
}

fn table_row(token: &service_token::ServiceToken) -> String {
    let day = |at: OffsetDateTime| at.date().to_string();
    let revoked = token.revoked_at.map_or_else(|| "-".to_owned(), day);
    let (created, expires) = (day(token.created_at), day(token.expires_at));
    format!("{:<24} {created:<11} {expires:<11} {revoked:<11} {}", token.name, token.scopes.join(" "))
}
