//! Model of an account.

use std::collections::{BTreeMap, BTreeSet};

use proptest::sample::Index;
use rust_decimal::Decimal;

use super::{BOOKS, Call, GeneratedWrite, Outcome, broker_fills};
use crate::tests::*;

/// Model of a book.
#[derive(Clone, Debug, Default, PartialEq)]
struct Book {
    trades: BTreeMap<i64, (wire::Trade, Option<String>)>,
    /// Recorded versions of the broker, by trade.
    versions: BTreeMap<i64, wire::ImportedTrade>,
    deleted: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub struct Change {
    pub id: i64,
    pub book: usize,
    before: Book,
    /// Pair id of an entry whose second leg can still join the change.
    pair_id: Option<String>,
    pub undone: bool,
}

/// Model of an account. An undo restores a copy of the whole book.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub version: i64,
    trade_ids: i64,
    change_ids: i64,
    books: [Book; BOOKS.len()],
    pub changes: Vec<Change>,
}

fn value(quantity: &str, price: &str) -> String {
    (quantity.parse::<Decimal>().unwrap() * price.parse::<Decimal>().unwrap()).normalize().to_string()
}

/// Returns the trade of a fill as the broker states it.
fn broker_trade(id: i64, book: Option<wire::Book>, fill: &wire::ImportedTrade) -> wire::Trade {
    wire::Trade {
        id,
        book,
        side: fill.side,
        symbol: fill.symbol.clone(),
        quantity: fill.quantity.clone(),
        price: fill.price.clone(),
        value: value(&fill.quantity, &fill.price),
        executed_at: fill.executed_at,
        time_precision: fill.time_precision,
        exchange: fill.exchange,
        notes: None,
        pair_id: String::new(),
        imported: true,
        edited: false,
        contract: None,
        order_id: fill.order_id.clone(),
        isin: fill.isin.clone(),
        series: fill.series.clone(),
        auction: fill.auction,
        source_key: fill.source_key.clone(),
    }
}

impl Model {
    /// Returns the write with a trade or change of the model.
    pub fn to_call(&self, book: usize, write: GeneratedWrite) -> Call {
        let ids: Vec<i64> = self.books.iter().flat_map(|book| book.trades.keys().copied()).collect();
        let trade_id = |index: Index| if ids.is_empty() { 1 } else { *index.get(&ids) };
        match write {
            GeneratedWrite::Add { n, pair } => {
                let pair_id = pair.map(|pair| format!("pair {pair}")).unwrap_or_default();
                Call::Add(book, wire::NewTrade { pair_id, ..manual_trade(n) })
            }
            GeneratedWrite::Replace { from, count } => {
                Call::Replace(book, (from..from + count).map(manual_trade).collect())
            }
            GeneratedWrite::Import { from, count, corrected } => {
                Call::Import(book, broker_fills(from..from + count, corrected))
            }
            GeneratedWrite::Preview { from, count, corrected, others } => {
                Call::Preview(book, broker_fills(from..from + count, corrected), others)
            }
            GeneratedWrite::Edit { trade, n } => Call::Edit(trade_id(trade), manual_trade(n)),
            GeneratedWrite::Delete { trade, pair } => Call::Delete(trade_id(trade), pair),
            GeneratedWrite::Undo { change, expected } => {
                let Some(change) = (!self.changes.is_empty()).then(|| change.get(&self.changes)) else {
                    return Call::Undo(1, 0);
                };
                Call::Undo(change.id, if expected { self.newer(change) } else { 7 })
            }
        }
    }

    /// Returns the number of newer changes of the book that are not undone.
    pub fn newer(&self, than: &Change) -> i64 {
        let newer = |change: &&Change| change.book == than.book && !change.undone && change.id > than.id;
        i64::try_from(self.changes.iter().filter(newer).count()).unwrap()
    }

