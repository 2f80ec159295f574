//! Second factors: authenticator apps, passkeys and recovery codes.

pub(crate) mod passkey;
pub(crate) mod recovery_code;
pub(crate) mod totp;

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::secret::Secret;

/// Time to prove the second factor after the password; one purpose, single use.
pub(crate) const CHALLENGE_TTL: Duration = Duration::minutes(5);
/// Maximum number of attempts per challenge.
pub(crate) const MAX_CHALLENGE_ATTEMPTS: i32 = 5;
/// Time for which a trusted device needs no second factor.
pub(crate) const TRUSTED_DEVICE_TTL: Duration = Duration::days(30);
/// Maximum number of trusted devices per account; beyond it, the ones used least recently are removed.
pub(crate) const MAX_TRUSTED_DEVICES: i64 = 20;
/// Age of the last authentication up to which a session may perform sensitive actions.
pub(crate) const REAUTHENTICATION_TTL: Duration = Duration::minutes(10);

/// Second factors that an account has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Methods {
    pub(crate) totp: bool,
    pub(crate) passkey: bool,
    pub(crate) recovery_code: bool,
}

impl Methods {
    /// Returns true if logins need a second factor. Recovery codes alone are none.
    pub(crate) fn is_required(self) -> bool {
        self.totp || self.passkey
    }
}

/// Proof of a second factor.
pub(crate) enum Proof {
    /// Code from an authenticator app.
    Totp(Secret),
    RecoveryCode(Secret),
    /// Assertion of a passkey as JSON.
    Passkey(String),
}

/// Second factors and trusted devices of an account, for its owner.
pub(crate) struct Overview {
    /// Time at which the authenticator app was set up.
    pub(crate) totp_added_at: Option<OffsetDateTime>,
    pub(crate) passkeys: Vec<PasskeySummary>,
    pub(crate) recovery_codes_left: i64,
    pub(crate) trusted_devices: Vec<TrustedDevice>,
}

pub(crate) struct PasskeySummary {
    pub(crate) passkey_id: Uuid,
    pub(crate) name: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) last_used_at: Option<OffsetDateTime>,
}

pub(crate) struct TrustedDevice {
    pub(crate) trusted_device_id: Uuid,
    pub(crate) user_agent: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) last_used_at: OffsetDateTime,
    pub(crate) expires_at: OffsetDateTime,
}
