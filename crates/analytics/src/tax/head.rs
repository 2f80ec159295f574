//! Heads of income.

/// Head of income, and kind of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaxHead {
    Speculative,
    NonSpeculative,
    ShortTerm,
    LongTerm,
    /// Dividends, interest, rent and other income that a business loss reduces: every income but salary.
    OtherSources,
}

impl TaxHead {
    pub const ALL: [Self; 5] =
        [Self::Speculative, Self::NonSpeculative, Self::ShortTerm, Self::LongTerm, Self::OtherSources];
    /// Heads whose losses are carried forward.
    pub const WITH_LOSSES: [Self; 4] = [Self::Speculative, Self::NonSpeculative, Self::ShortTerm, Self::LongTerm];

    /// Returns the name in the rate files and the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speculative => "speculative",
            Self::NonSpeculative => "non-speculative",
            Self::ShortTerm => "short-term",
            Self::LongTerm => "long-term",
            Self::OtherSources => "other-sources",
        }
    }

    pub fn is_business(self) -> bool {
        matches!(self, Self::Speculative | Self::NonSpeculative)
    }

    pub fn is_gain(self) -> bool {
        matches!(self, Self::ShortTerm | Self::LongTerm)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|head| head.name() == name)
    }
}
