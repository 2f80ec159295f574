//! Which symbols, ISINs and names are one and the same share.

use std::collections::HashMap;

/// By what a share is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// In capitals.
    Symbol(String),
    Isin(String),
    /// Of the company, where nothing else is told.
    Name(String),
}

impl Known {
    pub fn symbol(symbol: &str) -> Self {
        Self::Symbol(symbol.to_uppercase())
    }
}

/// Sets of those, joined as files tell that two are one.
#[derive(Default)]
pub struct Groups {
    places: HashMap<Known, usize>,
    /// Each knows another one of its group that is nearer to the group's first.
    parents: Vec<usize>,
}

impl Groups {
    pub fn place(&mut self, known: Known) -> usize {
        *self.places.entry(known).or_insert_with(|| {
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    /// The group of a place, by its first one.
    pub fn of(&mut self, mut place: usize) -> usize {
        while let Some(parent) = self.parents.get(place).copied().filter(|parent| *parent != place) {
            let grandparent = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(shorter) = self.parents.get_mut(place) {
                *shorter = grandparent;
            }
            place = parent;
        }
        place
    }

    pub fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
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
    fn what_is_joined_in_steps_is_one_group() {
        let mut groups = Groups::default();
        let isin = |isin: &str| Known::Isin(isin.to_owned());
        for (symbol, told) in [("old", "I1"), ("NEW", "I1"), ("NEW", "I2"), ("OTHER", "I3")] {
            let (symbol, told) = (groups.place(Known::symbol(symbol)), groups.place(isin(told)));
            groups.join(symbol, told);
        }
        let mut of = |known| {
            let place = groups.place(known);
            groups.of(place)
        };
        let old = of(Known::symbol("OLD"));
        assert_eq!([of(isin("I1")), of(isin("I2")), of(Known::symbol("new"))], [old; 3]);
        assert_ne!(of(isin("I3")), old);
    }
}
