//! Tax links and their access logs.

use sqlx::PgConnection;
use time::macros::offset;
use time::{OffsetDateTime, UtcOffset};
use uuid::Uuid;

use super::Store;
use super::outbox::queue_email;
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::{Error, InternalError};
use crate::session::Device;
use crate::tax_link::{
    MAX_ACTIVE_LINKS, MAX_KEPT_LINKS, MAX_LISTED_USES, MAX_LOGGED_USES, NewTaxLink, OpenTaxLink, TaxLink,
    TaxLinkAction, TaxLinkToken, TaxLinkUse,
};

/// Offset of India, by whose days uses are counted.
const INDIA: UtcOffset = offset!(+5:30);

impl Store {
    /// Adds a link and tells its trader by email.
    ///
    /// # Errors
    /// [`Error::TooManyTaxLinks`] if the account has the maximum number of links that work.
    pub(crate) async fn add_tax_link(&self, token: &TaxLinkToken, new: &NewTaxLink) -> Result<TaxLink, Error> {
        let (account_id, link_id) = (token.account_id, Uuid::now_v7());
        let mut tx = self.pool.begin().await?;
        // Makes concurrent requests of the account wait.
        let email = sqlx::query_scalar!("select email from auth.account where account_id = $1 for update", account_id)
            .fetch_optional(&mut *tx)
            .await?
            .ok_or(Error::SessionEnded)?;
        let active = sqlx::query_scalar!(
            r#"select count(*) as "count!" from auth.tax_link
               where account_id = $1 and revoked_at is null and expires_at > now()"#,
            account_id,
        );
        if active.fetch_one(&mut *tx).await? >= MAX_ACTIVE_LINKS {
            return Err(Error::TooManyTaxLinks);
        }
        let secret_hash = token.secret_hash();
        let times = sqlx::query!(
            "insert into auth.tax_link
                 (account_id, link_id, secret_hash, recipient, year, broker_accounts, expires_at)
             values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
             returning created_at, expires_at",
            account_id,
            link_id,
            secret_hash.as_bytes(),
            new.recipient,
            new.year,
            &new.broker_accounts,
            new.ttl.as_seconds_f64(),
        )
        .fetch_one(&mut *tx)
        .await?;
        delete_oldest_links(&mut tx, account_id).await?;
        queue_email(&mut tx, EmailKind::TaxLinkCreated, &Login::from_email(&email)).await?;
        tx.commit().await?;
        Ok(TaxLink {
            link_id,
            recipient: new.recipient.clone(),
            year: new.year,
            broker_accounts: new.broker_accounts.clone(),
            created_at: times.created_at,
            expires_at: times.expires_at,
            revoked_at: None,
            uses: Vec::new(),
        })
    }

