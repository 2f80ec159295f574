//! Letters that were asked for: written, sent, and tried again where they did not leave.

use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How often to look for letters that nobody rang for: those of other processes, and second tries.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long letters that are due together may take: longer than a slow mail server does.
const LONGEST_WORK: Duration = Duration::from_mins(2);

/// The letters of one domain. Clones share them, and any number may work on one database.
pub trait Letters: Clone + Send + Sync + 'static {
    /// Whose letters they are, for the log.
    const OF: &'static str;

    /// A letter whose turn has come.
    type Due: Due;

    /// Takes some letters whose turn has come, and puts their next turn off: whatever becomes of this process, another
    /// takes them up then.
    fn take_due(&self) -> impl Future<Output = Result<Vec<Self::Due>, Failure>> + Send;

    /// Writes a letter and sends it, unless it has become pointless.
    fn send(&self, due: &Self::Due) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Is done with a letter.
    fn done(&self, due: &Self::Due) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// A letter whose turn has come.
pub trait Due: Send + Sync + 'static {
    /// What the log calls it.
    fn kind(&self) -> &str;

    /// It was asked for so long ago that this is the last try.
    fn is_last_try(&self) -> bool;
}

/// Why letters cannot be looked for, or one did not leave.
#[derive(Debug)]
pub struct Failure {
    /// For the log, which is kept longer than an address may be: it names none.
    pub why: String,
    /// Trying again changes nothing.
    pub is_final: bool,
}

/// Writes letters for ever, at once where `bell` rings.
pub async fn write_all<L: Letters>(letters: L, bell: &Notify) {
    loop {
        match timeout(LONGEST_WORK, write_due(&letters)).await {
            Ok(Ok(0)) => {}
            Ok(Ok(_)) => continue,
            Ok(Err(failure)) => tracing::warn!(of = L::OF, error = %failure.why, "no letters can be written"),
            Err(_) => tracing::warn!(of = L::OF, "no letters can be written: the database is silent"),
        }
        // Whether it rang or not, it is time to look.
        let _ = timeout(LOOK_EVERY, bell.notified()).await;
    }
}

/// Writes and sends what is due, side by side, for one mail server may be slow; says how many letters it saw.
///
/// # Errors
/// Where nobody can say what is due.
pub async fn write_due(letters: &impl Letters) -> Result<usize, Failure> {
    let mut writing: JoinSet<()> = JoinSet::new();
    for due in letters.take_due().await? {
        let letters = letters.clone();
        writing.spawn(async move { settle(&letters, &due).await });
    }
    Ok(writing.join_all().await.len())
}

/// Sends a letter, or leaves it for later.
async fn settle<L: Letters>(letters: &L, due: &L::Due) {
    let kind = due.kind();
    let is_done = match letters.send(due).await {
        Ok(()) => true,
        Err(failure) if due.is_last_try() || failure.is_final => {
            tracing::warn!(of = L::OF, kind, error = %failure.why, "letter_given_up");
            true
        }
        Err(failure) => {
            tracing::warn!(of = L::OF, kind, error = %failure.why, "a letter was not sent");
            false
        }
    };
    if is_done && let Err(failure) = letters.done(due).await {
        tracing::warn!(of = L::OF, kind, error = %failure.why, "a letter will go twice");
    }
}
