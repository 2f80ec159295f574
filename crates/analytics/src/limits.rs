//! Limits of an account that an error states.

/// Trades of one account. An account with more is not analysed.
pub const MAX_TRADES: i64 = 1_000_000;
/// Adjustments of one account.
pub const MAX_ADJUSTMENTS: i64 = 10_000;
/// Losses of the years before the log of one account.
pub const MAX_BROUGHT_FORWARD_LOSSES: usize = 100;
/// Figures of a tax year that the trader entered.
pub const MAX_TAX_ENTRIES: usize = 500;
/// Confirmed strategies of one account.
pub const MAX_CONFIRMED_STRATEGIES: i64 = 10_000;
