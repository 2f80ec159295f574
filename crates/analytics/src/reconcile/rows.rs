//! Shares and contracts: the closed trades of the log against the rows of the report.

use std::collections::{BTreeSet, HashMap};

use rust_decimal::Decimal;

use super::groups::{Groups, Known};
use super::{PAISA, Remark, Report, Sums, causes};
use crate::analysis::Analysis;
use crate::group::Group;

/// One share or contract.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Ours where the log has it, otherwise theirs; empty where the report has a name alone.
    pub symbol: String,
    pub isin: String,
    pub name: String,
    pub ours: Option<Sums>,
    pub theirs: Option<Sums>,
    /// Where they differ.
    pub cause: Option<Remark>,
}

impl Row {
    /// Ours less theirs; what is absent is 0.
    pub fn difference(&self) -> Sums {
        self.ours.unwrap_or_default().less(&self.theirs.unwrap_or_default())
    }
}

/// What both sides say of one share or contract, with what may explain how they differ.
#[derive(Default)]
pub(super) struct Facts {
    pub ours: Option<Sums>,
    pub theirs: Option<Sums>,
    /// The log's symbols for it.
    pub symbols: BTreeSet<String>,
    told_symbol: String,
    name: String,
    isins: BTreeSet<String>,
    /// Trades of the log up to the end of the period, and how many of them were entered or changed by hand.
    pub trades: usize,
    pub by_hand: usize,
    /// Sold in the period without a purchase.
    pub missing_cost_basis: Decimal,
    /// Of what was closed: on the first and on the last day, at an expiry.
    pub on_first_day: Decimal,
    pub on_last_day: Decimal,
    pub at_expiry: Decimal,
    /// Closed what was bought at a cost that was entered.
    pub opening: bool,
    /// Open in the log past its expiry.
    pub expired_open: Decimal,
}

impl Facts {
    pub fn difference(&self) -> Sums {
        self.ours.unwrap_or_default().less(&self.theirs.unwrap_or_default())
    }

    /// What the trader knows it by.
    pub fn symbol(&self) -> &str {
        let theirs = if self.told_symbol.is_empty() { &self.name } else { &self.told_symbol };
        self.symbols.last().unwrap_or(theirs)
    }

    fn row(self) -> Row {
        let difference = self.difference();
        let agrees = difference.quantity.is_zero() && difference.largest_amount() <= PAISA;
        let cause = (!agrees).then(|| causes::of(&self));
        // The report's own name, where the log has several.
        let ours = self.symbols.get(&self.told_symbol).or_else(|| self.symbols.last());
        Row {
            symbol: ours.cloned().unwrap_or(self.told_symbol),
            isin: self.isins.into_iter().next_back().unwrap_or_default(),
            name: self.name,
            ours: self.ours,
            theirs: self.theirs,
            cause,
        }
    }
}

/// All of them, those that differ first.
pub fn rows(analysis: &Analysis, report: &Report, isins: &[(String, String)]) -> Vec<Row> {
    let mut sides = Sides::default();
    sides.join(analysis, report, isins);
    sides.ours(analysis, report);
    sides.theirs(report);
    let facts = sides.facts.into_values().filter(|facts| facts.ours.is_some() || facts.theirs.is_some());
    let mut rows: Vec<Row> = facts.map(Facts::row).collect();
    let rank = |row: &Row| row.cause.is_some().then(|| row.difference());
    rows.sort_by(|one, other| {
        let (differ, others) = (rank(one), rank(other));
        let size = |sums: Option<Sums>| sums.map(|sums| (sums.gross.abs(), sums.quantity.abs()));
        size(others).cmp(&size(differ)).then_with(|| (&one.symbol, &one.name).cmp(&(&other.symbol, &other.name)))
    });
    rows
}

/// What is known of each group.
#[derive(Default)]
struct Sides {
    groups: Groups,
    facts: HashMap<usize, Facts>,
}

