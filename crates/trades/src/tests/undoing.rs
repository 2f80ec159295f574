//! Taking back what hangs together: imports, edits, deletions and replacements of one book.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

/// What is kept behind the log: trades of changes, what brokers said, marks of deleted trades.
async fn kept(pool: &PgPool) -> [i64; 3] {
    let count = sqlx::query_as::<_, (i64, i64, i64)>(
        "select (select count(*) from trades.kept_trade), (select count(*) from trades.broker_trade),
                (select count(*) from trades.deleted_source)",
    );
    count.fetch_one(pool).await.unwrap().into()
}

fn dearer(price: i64) -> wire::NewTrade {
    wire::NewTrade { price: price.to_string(), ..entry(0) }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_import_that_is_undone_takes_its_edits_and_marks_with_it_and_can_come_again(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let before = list(&mut client, None).await.1;
    let imported = import(&mut client, ZERODHA_EQUITY, &fills(0..6)).await;
    let trades = list(&mut client, None).await.1;
    // One trade of each file is edited, another deleted.
    for trade in [&trades[0], &trades[5]] {
        edit(&mut client, trade.id, dearer(7)).await.unwrap();
        edit(&mut client, trade.id, dearer(8)).await.unwrap();
    }
    for trade in [&trades[1], &trades[4]] {
        delete(&mut client, trade.id, false).await.unwrap();
    }
    assert_eq!(kept(&pool).await, [6, 2, 2]);
    let undone = undo(&mut client, imported.change_id, 6).await.unwrap();
    assert_eq!((undone.undone, undone.head.unwrap().total), (7, 3));
    assert_eq!(list(&mut client, None).await.1, before);
    // Of the trade that still is there, what the broker said may stay.
    assert_eq!(kept(&pool).await, [0, 1, 0]);
    let again = import(&mut client, ZERODHA_EQUITY, &fills(0..6)).await;
    assert_eq!((again.added, again.duplicates), (3, 3));
    let same = |trades: Vec<wire::Trade>| trades.into_iter().map(|trade| wire::Trade { id: 0, ..trade });
    assert!(same(list(&mut client, None).await.1).eq(same(trades)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_deleted_stays_so_when_the_book_is_replaced_and_its_file_comes_again(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await;
    let trades = list(&mut client, None).await.1;
    edit(&mut client, trades[0].id, dearer(7)).await.unwrap();
    delete(&mut client, trades[1].id, false).await.unwrap();
    let before = list(&mut client, None).await.1;
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[entry(0)]).await;
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await.added, 3);
    let undone = undo(&mut client, replaced.change_id, 1).await.unwrap();
    assert_eq!((undone.removed, undone.restored), (4, 3));
    assert_eq!(list(&mut client, None).await.1, before);
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await.added, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_the_broker_said_goes_with_the_last_of_a_trade(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let trades = list(&mut client, None).await.1;
    for trade in &trades {
        edit(&mut client, trade.id, dearer(7)).await.unwrap();
    }
    delete(&mut client, trades[0].id, false).await.unwrap();
    assert_eq!(kept(&pool).await, [4, 3, 1]);
    let sweep_older = async |than: i64| {
        let age = "update trades.change set made_at = now() - interval '32 days' where change_id < $1";
        sqlx::query(age).bind(than).execute(&pool).await.unwrap();
        crate::delete_expired_rows(&pool).await.unwrap();
        kept(&pool).await
    };
    // The deleted one can still be had back.
    assert_eq!(sweep_older(5).await, [1, 3, 1]);
    assert_eq!(sweep_older(6).await, [0, 2, 1]);
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await.added, 0);
    assert_eq!(list(&mut client, None).await.1.len(), 2);
}
