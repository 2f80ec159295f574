//! Codes that verify phone numbers.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use super::outbox::queue_email;
use super::{Store, claim_login, find_account_id};
use crate::account::{Login, Phone};
use crate::email::EmailKind;
use crate::error::Error;
use crate::sms::{CODE_TTL, MAX_CODE_ATTEMPTS};
use crate::token::TokenHash;
use rpc::failure::Violation;

/// Maximum number of codes per account and hour.
const MAX_CODES_PER_HOUR: i64 = 3;
/// Maximum number of codes per phone number and day.
const MAX_CODES_PER_DAY: i64 = 3;

/// Code that an attempt is checked against.
pub(crate) struct PhoneCode {
    pub(crate) code_id: Uuid,
    pub(crate) phone: String,
    /// `None` if the SMS was not sent yet.
    pub(crate) code_hash: Option<Vec<u8>>,
    pub(crate) is_expired: bool,
    /// Attempts before this one.
    pub(crate) attempts: i32,
}

impl Store {
    /// Queues an SMS with a code unless the number is verified. Returns false if it is.
    pub(crate) async fn request_phone_code(&self, account_id: Uuid) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!(
            r#"select email, phone, phone_verified_at is not null as "is_verified!"
               from auth.account where account_id = $1 for update"#,
            account_id,
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::SessionEnded)?;
        let phone = account.phone.as_deref().and_then(Phone::parse);
        let phone = phone.ok_or_else(|| Error::Invalid(vec![Violation::new("phone", "REQUIRED")]))?;
        if account.is_verified {
            return Ok(false);
        }
        if find_account_id(&mut tx, &Login::from(&phone)).await?.is_some() {
            return Err(Error::PhoneTaken);
        }
        if let Some(delay) = find_delay(&mut tx, account_id, &phone).await? {
            return Err(Error::SmsLimitReached(delay));
        }
        sqlx::query!(
            "insert into auth.phone_code (code_id, account_id, phone) values ($1, $2, $3)",
            Uuid::now_v7(),
            account_id,
            phone.as_str(),
        )
        .execute(&mut *tx)
        .await?;
        queue_email(&mut tx, EmailKind::VerifyPhone, &Login::from_email(&account.email)).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Returns the newest code that was requested for the account and is still to be sent: its id and its number.
    pub(crate) async fn find_requested_code(&self, account_id: Uuid) -> Result<Option<(Uuid, String)>, Error> {
        let phone = sqlx::query_scalar!(
            "select phone from auth.account where account_id = $1 and phone_verified_at is null",
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?
        .flatten();
        let requested = sqlx::query!(
            "select code_id, phone from auth.phone_code
             where account_id = $1 and created_at > now() - make_interval(secs => $2)
             order by created_at desc limit 1",
            account_id,
            CODE_TTL.as_seconds_f64(),
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(requested.filter(|code| phone.as_ref() == Some(&code.phone)).map(|code| (code.code_id, code.phone)))
    }

    /// Stores the hash of a code that is about to be sent.
    pub(crate) async fn set_code_hash(&self, code_id: Uuid, hash: &TokenHash) -> Result<(), Error> {
        sqlx::query!(
            "update auth.phone_code set code_hash = $2, expires_at = now() + make_interval(secs => $3)
             where code_id = $1",
            code_id,
            hash.as_bytes(),
            CODE_TTL.as_seconds_f64(),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Counts an attempt before its code is checked, so that concurrent guesses get no further than sequential ones.
    /// Returns the newest code of the account.
    pub(crate) async fn count_code_attempt(&self, account_id: Uuid) -> Result<Option<PhoneCode>, Error> {
        Ok(sqlx::query_as!(
            PhoneCode,
            r#"update auth.phone_code set attempts = least(attempts, $2) + 1
               where code_id = (select code_id from auth.phone_code
                                where account_id = $1 order by created_at desc limit 1)
               returning code_id, phone, code_hash, attempts - 1 as "attempts!",
                         coalesce(expires_at, created_at + interval '1 day') <= now() as "is_expired!""#,
            account_id,
            MAX_CODE_ATTEMPTS,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Makes the number of a code a login of the account, unless the account has another number by now.
    pub(crate) async fn verify_phone(&self, account_id: Uuid, code: &PhoneCode) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!(
            r#"select phone, phone_verified_at is not null as "is_verified!"
               from auth.account where account_id = $1 for update"#,
            account_id,
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::SessionEnded)?;
        if account.is_verified {
            return Ok(());
        }
        let phone = account.phone.as_deref().and_then(Phone::parse).filter(|phone| phone.as_str() == code.phone);
        let phone = phone.ok_or(Error::PhoneCodeExpired)?;
        claim_login(&mut tx, &Login::from(&phone), account_id, Error::PhoneTaken).await?;
        sqlx::query!("update auth.account set phone_verified_at = now() where account_id = $1", account_id)
            .execute(&mut *tx)
            .await?;
        sqlx::query!(
            "update auth.phone_code set code_hash = null, expires_at = now() where code_id = $1",
            code.code_id
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Returns the time until another code may be requested, if a limit is reached. Locks the number until the end of the
/// transaction, because several accounts may request codes for it.
async fn find_delay(tx: &mut PgConnection, account_id: Uuid, phone: &Phone) -> Result<Option<Duration>, Error> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended($1, 0))", phone.as_str()).execute(&mut *tx).await?;
    let of_account = sqlx::query_scalar!(
        r#"select ceil(extract(epoch from created_at + interval '1 hour' - now()))::bigint as "left!"
           from auth.phone_code where account_id = $1 and created_at > now() - interval '1 hour'
           order by created_at desc offset $2 limit 1"#,
        account_id,
        MAX_CODES_PER_HOUR - 1,
    )
    .fetch_optional(&mut *tx)
    .await?;
    let of_phone = sqlx::query_scalar!(
        r#"select ceil(extract(epoch from created_at + interval '1 day' - now()))::bigint as "left!"
           from auth.phone_code where phone = $1 and created_at > now() - interval '1 day'
           order by created_at desc offset $2 limit 1"#,
        phone.as_str(),
        MAX_CODES_PER_DAY - 1,
    )
    .fetch_optional(tx)
    .await?;
    Ok(of_account.max(of_phone).map(|secs| Duration::from_secs(u64::try_from(secs).unwrap_or_default().max(1))))
}
