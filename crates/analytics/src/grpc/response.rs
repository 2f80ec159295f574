//! Conversion of results to proto messages.

mod adjustments;
mod charges_and_taxes;
mod closed_trades;
mod figures;
mod positions;

pub use self::adjustments::to_adjustment;
pub use self::charges_and_taxes::{to_charges, to_tax_line, to_tax_pack};
pub use self::closed_trades::{to_closed_trade, to_open_positions};
pub use self::figures::{to_bucket, to_cell, to_data_issues, to_day, to_figures, to_scope, to_symbol_curve};
pub use self::positions::{to_position_detail, to_position_page, to_trade_result};
