//! `/uploadexcel`, `/upload`: import, preview and inspection of brokers' files.

pub(crate) mod commit_form;
pub(crate) mod import_form;
pub(crate) mod json;
pub(crate) mod ledger;
pub(crate) mod map_columns;
pub(crate) mod preview_json;
pub(crate) mod previews;
pub(crate) mod redact_layout;
pub(crate) mod routes;
