//! `/auth/…`: registration, login, logout, and links in emails.

pub(crate) mod emails;
pub(crate) mod google;
pub(crate) mod handoff;
pub(crate) mod routes;
pub(crate) mod second_factor;
pub(crate) mod session;
