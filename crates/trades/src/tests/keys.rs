//! Requests that are sent more than once.

use std::collections::HashSet;

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn twenty_at_once_with_one_key_add_one_trade(pool: PgPool) {
    let client = client_of(&pool, Uuid::from_u128(1));
    let requests = (0..20).map(|_| {
        let mut client = client.clone();
        tokio::spawn(async move { add_keyed(&mut client, ZERODHA_EQUITY, entry(0), "k").await.unwrap() })
    });
    let mut answers = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        answers.push(request.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    let ids: HashSet<_> = answers.iter().map(|answer| (answer.trade.as_ref().unwrap().id, answer.change_id)).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(list(&mut client.clone(), None).await.1.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_belongs_to_one_request_of_one_account_and_call(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, Uuid::from_u128(1)), client_of(&pool, Uuid::from_u128(2)));
    let first = add_keyed(&mut asha, ZERODHA_EQUITY, entry(0), "k").await.unwrap();
    let other_book = add_keyed(&mut asha, GROWW_EQUITY, entry(0), "k").await.unwrap_err();
    let other_trade = add_keyed(&mut asha, ZERODHA_EQUITY, entry(1), "k").await.unwrap_err();
    for refused in [other_book, other_trade] {
        assert_eq!((field_of(&refused).as_str(), reason_of(&refused).as_str()), ("Idempotency-Key", "KEY_REUSED"));
    }
    let same = wire::NewTrade { symbol: " sbin".to_owned(), quantity: "1.00".to_owned(), ..entry(0) };
    let again = add_keyed(&mut asha, ZERODHA_EQUITY, same, "k").await.unwrap();
    assert_eq!(again, wire::AddTradeResponse { replayed: true, ..first.clone() });

    assert!(!add_keyed(&mut ravi, ZERODHA_EQUITY, entry(1), "k").await.unwrap().replayed);
    let replaced = send_replacement(&mut asha, replacement(GROWW_EQUITY, &[entry(0)], "k")).await.unwrap();
    assert!(!replaced.replayed);

    // What was refused is not remembered.
    let refused = add_keyed(&mut asha, ZERODHA_EQUITY, wire::NewTrade { side: 0, ..entry(0) }, "j").await;
    assert_eq!(reason_of(&refused.unwrap_err()), "INVALID");
    assert!(!add_keyed(&mut asha, ZERODHA_EQUITY, entry(0), "j").await.unwrap().replayed);

    // The trade as it is by now, or none.
    let id = first.trade.unwrap().id;
    let edited = edit(&mut asha, id, wire::NewTrade { price: "9".to_owned(), ..entry(0) }).await.unwrap();
    let again = add_keyed(&mut asha, ZERODHA_EQUITY, entry(0), "k").await.unwrap();
    assert_eq!((again.trade, again.head), (edited.trade, edited.head));
    let deleted = delete(&mut asha, id, false).await.unwrap();
    let again = add_keyed(&mut asha, ZERODHA_EQUITY, entry(0), "k").await.unwrap();
    assert_eq!((again.trade, again.head, again.replayed), (None, deleted.head, true));

    for key in ["k".repeat(65), "k\n".to_owned()] {
        let refused = add_keyed(&mut asha, ZERODHA_EQUITY, entry(0), &key).await.unwrap_err();
        assert_eq!(field_of(&refused), "Idempotency-Key");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_replacement_and_an_import_that_are_sent_again_are_answered_again(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let first = send(&mut client, keyed_import("i", 1, 30)).await.unwrap();
    let again = send(&mut client, keyed_import("i", 1, 30)).await.unwrap();
    assert_eq!(again, wire::ImportTradesResponse { replayed: true, ..first });
    let refused = send(&mut client, keyed_import("i", 2, 30)).await.unwrap_err();
    assert_eq!((field_of(&refused).as_str(), reason_of(&refused).as_str()), ("Idempotency-Key", "KEY_REUSED"));

    let new: Vec<_> = (0..2_100).map(entry).collect();
    let first = send_replacement(&mut client, replacement(ZERODHA_EQUITY, &new, "r")).await.unwrap();
    assert_eq!((first.added, first.removed), (2_100, 30));
    let again = send_replacement(&mut client, replacement(ZERODHA_EQUITY, &new, "r")).await.unwrap();
    assert_eq!(again, wire::ReplaceTradesResponse { replayed: true, ..first });
    let refused = send_replacement(&mut client, replacement(ZERODHA_EQUITY, &new[1..], "r")).await.unwrap_err();
    assert_eq!(reason_of(&refused), "KEY_REUSED");
    assert_eq!((list(&mut client, None).await.1.len(), changes(&mut client).await.len()), (2_100, 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_undone_since_is_not_said_to_be_stored(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let added = add_keyed(&mut client, ZERODHA_EQUITY, entry(0), "a").await.unwrap();
    undo(&mut client, added.change_id, 0).await.unwrap();
    let refused = add_keyed(&mut client, ZERODHA_EQUITY, entry(0), "a").await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "CHANGE_UNDONE"));

    let replaced = send_replacement(&mut client, replacement(ZERODHA_EQUITY, &[entry(0)], "r")).await.unwrap();
    undo(&mut client, replaced.change_id, 0).await.unwrap();
    let refused = send_replacement(&mut client, replacement(ZERODHA_EQUITY, &[entry(0)], "r")).await.unwrap_err();
    assert_eq!(reason_of(&refused), "CHANGE_UNDONE");

    // A preview needs no key to be committed once.
    let shown = preview(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let request = all_of(&shown, wire::Resolution::Unspecified);
    let committed = commit(&mut client, request.clone()).await.unwrap().unwrap().result.unwrap();
    undo(&mut client, committed.change_id, 0).await.unwrap();
    let refused = commit(&mut client, request).await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "CHANGE_UNDONE"));
    assert!(list(&mut client, None).await.1.is_empty());
    // Its file goes in again.
    let again = preview(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let again = commit(&mut client, all_of(&again, wire::Resolution::Unspecified)).await.unwrap().unwrap();
    assert_eq!(again.result.unwrap().added, 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn whoever_waits_in_vain_is_told_to_come_back(pool: PgPool) {
    let impatient = pool.connect_options().as_ref().clone().options([("lock_timeout", "200ms")]);
    let impatient = pool.options().clone().connect_lazy_with(impatient);
    let limits = StreamLimits { turn: Duration::from_millis(200), ..StreamLimits::default() };
    let mut client = client_with(&impatient, Uuid::from_u128(1), limits);
    add(&mut client, ZERODHA_EQUITY, entry(0)).await;
    let all = async |key: &str| {
        let (mut client, new) = (client.clone(), replacement(GROWW_EQUITY, &[entry(2)], key));
        [
            add_keyed(&mut client, ZERODHA_EQUITY, entry(1), key).await.map(|answer| answer.replayed),
            send_replacement(&mut client, new).await.map(|answer| answer.replayed),
            send(&mut client, keyed_import(key, 1, 3)).await.map(|answer| answer.replayed),
        ]
    };
    let refused = async || {
        for answer in all("k").await {
            let refused = answer.unwrap_err();
            assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "IN_PROGRESS"));
        }
        for answer in all("").await {
            let refused = answer.unwrap_err();
            assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::ResourceExhausted, "BUSY"));
        }
    };
    // The first one goes on in another core, then in this one.
    let mut other = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *other).await.unwrap();
    refused().await;
    other.rollback().await.unwrap();

    let (more, first) = tokio::sync::mpsc::channel(1);
    let mut parts = keyed_import("k", 1, 3).into_iter().map(|part| wire::ImportTradesRequest { part: Some(part) });
    more.send(parts.next().unwrap()).await.unwrap();
    let mut slow = client.clone();
    let first = tokio_stream::wrappers::ReceiverStream::new(first);
    let first = tokio::spawn(async move { slow.import_trades(first).await.unwrap().into_inner() });
    while sqlx::query("select from trades.account for update nowait").execute(&pool).await.is_ok() {
        tokio::task::yield_now().await;
    }
    refused().await;
    for part in parts {
        more.send(part).await.unwrap();
    }
    assert!(!first.await.unwrap().replayed);
    assert_eq!(all("k").await.map(Result::unwrap), [false, false, true]);
    assert_eq!(list(&mut client.clone(), None).await.1.len(), 6);
}

/// An import of `count` fills of the `file`th file.
fn keyed_import(key: &str, file: u8, count: i64) -> Vec<import_part::Part> {
    let import_part::Part::Head(head) = head(ZERODHA_EQUITY) else { unreachable!() };
    let head = wire::ImportHead { idempotency_key: key.to_owned(), file_sha256: vec![file; 32], ..head };
    vec![import_part::Part::Head(head), batch(fills(0..count)), end(count)]
}
