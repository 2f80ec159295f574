//! Heads of income.

/// Head of income, and kind of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaxHead {
    Speculative,
    NonSpeculative,
    ShortTerm,
    LongTerm,
}

impl TaxHead {
    pub const ALL: [Self; 4] = [Self::Speculative, Self::NonSpeculative, Self::ShortTerm, Self::LongTerm];

    /// Returns the name in the rate files and the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speculative => "speculative",
            Self::NonSpeculative => "non-speculative",
            Self::ShortTerm => "short-term",
            Self::LongTerm => "long-term",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|head| head.name() == name)
    }
}
