//! `tradebahi service-token`: the credentials of internal services.

use anyhow::ensure;
use auth::service_token;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::config::{DatabaseSettings, ServiceToken};
use crate::database::Database;

/// Does what was asked for. What scripts read goes to the output, the rest to the terminal.
pub async fn run(settings: &DatabaseSettings, command: ServiceToken) -> anyhow::Result<()> {
    let database = Database::visit(settings).await?;
    let done = apply(&database.pools.requests, command).await;
    database.close().await?;
    done
}

async fn apply(pool: &PgPool, command: ServiceToken) -> anyhow::Result<()> {
    match command {
        ServiceToken::Create { name, scopes } => {
            let token = service_token::create(pool, &name, &scopes).await?;
            let Some(token) = token else {
                anyhow::bail!("{name} has a token; revoke it first");
            };
            println!("{token}");
            eprintln!("This is the token of {name}. It is not shown again.");
        }
        ServiceToken::List => {
            let tokens = service_token::list(pool).await?;
            println!("{:<24} {:<11} {:<11} SCOPES", "NAME", "MADE", "REVOKED");
            tokens.iter().for_each(|token| println!("{}", line(token)));
        }
        ServiceToken::Revoke { name } => {
            ensure!(service_token::revoke(pool, &name).await?, "{name} has no token in use");
            eprintln!("The token of {name} is refused from now on, everywhere within five seconds.");
        }
    }
    Ok(())
}

fn line(token: &service_token::ServiceToken) -> String {
    let day = |at: OffsetDateTime| at.date().to_string();
    let revoked = token.revoked_at.map_or_else(|| "-".to_owned(), day);
    format!("{:<24} {:<11} {revoked:<11} {}", token.name, day(token.created_at), token.scopes.join(" "))
}
