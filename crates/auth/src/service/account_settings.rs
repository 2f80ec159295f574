//! Account settings: name, phone number, password, and closing the account.

use rpc::caller::{Bearer, Caller, Trader};
use rpc::failure::Violation;
use time::OffsetDateTime;

use super::{NewPassword, Service, run_write};
use crate::account::{Account, Name, Phone};
use crate::error::Error;
use crate::secret::Secret;
use crate::store::account_settings::{HashChange, Owner};

impl Service {
    /// Returns the account that a caller acts for. It may be missing: a trader's token may outlive the account by some
    /// minutes, and a service may name any account.
    pub(crate) async fn account(&self, caller: &Caller) -> Result<Account, Error> {
        let missing = match caller.bearer {
            Bearer::Session(_) | Bearer::Analytics(_) => Error::SessionEnded,
            Bearer::Service(_) => Error::AccountNotFound,
        };
        self.accounts.find_account(caller.account_id).await?.ok_or(missing)
    }

    pub(crate) async fn update_account(
        &self,
        trader: &Trader,
        name: Option<String>,
        phone: Option<String>,
    ) -> Result<Account, Error> {
        let name = name.as_deref().map(Name::parse).transpose();
        let phone = phone.as_deref().map(Phone::validate).transpose();
        let (name, phone) = match (name, phone) {
            (Ok(name), Ok(phone)) => (name, phone),
            (name, phone) => {
                return Err(Error::Invalid([name.err(), phone.err()].into_iter().flatten().collect()));
            }
        };
        if let Some(new) = &phone {
            let owner = self.find_owner(trader).await?;
            // The phone number is a login.
            if owner.phone.as_deref().and_then(Phone::parse).as_ref() != Some(new) {
                self.require_reauthentication(trader).await?;
            }
        }
        let (store, account_id) = (self.store.clone(), trader.account_id);
        run_write(async move { store.update_account(account_id, name.as_ref(), phone.as_ref()).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, "account_updated");
        self.accounts.find_account(account_id).await?.ok_or(Error::SessionEnded)
    }

    /// Changes the password. Returns how many other sessions ended.
    pub(crate) async fn change_password(
        &self,
        trader: &Trader,
        current: Secret,
        new: NewPassword,
    ) -> Result<i32, Error> {
        self.require_second_factor(trader).await?;
        let owner = self.find_owner(trader).await?;
        let new = new.validate(&self.product_name, &owner)?;
        let checked = self.check_current_password(trader, &owner, current, "current_password").await?;
        let hash = HashChange { checked, new: self.hasher.hash(new.into_secret()).await? };
        let (store, account_id, session_id) = (self.store.clone(), trader.account_id, trader.session_id);
        let ended = run_write(async move { store.change_password(account_id, &hash, session_id).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, "password_changed");
        Ok(ended)
    }

    /// Closes the account. Returns the date of its deletion.
    pub(crate) async fn close_account(&self, trader: &Trader, password: Secret) -> Result<OffsetDateTime, Error> {
        self.require_second_factor(trader).await?;
        let owner = self.find_owner(trader).await?;
        let checked = self.check_current_password(trader, &owner, password, "password").await?;
        let (store, account_id) = (self.store.clone(), trader.account_id);
        let closed_at = run_write(async move { store.close_account(account_id, &checked).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, "account_closed");
        Ok(closed_at + self.deletion_delay)
    }

    pub(super) async fn find_owner(&self, trader: &Trader) -> Result<Owner, Error> {
        self.store.find_owner(trader.account_id).await?.ok_or(Error::SessionEnded)
    }

    /// Checks the current password of a logged-in trader. Returns its stored hash.
    pub(super) async fn check_current_password(
        &self,
        trader: &Trader,
        owner: &Owner,
        password: Secret,
        field: &'static str,
    ) -> Result<String, Error> {
        let stored = owner.password_hash.clone().ok_or(Error::PasswordNotSet)?;
        match self.check_session_password(trader, password).await {
            Ok(()) => Ok(stored),
            Err(Error::InvalidCredentials) => Err(Error::Invalid(vec![Violation::new(field, "WRONG")])),
            Err(error) => Err(error),
        }
    }
}
