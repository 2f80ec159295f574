//! Editing a trade.

use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::null_if_empty;
use super::connections::Store;
use super::log_head::{LogHead, fetch_log_head};
use super::log_reader::fetch_trade;
use super::logged_trade::LoggedTrade;
use super::write::{AccountWrite, ChangeKind, NewChange, WriteKind};
use crate::error::Error;
use crate::trade::{Exchange, Notes, Side, TimePrecision, is_on_loss_side, parse_contract_symbol, stop_loss_violation};
use crate::validation::MAX_AMOUNT_EXCLUSIVE;

/// New values of a trade; absent fields stay unchanged.
#[derive(Default)]
pub struct Edit {
    pub side: Option<Side>,
    pub symbol: Option<String>,
    pub quantity: Option<Decimal>,
    pub price: Option<Decimal>,
    pub executed_at: Option<(OffsetDateTime, TimePrecision)>,
    pub exchange: Option<Exchange>,
    pub stock_name: Option<String>,
    pub notes: Option<String>,
    pub psychology: Option<String>,
    pub market_outlook: Option<String>,
    /// `Some(None)` removes the stop loss.
    pub stop_loss: Option<Option<Decimal>>,
}

/// Outcome of an edit.
pub struct EditOutcome {
    pub trade: LoggedTrade,
    pub head: LogHead,
    /// Absent if the edit changed nothing.
    pub change_id: Option<i64>,
}

impl Edit {
    /// Returns the edited trade.
    fn apply_to(self, before: &LoggedTrade) -> Result<LoggedTrade, Error> {
        let (mut after, field) = (before.clone(), self.invalid_stop_loss_field());
        set_if_some(&mut after.side, self.side);
        set_if_some(&mut after.symbol, self.symbol);
        set_if_some(&mut after.quantity, self.quantity);
        set_if_some(&mut after.price, self.price);
        set_if_some(&mut after.exchange, self.exchange);
        // The broker's value applies only to its quantity and price, and its time precision only to its time.
        if (after.quantity, after.price) != (before.quantity, before.price) {
            let field = if self.price.is_some() { "price" } else { "quantity" };
            let value = after.quantity.checked_mul(after.price).map(|value| value.round_dp(4));
            let value = value.filter(|value| *value < MAX_AMOUNT_EXCLUSIVE);
            after.value = value.ok_or_else(|| Violation::new(field, "VALUE_OUT_OF_RANGE"))?;
        }
        if let Some((executed_at, time_precision)) = self.executed_at
            && executed_at != before.executed_at
        {
            (after.executed_at, after.time_precision) = (executed_at, time_precision);
        }
        // A stated contract applies only to its symbol. An unknown contract may become known by the new day.
        after.contract = after.contract.filter(|_| after.symbol == before.symbol);
        if after.contract.is_none() && (&after.symbol, after.executed_at) != (&before.symbol, before.executed_at) {
            after.contract = parse_contract_symbol(after.book.segment, &after.symbol, after.executed_at).map(Box::new);
        }
        after.edited |= before.imported && after != *before;
        let mut notes = after.notes.take().unwrap_or_default();
        set_if_some(&mut notes.stock_name, self.stock_name);
        set_if_some(&mut notes.notes, self.notes);
        set_if_some(&mut notes.psychology, self.psychology);
        set_if_some(&mut notes.market_outlook, self.market_outlook);
        if let Some(invalid) = self.stop_loss.flatten().and_then(|price| stop_loss_violation("notes.stop_loss", price))
        {
            return Err(invalid.into());
        }
        set_if_some(&mut notes.stop_loss, self.stop_loss);
        after.notes = Some(notes).filter(|notes| **notes != Notes::default());
        // Checks the stop loss only if this edit changes it, the side or the price: a broker's correction may have
        // moved the price to the wrong side.
        let stop_loss_inputs = |trade: &LoggedTrade| (trade.stop_loss(), trade.side, trade.price);
        if let (Some(stop_loss), side, price) = stop_loss_inputs(&after)
            && stop_loss_inputs(&after) != stop_loss_inputs(before)
            && !is_on_loss_side(stop_loss, side, price)
        {
            return Err(Violation::new(field, "STOP_LOSS_WRONG_SIDE").into());
        }
        Ok(after)
    }

