//! An account: who a trader is, and the names that one signs in with.

use rpc::failure::Violation;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Error;
use crate::password::{self, Password};
use crate::secret::Secret;

pub(crate) const LONGEST_NAME: usize = 100;
const LONGEST_EMAIL: usize = 254;
const LONGEST_PHONE: usize = 20;
const LONGEST_VERSION: usize = 40;

/// What a trader fills in, unchecked.
pub(crate) struct Form {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) password: Secret,
    pub(crate) confirm_password: Secret,
    /// The version of the privacy notice that was shown; empty when none was.
    pub(crate) notice_version: String,
}

/// A form that keeps all rules.
pub(crate) struct Registration {
    pub(crate) name: Name,
    pub(crate) email: Email,
    pub(crate) phone: Phone,
    pub(crate) notice_version: Option<String>,
}

impl Form {
    /// Every field is looked at, so that a trader corrects all at once.
    pub(crate) fn check(self, product: &str) -> Result<(Registration, Password), Error> {
        let name = Name::parse(&self.name);
        let email = Email::parse(&self.email);
        let phone = Phone::parse_or_say(&self.phone);
        let confirmed = password::confirm(&self.password, &self.confirm_password);
        let own = password::Own {
            product,
            name: &self.name,
            email: email.as_ref().ok().map(|email| email.normal.as_str()),
            phone: phone.as_ref().ok(),
        };
        let password = Password::parse(self.password, &own);
        let notice = notice_version(self.notice_version);
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

/// The version of a notice; none where none was shown.
fn notice_version(version: String) -> Result<Option<String>, Violation> {
    if version.chars().count() > LONGEST_VERSION || version.chars().any(is_unseen) {
        return Err(violation("noticeVersion", "MALFORMED", "A version has up to 40 characters on one line."));
    }
    Ok(Some(version).filter(|version| !version.is_empty()))
}

/// Whether a character begins a line, or turns the way that what follows is read: with those, a name or an address
/// could look like another.
fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A person's name: 1 to 100 characters on one line.
#[derive(Debug)]
pub(crate) struct Name(String);

impl Name {
    pub(crate) fn parse(text: &str) -> Result<Self, Violation> {
        let name = text.trim();
        if name.is_empty() {
            return Err(violation("name", "REQUIRED", "Enter your name."));
        }
        if name.chars().count() > LONGEST_NAME {
            return Err(violation("name", "TOO_LONG", "Keep your name to 100 characters."));
        }
        if name.chars().any(is_unseen) {
            return Err(violation("name", "MALFORMED", "Write your name on one line, without special characters."));
        }
        Ok(Self(name.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// An e-mail address, as typed and as compared.
#[derive(Debug)]
pub(crate) struct Email {
    typed: String,
    normal: String,
}

impl Email {
    pub(crate) fn parse(text: &str) -> Result<Self, Violation> {
        let typed = text.trim();
        if typed.is_empty() {
            return Err(violation("email", "REQUIRED", "Enter your e-mail address."));
        }
        if typed.chars().count() > LONGEST_EMAIL {
            return Err(violation("email", "TOO_LONG", "An e-mail address has at most 254 characters."));
        }
        if !is_address(typed) {
            return Err(violation("email", "MALFORMED", "Enter an e-mail address such as asha@example.in."));
        }
        Ok(Self { typed: typed.to_owned(), normal: typed.to_lowercase() })
    }

    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }
}

/// A sane address; whether anybody reads it, only a mail would tell.
fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    !local.is_empty()
        && !domain.contains('@')
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty())
        && !text.chars().any(|c| c.is_whitespace() || is_unseen(c))
}

/// An Indian mobile number: ten digits, the first of them 6 to 9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phone(String);

impl Phone {
    /// Understands spaces, dashes, and the prefixes +91, 91 and 0.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.chars().count() > LONGEST_PHONE {
            return None;
        }
        let packed: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
        let national = match packed.strip_prefix("+91") {
            Some(rest) => rest,
            // Ten digits may begin with 91 themselves.
            None if packed.len() == 12 => packed.strip_prefix("91")?,
            None => &packed,
        };
        let digits = if national.len() == 11 { national.strip_prefix('0')? } else { national };
        let mobile = digits.len() == 10 && digits.starts_with(['6', '7', '8', '9']);
        (mobile && digits.bytes().all(|b| b.is_ascii_digit())).then(|| Self(digits.to_owned()))
    }

    /// The same, saying what is wrong.
    pub(crate) fn parse_or_say(text: &str) -> Result<Self, Violation> {
        if text.trim().is_empty() {
            return Err(violation("phone", "REQUIRED", "Enter your mobile number."));
        }
        let malformed = || violation("phone", "MALFORMED", "Enter an Indian mobile number of ten digits.");
        Self::parse(text).ok_or_else(malformed)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name that one signs in with, in the form that is stored: its kind, then its normal form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Login(String);

impl Login {
    /// What a trader types at the door, normalised like at registration.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.contains('@') {
            return Email::parse(text).ok().as_ref().map(Self::from);
        }
        Phone::parse(text).as_ref().map(Self::from)
    }

    /// The address of an account, as it is kept.
    pub(crate) fn of_email(kept: &str) -> Self {
        Self(format!("email:{}", kept.to_lowercase()))
    }

    /// All that an account signs in with, from what is kept of it.
    pub(crate) fn all(email: &str, phone: Option<&str>) -> impl Iterator<Item = String> + use<> {
        let phone = phone.and_then(Phone::parse).as_ref().map(Self::from);
        [Some(Self::of_email(email)), phone].into_iter().flatten().map(|login| login.0)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&Email> for Login {
    fn from(email: &Email) -> Self {
        Self::of_email(&email.typed)
    }
}

impl From<&Phone> for Login {
    fn from(phone: &Phone) -> Self {
        Self(format!("phone:{}", phone.0))
    }
}

/// An account as it is kept, without its password.
pub(crate) struct Account {
    pub(crate) account_id: Uuid,
    pub(crate) client_id: String,
    pub(crate) name: String,
    pub(crate) email: String,
    /// None for an account that Google made, until its owner sets one.
    pub(crate) phone: Option<String>,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) email_confirmed: bool,
    pub(crate) has_password: bool,
    pub(crate) has_google: bool,
}

/// Draws a client id: `TB-` and six characters that nobody confuses (Crockford's base 32).
pub(crate) fn draw_client_id() -> Result<String, Error> {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut random = [0; 6];
    getrandom::fill(&mut random).map_err(Error::Random)?;
    let drawn = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32)).map(|c| char::from(*c)));
    Ok(["TB-".to_owned(), drawn.collect()].concat())
}

