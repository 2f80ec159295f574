//! Sending one email by SMTP or to a file.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, Message};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use url::Url;
use uuid::Uuid;

use crate::email_files::write_file;
use crate::{Email, Error, Settings};

/// Timeout for sending one email, connecting included. Retries wait longer.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum length of a line without its line break (RFC 5322, section 2.1.1).
const MAX_LINE_BYTES: usize = 998;

/// Sender of emails that are only written to files, if no sender is configured.
const DEFAULT_FROM: &str = "TradeBahi <no-reply@tradebahi.example>";

/// Sends emails. Clones share the SMTP connections.
#[derive(Clone)]
pub struct Mailer {
    from: Mailbox,
    transport: Transport,
}

#[derive(Clone)]
enum Transport {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
    Files(Arc<Path>),
}

impl Mailer {
    /// Creates a mailer for the SMTP server in `settings`. Without one, emails are written to `folder`, and this is
    /// logged once.
    pub fn new(settings: &Settings, folder: PathBuf) -> Result<Self, Error> {
        let from: Mailbox = settings.mail_from.as_deref().unwrap_or(DEFAULT_FROM).parse().map_err(Error::Address)?;
        let Some(url) = &settings.smtp_url else {
            let folder_name = folder.display();
            tracing::info!("emails are written to {folder_name} and kept for 7 days; set --smtp-url to send them");
            return Ok(Self { from, transport: Transport::Files(folder.into()) });
        };
        let url = require_tls(url).map_err(Error::Url)?;
        let smtp = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str())
            .map_err(Error::Server)?
            .hello_name(ClientId::Domain(from.email.domain().to_owned()))
            .timeout(Some(SEND_TIMEOUT))
            .build();
        Ok(Self { from, transport: Transport::Smtp(Box::new(smtp)) })
    }

    /// Sends one email. On success the mail server has accepted it for delivery.
    pub async fn send(&self, email: Email) -> Result<(), Error> {
        let id = Uuid::now_v7();
        let message = self.build_message(id, email)?;
        match &self.transport {
            Transport::Smtp(smtp) => {
                let sent = tokio::time::timeout(SEND_TIMEOUT, smtp.send(message)).await;
                sent.map_err(|_| Error::Timeout)?.map_err(Error::Send).map(|_| ())
            }
            Transport::Files(folder) => write_file(folder, id, "eml", &message.formatted()).await.map_err(Error::Write),
        }
    }

    /// Builds the message. The address is parsed and all headers are encoded, so that no field can inject a header.
    fn build_message(&self, id: Uuid, email: Email) -> Result<Message, Error> {
        let to: Address = email.to.parse().map_err(Error::Address)?;
        Message::builder()
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .from(self.from.clone())
            .to(to.into())
            .subject(replace_control_characters(&email.subject))
            // Prevents automatic replies such as out-of-office notes (RFC 3834).
            .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(encode_body(email.text))
            .map_err(Error::Compose)
    }
}

/// Encodes the text. ASCII text with short lines stays unencoded, so that links can be opened from an email file.
fn encode_body(text: String) -> Body {
    let is_ascii = text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic());
    if is_ascii && text.lines().all(|line| line.len() <= MAX_LINE_BYTES) {
        return Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), ContentTransferEncoding::SevenBit);
    }
    // Quoted-printable can encode any text, so the fallback is not reached.
    Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable).unwrap_or_else(Body::new)
}

fn replace_control_characters(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Parses the SMTP URL and requires TLS unless the host is the loopback interface, because emails carry secrets.
fn require_tls(url: &str) -> Result<Url, url::ParseError> {
    let mut url = Url::parse(url)?;
    let is_loopback = url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    });
    if url.scheme() == "smtp" {
        url.set_query((!is_loopback).then_some("tls=required"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requires_tls_unless_the_server_is_on_loopback() {
        for (url, want) in [
            ("smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525"),
            ("smtp://[::1]:2525", "smtp://[::1]:2525"),
            ("smtp://localhost?tls=required", "smtp://localhost"),
            ("smtp://a:b@smtp.example:587", "smtp://a:b@smtp.example:587?tls=required"),
            ("smtp://127.0.0.1.example", "smtp://127.0.0.1.example?tls=required"),
            ("smtp://smtp.example?tls=opportunistic", "smtp://smtp.example?tls=required"),
            ("smtps://smtp.example", "smtps://smtp.example"),
        ] {
            assert_eq!(require_tls(url).unwrap().as_str(), want, "{url}");
        }
    }
}
