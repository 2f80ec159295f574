//! Reports that are recognised but not supported. Each has a code, which selects the texts that name it and the report to
//! download instead.

use super::header::Header;

/// Tradebook of mutual funds, which has the header of the tradebook and is recognised by its rows.
pub(super) const ZERODHA_MUTUAL_FUNDS: &str = "ZERODHA_MUTUAL_FUNDS";
/// Tradebook of currency or commodities, which is recognised by its rows.
pub(super) const ZERODHA_OTHER_SEGMENTS: &str = "ZERODHA_OTHER_SEGMENTS";

/// Ledgers, which are imported apart from trades.
pub(crate) const ZERODHA_LEDGER: &str = "ZERODHA_LEDGER";
pub(crate) const GROWW_LEDGER: &str = "GROWW_BALANCE";

/// Unsupported report. One matching title, header or sheet name is enough to recognise it.
struct UnsupportedReport {
    /// Prefixes of a text in the first rows, in lower case.
    titles: &'static [&'static str],
    /// Columns of its header; all must be present.
    columns: &'static [&'static str],
    /// Prefixes of a sheet name, in lower case.
    sheets: &'static [&'static str],
    /// Stable code for programs.
    code: &'static str,
}

/// Unsupported reports, more specific ones first.
const REPORTS: [UnsupportedReport; 26] = [
    // Its tables have the columns of the profit and loss report.
    UnsupportedReport {
        titles: &["capital gains", "tax statement for"],
        columns: &["stockname", "isin", "quantity", "purchasedate", "saledate"],
        sheets: &["capital gain"],
        code: "GROWW_CAPITAL_GAINS",
    },
    UnsupportedReport {
        titles: &["p&l statement for stocks"],
        columns: &["stockname", "isin", "quantity", "buydate", "buyvalue", "selldate", "sellvalue"],
        sheets: &[],
        code: "GROWW_STOCKS_PNL",
    },
    UnsupportedReport {
        titles: &["p&l statement for futures"],
        columns: &["scripname", "quantity", "buyprice", "sellprice"],
        sheets: &[],
        code: "GROWW_FNO_PNL_PART",
    },
    UnsupportedReport {
        titles: &["order history for mutual funds", "mutual fund order history"],
        columns: &["schemename", "transactiontype", "units", "nav", "amount", "date"],
        sheets: &[],
        code: "GROWW_MUTUAL_FUND_ORDERS",
    },
    UnsupportedReport {
        titles: &["holdings statement for stocks"],
        columns: &["stockname", "isin", "quantity", "averagebuyprice"],
        sheets: &[],
        code: "GROWW_HOLDINGS",
    },
    UnsupportedReport {
        titles: &["balance statement", "groww balance statement"],
        columns: &["settlementdate", "segmenttype", "particulars/narration", "voucherno"],
        sheets: &["balance statement", "client fund ledger"],
        code: GROWW_LEDGER,
    },
    UnsupportedReport {
        titles: &["order history for stocks"],
        columns: &["stockname", "symbol", "isin", "type", "quantity", "price", "exchangeorderid"],
        sheets: &[],
        code: "GROWW_STOCK_ORDERS_WITHOUT_VALUE",
    },
    UnsupportedReport {
        titles: &["tax p&l"],
        columns: &["symbol", "entrydate", "exitdate", "quantity"],
        sheets: &["tradewise exits"],
        code: "ZERODHA_TAX_PNL",
    },
    UnsupportedReport {
        titles: &["p&l statement for"],
        columns: &["symbol", "isin", "quantity", "buyvalue", "sellvalue", "realizedp&l"],
        sheets: &[],
        code: "ZERODHA_PNL",
    },
    UnsupportedReport { titles: &["positions statement for"], columns: &[], sheets: &[], code: "ZERODHA_POSITIONS" },
    UnsupportedReport {
        titles: &[
            "holdings statement",
            "equity holdings statement",
            "mutual funds holdings statement",
            "combined holdings statement",
        ],
        columns: &["symbol", "isin", "quantityavailable", "averageprice"],
        sheets: &[],
        code: "ZERODHA_HOLDINGS",
    },
    UnsupportedReport {
        titles: &[],
        columns: &["scripname", "scripcode", "symbol", "buydate", "selldate", "totalpl"],
        sheets: &["realized_pnl"],
        code: "UPSTOX_REALISED_PNL",
    },
    UnsupportedReport {
        titles: &[],
        columns: &["wallet", "tradedate", "settlementdate", "narration", "closingbalance"],
        sheets: &["ledger_v3"],
        code: "UPSTOX_LEDGER",
    },
    UnsupportedReport {
        titles: &[],
        columns: &["isin", "scripname", "qty", "avgbuyprice", "buyvalue", "avgsellprice", "sellvalue", "stt"],
        sheets: &["equity+bonds+sgb trade details", "derivatives trade details"],
        code: "ANGELONE_TAX_PNL",
    },
    UnsupportedReport { titles: &[], columns: &[], sheets: &["equity p&l", "f&o p&l"], code: "ANGELONE_PNL" },
    UnsupportedReport { titles: &[], columns: &[], sheets: &["broking ledger"], code: "ANGELONE_LEDGER" },
    UnsupportedReport {
        titles: &[],
        columns: &["scrip/contract", "companyname", "isin", "marketcap", "quantity", "avgtradingprice"],
        sheets: &[],
        code: "ANGELONE_PORTFOLIO",
    },
    UnsupportedReport {
        titles: &["pnl report"],
        columns: &["scripname", "buyqty", "avgbuyprice", "sellqty", "avgsellprice", "realisedp&l"],
        sheets: &["dhan_p&l"],
        code: "DHAN_PNL",
    },
    UnsupportedReport {
        titles: &[],
        columns: &["postingdate", "postingreference", "narration", "credit", "debit", "netbalance"],
        sheets: &[],
        code: "DHAN_LEDGER",
    },
    UnsupportedReport {
        titles: &[],
        columns: &["stocksymbol", "companyname", "qty", "averagecostprice", "currentmarketprice"],
        sheets: &[],
        code: "ICICIDIRECT_HOLDINGS",
    },
    UnsupportedReport {
        titles: &["equity portfolio", "holding statement"],
        columns: &[],
        sheets: &[],
        code: "FIVEPAISA_HOLDINGS",
    },
    UnsupportedReport {
        titles: &[],
        columns: &["instrument", "qty", "avgcost", "ltp", "curval"],
        sheets: &[],
        code: "ZERODHA_HOLDINGS",
    },
    UnsupportedReport {
        titles: &["contract note"],
        columns: &["orderno", "tradeno", "quantity"],
        sheets: &[],
        code: "ZERODHA_CONTRACT_NOTE",
    },
    UnsupportedReport {
        titles: &["ledger for"],
        columns: &["particulars", "postingdate", "costcenter", "debit", "credit"],
        sheets: &[],
        code: ZERODHA_LEDGER,
    },
    UnsupportedReport { titles: &["tradebook for mutual"], columns: &[], sheets: &[], code: ZERODHA_MUTUAL_FUNDS },
    UnsupportedReport { titles: &["tradebook for c"], columns: &[], sheets: &[], code: ZERODHA_OTHER_SEGMENTS },
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

    /// Returns the code of the recognised report.
    pub fn report(&self) -> Option<&'static str> {
        self.best.and_then(|best| REPORTS.get(best)).map(|report| report.code)
    }

    fn check(&mut self, matches: impl Fn(&UnsupportedReport) -> bool) {
        let candidates = self.best.unwrap_or(REPORTS.len());
        if let Some(better) = REPORTS.iter().take(candidates).position(matches) {
            self.best = Some(better);
        }
    }
}
