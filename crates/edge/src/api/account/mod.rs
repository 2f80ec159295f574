//! `/account`: account of the trader and its sessions.

pub(crate) mod json;
pub(crate) mod routes;
pub(crate) mod second_factor;
