//! `/account`: the trader's own account and its sessions.

pub(crate) mod device;
pub(crate) mod json;
pub(crate) mod routes;
