//! What is traded.

use time::Date;

/// What kind of thing is traded under a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Equity,
    Future,
    Call,
    Put,
}

/// When a contract ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// The last day of the month where the symbol tells no more.
    pub day: Date,
    /// It is that very day.
    pub exact: bool,
}

impl Expiry {
    /// Some day of the month of `day`.
    pub fn month(day: Date) -> Option<Self> {
        Some(Self { day: day.replace_day(day.month().length(day.year())).ok()?, exact: false })
    }
}

/// What is traded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instrument {
    pub symbol: String,
    pub class: Class,
    /// What a contract is on; of shares the symbol itself.
    pub underlying: String,
    pub expiry: Option<Expiry>,
}

impl Instrument {
    pub fn is_contract(&self) -> bool {
        self.class != Class::Equity
    }

    pub fn is_option(&self) -> bool {
        matches!(self.class, Class::Call | Class::Put)
    }

    pub fn share(symbol: &str) -> Self {
        Self { symbol: symbol.to_owned(), class: Class::Equity, underlying: symbol.to_owned(), expiry: None }
    }

    /// A contract of which nothing but its symbol is known: a future on itself, or an option where it ends so.
    pub fn unknown(symbol: &str) -> Self {
        let class = match symbol.to_ascii_uppercase() {
            text if text.ends_with("CE") || text.ends_with("CALL") => Class::Call,
            text if text.ends_with("PE") || text.ends_with("PUT") => Class::Put,
            _ => Class::Future,
        };
        Self { symbol: symbol.to_owned(), class, underlying: symbol.to_owned(), expiry: None }
    }
}
