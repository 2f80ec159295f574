//! Conversion of domain types to responses.

use prost_types::Timestamp;
use rpc::auth::v1 as wire;
use rpc::caller::Trader;
use time::OffsetDateTime;

use super::second_factor;
use crate::account::Account;
use crate::service::google::GoogleOutcome;
use crate::service::{LogInOutcome, Tokens};
use crate::service_token::ActiveToken;
use crate::store::sessions::OpenSession;

pub(super) fn encode_account(account: Account, can_verify_phone: bool) -> wire::GetAccountResponse {
    wire::GetAccountResponse {
        account_id: account.account_id.to_string(),
        client_id: account.client_id,
        name: account.name,
        email: account.email,
        phone: account.phone.unwrap_or_default(),
        created_at: Some(timestamp(account.created_at)),
        email_confirmed: account.email_confirmed,
        has_password: account.has_password,
        has_google: account.has_google,
        phone_verified: account.phone_verified,
        can_verify_phone,
    }
}

pub(super) fn encode_session(session: OpenSession, caller: &Trader) -> wire::Session {
    wire::Session {
        session_id: session.session_id.to_string(),
        user_agent: session.user_agent,
        address: session.address,
        created_at: Some(timestamp(session.created_at)),
        last_seen_at: Some(timestamp(session.last_seen_at)),
        current: session.session_id == caller.session_id,
    }
}

impl From<Tokens> for wire::Tokens {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: tokens.access,
            refresh_token: tokens.refresh.expose().to_owned(),
            refresh_expires_at: Some(timestamp(tokens.refresh_expires_at)),
            device_token: tokens.device.map(|token| token.expose().to_owned()).unwrap_or_default(),
        }
    }
}

/// Returns the tokens or the challenge of a login.
pub(super) fn encode_outcome(outcome: LogInOutcome) -> (Option<wire::Tokens>, Option<wire::SecondFactorChallenge>) {
    match outcome {
        LogInOutcome::LoggedIn(tokens) => (Some(tokens.into()), None),
        LogInOutcome::SecondFactorRequired(challenge) => (None, Some(second_factor::encode_challenge(&challenge))),
    }
}

impl From<GoogleOutcome> for wire::finish_google_login_response::Outcome {
    fn from(outcome: GoogleOutcome) -> Self {
        match outcome {
            GoogleOutcome::LoginToken(signed) => {
                Self::LoginToken(wire::LoginToken { token: signed.token, id: signed.id.to_string() })
            }
            GoogleOutcome::LinkTicket(ticket) => {
                Self::LinkTicket(wire::LinkTicket { ticket: ticket.expose().to_owned() })
            }
            GoogleOutcome::RegistrationTicket(ticket) => Self::RegistrationTicket(wire::RegistrationTicket { ticket }),
        }
    }
}

pub(super) fn encode_service_token(token: ActiveToken) -> wire::ServiceToken {
    wire::ServiceToken { hash: token.hash, name: token.name, scopes: token.scopes }
}

pub(super) fn timestamp(at: OffsetDateTime) -> Timestamp {
    // `nanosecond` is below 10⁹, so the cast cannot overflow.
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}
