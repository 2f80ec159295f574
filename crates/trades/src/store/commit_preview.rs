//! Import of a preview, in one transaction.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rpc::failure::Violation;
use uuid::Uuid;

use super::columns::{to_count, to_row_count};
use super::connections::Store;
use super::import_record::{ImportCounts, ImportOutcome, elapsed_millis};
use super::preview::{
    Comparison, Preview, PreviewedFile, compare_query, compare_with_book, find_previewed_file, force_custom_plans,
    load_preview,
};
use super::uncovered_sales::{NewTrades, UncoveredSales};
use super::write::{AccountWrite, ChangeKind, NewChange, WriteKind};
use crate::error::Error;
use crate::trade::Book;
use crate::trade_limit::LogOwner;

/// Resolution of a conflict between a stored trade and the broker's new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Keep the trade; the next file reports the conflict again.
    Undecided,
    /// Keep the trade and record the broker's new version, so that it is no conflict again.
    Keep,
    /// Replace the trade by the broker's new version.
    Replace,
}

/// Resolutions chosen by the trader.
pub struct ConflictChoices {
    /// State of the preview that the trader saw last; absent if the client does not state it.
    pub expected_state: Option<String>,
    pub by_trade_id: HashMap<i64, Resolution>,
    pub default: Resolution,
    /// Account that the trader selected; absent for that of the preview.
    pub account_number: Option<u8>,
}

/// Outcome of a commit.
pub enum CommitOutcome {
    Imported {
        imported: ImportOutcome,
        file: PreviewedFile,
    },
    /// The result would differ from the preview, so nothing was imported. Contains the current preview.
    Outdated(Preview),
}

/// Trades with a conflict, by resolution.
#[derive(Default)]
struct ResolvedConflicts {
    kept_ids: Vec<i64>,
    corrected_ids: Vec<i64>,
}

impl Store {
    /// Imports a preview at most once. A repeated commit returns the same outcome, or an error if the import was
    /// undone.
    pub async fn commit_preview(
        &self,
        owner: LogOwner,
        preview_id: Uuid,
        choices: &ConflictChoices,
        queue_timeout: Duration,
    ) -> Result<CommitOutcome, Error> {
        let started = Instant::now();
        let LogOwner { account_id, max_trades } = owner;
        let mut write = self.begin_write(account_id, WriteKind::Stream { queue_timeout }, false).await?;
        write.max_trades = max_trades;
        force_custom_plans(write.connection()).await?;
        let mut file =
            find_previewed_file(write.connection(), account_id, preview_id).await?.ok_or(Error::PreviewNotFound)?;
        if let Some(change_id) = file.change_id {
            let imported = write.load_import_outcome(file.book, change_id).await?;
            return Ok(CommitOutcome::Imported { imported, file });
        }
        let broker_account = match choices.account_number {
            Some(number) => write.select_account(file.book.broker_account.broker, number, &file.record.owner).await?,
            None => write.find_account_of(file.book.broker_account, &file.record.owner).await?,
        };
        let is_other_account = broker_account != file.book.broker_account;
        file.book.broker_account = broker_account;
        let comparison = compare_with_book(write.connection(), account_id, preview_id, file.book).await?;
        if is_other_account || comparison.state != *choices.expected_state.as_ref().unwrap_or(&file.state) {
            return write.update_state(file, comparison).await.map(CommitOutcome::Outdated);
        }
        let first_trade_id = write.next_trade_id;
        write.save_owner(file.book.broker_account, &file.record.owner).await?;
        let resolved = write.resolve(&file, comparison.conflicts, choices).await?;
        let filled = match comparison.duplicates {
            0 => 0,
            _ => write.fill_previewed_details(preview_id, file.book).await?,
        };
        write.insert_previewed(&file).await?;
        write.add_symbols_of(first_trade_id, &resolved.corrected_ids).await?;
        let imported = write.finish_commit(&file, comparison, first_trade_id, &resolved, filled, started).await?;
        Ok(CommitOutcome::Imported { imported, file })
    }
}

