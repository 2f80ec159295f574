//! `/journal/…`: the journal of an account, with entries about its positions and days, playbooks and templates.

pub(crate) mod entries;
pub(crate) mod export;
mod groups;
mod orphans;
mod playbooks;
mod query;
mod request;
pub(crate) mod routes;
pub(crate) mod screenshots;
