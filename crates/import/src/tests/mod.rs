//! Whole files through the reader, in this process. What a child adds is tested in `tests/child`.

mod fixtures;
mod groww;
mod property;
mod refused;
mod zerodha;

use std::io::Write;

use rpc::imports::v1::Problem;
use rpc::trades::v1::{ImportedTrade, Segment, Side};
use rust_decimal::Decimal;

use crate::error::Reason;
use crate::protocol::{End, What};
use crate::reading;

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
        }
        Ok(())
    })
    .unwrap();
    outcome
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// The header of a tradebook as a line of CSV.
fn tradebook_header() -> String {
    fixtures::tradebook_csv().lines().next().unwrap().to_owned()
}
