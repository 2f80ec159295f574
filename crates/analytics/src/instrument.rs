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

    /// A contract of which nothing but its symbol is known: an option where its strike, or a blank, stands before CE, PE,
    /// Call or Put, otherwise a future. RELIANCE and BAJFINANCE are no calls.
    pub fn unknown(symbol: &str) -> Self {
        let text = symbol.to_ascii_uppercase();
        let ends = |words: [&str; 2]| {
            let before = words.iter().find_map(|word| text.strip_suffix(word)).unwrap_or_default();
            before.ends_with(|c: char| c.is_ascii_digit() || c == ' ')
        };
        let class = if ends(["CE", "CALL"]) {
            Class::Call
        } else if ends(["PE", "PUT"]) {
            Class::Put
        } else {
            Class::Future
        };
        Self { symbol: symbol.to_owned(), class, underlying: symbol.to_owned(), expiry: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_of_which_nothing_is_known_is_an_option_where_it_ends_as_one_and_not_where_a_name_does() {
        for (symbol, class) in [
            ("RELIANCE", Class::Future),
            ("BAJFINANCE", Class::Future),
            ("BAJAJHIND CALL", Class::Call),
            ("HOPE", Class::Future),
            ("CE", Class::Future),
            ("NIFTY 23900 Call", Class::Call),
            ("NIFTY 23900 ce", Class::Call),
            ("NIFTY23900CE", Class::Call),
            ("NIFTY23900.5PE", Class::Put),
            ("nifty 23900 put", Class::Put),
        ] {
            assert_eq!(Instrument::unknown(symbol).class, class, "{symbol}");
        }
    }
}
