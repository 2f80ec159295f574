//! Idempotency keys: requests that are sent more than once.

use std::collections::HashSet;

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn twenty_concurrent_requests_with_one_key_add_one_trade(pool: PgPool) {
    let client = client_as(&pool, Uuid::from_u128(1));
    let requests = (0..20).map(|_| {
        let mut client = client.clone();
        tokio::spawn(async move { add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(0), "k").await.unwrap() })
    });
    let mut responses = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        responses.push(request.await.unwrap());
    }
    assert_eq!(responses.iter().filter(|response| !response.replayed).count(), 1);
    let ids: HashSet<_> =
        responses.iter().map(|response| (response.trade.as_ref().unwrap().id, response.change_id)).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(list(&mut client.clone(), None).await.1.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_belongs_to_one_request_of_one_account_and_rpc(pool: PgPool) {
    let (mut asha, mut ravi) = (client_as(&pool, Uuid::from_u128(1)), client_as(&pool, Uuid::from_u128(2)));
    let first = add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(0), "k").await.unwrap();
    let other_book = add_with_key(&mut asha, GROWW_EQUITY, manual_trade(0), "k").await.unwrap_err();
    let other_trade = add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(1), "k").await.unwrap_err();
    for status in [other_book, other_trade] {
        assert_eq!(
            (field_of(&status).as_str(), reason_of(&status).as_str()),
            ("idempotency_key", "IDEMPOTENCY_KEY_REUSED")
        );
    }
    let same = wire::NewTrade { symbol: " sbin".to_owned(), quantity: "1.00".to_owned(), ..manual_trade(0) };
    let again = add_with_key(&mut asha, ZERODHA_EQUITY, same, "k").await.unwrap();
    assert_eq!(again, wire::AddTradeResponse { replayed: true, ..first.clone() });

    assert!(!add_with_key(&mut ravi, ZERODHA_EQUITY, manual_trade(1), "k").await.unwrap().replayed);
    let replaced = send_replace(&mut asha, replace_parts(GROWW_EQUITY, &[manual_trade(0)], "k")).await.unwrap();
    assert!(!replaced.replayed);

    // A rejected request is not recorded.
    let status = add_with_key(&mut asha, ZERODHA_EQUITY, wire::NewTrade { side: 0, ..manual_trade(0) }, "j").await;
    assert_eq!(reason_of(&status.unwrap_err()), "INVALID");
    assert!(!add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(0), "j").await.unwrap().replayed);

    // A repetition returns the trade in its current state, or none.
    let id = first.trade.unwrap().id;
    let edited = edit(&mut asha, id, wire::NewTrade { price: "9".to_owned(), ..manual_trade(0) }).await.unwrap();
    let again = add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(0), "k").await.unwrap();
    assert_eq!((again.trade, again.head), (edited.trade, edited.head));
    let deleted = delete(&mut asha, id, false).await.unwrap();
    let again = add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(0), "k").await.unwrap();
    assert_eq!((again.trade, again.head, again.replayed), (None, deleted.head, true));

    for key in ["k".repeat(65), "k\n".to_owned()] {
        let status = add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(0), &key).await.unwrap_err();
        assert_eq!(field_of(&status), "idempotency_key");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_repeated_replacement_or_import_returns_the_first_response(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let first = send_import(&mut client, import_with_key("i", 1, 30)).await.unwrap();
    let again = send_import(&mut client, import_with_key("i", 1, 30)).await.unwrap();
    assert_eq!(again, wire::ImportTradesResponse { replayed: true, ..first });
    let status = send_import(&mut client, import_with_key("i", 2, 30)).await.unwrap_err();
    assert_eq!(
        (field_of(&status).as_str(), reason_of(&status).as_str()),
        ("idempotency_key", "IDEMPOTENCY_KEY_REUSED")
    );

    let new: Vec<_> = (0..2_100).map(manual_trade).collect();
    let first = send_replace(&mut client, replace_parts(ZERODHA_EQUITY, &new, "r")).await.unwrap();
    assert_eq!((first.added, first.removed), (2_100, 30));
    let again = send_replace(&mut client, replace_parts(ZERODHA_EQUITY, &new, "r")).await.unwrap();
    assert_eq!(again, wire::ReplaceTradesResponse { replayed: true, ..first });
    let status = send_replace(&mut client, replace_parts(ZERODHA_EQUITY, &new[1..], "r")).await.unwrap_err();
    assert_eq!(reason_of(&status), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!((list(&mut client, None).await.1.len(), changes(&mut client).await.len()), (2_100, 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_repeated_request_is_rejected_if_its_change_was_undone(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let added = add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(0), "a").await.unwrap();
    undo(&mut client, added.change_id, 0).await.unwrap();
    let status = add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(0), "a").await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::FailedPrecondition, "CHANGE_UNDONE"));

    let replaced = send_replace(&mut client, replace_parts(ZERODHA_EQUITY, &[manual_trade(0)], "r")).await.unwrap();
    undo(&mut client, replaced.change_id, 0).await.unwrap();
    let status = send_replace(&mut client, replace_parts(ZERODHA_EQUITY, &[manual_trade(0)], "r")).await.unwrap_err();
    assert_eq!(reason_of(&status), "CHANGE_UNDONE");

    // A preview is committed once without a key.
    let shown = preview(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let request = commit_request(&shown, wire::Resolution::Unspecified);
    let committed = commit(&mut client, request.clone()).await.unwrap().unwrap().result.unwrap();
    undo(&mut client, committed.change_id, 0).await.unwrap();
    let status = commit(&mut client, request).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::FailedPrecondition, "CHANGE_UNDONE"));
    assert!(list(&mut client, None).await.1.is_empty());
    // The file can be imported again.
    let again = preview(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let again = commit(&mut client, commit_request(&again, wire::Resolution::Unspecified)).await.unwrap().unwrap();
    assert_eq!(again.result.unwrap().added, 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_write_that_times_out_in_the_queue_can_be_retried(pool: PgPool) {
    let short_timeout = pool.connect_options().as_ref().clone().options([("lock_timeout", "200ms")]);
    let short_timeout = pool.options().clone().connect_lazy_with(short_timeout);
    let limits = StreamLimits { queue_timeout: Duration::from_millis(200), ..StreamLimits::default() };
    let mut client = client_with_limits(&short_timeout, Uuid::from_u128(1), limits);
    add(&mut client, ZERODHA_EQUITY, manual_trade(0)).await;
    let send_all = async |key: &str| {
        let (mut client, new) = (client.clone(), replace_parts(GROWW_EQUITY, &[manual_trade(2)], key));
        [
            add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(1), key).await.map(|response| response.replayed),
            send_replace(&mut client, new).await.map(|response| response.replayed),
            send_import(&mut client, import_with_key(key, 1, 3)).await.map(|response| response.replayed),
        ]
    };
    let assert_timed_out = async || {
        for response in send_all("k").await {
            let status = response.unwrap_err();
            assert_eq!((status.code(), reason_of(&status).as_str()), (Code::Aborted, "IN_PROGRESS"));
        }
        for response in send_all("").await {
            let status = response.unwrap_err();
            assert_eq!((status.code(), reason_of(&status).as_str()), (Code::ResourceExhausted, "BUSY"));
        }
    };
    // The first write is in progress in another core, then in this one.
    let mut other = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *other).await.unwrap();
    assert_timed_out().await;
    other.rollback().await.unwrap();

    let (more, first) = tokio::sync::mpsc::channel(1);
    let mut parts = import_with_key("k", 1, 3).into_iter().map(|part| wire::ImportTradesRequest { part: Some(part) });
    more.send(parts.next().unwrap()).await.unwrap();
    let mut slow = client.clone();
    let first = tokio_stream::wrappers::ReceiverStream::new(first);
    let first = tokio::spawn(async move { slow.import_trades(first).await.unwrap().into_inner() });
    while sqlx::query("select from trades.account for update nowait").execute(&pool).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert_timed_out().await;
    for part in parts {
        more.send(part).await.unwrap();
    }
    assert!(!first.await.unwrap().replayed);
    assert_eq!(send_all("k").await.map(Result::unwrap), [false, false, true]);
    assert_eq!(list(&mut client.clone(), None).await.1.len(), 6);
}

/// Returns the import of `count` fills; `file` is the content of the SHA-256.
fn import_with_key(key: &str, file: u8, count: i64) -> Vec<import_part::Part> {
    let import_part::Part::Head(head) = import_head(ZERODHA_EQUITY) else { unreachable!() };
    let head = wire::ImportHead { idempotency_key: key.to_owned(), file_sha256: vec![file; 32], ..head };
    vec![import_part::Part::Head(head), import_batch(fills(0..count)), import_end(count)]
}
