//! Identity of shares: symbols, ISINs and names that stand for the same share.

use std::collections::HashMap;

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
