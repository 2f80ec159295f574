//! Checks that the balances of a ledger follow from its entries.

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use time::Date;

use crate::error::{Rejection, RejectionReason};

/// Difference that rounded figures may have: half a paisa.
const TOLERANCE: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

/// Row of a ledger.
#[derive(Clone, Debug)]
pub(super) struct LedgerRow {
    /// Row number as in a spreadsheet program.
    pub row: u64,
    pub day: Date,
    pub debit: Decimal,
    pub credit: Decimal,
    /// Balance after this entry; 0 if the file states none.
    pub balance: Decimal,
}

/// Balances before the first and after the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Balances {
    pub opening: Decimal,
    pub closing: Decimal,
}

/// Ledger as the rows of a sheet state it, in the order of the file.
#[derive(Default)]
pub(super) struct Statement {
    pub rows: Vec<LedgerRow>,
    /// Row number and amount of the stated balances, if there are any.
    pub opening: Option<(u64, Decimal)>,
    pub closing: Option<(u64, Decimal)>,
}

impl LedgerRow {
    /// Returns the balance before this entry.
    fn before(&self) -> Decimal {
        self.balance.saturating_add(self.debit).saturating_sub(self.credit)
    }
}

impl Statement {
    /// Checks each balance against the one before it, and the stated opening and closing balances. Rows may be listed from
    /// the oldest or from the newest, and in any order within a day.
    ///
    /// # Errors
    /// The first row whose balance does not follow, with the stated and the calculated balance.
    pub fn check(&self) -> Result<Balances, Rejection> {
        let mut days: BTreeMap<Date, Vec<&LedgerRow>> = BTreeMap::new();
        for row in &self.rows {
            days.entry(row.day).or_default().push(row);
        }
        let newest_first = self.rows.first().zip(self.rows.last()).is_some_and(|(first, last)| first.day > last.day);
        let sum =
            self.rows.iter().fold(Decimal::ZERO, |sum, row| sum.saturating_add(row.credit).saturating_sub(row.debit));
        let from_closing = || self.closing.map(|(_, closing)| closing.saturating_sub(sum));
        let mut current = self.opening.map(|(_, balance)| balance).or_else(from_closing);
        let (mut opening, mut closing) = (current, None);
        for rows in days.values_mut() {
            if newest_first {
                rows.reverse();
            }
            let (start, end) = check_day(rows, current)?;
            if current.is_none() {
                opening = Some(start);
            }
            // Of a day that ends as it began, the first balance is unknown until the next day.
            current = (current.is_some() || !is_equal(start, end)).then_some(end);
            closing = Some(end);
        }
        let (Some(opening), Some(closing)) = (opening, closing) else {
            return Err(RejectionReason::LedgerEmpty.into());
        };
        if let Some((row, stated)) = self.closing.filter(|(_, stated)| !is_equal(*stated, closing)) {
            return Err(mismatch(row, stated, closing));
        }
        Ok(Balances { opening, closing })
    }
}

/// Returns the balances before and after the entries of a day.
fn check_day(rows: &[&LedgerRow], current: Option<Decimal>) -> Result<(Decimal, Decimal), Rejection> {
    let forward = check_sequence(rows.iter().copied(), current);
    let Err((row, calculated)) = forward else {
        return forward.map_err(|(row, calculated)| to_mismatch(row, calculated));
    };
    check_sequence(rows.iter().rev().copied(), current)
        .ok()
        .or_else(|| find_any_order(rows, current))
        .ok_or_else(|| to_mismatch(row, calculated))
}

/// Checks the rows in this order. Returns the first row that does not follow, and its calculated balance.
fn check_sequence<'r>(
    mut rows: impl Iterator<Item = &'r LedgerRow>,
    current: Option<Decimal>,
) -> Result<(Decimal, Decimal), (&'r LedgerRow, Decimal)> {
    let mut balances: Option<(Decimal, Decimal)> = current.map(|balance| (balance, balance));
    let result = rows.try_for_each(|row| {
        let (start, before) = balances.unwrap_or((row.before(), row.before()));
        let calculated = before.saturating_sub(row.debit).saturating_add(row.credit);
        if !is_equal(calculated, row.balance) {
            return Err((row, calculated));
        }
        balances = Some((start, row.balance));
        Ok(())
    });
    result.map(|()| balances.unwrap_or_default())
}

/// Returns the balances before and after the rows if there is an order in which each follows from the one before it.
///
/// A row leads from one balance to another, so an order is a path that takes each row once: all rows are connected, and
/// every balance is left as often as it is reached, except the first and the last one.
fn find_any_order(rows: &[&LedgerRow], current: Option<Decimal>) -> Option<(Decimal, Decimal)> {
    let paise = |balance: Decimal| balance.round_dp(2).normalize();
    let edges: Vec<_> = rows.iter().map(|row| (paise(row.before()), paise(row.balance))).collect();
    let mut surplus: HashMap<Decimal, i64> = HashMap::new();
    for (before, after) in &edges {
        *surplus.entry(*before).or_default() += 1;
        *surplus.entry(*after).or_default() -= 1;
    }
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for (balance, count) in surplus {
        match count {
            0 => (),
            1 => starts.push(balance),
            -1 => ends.push(balance),
            _ => return None,
        }
    }
    let (start, end) = match (starts.as_slice(), ends.as_slice()) {
        ([start], [end]) => (*start, *end),
        // The day ends with the balance with which it began.
        ([], []) => {
            let start = current.map_or(edges.first()?.0, paise);
            (start, start)
        }
        _ => return None,
    };
    if current.is_some_and(|current| paise(current) != start) {
        return None;
    }
    let mut neighbours: HashMap<Decimal, Vec<Decimal>> = HashMap::new();
    for (before, after) in &edges {
        neighbours.entry(*before).or_default().push(*after);
        neighbours.entry(*after).or_default().push(*before);
    }
    let mut pending = vec![start];
    while let Some(balance) = pending.pop() {
        pending.extend(neighbours.remove(&balance).unwrap_or_default());
    }
    neighbours.is_empty().then_some((start, end))
}

