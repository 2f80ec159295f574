//! Outbox: the queue of emails in the database, sent with retries.

use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Poll interval for emails without a notification: those queued by other processes, and retries.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Timeout for one batch of due emails; longer than the send timeout of a slow mail server.
const BATCH_TIMEOUT: Duration = Duration::from_mins(2);

/// Outbox of one domain crate. Clones share the queue, and any number of processes may work on one database.
pub trait Outbox: Clone + Send + Sync + 'static {
    /// Name of the outbox in log lines.
    const NAME: &'static str;

    /// Email to be sent now.
    type QueuedEmail: QueuedEmail;

    /// Returns some due emails and postpones their next attempt, so that another process retries them if this one
    /// crashes.
    fn claim_due(&self) -> impl Future<Output = Result<Vec<Self::QueuedEmail>, OutboxFailure>> + Send;

    /// Composes and sends an email, unless it is no longer needed.
    fn send(&self, email: &Self::QueuedEmail) -> impl Future<Output = Result<(), OutboxFailure>> + Send;

    /// Marks an email as done: it is not attempted again.
    fn mark_done(&self, email: &Self::QueuedEmail) -> impl Future<Output = Result<(), OutboxFailure>> + Send;
}

/// Entry of an outbox.
pub trait QueuedEmail: Send + Sync + 'static {
    /// Returns the kind of email for log lines.
    fn kind(&self) -> &str;

    /// Returns true if the email was queued so long ago that it is not retried.
    fn is_last_attempt(&self) -> bool;
}

/// Failure to read the outbox or to send an email.
#[derive(Debug)]
pub struct OutboxFailure {
    /// Text for the log. Contains no address, because logs are kept longer than addresses may be.
    pub message: String,
    /// True if a retry cannot succeed.
    pub is_permanent: bool,
}

/// Sends due emails until the task is cancelled. Checks the outbox at every notification and every 5 seconds.
pub async fn run_outbox<O: Outbox>(outbox: O, queued: &Notify) {
    loop {
        match timeout(BATCH_TIMEOUT, send_due(&outbox)).await {
            Ok(Ok(0)) => {}
            Ok(Ok(_)) => continue,
            Ok(Err(failure)) => tracing::warn!(outbox = O::NAME, error = %failure.message, "failed to read the outbox"),
            Err(_) => tracing::warn!(outbox = O::NAME, "timed out sending a batch of emails"),
        }
        // A notification and the end of the interval both lead to the next check.
        let _ = timeout(POLL_INTERVAL, queued.notified()).await;
    }
}

/// Sends due emails concurrently, because a mail server may be slow. Returns the number of emails attempted.
///
/// # Errors
/// If the due emails cannot be read.
pub async fn send_due(outbox: &impl Outbox) -> Result<usize, OutboxFailure> {
    let mut attempts: JoinSet<()> = JoinSet::new();
    for email in outbox.claim_due().await? {
        let outbox = outbox.clone();
        attempts.spawn(async move { attempt(&outbox, &email).await });
    }
    Ok(attempts.join_all().await.len())
}

/// Sends an email. Marks it as done unless it is to be retried.
async fn attempt<O: Outbox>(outbox: &O, email: &O::QueuedEmail) {
    let kind = email.kind();
    let is_done = match outbox.send(email).await {
        Ok(()) => true,
        Err(failure) if email.is_last_attempt() || failure.is_permanent => {
            tracing::warn!(outbox = O::NAME, kind, error = %failure.message, "email_abandoned");
            true
        }
        Err(failure) => {
            tracing::warn!(outbox = O::NAME, kind, error = %failure.message, "failed to send an email; it is retried");
            false
        }
    };
    if is_done && let Err(failure) = outbox.mark_done(email).await {
        let error = failure.message;
        tracing::warn!(outbox = O::NAME, kind, %error, "failed to mark an email as done; it may be sent twice");
    }
}