    /// Returns the links of an account, the newest first.
    pub(crate) async fn list_tax_links(&self, account_id: Uuid) -> Result<Vec<TaxLink>, Error> {
        let mut links = sqlx::query!(
            "select link_id, recipient, year, broker_accounts, created_at, expires_at, revoked_at
             from auth.tax_link where account_id = $1 order by created_at desc, link_id",
            account_id,
        )
        .map(|row| TaxLink {
            link_id: row.link_id,
            recipient: row.recipient,
            year: row.year,
            broker_accounts: row.broker_accounts,
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            uses: Vec::new(),
        })
        .fetch_all(&self.pool)
        .await?;
        let uses = sqlx::query!(
            "select link_id, action, user_agent, address, first_at, last_at, uses
             from (
                 select *, row_number() over (partition by link_id order by last_at desc, action, user_agent, address) as number
                 from auth.tax_link_use where account_id = $1
             ) as numbered
             where number <= $2
             order by link_id, number",
            account_id,
            MAX_LISTED_USES,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in uses {
            let action = TaxLinkAction::from_name(&row.action).ok_or_else(|| {
                InternalError::Database(sqlx::Error::Decode(format!("unknown action {}", row.action).into()))
            })?;
            if let Some(link) = links.iter_mut().find(|link| link.link_id == row.link_id) {
                link.uses.push(TaxLinkUse {
                    action,
                    user_agent: row.user_agent,
                    address: row.address,
                    first_at: row.first_at,
                    last_at: row.last_at,
                    uses: row.uses,
                });
            }
        }
        Ok(links)
    }

    /// Revokes a link. Returns false if the account has no such link; a second revocation changes nothing.
    pub(crate) async fn revoke_tax_link(&self, account_id: Uuid, link_id: Uuid) -> Result<bool, Error> {
        let update = sqlx::query!(
            "update auth.tax_link set revoked_at = coalesce(revoked_at, $3) where account_id = $1 and link_id = $2",
            account_id,
            link_id,
            OffsetDateTime::now_utc(),
        );
        Ok(update.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Returns the link with this token and logs its use. Returns `None` if the link is unknown, revoked or expired, or if
    /// its account is closed.
    pub(crate) async fn use_tax_link(
        &self,
        token: &TaxLinkToken,
        action: TaxLinkAction,
        device: &Device,
    ) -> Result<Option<OpenTaxLink>, Error> {
        let (account_id, secret_hash) = (token.account_id, token.secret_hash());
        let mut tx = self.pool.begin().await?;
        // The lock makes a revocation or a deletion wait until the use is logged.
        let open = sqlx::query!(
            r#"select l.link_id, l.recipient, l.year, l.broker_accounts, l.created_at, l.expires_at,
                      a.name, a.email, a.email_confirmed_at is not null as "email_confirmed!"
               from auth.tax_link l join auth.account a on a.account_id = l.account_id
               where l.account_id = $1 and l.secret_hash = $2 and l.revoked_at is null and l.expires_at > now()
                   and a.closed_at is null
               for share of l"#,
            account_id,
            secret_hash.as_bytes(),
        )
        .map(|row| OpenTaxLink {
            link: TaxLink {
                link_id: row.link_id,
                recipient: row.recipient,
                year: row.year,
                broker_accounts: row.broker_accounts,
                created_at: row.created_at,
                expires_at: row.expires_at,
                revoked_at: None,
                uses: Vec::new(),
            },
            name: row.name,
            email: row.email,
            email_confirmed: row.email_confirmed,
        })
        .fetch_optional(&mut *tx)
        .await?;
        let Some(open) = open else { return Ok(None) };
        log_tax_link_use(&mut tx, account_id, open.link.link_id, action, device).await?;
        tx.commit().await?;
        Ok(Some(open))
    }
}

/// Logs a use of a link. If the log is full, the use is counted without network and browser.
async fn log_tax_link_use(
    tx: &mut PgConnection,
    account_id: Uuid,
    link_id: Uuid,
    action: TaxLinkAction,
    device: &Device,
) -> Result<(), Error> {
    let now = OffsetDateTime::now_utc();
    let logged = sqlx::query_scalar!(
        r#"select count(*) as "count!" from auth.tax_link_use where account_id = $1 and link_id = $2"#,
        account_id,
        link_id,
    )
    .fetch_one(&mut *tx)
    .await?;
    let has_room = logged < MAX_LOGGED_USES;
    sqlx::query!(
        "insert into auth.tax_link_use as u
             (account_id, link_id, day, action, user_agent, address, first_at, last_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7)
         on conflict (account_id, link_id, day, action, user_agent, address)
             do update set last_at = excluded.last_at, uses = u.uses + 1",
        account_id,
        link_id,
        now.to_offset(INDIA).date(),
        action.as_str(),
        if has_room { &device.user_agent } else { "" },
        if has_room { &device.address } else { "" },
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes the oldest links above the maximum number, with their access logs.
async fn delete_oldest_links(tx: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    let deleted = sqlx::query_scalar!(
        "delete from auth.tax_link where account_id = $1 and link_id in (
             select link_id from auth.tax_link where account_id = $1
             order by revoked_at is null and expires_at > now() desc, created_at desc, link_id offset $2
         )
         returning link_id",
        account_id,
        MAX_KEPT_LINKS,
    )
    .fetch_all(&mut *tx)
    .await?;
    sqlx::query!("delete from auth.tax_link_use where account_id = $1 and link_id = any ($2)", account_id, &deleted)
        .execute(tx)
        .await?;
    Ok(())
}

/// Revokes all links of an account.
pub(super) async fn revoke_tax_links(tx: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "update auth.tax_link set revoked_at = now() where account_id = $1 and revoked_at is null",
        account_id
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes all links of an account, with their access logs.
pub(super) async fn delete_tax_links(tx: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    // Links first: their deletion waits for uses that are being logged.
    sqlx::query!("delete from auth.tax_link where account_id = $1", account_id).execute(&mut *tx).await?;
    sqlx::query!("delete from auth.tax_link_use where account_id = $1", account_id).execute(tx).await?;
    Ok(())
}
