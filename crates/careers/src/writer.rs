//! Writes the letters that were asked for, and sends them.

use std::sync::Arc;

use mail::{Failure, Letter, Letters, Mailer};

use crate::Settings;
use crate::application::Key;
use crate::error::Error;
use crate::letter::Words;
use crate::store::{Due, LetterKind, Store};

/// Writes letters. Any number may work on one database.
#[derive(Clone)]
pub(crate) struct Writer {
    store: Store,
    mailer: Mailer,
    site: Arc<str>,
    inbox: Option<Arc<str>>,
}

impl Writer {
    pub(crate) fn new(store: Store, mailer: Mailer, settings: &Settings) -> Self {
        let inbox = settings.careers_inbox.as_deref().map(Arc::from);
        Self { store, mailer, site: settings.site.as_str().into(), inbox }
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

impl Letters for Writer {
    const OF: &'static str = "careers";

    type Due = Due;

    async fn take_due(&self) -> Result<Vec<Due>, Failure> {
        Ok(self.store.due_letters().await?)
    }

    async fn send(&self, due: &Due) -> Result<(), Failure> {
        let Some(letter) = self.write(due).await? else {
            return Ok(());
        };
        self.mailer.send(letter).await.map_err(Error::from)?;
        tracing::info!(application_id = due.application_id, kind = due.kind, "letter_sent");
        Ok(())
    }

    async fn done(&self, due: &Due) -> Result<(), Failure> {
        Ok(self.store.letter_done(due).await?)
    }
}
