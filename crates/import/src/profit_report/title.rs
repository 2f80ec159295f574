//! Title of a profit and loss report, which states its segment and its period.

use rpc::trades::v1::{Book, Broker, Segment};
use time::Date;

use crate::error::{Rejection, RejectionReason};
use crate::report_fields::{clean_text, parse_period};
use crate::sheet::Cell;

const TITLE_PREFIX: &str = "p&l statement for ";

/// Broker and segment of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportKind {
    ZerodhaEquity,
    ZerodhaFno,
    GrowwStocks,
    GrowwFno,
    /// Mutual funds, currency or commodities.
    Other,
}

impl ReportKind {
    /// Rejects a report that cannot be compared with the trade log.
    pub fn check_supported(self) -> Result<Self, Rejection> {
        match self {
            Self::ZerodhaEquity | Self::ZerodhaFno | Self::GrowwStocks => Ok(self),
            // Its trades are imported from this report, because Groww has no other list of them, so it would be compared
            // with itself.
            Self::GrowwFno => Err(RejectionReason::GrowwFnoPnl.into()),
            Self::Other => Err(RejectionReason::OtherSegment.into()),
        }
    }

    /// Returns the stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZerodhaEquity => "zerodha-equity-pnl",
            Self::ZerodhaFno => "zerodha-fno-pnl",
            Self::GrowwStocks => "groww-stocks-pnl",
            Self::GrowwFno => "groww-fno-pnl",
            Self::Other => "",
        }
    }

    /// Returns the book that the report is compared with.
    pub fn book(self) -> Book {
        let (broker, segment) = match self {
            Self::ZerodhaEquity => (Broker::Zerodha, Segment::Equity),
            Self::ZerodhaFno => (Broker::Zerodha, Segment::Fno),
            Self::GrowwStocks => (Broker::Groww, Segment::Equity),
            Self::GrowwFno => (Broker::Groww, Segment::Fno),
            Self::Other => (Broker::Unspecified, Segment::Unspecified),
        };
        Book { broker: broker.into(), segment: segment.into(), ..Book::default() }
    }
}

/// Title such as `P&L Statement for Equity from 2025-04-01 to 2026-03-31`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Title {
    pub kind: ReportKind,
    pub text: String,
    /// First and last day; none if a date is missing or invalid.
    pub period: Option<(Date, Date)>,
}

impl Title {
    /// Parses the title in a cell.
    pub fn from_cell(cell: Cell<'_>) -> Option<Self> {
        let Cell::Text(text) = cell else { return None };
        let text = clean_text(text);
        let lower = text.to_lowercase();
        let rest = lower.strip_prefix(TITLE_PREFIX)?;
        let segment = rest.split_once(" from ").map_or(rest, |(segment, _)| segment);
        let kind = match segment.trim() {
            "equity" => ReportKind::ZerodhaEquity,
            "f&o" => ReportKind::ZerodhaFno,
            "stocks" => ReportKind::GrowwStocks,
            "futures & options" => ReportKind::GrowwFno,
            _ => ReportKind::Other,
        };
        Some(Self { kind, period: parse_period(&text), text })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn parses_the_report_and_the_period_of_a_title() {
        let year = Some((date!(2025 - 04 - 01), date!(2026 - 03 - 31)));
        for (text, kind, period) in [
            ("P&L Statement for Equity from 2025-04-01 to 2026-03-31", ReportKind::ZerodhaEquity, year),
            (" P&L Statement for F&O from 2025-04-01 to 2026-03-31 ", ReportKind::ZerodhaFno, year),
            ("P&L Statement for stocks from 01-04-2025 TO 31-03-2026", ReportKind::GrowwStocks, year),
            ("P&L Statement for Futures & Options from 01 Apr 2025 to 31 Mar 2026", ReportKind::GrowwFno, year),
            ("P&L Statement for Mutual Funds from 2025-04-01 to 2026-03-31", ReportKind::Other, year),
            ("P&L Statement for Equity", ReportKind::ZerodhaEquity, None),
            ("P&L Statement for Equity from 2026-03-31 to 2025-04-01", ReportKind::ZerodhaEquity, None),
            ("P&L Statement for Equity from 2025-02-30 to 2025-04-01", ReportKind::ZerodhaEquity, None),
        ] {
            let title = Title::from_cell(Cell::Text(text)).unwrap();
            assert_eq!((title.kind, title.period), (kind, period), "{text}");
        }
        for text in ["Tradebook for Equity from 2025-04-01 to 2026-03-31", "P&L Statement", ""] {
            assert_eq!(Title::from_cell(Cell::Text(text)), None, "{text}");
        }
    }
}
