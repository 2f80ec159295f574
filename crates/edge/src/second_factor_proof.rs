//! Proofs of second factors in bodies, for logins and for the account.

use http_server::json_body::JsonBody;
use http_server::problem::{FieldError, Problem};
use rpc::auth::v1::SecondFactorProof;
use rpc::auth::v1::second_factor_proof::Proof;
use serde_json::value::RawValue;

/// Maximum length of a code of any kind.
const MAX_CODE_CHARS: usize = 64;
/// Maximum length of the response of a passkey.
pub(crate) const MAX_PASSKEY_CHARS: usize = 8 * 1024;

/// Takes the proof of a second factor from a body; `None` if there is none. Rejects several ones.
pub(crate) fn take_proof(body: &mut JsonBody) -> Result<Option<SecondFactorProof>, Problem> {
    let code = body.optional_text("code", MAX_CODE_CHARS).map(Proof::Code);
    let recovery_code = body.optional_text("recoveryCode", MAX_CODE_CHARS).map(Proof::RecoveryCode);
    let passkey = body.optional_text("passkey", MAX_PASSKEY_CHARS).map(Proof::Passkey);
    let mut proofs = [code, recovery_code, passkey].into_iter().flatten();
    match (proofs.next(), proofs.next()) {
        (proof, None) => Ok(proof.map(|proof| SecondFactorProof { proof: Some(proof) })),
        (_, Some(_)) => Err(missing_proof()),
    }
}

/// Rejects a request without exactly one proof.
pub(crate) fn missing_proof() -> Problem {
    Problem::from_field_errors(vec![FieldError::required("code")])
}

/// Converts the options of a passkey operation, JSON of the core.
pub(crate) fn parse_options(options: String) -> Result<Box<RawValue>, Problem> {
    RawValue::from_string(options).map_err(|_| {
        tracing::error!("response of auth with invalid passkey options");
        Problem::internal()
    })
}
