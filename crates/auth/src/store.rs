//! Every SQL statement on the schema `auth`.

pub(crate) mod account_settings;
mod cleanup;
mod deletion;
pub(crate) mod email_tickets;
pub(crate) mod encryption;
pub(crate) mod google;
mod login_throttle;
pub(crate) mod outbox;
pub(crate) mod phone_verification;
pub(crate) mod restore;
pub(crate) mod second_factor;
mod service_tokens;
pub(crate) mod sessions;
mod signing_keys;
mod tax_links;
pub(crate) mod token_rotation;

use db::ReadPool;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::account::{Account, EmailAddress, Login, Registration, generate_client_id};
use crate::email::EmailKind;
use crate::encryption::EncryptionKeys;
use crate::error::{Error, InternalError};

/// Maximum attempts to generate a free client id. Client ids have 30 random bits, so this many collisions in a row have
/// another cause.
const MAX_CLIENT_ID_ATTEMPTS: usize = 10;

/// Accounts and sessions in Postgres. Clones share the pool.
#[derive(Clone)]
pub(crate) struct Store {
    pool: PgPool,
    encryption_keys: EncryptionKeys,
}

impl Store {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self { pool, encryption_keys: EncryptionKeys::default() }
    }

    /// Encrypts and decrypts signing keys and the seeds of authenticator apps with `keys`.
    pub(crate) fn with_encryption_keys(self, encryption_keys: EncryptionKeys) -> Self {
        Self { encryption_keys, ..self }
    }

    /// Creates an account with its email address as login. The phone number becomes one when it is verified.
    pub(crate) async fn register(&self, registration: &Registration, password_hash: &str) -> Result<Uuid, Error> {
        let account_id = Uuid::now_v7();
        let mut tx = self.pool.begin().await?;
        claim_email(&mut tx, &registration.email, account_id).await?;
        if find_account_id(&mut tx, &Login::from(&registration.phone)).await?.is_some() {
            return Err(Error::PhoneTaken);
        }
        let client_id = claim_client_id(&mut tx, account_id).await?;
        sqlx::query!(
            "insert into auth.account
                 (account_id, client_id, name, email, phone, password_hash, notice_version, noticed_at)
             values ($1, $2, $3, $4, $5, $6, $7, case when $7::text is not null then now() end)",
            account_id,
            client_id,
            registration.name.as_str(),
            registration.email.as_str(),
            registration.phone.as_str(),
            password_hash,
            registration.notice_version,
        )
        .execute(&mut *tx)
        .await?;
        outbox::queue_email(&mut tx, EmailKind::ConfirmEmail, &Login::from(&registration.email)).await?;
        tx.commit().await?;
        Ok(account_id)
    }

    /// Returns the account that has a login, also in a form from before the canonical one.
    pub(crate) async fn find_account_id(&self, login: &Login) -> Result<Option<Uuid>, Error> {
        let mut connection = self.pool.acquire().await?;
        let account_id = find_account_id(&mut connection, login).await?;
        match login.legacy() {
            Some(legacy) => Ok(find_account_id(&mut connection, &legacy).await?.or(account_id)),
            None => Ok(account_id),
        }
    }
}

/// Reader of accounts, with connections for reads.
pub(crate) struct AccountReader(pub(crate) ReadPool);

impl AccountReader {
    pub(crate) async fn find_account(&self, account_id: Uuid) -> Result<Option<Account>, Error> {
        let mut connection = self.0.acquire().await?;
        let account = find_account(&mut connection, account_id).await?;
        connection.release();
        Ok(account)
    }
}

/// Returns the account with this id, also a closed one.
pub(crate) async fn find_account(connection: &mut PgConnection, account_id: Uuid) -> Result<Option<Account>, Error> {
    Ok(sqlx::query_as!(
        Account,
        r#"select account_id, client_id, name, email, phone,
                  phone_verified_at is not null as "phone_verified!", created_at,
                  email_confirmed_at is not null as "email_confirmed!",
                  password_hash is not null as "has_password!", has_google
           from auth.account where account_id = $1"#,
        account_id,
    )
    .fetch_optional(connection)
    .await?)
}

/// Claims an email address for an account. Fails if another account has it, also in a form from before the canonical
/// one.
async fn claim_email(tx: &mut PgConnection, email: &EmailAddress, account_id: Uuid) -> Result<(), Error> {
    let login = Login::from(email);
    if let Some(legacy) = login.legacy()
        && find_account_id(&mut *tx, &legacy).await?.is_some()
    {
        return Err(Error::EmailTaken);
    }
    claim_login(tx, &login, account_id, Error::EmailTaken).await
}

/// Returns the account that has a login.
async fn find_account_id(connection: &mut PgConnection, login: &Login) -> Result<Option<Uuid>, Error> {
    let account_id = sqlx::query_scalar!("select account_id from auth.login where login = $1", login.as_str());
    Ok(account_id.fetch_optional(connection).await?)
}

/// Claims a login for an account. Fails with `taken` if another account has it.
async fn claim_login(tx: &mut PgConnection, login: &Login, account_id: Uuid, taken: Error) -> Result<(), Error> {
    // `on conflict` avoids a database error, which would write the login into the log of the database.
    let claimed = sqlx::query!(
        "insert into auth.login (login, account_id) values ($1, $2) on conflict do nothing",
        login.as_str(),
        account_id,
    );
    if claimed.execute(tx).await?.rows_affected() == 1 { Ok(()) } else { Err(taken) }
}

/// Generates a free client id and claims it for an account.
async fn claim_client_id(tx: &mut PgConnection, account_id: Uuid) -> Result<String, Error> {
    for _ in 0..MAX_CLIENT_ID_ATTEMPTS {
        let client_id = generate_client_id()?;
        let insert = sqlx::query!(
            "insert into auth.client_id (client_id, account_id) values ($1, $2) on conflict do nothing",
            client_id,
            account_id,
        );
        if insert.execute(&mut *tx).await?.rows_affected() == 1 {
            return Ok(client_id);
        }
    }
    Err(InternalError::NoFreeClientId.into())
}
