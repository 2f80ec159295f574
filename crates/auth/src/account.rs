//! Accounts: registration, the details of a trader, and the logins of an account.

use rpc::failure::Violation;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::{Error, InternalError};
use crate::password::{self, ForbiddenPasswords, Password};
use crate::secret::Secret;

/// Maximum length of a name in characters.
pub(crate) const MAX_NAME_CHARS: usize = 100;
/// Maximum length of an email address in characters.
const MAX_EMAIL_CHARS: usize = 254;
/// Maximum length of a phone number as typed, in characters.
const MAX_PHONE_CHARS: usize = 20;
/// Maximum length of the version of a privacy notice in characters.
const MAX_NOTICE_VERSION_CHARS: usize = 40;

/// Registration form as received, not validated.
pub(crate) struct RegistrationForm {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) password: Secret,
    pub(crate) confirm_password: Secret,
    /// Version of the privacy notice shown; empty if none was shown.
    pub(crate) notice_version: String,
}

/// Validated registration without the password.
pub(crate) struct Registration {
    pub(crate) name: Name,
    pub(crate) email: EmailAddress,
    pub(crate) phone: Phone,
    pub(crate) notice_version: Option<String>,
}

impl RegistrationForm {
    /// Validates all fields, so that the trader can correct all errors at once.
    pub(crate) fn validate(self, product_name: &str) -> Result<(Registration, Password), Error> {
        let name = Name::parse(&self.name);
        let email = EmailAddress::parse(&self.email);
        let phone = Phone::validate(&self.phone);
        let confirmed = password::check_confirmation(&self.password, &self.confirm_password);
        let forbidden = ForbiddenPasswords {
            product_name,
            name: &self.name,
            email: email.as_ref().ok().map(EmailAddress::as_str),
            phone: phone.as_ref().ok(),
        };
        let password = Password::parse(self.password, &forbidden);
        let notice = validate_notice_version(self.notice_version);
        match (name, email, phone, password, confirmed, notice) {
            (Ok(name), Ok(email), Ok(phone), Ok(password), Ok(()), Ok(notice_version)) => {
                Ok((Registration { name, email, phone, notice_version }, password))
            }
            (name, email, phone, password, confirmed, notice) => {
                let (email, phone, password) = (email.err(), phone.err(), password.err());
                let violations = [name.err(), email, phone, password, confirmed.err(), notice.err()];
                Err(Error::Invalid(violations.into_iter().flatten().collect()))
            }
        }
    }
}

/// Returns the version of the privacy notice, or `None` if none was shown.
pub(crate) fn validate_notice_version(version: String) -> Result<Option<String>, Violation> {
    if version.chars().count() > MAX_NOTICE_VERSION_CHARS || version.chars().any(is_deceptive) {
        return Err(Violation::new("notice_version", "MALFORMED").with("max_chars", MAX_NOTICE_VERSION_CHARS));
    }
    Ok(Some(version).filter(|version| !version.is_empty()))
}

/// Returns true for control characters, line separators and direction overrides, with which a name or an address could
/// look like another one.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Name of a person: 1 to 100 characters on one line.
#[derive(Debug)]
pub(crate) struct Name(String);