impl Sides {
    /// Finds out what is one share: by ISIN, by symbol, and by closed trades over a new name.
    fn join(&mut self, analysis: &Analysis, report: &Report, isins: &[(String, String)]) {
        let groups = &mut self.groups;
        for (symbol, isin) in isins {
            let (symbol, isin) = (groups.place(Known::symbol(symbol)), groups.place(Known::Isin(isin.to_uppercase())));
            groups.join(symbol, isin);
        }
        for closed_trade in report.closed_trades(analysis) {
            let Some(group) = analysis.group(closed_trade) else { continue };
            let opening = group.pieces(&closed_trade.pieces).first().and_then(|piece| group.fill(piece.entry.part));
            let opened = opening.map(|fill| &fill.instrument.symbol);
            if let Some(opened) = opened.filter(|opened| **opened != closed_trade.instrument.symbol) {
                let places =
                    (groups.place(Known::symbol(opened)), groups.place(Known::symbol(&closed_trade.instrument.symbol)));
                groups.join(places.0, places.1);
            }
        }
        for told in &report.rows {
            let known = [
                (!told.symbol.is_empty()).then(|| Known::symbol(&told.symbol)),
                (!told.isin.is_empty()).then(|| Known::Isin(told.isin.to_uppercase())),
            ];
            if let [Some(symbol), Some(isin)] = known.map(|known| known.map(|known| groups.place(known))) {
                groups.join(symbol, isin);
            }
        }
    }

    fn of(&mut self, known: Known) -> &mut Facts {
        let place = self.groups.place(known);
        self.facts.entry(self.groups.of(place)).or_default()
    }

    fn of_symbol(&mut self, symbol: &str) -> &mut Facts {
        self.of(Known::symbol(symbol))
    }

    fn ours(&mut self, analysis: &Analysis, report: &Report) {
        // Counted by symbol first: there are few of those, and many trades.
        let mut trades: HashMap<&str, (usize, usize)> = HashMap::new();
        for fill in report.fills(analysis).filter(|fill| fill.day <= report.to) {
            let (all, by_hand) = trades.entry(&fill.instrument.symbol).or_default();
            *all += 1;
            *by_hand += usize::from(fill.by_hand);
        }
        for (symbol, (all, by_hand)) in trades {
            let facts = self.of_symbol(symbol);
            facts.symbols.insert(symbol.to_owned());
            facts.trades += all;
            facts.by_hand += by_hand;
        }
        for closed_trade in report.closed_trades(analysis) {
            let facts = self.of_symbol(&closed_trade.instrument.symbol);
            facts.symbols.insert(closed_trade.instrument.symbol.clone());
            facts.ours.get_or_insert_default().add(&Sums::of(closed_trade));
            let count = |applies: bool, quantity: &mut Decimal| {
                if applies {
                    *quantity += closed_trade.quantity;
                }
            };
            count(closed_trade.closed_day == report.from, &mut facts.on_first_day);
            count(closed_trade.closed_day == report.to, &mut facts.on_last_day);
            count(closed_trade.notes.worthless || closed_trade.notes.settled, &mut facts.at_expiry);
            facts.opening |= closed_trade.notes.opening;
        }
        for (sale, quantity) in report.missing_cost_basis(analysis) {
            self.of_symbol(&sale.fill.instrument.symbol).missing_cost_basis += quantity;
        }
        let positions = analysis.groups().flat_map(Group::positions);
        for (position, fill) in positions.filter(|(position, _)| position.expired && !position.worthless) {
            if report.is_of(fill.broker, fill.instrument.is_contract()) {
                self.of_symbol(&fill.instrument.symbol).expired_open += position.quantity;
            }
        }
    }

    fn theirs(&mut self, report: &Report) {
        for told in &report.rows {
            let known = if !told.isin.is_empty() {
                Known::Isin(told.isin.to_uppercase())
            } else if told.symbol.is_empty() {
                Known::Name(told.name.clone())
            } else {
                Known::symbol(&told.symbol)
            };
            let facts = self.of(known);
            facts.theirs.get_or_insert_default().add(&told.sums);
            facts.told_symbol.clone_from(&told.symbol);
            facts.name.clone_from(&told.name);
            if !told.isin.is_empty() {
                facts.isins.insert(told.isin.clone());
            }
        }
    }
}
