//! Whole files through the reader, in this process. What a child adds is tested in `tests/child`.

mod compound;
mod doubts;
mod fixtures;
mod fuzz;
mod groww;
mod groww_fno;
mod parser;
mod precheck;
mod property;
mod refused;
mod report;
mod sheet;
mod zerodha;
mod zerodha_fno;

use std::io::Write;

use rpc::imports::v1::Problem;
use rpc::trades::v1::{Broker, Contract, ContractKind, Exchange, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;

use crate::error::Reason;
use crate::formats;
use crate::protocol::{End, What};
use crate::reading;

#[test]
fn a_format_is_named_for_its_broker() {
    for format in formats::ALL {
        let broker = if format.name().starts_with("zerodha-") { Broker::Zerodha } else { Broker::Groww };
        assert_eq!(format.broker(), broker, "{}", format.name());
        for words in [format.title(), format.found_at()] {
            assert!(words.to_lowercase().starts_with(&broker.as_str_name()[7..].to_lowercase()), "{words}");
        }
    }
}

/// What a file gave.
#[derive(Default)]
struct Outcome {
    found: Option<(String, Segment)>,
    trades: Vec<ImportedTrade>,
    end: Option<End>,
    refused: Option<(Reason, String)>,
}

impl Outcome {
    /// Trades, quantity and value of one side.
    fn sum(&self, side: Side) -> (usize, Decimal, Decimal) {
        let of_side = self.trades.iter().filter(|trade| trade.side() == side);
        of_side.fold((0, Decimal::ZERO, Decimal::ZERO), |(count, quantity, value), trade| {
            let number = |text: &str| text.parse::<Decimal>().unwrap();
            let all = match trade.value.as_str() {
                "" => number(&trade.quantity) * number(&trade.price),
                value => number(value),
            };
            (count + 1, quantity + number(&trade.quantity), value + all)
        })
    }

    fn problems(&self) -> &[Problem] {
        self.end.as_ref().map_or(&[], |end| &end.problems)
    }

    /// Row, column and code of every problem.
    fn located(&self) -> Vec<(i64, &str, &str)> {
        self.problems().iter().map(|p| (p.row, p.column.as_str(), p.code.as_str())).collect()
    }

    /// The same of every warning.
    fn warned(&self) -> Vec<(i64, &str, &str)> {
        let warnings = self.end.as_ref().map_or(&[][..], |end| &end.warnings);
        warnings.iter().map(|p| (p.row, p.column.as_str(), p.code.as_str())).collect()
    }

    /// Rows, trades, problems, warnings, rows set aside.
    fn counts(&self) -> (i64, i64, i64, i64, i64) {
        let end = self.end.as_ref().unwrap();
        (end.rows, end.trades, end.problem_count, end.warning_count, end.skipped)
    }

    /// Whatever was read: the trade log takes every trade, and the counts agree.
    #[track_caller]
    fn assert_sound(&self) {
        if self.refused.is_some() {
            return;
        }
        let end = self.end.as_ref().unwrap();
        let taken = end.rows - end.problem_count - end.skipped;
        assert!((taken..=2 * taken).contains(&end.trades), "{end:?}");
        assert_eq!(usize::try_from(end.trades).unwrap(), self.trades.len());
        assert!(end.problems.len() <= 1_000 && end.warnings.len() <= 1_000);
        let limit = Decimal::from(100_000_000_000_u64);
        for trade in &self.trades {
            let (quantity, price) = (decimal(&trade.quantity), decimal(&trade.price));
            assert!(quantity > Decimal::ZERO && quantity < limit && quantity.fract().is_zero(), "{trade:?}");
            assert!(price > Decimal::ZERO && price < limit && price.normalize().scale() <= 4, "{trade:?}");
            let value = match trade.value.as_str() {
                "" => (quantity * price).round_dp(4),
                value => decimal(value),
            };
            assert!(value > Decimal::ZERO && value < limit && value.normalize().scale() <= 4, "{trade:?}");
            assert!(!trade.symbol.is_empty() && trade.symbol.chars().count() <= 64, "{trade:?}");
            assert!(!trade.source_key.is_empty() && trade.source_key.chars().count() <= 120, "{trade:?}");
            assert!(!trade.symbol.chars().chain(trade.source_key.chars()).any(char::is_control), "{trade:?}");
            assert!(trade.side() != Side::Unspecified && trade.exchange() != Exchange::Unspecified, "{trade:?}");
            assert!(trade.executed_at.is_some() && trade.time_precision() != TimePrecision::Unspecified, "{trade:?}");
            if let Some(contract) = &trade.contract {
                assert_contract(contract);
            }
        }
    }

    fn keys(&self) -> Vec<&str> {
        self.trades.iter().map(|trade| trade.source_key.as_str()).collect()
    }
}

/// Reads a file.
fn read(content: &[u8]) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let mut outcome = Outcome::default();
    reading::read(file, &mut |event| {
        match event {
            What::Found(found) => outcome.found = Some((found.format.clone(), found.segment())),
            What::Batch(batch) => outcome.trades.extend(batch.trades),
            What::End(end) => outcome.end = Some(end),
            What::Refused(refused) => outcome.refused = Some((refused.reason(), refused.message)),
            What::Report(_) => panic!("nobody wants a report"),
        }
        Ok(())
    })
    .unwrap();
    outcome
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// A contract as the trade log takes it.
#[track_caller]
fn assert_contract(contract: &Contract) {
    assert!(!contract.underlying.is_empty() && contract.underlying.len() <= 64, "{contract:?}");
    assert!(matches!(contract.expiry.len(), 7 | 10) && contract.expiry.starts_with("20"), "{contract:?}");
    match contract.kind() {
        ContractKind::Unspecified => panic!("{contract:?}"),
        ContractKind::Future => assert_eq!(contract.strike, ""),
        ContractKind::Call | ContractKind::Put => {
            let strike = decimal(&contract.strike);
            assert!(strike > Decimal::ZERO && strike.normalize().scale() <= 4, "{contract:?}");
        }
    }
}

/// The header of a tradebook as a line of CSV.
fn tradebook_header() -> String {
    fixtures::tradebook_csv().lines().next().unwrap().to_owned()
}
