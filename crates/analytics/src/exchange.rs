//! Exchanges.

/// Exchange of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exchange {
    Nse,
    Bse,
}

impl Exchange {
    /// Returns the exchange with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "NSE" => Some(Self::Nse),
            "BSE" => Some(Self::Bse),
            _ => None,
        }
    }
}
