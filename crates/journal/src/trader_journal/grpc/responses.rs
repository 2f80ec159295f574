//! Conversion of domain types to proto messages.

use prost_types::Timestamp;
use rpc::trader_journal::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::trader_journal::entry::{Entry, Kind, Side};
use crate::trader_journal::playbook::{Playbook, Template};
use crate::trader_journal::screenshot::Screenshot;

pub(super) fn to_cursor(last: &Entry) -> String {
    format!("{}_{}", last.subject.day, last.entry_id)
}

fn to_wire_screenshot(screenshot: &Screenshot) -> wire::Screenshot {
    wire::Screenshot {
        id: screenshot.screenshot_id.to_string(),
        media_type: screenshot.format.media_type().to_owned(),
        width: screenshot.width,
        height: screenshot.height,
        bytes: screenshot.bytes,
        added_at: Some(to_timestamp(screenshot.added_at)),
    }
}

pub(super) fn to_wire_entry(entry: Entry) -> wire::Entry {
    let Entry { entry_id, subject, content, version, updated_at, screenshots, .. } = entry;
    let plain = |amount: Option<Decimal>| amount.map(|amount| amount.normalize().to_string()).unwrap_or_default();
    let kind = match subject.kind {
        Kind::Position => wire::EntryKind::Position,
        Kind::Strategy => wire::EntryKind::Strategy,
        Kind::Day => wire::EntryKind::Day,
        Kind::Week => wire::EntryKind::Week,
        Kind::Month => wire::EntryKind::Month,
    };
    let side = match subject.side {
        None => wire::PositionSide::Unspecified,
        Some(Side::Long) => wire::PositionSide::Long,
        Some(Side::Short) => wire::PositionSide::Short,
    };
    let subject = wire::Subject {
        kind: kind.into(),
        key: subject.key,
        symbol: subject.symbol,
        day: subject.day.to_string(),
        side: side.into(),
        quantity: plain(subject.quantity),
    };
    let content = wire::Content {
        setup: content.setup,
        tags: content.tags,
        mistakes: content.mistakes,
        emotion: content.emotion,
        emotion_after: content.emotion_after,
        rating: content.rating.map(i32::from).unwrap_or_default(),
        note: content.note,
        plan: content.plan,
        planned_entry: plain(content.planned.entry),
        planned_stop: plain(content.planned.stop),
        planned_target: plain(content.planned.target),
        planned_risk: plain(content.planned.risk),
        rules_kept: content.rules_kept,
        rules_broken: content.rules_broken,
        reviewed: content.reviewed,
    };
    wire::Entry {
        id: entry_id,
        subject: Some(subject),
        content: Some(content),
        version,
        updated_at: Some(to_timestamp(updated_at)),
        screenshots: screenshots.iter().map(to_wire_screenshot).collect(),
    }
}

pub(super) fn to_wire_playbook(playbook: Playbook) -> wire::Playbook {
    wire::Playbook {
        id: playbook.playbook_id,
        name: playbook.name,
        description: playbook.description,
        rules: playbook.rules.into_iter().map(|rule| wire::Rule { id: rule.id, text: rule.text }).collect(),
        version: playbook.version,
        created_at: Some(to_timestamp(playbook.created_at)),
    }
}

pub(super) fn to_wire_template(template: Template) -> wire::Template {
    let Template { template_id, name, plan, note, version } = template;
    wire::Template { id: template_id, name, plan, note, version }
}

pub(super) fn to_timestamp(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}
