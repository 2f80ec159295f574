//! Reports that we recognise and do not read. Each has one sentence that says what it is and what to download instead.

use super::Header;

/// What to do at Zerodha.
macro_rules! zerodha {
    ($what:literal) => {
        concat!(
            "This is Zerodha's ",
            $what,
            ". Download the tradebook instead: Console, Reports, Tradebook, segment Equity or F&O."
        )
    };
}

/// What to do at Groww.
macro_rules! groww {
    ($what:literal) => {
        concat!(
            "This is Groww's ",
            $what,
            ". Download the order history for stocks instead: Profile, Reports, Stocks – order history."
        )
    };
}

/// What such a report is good for all the same.
macro_rules! to_compare {
    () => {
        " To compare the report with your log, open Reconcile in the analytics."
    };
}

/// A tradebook of mutual funds; its header is that of the tradebook, only its rows tell.
pub(super) const ZERODHA_MUTUAL_FUNDS: &str = zerodha!("tradebook for mutual funds");
/// Its rows tell.
pub(super) const ZERODHA_OTHER_SEGMENTS: &str = zerodha!("tradebook for currency or commodities");

/// How a report is recognised. One sign is enough.
struct Report {
    /// How a text in the first rows begins, in lower case.
    titles: &'static [&'static str],
    /// Columns that one row has all of.
    columns: &'static [&'static str],
    /// How the name of a sheet begins, in lower case.
    sheets: &'static [&'static str],
    sentence: &'static str,
}

/// The more special ones first.
const REPORTS: [Report; 15] = [
    Report {
        titles: &["p&l statement for stocks"],
        columns: &["stockname", "isin", "quantity", "buydate", "buyvalue", "selldate", "sellvalue"],
        sheets: &[],
        sentence: concat!(groww!("profit and loss statement for stocks"), to_compare!()),
    },
    Report {
        titles: &["p&l statement for futures"],
        columns: &["scripname", "quantity", "buyprice", "sellprice"],
        sheets: &[],
        sentence: "This is a part of Groww's profit and loss report for futures and options, without the days of its \
                   trades. Download it again: Profile, Reports, F&O – P&L, and upload it as it comes, with the sheet \
                   Trade Level.",
    },
    Report {
        titles: &["order history for mutual funds", "mutual fund order history"],
        columns: &["schemename", "transactiontype", "units", "nav", "amount", "date"],
        sheets: &[],
        sentence: groww!("order history for mutual funds"),
    },
    Report {
        titles: &["holdings statement for stocks"],
        columns: &["stockname", "isin", "quantity", "averagebuyprice"],
        sheets: &[],
        sentence: groww!("holdings statement"),
    },
    Report {
        titles: &["capital gains", "tax statement for"],
        columns: &["stockname", "isin", "quantity", "purchasedate", "saledate"],
        sheets: &["capital gain"],
        sentence: groww!("capital gains report"),
    },
    Report {
        titles: &["balance statement", "groww balance statement"],
        columns: &[],
        sheets: &["balance statement"],
        sentence: groww!("balance statement"),
    },
    Report {
        titles: &["order history for stocks"],
        columns: &["stockname", "symbol", "isin", "type", "quantity", "price", "exchangeorderid"],
        sheets: &[],
        sentence: "This is an order history of Groww without the column Value, so the price of one share is not \
                   certain. Download it anew: Profile, Reports, Stocks – order history.",
    },
    Report {
        titles: &["tax p&l"],
        columns: &["symbol", "entrydate", "exitdate", "quantity"],
        sheets: &["tradewise exits"],
        sentence: zerodha!("tax profit and loss report"),
    },
    Report {
        titles: &["p&l statement for"],
        columns: &["symbol", "isin", "quantity", "buyvalue", "sellvalue", "realizedp&l"],
        sheets: &[],
        sentence: concat!(zerodha!("profit and loss statement"), to_compare!()),
    },
    Report {
        titles: &["positions statement for"],
        columns: &[],
        sheets: &[],
        sentence: zerodha!("positions statement"),
    },
    Report {
        titles: &[
            "holdings statement",
            "equity holdings statement",
            "mutual funds holdings statement",
            "combined holdings statement",
        ],
        columns: &["symbol", "isin", "quantityavailable", "averageprice"],
        sheets: &[],
        sentence: zerodha!("holdings statement"),
    },
    Report {
        titles: &["contract note"],
        columns: &["orderno", "tradeno", "quantity"],
        sheets: &[],
        sentence: zerodha!("contract note"),
    },
    Report {
        titles: &["ledger for"],
        columns: &["particulars", "postingdate", "costcenter", "debit", "credit"],
        sheets: &[],
        sentence: zerodha!("ledger"),
    },
    Report { titles: &["tradebook for mutual"], columns: &[], sheets: &[], sentence: ZERODHA_MUTUAL_FUNDS },
    Report { titles: &["tradebook for c"], columns: &[], sheets: &[], sentence: ZERODHA_OTHER_SEGMENTS },
];

/// The best of the reports that were recognised so far.
#[derive(Default)]
pub(crate) struct Recognised {
    best: Option<usize>,
}

impl Recognised {
    /// Looks at the name of a sheet.
    pub fn see_sheet(&mut self, name: &str) {
        let name = name.trim().to_lowercase();
        self.see(|report| report.sheets.iter().any(|beginning| name.starts_with(beginning)));
    }

    /// Looks at a row.
    pub fn see_row(&mut self, header: &Header<'_>) {
        self.see(|report| {
            let columns = !report.columns.is_empty() && header.has_all(report.columns);
            columns || report.titles.iter().any(|beginning| header.titled(beginning))
        });
    }

    /// What to say of the report, if it is one of these.
    pub fn sentence(&self) -> Option<&'static str> {
        self.best.and_then(|best| REPORTS.get(best)).map(|report| report.sentence)
    }

    fn see(&mut self, is: impl Fn(&Report) -> bool) {
        let candidates = self.best.unwrap_or(REPORTS.len());
        if let Some(better) = REPORTS.iter().take(candidates).position(is) {
            self.best = Some(better);
        }
    }
}
