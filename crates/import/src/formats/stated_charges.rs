//! Charges that the rows of a tradebook state, summed by day.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use rpc::trades::v1::{Book, ContractNote, ImportedTrade, Segment};
use rust_decimal::Decimal;
use time::Date;

use super::format::ParsedRow;
use super::header::Header;
use super::issue::Issue;
use crate::cell_value;
use crate::sheet::Row;

/// Limit of an amount in a row, such as that of the trade log for a value. Sums of all rows of a file stay in the range of a
/// decimal.
const MAX_ROW_AMOUNT_EXCLUSIVE: Decimal = Decimal::from_parts(1_215_752_192, 23, 0, false, 0);

/// Characters of a cell by which rows with only charges are compared.
const MAX_CELL_CHARS: usize = 40;

/// Charges in rupees, as a contract note has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charges {
    pub brokerage: Decimal,
    pub stt: Decimal,
    /// Exchange transaction and clearing charges.
    pub exchange: Decimal,
    pub sebi: Decimal,
    pub ipft: Decimal,
    pub stamp_duty: Decimal,
    pub gst: Decimal,
}

/// Charge that a column has.
pub(super) type Charge = fn(&mut Charges) -> &mut Decimal;

const ALL: [Charge; 7] = [
    |charges| &mut charges.brokerage,
    |charges| &mut charges.stt,
    |charges| &mut charges.exchange,
    |charges| &mut charges.sebi,
    |charges| &mut charges.ipft,
    |charges| &mut charges.stamp_duty,
    |charges| &mut charges.gst,
];

impl Charges {
    fn add(&mut self, mut other: Self) {
        for charge in ALL {
            *charge(self) += *charge(&mut other);
        }
    }

    pub fn total(mut self) -> Decimal {
        ALL.iter().map(|charge| *charge(&mut self)).sum()
    }
}

