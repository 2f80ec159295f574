//! The trades as the trade log sends them.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use crate::error::Error;
use crate::fill::{Broker, Exchange, Fill, INDIA, Side, Source, Words};
use crate::instrument::{Class, Expiry, Instrument};

/// Characters of what makes a group.
const LONGEST_WORD: usize = 100;

/// What is told of an instrument: whether it is a contract, its symbol, and what that stands for.
type Told = (bool, String, Option<wire::Contract>);

/// Reads trades, and makes of each instrument but one. What a trade is of, it says itself: in whatever order and company
/// it is read, the same comes out.
#[derive(Default)]
pub struct Reader {
    instruments: HashMap<Told, Arc<Instrument>>,
}

impl Reader {
    pub fn read(&mut self, trade: wire::Trade) -> Result<Fill, Error> {
        let book = trade.book.unwrap_or_default();
        let broker = read_broker(book.broker()).ok_or(Error::NoTrade("broker"))?;
        let contract = match book.segment() {
            wire::Segment::Equity => false,
            wire::Segment::Fno => true,
            wire::Segment::Unspecified => return Err(Error::NoTrade("segment")),
        };
        let exchange = match trade.exchange() {
            wire::Exchange::Nse => Exchange::Nse,
            wire::Exchange::Bse => Exchange::Bse,
            wire::Exchange::Unspecified => return Err(Error::NoTrade("exchange")),
        };
        let side = match trade.side() {
            wire::Side::Buy => Side::Buy,
            wire::Side::Sell => Side::Sell,
            wire::Side::Unspecified => return Err(Error::NoTrade("side")),
        };
        let at = trade.executed_at.as_ref().ok_or(Error::NoTrade("time"))?;
        let at = OffsetDateTime::from_unix_timestamp(at.seconds).map_err(|_| Error::NoTrade("time"))?;
        let day = at.to_offset(INDIA).date();
        let number = |text: &str, what| {
            let number = Decimal::from_str(text).ok().filter(|number| *number > Decimal::ZERO);
            number.map(|number| number.normalize()).ok_or(Error::NoTrade(what))
        };
        Ok(Fill {
            trade_id: trade.id,
            source: Source::Trade,
            broker,
            exchange,
            side,
            quantity: number(&trade.quantity, "quantity")?,
            value: number(&trade.value, "value")?,
            at,
            day,
            timed: trade.time_precision() != wire::TimePrecision::Day,
            by_hand: !trade.imported || trade.edited,
            order: (!trade.order_id.is_empty()).then(|| trade.order_id.as_str().into()),
            words: trade.notes.as_ref().and_then(words).map(Arc::new),
            stop_loss: trade.notes.as_ref().and_then(|notes| Decimal::from_str(&notes.stop_loss).ok()),
            instrument: self.instrument(contract, trade.symbol, trade.contract),
        })
    }

    fn instrument(&mut self, contract: bool, symbol: String, told: Option<wire::Contract>) -> Arc<Instrument> {
        let made = self.instruments.entry((contract, symbol, told)).or_insert_with_key(|(contract, symbol, told)| {
            Arc::new(match told.as_ref().and_then(|told| instrument_of(symbol, told)) {
                Some(instrument) => instrument,
                None if *contract => Instrument::unknown(symbol),
                None => Instrument::share(symbol),
            })
        });
        made.clone()
    }
}

/// What the log says that the symbol stands for.
pub fn instrument_of(symbol: &str, told: &wire::Contract) -> Option<Instrument> {
    let class = match told.kind() {
        wire::ContractKind::Future => Class::Future,
        wire::ContractKind::Call => Class::Call,
        wire::ContractKind::Put => Class::Put,
        wire::ContractKind::Unspecified => return None,
    };
    let day = |text: &str| Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let expiry = match day(&told.expiry) {
        Some(day) => Expiry { day, exact: true },
        None => Expiry::month(day(&[&told.expiry, "-01"].concat())?)?,
    };
    Some(Instrument { symbol: symbol.to_owned(), class, underlying: told.underlying.clone(), expiry: Some(expiry) })
}

/// The broker that the wire names.
pub fn read_broker(broker: wire::Broker) -> Option<Broker> {
    match broker {
        wire::Broker::Zerodha => Some(Broker::Zerodha),
        wire::Broker::Groww => Some(Broker::Groww),
        wire::Broker::Unspecified => None,
    }
}

