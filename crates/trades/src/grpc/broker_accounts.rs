//! Conversion of accounts with brokers.

use rpc::broker_account::{MAX_BROKER_ACCOUNTS, parse_account_number, to_wire_account_number};
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use super::requests::{parse_client_code, parse_decimal, parse_holder, parse_optional_text};
use super::responses::mask_client_code;
use crate::broker_account_settings::{
    BrokerAccountSettings, BrokerageKind, BrokeragePrice, BrokerageTerms, FIRST_DAY, STANDARD_PLAN,
};
use crate::error::Error;
use crate::store::{BrokerAccountRecord, SavedBrokerAccount};
use crate::trade::{Broker, BrokerAccount};
use crate::validation::MAX_AMOUNT_EXCLUSIVE;

const MAX_LABEL_CHARS: usize = 40;
const MAX_PLAN_BYTES: usize = 40;
const MAX_BROKERAGE_PRICES: usize = 40;
/// Limit of a brokerage in percent; SEBI allows 2.5.
const MAX_PERCENT: Decimal = Decimal::from_parts(5, 0, 0, false, 0);

pub(super) fn parse_broker_account(broker: wire::Broker, number: u32) -> Result<BrokerAccount, Error> {
    let broker = Broker::from_wire(broker).ok_or_else(|| Violation::new("broker", "INVALID"))?;
    let invalid = || Violation::new("broker_account", "INVALID").with("max", MAX_BROKER_ACCOUNTS);
    Ok(BrokerAccount { broker, number: parse_account_number(number).ok_or_else(invalid)? })
}

pub(super) fn parse_account_to_save(request: wire::SaveBrokerAccountRequest) -> Result<SavedBrokerAccount, Error> {
    Ok(SavedBrokerAccount {
        account: parse_broker_account(request.broker(), request.broker_account)?,
        label: parse_optional_text("label", &request.label, MAX_LABEL_CHARS)?,
        holder: parse_holder(&request.holder)?,
        client_code: request.client_code.map(|code| parse_client_code(&code)).transpose()?,
        settings: request.settings.map(parse_settings).transpose().map_err(|error| error.within("settings"))?,
    })
}

fn parse_settings(settings: wire::BrokerAccountSettings) -> Result<BrokerAccountSettings, Error> {
    let plan = if settings.plan.is_empty() { STANDARD_PLAN.to_owned() } else { settings.plan };
    let is_plan_char = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    if plan.len() > MAX_PLAN_BYTES || !plan.bytes().all(is_plan_char) {
        return Err(Violation::new("plan", "INVALID").into());
    }
    let opened_on = parse_day("opened_on", &settings.opened_on)?;
    let closed_on = parse_day("closed_on", &settings.closed_on)?;
    if opened_on.zip(closed_on).is_some_and(|(opened, closed)| closed < opened) {
        return Err(Violation::new("closed_on", "BEFORE_OPENING").into());
    }
    if settings.brokerage.len() > MAX_BROKERAGE_PRICES {
        return Err(Violation::new("brokerage", "TOO_MANY").with("max", MAX_BROKERAGE_PRICES).into());
    }
    let mut brokerage = Vec::with_capacity(settings.brokerage.len());
    for (index, price) in settings.brokerage.into_iter().enumerate() {
        let within = |error: Error| error.within(&format!("brokerage[{index}]"));
        let price = parse_price(&price).map_err(within)?;
        let is_same = |other: &BrokeragePrice| (other.kind, other.first_day) == (price.kind, price.first_day);
        if brokerage.iter().any(is_same) {
            return Err(within(Violation::new("from", "REPEATED").into()));
        }
        brokerage.push(price);
    }
    brokerage.sort_by_key(|price| (price.kind, price.first_day));
    Ok(BrokerAccountSettings { plan, woman_first_holder: settings.woman_first_holder, opened_on, closed_on, brokerage })
}