impl Name {
    pub(crate) fn parse(text: &str) -> Result<Self, Violation> {
        let name = text.trim();
        if name.is_empty() {
            return Err(Violation::new("name", "REQUIRED"));
        }
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(Violation::new("name", "TOO_LONG").with("max_chars", MAX_NAME_CHARS));
        }
        if name.chars().any(is_deceptive) {
            return Err(Violation::new("name", "MALFORMED"));
        }
        Ok(Self(name.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Email address in the canonical form of [`mail::canonical_address`].
#[derive(Debug)]
pub(crate) struct EmailAddress {
    canonical: String,
    /// Form under which an account from before the canonical form may have this address; `None` if it is the same.
    legacy: Option<String>,
}

impl EmailAddress {
    pub(crate) fn parse(text: &str) -> Result<Self, Violation> {
        let typed = text.trim();
        if typed.is_empty() {
            return Err(Violation::new("email", "REQUIRED"));
        }
        if typed.chars().count() > MAX_EMAIL_CHARS {
            return Err(Violation::new("email", "TOO_LONG").with("max_chars", MAX_EMAIL_CHARS));
        }
        let canonical = mail::canonical_address(typed).ok_or_else(|| Violation::new("email", "MALFORMED"))?;
        Ok(Self { canonical, legacy: legacy_address(typed) })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.canonical
    }
}

/// Returns the form under which accounts from before the canonical form have an address that is not ASCII. It never
/// equals the canonical form of an address.
fn legacy_address(typed: &str) -> Option<String> {
    let typed = typed.trim();
    // Neither were such characters accepted then, nor does Postgres store all of them.
    let is_address = typed.contains('@') && !typed.chars().any(is_deceptive);
    Some(typed.to_lowercase()).filter(|lower| is_address && !lower.is_ascii())
}

/// Indian mobile number: ten digits, the first of them 6 to 9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phone(String);

impl Phone {
    /// Parses a number with optional spaces, dashes, and a prefix of +91, 91 or 0.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.chars().count() > MAX_PHONE_CHARS {
            return None;
        }
        let compact: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
        let national = match compact.strip_prefix("+91") {
            Some(rest) => rest,
            // A number of ten digits may start with 91, too.
            None if compact.len() == 12 => compact.strip_prefix("91")?,
            None => &compact,
        };
        let digits = if national.len() == 11 { national.strip_prefix('0')? } else { national };
        let is_mobile = digits.len() == 10 && digits.starts_with(['6', '7', '8', '9']);
        (is_mobile && digits.bytes().all(|b| b.is_ascii_digit())).then(|| Self(digits.to_owned()))
    }

    /// Parses like [`parse`](Self::parse), but returns the violation of an invalid number.
    pub(crate) fn validate(text: &str) -> Result<Self, Violation> {
        if text.trim().is_empty() {
            return Err(Violation::new("phone", "REQUIRED"));
        }
        Self::parse(text).ok_or_else(|| Violation::new("phone", "MALFORMED"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Login of an account as stored: `email:` or `phone:`, then the canonical address or number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Login {
    key: String,
    /// Login under which an account from before the canonical form may have the address.
    legacy_key: Option<String>,
}

impl Login {
    /// Parses an email address or a phone number as typed in the login form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.contains('@') {
            return Self::parse_email(text).ok();
        }
        Phone::parse(text).as_ref().map(Self::from)
    }

    /// Parses an email address as typed. Accepts an address that is not ASCII, which only accounts from before the
    /// canonical form have.
    pub(crate) fn parse_email(text: &str) -> Result<Self, Violation> {
        match (EmailAddress::parse(text), legacy_address(text)) {
            (Ok(email), _) => Ok(Self::from(&email)),
            (Err(_), Some(legacy)) if legacy.chars().count() <= MAX_EMAIL_CHARS => Ok(Self::from_email(&legacy)),
            (Err(violation), _) => Err(violation),
        }
    }

    /// Creates the login of the stored email address of an account.
    pub(crate) fn from_email(email: &str) -> Self {
        Self { key: format!("email:{}", email.to_lowercase()), legacy_key: None }
    }

    /// Returns all logins of an account with this email address and phone number.
    pub(crate) fn all(email: &str, phone: Option<&str>) -> impl Iterator<Item = String> + use<> {
        let phone = phone.and_then(Phone::parse).as_ref().map(Self::from);
        [Some(Self::from_email(email)), phone].into_iter().flatten().map(|login| login.key)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.key
    }

    /// Returns the login under which an account from before the canonical form may have the address.
    pub(crate) fn legacy(&self) -> Option<Self> {
        self.legacy_key.clone().map(|key| Self { key, legacy_key: None })
    }
}

impl From<&EmailAddress> for Login {
    fn from(email: &EmailAddress) -> Self {
        let legacy_key = email.legacy.as_ref().map(|legacy| format!("email:{legacy}"));
        Self { key: format!("email:{}", email.canonical), legacy_key }
    }
}

impl From<&Phone> for Login {
    fn from(phone: &Phone) -> Self {
        Self { key: format!("phone:{}", phone.0), legacy_key: None }
    }
}

/// Stored account without its password hash.
pub(crate) struct Account {
    pub(crate) account_id: Uuid,
    pub(crate) client_id: String,
    pub(crate) name: String,
    pub(crate) email: String,
    /// `None` for an account created with Google until its owner sets a number.
    pub(crate) phone: Option<String>,
    pub(crate) phone_verified: bool,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) email_confirmed: bool,
    pub(crate) has_password: bool,
    pub(crate) has_google: bool,
}

/// Generates a client id: `TB-` and six characters of Crockford's base 32, which omits letters that look like digits.
pub(crate) fn generate_client_id() -> Result<String, Error> {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut random = [0; 6];
    getrandom::fill(&mut random).map_err(InternalError::Random)?;
    let characters = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32)).map(|c| char::from(*c)));
    Ok(["TB-".to_owned(), characters.collect()].concat())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_trimmed_and_limited_to_one_line() {
        let longest = "न".repeat(100);
        for (text, want) in [
            ("  Asha Rao ", Ok("Asha Rao")),
            ("न", Ok("न")),
            (longest.as_str(), Ok(longest.as_str())),
            ("", Err("REQUIRED")),
            (" \t ", Err("REQUIRED")),
            (&"x".repeat(101), Err("TOO_LONG")),
            ("Asha\nRao", Err("MALFORMED")),
            ("Asha\u{0}", Err("MALFORMED")),
            ("Asha\u{85}Rao", Err("MALFORMED")),
            ("Asha\u{2028}Rao", Err("MALFORMED")),
            ("Asha\u{202e}oaR", Err("MALFORMED")),
            ("Asha\u{2066}Rao", Err("MALFORMED")),
            // A zero-width joiner is part of words in many scripts.
            ("क्\u{200d}ष", Ok("क्\u{200d}ष")),
        ] {
            let got = Name::parse(text);
            assert_eq!(got.as_ref().map(Name::as_str).map_err(|v| v.reason), want, "{text:?}");
        }
    }

    #[test]
    fn s4_an_email_address_is_kept_in_its_canonical_form_only() {
        let email = EmailAddress::parse("  Asha.Rao@B\u{fc}cher.IN ").unwrap();
        assert_eq!(email.as_str(), "asha.rao@xn--bcher-kva.in");
        let login = Login::from(&email);
        assert_eq!(login.as_str(), "email:asha.rao@xn--bcher-kva.in");
        assert_eq!(login.legacy().unwrap().as_str(), "email:asha.rao@b\u{fc}cher.in");
        assert_eq!(Login::parse("ASHA@example.in").unwrap().legacy(), None);
    }

    #[test]
    fn s4_only_logins_accept_addresses_from_before_the_canonical_form() {
        assert_eq!(EmailAddress::parse("ash\u{c1}@example.in").unwrap_err().reason, "MALFORMED");
        assert_eq!(Login::parse("ash\u{c1}@example.in").unwrap().as_str(), "email:ash\u{e1}@example.in");
        // The lower case of the Kelvin sign is the letter k, so this is the address of somebody else.
        assert_eq!(Login::parse("asha\u{212a}umar@example.in"), None);
        for no_address in
            ["ash\u{c1}", "ash\u{c1}@exam\u{0}ple.in", "ash\u{c1}@exam\u{90}ple.in", "ash\u{c1}@exam\u{202e}ple.in"]
        {
            assert_eq!(Login::parse_email(no_address).unwrap_err().reason, "MALFORMED", "{no_address:?}");
            assert_eq!(Login::parse(no_address), None);
        }
    }

    #[test]
    fn rejects_invalid_email_addresses() {
        let longest = format!("{}@{}example.in", "x".repeat(60), "x.".repeat(91));
        assert!(EmailAddress::parse(&longest).is_ok());
        for (text, reason) in [
            ("", "REQUIRED"),
            ("asha", "MALFORMED"),
            ("@example.in", "MALFORMED"),
            ("asha@", "MALFORMED"),
            ("asha@example", "MALFORMED"),
            ("asha@.in", "MALFORMED"),
            ("asha@example.", "MALFORMED"),
            ("asha@example..in", "MALFORMED"),
            ("asha@rao@example.in", "MALFORMED"),
            ("asha rao@example.in", "MALFORMED"),
            ("asha@exam\u{0}ple.in", "MALFORMED"),
            ("asha\u{202e}@example.in", "MALFORMED"),
            ("asha\u{212a}umar@example.in", "MALFORMED"),
            (&format!("xx{longest}"), "TOO_LONG"),
        ] {
            assert_eq!(EmailAddress::parse(text).unwrap_err().reason, reason, "{text:?}");
        }
    }

    #[test]
    fn parses_phone_numbers_with_prefixes_spaces_and_dashes() {
        for text in [
            "9820041537",
            "98200 41537",
            "982-004-1537",
            " +91 98200 41537 ",
            "+91-9820041537",
            "919820041537",
            "09820041537",
            "+91 09820041537",
            "+91 98-20-04-15-37 -",
        ] {
            assert_eq!(Phone::parse(text).as_ref().map(Phone::as_str), Some("9820041537"), "{text:?}");
        }
        assert_eq!(Phone::parse("9182004153").as_ref().map(Phone::as_str), Some("9182004153"));
    }

    #[test]
    fn rejects_numbers_that_are_not_indian_mobile_numbers() {
        for text in [
            "",
            "5820041537",
            "982004153",
            "98200415370",
            "+1 9820041537",
            "+449820041537",
            "98200415x7",
            "९८२००४१५३७",
            "+91 98-20-04-15-37 --",
        ] {
            assert_eq!(Phone::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_login_starts_with_its_kind() {
        for (text, want) in [
            (" Asha@Example.in", Some("email:asha@example.in")),
            ("+91 98200-41537", Some("phone:9820041537")),
            ("asha", None),
            ("phone:9820041537", None),
            ("", None),
        ] {
            assert_eq!(Login::parse(text).as_ref().map(Login::as_str), want, "{text:?}");
        }
    }

    #[test]
    fn a_registration_with_several_errors_reports_all_of_them() {
        let form = RegistrationForm {
            name: " ".to_owned(),
            email: "asha".to_owned(),
            phone: "1".to_owned(),
            password: Secret::new("short".to_owned()),
            confirm_password: Secret::new("other".to_owned()),
            notice_version: "v\u{0}".to_owned(),
        };
        let Err(Error::Invalid(violations)) = form.validate("TradeBahi") else { panic!("accepted") };
        let reasons: Vec<_> = violations.iter().map(|violation| (&*violation.field, violation.reason)).collect();
        assert_eq!(
            reasons,
            [
                ("name", "REQUIRED"),
                ("email", "MALFORMED"),
                ("phone", "MALFORMED"),
                ("password", "TOO_SHORT"),
                ("confirm_password", "MISMATCH"),
                ("notice_version", "MALFORMED"),
            ]
        );
    }

    #[test]
    fn rejects_a_notice_version_above_40_characters() {
        assert_eq!(validate_notice_version(String::new()), Ok(None));
        assert_eq!(validate_notice_version("x".repeat(40)), Ok(Some("x".repeat(40))));
        assert!(validate_notice_version("x".repeat(41)).is_err());
    }

    #[test]
    fn a_client_id_has_nine_unambiguous_characters() {
        let client_id = generate_client_id().unwrap();
        assert_eq!(client_id.len(), 9);
        assert!(client_id.starts_with("TB-"));
        assert!(
            client_id[3..]
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() && !b"ILOU".contains(&b) && !b.is_ascii_lowercase())
        );
        let used: HashSet<_> = (0..200).flat_map(|_| generate_client_id().unwrap().into_bytes().split_off(3)).collect();
        assert_eq!(used.len(), 32);
    }
}
