//! Size and time limits of requests, by operation. Rate limits are in [`crate::rate_limits`].

use http::StatusCode;
use http_server::body_limits::BodyLimits;
use http_server::problem::{FieldError, Problem};
use http_server::settings::Timeouts;

use crate::error_texts::{error_text, problem};

/// Maximum size of a body without a limit of its own.
const MAX_BODY_BYTES: usize = 16 * 1024;
/// Maximum size of the body of a login form.
const MAX_AUTH_BODY_BYTES: usize = 4 * 1024;
/// Maximum size of a policy violation report of a browser.
const MAX_CSP_REPORT_BYTES: usize = 8 * 1024;
/// Maximum size of a body with one trade: its longest texts, with every character escaped.
pub(crate) const MAX_TRADE_BYTES: usize = 64 * 1024;
/// Maximum size of a body with answers to data issues: 500 answers with the longest ids.
const MAX_ISSUE_ANSWERS_BYTES: usize = 256 * 1024;
/// Maximum size of a body with the figures of a tax year: 500 dividends with the longest names, every character escaped.
const MAX_TAX_ENTRIES_BYTES: usize = 512 * 1024;
/// Maximum size of a body of the journal: a note and a plan of 20,000 characters each, with four bytes or an escape per
/// character, or 500 subjects.
const MAX_JOURNAL_BYTES: usize = 512 * 1024;
/// Maximum size of a body that replaces the trades of a book.
const MAX_REPLACE_BYTES: usize = 32 * 1024 * 1024;
/// Maximum size of an uploaded file.
pub(crate) const MAX_UPLOAD_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum size of an upload form: the file and the other fields.
pub(crate) const MAX_UPLOAD_FORM_BYTES: usize = 32 * 1024 * 1024 + 64 * 1024;
/// Maximum size of a screenshot form: the picture, at most 5 MiB, and the other fields.
pub(crate) const MAX_SCREENSHOT_FORM_BYTES: usize = 5 * 1024 * 1024 + 64 * 1024;
/// Maximum size of an application form: the resume and the answers.
pub(crate) const MAX_APPLICATION_FORM_BYTES: usize = 5 * 1024 * 1024 + 256 * 1024;
/// Maximum size of a body with corrected answers of an application; the longest answer has 5,000 characters.
const MAX_ANSWERS_BYTES: usize = 64 * 1024;

/// Maximum length of an email address or phone number at login.
pub(crate) const MAX_LOGIN_CHARS: usize = 254;
/// Maximum length of a password.
pub(crate) const MAX_PASSWORD_CHARS: usize = 1024;
/// Maximum length of the version of the privacy notice.
pub(crate) const MAX_NOTICE_VERSION_CHARS: usize = 40;

/// Returns the limits of operations without limits of their own.
pub(crate) fn default_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits {
        max_bytes: MAX_BODY_BYTES,
        too_large: || Problem::from_status(StatusCode::PAYLOAD_TOO_LARGE),
        idle_timeout: timeouts.body_idle,
        body_timeout: timeouts.body,
        total_timeout: timeouts.body + timeouts.response,
    }
}

/// Returns the limits of login forms.
pub(crate) fn auth_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_AUTH_BODY_BYTES, ..default_limits(timeouts) }
}

/// Returns the limits of policy violation reports.
pub(crate) fn csp_report_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_CSP_REPORT_BYTES, ..default_limits(timeouts) }
}

/// Returns the limits of operations on single trades.
pub(crate) fn trade_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_TRADE_BYTES, ..default_limits(timeouts) }
}

/// Returns the limits of answers to data issues.
pub(crate) fn issue_answers_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_ISSUE_ANSWERS_BYTES, ..default_limits(timeouts) }
}

/// Returns the limits of the figures of a tax year.
pub(crate) fn tax_entries_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_TAX_ENTRIES_BYTES, ..default_limits(timeouts) }
}

/// Returns the limits of operations on the journal of an account.
pub(crate) fn journal_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_JOURNAL_BYTES, ..default_limits(timeouts) }
}

/// Returns the limits of uploads of a broker's file.
pub(crate) fn upload_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits {
        max_bytes: MAX_UPLOAD_FORM_BYTES,
        too_large: upload_too_large,
        idle_timeout: timeouts.upload_idle,
        body_timeout: timeouts.upload,
        total_timeout: timeouts.upload + timeouts.upload_response,
    }
}

/// Returns the limits of uploads of a screenshot.
pub(crate) fn screenshot_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_SCREENSHOT_FORM_BYTES, too_large: screenshot_too_large, ..upload_limits(timeouts) }
}

/// Returns the limits of replacing the trades of a book.
pub(crate) fn replace_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits {
        max_bytes: MAX_REPLACE_BYTES,
        too_large: default_limits(timeouts).too_large,
        ..upload_limits(timeouts)
    }
}

/// Returns the limits of applications.
pub(crate) fn application_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_APPLICATION_FORM_BYTES, too_large: resume_too_large, ..upload_limits(timeouts) }
}

/// Returns the limits of operations on an application.
pub(crate) fn answers_limits(timeouts: &Timeouts) -> BodyLimits {
    BodyLimits { max_bytes: MAX_ANSWERS_BYTES, ..default_limits(timeouts) }
}

/// Rejects a file above [`MAX_UPLOAD_BYTES`].
pub(crate) fn upload_too_large() -> Problem {
    let detail = error_text("edge", "FILE_TOO_LARGE", &[("max_mib", MAX_UPLOAD_BYTES >> 20)]);
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "file_too_large", detail)
}

/// Rejects a form above [`MAX_SCREENSHOT_FORM_BYTES`].
pub(crate) fn screenshot_too_large() -> Problem {
    problem(StatusCode::PAYLOAD_TOO_LARGE, "journal", "screenshot_too_large")
}

/// Rejects a form above [`MAX_APPLICATION_FORM_BYTES`].
pub(crate) fn resume_too_large() -> Problem {
    let message = error_text("careers", "RESUME_TOO_LARGE", &[]);
    problem(StatusCode::PAYLOAD_TOO_LARGE, "careers", "resume_too_large").with_field_error(FieldError::new(
        "resume",
        "resume_too_large",
        message,
    ))
}
