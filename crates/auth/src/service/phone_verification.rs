//! Verification of phone numbers by a code in an SMS.

use rpc::caller::Trader;
use rpc::failure::Violation;
use subtle::ConstantTimeEq as _;

use super::{Service, run_write};
use crate::account::Account;
use crate::error::Error;
use crate::secret::Secret;
use crate::sms::{MAX_CODE_ATTEMPTS, hash_code, parse_code};

impl Service {
    /// Returns true if codes can be sent by SMS.
    pub(crate) fn sends_sms(&self) -> bool {
        self.sends_sms
    }

    /// Queues an SMS with a code, unless the phone number is verified.
    pub(crate) async fn request_phone_verification(&self, trader: &Trader) -> Result<(), Error> {
        if !self.sends_sms {
            return Err(Error::SmsNotConfigured);
        }
        let (store, account_id) = (self.store.clone(), trader.account_id);
        if run_write(async move { store.request_phone_code(account_id).await }).await? {
            self.email_queued.notify_one();
            tracing::info!(%account_id, "phone_code_requested");
        }
        Ok(())
    }

    /// Verifies the phone number by the code of the newest SMS.
    pub(crate) async fn verify_phone(&self, trader: &Trader, typed: &Secret) -> Result<Account, Error> {
        let account_id = trader.account_id;
        let typed = parse_code(typed).map_err(|violation| Error::Invalid(vec![violation]))?;
        let store = self.store.clone();
        let code = run_write(async move { store.count_code_attempt(account_id).await }).await?;
        let code = code.filter(|code| !code.is_expired).ok_or(Error::PhoneCodeExpired)?;
        if code.attempts >= MAX_CODE_ATTEMPTS {
            return Err(Error::TooManyPhoneCodes);
        }
        let hash = hash_code(code.code_id, &typed);
        let is_right = code.code_hash.as_ref().is_some_and(|stored| stored.as_slice().ct_eq(hash.as_bytes()).into());
        if !is_right {
            return Err(Error::Invalid(vec![Violation::new("code", "MISMATCH")]));
        }
        let store = self.store.clone();
        run_write(async move { store.verify_phone(account_id, &code).await }).await?;
        tracing::info!(%account_id, "phone_verified");
        self.accounts.find_account(account_id).await?.ok_or(Error::SessionEnded)
    }
}
