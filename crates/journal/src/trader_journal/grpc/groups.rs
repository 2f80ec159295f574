//! Conversion of groups of entries.

use std::collections::HashMap;

use rpc::trader_journal::v1 as wire;

use crate::trader_journal::store::{Group, GroupLabel, Groups};

pub(super) const fn parse_label(label: wire::Label) -> Option<GroupLabel> {
    match label {
        wire::Label::Unspecified => None,
        wire::Label::Setup => Some(GroupLabel::Setup),
        wire::Label::Tag => Some(GroupLabel::Tag),
        wire::Label::Mistake => Some(GroupLabel::Mistake),
        wire::Label::Emotion => Some(GroupLabel::Emotion),
        wire::Label::Rating => Some(GroupLabel::Rating),
        wire::Label::None => Some(GroupLabel::None),
        wire::Label::Day => Some(GroupLabel::Day),
        wire::Label::SetupWithBrokenRule => Some(GroupLabel::SetupWithBrokenRule),
    }
}

/// Returns the groups, with each key of a position once.
pub(super) fn to_wire_groups(groups: Groups) -> wire::GroupEntriesResponse {
    let (mut position_keys, mut indices) = (Vec::new(), HashMap::new());
    let mut to_index = |key: String| {
        *indices.entry(key).or_insert_with_key(|key| {
            position_keys.push(key.clone());
            u32::try_from(position_keys.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let to_wire_group = |group: Group| wire::Group {
        name: group.name,
        entries: group.entries,
        rules_kept: group.rules_kept,
        rules_broken: group.rules_broken,
        positions: group.position_keys.into_iter().map(&mut to_index).collect(),
    };
    let too_many_positions = groups.too_many_positions;
    let groups = groups.groups.into_iter().map(to_wire_group).collect();
    wire::GroupEntriesResponse { groups, position_keys, too_many_positions }
}
