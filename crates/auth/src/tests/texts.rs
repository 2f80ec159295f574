//! Texts for the reasons and violations of auth.

use std::collections::BTreeSet;

use rpc::failure::{Failure, Violation};
use time::OffsetDateTime;

use crate::account::{EmailAddress, Name, Phone, RegistrationForm};
use crate::error::{Error, InternalError};
use crate::password::{ForbiddenPasswords, Password};
use crate::secret::Secret;

/// Returns one error of each variant.
fn all_errors() -> Vec<Error> {
    let errors = vec![
        Error::Invalid(Vec::new()),
        Error::EmailTaken,
        Error::PhoneTaken,
        Error::InvalidCredentials,
        Error::LoginThrottled(super::Duration::from_secs(1)),
        Error::AccountClosed { deletion_date: OffsetDateTime::UNIX_EPOCH },
        Error::ConcurrentChange,
        Error::SessionEnded,
        Error::AccountNotFound,
        Error::PasswordNotSet,
        Error::SessionNotFound,
        Error::TaxLinkNotFound,
        Error::TaxLinkExpired,
        Error::TooManyTaxLinks,
        Error::LinkExpired,
        Error::ChallengeExpired,
        Error::ReauthenticationRequired,
        Error::SetupExpired,
        Error::TotpExists,
        Error::SecondFactorNotFound,
        Error::NoSecondFactor,
        Error::TrustedDeviceNotFound,
        Error::PasskeysUnavailable,
        Error::SmsNotConfigured,
        Error::SmsLimitReached(super::Duration::from_mins(1)),
        Error::PhoneCodeExpired,
        Error::TooManyPhoneCodes,
        Error::GoogleNotConfigured,
        Error::GoogleRejected("x".into()),
        Error::GoogleUnreachable("x".into()),
        Error::EmailUnverified,
        Error::EmailNotConfirmed,
        Error::HasherBusy,
        Error::DatabaseBusy(sqlx::Error::PoolTimedOut),
        Error::DatabaseFull(sqlx::Error::PoolTimedOut),
        Error::Internal(InternalError::NoFreeClientId),
    ];
    for error in &errors {
        // A new variant does not compile here; add it to the list, too.
        match error {
            Error::Invalid(_)
            | Error::EmailTaken
            | Error::PhoneTaken
            | Error::InvalidCredentials
            | Error::LoginThrottled(_)
            | Error::AccountClosed { .. }
            | Error::ConcurrentChange
            | Error::SessionEnded
            | Error::AccountNotFound
            | Error::PasswordNotSet
            | Error::SessionNotFound
            | Error::TaxLinkNotFound
            | Error::TaxLinkExpired
            | Error::TooManyTaxLinks
            | Error::LinkExpired
            | Error::ChallengeExpired
            | Error::ReauthenticationRequired
            | Error::SetupExpired
            | Error::TotpExists
            | Error::SecondFactorNotFound
            | Error::NoSecondFactor
            | Error::TrustedDeviceNotFound
            | Error::PasskeysUnavailable
            | Error::SmsNotConfigured
            | Error::SmsLimitReached(_)
            | Error::PhoneCodeExpired
            | Error::TooManyPhoneCodes
            | Error::GoogleNotConfigured
            | Error::GoogleRejected(_)
            | Error::GoogleUnreachable(_)
            | Error::EmailUnverified
            | Error::EmailNotConfirmed
            | Error::HasherBusy
            | Error::DatabaseBusy(_)
            | Error::DatabaseFull(_)
            | Error::Internal(_) => {}
        }
    }
    errors
}

/// Returns the text of a violation, as the edge looks it up.
fn field_text(violation: &Violation) -> String {
    let Violation { field, reason, params, .. } = violation;
    let params = params.iter().map(|(name, value)| (format!("{field}:{name}"), value.clone())).collect();
    texts::field_error("auth", field, reason, &params).unwrap_or_else(|| panic!("no text for {field} {reason}"))
}

#[test]
fn every_reason_has_a_text() {
    for error in all_errors() {
        let params = error.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let text = texts::error(error.service(), error.reason(), &params);
        assert!(text.as_ref().is_some_and(|text| !text.contains('…')), "{error:?}: {text:?}");
        for violation in error.violations() {
            assert_eq!(Some(field_text(&violation)), text, "{error:?}");
        }
    }
}

#[test]
fn errors_with_the_same_reason_have_texts_of_their_own() {
    let text = |error: Error| {
        let params = error.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        texts::error("auth", error.reason(), &params).unwrap()
    };
    assert_eq!(text(Error::ConcurrentChange), "Your account was changed at the same time. Try again.");
    assert_eq!(text(Error::HasherBusy), "Too many people are logging in right now. Try again in a moment.");
    for (seconds, want) in [
        (1, "Too many failed attempts. Try again in 1 second."),
        (900, "Too many failed attempts. Try again in 900 seconds."),
    ] {
        assert_eq!(text(Error::LoginThrottled(super::Duration::from_secs(seconds))), want);
    }
}

/// Returns the violations of invalid values of all fields.
fn all_violations() -> Vec<Violation> {
    let long = "x".repeat(300);
    let form = RegistrationForm {
        name: "Asha".to_owned(),
        email: "asha@example.in".to_owned(),
        phone: "9820041537".to_owned(),
        password: Secret::new(super::PASSWORD.to_owned()),
        confirm_password: Secret::new("other".to_owned()),
        notice_version: long.clone(),
    };
    let Err(Error::Invalid(mut violations)) = form.validate("TradeBahi").map(drop) else { panic!("accepted") };
    violations.extend(["", &long, "a\u{0}b"].map(|name| Name::parse(name).unwrap_err()));
    violations.extend(["", &long, "asha"].map(|email| EmailAddress::parse(email).unwrap_err()));
    violations.extend(["", "12"].map(|phone| Phone::validate(phone).unwrap_err()));
    let forbidden = ForbiddenPasswords { product_name: "TradeBahi", name: "Asha", email: None, phone: None };
    let parse_password = |password: &str| Password::parse(Secret::new(password.to_owned()), &forbidden).map(drop);
    violations.extend(["", "short", &long, "password1", "tradebahi"].map(|text| parse_password(text).unwrap_err()));
    violations.push(Violation::new("current_password", "WRONG"));
    violations.push(Violation::new("update_mask", "UNKNOWN_FIELD"));
    violations.extend(["code", "recovery_code", "passkey"].map(|field| Violation::new(field, "WRONG")));
    violations.push(Violation::new("code", "REQUIRED"));
    violations.extend(["MISSING_SMS_CODE", "MALFORMED", "MISMATCH"].map(|reason| Violation::new("code", reason)));
    violations.extend(["REQUIRED", "INVALID"].map(|reason| Violation::new("passkey_name", reason)));
    violations
}

#[test]
fn every_violation_has_a_text_with_its_values() {
    let violations = all_violations();
    let codes: BTreeSet<_> = violations.iter().map(|violation| (&*violation.field, violation.reason)).collect();
    assert_eq!(codes.len(), 26, "{codes:?}");
    for violation in &violations {
        let text = field_text(violation);
        assert!(!text.contains('…'), "{violation:?}: {text}");
    }
}
