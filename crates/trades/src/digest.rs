//! What was asked, in 32 bytes: two requests are the same where these are.

use sha2::{Digest as _, Sha256};

use crate::store;
use crate::trade::{Book, Trade};

/// A request that is being summed up.
pub struct Digest(Sha256);

impl Digest {
    /// Of a request that concerns `book`.
    pub fn of(book: Book) -> Self {
        Self(Sha256::new()).text(book.broker.name()).text(book.segment.name())
    }

    /// No text holds a NUL, which therefore ends it.
    fn text(mut self, text: &str) -> Self {
        self.0.update(text);
        self.0.update([0]);
        self
    }

    /// The SHA-256 of a file.
    pub fn file(mut self, sha256: &[u8]) -> Self {
        self.0.update(sha256);
        self
    }

    /// A trade that a trader wrote down. The same figures written in another way are the same.
    pub fn trade(self, trade: &Trade) -> Self {
        let trade_alone = self
            .text(trade.side.name())
            .text(&trade.symbol)
            .text(&trade.quantity.normalize().to_string())
            .text(&trade.price.normalize().to_string())
            .text(&trade.executed_at.unix_timestamp_nanos().to_string())
            .text(trade.exchange.name())
            .text(&trade.notes.stock_name)
            .text(&trade.notes.notes)
            .text(&trade.notes.psychology)
            .text(&trade.notes.market_outlook)
            .text(trade.pair_id.as_deref().unwrap_or_default());
        // A number, which is no side, with which the next trade begins.
        match trade.notes.stop_loss {
            Some(stop_loss) => trade_alone.text(&stop_loss.normalize().to_string()),
            None => trade_alone,
        }
    }

    pub fn finish(self) -> store::Sha256 {
        self.0.finalize().into()
    }
}
