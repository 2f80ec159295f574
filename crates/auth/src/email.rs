//! Kinds and texts of emails.
//!
//! No email contains the account's name: anyone can register a stranger's address with a name of their choice.

use mail::Email;
use time::macros::{format_description, offset};
use time::{Duration, OffsetDateTime};

use crate::error::{Error, InternalError};
use crate::secret::Secret;

/// Lifetime of the link that confirms an email address.
const CONFIRMATION_TTL: Duration = Duration::days(7);
/// Lifetime of the link that sets a new password.
const PASSWORD_RESET_TTL: Duration = Duration::minutes(30);

/// Kind of an email.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmailKind {
    ConfirmEmail,
    ResetPassword,
    PasswordChanged,
    PhoneChanged,
    /// Text message with a code, in the same outbox.
    VerifyPhone,
    AccountClosed,
    SecondFactorAdded,
    SecondFactorRemoved,
    RecoveryCodeUsed,
    TaxLinkCreated,
}

impl EmailKind {
    const ALL: [Self; 10] = [
        Self::ConfirmEmail,
        Self::ResetPassword,
        Self::PasswordChanged,
        Self::PhoneChanged,
        Self::VerifyPhone,
        Self::AccountClosed,
        Self::SecondFactorAdded,
        Self::SecondFactorRemoved,
        Self::RecoveryCodeUsed,
        Self::TaxLinkCreated,
    ];

    /// Returns the stable name, which is also the purpose of the ticket in the email.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ConfirmEmail => "confirm-email",
            Self::ResetPassword => "reset-password",
            Self::PasswordChanged => "password-changed",
            Self::PhoneChanged => "phone-changed",
            Self::VerifyPhone => "verify-phone",
            Self::AccountClosed => "account-closed",
            Self::SecondFactorAdded => "second-factor-added",
            Self::SecondFactorRemoved => "second-factor-removed",
            Self::RecoveryCodeUsed => "recovery-code-used",
            Self::TaxLinkCreated => "tax-link-created",
        }
    }

    /// Returns the kind with this stable name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the lifetime of the ticket, or `None` if the email contains no ticket.
    pub(crate) fn ticket_ttl(self) -> Option<Duration> {
        match self {
            Self::ConfirmEmail => Some(CONFIRMATION_TTL),
            Self::ResetPassword => Some(PASSWORD_RESET_TTL),
            Self::PasswordChanged
            | Self::PhoneChanged
            | Self::VerifyPhone
            | Self::AccountClosed
            | Self::SecondFactorAdded
            | Self::SecondFactorRemoved
            | Self::RecoveryCodeUsed
            | Self::TaxLinkCreated => None,
        }
    }
}

/// Composes emails.
pub(crate) struct EmailComposer<'a> {
    /// Base URL of the site without a trailing slash.
    pub(crate) site_url: &'a str,
}

