//! Identity of shares: symbols, ISINs and names that stand for the same share.

use std::collections::HashMap;

use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;

/// Identifier of a share in the trade log or a report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ShareId {
    /// Symbol in capitals.
    Symbol(String),
    Isin(String),
    /// Name of the company, if there is neither a symbol nor an ISIN.
    Name(String),
}

impl ShareId {
    pub fn symbol(symbol: &str) -> Self {
        Self::Symbol(symbol.to_uppercase())
    }

    /// Returns the identifier of a row of a report: the ISIN, otherwise the symbol, otherwise the name.
    pub fn from_row(symbol: &str, isin: &str, name: &str) -> Self {
        if !isin.is_empty() {
            Self::Isin(isin.to_uppercase())
        } else if symbol.is_empty() {
            Self::Name(name.to_owned())
        } else {
            Self::symbol(symbol)
        }
    }
}

/// Disjoint sets of identifiers; identifiers in one set stand for the same share.
#[derive(Default)]
pub struct ShareIdentities {
    indices: HashMap<ShareId, usize>,
    /// Parent of each identifier in its set; the root of a set is its own parent.
    parents: Vec<usize>,
}

impl ShareIdentities {
    /// Returns the index of an identifier, adding a new one as a set of its own.
    pub fn index(&mut self, id: ShareId) -> usize {
        *self.indices.entry(id).or_insert_with(|| {
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    /// Returns the root of the identifier's set, and shortens the path to it.
    pub fn root(&mut self, mut index: usize) -> usize {
        while let Some(parent) = self.parents.get(index).copied().filter(|parent| *parent != index) {
            let grandparent = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(current) = self.parents.get_mut(index) {
                *current = grandparent;
            }
            index = parent;
        }
        index
    }

    /// Joins the sets of two identifiers.
    pub fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let (first, last) = (one.min(other), one.max(other));
        if let Some(parent) = self.parents.get_mut(last) {
            *parent = first;
        }
    }

    /// Joins a symbol and an ISIN, if neither is empty.
    pub fn join_symbol(&mut self, symbol: &str, isin: &str) {
        if !symbol.is_empty() && !isin.is_empty() {
            let symbol = self.index(ShareId::symbol(symbol));
            let isin = self.index(ShareId::Isin(isin.to_uppercase()));
            self.join(symbol, isin);
        }
    }

    /// Joins the symbols that closed trades link by a rename.
    pub fn join_renames<'a>(&mut self, analysis: &Analysis, closed_trades: impl Iterator<Item = &'a ClosedTrade>) {
        for closed_trade in closed_trades {
            let Some(ledger) = analysis.ledger(closed_trade) else { continue };
            let first = ledger.lot_matches(&closed_trade.lot_matches).first();
            let opening = first.and_then(|lot_match| ledger.fill_of_lot(lot_match.entry.lot));
            let opening_symbol = opening.map(|fill| &fill.instrument.symbol);
            let closing_symbol = &closed_trade.instrument.symbol;
            if let Some(opening_symbol) = opening_symbol.filter(|symbol| *symbol != closing_symbol) {
                let opening = self.index(ShareId::symbol(opening_symbol));
                let closing = self.index(ShareId::symbol(closing_symbol));
                self.join(opening, closing);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_joined_in_steps_are_one_share() {
        let mut identities = ShareIdentities::default();
        let isin = |isin: &str| ShareId::Isin(isin.to_owned());
        for (symbol, isin_text) in [("old", "I1"), ("NEW", "I1"), ("NEW", "I2"), ("OTHER", "I3")] {
            let symbol = identities.index(ShareId::symbol(symbol));
            let isin = identities.index(isin(isin_text));
            identities.join(symbol, isin);
        }
        let mut root = |id| {
            let index = identities.index(id);
            identities.root(index)
        };
        let old = root(ShareId::symbol("OLD"));
        assert_eq!([root(isin("I1")), root(isin("I2")), root(ShareId::symbol("new"))], [old; 3]);
        assert_ne!(root(isin("I3")), old);
    }
}
