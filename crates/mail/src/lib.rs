//! Sends plain letters by SMTP, or keeps them as files where no SMTP server is set.
//!
//! It knows nothing of what a letter is about, and never logs a word of one: letters carry secrets.
//!
//! Start reading at [`Mailer::send`]; when a letter is written, and written again, is in [`write_all`].

mod writing;

use std::fs::Permissions;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, Message};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use tokio::fs;
use url::Url;
use uuid::Uuid;

pub use crate::writing::{Due, Failure, Letters, write_all, write_due};

/// How long one letter may take, from the connection on. Whoever sends again waits longer.
pub const LONGEST_SENDING: Duration = Duration::from_secs(30);

/// How long letters are kept as files. They hold people's data, and nothing else erases them.
const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// A line of a mail has no more bytes (RFC 5322).
const LONGEST_LINE: usize = 998;

/// Whom letters are from where none is sent.
const NOBODY: &str = "TradeBahi <no-reply@tradebahi.example>";

/// How letters leave.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "mail")]
pub struct Settings {
    /// The SMTP server that letters go through, such as smtp://user:password@smtp.example:587 or smtps://…. Without
    /// it they are kept as files in the data directory, for 7 days.
    #[arg(long, env = "TRADEBAHI_SMTP_URL", hide_env_values = true, requires = "mail_from")]
    pub smtp_url: Option<String>,

    /// Whom letters are from, such as "TradeBahi <no-reply@tradebahi.example>".
    #[arg(long, env = "TRADEBAHI_MAIL_FROM")]
    pub mail_from: Option<String>,
}

/// A letter of plain text. It may carry secrets, so it does not print itself.
pub struct Letter {
    /// The address that it goes to.
    pub to: String,
    /// One line that says what it is about.
    pub subject: String,
    /// What it says.
    pub text: String,
}

/// Why a letter did not leave.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL of the SMTP server is not one.
    #[error("the SMTP URL cannot be used")]
    Url(#[source] url::ParseError),
    /// The SMTP server cannot be set up so.
    #[error("the SMTP server cannot be used")]
    Server(#[source] lettre::transport::smtp::Error),
    /// An address is not one; trying again changes nothing.
    #[error("not a mail address")]
    Address(#[source] lettre::address::AddressError),
    /// The letter cannot be written as a mail.
    #[error("the letter cannot be written")]
    Compose(#[source] lettre::error::Error),
    /// The SMTP server refused it, or was not reached.
    #[error("{}", said(.0))]
    Send(lettre::transport::smtp::Error),
    /// The SMTP server took too long.
    #[error("the SMTP server took too long")]
    TooSlow,
    /// The letter could not be kept as a file.
    #[error("the letter was not kept")]
    Keep(#[source] io::Error),
}

/// What a mail server says often repeats the address, which is nobody's business in a log: its code says enough.
fn said(error: &lettre::transport::smtp::Error) -> String {
    error.status().map_or_else(|| error.to_string(), |code| format!("the mail server answered {code}"))
}

/// Sends letters. Clones share the way they go.
#[derive(Clone)]
pub struct Mailer {
    from: Mailbox,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
    Files(Arc<Path>),
}

impl Mailer {
    /// A mailer that sends as `settings` say, or else keeps the letters in `folder`, and says so once.
    pub fn new(settings: &Settings, folder: PathBuf) -> Result<Self, Error> {
        let from: Mailbox = settings.mail_from.as_deref().unwrap_or(NOBODY).parse().map_err(Error::Address)?;
        let Some(url) = &settings.smtp_url else {
            tracing::info!("letters are kept in {} for 7 days; --smtp-url has them sent", folder.display());
            return Ok(Self { from, way: Way::Files(folder.into()) });
        };
        let url = with_tls(url).map_err(Error::Url)?;
        let smtp = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str())
            .map_err(Error::Server)?
            .hello_name(ClientId::Domain(from.email.domain().to_owned()))
            .timeout(Some(LONGEST_SENDING))
            .build();
        Ok(Self { from, way: Way::Smtp(Box::new(smtp)) })
    }

    /// Sends one letter. Once this succeeds it is the mail server's to deliver.
    pub async fn send(&self, letter: Letter) -> Result<(), Error> {
        let id = Uuid::now_v7();
        let message = self.message(id, letter)?;
        match &self.way {
            Way::Smtp(smtp) => {
                let sent = tokio::time::timeout(LONGEST_SENDING, smtp.send(message)).await;
                sent.map_err(|_| Error::TooSlow)?.map_err(Error::Send).map(|_| ())
            }
            Way::Files(folder) => keep(folder, id, &message.formatted()).await.map_err(Error::Keep),
        }
    }

    /// The address is parsed and every header is encoded, so no line of a letter becomes a header of its own.
    fn message(&self, id: Uuid, letter: Letter) -> Result<Message, Error> {
        let to: Address = letter.to.parse().map_err(Error::Address)?;
        Message::builder()
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .from(self.from.clone())
            .to(to.into())
            .subject(one_line(&letter.subject))
            // So that no absence note answers it (RFC 3834).
            .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(body(letter.text))
            .map_err(Error::Compose)
    }
}

/// Plain text goes as it is, so that a link in a kept letter can be opened; everything else is encoded.
fn body(text: String) -> Body {
    let plain = text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic());
    if plain && text.lines().all(|line| line.len() <= LONGEST_LINE) {
        return Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), ContentTransferEncoding::SevenBit);
    }
    // This encoding takes everything.
    Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable).unwrap_or_else(Body::new)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The address of the server, with TLS asked for unless it is this machine: what letters carry goes over no wire in