/// The broker on the wire.
pub fn write_broker(broker: Broker) -> wire::Broker {
    match broker {
        Broker::Zerodha => wire::Broker::Zerodha,
        Broker::Groww => wire::Broker::Groww,
    }
}

/// What makes groups: the first word of the notes that begins with #, and what stands under psychology.
fn words(notes: &wire::Notes) -> Option<Words> {
    let short = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_WORD).collect();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let tag = notes.notes.split('#').skip(1).map(|rest| rest.split(|c| !is_letter(c)).next().unwrap_or_default());
    let setup: String = tag.into_iter().find(|tag| !tag.is_empty()).map(short).unwrap_or_default();
    let psychology: String = short(&notes.psychology);
    let words = Words { setup: setup.to_lowercase(), psychology };
    (!words.setup.is_empty() || !words.psychology.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade() -> wire::Trade {
        wire::Trade {
            id: 7,
            book: Some(wire::Book { broker: wire::Broker::Groww.into(), segment: wire::Segment::Fno.into() }),
            side: wire::Side::Sell.into(),
            symbol: "NIFTY26MAYFUT".to_owned(),
            quantity: "75.000000".to_owned(),
            price: "100.05".to_owned(),
            value: "7503.7500".to_owned(),
            // 1 May 2026, half past midnight in India, and the day before in UTC.
            executed_at: Some(prost_types::Timestamp { seconds: 1_777_575_600, nanos: 0 }),
            time_precision: wire::TimePrecision::Minute.into(),
            exchange: wire::Exchange::Nse.into(),
            order_id: "o-1".to_owned(),
            ..wire::Trade::default()
        }
    }

    #[test]
    fn a_trade_is_read_with_its_day_in_india_and_its_order() {
        let mut reader = Reader::default();
        let fill = reader.read(trade()).unwrap();
        assert_eq!((fill.trade_id, fill.broker, fill.side, fill.timed), (7, Broker::Groww, Side::Sell, true));
        assert_eq!((fill.quantity.to_string(), fill.value.to_string()), ("75".to_owned(), "7503.75".to_owned()));
        assert_eq!((fill.day, fill.order.as_deref()), (time::macros::date!(2026 - 05 - 01), Some("o-1")));
        let again = reader.read(trade()).unwrap();
        assert!(Arc::ptr_eq(&fill.instrument, &again.instrument));
    }

    #[test]
    fn what_the_log_says_of_a_contract_is_believed() {
        for (expiry, day, exact) in [
            ("2026-05-26", time::macros::date!(2026 - 05 - 26), true),
            ("2026-05", time::macros::date!(2026 - 05 - 31), false),
        ] {
            let kind = wire::ContractKind::Future.into();
            let (underlying, expiry) = ("NIFTY".to_owned(), expiry.to_owned());
            let contract = Some(wire::Contract { underlying, expiry, kind, strike: String::new() });
            let fill = Reader::default().read(wire::Trade { contract, ..trade() }).unwrap();
            assert_eq!((fill.instrument.class, &*fill.instrument.underlying), (Class::Future, "NIFTY"));
            assert_eq!(fill.instrument.expiry, Some(Expiry { day, exact }));
        }
    }

    #[test]
    fn a_trade_that_lacks_something_is_the_logs_failure() {
        let without: [fn(&mut wire::Trade); 6] = [
            |trade| trade.book = None,
            |trade| trade.side = 0,
            |trade| trade.exchange = 0,
            |trade| trade.executed_at = None,
            |trade| trade.quantity = "0".to_owned(),
            |trade| trade.value = String::new(),
        ];
        for lack in without {
            let mut trade = trade();
            lack(&mut trade);
            assert!(matches!(Reader::default().read(trade), Err(Error::NoTrade(_))));
        }
    }

    #[test]
    fn the_first_tag_of_the_notes_is_the_setup() {
        let found = |text: &str, psychology: &str| {
            let notes = wire::Notes { notes: text.to_owned(), psychology: psychology.to_owned(), ..Default::default() };
            words(&notes).map(|words| (words.setup, words.psychology))
        };
        let both = |setup: &str, psychology: &str| Some((setup.to_owned(), psychology.to_owned()));
        assert_eq!(found("Went well. #Gap-up, then #fade", ""), both("gap-up", ""));
        assert_eq!(found("# 1 of 2 ##orb", "  Calm \n and sure "), both("orb", "Calm and sure"));
        assert_eq!(found("no tag", ""), None);
    }
}
