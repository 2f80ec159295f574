//! Conversion of results to proto messages.

mod adjustments;
mod charges_and_taxes;
mod closed_trades;
mod contract_notes;
mod data_issues;
mod figures;
mod positions;
mod return_lines;
mod tax_appendix;
mod tax_estimate;

pub use self::adjustments::to_adjustment;
pub use self::charges_and_taxes::{to_charges, to_tax_line, to_tax_pack};
pub use self::closed_trades::{to_closed_trade, to_open_positions};
pub use self::contract_notes::{to_brokerage_price, to_note_comparison};
pub use self::data_issues::{to_answer_result, to_data_issue_list};
pub use self::figures::{
    to_bucket, to_cell, to_data_issues, to_day, to_figures, to_interval, to_scope, to_symbol_curve, with_doubtful,
};
pub use self::positions::{to_position_detail, to_position_page, to_trade_result};
pub use self::tax_appendix::to_tax_appendix;
use crate::remark::Remark;

pub fn to_remark(remark: Remark) -> rpc::analytics::v1::Remark {
    let params = remark.params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    rpc::analytics::v1::Remark { code: remark.code.to_owned(), params }
}
