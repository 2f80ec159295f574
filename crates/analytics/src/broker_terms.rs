//! Terms of the trader's accounts with brokers: agreed brokerage, holders, and the charges that the brokers state.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::str::FromStr;

use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use crate::charge_rates::{AgreedBrokerage, BrokerPrice, ChargeEvent, ChargeRates};
use crate::charges::{Charges, ContractNote};
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

/// Charges that the contract notes or the tradebook of a day and segment state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedCharges {
    /// Sum of the values of the trades, bought and sold.
    pub turnover: Decimal,
    pub charges: Charges,
    /// True if a tradebook states them.
    pub from_tradebook: bool,
}

/// Terms of all accounts of a trader that differ from the broker's price list, their holders, and the stated charges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrokerTerms {
    pub accounts: HashMap<BrokerAccount, AccountTerms>,
    /// Holders of the accounts where they are known, in one spelling.
    pub holders: HashMap<BrokerAccount, String>,
    /// The sum of the contract notes of a day, then the versions of its tradebook, the newest first. The first one with the
    /// trades of the log counts.
    pub notes: HashMap<ContractNote, Vec<StatedCharges>>,
}

impl BrokerTerms {
    /// Converts the accounts and the contract notes that the trade log sends.
    pub fn from_wire(accounts: Vec<wire::BrokerAccount>, notes: Vec<wire::ContractNote>) -> Result<Self, Error> {
        let mut terms = Self::default();
        for account in accounts {
            let key = parse_account(account.broker(), account.broker_account);
            let key = key.ok_or(Error::InvalidTradeLog("broker account"))?;
            let settings = account.settings.unwrap_or_default();
            let brokerage = settings.brokerage.iter().map(parse_brokerage).collect::<Option<Vec<_>>>();
            let mut brokerage = brokerage.ok_or(Error::InvalidTradeLog("brokerage"))?;
            brokerage.sort_by_key(|price| Reverse(price.from));
            let of_account = AccountTerms { woman_first_holder: settings.woman_first_holder, brokerage };
            let holder = normalize_name(&account.holder);
            if !holder.is_empty() {
                terms.holders.insert(key, holder);
            }
            if of_account != AccountTerms::default() {
                terms.accounts.insert(key, of_account);
            }
        }
        for note in notes {
            let (key, stated) = parse_note(&note).ok_or(Error::InvalidTradeLog("contract note"))?;
            terms.add_stated_charges(key, stated);
        }
        Ok(terms)
    }

    /// Adds the charges of a contract note or of a version of a tradebook.
    fn add_stated_charges(&mut self, key: ContractNote, stated: StatedCharges) {
        let of_day = self.notes.entry(key).or_default();
        // A day may have several notes, of which each states its own charges.
        match of_day.first_mut().filter(|first| !first.from_tradebook && !stated.from_tradebook) {
            Some(sum) => {
                sum.turnover += stated.turnover;
                sum.charges.add(&stated.charges);
            }
            None if stated.from_tradebook => of_day.push(stated),
            None => of_day.insert(0, stated),
        }
    }

    /// Returns the terms with other agreed prices of an account. A price replaces those of the same event that begin with
    /// it or until the day `last`.
    pub fn with_prices(&self, account: BrokerAccount, prices: &[BrokerPrice], last: Date) -> Self {
        let mut terms = self.clone();
        let brokerage = &mut terms.accounts.entry(account).or_default().brokerage;
        for price in prices {
            brokerage.retain(|other| !((price.from..=last).contains(&other.from) && price.is_of_same_event(other)));
            brokerage.push(price.clone());
        }
        brokerage.sort_by_key(|price| Reverse(price.from));
        terms
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
        let Some(terms) = self.accounts.get(&account) else { return listed(event) };
        let agreed = || terms.brokerage.iter().find(|price| price.applies_to(day, event));
        let of_woman = || listed(ChargeEvent::DpDebitOfWoman).filter(|_| terms.woman_first_holder);
        match event {
            ChargeEvent::DpDebit => of_woman().or_else(|| listed(event)),
            _ => agreed().or_else(|| listed(event)),
        }
    }
}

/// Returns a name in small letters and with single spaces.
fn normalize_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn parse_note(note: &wire::ContractNote) -> Option<(ContractNote, StatedCharges)> {
    let book = note.book.as_ref()?;
    let key = ContractNote {
        account: parse_account(book.broker(), book.broker_account)?,
        contracts: match book.segment() {
            wire::Segment::Equity => false,
            wire::Segment::Fno => true,
            wire::Segment::Unspecified => return None,
        },
        day: Date::parse(&note.date, format_description!("[year]-[month]-[day]")).ok()?,
    };
    let amount = |text: &str| Decimal::from_str(text).ok();
    let charges = Charges {
        brokerage: amount(&note.brokerage)?,
        stt: amount(&note.stt)?,
        exchange: amount(&note.exchange)?,
        sebi: amount(&note.sebi)?,
        ipft: amount(&note.ipft)?,
        stamp_duty: amount(&note.stamp_duty)?,
        gst: amount(&note.gst)?,
        ..Charges::default()
    };
    let from_tradebook = note.from_tradebook;
    Some((key, StatedCharges { turnover: amount(&note.turnover)?, charges, from_tradebook }))
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
