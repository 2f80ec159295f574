//! What a new password must keep. Whether a password is right, [`crate::hasher`] knows.

use std::collections::HashSet;
use std::sync::LazyLock;

use rpc::failure::Violation;

use crate::account::{Phone, violation};
use crate::secret::Secret;

const SHORTEST: usize = 8;
const LONGEST: usize = 128;

/// Those of the 10,000 most common passwords that are long enough to be tried here, in lower case.
///
/// From the list that Django 5.2 ships (django/contrib/auth/common-passwords.txt.gz), which Royce Williams drew from
/// the passwords of known breaches, the most common first:
/// <https://gist.github.com/roycewilliams/226886fd01572964e1431ac8afc999ce>.
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("common-passwords.txt").lines().collect());

/// A password that may be set, exactly as it was sent.
pub(crate) struct Password(Secret);

/// What is known of whom a password is to protect: the first that somebody else would try.
pub(crate) struct Own<'a> {
    pub(crate) product: &'a str,
    pub(crate) name: &'a str,
    /// In normal form.
    pub(crate) email: Option<&'a str>,
    pub(crate) phone: Option<&'a Phone>,
}

impl Password {
    pub(crate) fn parse(secret: Secret, own: &Own<'_>) -> Result<Self, Violation> {
        let text = secret.expose();
        if text.is_empty() {
            return Err(violation("password", "REQUIRED", "Choose a password."));
        }
        if text.chars().count() > LONGEST {
            return Err(violation("password", "TOO_LONG", "Keep the password to 128 characters."));
        }
        if text.chars().count() < SHORTEST {
            return Err(violation("password", "TOO_SHORT", "Use at least 8 characters for the password."));
        }
        if own.names(text) {
            return Err(violation(
                "password",
                "TOO_PERSONAL",
                "Do not use your own details or our name as the password.",
            ));
        }
        if COMMON.contains(text.to_lowercase().as_str()) {
            return Err(violation("password", "TOO_COMMON", "Many people use this password. Choose another one."));
        }
        Ok(Self(secret))
    }

    pub(crate) fn into_secret(self) -> Secret {
        self.0
    }
}

impl Own<'_> {
    fn names(&self, password: &str) -> bool {
        let local_part = self.email.and_then(|email| email.split_once('@')).map(|(local, _)| local);
        let password_folded = fold(password);
        [Some(self.product), Some(self.name), self.email, local_part]
            .into_iter()
            .flatten()
            .any(|detail| fold(detail) == password_folded)
            || self.phone.is_some_and(|phone| Phone::parse(password).as_ref() == Some(phone))
    }
}

/// Spaces and case make nothing harder to guess.
fn fold(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Whether the trader typed the same twice.
pub(crate) fn confirm(password: &Secret, again: &Secret) -> Result<(), Violation> {
    if password.expose() == again.expose() {
        return Ok(());
    }
    Err(violation("confirmPassword", "MISMATCH", "The two passwords are not the same."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, &'static str> {
        let phone = Phone::parse("9820041537").unwrap();
        let own = Own {
            product: "TradeBahi",
            name: "Asha Rao Iyer",
            email: Some("asha.rao.iyer@example.in"),
            phone: Some(&phone),
        };
        Password::parse(Secret::new(text.to_owned()), &own)
            .map(|password| password.into_secret().expose().to_owned())
            .map_err(|violation| violation.reason)
    }

    #[test]
    fn a_password_is_taken_exactly_as_sent() {
        let longest = "ज".repeat(128);
        for text in ["  Monsoon 88  ", "ज़रा सा पानी", "12345678x!", longest.as_str()] {
            assert_eq!(parse(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_password_that_is_easily_guessed_is_refused() {
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
    fn every_common_password_is_one_that_could_be_set() {
        assert!(COMMON.len() > 3000);
        assert!(COMMON.iter().all(|common| common.chars().count() >= SHORTEST && *common == common.to_lowercase()));
    }
}
