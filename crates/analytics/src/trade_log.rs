//! Conversion of the trades that the trade log sends.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use rpc::broker_account::parse_account_number;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use crate::error::Error;
use crate::exchange::Exchange;
use crate::fill::{Broker, BrokerAccount, Fill, INDIA, Labels, Side, Source};
use crate::fill_key::FillKey;
use crate::instrument::{Class, Expiry, Instrument, SecurityKind};
use crate::securities::is_trade_to_trade;

/// Characters of a label. Longer ones are cut.
const MAX_LABEL_CHARS: usize = 100;

/// Facts of a trade that decide its instrument.
#[derive(PartialEq, Eq, Hash)]
struct InstrumentKey {
    exchange: Exchange,
    is_contract: bool,
    symbol: String,
    isin: String,
    series: String,
    /// Contract that the trade log parsed from the symbol.
    contract: Option<wire::Contract>,
}

/// Parser of trades. Trades of the same instrument share one `Instrument`. A trade is parsed independently of the other
/// trades, so their order does not matter.
#[derive(Default)]
pub struct TradeParser {
    instruments: HashMap<InstrumentKey, Arc<Instrument>>,
}

impl TradeParser {
    /// Parses a trade.
    ///
    /// # Errors
    /// The missing or invalid field.
    pub fn parse(&mut self, trade: wire::Trade) -> Result<Fill, Error> {
        let book = trade.book.unwrap_or_default();
        let account = parse_account(book.broker(), book.broker_account).ok_or(Error::InvalidTradeLog("broker"))?;
        let is_contract = match book.segment() {
            wire::Segment::Equity => false,
            wire::Segment::Fno => true,
            wire::Segment::Unspecified => return Err(Error::InvalidTradeLog("segment")),
        };
        let exchange = match trade.exchange() {
            wire::Exchange::Nse => Exchange::Nse,
            wire::Exchange::Bse => Exchange::Bse,
            wire::Exchange::Unspecified => return Err(Error::InvalidTradeLog("exchange")),
        };
        let side = match trade.side() {
            wire::Side::Buy => Side::Buy,
            wire::Side::Sell => Side::Sell,
            wire::Side::Unspecified => return Err(Error::InvalidTradeLog("side")),
        };
        let executed_at = trade.executed_at.as_ref().ok_or(Error::InvalidTradeLog("time"))?;
        let executed_at =
            OffsetDateTime::from_unix_timestamp(executed_at.seconds).map_err(|_| Error::InvalidTradeLog("time"))?;
        let day = executed_at.to_offset(INDIA).date();
        let positive = |text: &str, field| {
            let number = Decimal::from_str(text).ok().filter(|number| *number > Decimal::ZERO);
            number.map(|number| number.normalize()).ok_or(Error::InvalidTradeLog(field))
        };
        Ok(Fill {
            trade_id: trade.id,
            key: match trade.source_key.as_str() {
                "" => FillKey::from_trade_id(trade.id),
                source_key => FillKey::from_source_key(account, is_contract, source_key),
            },
            source: Source::Trade,
            account,
            exchange,
            side,
            quantity: positive(&trade.quantity, "quantity")?,
            value: positive(&trade.value, "value")?,
            executed_at,
            day,
            has_time: trade.time_precision() != wire::TimePrecision::Day,
            delivery_only: !is_contract && (trade.auction || is_trade_to_trade(exchange, &trade.series)),
            manual: !trade.imported || trade.edited,
            order_id: (!trade.order_id.is_empty()).then(|| trade.order_id.as_str().into()),
            labels: trade.notes.as_ref().and_then(parse_labels).map(Arc::new),
            stop_loss: trade.notes.as_ref().and_then(|notes| Decimal::from_str(&notes.stop_loss).ok()),
            instrument: self.instrument(InstrumentKey {
                exchange,
                is_contract,
                symbol: trade.symbol,
                isin: trade.isin,
                series: trade.series,
                contract: trade.contract,
            }),
        })
    }

    fn instrument(&mut self, key: InstrumentKey) -> Arc<Instrument> {
        let instrument = self.instruments.entry(key).or_insert_with_key(|key| {
            let contract =
                key.contract.as_ref().and_then(|contract| parse_contract(key.exchange, &key.symbol, contract));
            Arc::new(match contract {
                Some(instrument) => instrument,
                None if key.is_contract => Instrument::from_unparsed_symbol(&key.symbol),
                None => Instrument::listed(key.exchange, &key.symbol, &key.isin, &key.series),
            })
        });
        instrument.clone()
    }
}

/// Converts the contract that the trade log parsed from the symbol.
pub fn parse_contract(exchange: Exchange, symbol: &str, contract: &wire::Contract) -> Option<Instrument> {
    let class = match contract.kind() {
        wire::ContractKind::Future => Class::Future,
        wire::ContractKind::Call => Class::Call,
        wire::ContractKind::Put => Class::Put,
        wire::ContractKind::Unspecified => return None,
    };
    let parse_day = |text: &str| Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let expiry = match parse_day(&contract.expiry) {
        Some(day) => Expiry { day, exact: true },
        None => {
            let month = parse_day(&[&contract.expiry, "-01"].concat())?;
            Expiry::in_month_of(month, exchange, &contract.underlying)?
        }
    };
    Some(Instrument {
        symbol: symbol.to_owned(),
        isin: String::new(),
        class,
        security: SecurityKind::Share,
        series: String::new(),
        underlying: contract.underlying.clone(),
        expiry: Some(expiry),
        strike: contract.strike.parse().ok(),
    })
}

