//! Rules for new passwords. [`crate::password_hasher`] verifies existing ones.

use std::collections::HashSet;
use std::sync::LazyLock;

use rpc::failure::Violation;

use crate::account::Phone;
use crate::secret::Secret;

/// Minimum length in characters.
const MIN_CHARS: usize = 8;
/// Maximum length in characters.
const MAX_CHARS: usize = 128;

/// Passwords of the 10,000 most common ones that have the minimum length, in lower case.
///
/// From the list in Django 5.2 (django/contrib/auth/common-passwords.txt.gz), which Royce Williams compiled from known
/// breaches, the most common first:
/// <https://gist.github.com/roycewilliams/226886fd01572964e1431ac8afc999ce>.
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("common-passwords.txt").lines().collect());

/// New password that follows the rules, exactly as sent.
pub(crate) struct Password(Secret);

/// Texts that are not allowed as the password of an account, because attackers try them first.
pub(crate) struct ForbiddenPasswords<'a> {
    pub(crate) product_name: &'a str,
    pub(crate) name: &'a str,
    /// In lower case.
    pub(crate) email: Option<&'a str>,
    pub(crate) phone: Option<&'a Phone>,
}

impl Password {
    pub(crate) fn parse(secret: Secret, forbidden: &ForbiddenPasswords<'_>) -> Result<Self, Violation> {
        let text = secret.expose();
        if text.is_empty() {
            return Err(Violation::new("password", "REQUIRED"));
        }
        if is_too_long(&secret) {
            return Err(Violation::new("password", "TOO_LONG").with("max_chars", MAX_CHARS));
        }
        if text.chars().count() < MIN_CHARS {
            return Err(Violation::new("password", "TOO_SHORT").with("min_chars", MIN_CHARS));
        }
        if forbidden.contains(text) {
            return Err(Violation::new("password", "TOO_PERSONAL"));
        }
        if COMMON.contains(text.to_lowercase().as_str()) {
            return Err(Violation::new("password", "TOO_COMMON"));
        }
        Ok(Self(secret))
    }

    pub(crate) fn into_secret(self) -> Secret {
        self.0
    }
}

impl ForbiddenPasswords<'_> {
    fn contains(&self, password: &str) -> bool {
        let local_part = self.email.and_then(|email| email.split_once('@')).map(|(local, _)| local);
        let normalized = normalize(password);
        [Some(self.product_name), Some(self.name), self.email, local_part]
            .into_iter()
            .flatten()
            .any(|detail| normalize(detail) == normalized)
            || self.phone.is_some_and(|phone| Phone::parse(password).as_ref() == Some(phone))
    }
}

/// Removes whitespace and case, which do not make a password harder to guess.
fn normalize(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Returns true if no account has a password of this length, so that it need not be hashed.
pub(crate) fn is_too_long(password: &Secret) -> bool {
    password.expose().chars().nth(MAX_CHARS).is_some()
}

/// Checks that both passwords are the same.
pub(crate) fn check_confirmation(password: &Secret, confirmation: &Secret) -> Result<(), Violation> {
    if password.expose() == confirmation.expose() {
        return Ok(());
    }
    Err(Violation::new("confirm_password", "MISMATCH"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, &'static str> {
        let phone = Phone::parse("9820041537").unwrap();
        let forbidden = ForbiddenPasswords {
            product_name: "TradeBahi",
            name: "Asha Rao Iyer",
            email: Some("asha.rao.iyer@example.in"),
            phone: Some(&phone),
        };
        Password::parse(Secret::new(text.to_owned()), &forbidden)
            .map(|password| password.into_secret().expose().to_owned())
            .map_err(|violation| violation.reason)
    }

    #[test]
    fn accepts_passwords_exactly_as_sent() {
        let longest = "ज".repeat(128);
        for text in ["  Monsoon 88  ", "ज़रा सा पानी", "12345678x!", longest.as_str()] {
            assert_eq!(parse(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn rejects_passwords_that_are_easy_to_guess() {
        for (text, reason) in [
            ("", "REQUIRED"),
            ("sevench", "TOO_SHORT"),
            ("जजजजजजज", "TOO_SHORT"),
            (&"x".repeat(129), "TOO_LONG"),
            (&"x".repeat(2000), "TOO_LONG"),
            ("password1", "TOO_COMMON"),
            ("Password1", "TOO_COMMON"),
            ("qwertyuiop", "TOO_COMMON"),
            ("tradebahi", "TOO_PERSONAL"),
            ("Trade Bahi", "TOO_PERSONAL"),
            ("asharaoiyer", "TOO_PERSONAL"),
            ("Asha Rao Iyer", "TOO_PERSONAL"),
            ("Asha.Rao.Iyer@example.in", "TOO_PERSONAL"),
            ("asha.rao.iyer", "TOO_PERSONAL"),
            ("9820041537", "TOO_PERSONAL"),
            ("+91 98200 41537", "TOO_PERSONAL"),
        ] {
            assert_eq!(parse(text), Err(reason), "{text:?}");
        }
    }

    #[test]
    fn common_passwords_have_the_minimum_length_and_are_in_lower_case() {
        assert!(COMMON.len() > 3000);
        assert!(COMMON.iter().all(|common| common.chars().count() >= MIN_CHARS && *common == common.to_lowercase()));
    }
}
