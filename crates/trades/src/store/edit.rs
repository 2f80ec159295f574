//! Writing a trade anew, and taking trades out.

use rust_decimal::Decimal;
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::some;
use super::write::{ChangeKind, NewChange, Pace, Write};
use super::{Head, LoggedTrade, Store, head, pages};
use crate::error::Error;
use crate::trade::{
    Exchange, LIMIT, Notes, STOP_SIDE, Side, TimePrecision, VALUE_RANGE, contract_of, limits_a_loss, no_stop_loss,
    violation,
};

/// What is to be different about a trade; what is absent stays as it is.
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
    /// Inside: none, where it is not to be known any more.
    pub stop_loss: Option<Option<Decimal>>,
}

/// A trade as it is after an edit.
pub struct Edited {
    pub trade: LoggedTrade,
    pub head: Head,
    /// Absent where nothing was different.
    pub change_id: Option<i64>,
}

/// What a deletion did.
pub struct Deleted {
    pub head: Head,
    pub change_id: i64,
    pub deleted: i64,
}

impl Edit {
    /// The trade with what is different about it.
    fn of(self, before: &LoggedTrade) -> Result<LoggedTrade, Error> {
        let (mut after, field) = (before.clone(), self.field_of_stop());
        put(&mut after.side, self.side);
        put(&mut after.symbol, self.symbol);
        put(&mut after.quantity, self.quantity);
        put(&mut after.price, self.price);
        put(&mut after.exchange, self.exchange);
        // What the broker gave for all of it holds for its quantity and price, as its precision for its time.
        if (after.quantity, after.price) != (before.quantity, before.price) {
            let field = if self.price.is_some() { "price" } else { "quantity" };
            let value = after.quantity.checked_mul(after.price).map(|value| value.round_dp(4));
            let value = value.filter(|value| *value < LIMIT);
            let too_large = || Error::Invalid(vec![violation(field, "VALUE_OUT_OF_RANGE", VALUE_RANGE)]);
            after.value = value.ok_or_else(too_large)?;
        }
        if let Some((executed_at, time_precision)) = self.executed_at
            && executed_at != before.executed_at
        {
            (after.executed_at, after.time_precision) = (executed_at, time_precision);
        }
        // What the broker told of a contract holds for its symbol. One that was not known may be by its day.
        after.contract = after.contract.filter(|_| after.symbol == before.symbol);
        if after.contract.is_none() && (&after.symbol, after.executed_at) != (&before.symbol, before.executed_at) {
            after.contract = contract_of(after.book.segment, &after.symbol, after.executed_at).map(Box::new);
        }
        after.edited |= before.imported && after != *before;
        let mut notes = after.notes.take().unwrap_or_default();
        put(&mut notes.stock_name, self.stock_name);
        put(&mut notes.notes, self.notes);
        put(&mut notes.psychology, self.psychology);
        put(&mut notes.market_outlook, self.market_outlook);
        if let Some(broken) = self.stop_loss.flatten().and_then(no_stop_loss) {
            return Err(Error::Invalid(vec![broken]));
        }
        put(&mut notes.stop_loss, self.stop_loss);
        after.notes = Some(notes).filter(|notes| **notes != Notes::default());
        // One that a broker's correction put on the wrong side is nobody's fault who writes something else.
        let stop = |trade: &LoggedTrade| (trade.stop_loss(), trade.side, trade.price);
        if let (Some(stop_loss), side, price) = stop(&after)
            && stop(&after) != stop(before)
            && !limits_a_loss(stop_loss, side, price)
        {
            return Err(Error::Invalid(vec![violation(field, "STOP_LOSS_WRONG_SIDE", STOP_SIDE)]));
        }
        Ok(after)
    }

    /// The field that is at fault where a stop loss is on the wrong side of the price.
    fn field_of_stop(&self) -> &'static str {
        match (&self.stop_loss, &self.price) {
            (Some(_), _) => "stopLoss",
            (None, Some(_)) => "price",
            (None, None) => "type",
        }
    }
}

fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

