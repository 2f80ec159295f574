//! `/analytics/…`: analytics of the trades, charges, tax and reconciliation.

pub(crate) mod adjustments;
pub(crate) mod core_client;
pub(crate) mod costs;
pub(crate) mod data_issues;
pub(crate) mod data_issues_json;
pub(crate) mod json;
pub(crate) mod positions;
pub(crate) mod profit_report_json;
pub(crate) mod query;
pub(crate) mod reconcile;
pub(crate) mod reconcile_json;
pub(crate) mod reconcile_tax_json;
pub(crate) mod returns_on_capital;
pub(crate) mod routes;
mod shared_tax_pack;
pub(crate) mod strategies;
pub(crate) mod strategies_export;
pub(crate) mod strategy_decisions;
pub(crate) mod strategy_settings;
pub(crate) mod tax;
pub(crate) mod tax_entries;
pub(crate) mod tax_links;
pub(crate) mod tax_losses;
