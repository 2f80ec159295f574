//! Sends plain-text emails by SMTP, or writes them to files if no SMTP server is configured.
//!
//! The crate does not know the subject of an email and never logs its content, because emails carry secrets.
//!
//! Start reading at [`Mailer::send`]; [`run_outbox`] sends queued emails and retries them.

mod address;
mod email_files;
mod mailer;
mod outbox;

use std::io;

pub use crate::address::canonical_address;
pub use crate::email_files::{delete_expired_files, write_file};
pub use crate::mailer::Mailer;
pub use crate::outbox::{Outbox, OutboxFailure, QueuedEmail, run_outbox, send_due};

/// Email delivery settings.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "mail")]
pub struct Settings {
    /// SMTP server for outgoing email, such as smtp://user:password@smtp.example:587 or smtps://…. Without it, emails
    /// are written to files in the data directory and kept for 7 days.
    #[arg(long, env = "TRADEBAHI_SMTP_URL", hide_env_values = true, requires = "mail_from")]
    pub smtp_url: Option<String>,

    /// Sender of outgoing email, such as "TradeBahi <no-reply@tradebahi.example>".
    #[arg(long, env = "TRADEBAHI_MAIL_FROM")]
    pub mail_from: Option<String>,
}

/// Plain-text email. Has no `Debug`, because the text may contain secrets.
pub struct Email {
    /// Recipient address.
    pub to: String,
    /// Subject; control characters are replaced by spaces.
    pub subject: String,
    /// Body text.
    pub text: String,
}

/// Email delivery error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The SMTP URL is invalid.
    #[error("invalid SMTP URL")]
    Url(#[source] url::ParseError),
    /// The SMTP client cannot be built from the URL.
    #[error("failed to set up the SMTP client")]
    Server(#[source] lettre::transport::smtp::Error),
    /// An address is invalid; a retry cannot succeed.
    #[error("invalid email address")]
    Address(#[source] lettre::address::AddressError),
    /// The message cannot be built.
    #[error("failed to compose the email")]
    Compose(#[source] lettre::error::Error),
    /// The SMTP server rejected the email or is unreachable.
    #[error("{}", describe(.0))]
    Send(lettre::transport::smtp::Error),
    /// The SMTP server did not finish within the timeout.
    #[error("the SMTP server timed out")]
    Timeout,
    /// The email cannot be written to a file.
    #[error("failed to write the email to a file")]
    Write(#[source] io::Error),
}

/// Returns the status code of the mail server without its text, which often repeats the recipient's address and must
/// not be logged.
fn describe(error: &lettre::transport::smtp::Error) -> String {
    error.status().map_or_else(|| error.to_string(), |code| format!("the mail server answered {code}"))
}
