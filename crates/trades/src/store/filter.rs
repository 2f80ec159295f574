//! Filter and sort column of the log.

use time::OffsetDateTime;

use crate::search::Search;
use crate::trade::{Segment, Side};

/// Filter of the log. Absent fields match all trades.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Part of a symbol, ignoring case.
    pub symbol: Option<String>,
    /// Words and tags.
    pub search: Option<Search>,
    pub side: Option<Side>,
    /// Accounts with a broker.
    pub broker_account_keys: Option<Vec<String>>,
    pub segment: Option<Segment>,
    /// Earliest time, inclusive.
    pub from: Option<OffsetDateTime>,
    /// Latest time, exclusive.
    pub to: Option<OffsetDateTime>,
    /// Only trades of manual entries with a pair id.
    pub manual_only: bool,
    /// Only trades with notes, a psychology or a market outlook.
    pub noted_only: bool,
    /// Reads the source keys, which most callers do not need. Not a condition.
    pub with_source_keys: bool,
}

impl Filter {
    /// Returns true if the filter matches all trades.
    pub fn matches_all(&self) -> bool {
        let Self {
            symbol,
            search,
            side,
            broker_account_keys,
            segment,
            from,
            to,
            manual_only,
            noted_only,
            with_source_keys: _,
        } = self;
        symbol.is_none()
            && search.is_none()
            && side.is_none()
            && broker_account_keys.is_none()
            && segment.is_none()
            && from.is_none()
            && to.is_none()
            && !manual_only
            && !noted_only
    }

    /// Returns true if only trades with a text can match.
    pub(super) fn needs_text(&self) -> bool {
        self.noted_only || self.search.as_ref().is_some_and(|search| search.symbol_pattern.is_none())
    }
}

/// Sort column of the log, other than time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortColumn {
    Symbol,
    Quantity,
    Price,
    Side,
    Broker,
}

impl SortColumn {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Quantity => "quantity",
            Self::Price => "price",
            Self::Side => "side",
            Self::Broker => "broker",
        }
    }
}
