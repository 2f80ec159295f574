//! A broker's profit and loss report against the trades: ours, theirs, the difference, and why.
//!
//! Shares and contracts are set against the closed trades that closed in the report's period, charges against the
//! estimate for all trades of it. A cause is named only where a fact of the log or of the report speaks for it.

mod causes;
mod charges;
mod groups;
mod rows;

use rust_decimal::Decimal;
use time::Date;

pub use self::charges::{Charge, ChargeRow};
pub use self::rows::Row;
use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::fill::{Broker, Fill, Source};
use crate::group::{Group, Origin};

/// Rows that are listed.
pub const MOST_ROWS: usize = 5_000;
/// What no sum is held against: the report has paise, we have four decimals.
const PAISA: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// What the report says.
#[derive(Debug)]
pub struct Report {
    pub broker: Broker,
    /// Futures and options, or shares.
    pub contracts: bool,
    /// Days, inclusive.
    pub from: Date,
    pub to: Date,
    pub rows: Vec<Told>,
    pub charges: Vec<Line>,
    /// Its own sum of results.
    pub realised: Option<Decimal>,
    pub open_positions: i64,
    pub unread_rows: i64,
    /// Why the first of them could not be read.
    pub first_unread: String,
}

impl Report {
    fn is_of(&self, broker: Broker, contract: bool) -> bool {
        self.broker == broker && self.contracts == contract
    }

    fn holds(&self, day: Date) -> bool {
        (self.from..=self.to).contains(&day)
    }

    /// The trades of its broker and segment.
    fn fills<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Fill> {
        let trades = analysis.groups().flat_map(Group::fills).filter(|fill| fill.source == Source::Trade);
        trades.filter(|fill| self.is_of(fill.broker, fill.instrument.is_contract()))
    }

    /// What was closed in its period.
    fn closed_trades<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = &'a ClosedTrade> {
        let closed_trades = analysis.closed_trades().filter(|closed_trade| self.holds(closed_trade.closed_day));
        closed_trades.filter(|closed_trade| self.is_of(closed_trade.broker, closed_trade.instrument.is_contract()))
    }

    /// What was sold in its period without a purchase, and how much of it.
    fn missing_cost_basis<'a>(&'a self, analysis: &'a Analysis) -> impl Iterator<Item = (Origin<'a>, Decimal)> {
        let sales = analysis.groups().flat_map(|group| {
            group.missing_cost_basis().iter().filter_map(|slice| Some((group.origin(slice)?, slice.quantity())))
        });
        sales.filter(|(sale, _)| self.is_traded(sale.fill))
    }

    /// It is a trade of its broker and segment, in its period.
    fn is_traded(&self, fill: &Fill) -> bool {
        self.is_of(fill.broker, fill.instrument.is_contract()) && self.holds(fill.day)
    }
}

/// What it says of one share or contract.
#[derive(Debug)]
pub struct Told {
    /// Empty where it has the name alone.
    pub symbol: String,
    pub name: String,
    pub isin: String,
    pub sums: Sums,
}

/// A line of its charges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub charge: Charge,
    pub label: String,
    pub amount: Decimal,
}

/// What was closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub quantity: Decimal,
    pub buy_value: Decimal,
    pub sell_value: Decimal,
    pub gross: Decimal,
}

impl Sums {
    fn of(closed_trade: &ClosedTrade) -> Self {
        let (buy_value, sell_value) = if closed_trade.long {
            (closed_trade.entry_value, closed_trade.exit_value)
        } else {
            (closed_trade.exit_value, closed_trade.entry_value)
        };
        Self { quantity: closed_trade.quantity, buy_value, sell_value, gross: closed_trade.gross }
    }

    fn add(&mut self, other: &Self) {
        self.quantity += other.quantity;
        self.buy_value += other.buy_value;
        self.sell_value += other.sell_value;
        self.gross += other.gross;
    }

    pub fn less(&self, other: &Self) -> Self {
        Self {
            quantity: self.quantity - other.quantity,
            buy_value: self.buy_value - other.buy_value,
            sell_value: self.sell_value - other.sell_value,
            gross: self.gross - other.gross,
        }
    }

    /// The largest of the amounts, without its sign.
    fn largest_amount(&self) -> Decimal {
        self.buy_value.abs().max(self.sell_value.abs()).max(self.gross.abs())
    }
}

/// Why something differs, or is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub code: &'static str,
    pub sentence: String,
}

impl Remark {
    fn new(code: &'static str, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into() }
    }

    /// No fact explains it.
    fn none() -> Self {
        Self::new("none", "No cause found: nothing in the log or in the report explains it.")
    }
}

/// Ours and theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    pub ours: Decimal,
    pub theirs: Decimal,
}

