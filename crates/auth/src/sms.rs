//! Text messages, sent by an HTTPS gateway or written to files.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rpc::failure::Violation;
use serde::Serialize;
use time::Duration as Span;
use tokio::time::timeout;
use uuid::Uuid;

use crate::error::{Error, InternalError};
use crate::http_client::HttpClient;
use crate::secret::Secret;
use crate::token::TokenHash;

/// Lifetime of a code that verifies a phone number.
pub(crate) const CODE_TTL: Span = Span::minutes(10);
/// Maximum number of times that one code may be entered.
pub(crate) const MAX_CODE_ATTEMPTS: i32 = 5;
/// Number of digits of a code.
const CODE_DIGITS: usize = 6;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const SEND_TIMEOUT: Duration = Duration::from_secs(15);

/// Delivery of text messages. [`Debug`](fmt::Debug) omits the token.
#[derive(Clone)]
pub enum Sms {
    /// Posts `{"to": "+91…", "text": "…"}` to a gateway.
    Gateway {
        /// URL of the gateway: https, or http on loopback.
        url: String,
        /// Bearer token.
        token: Arc<str>,
    },
    /// Writes each message to a file in this folder, for development.
    Files(PathBuf),
}

impl fmt::Debug for Sms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gateway { url, .. } => f.debug_struct("Gateway").field("url", url).finish_non_exhaustive(),
            Self::Files(folder) => f.debug_tuple("Files").field(folder).finish(),
        }
    }
}

#[derive(Serialize)]
struct Message<'a> {
    to: &'a str,
    text: &'a str,
}

impl Sms {
    /// Sends a message to an Indian mobile number of ten digits.
    pub(crate) async fn send(&self, phone: &str, text: &str) -> Result<(), Error> {
        let to = ["+91", phone].concat();
        match self {
            Self::Gateway { url, token } => {
                let body = serde_json::to_string(&Message { to: &to, text }).map_err(InternalError::Json)?;
                let client = HttpClient::new(CONNECT_TIMEOUT).map_err(InternalError::Tls)?;
                let reply = timeout(SEND_TIMEOUT, client.post_json(url, token, body)).await;
                let reply = reply.map_err(|elapsed| InternalError::Sms(elapsed.into()))?.map_err(InternalError::Sms)?;
                if !reply.status.is_success() {
                    // The body may repeat the number, which must not be logged.
                    return Err(InternalError::Sms(format!("the gateway answered {}", reply.status).into()).into());
                }
                Ok(())
            }
            Self::Files(folder) => {
                let content = format!("To: {to}\n\n{text}\n");
                let written = mail::write_file(folder, Uuid::now_v7(), "sms", content.as_bytes()).await;
                written.map_err(|error| InternalError::Sms(error.into()).into())
            }
        }
    }
}

/// Returns the text of the message with a code.
pub(crate) fn verification_text(code: &Secret) -> String {
    format!("{} is your TradeBahi code. It is valid for 10 minutes. Do not share it with anybody.", code.expose())
}

/// Generates a code of six digits.
pub(crate) fn generate_code() -> Result<Secret, Error> {
    let random = getrandom::u64().map_err(InternalError::Random)? % 1_000_000;
    Ok(Secret::new(format!("{random:0CODE_DIGITS$}")))
}

/// Parses a code as typed; spaces do not count.
pub(crate) fn parse_code(typed: &Secret) -> Result<Secret, Violation> {
    let code: String = typed.expose().chars().filter(|c| !c.is_whitespace()).collect();
    if code.is_empty() {
        return Err(Violation::new("code", "MISSING_SMS_CODE"));
    }
    if code.len() != CODE_DIGITS || !code.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Violation::new("code", "MALFORMED"));
    }
    Ok(Secret::new(code))
}

/// Returns the stored form of a code. The id makes equal codes differ.
pub(crate) fn hash_code(code_id: Uuid, code: &Secret) -> TokenHash {
    TokenHash::from_token(&format!("{code_id} {}", code.expose()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_a_code_has_six_digits() {
        for _ in 0..100 {
            let code = generate_code().unwrap();
            assert_eq!(parse_code(&code).unwrap().expose(), code.expose());
        }
        assert_eq!(parse_code(&Secret::new(" 123 456 ".to_owned())).unwrap().expose(), "123456");
        for (typed, reason) in
            [("", "MISSING_SMS_CODE"), (" ", "MISSING_SMS_CODE"), ("12345", "MALFORMED"), ("12345x", "MALFORMED")]
        {
            assert_eq!(parse_code(&Secret::new(typed.to_owned())).unwrap_err().reason, reason, "{typed}");
        }
    }

    #[test]
    fn s4_debug_output_omits_the_token_of_the_gateway() {
        let sms = Sms::Gateway { url: "https://sms.example".to_owned(), token: "secret of ours".into() };
        assert!(!format!("{sms:?}").contains("secret of ours"));
    }
}
