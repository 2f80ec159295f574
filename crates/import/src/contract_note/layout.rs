//! Layouts of the brokers' contract notes.

use rpc::trades::v1::Broker;

use crate::pdf::PdfText;

/// Layout of a broker's contract notes. All follow the common contract note of the exchanges.
pub(super) struct Layout {
    pub broker: Broker,
    /// Name of the format.
    pub format: &'static str,
    /// Positive obligations and net amounts are payable by the client.
    pub is_payable_positive: bool,
    /// The first figure after the quantity is the traded price. Otherwise it is the rate that explains the value.
    pub has_gross_rate: bool,
    /// The first page sums up the fills of each share.
    pub has_summary: bool,
    /// Rows of futures and options are known, at least from another reader of such notes.
    pub has_known_contracts: bool,
    /// Trades have the keys of the broker's other reports, so that none is added twice.
    pub has_keys_of_reports: bool,
    /// Lines that precede each note of a file, in lower case.
    pub first_line: &'static str,
}

pub(super) const ZERODHA: Layout = Layout {
    broker: Broker::Zerodha,
    format: "zerodha-contract-note",
    is_payable_positive: false,
    has_gross_rate: false,
    has_summary: true,
    has_known_contracts: true,
    has_keys_of_reports: true,
    first_line: "contract note cum tax invoice",
};

/// Layout before 2025-06-27, with a gross rate.
pub(super) const ZERODHA_BEFORE_2025: Layout = Layout { has_gross_rate: true, ..ZERODHA };

/// Layout of a workbook with the notes of a period.
pub(super) const ZERODHA_WORKBOOK: Layout = Layout { has_summary: false, ..ZERODHA_BEFORE_2025 };

pub(super) const GROWW: Layout = Layout {
    broker: Broker::Groww,
    format: "groww-contract-note",
    has_gross_rate: true,
    has_known_contracts: false,
    first_line: "contract note no",
    ..ZERODHA
};

pub(super) const UPSTOX: Layout = Layout {
    broker: Broker::Upstox,
    format: "upstox-contract-note",
    is_payable_positive: true,
    has_gross_rate: true,
    has_known_contracts: false,
    first_line: "upstox securities private limited",
    ..ZERODHA
};

/// The global transaction report of Dhan has totals of a day, and one of its trade histories no trade numbers.
pub(super) const DHAN: Layout = Layout {
    broker: Broker::Dhan,
    format: "dhan-contract-note",
    has_gross_rate: true,
    has_keys_of_reports: false,
    first_line: "contract date",
    ..ZERODHA
};

/// Returns the layout of a document; none if it is no contract note of a known broker.
///
/// A broker is recognised by its legal name: a short name may be part of the client's name. Groww's notes have no name,
/// and are recognised by their row of segments.
pub(super) fn detect(text: &PdfText) -> Option<&'static Layout> {
    let all = text.lines.iter().map(|line| line.text().to_lowercase()).collect::<Vec<_>>().join("\n");
    let info = text.info.to_lowercase();
    let has = |name: &str| all.contains(name) || info.contains(name);
    if !all.contains("contract note") {
        return None;
    }
    if has("zerodha broking") {
        return Some(if all.contains("gross rate") { &ZERODHA_BEFORE_2025 } else { &ZERODHA });
    }
    if has("upstox securities") || has("rksv securities") {
        return Some(&UPSTOX);
    }
    if has("raise securities") || has("moneylicious") {
        return Some(&DHAN);
    }
    (all.contains("contract note no. cn/") && all.contains("nse-eq bse-eq nse-fno bse-fno")).then_some(&GROWW)
}
