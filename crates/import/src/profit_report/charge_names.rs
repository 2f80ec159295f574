//! Names of charges in the brokers' reports.

use rpc::imports::v1::ChargeKind;

/// Names of each kind of charge, in lower case and without the suffix ` - z` that Zerodha appends.
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

/// Returns the kind of the charge with this name, in lower case.
pub(super) fn charge_kind(name: &str) -> Option<ChargeKind> {
    let name = name.strip_suffix("- z").unwrap_or(name).trim();
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
}

/// Returns true if the name, in lower case, is that of a charge, for instance `total gst`.
pub(super) fn is_charge(name: &str) -> bool {
    charge_kind(name).is_some()
}
