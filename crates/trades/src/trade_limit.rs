//! Limit on the trades of an account.

use rpc::caller::{Bearer, Caller};
use tonic::{Request, Status};
use uuid::Uuid;

/// Maximum number of trades of an account. Analytics take as many.
pub(crate) const MAX_TRADES: i64 = 1_000_000;
/// Maximum number of trades of an account whose email address is not confirmed. Anyone can register such accounts.
pub(crate) const MAX_UNCONFIRMED_TRADES: i64 = 100_000;

/// Account that a write adds trades to.
#[derive(Clone, Copy, Debug)]
pub struct LogOwner {
    pub account_id: Uuid,
    /// Number of trades that the account may have after the write.
    pub max_trades: i64,
}

impl LogOwner {
    /// Returns the account of a request, with the limit that its caller's token allows.
    pub fn from_request<T>(request: &Request<T>) -> Result<Self, Status> {
        let caller = Caller::from_request(request)?;
        let max_trades = match &caller.bearer {
            Bearer::Session(trader) | Bearer::Analytics(trader) if !trader.email_confirmed => MAX_UNCONFIRMED_TRADES,
            Bearer::Session(_) | Bearer::Analytics(_) | Bearer::Service(_) => MAX_TRADES,
        };
        Ok(Self { account_id: caller.account_id, max_trades })
    }
}
