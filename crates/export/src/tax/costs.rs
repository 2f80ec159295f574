//! Sheet with the costs outside trades of the year, from the ledgers of the brokers.

use rpc::trades::v1::{LedgerKind, LedgerSum, LedgerTreatment};

use super::table::Table;
use crate::cell::Cell;
use crate::columns::account_cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> =
    Table { header: &["Cost", "Account", "Amount (INR)", "Entries", "Note"], totals: &[] };

/// Returns the sums of costs, those outside trades first.
pub(super) fn rows(ledger: &[LedgerSum]) -> Vec<&LedgerSum> {
    let mut rows: Vec<_> = ledger.iter().filter(|sum| sum.treatment() != LedgerTreatment::NoCost).collect();
    rows.sort_by_key(|sum| sum.treatment);
    rows
}

/// Returns the cells of a sum.
pub(super) fn cells(sum: &LedgerSum) -> Result<[Cell<'_>; 5], Error> {
    let note = match sum.treatment() {
        LedgerTreatment::Cost if sum.kind() == LedgerKind::Penalty => {
            "Not in any other figure. May not be an expense; the accountant decides"
        }
        LedgerTreatment::Cost => {
            "Not in any other figure. Usually an expense of business income, not of capital gains; the accountant decides"
        }
        LedgerTreatment::InTrades => "Already estimated in the charges of trades; do not count it again",
        LedgerTreatment::NotRecognised => "Not recognised; check the ledger",
        LedgerTreatment::NoCost | LedgerTreatment::Unspecified => "",
    };
    Ok([
        Cell::Text(kind_title(sum.kind())?.into()),
        account_cell(sum.broker(), sum.broker_account)?,
        Cell::number(&sum.amount)?,
        Cell::Count(sum.entries),
        Cell::Text(note.into()),
    ])
}

fn kind_title(kind: LedgerKind) -> Result<&'static str, Error> {
    Ok(match kind {
        LedgerKind::Dp => "DP charges",
        LedgerKind::Amc => "Demat account maintenance (AMC)",
        LedgerKind::Interest => "Interest",
        LedgerKind::Pledge => "Pledge charges",
        LedgerKind::CallAndTrade => "Call and trade, square-off charges",
        LedgerKind::Penalty => "Penalties",
        LedgerKind::Subscription => "Subscriptions",
        LedgerKind::Fee => "Other fees",
        LedgerKind::Deposit => "Deposits",
        LedgerKind::Withdrawal => "Withdrawals",
        LedgerKind::Settlement => "Settlement of trades",
        LedgerKind::Journal => "Transfers",
        LedgerKind::Other => "Other entries",
        LedgerKind::Unspecified => return Err(Error::Unspecified("kind")),
    })
}
