//! Kinds of securities of the equity segment, from the lists `rates/funds.csv` and `rates/series.csv`.
//!
//! Charges and taxes depend on the kind. The ISIN decides where it states the kind, otherwise the series (BSE: group),
//! otherwise the symbol.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::exchange::Exchange;
use crate::instrument::SecurityKind;

#[derive(Deserialize)]
struct FundRow {
    isin: String,
    symbol: String,
    kind: String,
}

/// Kinds of funds by ISIN and by symbol.
static FUNDS: LazyLock<HashMap<String, SecurityKind>> = LazyLock::new(|| {
    let mut kinds = HashMap::new();
    // The tests load the files, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../rates/funds.csv").as_bytes());
    for FundRow { isin, symbol, kind } in reader.deserialize().flatten() {
        let kind = SecurityKind::from_name(&format!("{kind}-fund")).unwrap_or(SecurityKind::UnknownFund);
        kinds.insert(isin, kind);
        kinds.insert(symbol, kind);
    }
    kinds
});

#[derive(Deserialize)]
struct SeriesRow {
    exchange: String,
    /// `?` stands for any character.
    series: String,
    security: String,
    trade_to_trade: String,
}

/// Kind of security and settlement of a series or group.
#[derive(Clone, Copy, Debug, Default)]
struct Series {
    security: Option<SecurityKind>,
    /// Trades are settled one by one, without netting of a day's purchases and sales.
    trade_to_trade: bool,
}

/// Series of NSE and groups of BSE.
static SERIES: LazyLock<HashMap<(Exchange, String), Series>> = LazyLock::new(|| {
    let mut reader = csv::Reader::from_reader(include_str!("../rates/series.csv").as_bytes());
    let rows = reader.deserialize().flatten().filter_map(|row: SeriesRow| {
        let series =
            Series { security: SecurityKind::from_name(&row.security), trade_to_trade: row.trade_to_trade == "yes" };
        Some(((Exchange::from_name(&row.exchange)?, row.series), series))
    });
    rows.collect()
});

fn find_series(exchange: Exchange, name: &str) -> Series {
    let find = |name: String| SERIES.get(&(exchange, name)).copied();
    let numbered = || match (name.len(), name.get(..1)) {
        (2, Some(first)) => find(format!("{first}?")),
        _ => None,
    };
    find(name.to_owned()).or_else(numbered).unwrap_or_default()
}

/// Returns whether shares of a series or group are traded trade to trade: all purchases and sales are deliveries.
pub fn is_trade_to_trade(exchange: Exchange, series: &str) -> bool {
    !series.is_empty() && find_series(exchange, series).trade_to_trade
}

/// Returns the kind of a security; `isin` and `series` are empty if unknown.
pub fn find_kind(exchange: Exchange, symbol: &str, isin: &str, series: &str) -> SecurityKind {
    let of_series = || if series.is_empty() { None } else { find_series(exchange, series).security };
    if isin.starts_with("INF") {
        return FUNDS.get(isin).copied().unwrap_or(SecurityKind::UnknownFund);
    }
    // The eighth and ninth characters of a company's ISIN are the type of the security.
    let type_of_isin = isin.strip_prefix("INE").and_then(|rest| rest.get(4..6));
    match type_of_isin {
        Some("01") => SecurityKind::Share,
        Some("07" | "08") => SecurityKind::Debenture,
        Some("20") => SecurityKind::RightsEntitlement,
        Some("23") => SecurityKind::InvIt,
        Some("25") => SecurityKind::Reit,
        _ if isin.starts_with("IN00") => match of_series() {
            Some(SecurityKind::GoldBond) => SecurityKind::GoldBond,
            _ if symbol.starts_with("SGB") => SecurityKind::GoldBond,
            _ => SecurityKind::GovernmentSecurity,
        },
        _ => of_series().or_else(|| kind_of_symbol(symbol, isin)).unwrap_or(SecurityKind::Share),
    }
}

