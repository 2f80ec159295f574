//! Responses with adjustments.

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;

use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::grpc::values::{format_day, format_decimal};
use crate::trade_log::to_wire_broker;

pub fn to_adjustment(adjustment: Adjustment) -> wire::Adjustment {
    let mut result = wire::Adjustment {
        id: adjustment.id,
        symbol: adjustment.symbol,
        date: format_day(adjustment.day),
        ..wire::Adjustment::default()
    };
    let kind = match adjustment.kind {
        AdjustmentKind::Split(Ratio { new, old }) => {
            (result.new_shares, result.old_shares) = (new, old);
            wire::AdjustmentKind::Split
        }
        AdjustmentKind::Bonus(Ratio { new, old }) => {
            (result.new_shares, result.old_shares) = (new, old);
            wire::AdjustmentKind::Bonus
        }
        AdjustmentKind::Rename(to) => {
            result.new_symbol = to;
            wire::AdjustmentKind::Rename
        }
        AdjustmentKind::Settlement(price) => {
            result.price = format_decimal(price);
            wire::AdjustmentKind::Settlement
        }
        AdjustmentKind::Opening { account, quantity, price } => {
            result.set_broker(to_wire_broker(account.broker));
            result.broker_account = to_wire_account_number(account.number);
            (result.quantity, result.price) = (format_decimal(quantity), format_decimal(price));
            wire::AdjustmentKind::Opening
        }
    };
    result.set_kind(kind);
    result
}
