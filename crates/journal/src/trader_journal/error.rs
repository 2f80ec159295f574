//! Errors of the service of accounts' journals.

use std::io;
use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use tonic::Status;

use crate::trader_journal::entry::{MAX_ENTRIES, MAX_LABELS};
use crate::trader_journal::playbook::{MAX_PLAYBOOKS, MAX_TEMPLATES};
use crate::trader_journal::screenshot_encoder::Rejection;

/// Error of an rpc or of the cleanup.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid fields of the request.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Violation>),
    /// The entry, change, playbook or template does not exist; with its reason code.
    #[error("not found: {0}")]
    NotFound(&'static str),
    /// The account has another version than the edit is based on; with its reason code.
    #[error("changed since it was read: {0}")]
    Changed(&'static str),
    /// The account has the maximum number; with its reason code.
    #[error("limit reached: {0}")]
    Full(&'static str),
    /// Another playbook or template has the name; with its reason code.
    #[error("name taken: {0}")]
    NameTaken(&'static str),
    /// The change was undone before.
    #[error("change is undone")]
    ChangeUndone,
    /// The merged entry would exceed the limits of an entry.
    #[error("merged entry is too large")]
    MergedEntryTooLarge,
    /// The file is not accepted as a picture.
    #[error("picture rejected: {0:?}")]
    PictureRejected(Rejection),
    /// The picture exceeds the size limit.
    #[error("screenshot is too large")]
    ScreenshotTooLarge,
    /// The account's screenshots would exceed its quota.
    #[error("quota of screenshots reached: {max_mib} MiB")]
    ScreenshotQuotaReached {
        /// The quota.
        max_mib: i64,
    },
    /// The upload ended early, or its size differs from the stated one.
    #[error("incomplete upload")]
    IncompleteUpload,
    /// The caller aborted the upload.
    #[error("upload aborted")]
    UploadAborted(#[source] Status),
    /// Too many pictures are being received or encoded.
    #[error("too many pictures at once")]
    PicturesBusy,
    /// The screenshot store failed.
    #[error("screenshot store failed")]
    FileStore(#[from] file_store::Error),
    /// A file operation failed.
    #[error("{action}")]
    Io {
        /// The failed operation.
        action: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// No lock or no database connection became available in time.
    #[error("database is busy")]
    Busy(#[source] sqlx::Error),
    /// The database failed, or a stored value is invalid.
    #[error("failed to read or store the journal")]
    Store(#[source] sqlx::Error),
    /// The task of a write panicked.
    #[error("write task failed")]
    TaskFailed(#[from] tokio::task::JoinError),
}

pub(crate) const ENTRY_NOT_FOUND: Error = Error::NotFound("ENTRY_NOT_FOUND");
pub(crate) const ENTRY_CHANGED: Error = Error::Changed("ENTRY_CHANGED");
pub(crate) const ENTRIES_FULL: Error = Error::Full("ENTRIES_FULL");
pub(crate) const SCREENSHOT_NOT_FOUND: Error = Error::NotFound("SCREENSHOT_NOT_FOUND");
pub(crate) const SCREENSHOTS_FULL: Error = Error::Full("SCREENSHOTS_FULL");
pub(crate) const CHANGE_NOT_FOUND: Error = Error::NotFound("CHANGE_NOT_FOUND");
pub(crate) const PLAYBOOK_NOT_FOUND: Error = Error::NotFound("PLAYBOOK_NOT_FOUND");
pub(crate) const PLAYBOOK_CHANGED: Error = Error::Changed("PLAYBOOK_CHANGED");
pub(crate) const PLAYBOOKS_FULL: Error = Error::Full("PLAYBOOKS_FULL");
pub(crate) const PLAYBOOK_NAME_TAKEN: Error = Error::NameTaken("PLAYBOOK_NAME_TAKEN");
pub(crate) const TEMPLATE_NOT_FOUND: Error = Error::NotFound("TEMPLATE_NOT_FOUND");
pub(crate) const TEMPLATE_CHANGED: Error = Error::Changed("TEMPLATE_CHANGED");
pub(crate) const TEMPLATES_FULL: Error = Error::Full("TEMPLATES_FULL");
pub(crate) const TEMPLATE_NAME_TAKEN: Error = Error::NameTaken("TEMPLATE_NAME_TAKEN");

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::classify(&error) {
            db::Failure::LockTimeout | db::Failure::Unavailable => Self::Busy(error),
            db::Failure::DiskFull | db::Failure::Other => Self::Store(error),
        }
    }
}

impl Error {
    /// Returns the error of a bulk edit that would give the entry of a subject too many tags or mistakes.
    pub(crate) fn too_many_labels(index: usize) -> Self {
        Violation::new(format!("subjects[{index}]"), "TOO_MANY").with("max", MAX_LABELS).into()
    }

    /// Returns a converter of I/O errors; `action` says what failed.
    pub(crate) fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }

    /// Returns the error of a stored value that does not parse.
    pub(crate) fn decode(what: &str) -> Self {
        Self::Store(sqlx::Error::Decode(format!("invalid stored value: {what}").into()))
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::PictureRejected(_) | Self::IncompleteUpload | Self::UploadAborted(_) => {
                Kind::Invalid
            }
            Self::ScreenshotTooLarge => Kind::TooLarge,
            Self::NotFound(_) => Kind::NotFound,
            Self::Changed(_) => Kind::Aborted,
            Self::NameTaken(_) => Kind::AlreadyExists,
            Self::Full(_) | Self::ChangeUndone | Self::MergedEntryTooLarge | Self::ScreenshotQuotaReached { .. } => {
                Kind::FailedPrecondition
            }
            Self::Busy(_) | Self::PicturesBusy => Kind::Busy,
            Self::FileStore(error) if error.is_bucket_failure() => Kind::Busy,
            Self::FileStore(_) | Self::Io { .. } if failure::is_storage_full(self) => Kind::StorageFull,
            Self::Store(error) if db::classify(error) == db::Failure::DiskFull => Kind::StorageFull,
            Self::Store(_) | Self::TaskFailed(_) | Self::FileStore(_) | Self::Io { .. } => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::NotFound(reason) | Self::Changed(reason) | Self::Full(reason) | Self::NameTaken(reason) => reason,
            Self::ChangeUndone => "CHANGE_UNDONE",
            Self::MergedEntryTooLarge => "MERGED_ENTRY_TOO_LARGE",
            Self::PictureRejected(_) => "INVALID",
            Self::ScreenshotTooLarge => "SCREENSHOT_TOO_LARGE",
            Self::ScreenshotQuotaReached { .. } => "SCREENSHOT_QUOTA_REACHED",
            Self::IncompleteUpload | Self::UploadAborted(_) => "INCOMPLETE_UPLOAD",
            Self::PicturesBusy => "PICTURES_BUSY",
            Self::Busy(_) => "BUSY",
            Self::FileStore(error) if error.is_bucket_failure() => "BUCKET_UNAVAILABLE",
            Self::FileStore(_) | Self::Io { .. } if failure::is_storage_full(self) => failure::STORAGE_FULL_REASON,
            Self::Store(_) | Self::TaskFailed(_) | Self::FileStore(_) | Self::Io { .. } => "INTERNAL",
        }
    }

    fn service(&self) -> &'static str {
        "journal"
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::PictureRejected(rejection) => vec![Violation::new("file_chunk", rejection.name())],
            _ => Vec::new(),
        }
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        if let Self::ScreenshotQuotaReached { max_mib } = self {
            return vec![("max_mib", max_mib.to_string())];
        }
        let max = match self.reason() {
            "ENTRIES_FULL" => MAX_ENTRIES,
            "PLAYBOOKS_FULL" => MAX_PLAYBOOKS,
            "TEMPLATES_FULL" => MAX_TEMPLATES,
            _ => return Vec::new(),
        };
        vec![("max", max.to_string())]
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy(_) => Some(Duration::from_secs(1)),
            Self::PicturesBusy => Some(Duration::from_secs(5)),
            Self::FileStore(error) if error.is_bucket_failure() => Some(Duration::from_secs(30)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_text() {
        for error in [
            ENTRY_NOT_FOUND,
            ENTRY_CHANGED,
            ENTRIES_FULL,
            CHANGE_NOT_FOUND,
            PLAYBOOK_NOT_FOUND,
            PLAYBOOK_CHANGED,
            PLAYBOOKS_FULL,
            PLAYBOOK_NAME_TAKEN,
            TEMPLATE_NOT_FOUND,
            TEMPLATE_CHANGED,
            TEMPLATES_FULL,
            TEMPLATE_NAME_TAKEN,
            Error::ChangeUndone,
            Error::MergedEntryTooLarge,
            SCREENSHOT_NOT_FOUND,
            SCREENSHOTS_FULL,
            Error::ScreenshotTooLarge,
            Error::ScreenshotQuotaReached { max_mib: 500 },
            Error::IncompleteUpload,
            Error::PicturesBusy,
            Error::Busy(sqlx::Error::PoolTimedOut),
        ] {
            assert!(texts::error("journal", error.reason(), &texts::Params::new()).is_some(), "{error:?}");
        }
        assert!(texts::error("journal", "BUCKET_UNAVAILABLE", &texts::Params::new()).is_some());
    }

    #[test]
    fn every_violation_has_a_text() {
        for (path, reason) in [
            ("subject.kind", "ENTRY_KIND_MISSING"),
            ("subject.key", "KEY_INVALID"),
            ("subject.symbol", "SYMBOL_INVALID"),
            ("subject.day", "DATE_INVALID"),
            ("subject.quantity", "QUANTITY_NOT_A_NUMBER"),
            ("subject.quantity", "QUANTITY_OUT_OF_RANGE"),
            ("subject.quantity", "QUANTITY_TOO_PRECISE"),
            ("content.setup", "LABEL_INVALID"),
            ("content.tags", "TOO_MANY"),
            ("content.tags[0]", "LABEL_INVALID"),
            ("content.rating", "RATING_INVALID"),
            ("content.note", "TEXT_INVALID"),
            ("content.planned_stop", "PRICE_NOT_A_NUMBER"),
            ("content.planned_stop", "PRICE_OUT_OF_RANGE"),
            ("content.planned_stop", "PRICE_TOO_PRECISE"),
            ("content.rules_kept", "RULES_INVALID"),
            ("filter.text", "TEXT_INVALID"),
            ("filter.from", "DATE_INVALID"),
            ("by", "LABEL_KIND_MISSING"),
            ("keys", "TOO_MANY"),
            ("subjects", "SUBJECTS_INVALID"),
            ("additions", "SUBJECTS_INVALID"),
            ("additions[0].texts", "TOO_MANY"),
            ("additions[0].texts[0]", "TEXT_INVALID"),
            ("additions[0].day", "DATE_INVALID"),
            ("file_chunk", "NOT_A_PICTURE"),
            ("file_chunk", "PICTURE_DAMAGED"),
            ("file_chunk", "TOO_MANY_PIXELS"),
            ("screenshot.id", "INVALID"),
            ("subjects[3]", "TOO_MANY"),
            ("edit", "EDIT_EMPTY"),
            ("version", "VERSION_INVALID"),
            ("page_size", "INVALID"),
            ("page_token", "INVALID"),
            ("playbook.name", "LABEL_INVALID"),
            ("playbook.rules", "TOO_MANY"),
            ("playbook.rules[0].text", "TEXT_INVALID"),
            ("playbook.rules[0].id", "RULES_INVALID"),
        ] {
            let text = texts::field_error("journal", path, reason, &texts::Params::new());
            assert!(text.is_some(), "{path} {reason}");
        }
    }
}