/// Converts an account with a broker from its proto values; none if the broker is unspecified.
pub fn parse_account(broker: wire::Broker, number: u32) -> Option<BrokerAccount> {
    Some(BrokerAccount { broker: Broker::from_wire(broker)?, number: parse_account_number(number)? })
}

/// Returns the labels in a trade's notes: the first `#tag` and the psychology; none if both are empty.
fn parse_labels(notes: &wire::Notes) -> Option<Labels> {
    let shorten =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_LABEL_CHARS).collect();
    let is_tag_char = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let tags = notes.notes.split('#').skip(1).map(|rest| rest.split(|c| !is_tag_char(c)).next().unwrap_or_default());
    let setup: String = tags.into_iter().find(|tag| !tag.is_empty()).map(shorten).unwrap_or_default();
    let labels = Labels { setup: setup.to_lowercase(), psychology: shorten(&notes.psychology) };
    (!labels.setup.is_empty() || !labels.psychology.is_empty()).then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade() -> wire::Trade {
        wire::Trade {
            id: 7,
            book: Some(wire::Book {
                broker: wire::Broker::Groww.into(),
                segment: wire::Segment::Fno.into(),
                ..wire::Book::default()
            }),
            side: wire::Side::Sell.into(),
            symbol: "NIFTY26MAYFUT".to_owned(),
            quantity: "75.000000".to_owned(),
            price: "100.05".to_owned(),
            value: "7503.7500".to_owned(),
            // 1 May 2026, 00:30 in India; 30 April in UTC.
            executed_at: Some(prost_types::Timestamp { seconds: 1_777_575_600, nanos: 0 }),
            time_precision: wire::TimePrecision::Minute.into(),
            exchange: wire::Exchange::Nse.into(),
            order_id: "o-1".to_owned(),
            ..wire::Trade::default()
        }
    }

    #[test]
    fn parses_a_trade_with_its_day_in_india_and_its_order() {
        let mut parser = TradeParser::default();
        let fill = parser.parse(trade()).unwrap();
        assert_eq!(
            (fill.trade_id, fill.account.broker, fill.side, fill.has_time),
            (7, Broker::Groww, Side::Sell, true)
        );
        assert_eq!((fill.quantity.to_string(), fill.value.to_string()), ("75".to_owned(), "7503.75".to_owned()));
        assert_eq!((fill.day, fill.order_id.as_deref()), (time::macros::date!(2026 - 05 - 01), Some("o-1")));
        let again = parser.parse(trade()).unwrap();
        assert!(Arc::ptr_eq(&fill.instrument, &again.instrument));
    }

    #[test]
    fn takes_the_contract_from_the_trade_log() {
        for (expiry, day, exact) in [
            ("2026-05-26", time::macros::date!(2026 - 05 - 26), true),
            // The last Tuesday.
            ("2026-06", time::macros::date!(2026 - 06 - 30), true),
            ("2026-05", time::macros::date!(2026 - 05 - 26), true),
            // The holidays of 2027 are not known.
            ("2027-01", time::macros::date!(2027 - 01 - 31), false),
        ] {
            let kind = wire::ContractKind::Future.into();
            let (underlying, expiry) = ("NIFTY".to_owned(), expiry.to_owned());
            let contract = Some(wire::Contract { underlying, expiry, kind, strike: String::new() });
            let fill = TradeParser::default().parse(wire::Trade { contract, ..trade() }).unwrap();
            assert_eq!((fill.instrument.class, &*fill.instrument.underlying), (Class::Future, "NIFTY"));
            assert_eq!(fill.instrument.expiry, Some(Expiry { day, exact }));
        }
    }

    #[test]
    fn rejects_a_trade_with_a_missing_field() {
        let removals: [fn(&mut wire::Trade); 6] = [
            |trade| trade.book = None,
            |trade| trade.side = 0,
            |trade| trade.exchange = 0,
            |trade| trade.executed_at = None,
            |trade| trade.quantity = "0".to_owned(),
            |trade| trade.value = String::new(),
        ];
        for remove in removals {
            let mut trade = trade();
            remove(&mut trade);
            assert!(matches!(TradeParser::default().parse(trade), Err(Error::InvalidTradeLog(_))));
        }
    }

    #[test]
    fn takes_the_first_tag_of_the_notes_as_the_setup() {
        let labels = |text: &str, psychology: &str| {
            let notes = wire::Notes { notes: text.to_owned(), psychology: psychology.to_owned(), ..Default::default() };
            parse_labels(&notes).map(|labels| (labels.setup, labels.psychology))
        };
        let expected = |setup: &str, psychology: &str| Some((setup.to_owned(), psychology.to_owned()));
        assert_eq!(labels("Went well. #Gap-up, then #fade", ""), expected("gap-up", ""));
        assert_eq!(labels("# 1 of 2 ##orb", "  Calm \n and sure "), expected("orb", "Calm and sure"));
        assert_eq!(labels("no tag", ""), None);
    }
}
