//! The line of a report that says what it is of, and of which days.

use rpc::trades::v1::{Book, Broker, Segment};
use time::Date;

use super::LONGEST_TEXT;
use crate::error::{Reason, Refusal};
use crate::field;
use crate::sheet::Cell;

const BEGINNING: &str = "p&l statement for ";

/// Which report it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ZerodhaEquity,
    ZerodhaFno,
    GrowwStocks,
    GrowwFno,
    /// Of mutual funds, currency or commodities.
    Other,
}

impl Kind {
    /// Refused, where it is one that the log has nothing to set against.
    pub fn known(self) -> Result<Self, Refusal> {
        match self {
            Self::ZerodhaEquity | Self::ZerodhaFno | Self::GrowwStocks => Ok(self),
            Self::GrowwFno => Err(groww_fno()),
            Self::Other => Err(Refusal::new(
                Reason::Unsupported,
                "This is the P&L statement of a segment that the log does not have. Choose equity or F&O at Zerodha, \
                 stocks at Groww.",
            )),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::ZerodhaEquity => "zerodha-equity-pnl",
            Self::ZerodhaFno => "zerodha-fno-pnl",
            Self::GrowwStocks => "groww-stocks-pnl",
            Self::GrowwFno => "groww-fno-pnl",
            Self::Other => "",
        }
    }

    /// What a trader calls it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ZerodhaEquity => "Zerodha P&L statement for equity",
            Self::ZerodhaFno => "Zerodha P&L statement for F&O",
            Self::GrowwStocks => "Groww P&L report for stocks",
            Self::GrowwFno | Self::Other => "P&L statement",
        }
    }

    /// What it is set against.
    pub fn book(self) -> Book {
        let (broker, segment) = match self {
            Self::ZerodhaEquity => (Broker::Zerodha, Segment::Equity),
            Self::ZerodhaFno => (Broker::Zerodha, Segment::Fno),
            Self::GrowwStocks => (Broker::Groww, Segment::Equity),
            Self::GrowwFno => (Broker::Groww, Segment::Fno),
            Self::Other => (Broker::Unspecified, Segment::Unspecified),
        };
        Book { broker: broker.into(), segment: segment.into() }
    }
}

/// Groww has no other list of these trades, so that the report would be set against itself.
pub(super) fn groww_fno() -> Refusal {
    let sentence = "This is Groww's P&L report for futures and options. The log takes the trades themselves from it \
                    (upload it on the dashboard), so that there is nothing else to set it against.";
    Refusal::new(Reason::OfTrades, sentence)
}

/// Such as `P&L Statement for Equity from 2025-04-01 to 2026-03-31`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Title {
    pub kind: Kind,
    pub text: String,
    /// Its first and last day, where both are days.
    pub period: Option<(Date, Date)>,
}

impl Title {
    /// The title in a cell, if it is one.
    pub fn of(cell: Cell<'_>) -> Option<Self> {
        let Cell::Text(text) = cell else { return None };
        let text: String = text.trim().chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect();
        let lower = text.to_lowercase();
        let rest = lower.strip_prefix(BEGINNING)?;
        let (what, period) = rest.split_once(" from ").unwrap_or((rest, ""));
        let kind = match what.trim() {
            "equity" => Kind::ZerodhaEquity,
            "f&o" => Kind::ZerodhaFno,
            "stocks" => Kind::GrowwStocks,
            "futures & options" => Kind::GrowwFno,
            _ => Kind::Other,
        };
        let period = period.split_once(" to ").and_then(|(from, to)| Some((field::day(from)?, field::day(to)?)));
        Some(Self { kind, text, period: period.filter(|(from, to)| from <= to) })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_title_says_the_report_and_its_days() {
        let year = Some((date!(2025 - 04 - 01), date!(2026 - 03 - 31)));
        for (text, kind, period) in [
            ("P&L Statement for Equity from 2025-04-01 to 2026-03-31", Kind::ZerodhaEquity, year),
            (" P&L Statement for F&O from 2025-04-01 to 2026-03-31 ", Kind::ZerodhaFno, year),
            ("P&L Statement for stocks from 01-04-2025 TO 31-03-2026", Kind::GrowwStocks, year),
            ("P&L Statement for Futures & Options from 01 Apr 2025 to 31 Mar 2026", Kind::GrowwFno, year),
            ("P&L Statement for Mutual Funds from 2025-04-01 to 2026-03-31", Kind::Other, year),
            ("P&L Statement for Equity", Kind::ZerodhaEquity, None),
            ("P&L Statement for Equity from 2026-03-31 to 2025-04-01", Kind::ZerodhaEquity, None),
            ("P&L Statement for Equity from 2025-02-30 to 2025-04-01", Kind::ZerodhaEquity, None),
        ] {
            let title = Title::of(Cell::Text(text)).unwrap();
            assert_eq!((title.kind, title.period), (kind, period), "{text}");
        }
        for text in ["Tradebook for Equity from 2025-04-01 to 2026-03-31", "P&L Statement", ""] {
            assert_eq!(Title::of(Cell::Text(text)), None, "{text}");
        }
    }
}
