//! Tax links: read-only access to the tax pack of one year, for an accountant without an account.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rpc::broker_account::parse_broker_account_key;
use rpc::failure::Violation;
use rpc::json::JsonName as _;
use rpc::trades::v1::Broker;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::account::is_deceptive;
use crate::error::Error;
use crate::secret::Secret;
use crate::token::TokenHash;

/// Maximum lifetime of a link; long enough for the months between the end of a year and its tax return.
const MAX_TTL_DAYS: i32 = 180;
/// Maximum length of the name of the recipient.
const MAX_RECIPIENT_CHARS: usize = 60;
/// Maximum number of broker accounts in a link; more than an account can have.
const MAX_BROKER_ACCOUNTS: usize = 40;
/// Years of tax packs.
const YEARS: std::ops::Range<i32> = 2000..2100;

/// Maximum number of links of an account that can be opened.
pub(crate) const MAX_ACTIVE_LINKS: i64 = 20;
/// Maximum number of links that are kept per account, including those that no longer work.
pub(crate) const MAX_KEPT_LINKS: i64 = 100;
/// Time for which a link is kept after its expiry, for its access log.
pub(crate) const EXPIRED_LINK_RETENTION: Duration = Duration::days(365);
/// Rows in the access log of a link. Further uses of a day are counted in one row, without network and browser.
pub(crate) const MAX_LOGGED_USES: i64 = 1_000;
/// Number of uses of each link that a trader sees.
pub(crate) const MAX_LISTED_USES: i64 = 20;

/// Link that a trader creates.
#[derive(Debug)]
pub(crate) struct NewTaxLink {
    pub(crate) recipient: String,
    pub(crate) year: i16,
    pub(crate) broker_accounts: Vec<String>,
    pub(crate) ttl: Duration,
}

impl NewTaxLink {
    pub(crate) fn parse(
        recipient: &str,
        year: i32,
        broker_accounts: Vec<String>,
        ttl_days: i32,
    ) -> Result<Self, Vec<Violation>> {
        let recipient = recipient.trim();
        let is_account = |key: &String| {
            parse_broker_account_key(key).is_some_and(|(broker, _)| Broker::from_json_name(broker).is_some())
        };
        let accounts_valid = broker_accounts.len() <= MAX_BROKER_ACCOUNTS && broker_accounts.iter().all(is_account);
        let recipient_violation = if recipient.is_empty() {
            Some(Violation::new("recipient", "REQUIRED"))
        } else if recipient.chars().count() > MAX_RECIPIENT_CHARS || recipient.chars().any(is_deceptive) {
            Some(Violation::new("recipient", "INVALID").with("max_chars", MAX_RECIPIENT_CHARS))
        } else {
            None
        };
        let violations: Vec<Violation> = [
            recipient_violation,
            (!YEARS.contains(&year)).then(|| Violation::new("year", "INVALID")),
            (!accounts_valid).then(|| Violation::new("broker_accounts", "INVALID")),
            (!(1..=MAX_TTL_DAYS).contains(&ttl_days))
                .then(|| Violation::new("ttl_days", "INVALID").with("max", MAX_TTL_DAYS)),
        ]
        .into_iter()
        .flatten()
        .collect();
        match i16::try_from(year) {
            Ok(year) if violations.is_empty() => Ok(Self {
                recipient: recipient.to_owned(),
                year,
                broker_accounts,
                ttl: Duration::days(ttl_days.into()),
            }),
            _ => Err(violations),
        }
    }
}

/// Token in a link: the account, by which the link is looked up, and a secret.
pub(crate) struct TaxLinkToken {
    pub(crate) account_id: Uuid,
    secret: Secret,
}

/// Number of characters that encode the account id; the secret follows them.
const ACCOUNT_ID_CHARS: usize = 22;

impl TaxLinkToken {
    pub(crate) fn generate(account_id: Uuid) -> Result<Self, Error> {
        Ok(Self { account_id, secret: Secret::generate()? })
    }

    /// Parses the text of [`to_secret`](Self::to_secret).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (account_id, secret) = text.split_at_checked(ACCOUNT_ID_CHARS)?;
        let account_id = Uuid::from_slice(&URL_SAFE_NO_PAD.decode(account_id).ok()?).ok()?;
        Secret::is_well_formed(secret).then(|| Self { account_id, secret: Secret::new(secret.to_owned()) })
    }

    /// Returns the text for the link.
    pub(crate) fn to_secret(&self) -> Secret {
        Secret::new([URL_SAFE_NO_PAD.encode(self.account_id).as_str(), self.secret.expose()].concat())
    }

    pub(crate) fn secret_hash(&self) -> TokenHash {
        TokenHash::from_token(self.secret.expose())
    }
}

/// Kind of use of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaxLinkAction {
    View,
    Download,
}

impl TaxLinkAction {
    /// Returns the name in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Download => "download",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::View, Self::Download].into_iter().find(|action| action.as_str() == name)
    }
}

/// Link as its trader sees it, without the secret.
#[derive(Debug)]
pub(crate) struct TaxLink {
    pub(crate) link_id: Uuid,
    pub(crate) recipient: String,
    pub(crate) year: i16,
    pub(crate) broker_accounts: Vec<String>,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) expires_at: OffsetDateTime,
    pub(crate) revoked_at: Option<OffsetDateTime>,
    /// Newest first, at most [`MAX_LISTED_USES`].
    pub(crate) uses: Vec<TaxLinkUse>,
}

/// Uses of a link on one day from one browser.
#[derive(Debug)]
pub(crate) struct TaxLinkUse {
    pub(crate) action: TaxLinkAction,
    pub(crate) user_agent: String,
    pub(crate) address: String,
    pub(crate) first_at: OffsetDateTime,
    pub(crate) last_at: OffsetDateTime,
    pub(crate) uses: i32,
}

/// Link that is being used, with the account that it belongs to.
#[derive(Debug)]
pub(crate) struct OpenTaxLink {
    pub(crate) link: TaxLink,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) email_confirmed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_its_own_tokens_and_rejects_others() {
        let account_id = Uuid::now_v7();
        let token = TaxLinkToken::generate(account_id).unwrap();
        let text = token.to_secret().expose().to_owned();
        assert_eq!(text.len(), 65);
        let parsed = TaxLinkToken::parse(&text).unwrap();
        assert_eq!((parsed.account_id, parsed.secret_hash()), (account_id, token.secret_hash()));
        for wrong in ["", "x", &text[1..], &format!("{text}A"), &text.replace(&text[..2], "=="), &"é".repeat(40)] {
            assert!(TaxLinkToken::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn links_have_a_recipient_a_year_and_a_lifetime() {
        let parse = |recipient: &str, year, ttl_days| NewTaxLink::parse(recipient, year, Vec::new(), ttl_days);
        assert_eq!(parse(" Mehta & Co ", 2025, 180).unwrap().recipient, "Mehta & Co");
        let fields = |result: Result<NewTaxLink, Vec<Violation>>| {
            result.unwrap_err().into_iter().map(|violation| violation.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(parse("", 1999, 0)), ["recipient", "year", "ttl_days"]);
        assert_eq!(fields(parse("Mehta\u{202e}", 2100, 181)), ["recipient", "year", "ttl_days"]);
        assert_eq!(fields(parse(&"x".repeat(61), 2025, 1)), ["recipient"]);
        for wrong in ["zerodha 2", "moon", "zerodha-1", "zerodha-21", ""] {
            let accounts = NewTaxLink::parse("Mehta", 2025, vec![wrong.to_owned()], 30);
            assert_eq!(fields(accounts), ["broker_accounts"], "{wrong}");
        }
    }
}
