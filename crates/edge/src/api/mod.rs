//! Operations by area. A file of one area does not use another area; what several areas use is in the modules above
//! `api`, and only `account_export` joins areas.

pub(crate) mod account;
pub(crate) mod account_export;
pub(crate) mod analytics;
pub(crate) mod auth;
pub(crate) mod careers;
pub(crate) mod imports;
pub(crate) mod journal;
pub(crate) mod trader_journal;
pub(crate) mod trades;
