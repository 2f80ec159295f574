//! Writes the letters that were asked for, and sends them.

use std::sync::Arc;

use mail::{Email, Mailer, Outbox, OutboxFailure};

use crate::Settings;
use crate::error::Error;
use crate::letter::{Kind, Words};
use crate::secret::Secret;
use crate::store::Store;
use crate::store::letters::{Addressee, Due};
use crate::token::TokenHash;

/// Writes letters. Any number may work on one database.
#[derive(Clone)]
pub(crate) struct Writer {
    store: Store,
    mailer: Mailer,
    site: Arc<str>,
    erase_after: time::Duration,
}

impl Writer {
    pub(crate) fn new(store: Store, mailer: Mailer, settings: &Settings) -> Self {
        Self { store, mailer, site: settings.site.as_str().into(), erase_after: settings.erase_after() }
    }

    /// The letter, with a secret drawn for it alone; none where it has become pointless.
    async fn write(&self, kind: &str, addressee: Addressee) -> Result<Option<Email>, Error> {
        let words = Words { site: &self.site };
        let Some(kind) = Kind::named(kind) else {
            return Ok(None);
        };
        if kind == Kind::ConfirmEmail && addressee.email_confirmed {
            return Ok(None);
        }
        let ticket = Secret::draw()?;
        if let Some(good_for) = kind.link_good_for() {
            self.store.add_ticket(&TokenHash::of(ticket.expose()), kind, &addressee, good_for).await?;
        }
        let Addressee { email, closed_at, .. } = addressee;
        Ok(match kind {
            Kind::ConfirmEmail => Some(words.confirm_email(email, &ticket)),
            Kind::ResetPassword => Some(words.reset_password(email, &ticket)),
            Kind::PasswordChanged => Some(words.password_changed(email)),
            // Its owner may be back already.
            Kind::AccountClosed => match closed_at {
                Some(closed_at) => Some(words.account_closed(email, closed_at + self.erase_after)?),
                None => None,
            },
        })
    }
}

impl Outbox for Writer {
    const NAME: &'static str = "auth";

    type QueuedEmail = Due;

    async fn claim_due(&self) -> Result<Vec<Due>, OutboxFailure> {
        Ok(self.store.due_letters().await?)
    }

    async fn send(&self, due: &Due) -> Result<(), OutboxFailure> {
        let Some(addressee) = self.store.addressee(&due.login).await? else {
            return Ok(());
        };
        let account_id = addressee.account_id;
        let Some(letter) = self.write(&due.kind, addressee).await? else {
            return Ok(());
        };
        self.mailer.send(letter).await.map_err(Error::from)?;
        tracing::info!(%account_id, kind = due.kind, "letter_sent");
        Ok(())
    }

    async fn mark_done(&self, due: &Due) -> Result<(), OutboxFailure> {
        Ok(self.store.letter_done(due).await?)
    }
}
