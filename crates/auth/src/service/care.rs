//! What an owner does with an account: name, number, password, sign-ins, and the end.

use std::net::{IpAddr, Ipv6Addr};

use rpc::caller::{Bearer, Caller, Trader};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Service, to_the_end};
use crate::account::{Account, Email, Login, Name, Phone, violation};
use crate::error::Error;
use crate::letter::Kind;
use crate::password::{self, Own, Password};
use crate::secret::Secret;
use crate::store::care::{NewHash, OpenSignIn, Owner};
use crate::token::TokenHash;

/// A password that is to be set, typed twice.
pub(crate) struct NewPassword {
    pub(crate) password: Secret,
    pub(crate) confirm_password: Secret,
}

impl NewPassword {
    fn check(self, product: &str, owner: &Owner) -> Result<Password, Error> {
        let phone = owner.phone.as_deref().and_then(Phone::parse);
        let email = owner.email.to_lowercase();
        let own = Own { product, name: &owner.name, email: Some(&email), phone: phone.as_ref() };
        let confirmed = password::confirm(&self.password, &self.confirm_password);
        match (Password::parse(self.password, &own), confirmed) {
            (Ok(password), Ok(())) => Ok(password),
            (password, confirmed) => {
                Err(Error::Invalid([password.err(), confirmed.err()].into_iter().flatten().collect()))
            }
        }
    }
}

impl Service {
    /// The account that a caller acts for. A trader's token may outlive it by some minutes; a service may name any.
    pub(crate) async fn account(&self, caller: &Caller) -> Result<Account, Error> {
        let missing = match caller.bearer {
            Bearer::Session(_) | Bearer::Analytics(_) => Error::SessionEnded,
            Bearer::Service(_) => Error::NoAccount,
        };
        self.store.account(caller.account_id).await?.ok_or(missing)
    }

    pub(crate) async fn update_account(
        &self,
        trader: &Trader,
        name: Option<String>,
        phone: Option<String>,
    ) -> Result<Account, Error> {
        let name = name.as_deref().map(Name::parse).transpose();
        let phone = phone.as_deref().map(Phone::parse_or_say).transpose();
        let (name, phone) = match (name, phone) {
            (Ok(name), Ok(phone)) => (name, phone),
            (name, phone) => {
                return Err(Error::Invalid([name.err(), phone.err()].into_iter().flatten().collect()));
            }
        };
        let (store, account_id) = (self.store.clone(), trader.account_id);
        to_the_end(async move { store.update_account(account_id, name.as_ref(), phone.as_ref()).await }).await?;
        tracing::info!(%account_id, "account_updated");
        self.store.account(account_id).await?.ok_or(Error::SessionEnded)
    }

    /// Sets another password; says how many other sign-ins that ended.
    pub(crate) async fn change_password(
        &self,
        trader: &Trader,
        current: Secret,
        new: NewPassword,
    ) -> Result<i32, Error> {
        let owner = self.owner(trader).await?;
        let new = new.check(&self.product, &owner)?;
        let checked = self.check_own_password(trader, &owner, current, "currentPassword").await?;
        let hash = NewHash { checked, new: self.hasher.hash(new.into_secret()).await? };
        let (store, account_id, present) = (self.store.clone(), trader.account_id, trader.sign_in_id);
        let ended = to_the_end(async move { store.change_password(account_id, &hash, present).await }).await?;
        self.bell.notify_one();
        tracing::info!(%account_id, "password_changed");
        Ok(ended)
    }

    /// The caller's sign-ins that go on, with their addresses shortened.
    pub(crate) async fn sign_ins(&self, trader: &Trader) -> Result<Vec<OpenSignIn>, Error> {
        let mut sign_ins = self.store.open_sign_ins(trader.account_id).await?;
        for sign_in in &mut sign_ins {
            sign_in.address = shorten(&sign_in.address);
        }
        Ok(sign_ins)
    }

    /// Ends one of the caller's sign-ins, or all others where `sign_in_id` is empty; says how many.
    pub(crate) async fn end_sign_in(&self, trader: &Trader, sign_in_id: &str) -> Result<i32, Error> {
        let (store, account_id, present) = (self.store.clone(), trader.account_id, trader.sign_in_id);
        let ended = if sign_in_id.is_empty() {
            to_the_end(async move { store.end_other_sign_ins(account_id, present).await }).await?
        } else {
            let sign_in_id: Uuid = sign_in_id.parse().map_err(|_| Error::NoSignIn)?;
            let ended = to_the_end(async move { store.end_sign_in(account_id, sign_in_id).await }).await?;
            ended.then_some(1).ok_or(Error::NoSignIn)?
        };
        tracing::info!(%account_id, ended, "sign_ins_ended");
        Ok(ended)
    }

