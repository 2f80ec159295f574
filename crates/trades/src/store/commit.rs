//! Importing what a preview showed, in one transaction.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::imported::{Counted, Imported, millis};
use super::preview::{Compared, Preview, PreviewedFile, compare, compared, plan_anew, previewed_file, whole};
use super::sales::{New, UncoveredSales};
use super::write::{ChangeKind, NewChange, Pace, Write};
use super::{Store, count};
use crate::error::Error;
use crate::trade::Book;

/// What becomes of a trade that the broker tells otherwise than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It stays, and is asked about again.
    Undecided,
    /// It stays, and what the broker tells now is known from then on.
    Keep,
    /// It becomes what the broker tells now.
    Take,
}

/// What the trader decided.
pub struct Choices {
    /// The state that was shown last; absent where the client does not say.
    pub state: Option<String>,
    pub named: HashMap<i64, Resolution>,
    pub others: Resolution,
}

/// What came of a commit.
pub enum Committed {
    Imported {
        imported: Imported,
        file: PreviewedFile,
    },
    /// Nothing: something else would have happened than was shown.
    Changed(Preview),
}

/// Trades by what became of them.
#[derive(Default)]
struct Resolved {
    kept: Vec<i64>,
    taken: Vec<i64>,
}

impl Store {
    /// Imports what the preview showed; once, however often it is asked. What was undone since is not imported again.
    pub async fn commit(
        &self,
        account_id: Uuid,
        preview_id: Uuid,
        choices: &Choices,
        turn: Duration,
    ) -> Result<Committed, Error> {
        let started = Instant::now();
        let mut write = self.begin(account_id, Pace::Stream(turn), false).await?;
        plan_anew(write.on()).await?;
        let file = previewed_file(write.on(), account_id, preview_id).await?.ok_or(Error::NoPreview)?;
        if let Some(change_id) = file.change_id {
            let imported = write.imported_by(file.book, change_id).await?;
            return Ok(Committed::Imported { imported, file });
        }
        let compared = compare(write.on(), account_id, preview_id, file.book).await?;
        if compared.state != *choices.state.as_ref().unwrap_or(&file.state) {
            return write.show_anew(file, compared).await.map(Committed::Changed);
        }
        let first_trade_id = write.next_trade_id;
        let resolved = write.resolve(&file, compared.conflicts, choices).await?;
        write.insert_previewed(&file).await?;
        write.remember_from(first_trade_id, &resolved.taken).await?;
        let imported = write.finish_commit(&file, compared, first_trade_id, &resolved, started).await?;
        Ok(Committed::Imported { imported, file })
    }
}

