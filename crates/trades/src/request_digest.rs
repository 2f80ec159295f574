//! SHA-256 of a request, which shows whether an idempotency key is reused for another request.

use sha2::{Digest as _, Sha256 as Hasher};

use crate::trade::{Book, Trade};

/// SHA-256 digest.
pub type Sha256 = [u8; 32];

/// Digest of a request to change a book.
pub struct RequestDigest(Hasher);

impl RequestDigest {
    /// Begins the digest of a request that changes `book`.
    pub fn new(book: Book) -> Self {
        Self(Hasher::new()).add_text(&book.broker_account.key()).add_text(book.segment.name())
    }

    /// Adds a text and a NUL, which ends it because no text contains one.
    fn add_text(mut self, text: &str) -> Self {
        self.0.update(text);
        self.0.update([0]);
        self
    }

    /// Adds the SHA-256 of a file.
    pub fn add_file(mut self, sha256: &[u8]) -> Self {
        self.0.update(sha256);
        self
    }

    /// Adds a manually entered trade. Numbers are normalized, so that 1.50 and 1.5 give the same digest.
    pub fn add_trade(self, trade: &Trade) -> Self {
        let digest = self
            .add_text(trade.side.name())
            .add_text(&trade.symbol)
            .add_text(&trade.quantity.normalize().to_string())
            .add_text(&trade.price.normalize().to_string())
            .add_text(&trade.executed_at.unix_timestamp_nanos().to_string())
            .add_text(trade.exchange.name())
            .add_text(&trade.notes.stock_name)
            .add_text(&trade.notes.notes)
            .add_text(&trade.notes.psychology)
            .add_text(&trade.notes.market_outlook)
            .add_text(trade.pair_id.as_deref().unwrap_or_default());
        // The next trade begins with its side, which is never a number. The optional stop loss is therefore
        // unambiguous.
        match trade.notes.stop_loss {
            Some(stop_loss) => digest.add_text(&stop_loss.normalize().to_string()),
            None => digest,
        }
    }

    pub fn finish(self) -> Sha256 {
        self.0.finalize().into()
    }
}