impl Compared {
    fn less(self, other: Self) -> Self {
        Self { ours: self.ours - other.ours, theirs: self.theirs - other.theirs }
    }
}

/// What comes of it.
#[derive(Debug)]
pub struct Reconciliation {
    pub buy_value: Compared,
    pub sell_value: Compared,
    pub gross: Compared,
    /// Those that both sides have.
    pub charge_sum: Compared,
    pub net: Compared,
    /// Those that differ first.
    pub rows: Vec<Row>,
    /// How many those are.
    pub differing: usize,
    pub charges: Vec<ChargeRow>,
    pub not_compared: Vec<Remark>,
}

impl Reconciliation {
    /// None where the log has no trade of the report's broker and segment. `isins` are of the log's symbols.
    pub fn of(analysis: &Analysis, report: &Report, isins: &[(String, String)]) -> Option<Self> {
        report.fills(analysis).next()?;
        let rows = rows::rows(analysis, report, isins);
        let differing = rows.iter().filter(|row| row.cause.is_some()).count();
        // Charges follow from how much was traded.
        let same_trades = rows.iter().all(|row| row.difference().quantity.is_zero());
        let charges = charges::rows(analysis, report, same_trades);
        let sum = |of: fn(&Sums) -> Decimal| Compared {
            ours: rows.iter().filter_map(|row| row.ours.as_ref()).map(of).sum(),
            theirs: rows.iter().filter_map(|row| row.theirs.as_ref()).map(of).sum(),
        };
        let gross = sum(|sums| sums.gross);
        let both = || charges.iter().filter_map(|row| row.ours.zip(row.theirs));
        let charge_sum =
            Compared { ours: both().map(|(ours, _)| ours).sum(), theirs: both().map(|(_, theirs)| theirs).sum() };
        Some(Self {
            buy_value: sum(|sums| sums.buy_value),
            sell_value: sum(|sums| sums.sell_value),
            gross,
            charge_sum,
            net: gross.less(charge_sum),
            not_compared: not_compared(analysis, report, gross.theirs, rows.len()),
            rows,
            differing,
            charges,
        })
    }

    pub fn agrees(&self) -> bool {
        self.differing == 0 && self.charges.iter().all(|row| row.agrees)
    }
}

/// What is in neither sum.
fn not_compared(analysis: &Analysis, report: &Report, theirs: Decimal, rows: usize) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut say = |applies: bool, code, sentence: String| {
        if applies {
            remarks.push(Remark::new(code, sentence));
        }
    };
    let unread = report.unread_rows;
    say(
        unread > 0,
        "unread_rows",
        format!("{} of the report could not be read. {}", rows_of(unread), report.first_unread),
    );
    let open = report.open_positions;
    say(
        open > 0,
        "open_positions",
        format!(
            "{} of the report {} open positions, which no profit is realised of.",
            rows_of(open),
            if open == 1 { "is" } else { "are" }
        ),
    );
    let own = report.realised.unwrap_or(theirs);
    say(
        (own - theirs).abs() > Decimal::ONE,
        "own_total",
        format!("The report says {} realised, its rows come to {}.", rupees(own), rupees(theirs)),
    );
    let (sales, value) = report
        .missing_cost_basis(analysis)
        .fold((0_usize, Decimal::ZERO), |(n, sum), (sale, _)| (n + 1, sum + sale.value));
    say(
        sales > 0,
        "missing_cost_basis",
        format!(
            "Sales of {} in this period have no purchase in the log, so that they are in none of our sums. \
             Enter what those shares cost, and they count.",
            rupees(value)
        ),
    );
    say(
        rows > MOST_ROWS,
        "rows_not_listed",
        format!("Of {rows} rows the first {MOST_ROWS} are listed; the sums are of all of them."),
    );
    remarks
}

fn rows_of(count: i64) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// Such as ₹1,23,456.50.
fn rupees(amount: Decimal) -> String {
    let text = format!("{:.2}", amount.abs().round_dp(2));
    let (whole, paise) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        let left = whole.len() - place;
        if place > 0 && (left == 3 || left > 3 && left % 2 == 1) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if amount.is_sign_negative() && !amount.is_zero() { "−" } else { "" };
    format!("{sign}₹{grouped}.{paise}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rupees_are_grouped_as_in_india() {
        for (amount, text) in [
            (Decimal::new(5, 1), "₹0.50"),
            (Decimal::new(-1_234_567, 2), "−₹12,345.67"),
            (Decimal::new(1_234_567_891, 1), "₹12,34,56,789.10"),
            (Decimal::new(100_000, 0), "₹1,00,000.00"),
            (Decimal::new(999, 0), "₹999.00"),
        ] {
            assert_eq!(rupees(amount), text);
        }
    }
}
