//! Sheet that compares totals of AIS and of brokers' reports with those of the tax pack.

use rpc::analytics::v1::{TaxEntryKind, TieOut};
use rpc::trades::v1::Broker;

use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::columns::account_cell;
use crate::error::Error;

pub(super) const TABLE: Table<'static> = Table {
    header: &["Total", "Account", "Stated (INR)", "Here (INR)", "Difference (INR)", "Possible reasons"],
    totals: &[],
};

/// Comparison with the sentences of its causes.
pub struct TieOutRow {
    /// Totals that are compared.
    pub tie_out: TieOut,
    /// Sentences of the causes.
    pub causes: String,
}

/// Returns the cells of a comparison in this row.
pub(super) fn cells(row: &TieOutRow, number: u32) -> Result<[Cell<'_>; 6], Error> {
    let TieOutRow { tie_out, causes } = row;
    let account = match tie_out.broker() {
        Broker::Unspecified => Cell::Text("".into()),
        broker => account_cell(broker, tie_out.broker_account)?,
    };
    Ok([
        Cell::Text(kind_title(tie_out.kind())?.into()),
        account,
        Cell::number(&tie_out.stated)?,
        Cell::number(&tie_out.ours)?,
        Cell::Formula(format!("=C{number}-D{number}"), parse_amount(&tie_out.difference)?),
        Cell::Text(if tie_out.agrees { "Agrees".into() } else { causes.into() }),
    ])
}

fn kind_title(kind: TaxEntryKind) -> Result<&'static str, Error> {
    Ok(match kind {
        TaxEntryKind::AisShortTermSales => "AIS: sale value, short term",
        TaxEntryKind::AisLongTermSales => "AIS: sale value, long term",
        TaxEntryKind::AisDividends => "AIS: dividends",
        TaxEntryKind::ReportSpeculative => "Broker's report: intraday result before charges",
        TaxEntryKind::ReportNonSpeculative => "Broker's report: F&O result before charges",
        TaxEntryKind::ReportShortTerm => "Broker's report: short-term result before charges",
        TaxEntryKind::ReportLongTerm => "Broker's report: long-term result before charges",
        TaxEntryKind::ReportDividends => "Broker's report: dividends",
        _ => return Err(Error::Unspecified("total of a statement")),
    })
}
