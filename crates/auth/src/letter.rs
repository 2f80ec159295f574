//! Letters: what each is about and what it says.
//!
//! None greets by name: whoever registers chooses a name, and a stranger's address, freely.

use mail::Email;
use time::macros::{format_description, offset};
use time::{Duration, OffsetDateTime};

use crate::error::Error;
use crate::secret::Secret;

/// How long the link that confirms an address is good.
const CONFIRM_WITHIN: Duration = Duration::days(7);
/// How long the link that sets a new password is good.
const RESET_WITHIN: Duration = Duration::minutes(30);

/// What a letter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ConfirmEmail,
    ResetPassword,
    PasswordChanged,
    AccountClosed,
}

impl Kind {
    const ALL: [Self; 4] = [Self::ConfirmEmail, Self::ResetPassword, Self::PasswordChanged, Self::AccountClosed];

    /// Its stable name; that of its ticket too.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ConfirmEmail => "confirm-email",
            Self::ResetPassword => "reset-password",
            Self::PasswordChanged => "password-changed",
            Self::AccountClosed => "account-closed",
        }
    }

    /// The kind with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// How long the link in it is good; none where it has no link.
    pub(crate) fn link_good_for(self) -> Option<Duration> {
        match self {
            Self::ConfirmEmail => Some(CONFIRM_WITHIN),
            Self::ResetPassword => Some(RESET_WITHIN),
            Self::PasswordChanged | Self::AccountClosed => None,
        }
    }
}

/// What letters say, with the site that they lead to.
pub(crate) struct Words<'a> {
    /// The address of the site, without a slash at its end.
    pub(crate) site: &'a str,
}

impl Words<'_> {
    pub(crate) fn confirm_email(&self, to: String, ticket: &Secret) -> Email {
        let text = format!(
            "Somebody made a TradeBahi account with this e-mail address. If it was you, confirm that the address is \
             yours:\n\n\
             {}/confirm-email?token={}\n\n\
             The link works for 7 days.\n\n\
             If it was not you, do nothing: without your confirmation nobody can show that the address is theirs.\n",
            self.site,
            ticket.expose(),
        );
        letter(to, "Confirm your e-mail address", &text)
    }

    pub(crate) fn reset_password(&self, to: String, ticket: &Secret) -> Email {
        let text = format!(
            "Somebody asked for a new password for your TradeBahi account. If it was you, set one here:\n\n\
             {}/reset-password?token={}\n\n\
             The link works once, and for 30 minutes. Do not pass it on; we never ask for it.\n\n\
             If it was not you, do nothing: your password stays as it is.\n",
            self.site,
            ticket.expose(),
        );
        letter(to, "Set a new password", &text)
    }

    pub(crate) fn password_changed(&self, to: String) -> Email {
        let text = format!(
            "The password of your TradeBahi account was changed, and other devices were signed out.\n\n\
             If it was you, all is well.\n\n\
             If it was not you, set a new password at once. This signs everybody else out:\n\n\
             {}/forgot-password\n",
            self.site,
        );
        letter(to, "Your password was changed", &text)
    }

    pub(crate) fn account_closed(&self, to: String, erased_on: OffsetDateTime) -> Result<Email, Error> {
        let day = erased_on
            .to_offset(offset!(+5:30))
            .format(format_description!("[day padding:none] [month repr:long] [year]"))
            .map_err(Error::Date)?;
        let text = format!(
            "Your TradeBahi account is closed, and every device is signed out. On {day} we erase everything in it for \
             good.\n\n\
             Changed your mind? Log in before that day and choose to take the account back:\n\n\
             {site}/login\n\n\
             If it was not you who closed it, take it back and set a new password:\n\n\
             {site}/forgot-password\n",
            site = self.site,
        );
        Ok(letter(to, "Your account is closed", &text))
    }
}

fn letter(to: String, subject: &str, text: &str) -> Email {
    let text = format!("Namaste,\n\n{text}\nTradeBahi\n");
    Email { to, subject: format!("{subject} - TradeBahi"), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_told_as_in_india() {
        let late_in_london = time::macros::datetime!(2026-12-19 20:00 UTC);
        let letter = Words { site: "http://x" }.account_closed("a@example.in".to_owned(), late_in_london).unwrap();
        assert!(letter.text.contains("On 20 December 2026 we erase"), "{}", letter.text);
    }

    #[test]
    fn a_letter_with_a_link_goes_as_it_was_written() {
        let ticket = Secret::draw().unwrap();
        let words = Words { site: "https://tradebahi.example" };
        for letter in [
            words.confirm_email("a@example.in".to_owned(), &ticket),
            words.reset_password("a@example.in".to_owned(), &ticket),
        ] {
            // Longer lines and other characters would be encoded, and a link with them.
            assert!(letter.text.is_ascii() && letter.text.lines().all(|line| line.len() < 900));
            assert!(letter.text.lines().any(|line| line.ends_with(&format!("?token={}", ticket.expose()))));
        }
    }
}