impl AccountWrite {
    /// Saves the new state and account of an outdated preview and returns the current preview.
    async fn update_state(mut self, file: PreviewedFile, comparison: Comparison) -> Result<Preview, Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "
            update trades.preview set state = $3, broker_account = $4, saved_response = null,
                saved_response_version = null
            where account_id = $1 and preview_id = $2
            ",
            account_id,
            file.preview_id,
            comparison.state,
            file.book.broker_account.key(),
        )
        .execute(self.connection())
        .await?;
        let preview = load_preview(self.connection(), account_id, file, &[], comparison).await?;
        self.commit_without_change().await?;
        Ok(preview)
    }

    /// Applies the chosen resolutions to the conflicts of the preview.
    async fn resolve(
        &mut self,
        file: &PreviewedFile,
        conflicts: i64,
        choices: &ConflictChoices,
    ) -> Result<ResolvedConflicts, Error> {
        let trade_ids =
            if conflicts == 0 { HashSet::new() } else { self.find_conflicts(file.preview_id, file.book).await? };
        if !choices.by_trade_id.keys().all(|id| trade_ids.contains(id)) {
            return Err(Violation::new("choices", "INVALID").into());
        }
        let mut resolved = ResolvedConflicts::default();
        for id in trade_ids {
            match choices.by_trade_id.get(&id).unwrap_or(&choices.default) {
                Resolution::Undecided => (),
                Resolution::Keep => resolved.kept_ids.push(id),
                Resolution::Replace => resolved.corrected_ids.push(id),
            }
        }
        let resolved_ids = [&*resolved.kept_ids, &*resolved.corrected_ids].concat();
        if !resolved_ids.is_empty() {
            self.save_for_undo(&resolved.corrected_ids).await?;
            self.save_broker_trades(&resolved_ids).await?;
            self.apply_corrections(file.preview_id, &resolved.corrected_ids).await?;
            self.record_broker_trades(file.preview_id, &resolved_ids).await?;
        }
        Ok(resolved)
    }

    async fn find_conflicts(&mut self, preview_id: Uuid, book: Book) -> Result<HashSet<i64>, Error> {
        let account_id = self.account_id;
        let rows = compare_query!(
            account_id,
            preview_id,
            book,
            r#"
            select trade_id as "trade_id!" from compared where outcome = 'conflict'
        "#
        )
        .fetch_all(self.connection())
        .await?;
        Ok(rows.into_iter().map(|row| row.trade_id).collect())
    }

    /// Replaces trades by the broker's new versions.
    async fn apply_corrections(&mut self, preview_id: Uuid, trade_ids: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "
            update trades.trade t
            set side = p.side, symbol = p.symbol, isin = p.isin, quantity = p.quantity, price = p.price,
                value = p.value, executed_at = p.executed_at, time_precision = p.time_precision,
                exchange = p.exchange, order_id = p.order_id, underlying = p.underlying, expiry = p.expiry,
                contract_kind = p.contract_kind, strike = p.strike, series = p.series, auction = p.auction, edited = false
            from trades.preview_trade p
            where t.account_id = $1 and t.trade_id = any($3)
              and p.account_id = $1 and p.preview_id = $2 and p.source_key = t.source_key
            ",
            account_id,
            preview_id,
            trade_ids,
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Records the broker's new versions of trades for the next change.
    async fn record_broker_trades(&mut self, preview_id: Uuid, trade_ids: &[i64]) -> Result<(), Error> {
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
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Inserts the trades of the preview that are not in the book, in the order of the file.
    async fn insert_previewed(&mut self, file: &PreviewedFile) -> Result<(), Error> {
        let (account_id, book, first) = (self.account_id, file.book, self.next_trade_id);
        let inserted = compare_query!(
            account_id,
            file.preview_id,
            book,
            "
            insert into trades.trade (
                account_id, trade_id, broker_account, segment, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key, underlying, expiry, contract_kind, strike, series, auction
            )
            select $1, $5 + row_number() over (order by place) - 1, $3, $4, side, symbol, isin, quantity, price, value,
                   executed_at, time_precision, exchange, order_id, source_key, underlying, expiry, contract_kind,
                   strike, series, auction
            from compared
            where outcome = 'added'
        ",
            first
        )
        .execute(self.connection())
        .await?;
        self.next_trade_id += to_row_count(inserted.rows_affected());
        Ok(())
    }

    /// Adds the symbols of new and corrected trades to the suggestions.
    async fn add_symbols_of(&mut self, first_trade_id: i64, corrected: &[i64]) -> Result<(), Error> {
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
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Records the import and its change, deletes the trades of the preview, and commits.
    async fn finish_commit(
        mut self,
        file: &PreviewedFile,
        comparison: Comparison,
        first_trade_id: i64,
        resolved: &ResolvedConflicts,
        filled: i64,
        started: Instant,
    ) -> Result<ImportOutcome, Error> {
        let (account_id, book) = (self.account_id, file.book);
        let new_ids = first_trade_id..self.next_trade_id;
        let added = new_ids.end - new_ids.start;
        let (kept, corrected) = (to_count(resolved.kept_ids.len()), to_count(resolved.corrected_ids.len()));
        let uncovered_sales = UncoveredSales::find(
            self.connection(),
            account_id,
            book,
            NewTrades::Ids { from: new_ids.start, to: new_ids.end },
        )
        .await?;
        let counts = ImportCounts {
            added,
            duplicates: file.trade_count - added,
            conflicts: comparison.conflicts - kept - corrected,
            corrected,
            warnings: file.record.file_counts.unwrap_or_default().warnings + uncovered_sales.count,
            duration_ms: file.parse_ms + elapsed_millis(started),
            first_executed_at: file.first_executed_at,
            last_executed_at: file.last_executed_at,
        };
        let import_id = self.record_import(book, &file.record, &counts).await?;
        let symbol = self.find_common_symbol(new_ids.start, &resolved.corrected_ids).await?;
        let change = NewChange {
            kind: ChangeKind::Import,
            added: new_ids,
            removed: corrected,
            filled,
            symbol: symbol.as_deref(),
            pair_id: None,
            import_id: Some(import_id),
        };
        self.save_contract_notes(book, &file.notes).await?;
        let change_id = self.record_change(book, change).await?;
        self.mark_as_committed(file.preview_id, change_id).await?;
        let head = self.commit(book, added, added + corrected + filled > 0).await?;
        let ImportCounts { duplicates, conflicts, first_executed_at, last_executed_at, .. } = counts;
        Ok(ImportOutcome {
            book: file.book,
            import_id,
            change_id,
            added,
            duplicates,
            conflicts,
            corrected,
            uncovered_sales,
            first_executed_at,
            last_executed_at,
            head,
            replayed: false,
        })
    }

    /// Deletes the trades of the preview and keeps its row for 24 hours, to answer repetitions of the commit.
    async fn mark_as_committed(&mut self, preview_id: Uuid, change_id: i64) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "delete from trades.preview_trade where account_id = $1 and preview_id = $2",
            account_id,
            preview_id,
        )
        .execute(self.connection())
        .await?;
        // Clears the saved responses of all previews: a resolved conflict changes them even if the version stays the
        // same.
        sqlx::query!(
            "update trades.preview set saved_response = null where account_id = $1 and saved_response is not null",
            account_id,
        )
        .execute(self.connection())
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
        .execute(self.connection())
        .await?;
        Ok(())
    }
}
