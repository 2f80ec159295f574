//! Sends the queued emails of careers.

use std::sync::Arc;

use mail::{Email, Mailer, Outbox, OutboxFailure};

use crate::application::{AccessKey, Application, Step};
use crate::email_templates::{EmailTemplates, KeyedApplication};
use crate::error::Error;
use crate::settings::{Retention, Settings};
use crate::store::Store;
use crate::store::outbox::{DueEmail, EmailKind};

/// Sender of queued emails. Several processes may send for one database.
#[derive(Clone)]
pub(crate) struct EmailSender {
    store: Store,
    mailer: Mailer,
    site_url: Arc<str>,
    inbox: Option<Arc<str>>,
    retention: Retention,
}

impl EmailSender {
    pub(crate) fn new(store: Store, mailer: Mailer, settings: &Settings) -> Self {
        let inbox = settings.careers_inbox.as_deref().map(Arc::from);
        Self { store, mailer, site_url: settings.site_url.as_str().into(), inbox, retention: settings.retention }
    }

    /// Composes an email with a new access key. Returns `None` if it is no longer needed, such as after a deletion.
    async fn compose(&self, due: &DueEmail) -> Result<Option<Email>, Error> {
        let templates = EmailTemplates { site_url: &self.site_url, retention: self.retention };
        let kind = EmailKind::from_name(&due.kind);
        if kind == Some(EmailKind::Deleted) {
            return Ok(due.email.as_deref().map(|email| templates.deleted(email, &due.job_title, &due.application_id)));
        }
        if kind == Some(EmailKind::Links) {
            let mut applications = Vec::new();
            for application in self.store.find_applications_of(due.email.as_deref().unwrap_or_default()).await? {
                applications.extend(self.add_key(application).await?);
            }
            return Ok(templates.links(&applications));
        }
        let application = self.store.find_email_application(&due.application_id).await?;
        let (Some(kind), Some(application)) = (kind, application) else {
            return Ok(None);
        };
        if kind == EmailKind::NewApplication {
            return Ok(self.inbox.as_deref().map(|inbox| templates.new_application(inbox, &application)));
        }
        let Some(keyed) = self.add_key(application).await? else { return Ok(None) };
        Ok(match kind {
            EmailKind::Receipt => Some(templates.receipt(&keyed)?),
            EmailKind::Step => {
                let step = due.step.as_deref().and_then(Step::from_name).unwrap_or(keyed.application.step);
                Some(templates.step(&keyed, step, &due.note)?)
            }
            EmailKind::Note => Some(templates.note(&keyed, &due.note)),
            EmailKind::Corrected => Some(templates.corrected(&keyed)),
            EmailKind::Withdrawn => Some(templates.withdrawn(&keyed)?),
            EmailKind::Link => Some(templates.link(&keyed)),
            EmailKind::Deleted | EmailKind::Links | EmailKind::NewApplication => None,
        })
    }

    /// Creates an access key for the link in an email. Returns `None` if the application was deleted or its address was
    /// corrected meanwhile.
    async fn add_key(&self, application: Application) -> Result<Option<KeyedApplication>, Error> {
        let key = AccessKey::generate()?;
        let is_current = self.store.add_access_key(&key, &application).await?;
        Ok(is_current.then_some(KeyedApplication { application, key }))
    }
}

impl Outbox for EmailSender {
    const NAME: &'static str = "careers";

    type QueuedEmail = DueEmail;

    async fn claim_due(&self) -> Result<Vec<DueEmail>, OutboxFailure> {
        Ok(self.store.claim_due_emails().await?)
    }

    async fn send(&self, due: &DueEmail) -> Result<(), OutboxFailure> {
        let Some(email) = self.compose(due).await? else {
            return Ok(());
        };
        self.mailer.send(email).await.map_err(Error::from)?;
        tracing::info!(application_id = due.application_id, kind = due.kind, "email_sent");
        Ok(())
    }

    async fn mark_done(&self, due: &DueEmail) -> Result<(), OutboxFailure> {
        Ok(self.store.remove_email(due).await?)
    }
}
