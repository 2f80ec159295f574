//! Writes the letters that were asked for, and sends them.

use std::sync::Arc;
use std::time::Duration;

use mail::{Letter, Mailer};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Settings;
use crate::application::Key;
use crate::error::Error;
use crate::letter::Words;
use crate::store::{Due, LetterKind, Store};

/// How often to look for letters that nobody rang for: those of other processes, and second tries.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long letters that are due together may take: longer than a slow mail server does.
const LONGEST_WORK: Duration = Duration::from_mins(2);

/// Writes letters. Any number may work on one database.
#[derive(Clone)]
pub struct Writer {
    store: Store,
    mailer: Mailer,
    site: Arc<str>,
    inbox: Option<Arc<str>>,
    bell: Arc<Notify>,
}

impl Writer {
    pub(crate) fn new(store: Store, mailer: Mailer, settings: &Settings) -> Self {
        let inbox = settings.careers_inbox.as_deref().map(Arc::from);
        Self { store, mailer, site: settings.site.as_str().into(), inbox, bell: Arc::clone(&settings.bell) }
    }

    /// Works for ever.
    pub async fn run(self) {
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
    pub async fn work(&self) -> Result<usize, Error> {
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
        let Some(letter) = self.write(due).await? else {
            return Ok(());
        };
        self.mailer.send(letter).await?;
        tracing::info!(application_id = due.application_id, kind = due.kind, "letter_sent");
        Ok(())
    }

    /// The letter, with a key drawn for it alone; none where it has become pointless.
    async fn write(&self, due: &Due) -> Result<Option<Letter>, Error> {
        let words = Words { site: &self.site };
        let kind = LetterKind::named(&due.kind);
        if kind == Some(LetterKind::Erased) {
            return Ok(due.email.as_deref().map(|email| words.erased(email, &due.job_title, &due.application_id)));
        }
        let application = self.store.letter_application(&due.application_id).await?;
        let (Some(kind), Some(application)) = (kind, application) else {
            return Ok(None);
        };
        if kind == LetterKind::NewApplication {
            return Ok(self.inbox.as_deref().map(|inbox| words.new_application(inbox, &application)));
        }
        let key = Key::draw()?;
        self.store.add_key(&key, &application.application_id).await?;
        Ok(match kind {
            LetterKind::Receipt => Some(words.receipt(&application, &key)?),
            LetterKind::Step => Some(words.step(&application, &due.note, &key)),
            LetterKind::Corrected => Some(words.corrected(&application, &key)),
            LetterKind::Withdrawn => Some(words.withdrawn(&application, &key)?),
            LetterKind::Erased | LetterKind::NewApplication => None,
        })
    }
}