fn parse_price(price: &wire::BrokeragePrice) -> Result<BrokeragePrice, Error> {
    let kind = match price.kind() {
        wire::BrokerageKind::Unspecified => return Err(Violation::new("kind", "BROKERAGE_KIND_MISSING").into()),
        wire::BrokerageKind::Delivery => BrokerageKind::Delivery,
        wire::BrokerageKind::Intraday => BrokerageKind::Intraday,
        wire::BrokerageKind::Futures => BrokerageKind::Futures,
        wire::BrokerageKind::Options => BrokerageKind::Options,
    };
    let first_day = parse_day("from", &price.from)?.unwrap_or(FIRST_DAY);
    let amount = |field, text| parse_amount(field, text, MAX_AMOUNT_EXCLUSIVE);
    let (flat, percent) = (amount("flat", &price.flat)?, parse_amount("percent", &price.percent, MAX_PERCENT)?);
    let (min, max) = (amount("min", &price.min)?, amount("max", &price.max)?);
    let terms = match (flat, percent) {
        (Some(flat), None) if min.is_none() && max.is_none() => BrokerageTerms::Flat(flat),
        (None, Some(_)) if min.zip(max).is_some_and(|(min, max)| min > max) => {
            return Err(Violation::new("max", "BELOW_MIN").into());
        }
        (None, Some(percent)) => BrokerageTerms::Percent { percent, min, max },
        (Some(_), _) | (None, None) => return Err(Violation::new("flat", "FLAT_OR_PERCENT").into()),
    };
    Ok(BrokeragePrice { kind, first_day, terms })
}

/// Parses an optional amount from 0 with at most 4 decimals.
fn parse_amount(field: &'static str, text: &str, limit: Decimal) -> Result<Option<Decimal>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = parse_decimal(text, field, "BROKERAGE_INVALID")?;
    let is_valid = number >= Decimal::ZERO && number < limit && number.normalize().scale() <= 4;
    is_valid.then_some(Some(number)).ok_or_else(|| Violation::new(field, "BROKERAGE_INVALID").into())
}

/// Parses an optional day from 1990 on.
fn parse_day(field: &'static str, text: &str) -> Result<Option<Date>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let day = day.filter(|day| *day >= FIRST_DAY && day.year() < 2100);
    day.map(Some).ok_or_else(|| Violation::new(field, "DAY_INVALID").into())
}

pub(super) fn to_wire_broker_account(record: BrokerAccountRecord) -> wire::BrokerAccount {
    wire::BrokerAccount {
        broker: record.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(record.account.number),
        label: record.label,
        holder: record.owner.holder,
        masked_client_code: mask_client_code(&record.owner.client_code),
        trades: record.trade_count,
        settings: Some(to_wire_settings(record.settings)),
    }
}

fn to_wire_settings(settings: BrokerAccountSettings) -> wire::BrokerAccountSettings {
    let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    wire::BrokerAccountSettings {
        plan: settings.plan,
        woman_first_holder: settings.woman_first_holder,
        opened_on: day(settings.opened_on),
        closed_on: day(settings.closed_on),
        brokerage: settings.brokerage.into_iter().map(to_wire_price).collect(),
    }
}

fn to_wire_price(price: BrokeragePrice) -> wire::BrokeragePrice {
    let kind = match price.kind {
        BrokerageKind::Delivery => wire::BrokerageKind::Delivery,
        BrokerageKind::Intraday => wire::BrokerageKind::Intraday,
        BrokerageKind::Futures => wire::BrokerageKind::Futures,
        BrokerageKind::Options => wire::BrokerageKind::Options,
    };
    let text = |number: Option<Decimal>| number.map(|number| number.normalize().to_string()).unwrap_or_default();
    let (flat, percent, min, max) = match price.terms {
        BrokerageTerms::Flat(flat) => (Some(flat), None, None, None),
        BrokerageTerms::Percent { percent, min, max } => (None, Some(percent), min, max),
    };
    wire::BrokeragePrice {
        kind: kind.into(),
        from: if price.first_day == FIRST_DAY { String::new() } else { price.first_day.to_string() },
        flat: text(flat),
        percent: text(percent),
        min: text(min),
        max: text(max),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_plan_of_the_list_is_accepted_and_each_broker_has_the_standard_plan() {
        // The web app reads the same file.
        let text = include_str!("../../broker-plans.json");
        let plans: BTreeMap<String, Vec<BTreeMap<String, String>>> = serde_json::from_str(text).unwrap();
        let plans_of = |broker: &str| plans[broker].iter().map(|plan| plan["plan"].clone()).collect::<Vec<_>>();
        for broker in crate::trade::Broker::ALL {
            let plans = plans_of(broker.name());
            assert!(plans.iter().any(|plan| plan == STANDARD_PLAN), "{broker:?}");
            for plan in plans {
                let settings = wire::BrokerAccountSettings { plan: plan.clone(), ..Default::default() };
                assert_eq!(parse_settings(settings).unwrap().plan, plan);
            }
        }
    }
}