/// Returns the kind that a symbol states. A company with an ISIN may have the symbol of a fund.
fn kind_of_symbol(symbol: &str, isin: &str) -> Option<SecurityKind> {
    let rights = symbol.trim_end_matches(|c: char| c.is_ascii_digit());
    match symbol.rsplit_once('-') {
        Some((_, "RR")) => Some(SecurityKind::Reit),
        Some((_, "IV")) => Some(SecurityKind::InvIt),
        Some((_, "GB")) => Some(SecurityKind::GoldBond),
        Some((_, "GS")) => Some(SecurityKind::GovernmentSecurity),
        _ if rights.ends_with("-RE") => Some(SecurityKind::RightsEntitlement),
        _ if isin.is_empty() => FUNDS.get(symbol).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_list_of_funds_has_a_known_kind_and_a_unique_isin() {
        let mut reader = csv::Reader::from_reader(include_str!("../rates/funds.csv").as_bytes());
        let rows: Vec<FundRow> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        for FundRow { isin, kind, .. } in &rows {
            assert!(SecurityKind::from_name(&format!("{kind}-fund")).is_some(), "{isin} {kind}");
            assert!(isin.starts_with("INF") && isin.len() == 12, "{isin}");
        }
        assert_eq!(FUNDS.len(), rows.len() * 2);
    }

    #[test]
    fn every_row_of_the_list_of_series_is_known() {
        let mut reader = csv::Reader::from_reader(include_str!("../rates/series.csv").as_bytes());
        let rows: Vec<SeriesRow> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        for row in &rows {
            assert!(row.security.is_empty() || SecurityKind::from_name(&row.security).is_some(), "{}", row.series);
            assert!(["yes", "no"].contains(&row.trade_to_trade.as_str()), "{}", row.series);
        }
        assert_eq!(SERIES.len(), rows.len());
    }

    #[test]
    fn finds_the_kind_by_isin_then_series_then_symbol() {
        for (symbol, isin, series, kind) in [
            ("INFY", "INE009A01021", "EQ", SecurityKind::Share),
            ("INFY", "", "", SecurityKind::Share),
            ("NIFTYBEES", "INF204KB14I2", "EQ", SecurityKind::EquityFund),
            ("NIFTYBEES", "", "", SecurityKind::EquityFund),
            ("GOLDBEES", "INF204KB17I5", "", SecurityKind::GoldFund),
            ("SILVERBEES", "INF204KC1402", "", SecurityKind::SilverFund),
            ("LIQUIDBEES", "INF732E01037", "", SecurityKind::LiquidFund),
            ("LTGILTBEES", "INF204KB1882", "", SecurityKind::DebtFund),
            ("MON100", "INF247L01AP3", "", SecurityKind::InternationalFund),
            ("NEWETF", "INF000000000", "EQ", SecurityKind::UnknownFund),
            ("SGBFEB32IV", "IN0020230184", "GB", SecurityKind::GoldBond),
            ("SGBFEB32IV", "IN0020230184", "", SecurityKind::GoldBond),
            ("SGBFEB32IV", "", "GB", SecurityKind::GoldBond),
            ("718GS2033", "IN0020230085", "GS", SecurityKind::GovernmentSecurity),
            ("IRFC", "INE053F07AB5", "N2", SecurityKind::Debenture),
            ("IRFC", "", "N2", SecurityKind::Debenture),
            ("EMBASSY", "INE041025011", "RR", SecurityKind::Reit),
            ("EMBASSY-RR", "", "", SecurityKind::Reit),
            ("PGINVIT", "INE0GGX23010", "", SecurityKind::InvIt),
            ("RELIANCE-RE", "INE002A20018", "", SecurityKind::RightsEntitlement),
            ("SUZLON-RE1", "", "BE", SecurityKind::RightsEntitlement),
            // A company may have the symbol of a fund.
            ("SILVER", "INE009A01021", "", SecurityKind::Share),
        ] {
            assert_eq!(find_kind(Exchange::Nse, symbol, isin, series), kind, "{symbol} {isin} {series}");
        }
    }

    #[test]
    fn trade_to_trade_depends_on_the_exchange_and_the_series() {
        for (exchange, series, expected) in [
            (Exchange::Nse, "EQ", false),
            (Exchange::Nse, "BE", true),
            (Exchange::Nse, "BZ", true),
            (Exchange::Nse, "ST", true),
            (Exchange::Nse, "SM", false),
            (Exchange::Nse, "N2", false),
            (Exchange::Nse, "U1", true),
            (Exchange::Nse, "T", false),
            (Exchange::Nse, "", false),
            (Exchange::Bse, "A", false),
            (Exchange::Bse, "X", false),
            (Exchange::Bse, "T", true),
            (Exchange::Bse, "XT", true),
            (Exchange::Bse, "Z", true),
        ] {
            assert_eq!(is_trade_to_trade(exchange, series), expected, "{series}");
        }
    }
}
