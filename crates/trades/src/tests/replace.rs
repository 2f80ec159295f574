//! Replacing a book.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn replacing_a_book_leaves_the_others_and_can_be_undone(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..300)).await;
    import(&mut client, GROWW_EQUITY, &fills(0..7)).await;
    let before = list(&mut client, None).await.1;
    let new: Vec<_> = (0..2_500).map(manual_trade).collect();
    let replaced = replace(&mut client, ZERODHA_EQUITY, &new).await;
    assert_eq!((replaced.added, replaced.removed, replaced.replayed), (2_500, 300, false));
    let (head, trades) = list(&mut client, None).await;
    assert_eq!((head, trades.len()), (replaced.head.unwrap(), 2_507));
    assert_eq!(books(&mut client).await, [(GROWW_EQUITY, 7), (ZERODHA_EQUITY, 2_500)]);
    let undone = undo(&mut client, replaced.change_id, 0).await.unwrap();
    assert_eq!((undone.removed, undone.restored, undone.undone), (2_500, 300, 1));
    assert_eq!(list(&mut client, None).await.1, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_incomplete_or_invalid_replacement_changes_nothing(pool: PgPool) {
    let limits = StreamLimits { max_replace_trades: 3_000, ..StreamLimits::default() };
    let mut client = client_with_limits(&pool, Uuid::from_u128(1), limits);
    import(&mut client, ZERODHA_EQUITY, &fills(0..50)).await;
    let before = list(&mut client, None).await;
    let new: Vec<_> = (0..3_000).map(manual_trade).collect();
    let complete = replace_parts(ZERODHA_EQUITY, &new, "");
    let mut without_end = complete.clone();
    without_end.pop();
    let mut miscounted = without_end.clone();
    miscounted.push(replace_part::Part::End(wire::ReplaceEnd { trades: 2_999 }));
    let mut without_head = complete.clone();
    without_head.remove(0);
    let too_many: Vec<_> = (0..3_001).map(manual_trade).collect();
    let invalid: Vec<_> = (0..2_500).map(|n| wire::NewTrade { quantity: "0".to_owned(), ..manual_trade(n) }).collect();
    let cases = [
        (without_end, "INCOMPLETE_STREAM", 0),
        (miscounted, "INCOMPLETE_STREAM", 0),
        (without_head, "INVALID", 1),
        (replace_parts(ZERODHA_EQUITY, &[], ""), "INVALID", 1),
        (replace_parts(ZERODHA_EQUITY, &too_many, ""), "INVALID", 1),
        (replace_parts(ZERODHA_EQUITY, &invalid, ""), "INVALID", 100),
        (replace_parts(ZERODHA_EQUITY, &[new.as_slice(), &invalid[..3]].concat(), ""), "INVALID", 3),
    ];
    for (parts, reason, invalid_fields) in cases {
        let status = send_replace(&mut client, parts).await.unwrap_err();
        assert_eq!(reason_of(&status), reason);
        let reported_fields =
            tonic_types::StatusExt::get_details_bad_request(&status).map_or(0, |d| d.field_violations.len());
        assert_eq!(reported_fields, invalid_fields);
        assert_eq!(list(&mut client, None).await, before);
    }
    assert_eq!(send_replace(&mut client, complete).await.unwrap().added, 3_000);
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_replacements_of_one_book_leave_one_copy(pool: PgPool) {
    let client = client_as(&pool, Uuid::from_u128(1));
    let new: Vec<_> = (0..500).map(manual_trade).collect();
    let replacements = (0..8).map(|_| {
        let (mut client, new) = (client.clone(), new.clone());
        tokio::spawn(async move { replace(&mut client, ZERODHA_EQUITY, &new).await })
    });
    for replaced in replacements.collect::<Vec<_>>() {
        assert_eq!(replaced.await.unwrap().added, 500);
    }
    assert_eq!(list(&mut client.clone(), None).await.1.len(), 500);
    assert_eq!(books(&mut client.clone()).await, [(ZERODHA_EQUITY, 500)]);
}
