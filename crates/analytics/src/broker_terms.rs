//! Terms of the trader's accounts with brokers: agreed brokerage, and a woman as first holder.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::str::FromStr;

use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use crate::charge_rates::{AgreedBrokerage, BrokerPrice, ChargeEvent, ChargeRates};
use crate::error::Error;
use crate::fill::{BrokerAccount, TradeKind};
use crate::trade_log::parse_account;

/// Terms of one account with a broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountTerms {
    /// The first holder of the demat account is a woman, whom depositories charge less.
    pub woman_first_holder: bool,
    /// Agreed brokerage, the newest first.
    pub brokerage: Vec<BrokerPrice>,
}

/// Terms of all accounts of a trader that differ from the broker's price list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrokerTerms(pub HashMap<BrokerAccount, AccountTerms>);

impl BrokerTerms {
    /// Converts the accounts that the trade log sends.
    pub fn from_wire(accounts: Vec<wire::BrokerAccount>) -> Result<Self, Error> {
        let mut terms = HashMap::new();
        for account in accounts {
            let key = parse_account(account.broker(), account.broker_account);
            let key = key.ok_or(Error::InvalidTradeLog("broker account"))?;
            let settings = account.settings.unwrap_or_default();
            let brokerage = settings.brokerage.iter().map(parse_brokerage).collect::<Option<Vec<_>>>();
            let mut brokerage = brokerage.ok_or(Error::InvalidTradeLog("brokerage"))?;
            brokerage.sort_by_key(|price| Reverse(price.from));
            let of_account = AccountTerms { woman_first_holder: settings.woman_first_holder, brokerage };
            if of_account != AccountTerms::default() {
                terms.insert(key, of_account);
            }
        }
        Ok(Self(terms))
    }

    /// Returns the price that an account pays for an event on `day`: the agreed one, or that of the broker's price list.
    pub fn price<'a>(
        &'a self,
        rates: &'a ChargeRates,
        account: BrokerAccount,
        day: Date,
        event: ChargeEvent,
    ) -> Option<&'a BrokerPrice> {
        let listed = |event| rates.broker_price(account.broker, day, event);
        let Some(terms) = self.0.get(&account) else { return listed(event) };
        let agreed = || terms.brokerage.iter().find(|price| price.applies_to(day, event));
        let of_woman = || listed(ChargeEvent::DpDebitOfWoman).filter(|_| terms.woman_first_holder);
        match event {
            ChargeEvent::DpDebit => of_woman().or_else(|| listed(event)),
            _ => agreed().or_else(|| listed(event)),
        }
    }
}

fn parse_brokerage(price: &wire::BrokeragePrice) -> Option<BrokerPrice> {
    let kind = match price.kind() {
        wire::BrokerageKind::Delivery => TradeKind::Delivery,
        wire::BrokerageKind::Intraday => TradeKind::Intraday,
        wire::BrokerageKind::Futures => TradeKind::Futures,
        wire::BrokerageKind::Options => TradeKind::Options,
        wire::BrokerageKind::Unspecified => return None,
    };
    let number = |text: &str| match text {
        "" => Some(None),
        text => Decimal::from_str(text).ok().map(Some),
    };
    let from = match price.from.as_str() {
        "" => Date::MIN,
        text => Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?,
    };
    let brokerage = AgreedBrokerage {
        flat: number(&price.flat)?,
        percent: number(&price.percent)?.unwrap_or_default(),
        min: number(&price.min)?.unwrap_or_default(),
        max: number(&price.max)?,
    };
    Some(BrokerPrice::agreed(from, kind, brokerage))
}