fn is_equal(one: Decimal, other: Decimal) -> bool {
    one.saturating_sub(other).abs() < TOLERANCE
}

fn to_mismatch(row: &LedgerRow, calculated: Decimal) -> Rejection {
    mismatch(row.row, row.balance, calculated)
}

fn mismatch(row: u64, stated: Decimal, calculated: Decimal) -> Rejection {
    let rupees = |amount: Decimal| amount.round_dp(2).to_string();
    Rejection::from(RejectionReason::LedgerBalance)
        .with("row", row)
        .with("stated", rupees(stated))
        .with("calculated", rupees(calculated))
        .with("difference", rupees(stated.saturating_sub(calculated)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(offset: i64) -> Date {
        time::macros::date!(2026 - 04 - 01).saturating_add(time::Duration::days(offset))
    }

    /// Returns a ledger that begins with 1,000, of amounts by day; a negative amount is a debit.
    fn ledger(days: &[Vec<i64>]) -> Vec<LedgerRow> {
        let mut balance = Decimal::from(1_000);
        let mut rows = Vec::new();
        for (offset, amounts) in days.iter().enumerate() {
            for amount in amounts {
                let amount = Decimal::new(*amount, 2);
                balance += amount;
                let (debit, credit) =
                    if amount.is_sign_negative() { (-amount, Decimal::ZERO) } else { (Decimal::ZERO, amount) };
                let (row, day) = (rows.len() as u64 + 2, day(offset as i64));
                rows.push(LedgerRow { row, day, debit, credit, balance });
            }
        }
        rows
    }

    fn statement(rows: Vec<LedgerRow>) -> Statement {
        Statement { rows, ..Statement::default() }
    }

    proptest! {
        #[test]
        fn accepts_each_day_in_any_order_from_either_end(
            days in proptest::collection::vec(proptest::collection::vec(-50_000i64..50_000, 1..8), 1..6),
            seed in any::<u64>(),
            reversed in any::<bool>(),
            with_opening in any::<bool>(),
        ) {
            let rows = ledger(&days);
            let closing = rows.last().unwrap().balance;
            let mut shuffled: Vec<_> = rows.iter().map(|row| {
                let key = (row.row ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                (row.day, key, row.clone())
            }).collect();
            shuffled.sort_by_key(|(day, key, _)| (*day, *key));
            let mut shuffled: Vec<_> = shuffled.into_iter().map(|(_, _, row)| row).collect();
            if reversed {
                shuffled.reverse();
            }
            let opening = with_opening.then_some((1, Decimal::from(1_000)));
            let statement = Statement { rows: shuffled, opening, closing: Some((99, closing)) };
            let balances = statement.check().unwrap();
            prop_assert_eq!(balances.closing.normalize(), closing.normalize());
        }

        #[test]
        fn rejects_a_changed_amount(
            days in proptest::collection::vec(proptest::collection::vec(-50_000i64..50_000, 1..8), 1..6),
            index in any::<prop::sample::Index>(),
            change in 1i64..10_000,
        ) {
            let mut rows = ledger(&days);
            let index = index.index(rows.len());
            rows[index].credit += Decimal::new(change, 2);
            let statement = Statement { rows, opening: Some((1, Decimal::from(1_000))), closing: None };
            prop_assert!(statement.check().is_err());
        }
    }

    #[test]
    fn names_the_row_and_the_difference() {
        let mut rows = ledger(&[vec![100, -250], vec![-300]]);
        rows[2].balance += Decimal::new(75, 2);
        let rejection = statement(rows).check().unwrap_err();
        assert_eq!(rejection.reason, RejectionReason::LedgerBalance);
        let value = |name: &str| rejection.params.iter().find(|(key, _)| *key == name).unwrap().1.clone();
        assert_eq!(["row", "stated", "calculated", "difference"].map(value), ["4", "996.25", "995.50", "0.75"]);
    }

    #[test]
    fn rejects_a_missing_row_and_another_closing_balance() {
        let rows = ledger(&[vec![100], vec![-250], vec![-300]]);
        let mut missing = rows.clone();
        missing.remove(1);
        assert_eq!(statement(missing).check().unwrap_err().reason, RejectionReason::LedgerBalance);
        let closing = Some((5, Decimal::from(1)));
        let other = Statement { rows, closing, ..Statement::default() };
        assert_eq!(other.check().unwrap_err().reason, RejectionReason::LedgerBalance);
        assert_eq!(Statement::default().check().unwrap_err().reason, RejectionReason::LedgerEmpty);
    }

    #[test]
    fn rejects_rows_of_a_day_that_are_not_connected() {
        // Two circles: 1000 -> 1100 -> 1000, and 5000 -> 5100 -> 5000.
        let row = |row, before: i64, after: i64| {
            let amount = Decimal::from(after - before);
            let (debit, credit) = if after < before { (-amount, Decimal::ZERO) } else { (Decimal::ZERO, amount) };
            LedgerRow { row, day: day(0), debit, credit, balance: after.into() }
        };
        let rows = vec![row(2, 1000, 1100), row(3, 5000, 5100), row(4, 1100, 1000), row(5, 5100, 5000)];
        assert!(statement(rows).check().is_err());
    }
}