impl Write {
    /// Shows the preview as it is now, and remembers that it did.
    async fn show_anew(mut self, file: PreviewedFile, compared: Compared) -> Result<Preview, Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "update trades.preview set state = $3 where account_id = $1 and preview_id = $2",
            account_id,
            file.preview_id,
            compared.state,
        )
        .execute(self.on())
        .await?;
        let preview = whole(self.on(), account_id, file, compared).await?;
        self.release().await?;
        Ok(preview)
    }

    /// Does with the conflicts of the preview what was decided about them.
    async fn resolve(&mut self, file: &PreviewedFile, conflicts: i64, choices: &Choices) -> Result<Resolved, Error> {
        let ids = if conflicts == 0 { HashSet::new() } else { self.conflicting(file.preview_id, file.book).await? };
        if !choices.named.keys().all(|id| ids.contains(id)) {
            return Err(Error::field("choices", "A choice names a trade that is no conflict of this preview."));
        }
        let mut resolved = Resolved::default();
        for id in ids {
            match choices.named.get(&id).unwrap_or(&choices.others) {
                Resolution::Undecided => (),
                Resolution::Keep => resolved.kept.push(id),
                Resolution::Take => resolved.taken.push(id),
            }
        }
        let decided = [&*resolved.kept, &*resolved.taken].concat();
        if !decided.is_empty() {
            self.keep(&resolved.taken).await?;
            self.keep_broker_trades(&decided).await?;
            self.take(file.preview_id, &resolved.taken).await?;
            self.told(file.preview_id, &decided).await?;
        }
        Ok(resolved)
    }

    async fn conflicting(&mut self, preview_id: Uuid, book: Book) -> Result<HashSet<i64>, Error> {
        let account_id = self.account_id;
        let rows = compared!(
            account_id,
            preview_id,
            book,
            r#"
            select trade_id as "trade_id!" from compared where outcome = 'conflict'
        "#
        )
        .fetch_all(self.on())
        .await?;
        Ok(rows.into_iter().map(|row| row.trade_id).collect())
    }

    /// Makes trades what the broker tells now.
    async fn take(&mut self, preview_id: Uuid, trade_ids: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "
            update trades.trade t
            set side = p.side, symbol = p.symbol, isin = p.isin, quantity = p.quantity, price = p.price,
                value = p.value, executed_at = p.executed_at, time_precision = p.time_precision,
                exchange = p.exchange, order_id = p.order_id, underlying = p.underlying, expiry = p.expiry,
                contract_kind = p.contract_kind, strike = p.strike, edited = false
            from trades.preview_trade p
            where t.account_id = $1 and t.trade_id = any($3)
              and p.account_id = $1 and p.preview_id = $2 and p.source_key = t.source_key
            ",
            account_id,
            preview_id,
            trade_ids,
        )
        .execute(self.on())
        .await?;
        Ok(())
    }

    /// Notes what the broker tells now of trades, for the change that comes next.
    async fn told(&mut self, preview_id: Uuid, trade_ids: &[i64]) -> Result<(), Error> {
        let (account_id, change_id) = (self.account_id, self.next_change_id);
        sqlx::query!(
            "
            insert into trades.broker_trade (
                account_id, trade_id, change_id, side, symbol, quantity, price, value, executed_at
            )
            select t.account_id, t.trade_id, $4, p.side, p.symbol, p.quantity, p.price, p.value, p.executed_at
            from trades.trade t
            join trades.preview_trade p
                on p.account_id = $1 and p.preview_id = $2 and p.source_key = t.source_key
            where t.account_id = $1 and t.trade_id = any($3)
            ",
            account_id,
            preview_id,
            trade_ids,
            change_id,
        )
        .execute(self.on())
        .await?;
        Ok(())
    }

    /// Puts the trades of the preview that the book does not hold into it, in the order of the file.
    async fn insert_previewed(&mut self, file: &PreviewedFile) -> Result<(), Error> {
        let (account_id, book, first) = (self.account_id, file.book, self.next_trade_id);
        let inserted = compared!(
            account_id,
            file.preview_id,
            book,
            "
            insert into trades.trade (
                account_id, trade_id, broker, segment, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key, underlying, expiry, contract_kind, strike
            )
            select $1, $5 + row_number() over (order by place) - 1, $3, $4, side, symbol, isin, quantity, price, value,
                   executed_at, time_precision, exchange, order_id, source_key, underlying, expiry, contract_kind,
                   strike
            from compared
            where outcome = 'added'
        ",
            first
        )
        .execute(self.on())
        .await?;
        self.next_trade_id += i64::try_from(inserted.rows_affected()).unwrap_or(i64::MAX);
        Ok(())
    }

    /// Remembers the symbols of new and corrected trades for suggestions.
    async fn remember_from(&mut self, first_trade_id: i64, corrected: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "
            insert into trades.symbol (account_id, symbol)
            select $1, symbol from trades.trade where account_id = $1 and trade_id >= $2
            union
            select $1, symbol from trades.trade where account_id = $1 and trade_id = any($3)
            on conflict do nothing
            ",
            account_id,
            first_trade_id,
            corrected,
        )
        .execute(self.on())
        .await?;
        Ok(())
    }

    /// Records the import and its change, forgets the trades of the preview, and commits.
    async fn finish_commit(
        mut self,
        file: &PreviewedFile,
        compared: Compared,
        first_trade_id: i64,
        resolved: &Resolved,
        started: Instant,
    ) -> Result<Imported, Error> {
        let (account_id, book) = (self.account_id, file.book);
        let new = first_trade_id..self.next_trade_id;
        let added = new.end - new.start;
        let (kept, corrected) = (count(resolved.kept.len()), count(resolved.taken.len()));
        let sales = UncoveredSales::of(self.on(), account_id, book, New::Numbered(new.start, new.end)).await?;
        let counted = Counted {
            added,
            duplicates: file.trades - added,
            conflicts: compared.conflicts - kept - corrected,
            corrected,
            warnings: file.record.read.unwrap_or_default().warnings + sales.count,
            duration_ms: file.reading_ms + millis(started),
            first_executed_at: file.first_executed_at,
            last_executed_at: file.last_executed_at,
        };
        let import_id = self.record_import(book, &file.record, &counted).await?;
        let symbol = self.only_symbol(new.start, &resolved.taken).await?;
        let change = NewChange {
            kind: ChangeKind::Import,
            added: new,
            removed: corrected,
            symbol: symbol.as_deref(),
            pair_id: None,
            import_id: Some(import_id),
        };
        let change_id = self.record(book, change).await?;
        self.forget_trades(file.preview_id, change_id).await?;
        let head = self.finish(book, added, added + corrected > 0).await?;
        let Counted { duplicates, conflicts, first_executed_at, last_executed_at, .. } = counted;
        Ok(Imported {
            import_id,
            change_id,
            added,
            duplicates,
            conflicts,
            corrected,
            sales,
            first_executed_at,
            last_executed_at,
            head,
            replayed: false,
        })
    }

    /// What is left of a preview answers the same commit for a day.
    async fn forget_trades(&mut self, preview_id: Uuid, change_id: i64) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "delete from trades.preview_trade where account_id = $1 and preview_id = $2",
            account_id,
            preview_id,
        )
        .execute(self.on())
        .await?;
        // What was decided about a conflict need not move the version, and is shown in other previews too.
        sqlx::query!("update trades.preview set shown = null where account_id = $1 and shown is not null", account_id)
            .execute(self.on())
            .await?;
        sqlx::query!(
            "
            update trades.preview set change_id = $3, expires_at = now() + interval '24 hours'
            where account_id = $1 and preview_id = $2
            ",
            account_id,
            preview_id,
            change_id,
        )
        .execute(self.on())
        .await?;
        Ok(())
    }
}
