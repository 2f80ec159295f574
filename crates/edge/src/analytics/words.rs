//! The words that stand for the enumerations of the analytics in JSON, bodies and queries.

use rpc::analytics::v1::{AdjustmentKind, Component, Direction, Instrument, Kind, Note};

use crate::record::Unwritable;
use crate::words::{self, Wordless};

/// A kind of entry for the analytics that a client named.
pub(super) fn adjustment(word: &str) -> Option<AdjustmentKind> {
    match word {
        "split" => Some(AdjustmentKind::Split),
        "bonus" => Some(AdjustmentKind::Bonus),
        "rename" => Some(AdjustmentKind::Rename),
        "settlement" => Some(AdjustmentKind::Settlement),
        "opening" => Some(AdjustmentKind::Opening),
        _ => None,
    }
}

/// The word for a kind of entry for the analytics.
pub(super) fn of_adjustment(kind: AdjustmentKind) -> Result<&'static str, Wordless> {
    match kind {
        AdjustmentKind::Split => Ok("split"),
        AdjustmentKind::Bonus => Ok("bonus"),
        AdjustmentKind::Rename => Ok("rename"),
        AdjustmentKind::Settlement => Ok("settlement"),
        AdjustmentKind::Opening => Ok("opening"),
        AdjustmentKind::Unspecified => Err(Wordless("a kind of adjustment")),
    }
}

pub(super) fn broker(broker: i32) -> Result<&'static str, Unwritable> {
    let broker = rpc::trades::v1::Broker::try_from(broker).map_err(|_| Wordless("a broker"))?;
    Ok(words::of_broker(broker)?)
}

pub(super) fn instrument(instrument: i32) -> Result<&'static str, Unwritable> {
    match Instrument::try_from(instrument) {
        Ok(Instrument::Equity) => Ok("equity"),
        Ok(Instrument::Future) => Ok("future"),
        Ok(Instrument::Call) => Ok("CE"),
        Ok(Instrument::Put) => Ok("PE"),
        Ok(Instrument::Unspecified) | Err(_) => Err(Wordless("an instrument").into()),
    }
}

pub(super) fn kind(kind: i32) -> Result<&'static str, Unwritable> {
    match Kind::try_from(kind) {
        Ok(Kind::Intraday) => Ok("intraday"),
        Ok(Kind::Delivery) => Ok("delivery"),
        Ok(Kind::Futures) => Ok("futures"),
        Ok(Kind::Options) => Ok("options"),
        Ok(Kind::Unspecified) | Err(_) => Err(Wordless("a kind of closed trade").into()),
    }
}

pub(super) fn direction(direction: i32) -> Result<&'static str, Unwritable> {
    match Direction::try_from(direction) {
        Ok(Direction::Long) => Ok("long"),
        Ok(Direction::Short) => Ok("short"),
        Ok(Direction::Unspecified) | Err(_) => Err(Wordless("a direction").into()),
    }
}

pub(super) fn of_note(note: Note) -> Result<&'static str, Wordless> {
    match note {
        Note::Worthless => Ok("worthless"),
        Note::Settled => Ok("settled"),
        Note::Split => Ok("split"),
        Note::Bonus => Ok("bonus"),
        Note::Renamed => Ok("renamed"),
        Note::Opening => Ok("opening"),
        Note::Uncharged => Ok("uncharged"),
        Note::Unspecified => Err(Wordless("a note")),
    }
}

pub(super) fn component(component: i32) -> Result<&'static str, Unwritable> {
    match Component::try_from(component) {
        Ok(Component::Brokerage) => Ok("brokerage"),
        Ok(Component::Stt) => Ok("stt"),
        Ok(Component::Exchange) => Ok("exchange"),
        Ok(Component::Sebi) => Ok("sebi"),
        Ok(Component::Ipft) => Ok("ipft"),
        Ok(Component::StampDuty) => Ok("stampDuty"),
        Ok(Component::Gst) => Ok("gst"),
        Ok(Component::Dp) => Ok("dp"),
        Ok(Component::Unspecified) | Err(_) => Err(Wordless("a component of charges").into()),
    }
}
