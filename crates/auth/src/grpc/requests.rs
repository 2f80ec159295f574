//! Conversion of requests to domain types.

use rpc::auth::v1 as wire;
use rpc::authorization::peer_address;
use rpc::failure::Violation;
use tonic::Request;

use crate::error::Error;
use crate::secret::Secret;
use crate::service::NewPassword;
use crate::session::Device;

/// Returns the new name and phone number: those that are set if the update mask is empty, otherwise those that it lists.
pub(super) fn select_updates(request: wire::UpdateAccountRequest) -> Result<(Option<String>, Option<String>), Error> {
    let wire::UpdateAccountRequest { name, phone, update_mask } = request;
    let paths = update_mask.unwrap_or_default().paths;
    if paths.is_empty() {
        return Ok((name, phone));
    }
    if !paths.iter().all(|path| matches!(path.as_str(), "name" | "phone" | "*")) {
        return Err(Error::Invalid(vec![Violation::new("update_mask", "UNKNOWN_FIELD")]));
    }
    let is_listed = |field: &str| paths.iter().any(|path| path == field || path == "*");
    // A listed field that is not set would be cleared; the validation rejects the empty value.
    let select = |field: &str, value: Option<String>| is_listed(field).then(|| value.unwrap_or_default());
    Ok((select("name", name), select("phone", phone)))
}

pub(super) fn new_password(password: String, confirm_password: String) -> NewPassword {
    NewPassword { password: Secret::new(password), confirm_password: Secret::new(confirm_password) }
}

/// Source of the address of a device.
pub(super) struct DeviceSource {
    /// Address of the caller; `None` if the caller is an edge, which states the address of its client.
    peer: Option<String>,
}

impl DeviceSource {
    pub(super) fn from_request<T>(request: &Request<T>) -> Self {
        Self { peer: peer_address(request) }
    }

    pub(super) fn device(&self, device: Option<wire::Device>) -> Device {
        let device = device.unwrap_or_default();
        Device::new(&device.user_agent, self.peer.as_ref().unwrap_or(&device.address)).with_token(device.device_token)
    }
}