impl EmailComposer<'_> {
    pub(crate) fn confirm_email(&self, to: String, ticket: &Secret) -> Email {
        let text = format!(
            "A TradeBahi account was created with this email address. If you created it, confirm your address:\n\n\
             {}/confirm-email?token={}\n\n\
             The link works for 7 days.\n\n\
             If you did not create it, ignore this email. The address stays unconfirmed.\n",
            self.site_url,
            ticket.expose(),
        );
        compose(to, "Confirm your email address", &text)
    }

    pub(crate) fn reset_password(&self, to: String, ticket: &Secret) -> Email {
        let text = format!(
            "A new password was requested for your TradeBahi account. If you requested it, set one here:\n\n\
             {}/reset-password?token={}\n\n\
             The link works once, for 30 minutes. Do not share it. We never ask for it.\n\n\
             If you did not request it, ignore this email. Your password stays the same.\n",
            self.site_url,
            ticket.expose(),
        );
        compose(to, "Set a new password", &text)
    }

    pub(crate) fn password_changed(&self, to: String) -> Email {
        let text = format!(
            "The password of your TradeBahi account was changed, and your other devices were logged out.\n\n\
             If you changed it, you do not need to do anything.\n\n\
             If you did not, set a new password now. This logs out all other devices:\n\n\
             {}/forgot-password\n",
            self.site_url,
        );
        compose(to, "Your password was changed", &text)
    }

    pub(crate) fn phone_changed(&self, to: String) -> Email {
        let text = format!(
            "The phone number of your TradeBahi account was changed. Log in with this email address, or with \
             the new number once it is verified.\n\n\
             If you changed it, you do not need to do anything.\n\n\
             If you did not, set a new password now. This logs out all devices. Then correct the number in your \
             account:\n\n\
             {site_url}/forgot-password\n\
             {site_url}/account\n",
            site_url = self.site_url,
        );
        compose(to, "Your phone number was changed", &text)
    }

    pub(crate) fn second_factor_added(&self, to: String) -> Email {
        let text = "An authenticator app or a passkey was added to your TradeBahi account. New devices now need it to \
                    log in.";
        compose(to, "Two-step verification changed", &self.security_notice(text))
    }

    pub(crate) fn second_factor_removed(&self, to: String) -> Email {
        let text = "An authenticator app or a passkey was removed from your TradeBahi account. Without another one, \
                    the password alone is enough to log in.";
        compose(to, "Two-step verification changed", &self.security_notice(text))
    }

    pub(crate) fn recovery_code_used(&self, to: String) -> Email {
        let text = "A recovery code of your TradeBahi account was used in place of an authenticator app or a passkey. \
                    That code does not work again.";
        compose(to, "A recovery code was used", &self.security_notice(text))
    }

    pub(crate) fn tax_link_created(&self, to: String) -> Email {
        let text = format!(
            "A link to a tax pack of your TradeBahi account was created. Whoever has the link can see the trades and \
             results of that year until it expires.\n\n\
             If this was you, you do not need to do anything.\n\n\
             If it was not, end the link on the tax page, and set a new password. This logs out all devices:\n\n\
             {site_url}/analytics/tax\n\
             {site_url}/forgot-password\n",
            site_url = self.site_url,
        );
        compose(to, "A link to your tax pack was created", &text)
    }

    /// Appends what to do if somebody else did it.
    fn security_notice(&self, text: &str) -> String {
        format!(
            "{text}\n\nIf this was you, you do not need to do anything.\n\n\
             If it was not, set a new password now. This logs out all devices. Then check two-step verification in \
             your account:\n\n\
             {site_url}/forgot-password\n\
             {site_url}/account?tab=security\n",
            site_url = self.site_url,
        )
    }

    pub(crate) fn account_closed(&self, to: String, deletion_date: OffsetDateTime) -> Result<Email, Error> {
        let day = deletion_date
            .to_offset(offset!(+5:30))
            .format(format_description!("[day padding:none] [month repr:long] [year]"))
            .map_err(InternalError::FormatDate)?;
        let text = format!(
            "Your TradeBahi account is closed, and all devices are logged out. On {day} we will permanently delete \
             all its data.\n\n\
             To restore the account, log in before that date and choose to restore it:\n\n\
             {site_url}/login\n\n\
             If you did not close it, restore it and set a new password:\n\n\
             {site_url}/forgot-password\n",
            site_url = self.site_url,
        );
        Ok(compose(to, "Your account is closed", &text))
    }
}

fn compose(to: String, subject: &str, text: &str) -> Email {
    let text = format!("Namaste,\n\n{text}\nTradeBahi\n");
    Email { to, subject: format!("{subject} - TradeBahi"), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_dates_in_indian_time() {
        let evening_in_utc = time::macros::datetime!(2026-12-19 20:00 UTC);
        let composer = EmailComposer { site_url: "http://x" };
        let email = composer.account_closed("a@example.in".to_owned(), evening_in_utc).unwrap();
        assert!(email.text.contains("On 20 December 2026 we will"), "{}", email.text);
    }

    #[test]
    fn emails_with_a_link_need_no_encoding() {
        let ticket = Secret::generate().unwrap();
        let composer = EmailComposer { site_url: "https://tradebahi.example" };
        for email in [
            composer.confirm_email("a@example.in".to_owned(), &ticket),
            composer.reset_password("a@example.in".to_owned(), &ticket),
        ] {
            // Longer lines and other characters would be encoded, which breaks links in an email file.
            assert!(email.text.is_ascii() && email.text.lines().all(|line| line.len() < 900));
            assert!(email.text.lines().any(|line| line.ends_with(&format!("?token={}", ticket.expose()))));
        }
    }
}