pub(crate) fn violation(field: &'static str, reason: &'static str, message: &str) -> Violation {
    Violation { field: field.into(), reason, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_name_is_trimmed_and_stays_on_one_line() {
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
            // What joins letters is a letter's part in many scripts.
            ("क्\u{200d}ष", Ok("क्\u{200d}ष")),
        ] {
            let got = Name::parse(text);
            assert_eq!(got.as_ref().map(Name::as_str).map_err(|v| v.reason), want, "{text:?}");
        }
    }

    #[test]
    fn an_email_is_kept_as_typed_and_compared_in_lower_case() {
        let email = Email::parse("  Asha.Rao@Example.IN ").unwrap();
        assert_eq!((email.typed(), email.normal.as_str()), ("Asha.Rao@Example.IN", "asha.rao@example.in"));
    }

    #[test]
    fn what_is_no_email_is_refused() {
        let longest = format!("{}@example.in", "x".repeat(243));
        assert!(Email::parse(&longest).is_ok());
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
            (&format!("x{longest}"), "TOO_LONG"),
        ] {
            assert_eq!(Email::parse(text).unwrap_err().reason, reason, "{text:?}");
        }
    }

    #[test]
    fn a_phone_number_is_understood_however_it_is_written() {
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
    fn what_is_no_indian_mobile_number_is_refused() {
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
    fn a_login_says_which_kind_it_is() {
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
    fn a_form_names_every_field_at_fault_at_once() {
        let form = Form {
            name: " ".to_owned(),
            email: "asha".to_owned(),
            phone: "1".to_owned(),
            password: Secret::new("short".to_owned()),
            confirm_password: Secret::new("other".to_owned()),
            notice_version: "v\u{0}".to_owned(),
        };
        let Err(Error::Invalid(violations)) = form.check("TradeBahi") else { panic!("taken") };
        let found: Vec<_> = violations.iter().map(|violation| (&*violation.field, violation.reason)).collect();
        assert_eq!(
            found,
            [
                ("name", "REQUIRED"),
                ("email", "MALFORMED"),
                ("phone", "MALFORMED"),
                ("password", "TOO_SHORT"),
                ("confirmPassword", "MISMATCH"),
                ("noticeVersion", "MALFORMED"),
            ]
        );
    }

    #[test]
    fn the_version_of_a_notice_is_short() {
        assert_eq!(notice_version(String::new()), Ok(None));
        assert_eq!(notice_version("x".repeat(40)), Ok(Some("x".repeat(40))));
        assert!(notice_version("x".repeat(41)).is_err());
    }

    #[test]
    fn a_client_id_is_short_and_readable() {
        let drawn = draw_client_id().unwrap();
        assert_eq!(drawn.len(), 9);
        assert!(drawn.starts_with("TB-"));
        assert!(
            drawn[3..].bytes().all(|b| b.is_ascii_alphanumeric() && !b"ILOU".contains(&b) && !b.is_ascii_lowercase())
        );
        let used: HashSet<_> = (0..200).flat_map(|_| draw_client_id().unwrap().into_bytes().split_off(3)).collect();
        assert_eq!(used.len(), 32);
    }
}
