//! Messages of the comparison of contract notes.

use rpc::analytics::v1 as wire;
use rpc::trades::v1::{BrokerageKind, BrokeragePrice};
use rust_decimal::Decimal;

use super::charges_and_taxes::to_component;
use crate::brokerage_plan::OrderPrice;
use crate::charges::Component;
use crate::fill::TradeKind;
use crate::grpc::values::{format_day, format_decimal, to_book, to_count};
use crate::note_comparison::{ComparedNote, NoteComparison, NotePlan};

/// Notes in one message.
const MAX_NOTES: usize = 1_000;

pub fn to_note_comparison(comparison: NoteComparison) -> wire::CompareContractNotesResponse {
    let NoteComparison { notes, stated, estimate, plans } = comparison;
    let component = |((component, stated), (_, estimate)): ((Component, Decimal), (Component, Decimal))| {
        let charges = Some(to_compared_charges(stated, estimate));
        let is_stated = Component::STATED.contains(&component);
        is_stated.then_some(wire::ComparedComponent { component: to_component(component).into(), charges })
    };
    wire::CompareContractNotesResponse {
        total_notes: to_count(notes.len()),
        components: stated.components().into_iter().zip(estimate.components()).filter_map(component).collect(),
        charges: Some(to_compared_charges(stated.total(), estimate.total())),
        notes: notes.into_iter().take(MAX_NOTES).map(to_compared_note).collect(),
        plans: plans.into_iter().map(to_note_plan).collect(),
    }
}

fn to_compared_note(compared: ComparedNote) -> wire::ComparedNote {
    wire::ComparedNote {
        book: Some(to_book(compared.note.account, compared.note.contracts)),
        date: format_day(compared.note.day),
        stated_turnover: format_decimal(compared.stated_turnover),
        log_turnover: format_decimal(compared.log_turnover),
        used: compared.is_used,
        from_tradebook: compared.from_tradebook,
        charges: Some(to_compared_charges(compared.stated.total(), compared.estimate.total())),
    }
}

fn to_compared_charges(stated: Decimal, estimate: Decimal) -> wire::ComparedCharges {
    wire::ComparedCharges {
        stated: format_decimal(stated),
        estimate: format_decimal(estimate),
        difference: format_decimal(stated - estimate),
    }
}

fn to_note_plan(plan: NotePlan) -> wire::NotePlan {
    wire::NotePlan {
        book: Some(to_book(plan.account, plan.contracts)),
        prices: plan.prices.into_iter().map(to_brokerage_price).collect(),
        days: to_count(plan.days),
        last_date: format_day(plan.last_day),
    }
}

pub fn to_brokerage_price(price: OrderPrice) -> BrokeragePrice {
    let kind = match price.kind {
        TradeKind::Delivery => BrokerageKind::Delivery,
        TradeKind::Intraday => BrokerageKind::Intraday,
        TradeKind::Futures => BrokerageKind::Futures,
        TradeKind::Options => BrokerageKind::Options,
    };
    BrokeragePrice {
        kind: kind.into(),
        from: format_day(price.from),
        flat: format_decimal(price.flat),
        ..BrokeragePrice::default()
    }
}
