//! `/trades/…`, `/journal/…`: journals of the public pages.

pub(crate) mod entry;
pub(crate) mod json;
pub(crate) mod routes;
pub(crate) mod visitor;