/// Reader of the charges of rows, in reports that state them.
pub(crate) trait ChargeReader {
    /// Returns the day of the charges of `row`.
    fn day(&self, row: &Row<'_>) -> Option<Date>;

    /// Returns true if `row` has charges of an order of the segment that is read, and no trade.
    fn has_only_charges(&self, _row: &Row<'_>) -> bool {
        false
    }

    /// Reads the charges of `row`.
    fn read(&self, row: &Row<'_>) -> Result<Charges, Issue>;
}

/// Columns of a table with the charges of its rows.
#[derive(Debug)]
pub(super) struct ChargeColumns(Vec<(usize, Charge)>);

impl ChargeColumns {
    /// Returns the columns with these names; none unless the table has all of them.
    pub fn find(header: &Header<'_>, names: &[(&str, Charge)]) -> Option<Self> {
        names.iter().map(|(name, charge)| Some((header.column(name)?, *charge))).collect::<Option<_>>().map(Self)
    }

    /// Reads the charges of a row; an empty cell or a hyphen is zero, but not all of them.
    pub fn read(&self, row: &Row<'_>) -> Result<Charges, Issue> {
        let mut charges = Charges::default();
        let is_empty = |column: usize| {
            let cell = row.cell(column);
            cell.is_blank() || cell_value::parse_text(cell).is_some_and(|text| text.trim() == "-")
        };
        let mut stated = self.0.iter().filter(|(column, _)| !is_empty(*column)).peekable();
        if stated.peek().is_none() {
            return Err(Issue::in_optional_cell(self.0.first().map(|(column, _)| *column), "charges_missing"));
        }
        for (column, charge) in stated {
            let amount = parse_amount(row, *column).ok_or(Issue::in_cell(*column, "charge_invalid"))?;
            *charge(&mut charges) += amount;
        }
        Ok(charges)
    }
}

/// Parses an amount in rupees; none if it is too large for a row.
pub(super) fn parse_amount(row: &Row<'_>, column: usize) -> Option<Decimal> {
    cell_value::parse_decimal(row.cell(column)).filter(|amount| amount.abs() < MAX_ROW_AMOUNT_EXCLUSIVE)
}

/// Charges and trades of the days of one segment.
#[derive(Debug, Default)]
pub(crate) struct StatedCharges {
    days: BTreeMap<Date, DayCharges>,
    /// True if the day of a row with charges could not be read.
    is_day_unknown: bool,
    /// Hashes of the source keys of trades, and of rows with only charges.
    rows: HashSet<u64>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct DayCharges {
    /// Values of the trades, bought and sold.
    turnover: Decimal,
    charges: Charges,
    /// True if a row of the day, or its charges, could not be read.
    is_incomplete: bool,
}

impl StatedCharges {
    /// Adds the charges and the trades of a row, of which `parsed` is the result. Returns a warning if they cannot be read.
    pub fn add_row(
        &mut self,
        reader: &dyn ChargeReader,
        row: &Row<'_>,
        parsed: &Result<Option<ParsedRow>, Issue>,
    ) -> Option<Issue> {
        let trades = match parsed {
            Ok(None) => return None,
            Err(issue) if issue.is_skipped && !reader.has_only_charges(row) => return None,
            Ok(Some(parsed)) => Some(parsed),
            Err(_) => None,
        };
        let Some(day) = reader.day(row) else {
            let is_first = !std::mem::replace(&mut self.is_day_unknown, true);
            return is_first.then(|| Issue::in_row("charges_without_day"));
        };
        let is_repeated = !self.rows.insert(match trades {
            Some(parsed) => self.hasher.hash_one(&parsed.trade.source_key),
            None => self
                .hasher
                .hash_one(row.cells().map(|cell| cell_value::display_text(cell, MAX_CELL_CHARS)).collect::<Vec<_>>()),
        });
        let of_day = self.days.entry(day).or_default();
        let has_error = matches!(parsed, Err(issue) if !issue.is_skipped);
        if is_repeated || has_error {
            of_day.is_incomplete = true;
            // The trade log imports a repeated trade once.
            return (!has_error).then(|| Issue::in_row("charges_repeated"));
        }
        for trade in trades.into_iter().flat_map(|row| std::iter::once(&row.trade).chain(row.other_leg.as_deref())) {
            of_day.turnover += trade_value(trade);
        }
        match reader.read(row) {
            Ok(charges) => of_day.charges.add(charges),
            Err(issue) => {
                of_day.is_incomplete = true;
                return Some(issue);
            }
        }
        None
    }

    /// Returns the charges of the complete days with trades; at most `limit` of them, the last ones.
    pub fn to_notes(&self, segment: Segment, limit: usize) -> Vec<ContractNote> {
        if self.is_day_unknown {
            return Vec::new();
        }
        let is_complete = |day: &DayCharges| {
            let amounts = [day.turnover, day.charges.total()];
            !day.is_incomplete
                && amounts.iter().all(|amount| *amount > Decimal::ZERO && *amount < MAX_ROW_AMOUNT_EXCLUSIVE)
        };
        let complete = self.days.iter().rev().filter(|(_, day)| is_complete(day)).take(limit);
        let note = |(day, of_day): (&Date, &DayCharges)| {
            let amount = |amount: Decimal| cell_value::format_decimal(amount.round_dp(4));
            let Charges { brokerage, stt, exchange, sebi, ipft, stamp_duty, gst } = of_day.charges;
            ContractNote {
                book: Some(Book { segment: segment.into(), ..Book::default() }),
                number: String::new(),
                date: day.to_string(),
                turnover: amount(of_day.turnover),
                brokerage: amount(brokerage),
                stt: amount(stt),
                exchange: amount(exchange),
                sebi: amount(sebi),
                ipft: amount(ipft),
                stamp_duty: amount(stamp_duty),
                gst: amount(gst),
                from_tradebook: true,
            }
        };
        complete.map(note).collect()
    }
}

/// Returns the value of a trade: as stated, or quantity times price.
fn trade_value(trade: &ImportedTrade) -> Decimal {
    let number = |text: &str| text.parse::<Decimal>().unwrap_or_default();
    match trade.value.as_str() {
        "" => number(&trade.quantity).checked_mul(number(&trade.price)).unwrap_or_default(),
        value => number(value),
    }
}