impl Store {
    /// Writes a trade anew.
    pub async fn edit(&self, account_id: Uuid, trade_id: i64, edit: Edit) -> Result<Edited, Error> {
        let mut write = self.begin(account_id, Pace::Short, false).await?;
        let before = pages::trade(write.on(), account_id, trade_id).await?.ok_or(Error::NoTrade)?;
        let after = edit.of(&before)?;
        if after == before {
            return Ok(Edited { trade: after, head: head(write.on(), account_id).await?, change_id: None });
        }
        write.keep(&[trade_id]).await?;
        if after.edited {
            write.keep_broker_trades(&[trade_id]).await?;
        }
        write.update(&after).await?;
        write.remember(&[&after.symbol]).await?;
        let none = write.next_trade_id..write.next_trade_id;
        let change = NewChange {
            kind: ChangeKind::Edit,
            added: none,
            removed: 1,
            symbol: some(&after.symbol).filter(|symbol| *symbol == before.symbol),
            pair_id: None,
            import_id: None,
        };
        let change_id = write.record(after.book, change).await?;
        let head = write.finish(after.book, 0, true).await?;
        Ok(Edited { trade: after, head, change_id: Some(change_id) })
    }

    /// Takes a trade out of its book, and with `pair` the other leg of its entry.
    pub async fn delete(&self, account_id: Uuid, trade_id: i64, pair: bool) -> Result<Deleted, Error> {
        let mut write = self.begin(account_id, Pace::Short, false).await?;
        let trade = pages::trade(write.on(), account_id, trade_id).await?.ok_or(Error::NoTrade)?;
        let legs = match &trade.pair_id {
            Some(pair_id) if pair => write.legs(&trade, pair_id).await?,
            Some(_) | None => vec![(trade_id, trade.symbol.clone())],
        };
        let trade_ids: Vec<i64> = legs.iter().map(|(trade_id, _)| *trade_id).collect();
        write.keep(&trade_ids).await?;
        write.mark(&trade_ids).await?;
        let deleted = write.delete(&trade_ids).await?;
        let none = write.next_trade_id..write.next_trade_id;
        let change = NewChange {
            kind: ChangeKind::Delete,
            added: none,
            removed: deleted,
            symbol: some(&trade.symbol).filter(|one| legs.iter().all(|(_, symbol)| symbol == one)),
            pair_id: None,
            import_id: None,
        };
        let change_id = write.record(trade.book, change).await?;
        let head = write.finish(trade.book, -deleted, true).await?;
        Ok(Deleted { head, change_id, deleted })
    }
}

impl Write {
    /// Keeps trades of files as the broker told them. Only before the first edit: later they are not the broker's.
    pub(super) async fn keep_broker_trades(&mut self, trade_ids: &[i64]) -> Result<(), Error> {
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
        .execute(self.on())
        .await?;
        Ok(())
    }

    /// The number of a security stands for its symbol, and goes with it.
    async fn update(&mut self, trade: &LoggedTrade) -> Result<(), Error> {
        let notes = trade.notes.as_deref();
        let note = |field: fn(&Notes) -> &String| notes.map(field).and_then(|text| some(text));
        let contract = trade.contract.as_deref();
        let account_id = self.account_id;
        sqlx::query!(
            "
            update trades.trade
            set isin = case when symbol = $4 then isin end,
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
        .execute(self.on())
        .await?;
        Ok(())
    }

    /// The trades of the book that have that pair id, with their symbols.
    async fn legs(&mut self, trade: &LoggedTrade, pair_id: &str) -> Result<Vec<(i64, String)>, Error> {
        let account_id = self.account_id;
        let rows = sqlx::query!(
            "
            select trade_id, symbol from trades.trade
            where account_id = $1 and broker = $2 and segment = $3 and pair_id = $4
            ",
            account_id,
            trade.book.broker.name(),
            trade.book.segment.name(),
            pair_id,
        )
        .fetch_all(self.on())
        .await?;
        Ok(rows.into_iter().map(|row| (row.trade_id, row.symbol)).collect())
    }

    /// Marks those that came from files, so that the next file does not bring them back.
    async fn mark(&mut self, trade_ids: &[i64]) -> Result<(), Error> {
        let (account_id, change_id) = (self.account_id, self.next_change_id);
        sqlx::query!(
            "
            insert into trades.deleted_source (account_id, source_key, broker, segment, change_id)
            select account_id, source_key, broker, segment, $3
            from trades.trade
            where account_id = $1 and trade_id = any($2) and source_key is not null
            ",
            account_id,
            trade_ids,
            change_id,
        )
        .execute(self.on())
        .await?;
        Ok(())
    }

    async fn delete(&mut self, trade_ids: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let gone = sqlx::query!(
            "delete from trades.trade where account_id = $1 and trade_id = any($2)",
            account_id,
            trade_ids
        )
        .execute(self.on())
        .await?;
        Ok(i64::try_from(gone.rows_affected()).unwrap_or(i64::MAX))
    }
}