    /// Applies a write and returns its expected outcome.
    pub fn apply(&mut self, call: &Call) -> Outcome {
        match call {
            Call::Add(book, new) => {
                let before = self.books[*book].clone();
                self.add(*book, new);
                let newest = self.changes.iter_mut().rev().find(|change| change.book == *book && !change.undone);
                let pair_id = Some(new.pair_id.clone()).filter(|pair_id| !pair_id.is_empty());
                self.version += 1;
                let id = match newest {
                    Some(first) if pair_id.is_some() && first.pair_id == pair_id => {
                        first.pair_id = None;
                        first.id
                    }
                    _ => self.record(*book, before, pair_id),
                };
                Ok(self.outcome(id, 1, 0))
            }
            Call::Replace(book, trades) => {
                let before = self.books[*book].clone();
                self.books[*book].trades.clear();
                trades.iter().for_each(|new| self.add(*book, new));
                self.version += 1;
                let removed = before.trades.len();
                let id = self.record(*book, before, None);
                Ok(self.outcome(id, trades.len(), removed))
            }
            Call::Import(book, fills) => Ok(self.import(*book, fills, wire::Resolution::Unspecified)),
            Call::Preview(book, fills, others) => Ok(self.import(*book, fills, *others)),
            Call::Edit(id, new) => self.edit(*id, new),
            Call::Delete(id, pair) => self.delete(*id, *pair),
            Call::Undo(id, newer) => self.undo(*id, *newer),
        }
    }

    fn import(&mut self, book: usize, fills: &[wire::ImportedTrade], others: wire::Resolution) -> [i64; 6] {
        let before = self.books[book].clone();
        let conflicts = fills.iter().filter(|fill| self.merge(book, fill, others)).count();
        let added = self.books[book].trades.len() - before.trades.len();
        let corrected = if others == wire::Resolution::Replace { conflicts } else { 0 };
        self.version += i64::from(added + corrected > 0);
        let id = self.record(book, before, None);
        let mut outcome = self.outcome(id, added, corrected);
        outcome[5] = if others == wire::Resolution::Unspecified { i64::try_from(conflicts).unwrap() } else { 0 };
        outcome
    }

    fn outcome(&self, change: i64, added: usize, removed: usize) -> [i64; 6] {
        let total: usize = self.books.iter().map(|book| book.trades.len()).sum();
        let count = |len: usize| i64::try_from(len).unwrap();
        [change, count(added), count(removed), count(total), self.version, 0]
    }

    fn record(&mut self, book: usize, before: Book, pair_id: Option<String>) -> i64 {
        self.change_ids += 1;
        self.changes.push(Change { id: self.change_ids, book, before, pair_id, undone: false });
        self.change_ids
    }

    fn add(&mut self, book: usize, new: &wire::NewTrade) {
        self.trade_ids += 1;
        let trade = wire::Trade {
            id: self.trade_ids,
            book: Some(BOOKS[book]),
            side: new.side,
            symbol: new.symbol.clone(),
            quantity: new.quantity.clone(),
            price: new.price.clone(),
            value: value(&new.quantity, &new.price),
            executed_at: new.executed_at,
            time_precision: wire::TimePrecision::Minute.into(),
            exchange: new.exchange,
            notes: None,
            pair_id: new.pair_id.clone(),
            imported: false,
            edited: false,
            contract: None,
            order_id: String::new(),
            isin: String::new(),
            series: String::new(),
            auction: false,
            source_key: String::new(),
        };
        self.books[book].trades.insert(self.trade_ids, (trade, None));
    }

