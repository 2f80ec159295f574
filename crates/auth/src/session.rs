//! Sessions: a device that stays logged in by exchanging refresh tokens.

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::secret::Secret;
use crate::token::TokenHash;

/// Maximum lifetime of a session, however often its tokens are refreshed.
pub(crate) const SESSION_TTL: Duration = Duration::days(30);
/// Retention of the ids of ended sessions: the longest lifetime of their tokens plus the leeway for clocks.
pub(crate) const ENDED_SESSION_RETENTION: Duration = Duration::minutes(31);
/// Maximum length of a stored user agent in characters.
const MAX_USER_AGENT_CHARS: usize = 256;
/// Maximum length of a stored address in characters.
const MAX_ADDRESS_CHARS: usize = 64;

/// Session that was just started or refreshed.
pub(crate) struct Session {
    pub(crate) account_id: Uuid,
    pub(crate) session_id: Uuid,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) email_confirmed: bool,
    /// Expiry of the newest refresh token.
    pub(crate) refresh_expires_at: OffsetDateTime,
}

/// Device that a session is started or refreshed from.
#[derive(Debug, Default)]
pub(crate) struct Device {
    pub(crate) user_agent: String,
    pub(crate) address: String,
    /// Device token from an earlier login.
    pub(crate) token: Option<Secret>,
}

impl Device {
    /// Creates a device without a token. Truncates overlong text instead of rejecting it, because it only helps people
    /// to recognize the device.
    pub(crate) fn new(user_agent: &str, address: &str) -> Self {
        Self {
            user_agent: truncate(user_agent, MAX_USER_AGENT_CHARS),
            address: truncate(address, MAX_ADDRESS_CHARS),
            token: None,
        }
    }

    /// Sets the device token; an empty one counts as none.
    pub(crate) fn with_token(self, token: String) -> Self {
        Self { token: Some(Secret::new(token)).filter(|token| !token.expose().is_empty()), ..self }
    }

    pub(crate) fn token_hash(&self) -> Option<TokenHash> {
        self.token.as_ref().map(|token| TokenHash::from_token(token.expose()))
    }
}

/// Removes control characters and limits the length.
fn truncate(text: &str, max_chars: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(max_chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_device_texts_and_removes_control_characters() {
        let device = Device::new(&format!("Mozilla\r\n{}", "é".repeat(300)), &"1".repeat(100));
        assert_eq!(device.user_agent, format!("Mozilla{}", "é".repeat(249)));
        assert_eq!(device.address, "1".repeat(64));
    }
}
