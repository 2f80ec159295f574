//! Undoing changes, and the end of the undo period.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

/// Returns the numbers of undo copies, of broker versions and of deletion marks.
async fn count_undo_rows(pool: &PgPool) -> [i64; 3] {
    let count = sqlx::query_as::<_, (i64, i64, i64)>(
        "select (select count(*) from trades.undo_copy), (select count(*) from trades.broker_trade),
                (select count(*) from trades.deleted_source_key)",
    );
    count.fetch_one(pool).await.unwrap().into()
}

fn priced(price: i64) -> wire::NewTrade {
    wire::NewTrade { price: price.to_string(), ..manual_trade(0) }
}

#[sqlx::test(migrations = "../../migrations")]
async fn undo_includes_newer_changes_of_the_book_if_their_number_is_as_expected(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..20)).await;
    let before = list(&mut client, None).await.1;
    let first = import(&mut client, ZERODHA_EQUITY, &fills(10..40)).await;
    let changed = wire::NewTrade { symbol: "LT".to_owned(), ..manual_trade(4) };
    edit(&mut client, before[3].id, changed.clone()).await.unwrap();
    edit(&mut client, before[3].id, wire::NewTrade { quantity: "77".to_owned(), ..changed }).await.unwrap();
    replace(&mut client, ZERODHA_EQUITY, &[manual_trade(0)]).await;
    add(&mut client, GROWW_EQUITY, manual_trade(0)).await;
    let now = list(&mut client, None).await;
    for unexpected in [0, 2, 4, -1] {
        let status = undo(&mut client, first.change_id, unexpected).await.unwrap_err();
        assert_eq!((status.code(), reason_of(&status).as_str()), (Code::Aborted, "NEWER_CHANGES_MISMATCH"));
        assert_eq!(list(&mut client, None).await, now);
    }
    let undone = undo(&mut client, first.change_id, 3).await.unwrap();
    assert_eq!((undone.undone, undone.removed, undone.restored), (4, 1, 20));
    let remaining: Vec<_> =
        list(&mut client, None).await.1.into_iter().filter(|trade| trade.book != Some(GROWW_EQUITY)).collect();
    assert_eq!(remaining, before);
    let status = undo(&mut client, first.change_id, 0).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::FailedPrecondition, "CHANGE_UNDONE"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_change_cannot_be_undone_after_30_days_and_its_copies_are_deleted(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[manual_trade(0)]).await;
    add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(1), "k").await.unwrap();
    let clean_up = async || {
        crate::delete_expired_rows(&pool).await.unwrap();
        sqlx::query_as::<_, (i64, i64)>(
            "select (select count(*) from trades.undo_copy), (select count(*) from trades.idempotent_request)",
        )
        .fetch_one(&pool)
        .await
        .unwrap()
    };
    let age = async |days: i32| {
        sqlx::query("update trades.change set made_at = now() - make_interval(days => $1)")
            .bind(days)
            .execute(&pool)
            .await
            .unwrap();
    };
    assert_eq!(clean_up().await, (5, 1));
    age(30).await;
    let status = undo(&mut client, replaced.change_id, 1).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::FailedPrecondition, "CHANGE_TOO_OLD"));
    assert!(changes(&mut client).await.iter().all(|change| change.undo_until.is_none()));
    assert_eq!(clean_up().await, (5, 1), "an undo in progress finds all copies");
    age(32).await;
    sqlx::query("update trades.idempotent_request set recorded_at = now() - interval '25 hours'")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!(clean_up().await, (0, 0));
    assert_eq!(list(&mut client, None).await.0.total, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn undoing_an_import_removes_its_edits_and_deletion_marks_and_allows_a_new_import(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let before = list(&mut client, None).await.1;
    let imported = import(&mut client, ZERODHA_EQUITY, &fills(0..6)).await;
    let trades = list(&mut client, None).await.1;
    // Edits one trade of each file and deletes another.
    for trade in [&trades[0], &trades[5]] {
        edit(&mut client, trade.id, priced(7)).await.unwrap();
        edit(&mut client, trade.id, priced(8)).await.unwrap();
    }
    for trade in [&trades[1], &trades[4]] {
        delete(&mut client, trade.id, false).await.unwrap();
    }
    assert_eq!(count_undo_rows(&pool).await, [6, 2, 2]);
    let undone = undo(&mut client, imported.change_id, 6).await.unwrap();
    assert_eq!((undone.undone, undone.head.unwrap().total), (7, 3));
    assert_eq!(list(&mut client, None).await.1, before);
    // The broker's version of the remaining trade may stay.
    assert_eq!(count_undo_rows(&pool).await, [0, 1, 0]);
    let again = import(&mut client, ZERODHA_EQUITY, &fills(0..6)).await;
    assert_eq!((again.added, again.duplicates), (3, 3));
    let same = |trades: Vec<wire::Trade>| trades.into_iter().map(|trade| wire::Trade { id: 0, ..trade });
    assert!(same(list(&mut client, None).await.1).eq(same(trades)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_deleted_trade_stays_deleted_after_a_replacement_and_a_new_import(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await;
    let trades = list(&mut client, None).await.1;
    edit(&mut client, trades[0].id, priced(7)).await.unwrap();
    delete(&mut client, trades[1].id, false).await.unwrap();
    let before = list(&mut client, None).await.1;
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[manual_trade(0)]).await;
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await.added, 3);
    let undone = undo(&mut client, replaced.change_id, 1).await.unwrap();
    assert_eq!((undone.removed, undone.restored), (4, 3));
    assert_eq!(list(&mut client, None).await.1, before);
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await.added, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_brokers_version_is_deleted_with_the_last_copy_of_a_trade(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let trades = list(&mut client, None).await.1;
    for trade in &trades {
        edit(&mut client, trade.id, priced(7)).await.unwrap();
    }
    delete(&mut client, trades[0].id, false).await.unwrap();
    assert_eq!(count_undo_rows(&pool).await, [4, 3, 1]);
    let delete_expired_before = async |than: i64| {
        let age = "update trades.change set made_at = now() - interval '32 days' where change_id < $1";
        sqlx::query(age).bind(than).execute(&pool).await.unwrap();
        crate::delete_expired_rows(&pool).await.unwrap();
        count_undo_rows(&pool).await
    };
    // The deleted trade can still be restored.
    assert_eq!(delete_expired_before(5).await, [1, 3, 1]);
    assert_eq!(delete_expired_before(6).await, [0, 2, 1]);
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await.added, 0);
    assert_eq!(list(&mut client, None).await.1.len(), 2);
}