    /// Merges a fill; returns true if it differs from the broker's earlier version.
    fn merge(&mut self, index: usize, fill: &wire::ImportedTrade, others: wire::Resolution) -> bool {
        let key = Some(fill.source_key.clone());
        let book = &mut self.books[index];
        if let Some((id, (trade, _))) = book.trades.iter_mut().find(|(_, (_, other))| *other == key) {
            let conflict = book.versions[id].price != fill.price;
            if conflict && others != wire::Resolution::Unspecified {
                book.versions.insert(*id, fill.clone());
            }
            if conflict && others == wire::Resolution::Replace {
                *trade = broker_trade(*id, trade.book, fill);
            }
            return conflict;
        }
        if !book.deleted.contains(&fill.source_key) {
            self.trade_ids += 1;
            let trade = broker_trade(self.trade_ids, Some(BOOKS[index]), fill);
            book.trades.insert(self.trade_ids, (trade, key));
            book.versions.insert(self.trade_ids, fill.clone());
        }
        false
    }

    fn find_book(&self, trade_id: i64) -> Result<usize, String> {
        self.books
            .iter()
            .position(|book| book.trades.contains_key(&trade_id))
            .ok_or_else(|| "TRADE_NOT_FOUND".to_owned())
    }

    fn edit(&mut self, id: i64, new: &wire::NewTrade) -> Outcome {
        let book = self.find_book(id)?;
        let before = self.books[book].clone();
        let (trade, _) = self.books[book].trades.get_mut(&id).unwrap();
        let previous = trade.clone();
        if trade.executed_at != new.executed_at {
            trade.time_precision = wire::TimePrecision::Minute.into();
        }
        (trade.side, trade.exchange, trade.executed_at) = (new.side, new.exchange, new.executed_at);
        if trade.symbol != new.symbol {
            trade.isin.clear();
        }
        (trade.symbol, trade.quantity, trade.price) = (new.symbol.clone(), new.quantity.clone(), new.price.clone());
        trade.value = value(&new.quantity, &new.price);
        if *trade == previous {
            return Ok(self.outcome(0, 0, 0));
        }
        trade.edited = trade.imported;
        self.version += 1;
        let change = self.record(book, before, None);
        Ok(self.outcome(change, 0, 0))
    }

    fn delete(&mut self, id: i64, pair: bool) -> Outcome {
        let index = self.find_book(id)?;
        let before = self.books[index].clone();
        let book = &mut self.books[index];
        let pair_id = book.trades[&id].0.pair_id.clone();
        let is_deleted =
            |trade: &wire::Trade| trade.id == id || (pair && !pair_id.is_empty() && trade.pair_id == pair_id);
        let (deleted, left) =
            std::mem::take(&mut book.trades).into_iter().partition(|(_, (trade, _))| is_deleted(trade));
        let deleted: BTreeMap<_, _> = deleted;
        book.trades = left;
        book.deleted.extend(deleted.values().filter_map(|(_, key)| key.clone()));
        self.version += 1;
        let change = self.record(index, before, None);
        Ok(self.outcome(change, 0, deleted.len()))
    }

    fn undo(&mut self, id: i64, expected: i64) -> Outcome {
        let change = self.changes.iter().find(|change| change.id == id).ok_or("CHANGE_NOT_FOUND")?.clone();
        if change.undone {
            return Err("CHANGE_UNDONE".to_owned());
        }
        let newer = self.newer(&change);
        if newer != expected {
            return Err("NEWER_CHANGES_MISMATCH".to_owned());
        }
        for other in &mut self.changes {
            other.undone |= other.book == change.book && other.id >= id;
        }
        let now = std::mem::replace(&mut self.books[change.book], change.before);
        let removed = now.trades.keys().filter(|id| !self.books[change.book].trades.contains_key(id)).count();
        self.version += 1;
        Ok(self.outcome(newer + 1, 0, removed))
    }

    /// Returns the trades, newest first.
    pub fn trades(&self) -> Vec<wire::Trade> {
        let mut trades: Vec<_> =
            self.books.iter().flat_map(|book| book.trades.values().map(|(trade, _)| trade.clone())).collect();
        trades.sort_by_key(|trade| std::cmp::Reverse((trade.executed_at.unwrap().seconds, trade.id)));
        trades
    }
}
