//! Limit on the trades of an account.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;
use crate::trade_limit::{MAX_TRADES, MAX_UNCONFIRMED_TRADES};

const ACCOUNT: Uuid = Uuid::from_u128(1);

fn client_with_email(pool: &PgPool, confirmed: bool) -> Client {
    client_with_token(crate::server(pools(pool)), ACCOUNT, confirmed)
}

/// Makes the account count as many trades as leave room for `room` more, without storing them.
async fn leave_room(pool: &PgPool, max_trades: i64, room: i64) {
    let update = sqlx::query("update trades.account set trade_count = $1 where account_id = $2");
    assert_eq!(update.bind(max_trades - room).bind(ACCOUNT).execute(pool).await.unwrap().rows_affected(), 1);
}

async fn count_rows(pool: &PgPool) -> (i64, i64, i64) {
    let count = sqlx::query_as(
        "select (select count(*) from trades.trade), (select count(*) from trades.change),
                (select count(*) from trades.preview) + (select count(*) from trades.preview_trade)",
    );
    count.fetch_one(pool).await.unwrap()
}

#[track_caller]
fn assert_too_many(status: &Status, confirmed: bool) {
    let reason = if confirmed { "TOO_MANY_TRADES" } else { "TOO_MANY_UNCONFIRMED_TRADES" };
    assert_eq!((status.code(), &*reason_of(status)), (Code::FailedPrecondition, reason));
}

async fn import_fills(client: &mut Client, range: std::ops::Range<i64>) -> Result<wire::ImportTradesResponse, Status> {
    let count = range.end - range.start;
    send_import(client, vec![import_head(ZERODHA_EQUITY), import_batch(fills(range)), import_end(count)]).await
}

async fn try_preview(client: &mut Client, range: std::ops::Range<i64>) -> Result<wire::PreviewTradesResponse, Status> {
    use wire::preview_trades_request::Part;
    let import_part::Part::Head(head) = import_head(ZERODHA_EQUITY) else { unreachable!() };
    let trades = range.end - range.start;
    let parts = [
        Part::Head(head),
        Part::Batch(wire::ImportBatch { trades: fills(range) }),
        Part::End(wire::ImportEnd { trades, issues: None, notes: Vec::new() }),
    ];
    let messages = parts.map(|part| wire::PreviewTradesRequest { part: Some(part) });
    Ok(client.preview_trades(tokio_stream::iter(messages)).await?.into_inner())
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_no_write_adds_more_trades_than_the_account_may_have(pool: PgPool) {
    for (confirmed, max_trades, start) in [(false, MAX_UNCONFIRMED_TRADES, 0), (true, MAX_TRADES, 100)] {
        let mut client = client_with_email(&pool, confirmed);
        let last = add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(start), &start.to_string()).await.unwrap();
        leave_room(&pool, max_trades, 5).await;
        import_fills(&mut client, start..start + 5).await.unwrap();
        let before = count_rows(&pool).await;

        // A file adds nothing if the account has all of its trades.
        assert_eq!(import_fills(&mut client, start..start + 5).await.unwrap().added, 0);
        assert_too_many(&import_fills(&mut client, start..start + 6).await.unwrap_err(), confirmed);
        assert_too_many(&try_preview(&mut client, start..start + 6).await.unwrap_err(), confirmed);
        let added = add_with_key(&mut client, GROWW_EQUITY, manual_trade(1), "").await;
        assert_too_many(&added.unwrap_err(), confirmed);
        let replaced =
            send_replace(&mut client, replace_parts(GROWW_EQUITY, &[manual_trade(1), manual_trade(2)], "")).await;
        assert_too_many(&replaced.unwrap_err(), confirmed);
        let after = count_rows(&pool).await;
        assert_eq!((after.0, after.1, after.2), (before.0, before.1 + 1, 0), "a refused write left rows");

        // A request that was answered before adds nothing.
        let key = start.to_string();
        let again = add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(start), &key).await.unwrap();
        assert!(again.replayed && again.trade == last.trade);
        // A replacement by as many trades, an edit and a deletion are possible at the limit.
        let total = newest(&mut client).await.0.total;
        let books = books(&mut client).await;
        let (_, book_trades) = books.into_iter().find(|(book, _)| *book == ZERODHA_EQUITY).unwrap();
        let as_many: Vec<_> = (0..book_trades).map(manual_trade).collect();
        let replaced = replace(&mut client, ZERODHA_EQUITY, &as_many).await;
        assert_eq!(replaced.head.unwrap().total, total);
        let trade_id = newest(&mut client).await.1.id;
        edit(&mut client, trade_id, manual_trade(3)).await.unwrap();
        delete(&mut client, trade_id, false).await.unwrap();
        add(&mut client, GROWW_EQUITY, manual_trade(1)).await;
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_imports_at_once_do_not_exceed_the_limit_together(pool: PgPool) {
    let mut client = client_with_email(&pool, false);
    add(&mut client, ZERODHA_EQUITY, manual_trade(0)).await;
    leave_room(&pool, MAX_UNCONFIRMED_TRADES, 15).await;
    let first = preview(&mut client, ZERODHA_EQUITY, &fills(0..10)).await;
    let second = preview(&mut client, ZERODHA_EQUITY, &fills(10..20)).await;
    let [mut client_1, mut client_2, mut client_3] = [client.clone(), client.clone(), client.clone()];
    let (imported, committed_1, committed_2) = tokio::join!(
        import_fills(&mut client_1, 20..30),
        commit(&mut client_2, commit_request(&first, wire::Resolution::Keep)),
        commit(&mut client_3, commit_request(&second, wire::Resolution::Keep)),
    );
    let refused = [imported.err(), committed_1.err(), committed_2.err()];
    for status in refused.iter().flatten() {
        assert_too_many(status, false);
    }
    assert_eq!(refused.iter().flatten().count(), 2);
    assert_eq!(count_rows(&pool).await.0, 11);
    assert_eq!(newest(&mut client).await.0.total, MAX_UNCONFIRMED_TRADES - 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_an_undo_restores_no_more_trades_than_the_account_may_have(pool: PgPool) {
    let mut client = client_with_email(&pool, false);
    import_fills(&mut client, 0..10).await.unwrap();
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[manual_trade(0)]).await;
    add(&mut client, GROWW_EQUITY, manual_trade(1)).await;
    leave_room(&pool, MAX_UNCONFIRMED_TRADES, 8).await;
    let before = count_rows(&pool).await;
    assert_too_many(&undo(&mut client, replaced.change_id, 0).await.unwrap_err(), false);
    assert_eq!(count_rows(&pool).await, before);

    let mut confirmed = client_with_email(&pool, true);
    let undone = undo(&mut confirmed, replaced.change_id, 0).await.unwrap();
    assert_eq!((undone.restored, undone.head.unwrap().total), (10, MAX_UNCONFIRMED_TRADES + 1));
    // An account above the limit still loses trades.
    let trade_id = newest(&mut client).await.1.id;
    let deleted = delete(&mut client, trade_id, false).await.unwrap();
    assert_eq!(deleted.head.unwrap().total, MAX_UNCONFIRMED_TRADES);
}

/// Returns the head of the log and its newest trade.
async fn newest(client: &mut Client) -> (wire::TradesHead, wire::Trade) {
    let page = query(client, page_of(1)).await;
    (page.head.unwrap(), page.trades[0].clone())
}
