//! The names that brokers give to charges.

use rpc::imports::v1::ChargeKind;

/// In lower case; Zerodha's end with ` - z` as a rule.
const NAMES: [(ChargeKind, &[&str]); 9] = [
    (ChargeKind::Brokerage, &["brokerage"]),
    (ChargeKind::Exchange, &["exchange transaction charges", "exchange turnover charges", "transaction charges"]),
    (ChargeKind::Clearing, &["clearing charges"]),
    (ChargeKind::Stt, &["securities transaction tax", "stt", "ctt", "stt/ctt", "commodities transaction tax"]),
    (ChargeKind::Gst, &["central gst", "state gst", "integrated gst", "cgst", "sgst", "igst", "gst", "total gst"]),
    (ChargeKind::Sebi, &["sebi turnover fees", "sebi charges", "sebi turnover charges"]),
    (ChargeKind::StampDuty, &["stamp duty", "stamp charges"]),
    (ChargeKind::Ipft, &["ipft", "ipft charges"]),
    (ChargeKind::Dp, &["dp charges", "cdsl dp charges", "nsdl dp charges", "groww dp charges"]),
];

/// What the charge of that name, in lower case, is for.
pub(super) fn kind(name: &str) -> Option<ChargeKind> {
    let name = name.strip_suffix("- z").unwrap_or(name).trim();
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
}

/// Whether a name that begins like that of a sum is that of a charge.
pub(super) fn is_charge(name: &str) -> bool {
    kind(name).is_some()
}
