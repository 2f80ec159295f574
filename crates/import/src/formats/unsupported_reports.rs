//! Reports that are recognised but not supported. Each has a message that names it and the report to download instead.

use super::header::Header;

/// Builds the message for a report of Zerodha.
macro_rules! zerodha {
    ($report:literal) => {
        concat!(
            "This is Zerodha's ",
            $report,
            ". Download the tradebook instead: Console, Reports, Tradebook, segment Equity or F&O."
        )
    };
}

/// Builds the message for a report of Groww.
macro_rules! groww {
    ($report:literal) => {
        concat!(
            "This is Groww's ",
            $report,
            ". Download the order history for stocks instead: Profile, Reports, Stocks – order history."
        )
    };
}

/// Sentence for a profit and loss report, which can be compared with the trade log.
macro_rules! compare_hint {
    () => {
        " To compare the report with your log, open Reconcile in the analytics."
    };
}

/// Message for a tradebook of mutual funds, which has the header of the tradebook and is recognised by its rows.
pub(super) const ZERODHA_MUTUAL_FUNDS: &str = zerodha!("tradebook for mutual funds");
/// Message for a tradebook of currency or commodities, which is recognised by its rows.
pub(super) const ZERODHA_OTHER_SEGMENTS: &str = zerodha!("tradebook for currency or commodities");

/// Unsupported report. One matching title, header or sheet name is enough to recognise it.
struct UnsupportedReport {
    /// Prefixes of a text in the first rows, in lower case.
    titles: &'static [&'static str],
    /// Columns of its header; all must be present.
    columns: &'static [&'static str],
    /// Prefixes of a sheet name, in lower case.
    sheets: &'static [&'static str],
    message: &'static str,
}

/// Unsupported reports, more specific ones first.
const REPORTS: [UnsupportedReport; 15] = [
    UnsupportedReport {
        titles: &["p&l statement for stocks"],
        columns: &["stockname", "isin", "quantity", "buydate", "buyvalue", "selldate", "sellvalue"],
        sheets: &[],
        message: concat!(groww!("profit and loss statement for stocks"), compare_hint!()),
    },
    UnsupportedReport {
        titles: &["p&l statement for futures"],
        columns: &["scripname", "quantity", "buyprice", "sellprice"],
        sheets: &[],
        message: "This is a part of Groww's profit and loss report for futures and options, without the dates of the \
                   trades. Download it again: Profile, Reports, F&O – P&L, and upload it unchanged, with the sheet \
                   Trade Level.",
    },
    UnsupportedReport {
        titles: &["order history for mutual funds", "mutual fund order history"],
        columns: &["schemename", "transactiontype", "units", "nav", "amount", "date"],
        sheets: &[],
        message: groww!("order history for mutual funds"),
    },
    UnsupportedReport {
        titles: &["holdings statement for stocks"],
        columns: &["stockname", "isin", "quantity", "averagebuyprice"],
        sheets: &[],
        message: groww!("holdings statement"),
    },
    UnsupportedReport {
        titles: &["capital gains", "tax statement for"],
        columns: &["stockname", "isin", "quantity", "purchasedate", "saledate"],
        sheets: &["capital gain"],
        message: groww!("capital gains report"),
    },
    UnsupportedReport {
        titles: &["balance statement", "groww balance statement"],
        columns: &[],
        sheets: &["balance statement"],
        message: groww!("balance statement"),
    },
    UnsupportedReport {
        titles: &["order history for stocks"],
        columns: &["stockname", "symbol", "isin", "type", "quantity", "price", "exchangeorderid"],
        sheets: &[],
        message: "This is an order history of Groww without the column Value, so the exact price of a share is not \
                   known. Download it again: Profile, Reports, Stocks – order history.",
    },
    UnsupportedReport {
        titles: &["tax p&l"],
        columns: &["symbol", "entrydate", "exitdate", "quantity"],
        sheets: &["tradewise exits"],
        message: zerodha!("tax profit and loss report"),
    },
    UnsupportedReport {
        titles: &["p&l statement for"],
        columns: &["symbol", "isin", "quantity", "buyvalue", "sellvalue", "realizedp&l"],
        sheets: &[],
        message: concat!(zerodha!("profit and loss statement"), compare_hint!()),
    },
    UnsupportedReport {
        titles: &["positions statement for"],
        columns: &[],
        sheets: &[],
        message: zerodha!("positions statement"),
    },
    UnsupportedReport {
        titles: &[
            "holdings statement",
            "equity holdings statement",
            "mutual funds holdings statement",
            "combined holdings statement",
        ],
        columns: &["symbol", "isin", "quantityavailable", "averageprice"],
        sheets: &[],
        message: zerodha!("holdings statement"),
    },
    UnsupportedReport {
        titles: &["contract note"],
        columns: &["orderno", "tradeno", "quantity"],
        sheets: &[],
        message: zerodha!("contract note"),
    },
    UnsupportedReport {
        titles: &["ledger for"],
        columns: &["particulars", "postingdate", "costcenter", "debit", "credit"],
        sheets: &[],
        message: zerodha!("ledger"),
    },
    UnsupportedReport { titles: &["tradebook for mutual"], columns: &[], sheets: &[], message: ZERODHA_MUTUAL_FUNDS },
    UnsupportedReport { titles: &["tradebook for c"], columns: &[], sheets: &[], message: ZERODHA_OTHER_SEGMENTS },
];

/// Most specific report recognised so far.
#[derive(Default)]
pub(crate) struct ReportDetector {
    best: Option<usize>,
}

impl ReportDetector {
    /// Compares the name of a sheet.
    pub fn check_sheet_name(&mut self, name: &str) {
        let name = name.trim().to_lowercase();
        self.check(|report| report.sheets.iter().any(|prefix| name.starts_with(prefix)));
    }

    /// Compares a row and the titles above it.
    pub fn check_row(&mut self, header: &Header<'_>) {
        self.check(|report| {
            let has_columns = !report.columns.is_empty() && header.has_all(report.columns);
            has_columns || report.titles.iter().any(|prefix| header.has_title(prefix))
        });
    }

    /// Returns the message of the recognised report.
    pub fn message(&self) -> Option<&'static str> {
        self.best.and_then(|best| REPORTS.get(best)).map(|report| report.message)
    }

    fn check(&mut self, matches: impl Fn(&UnsupportedReport) -> bool) {
        let candidates = self.best.unwrap_or(REPORTS.len());
        if let Some(better) = REPORTS.iter().take(candidates).position(matches) {
            self.best = Some(better);
        }
    }
}
