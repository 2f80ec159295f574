//! Authenticator apps: time-based one-time passwords (TOTP, RFC 6238).
//!
//! Codes have six digits, change every 30 seconds and use SHA-1, because apps ignore other parameters.

use time::OffsetDateTime;
use totp_rs::{Builder, Totp};
use zeroize::Zeroizing;

use crate::error::{Error, InternalError};

/// Length of a secret in bytes: that of the hash, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

/// Secret shared with an authenticator app.
pub(crate) struct TotpSecret(Zeroizing<Vec<u8>>);

impl TotpSecret {
    pub(crate) fn generate() -> Result<Self, Error> {
        let mut bytes = Zeroizing::new(vec![0; SECRET_BYTES]);
        getrandom::fill(&mut bytes).map_err(InternalError::Random)?;
        Ok(Self(bytes))
    }

    pub(crate) fn from_bytes(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret as base32, for people who cannot scan the QR code.
    pub(crate) fn to_base32(&self) -> String {
        totp_rs::Secret::from(self.0.to_vec()).to_base32()
    }

    /// Returns the URL that authenticator apps read from a QR code.
    pub(crate) fn to_url(&self, issuer: &str, account_name: &str) -> Result<String, Error> {
        // A colon separates issuer and account name.
        let account_name = account_name.replace(':', " ");
        let totp = self.builder().with_issuer(Some(issuer)).with_account_name(account_name).build();
        Ok(totp.and_then(|totp| totp.to_url()).map_err(InternalError::Totp)?)
    }

    /// Returns the time step of a right code: the current one, or the one before or after it, for clocks that differ.
    /// Spaces are ignored.
    pub(crate) fn find_step(&self, code: &str, now: OffsetDateTime) -> Result<Option<i64>, Error> {
        let code: Zeroizing<String> = Zeroizing::new(code.chars().filter(|c| !c.is_whitespace()).collect());
        let now = u64::try_from(now.unix_timestamp()).unwrap_or_default();
        Ok(self.totp()?.check(&code, now).and_then(|step| i64::try_from(step).ok()))
    }

    fn totp(&self) -> Result<Totp, Error> {
        Ok(self.builder().build().map_err(InternalError::Totp)?)
    }

    fn builder(&self) -> Builder {
        Builder::new().with_secret(self.0.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    /// Secret of the test vectors in appendix B of RFC 6238.
    fn rfc_secret() -> TotpSecret {
        TotpSecret::from_bytes(Zeroizing::new(b"12345678901234567890".to_vec()))
    }

    #[test]
    fn s13_accepts_the_codes_of_rfc_6238() {
        // The last six of eight digits.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(rfc_secret().find_step(code, at(seconds)).unwrap(), Some(seconds / 30), "{seconds}");
        }
    }

    #[test]
    fn s13_accepts_a_code_one_step_early_or_late_with_spaces() {
        for (seconds, is_accepted) in [(29, true), (59, true), (89, true), (90, false), (1_000, false)] {
            let step = rfc_secret().find_step(" 287 082 ", at(seconds)).unwrap();
            assert_eq!(step, is_accepted.then_some(1), "{seconds}");
        }
    }

    #[test]
    fn s13_rejects_what_is_no_code() {
        for code in ["", "28708", "2870820", "28708a", "二八七〇八二", "287082\0", "+287082"] {
            assert_eq!(rfc_secret().find_step(code, at(59)).unwrap(), None, "{code}");
        }
    }

    #[test]
    fn s13_the_url_names_product_and_account() {
        assert_eq!(
            rfc_secret().to_url("TradeBahi", "asha@example.in").unwrap(),
            "otpauth://totp/TradeBahi:asha%40example.in?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=TradeBahi"
        );
    }
}
