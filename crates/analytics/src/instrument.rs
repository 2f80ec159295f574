//! Traded instruments: shares, futures and options.

use rust_decimal::Decimal;
use time::Date;

use crate::funds;

/// Class of an instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Equity,
    Future,
    Call,
    Put,
}

/// Kind of a security, on which securities transaction tax depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityKind {
    Share,
    /// Exchange-traded fund that holds mostly shares of Indian companies.
    EquityFund,
    /// Exchange-traded fund of gold, silver, foreign shares, bonds or money market papers.
    OtherFund,
    /// Fund that is not in the list of funds.
    UnknownFund,
    Debenture,
    /// Government security or sovereign gold bond.
    GovernmentSecurity,
}

/// Expiry of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// Day of expiry, or the last day of the month if only the month is known.
    pub day: Date,
    /// True if `day` is the exact day of expiry.
    pub exact: bool,
}

impl Expiry {
    /// Returns an expiry on an unknown day of the month of `day`.
    pub fn in_month_of(day: Date) -> Option<Self> {
        Some(Self { day: day.replace_day(day.month().length(day.year())).ok()?, exact: false })
    }
}

/// Share, future or option.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instrument {
    pub symbol: String,
    pub class: Class,
    /// A share for contracts.
    pub security: SecurityKind,
    /// Underlying of a contract; the symbol itself for a share.
    pub underlying: String,
    pub expiry: Option<Expiry>,
    /// Strike of an option in rupees.
    pub strike: Option<Decimal>,
}

impl Instrument {
    /// Returns whether it is a future or an option.
    pub fn is_contract(&self) -> bool {
        self.class != Class::Equity
    }

    pub fn is_option(&self) -> bool {
        matches!(self.class, Class::Call | Class::Put)
    }

    /// Returns a share, or a fund if the ISIN or the symbol is that of a fund. `isin` is empty if unknown.
    pub fn equity(symbol: &str, isin: &str) -> Self {
        Self {
            symbol: symbol.to_owned(),
            class: Class::Equity,
            security: funds::find_security_kind(symbol, isin),
            underlying: symbol.to_owned(),
            expiry: None,
            strike: None,
        }
    }

    /// Returns a contract whose symbol could not be parsed, without an expiry.
    ///
    /// It is an option if a digit or a space precedes a final CE, PE, Call or Put, otherwise a future. RELIANCE and
    /// BAJFINANCE are therefore not calls.
    pub fn from_unparsed_symbol(symbol: &str) -> Self {
        let text = symbol.to_ascii_uppercase();
        let is_option = |suffixes: [&str; 2]| {
            let rest = suffixes.iter().find_map(|suffix| text.strip_suffix(suffix)).unwrap_or_default();
            rest.ends_with(|c: char| c.is_ascii_digit() || c == ' ')
        };
        let class = if is_option(["CE", "CALL"]) {
            Class::Call
        } else if is_option(["PE", "PUT"]) {
            Class::Put
        } else {
            Class::Future
        };
        Self {
            symbol: symbol.to_owned(),
            class,
            security: SecurityKind::Share,
            underlying: symbol.to_owned(),
            expiry: None,
            strike: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_an_unparsed_symbol_as_an_option_only_after_a_digit_or_space() {
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
            assert_eq!(Instrument::from_unparsed_symbol(symbol).class, class, "{symbol}");
        }
    }
}
