//! Names of the analytics service's enum values in JSON.

use rpc::imports::v1::ChargeKind;

use crate::json_names::UnknownValue;

/// Returns the name of a kind of charge in a broker's report.
pub(crate) fn charge_kind_name(kind: ChargeKind) -> Result<&'static str, UnknownValue> {
    match kind {
        ChargeKind::Brokerage => Ok("brokerage"),
        ChargeKind::Exchange => Ok("exchange"),
        ChargeKind::Clearing => Ok("clearing"),
        ChargeKind::Stt => Ok("stt"),
        ChargeKind::Gst => Ok("gst"),
        ChargeKind::Sebi => Ok("sebi"),
        ChargeKind::StampDuty => Ok("stampDuty"),
        ChargeKind::Ipft => Ok("ipft"),
        ChargeKind::Dp => Ok("dp"),
        ChargeKind::Other => Ok("other"),
        ChargeKind::Unspecified => Err(UnknownValue("a kind of charge")),
    }
}
