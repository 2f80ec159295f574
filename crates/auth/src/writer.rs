//! Writes the letters that were asked for, and sends them.

use std::sync::Arc;
use std::time::Duration;

use mail::{Letter, Mailer};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Settings;
use crate::error::Error;
use crate::letter::{Kind, Words};
use crate::secret::Secret;
use crate::store::Store;
use crate::store::letters::{Addressee, Due};
use crate::token::TokenHash;

/// How often to look for letters that nobody rang for: those of other processes, and second tries.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long letters that are due together may take: longer than a slow mail server does.
const LONGEST_WORK: Duration = Duration::from_mins(2);

/// Writes letters. Any number may work on one database.
#[derive(Clone)]
pub(crate) struct Writer {
    store: Store,
    mailer: Mailer,
    site: Arc<str>,
    erase_after: time::Duration,
    bell: Arc<Notify>,
}

impl Writer {
    pub(crate) fn new(store: Store, mailer: Mailer, settings: &Settings) -> Self {
        let (site, bell) = (settings.site.as_str().into(), Arc::clone(&settings.bell));
        Self { store, mailer, site, erase_after: settings.erase_after(), bell }
    }

    /// Works for ever.
    pub(crate) async fn run(self) {
        loop {
            match timeout(LONGEST_WORK, self.work()).await {
                Ok(Ok(0)) => {}
                Ok(Ok(_)) => continue,
                Ok(Err(error)) => tracing::warn!(error = %rpc::failure::chain(&error), "no letters can be written"),
                Err(_) => tracing::warn!("no letters can be written: the database is silent"),
            }
            // Whether it rang or not, it is time to look.
            let _ = timeout(LOOK_EVERY, self.bell.notified()).await;
        }
    }

    /// Writes and sends what is due, side by side, for one mail server may be slow; says how many letters it saw.
    pub(crate) async fn work(&self) -> Result<usize, Error> {
        let mut writing: JoinSet<()> = JoinSet::new();
        for due in self.store.due_letters().await? {
            let writer = self.clone();
            writing.spawn(async move { writer.settle(&due).await });
        }
        Ok(writing.join_all().await.len())
    }

    /// Sends a letter, or leaves it for later. What is logged names no address, for logs are kept longer than that.
    async fn settle(&self, due: &Due) {
        let kind = due.kind.as_str();
        let done = match self.send(due).await {
            Ok(()) => true,
            Err(error) if due.last_try || error.is_final() => {
                tracing::warn!(kind, error = %rpc::failure::chain(&error), "letter_given_up");
                true
            }
            Err(error) => {
                tracing::warn!(kind, error = %rpc::failure::chain(&error), "a letter was not sent");
                false
            }
        };
        if done && let Err(error) = self.store.letter_done(due).await {
            tracing::warn!(kind, error = %rpc::failure::chain(&error), "a letter will go twice");
        }
    }

    async fn send(&self, due: &Due) -> Result<(), Error> {
        let Some(addressee) = self.store.addressee(&due.login).await? else {
            return Ok(());
        };
        let account_id = addressee.account_id;
        let Some(letter) = self.write(&due.kind, addressee).await? else {
            return Ok(());
        };
        self.mailer.send(letter).await?;
        tracing::info!(%account_id, kind = due.kind, "letter_sent");
        Ok(())
    }

    /// The letter, with a secret drawn for it alone; none where it has become pointless.
    async fn write(&self, kind: &str, addressee: Addressee) -> Result<Option<Letter>, Error> {
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
