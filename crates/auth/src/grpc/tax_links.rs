//! Conversion of tax links.

use rpc::auth::v1 as wire;

use super::responses::timestamp;
use crate::tax_link::{TaxLink, TaxLinkAction, TaxLinkUse};

pub(super) fn encode_tax_link(link: TaxLink) -> wire::TaxLink {
    wire::TaxLink {
        link_id: link.link_id.to_string(),
        recipient: link.recipient,
        year: link.year.into(),
        broker_accounts: link.broker_accounts,
        created_at: Some(timestamp(link.created_at)),
        expires_at: Some(timestamp(link.expires_at)),
        revoked_at: link.revoked_at.map(timestamp),
        uses: link.uses.into_iter().map(encode_use).collect(),
    }
}

fn encode_use(link_use: TaxLinkUse) -> wire::TaxLinkUse {
    wire::TaxLinkUse {
        action: match link_use.action {
            TaxLinkAction::View => wire::TaxLinkAction::View,
            TaxLinkAction::Download => wire::TaxLinkAction::Download,
        }
        .into(),
        user_agent: link_use.user_agent,
        address: link_use.address,
        first_at: Some(timestamp(link_use.first_at)),
        last_at: Some(timestamp(link_use.last_at)),
        uses: link_use.uses,
    }
}

/// Parses the kind of use; an unspecified one is a view.
pub(super) fn parse_action(action: wire::TaxLinkAction) -> TaxLinkAction {
    match action {
        wire::TaxLinkAction::Download => TaxLinkAction::Download,
        wire::TaxLinkAction::Unspecified | wire::TaxLinkAction::View => TaxLinkAction::View,
    }
}