/// plain text.
fn with_tls(url: &str) -> Result<Url, url::ParseError> {
    let mut url = Url::parse(url)?;
    let near = url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    });
    if url.scheme() == "smtp" {
        url.set_query((!near).then_some("tls=required"));
    }
    Ok(url)
}

/// Keeps a letter where only we can read it. Whoever looks into the folder sees whole letters, the oldest first.
async fn keep(folder: &Path, id: Uuid, letter: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder).await?;
    fs::set_permissions(folder, Permissions::from_mode(0o700)).await?;
    let half = folder.join(format!(".{id}"));
    fs::write(&half, letter).await?;
    fs::rename(half, folder.join(format!("{id}.eml"))).await
}

/// Deletes the letters that were kept in `folder` for 7 days, also where letters are sent by now. To be run from time
/// to time, by any process that reaches the folder.
///
/// # Errors
/// When the folder cannot be read, or a letter not deleted.
pub async fn sweep(folder: &Path) -> io::Result<()> {
    let mut files = match fs::read_dir(folder).await {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let before = SystemTime::now() - KEPT_FOR;
    while let Some(file) = files.next_entry().await? {
        let name = file.file_name();
        // A half is what a crash left.
        let half = name.to_str().and_then(|name| name.strip_prefix('.')).is_some_and(|id| id.parse::<Uuid>().is_ok());
        let whole = Path::new(&name).extension().is_some_and(|ending| ending == "eml");
        if !half && !whole {
            continue;
        }
        // Another process may sweep as well.
        match delete_if_older(&file.path(), before).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

async fn delete_if_older(letter: &Path, before: SystemTime) -> io::Result<()> {
    match fs::metadata(letter).await?.modified()? < before {
        true => fs::remove_file(letter).await,
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_on_this_machine_is_spoken_to_in_plain_text() {
        for (url, want) in [
            ("smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525"),
            ("smtp://[::1]:2525", "smtp://[::1]:2525"),
            ("smtp://localhost?tls=required", "smtp://localhost"),
            ("smtp://a:b@smtp.example:587", "smtp://a:b@smtp.example:587?tls=required"),
            ("smtp://127.0.0.1.example", "smtp://127.0.0.1.example?tls=required"),
            ("smtp://smtp.example?tls=opportunistic", "smtp://smtp.example?tls=required"),
            ("smtps://smtp.example", "smtps://smtp.example"),
        ] {
            assert_eq!(with_tls(url).unwrap().as_str(), want, "{url}");
        }
    }
}
