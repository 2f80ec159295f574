//! Responses with adjustments.

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;

use crate::adjustment::{AdjustmentKind, PricedShares, Ratio, RecordedAdjustment};
use crate::fill::BrokerAccount;
use crate::grpc::values::{format_day, format_decimal, to_timestamp};

pub fn to_adjustment(recorded: RecordedAdjustment) -> wire::Adjustment {
    let RecordedAdjustment { adjustment, change_id, added_at, issue_id } = recorded;
    let mut result = wire::Adjustment {
        id: adjustment.id,
        symbol: adjustment.symbol,
        date: format_day(adjustment.day),
        kind: to_kind(&adjustment.kind).into(),
        change_id,
        added_at: Some(to_timestamp(added_at)),
        issue_id: issue_id.unwrap_or_default(),
        ..wire::Adjustment::default()
    };
    result.new_symbol = adjustment.kind.other_symbol().unwrap_or_default().to_owned();
    if let Some(Ratio { new, old }) = adjustment.kind.ratio() {
        (result.new_shares, result.old_shares) = (new, old);
    }
    match adjustment.kind {
        AdjustmentKind::Bonus { allotted, .. } => result.allotted_on = allotted.map(format_day).unwrap_or_default(),
        AdjustmentKind::Demerger { cost_percent, .. } => result.cost_percent = format_decimal(cost_percent),
        AdjustmentKind::Merger { cash: price, .. }
        | AdjustmentKind::ContractAdjustment { price_cut: price, .. }
        | AdjustmentKind::FairValue(price)
        | AdjustmentKind::Settlement(price)
        | AdjustmentKind::CapitalReturn(price) => result.price = format_decimal(price),
        AdjustmentKind::FractionPayment { account, amount } => {
            set_account(&mut result, account);
            result.price = format_decimal(amount);
        }
        AdjustmentKind::Opening { account, quantity, price }
        | AdjustmentKind::Rights(PricedShares { account, quantity, price })
        | AdjustmentKind::Buyback(PricedShares { account, quantity, price }) => {
            set_account(&mut result, account);
            (result.quantity, result.price) = (format_decimal(quantity), format_decimal(price));
        }
        AdjustmentKind::Split(_) | AdjustmentKind::Rename(_) | AdjustmentKind::NoAction | AdjustmentKind::Dismissal => {
        }
    }
    result
}

fn set_account(result: &mut wire::Adjustment, account: BrokerAccount) {
    result.set_broker(account.broker.to_wire());
    result.broker_account = to_wire_account_number(account.number);
}

fn to_kind(kind: &AdjustmentKind) -> wire::AdjustmentKind {
    match kind {
        AdjustmentKind::Split(_) => wire::AdjustmentKind::Split,
        AdjustmentKind::Bonus { .. } => wire::AdjustmentKind::Bonus,
        AdjustmentKind::Rename(_) => wire::AdjustmentKind::Rename,
        AdjustmentKind::Merger { .. } => wire::AdjustmentKind::Merger,
        AdjustmentKind::Demerger { .. } => wire::AdjustmentKind::Demerger,
        AdjustmentKind::Rights(_) => wire::AdjustmentKind::Rights,
        AdjustmentKind::Buyback(_) => wire::AdjustmentKind::Buyback,
        AdjustmentKind::CapitalReturn(_) => wire::AdjustmentKind::CapitalReturn,
        AdjustmentKind::FractionPayment { .. } => wire::AdjustmentKind::FractionPayment,
        AdjustmentKind::ContractAdjustment { .. } => wire::AdjustmentKind::ContractAdjustment,
        AdjustmentKind::Settlement(_) => wire::AdjustmentKind::Settlement,
        AdjustmentKind::Opening { .. } => wire::AdjustmentKind::Opening,
        AdjustmentKind::FairValue(_) => wire::AdjustmentKind::FairValue,
        AdjustmentKind::NoAction => wire::AdjustmentKind::NoAction,
        AdjustmentKind::Dismissal => wire::AdjustmentKind::Dismissal,
    }
}
