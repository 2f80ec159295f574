//! Names of the analytics service's enum values in JSON.

use rpc::analytics::v1::{AdjustmentKind, Component, Direction, Instrument, Kind, Note};
use rpc::imports::v1::ChargeKind;

use crate::json::JsonError;
use crate::json_names::{self, UnknownValue};

/// Parses the name of a kind of adjustment.
pub(crate) fn parse_adjustment_kind(name: &str) -> Option<AdjustmentKind> {
    match name {
        "split" => Some(AdjustmentKind::Split),
        "bonus" => Some(AdjustmentKind::Bonus),
        "rename" => Some(AdjustmentKind::Rename),
        "settlement" => Some(AdjustmentKind::Settlement),
        "opening" => Some(AdjustmentKind::Opening),
        _ => None,
    }
}

/// Returns the name of a kind of adjustment.
pub(crate) fn adjustment_kind_name(kind: AdjustmentKind) -> Result<&'static str, UnknownValue> {
    match kind {
        AdjustmentKind::Split => Ok("split"),
        AdjustmentKind::Bonus => Ok("bonus"),
        AdjustmentKind::Rename => Ok("rename"),
        AdjustmentKind::Settlement => Ok("settlement"),
        AdjustmentKind::Opening => Ok("opening"),
        AdjustmentKind::Unspecified => Err(UnknownValue("a kind of adjustment")),
    }
}

/// Returns the name of a broker, given its number in a message.
pub(crate) fn broker_number_name(broker: i32) -> Result<&'static str, JsonError> {
    let broker = rpc::trades::v1::Broker::try_from(broker).map_err(|_| UnknownValue("a broker"))?;
    Ok(json_names::broker_name(broker)?)
}

/// Returns the name of a kind of instrument.
pub(crate) fn instrument_name(instrument: i32) -> Result<&'static str, JsonError> {
    match Instrument::try_from(instrument) {
        Ok(Instrument::Equity) => Ok("equity"),
        Ok(Instrument::Future) => Ok("future"),
        Ok(Instrument::Call) => Ok("CE"),
        Ok(Instrument::Put) => Ok("PE"),
        Ok(Instrument::Unspecified) | Err(_) => Err(UnknownValue("an instrument").into()),
    }
}

/// Returns the name of a kind of closed trade.
pub(crate) fn kind_name(kind: i32) -> Result<&'static str, JsonError> {
    match Kind::try_from(kind) {
        Ok(Kind::Intraday) => Ok("intraday"),
        Ok(Kind::Delivery) => Ok("delivery"),
        Ok(Kind::Futures) => Ok("futures"),
        Ok(Kind::Options) => Ok("options"),
        Ok(Kind::Unspecified) | Err(_) => Err(UnknownValue("a kind of closed trade").into()),
    }
}

/// Returns the name of a direction.
pub(crate) fn direction_name(direction: i32) -> Result<&'static str, JsonError> {
    match Direction::try_from(direction) {
        Ok(Direction::Long) => Ok("long"),
        Ok(Direction::Short) => Ok("short"),
        Ok(Direction::Unspecified) | Err(_) => Err(UnknownValue("a direction").into()),
    }
}

/// Returns the name of a note on a closed trade.
pub(crate) fn note_name(note: Note) -> Result<&'static str, UnknownValue> {
    match note {
        Note::Worthless => Ok("worthless"),
        Note::Settled => Ok("settled"),
        Note::Split => Ok("split"),
        Note::Bonus => Ok("bonus"),
        Note::Renamed => Ok("renamed"),
        Note::Opening => Ok("opening"),
        Note::Uncharged => Ok("uncharged"),
        Note::Unspecified => Err(UnknownValue("a note")),
    }
}

/// Returns the name of a component of charges.
pub(crate) fn component_name(component: i32) -> Result<&'static str, JsonError> {
    match Component::try_from(component) {
        Ok(Component::Brokerage) => Ok("brokerage"),
        Ok(Component::Stt) => Ok("stt"),
        Ok(Component::Exchange) => Ok("exchange"),
        Ok(Component::Sebi) => Ok("sebi"),
        Ok(Component::Ipft) => Ok("ipft"),
        Ok(Component::StampDuty) => Ok("stampDuty"),
        Ok(Component::Gst) => Ok("gst"),
        Ok(Component::Dp) => Ok("dp"),
        Ok(Component::Unspecified) | Err(_) => Err(UnknownValue("a component of charges").into()),
    }
}

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