    /// Takes the account out of use; says when it will be erased.
    pub(crate) async fn close_account(&self, trader: &Trader, password: Secret) -> Result<OffsetDateTime, Error> {
        let owner = self.owner(trader).await?;
        let checked = self.check_own_password(trader, &owner, password, "password").await?;
        let (store, account_id) = (self.store.clone(), trader.account_id);
        let closed_at = to_the_end(async move { store.close(account_id, &checked).await }).await?;
        self.bell.notify_one();
        tracing::info!(%account_id, "account_closed");
        Ok(closed_at + self.erase_after)
    }

    pub(crate) async fn request_email_confirmation(&self, trader: &Trader) -> Result<(), Error> {
        let owner = self.owner(trader).await?;
        if owner.email_confirmed {
            return Ok(());
        }
        self.ask_for_letter(Kind::ConfirmEmail, Login::of_email(&owner.email)).await
    }

    pub(crate) async fn confirm_email(&self, ticket: &Secret) -> Result<(), Error> {
        let (store, ticket) = (self.store.clone(), TokenHash::of(ticket.expose()));
        let confirmed = to_the_end(async move { store.confirm_email(&ticket).await }).await?;
        let account_id = confirmed.ok_or(Error::LinkExpired)?;
        tracing::info!(%account_id, "email_confirmed");
        Ok(())
    }

    /// Whether there is such an account, only the letter tells.
    pub(crate) async fn request_password_reset(&self, email: &str) -> Result<(), Error> {
        let email = Email::parse(email).map_err(|violation| Error::Invalid(vec![violation]))?;
        self.ask_for_letter(Kind::ResetPassword, Login::from(&email)).await
    }

    /// Sets a new password by the ticket of a letter. One that is not taken leaves the ticket good.
    pub(crate) async fn reset_password(&self, ticket: &Secret, new: NewPassword) -> Result<(), Error> {
        let ticket = TokenHash::of(ticket.expose());
        let owner = self.store.owner_by_ticket(&ticket).await?.ok_or(Error::LinkExpired)?;
        let new = new.check(&self.product, &owner)?;
        let hash = self.hasher.hash(new.into_secret()).await?;
        let store = self.store.clone();
        let account_id = to_the_end(async move { store.reset_password(&ticket, &hash).await }).await?;
        self.bell.notify_one();
        tracing::info!(%account_id, "password_reset");
        Ok(())
    }

    async fn ask_for_letter(&self, kind: Kind, login: Login) -> Result<(), Error> {
        let store = self.store.clone();
        to_the_end(async move { store.ask_for_letter(kind, &login).await }).await?;
        self.bell.notify_one();
        Ok(())
    }

    async fn owner(&self, trader: &Trader) -> Result<Owner, Error> {
        self.store.owner(trader.account_id).await?.ok_or(Error::SessionEnded)
    }

    /// Asks somebody who is signed in for the password once more; gives back its hash.
    async fn check_own_password(
        &self,
        trader: &Trader,
        owner: &Owner,
        password: Secret,
        field: &'static str,
    ) -> Result<String, Error> {
        let stored = owner.password_hash.clone().ok_or(Error::NoPassword)?;
        match self.prove_within(trader, password).await {
            Ok(()) => Ok(stored),
            Err(Error::InvalidCredentials) => Err(wrong_password(field)),
            Err(error) => Err(error),
        }
    }
}

fn wrong_password(field: &'static str) -> Error {
    Error::Invalid(vec![violation(field, "WRONG", "This is not your password.")])
}

/// Enough of an address to recognise a place, too little to find a person: an IPv4 address without its last part, an
/// IPv6 address as its /48.
fn shorten(address: &str) -> String {
    match address.parse().map(|address: IpAddr| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn an_address_is_shortened() {
        for (address, want) in [
            ("203.0.113.77", "203.0.113.0/24"),
            ("::ffff:203.0.113.77", "203.0.113.0/24"),
            ("2001:db8:7:1:2:3:4:5", "2001:db8:7::/48"),
            ("::1", "::/48"),
            ("somewhere", ""),
        ] {
            assert_eq!(shorten(address), want);
        }
    }
}
