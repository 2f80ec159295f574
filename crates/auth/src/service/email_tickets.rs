//! Links in emails: confirmation of the email address, and password reset.

use rpc::caller::Trader;

use super::{NewPassword, Service, run_write};
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::Error;
use crate::secret::Secret;
use crate::token::TokenHash;

impl Service {
    /// Queues the confirmation email unless the address is confirmed.
    pub(crate) async fn request_email_confirmation(&self, trader: &Trader) -> Result<(), Error> {
        let owner = self.find_owner(trader).await?;
        if owner.email_confirmed {
            return Ok(());
        }
        self.queue_email(EmailKind::ConfirmEmail, Login::from_email(&owner.email)).await
    }

    pub(crate) async fn confirm_email(&self, ticket: &Secret) -> Result<(), Error> {
        let (store, ticket) = (self.store.clone(), TokenHash::from_token(ticket.expose()));
        let confirmed = run_write(async move { store.confirm_email(&ticket).await }).await?;
        let account_id = confirmed.ok_or(Error::LinkExpired)?;
        tracing::info!(%account_id, "email_confirmed");
        Ok(())
    }

    /// Queues the password reset email. The response does not reveal whether the account exists.
    pub(crate) async fn request_password_reset(&self, email: &str) -> Result<(), Error> {
        let login = Login::parse_email(email).map_err(|violation| Error::Invalid(vec![violation]))?;
        if let Some(legacy) = login.legacy() {
            self.queue_email(EmailKind::ResetPassword, legacy).await?;
        }
        self.queue_email(EmailKind::ResetPassword, login).await
    }

    /// Sets a new password with the ticket of an email. A rejected password leaves the ticket valid.
    pub(crate) async fn reset_password(&self, ticket: &Secret, new: NewPassword) -> Result<(), Error> {
        let ticket = TokenHash::from_token(ticket.expose());
        let owner = self.store.find_owner_by_ticket(&ticket).await?.ok_or(Error::LinkExpired)?;
        let new = new.validate(&self.product_name, &owner)?;
        let hash = self.hasher.hash(new.into_secret()).await?;
        let store = self.store.clone();
        let account_id = run_write(async move { store.reset_password(&ticket, &hash).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(%account_id, "password_reset");
        Ok(())
    }

    async fn queue_email(&self, kind: EmailKind, login: Login) -> Result<(), Error> {
        let store = self.store.clone();
        run_write(async move { store.queue_email(kind, &login).await }).await?;
        self.email_queued.notify_one();
        Ok(())
    }
}