    /// Returns the field to report if the stop loss is on the wrong side of the price.
    fn invalid_stop_loss_field(&self) -> &'static str {
        match (&self.stop_loss, &self.price) {
            (Some(_), _) => "notes.stop_loss",
            (None, Some(_)) => "price",
            (None, None) => "side",
        }
    }
}

fn set_if_some<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

impl Store {
    /// Edits a trade.
    pub async fn edit_trade(&self, account_id: Uuid, trade_id: i64, edit: Edit) -> Result<EditOutcome, Error> {
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let before = fetch_trade(write.connection(), account_id, trade_id).await?.ok_or(Error::TradeNotFound)?;
        let after = edit.apply_to(&before)?;
        if after == before {
            return Ok(EditOutcome {
                trade: after,
                head: fetch_log_head(write.connection(), account_id).await?,
                change_id: None,
            });
        }
        write.save_for_undo(&[trade_id]).await?;
        if after.edited {
            write.save_broker_trades(&[trade_id]).await?;
        }
        write.update(&after).await?;
        write.add_symbols(&[&after.symbol]).await?;
        let no_trade_ids = write.next_trade_id..write.next_trade_id;
        let change = NewChange {
            kind: ChangeKind::Edit,
            added: no_trade_ids,
            removed: 1,
            filled: 0,
            symbol: null_if_empty(&after.symbol).filter(|symbol| *symbol == before.symbol),
            pair_id: None,
            import_id: None,
        };
        let change_id = write.record_change(after.book, change).await?;
        let head = write.commit(after.book, 0, true).await?;
        Ok(EditOutcome { trade: after, head, change_id: Some(change_id) })
    }
}

impl AccountWrite {
    /// Saves the broker's version of imported trades. Does nothing after the first edit, because the stored trade is
    /// then no longer the broker's version.
    pub(super) async fn save_broker_trades(&mut self, trade_ids: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "
            insert into trades.broker_trade (
                account_id, trade_id, side, symbol, quantity, price, value, executed_at
            )
            select account_id, trade_id, side, symbol, quantity, price, value, executed_at
            from trades.trade
            where account_id = $1 and trade_id = any($2) and source_key is not null
            on conflict do nothing
            ",
            account_id,
            trade_ids,
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Updates the trade. Clears the ISIN if the symbol changes, because it belongs to the old symbol, and the series if
    /// the symbol or the exchange changes.
    async fn update(&mut self, trade: &LoggedTrade) -> Result<(), Error> {
        let notes = trade.notes.as_deref();
        let note = |field: fn(&Notes) -> &String| notes.map(field).and_then(|text| null_if_empty(text));
        let contract = trade.contract.as_deref();
        let account_id = self.account_id;
        sqlx::query!(
            "
            update trades.trade
            set isin = case when symbol = $4 then isin end,
                series = case when symbol = $4 and exchange = $10 then series end,
                side = $3, symbol = $4, quantity = $5, price = $6, value = $7, executed_at = $8, time_precision = $9,
                exchange = $10, stock_name = $11, notes = $12, psychology = $13, market_outlook = $14, edited = $15,
                underlying = $16, expiry = $17, contract_kind = $18, strike = $19, stop_loss = $20
            where account_id = $1 and trade_id = $2
            ",
            account_id,
            trade.trade_id,
            trade.side.name(),
            trade.symbol,
            trade.quantity,
            trade.price,
            trade.value,
            trade.executed_at,
            trade.time_precision.name(),
            trade.exchange.name(),
            note(|notes| &notes.stock_name),
            note(|notes| &notes.notes),
            note(|notes| &notes.psychology),
            note(|notes| &notes.market_outlook),
            trade.edited,
            contract.map(|contract| &*contract.underlying),
            contract.map(|contract| &*contract.expiry),
            contract.map(|contract| contract.kind.name()),
            contract.and_then(|contract| contract.strike),
            trade.stop_loss(),
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }
}
