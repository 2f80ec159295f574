//! JSON of accounts with brokers and of their settings.

use http_server::json_fields::JsonFields;
use rpc::json::JsonName as _;
use rpc::trades::v1::{BrokerAccount, BrokerAccountSettings, BrokerageKind, BrokeragePrice};
use serde::Serialize;

use crate::error_texts::{field_text, invalid_text};
use crate::json::{JsonError, enum_name, optional_text};

/// Account of the trader with a broker.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrokerAccountJson {
    broker: &'static str,
    broker_account: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    holder: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    client_code: String,
    trades: i64,
    settings: SettingsJson,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SettingsJson {
    plan: String,
    woman_first_holder: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_on: Option<String>,
    brokerage: Vec<BrokeragePrice>,
}

impl TryFrom<BrokerAccount> for BrokerAccountJson {
    type Error = JsonError;

    fn try_from(account: BrokerAccount) -> Result<Self, JsonError> {
        Ok(Self {
            broker: enum_name(account.broker())?,
            broker_account: account.broker_account.max(1),
            label: account.label,
            holder: account.holder,
            client_code: account.masked_client_code,
            trades: account.trades,
            settings: account.settings.unwrap_or_default().try_into()?,
        })
    }
}

impl TryFrom<BrokerAccountSettings> for SettingsJson {
    type Error = JsonError;

    fn try_from(settings: BrokerAccountSettings) -> Result<Self, JsonError> {
        Ok(Self {
            plan: settings.plan,
            woman_first_holder: settings.woman_first_holder,
            opened_on: optional_text(settings.opened_on),
            closed_on: optional_text(settings.closed_on),
            brokerage: settings.brokerage,
        })
    }
}

/// Parses the settings of an account; errors are added to `fields`.
pub(crate) fn parse_settings(fields: &mut JsonFields) -> BrokerAccountSettings {
    let flag_text = || invalid_text("edge", "flag");
    BrokerAccountSettings {
        plan: fields.text("plan").unwrap_or_default(),
        woman_first_holder: fields.flag("womanFirstHolder", flag_text).unwrap_or_default(),
        opened_on: fields.text("openedOn").unwrap_or_default(),
        closed_on: fields.text("closedOn").unwrap_or_default(),
        brokerage: fields.list("brokerage", parse_price).unwrap_or_default(),
    }
}

fn parse_price(fields: &mut JsonFields) -> BrokeragePrice {
    let invalid_kind = |_: &str| field_text("trades", "kind", "BROKERAGE_KIND_MISSING", &[]);
    BrokeragePrice {
        kind: fields.parsed("kind", BrokerageKind::from_json_name, invalid_kind).unwrap_or_default().into(),
        from: fields.text("from").unwrap_or_default(),
        flat: fields.number("flat").unwrap_or_default(),
        percent: fields.number("percent").unwrap_or_default(),
        min: fields.number("min").unwrap_or_default(),
        max: fields.number("max").unwrap_or_default(),
    }
}
