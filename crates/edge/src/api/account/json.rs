//! JSON of the account and its sessions.

use rpc::auth::v1::{GetAccountResponse, Session};
use serde::Serialize;

use crate::device_name::device_name;
use crate::json::JsonError;
use crate::timestamps::format_required_timestamp;

/// Account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountJson {
    name: String,
    email: String,
    email_confirmed: bool,
    phone_number: String,
    phone_verified: bool,
    can_verify_phone: bool,
    client_id: String,
    has_password: bool,
    has_google: bool,
    created_at: String,
}

impl TryFrom<GetAccountResponse> for AccountJson {
    type Error = JsonError;

    fn try_from(account: GetAccountResponse) -> Result<Self, Self::Error> {
        Ok(Self {
            created_at: format_required_timestamp(account.created_at.as_ref())?,
            name: account.name,
            email: account.email,
            email_confirmed: account.email_confirmed,
            phone_number: account.phone,
            phone_verified: account.phone_verified,
            can_verify_phone: account.can_verify_phone,
            client_id: account.client_id,
            has_password: account.has_password,
            has_google: account.has_google,
        })
    }
}

/// Session of the account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionJson {
    id: String,
    device: String,
    address: String,
    created_at: String,
    last_seen_at: String,
    current: bool,
}

impl TryFrom<Session> for SessionJson {
    type Error = JsonError;

    fn try_from(session: Session) -> Result<Self, Self::Error> {
        Ok(Self {
            created_at: format_required_timestamp(session.created_at.as_ref())?,
            last_seen_at: format_required_timestamp(session.last_seen_at.as_ref())?,
            id: session.session_id,
            device: device_name(&session.user_agent),
            address: session.address,
            current: session.current,
        })
    }
}
