//! Traded instruments: shares, futures and options.

use rust_decimal::Decimal;
use time::Date;

use crate::exchange::Exchange;
use crate::{expiry_calendar, securities};

/// Class of an instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Equity,
    Future,
    Call,
    Put,
}

/// Kind of a security, on which charges and taxes depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityKind {
    Share,
    /// Exchange-traded fund that holds mostly shares of Indian companies.
    EquityFund,
    GoldFund,
    SilverFund,
    /// Exchange-traded fund of foreign shares.
    InternationalFund,
    /// Exchange-traded fund of bonds or government securities.
    DebtFund,
    /// Exchange-traded fund of money market papers.
    LiquidFund,
    /// Fund that is not in the list of funds.
    UnknownFund,
    Debenture,
    GovernmentSecurity,
    /// Sovereign gold bond.
    GoldBond,
    /// Unit of a real estate investment trust.
    Reit,
    /// Unit of an infrastructure investment trust.
    InvIt,
    /// Right to buy shares of an issue.
    RightsEntitlement,
}

impl SecurityKind {
    /// All kinds with their names in the rate files and their descriptions.
    const NAMES: [(Self, &str, &str); 14] = [
        (Self::Share, "share", "share"),
        (Self::EquityFund, "equity-fund", "equity ETF"),
        (Self::GoldFund, "gold-fund", "gold ETF"),
        (Self::SilverFund, "silver-fund", "silver ETF"),
        (Self::InternationalFund, "international-fund", "international ETF"),
        (Self::DebtFund, "debt-fund", "debt ETF"),
        (Self::LiquidFund, "liquid-fund", "liquid ETF"),
        (Self::UnknownFund, "unknown-fund", "ETF of unknown kind"),
        (Self::Debenture, "debenture", "debenture"),
        (Self::GovernmentSecurity, "government", "government security"),
        (Self::GoldBond, "gold-bond", "sovereign gold bond"),
        (Self::Reit, "reit", "REIT"),
        (Self::InvIt, "invit", "InvIT"),
        (Self::RightsEntitlement, "rights-entitlement", "rights entitlement"),
    ];

    /// Returns the kind with this name in the rate files.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(_, of_kind, _)| *of_kind == name).map(|(kind, _, _)| kind)
    }

    /// Returns the description for rules of charges.
    pub fn describe(self) -> &'static str {
        Self::NAMES.into_iter().find(|(kind, _, _)| *kind == self).map_or("", |(_, _, description)| description)
    }

    /// Returns whether it is a unit of a fund or trust, not a share or bond.
    pub fn is_unit(self) -> bool {
        match self {
            Self::EquityFund
            | Self::GoldFund
            | Self::SilverFund
            | Self::InternationalFund
            | Self::DebtFund
            | Self::LiquidFund
            | Self::UnknownFund
            | Self::Reit
            | Self::InvIt => true,
            Self::Share | Self::Debenture | Self::GovernmentSecurity | Self::GoldBond | Self::RightsEntitlement => {
                false
            }
        }
    }

    /// Returns whether the rate files do not cover all its charges. Exchange charges and SEBI fees of debt differ from
    /// those of shares; some funds of foreign shares pay STT and some do not.
    pub fn has_unknown_charges(self) -> bool {
        match self {
            Self::UnknownFund
            | Self::InternationalFund
            | Self::Debenture
            | Self::GovernmentSecurity
            | Self::GoldBond => true,
            Self::Share
            | Self::EquityFund
            | Self::GoldFund
            | Self::SilverFund
            | Self::DebtFund
            | Self::LiquidFund
            | Self::Reit
            | Self::InvIt
            | Self::RightsEntitlement => false,
        }
    }
}

/// First day of expiry on which all stock derivatives are settled by delivery: the expiry of October 2019 (SEBI circular
/// of 31 December 2018).
const PHYSICAL_SETTLEMENT: Date = time::macros::date!(2019 - 10 - 01);

/// Expiry of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiry {
    /// Day of expiry, or the last day of the month if only the month is known.
    pub day: Date,
    /// True if `day` is the exact day of expiry.
    pub exact: bool,
}

impl Expiry {
    /// Returns the expiry of a monthly contract in the month of `day`: the last trading day according to the exchange's
    /// calendar, or an unknown day.
    pub fn in_month_of(day: Date, exchange: Exchange, underlying: &str) -> Option<Self> {
        if let Some(day) = expiry_calendar::last_trading_day(exchange, underlying, day.year(), day.month()) {
            return Some(Self { day, exact: true });
        }
        Some(Self { day: day.replace_day(day.month().length(day.year())).ok()?, exact: false })
    }
}

/// Share, future or option.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instrument {
    pub symbol: String,
    /// ISIN of a share in the broker's file; empty if unknown.
    pub isin: String,
    pub class: Class,
    /// A share for contracts.
    pub security: SecurityKind,
    /// Series at NSE or group at BSE; empty for contracts and if unknown.
    pub series: String,
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

    /// Returns whether an open position is settled by delivery of the underlying shares at an expiry on `day`. Contracts
    /// on indices, and those whose symbol could not be parsed, are settled in cash.
    pub fn is_settled_by_delivery(&self, day: Date) -> bool {
        let has_terms = self.expiry.is_some() && (self.strike.is_some() || self.class == Class::Future);
        self.is_contract() && has_terms && day >= PHYSICAL_SETTLEMENT && !expiry_calendar::is_index(&self.underlying)
    }

    /// Returns a share without known series; see [`Instrument::listed`].
    pub fn equity(symbol: &str, isin: &str) -> Self {
        Self::listed(Exchange::Nse, symbol, isin, "")
    }

    /// Returns an instrument of the equity segment, whose kind the ISIN, the series and the symbol decide. `isin` and
    /// `series` are empty if unknown.
    pub fn listed(exchange: Exchange, symbol: &str, isin: &str, series: &str) -> Self {
        Self {
            symbol: symbol.to_owned(),
            isin: isin.to_owned(),
            class: Class::Equity,
            security: securities::find_kind(exchange, symbol, isin, series),
            series: series.to_owned(),
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
            isin: String::new(),
            class,
            security: SecurityKind::Share,
            series: String::new(),
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
