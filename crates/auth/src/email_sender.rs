//! Composes and sends the emails in the outbox.

use std::sync::Arc;

use mail::{Email, Mailer, Outbox, OutboxFailure};
use uuid::Uuid;

use crate::Settings;
use crate::email::{EmailComposer, EmailKind};
use crate::error::Error;
use crate::secret::Secret;
use crate::sms::{Sms, generate_code, hash_code, verification_text};
use crate::store::Store;
use crate::store::outbox::{QueuedEmail, Recipient};
use crate::token::TokenHash;

/// Sends emails of the outbox. Any number of senders may work on one database.
#[derive(Clone)]
pub(crate) struct EmailSender {
    store: Store,
    mailer: Mailer,
    /// `None` if text messages cannot be sent.
    sms: Option<Sms>,
    site_url: Arc<str>,
    deletion_delay: time::Duration,
}

impl EmailSender {
    pub(crate) fn new(store: Store, mailer: Mailer, settings: &Settings) -> Self {
        let site_url = settings.site_url.as_str().into();
        let sms = settings.sms.clone();
        Self { store, mailer, sms, site_url, deletion_delay: settings.deletion_delay() }
    }

    /// Composes the email with a newly generated ticket. Returns `None` if the email is no longer needed.
    async fn compose(&self, kind: &str, recipient: Recipient) -> Result<Option<Email>, Error> {
        let composer = EmailComposer { site_url: &self.site_url };
        let Some(kind) = EmailKind::from_name(kind) else {
            return Ok(None);
        };
        if kind == EmailKind::ConfirmEmail && recipient.email_confirmed {
            return Ok(None);
        }
        let ticket = Secret::generate()?;
        if let Some(ttl) = kind.ticket_ttl() {
            self.store.add_ticket(&TokenHash::from_token(ticket.expose()), kind, &recipient, ttl).await?;
        }
        let Recipient { email, closed_at, .. } = recipient;
        Ok(match kind {
            EmailKind::ConfirmEmail => Some(composer.confirm_email(email, &ticket)),
            EmailKind::ResetPassword => Some(composer.reset_password(email, &ticket)),
            EmailKind::PasswordChanged => Some(composer.password_changed(email)),
            EmailKind::PhoneChanged => Some(composer.phone_changed(email)),
            EmailKind::SecondFactorAdded => Some(composer.second_factor_added(email)),
            EmailKind::SecondFactorRemoved => Some(composer.second_factor_removed(email)),
            EmailKind::RecoveryCodeUsed => Some(composer.recovery_code_used(email)),
            EmailKind::TaxLinkCreated => Some(composer.tax_link_created(email)),
            EmailKind::VerifyPhone => None,
            // The account may have been restored since.
            EmailKind::AccountClosed => match closed_at {
                Some(closed_at) => Some(composer.account_closed(email, closed_at + self.deletion_delay)?),
                None => None,
            },
        })
    }

    /// Sends a newly generated code, unless it is no longer needed or was requested too long ago.
    async fn send_phone_code(&self, account_id: Uuid) -> Result<(), Error> {
        let Some(sms) = &self.sms else { return Ok(()) };
        let Some((code_id, phone)) = self.store.find_requested_code(account_id).await? else {
            return Ok(());
        };
        let code = generate_code()?;
        self.store.set_code_hash(code_id, &hash_code(code_id, &code)).await?;
        sms.send(&phone, &verification_text(&code)).await?;
        tracing::info!(%account_id, "sms_sent");
        Ok(())
    }
}

impl Outbox for EmailSender {
    const NAME: &'static str = "auth";

    type QueuedEmail = QueuedEmail;

    async fn claim_due(&self) -> Result<Vec<QueuedEmail>, OutboxFailure> {
        Ok(self.store.claim_due_emails().await?)
    }

    async fn send(&self, queued: &QueuedEmail) -> Result<(), OutboxFailure> {
        let Some(recipient) = self.store.find_recipient(&queued.login).await? else {
            return Ok(());
        };
        let account_id = recipient.account_id;
        if EmailKind::from_name(&queued.kind) == Some(EmailKind::VerifyPhone) {
            return Ok(self.send_phone_code(account_id).await?);
        }
        let Some(email) = self.compose(&queued.kind, recipient).await? else {
            return Ok(());
        };
        self.mailer.send(email).await.map_err(|error| Error::Internal(error.into()))?;
        tracing::info!(%account_id, kind = queued.kind, "email_sent");
        Ok(())
    }

    async fn mark_done(&self, queued: &QueuedEmail) -> Result<(), OutboxFailure> {
        Ok(self.store.mark_email_done(queued).await?)
    }
}
