//! Matching of entries and exits, first in, first out (FIFO): the oldest open lots are closed first.
//!
//! Fills are matched per broker and instrument, in the order of time; the functions of this module get the fills of one
//! broker and one instrument.
//! - Shares: purchases and sales of one day are matched with each other first (same-day netting), because tax law
//!   treats them as intraday trades. Only the rest of the day is added to the holding or closes lots of it.
//! - Contracts: all fills form one running position, which may change from long to short and back. A split or bonus of
//!   the underlying applies to it as to the shares.

mod contracts;
mod expiry;
mod lots;
mod matcher;
mod shares;

use time::Date;

pub use self::lots::{Closing, CorporateActions, Lot, LotMatch, LotRange, MatchResult, OpenPosition};
use self::matcher::Matcher;
pub use self::shares::opening_fill;
use crate::adjustment::AdjustmentIndex;
use crate::fill::Fill;

/// Matches the sorted fills of one instrument at one broker, with the adjustments that apply to it. A contract that
/// expires after `today` stays open.
pub fn match_fills(fills: Vec<Fill>, adjustments: &AdjustmentIndex, today: Date) -> MatchResult {
    let days: Vec<(Date, usize)> = fills.iter().enumerate().map(|(index, fill)| (fill.day, index)).collect();
    let Some(instrument) = fills.first().map(|fill| fill.instrument.clone()) else { return MatchResult::default() };
    let mut matcher = Matcher::new(fills);
    if instrument.is_contract() {
        let (settlements, splits) =
            (adjustments.settlements(&instrument.symbol), adjustments.contract_splits(&instrument.underlying));
        matcher.match_contract(&days, &settlements, &splits, today);
    } else {
        matcher.match_shares(&days, adjustments.for_share(&instrument.symbol), today);
    }
    matcher.result
}
