//! Conversion of second factors.

use rpc::auth::v1::second_factor_proof::Proof as WireProof;
use rpc::auth::v1::{self as wire};
use rpc::failure::Violation;

use super::responses::timestamp;
use crate::error::Error;
use crate::second_factor::{Methods, Overview, PasskeySummary, Proof, TrustedDevice};
use crate::secret::Secret;
use crate::service::Challenge;

pub(super) fn parse_proof(proof: Option<wire::SecondFactorProof>) -> Option<Proof> {
    Some(match proof?.proof? {
        WireProof::Code(code) => Proof::Totp(Secret::new(code)),
        WireProof::RecoveryCode(code) => Proof::RecoveryCode(Secret::new(code)),
        WireProof::Passkey(response) => Proof::Passkey(response),
    })
}

pub(super) fn missing_proof() -> Error {
    Error::Invalid(vec![Violation::new("code", "REQUIRED")])
}

pub(super) fn encode_challenge(challenge: &Challenge) -> wire::SecondFactorChallenge {
    let Methods { totp, passkey, recovery_code } = challenge.methods;
    wire::SecondFactorChallenge { token: challenge.token.expose().to_owned(), totp, passkey, recovery_code }
}

pub(super) fn encode_codes(codes: &[Secret]) -> Vec<String> {
    codes.iter().map(|code| code.expose().to_owned()).collect()
}

pub(super) fn encode_overview(overview: Overview) -> wire::GetSecondFactorsResponse {
    wire::GetSecondFactorsResponse {
        totp_added_at: overview.totp_added_at.map(timestamp),
        passkeys: overview.passkeys.into_iter().map(encode_passkey).collect(),
        recovery_codes_left: i32::try_from(overview.recovery_codes_left).unwrap_or(i32::MAX),
        trusted_devices: overview.trusted_devices.into_iter().map(encode_trusted_device).collect(),
    }
}

fn encode_passkey(passkey: PasskeySummary) -> wire::Passkey {
    wire::Passkey {
        passkey_id: passkey.passkey_id.to_string(),
        name: passkey.name,
        created_at: Some(timestamp(passkey.created_at)),
        last_used_at: passkey.last_used_at.map(timestamp),
    }
}

fn encode_trusted_device(device: TrustedDevice) -> wire::TrustedDevice {
    wire::TrustedDevice {
        trusted_device_id: device.trusted_device_id.to_string(),
        user_agent: device.user_agent,
        created_at: Some(timestamp(device.created_at)),
        last_used_at: Some(timestamp(device.last_used_at)),
        expires_at: Some(timestamp(device.expires_at)),
    }
}
