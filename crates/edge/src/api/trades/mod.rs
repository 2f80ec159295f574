//! `/trades/…`: the trade log.

pub(crate) mod broker_account_json;
pub(crate) mod broker_accounts;
pub(crate) mod column_mappings;
pub(crate) mod export;
pub(crate) mod json;
pub(crate) mod ledgers;
pub(crate) mod lists;
pub(crate) mod new_trade;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod replace;
pub(crate) mod replace_body;
pub(crate) mod routes;
pub(crate) mod single;
pub(crate) mod spool;
