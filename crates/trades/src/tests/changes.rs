//! What happened to the books, and taking it back.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn changes_are_listed_newest_first_with_what_they_did(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let imported = import(&mut client, ZERODHA_EQUITY, &fills(0..9)).await;
    let other = import(&mut client, GROWW_EQUITY, &fills(0..2)).await;
    let added = add(&mut client, ZERODHA_EQUITY, entry(0)).await;
    let id = added.trade.unwrap().id;
    let edited = edit(&mut client, id, wire::NewTrade { price: "7".to_owned(), ..entry(0) }).await.unwrap();
    let deleted = delete(&mut client, id, false).await.unwrap();
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[entry(1), entry(2)]).await;

    let listed = changes(&mut client).await;
    let told: Vec<_> = listed
        .iter()
        .map(|c| (c.id, c.kind(), c.added, c.removed, c.symbol.as_str(), c.newer, c.book.unwrap() == GROWW_EQUITY))
        .collect();
    use wire::ChangeKind::{Delete, Edit, Entry, Import, Replace};
    assert_eq!(
        told,
        [
            (replaced.change_id, Replace, 2, 9, "", 0, false),
            (deleted.change_id, Delete, 0, 1, "SBIN", 1, false),
            (edited.change_id, Edit, 0, 1, "SBIN", 2, false),
            (added.change_id, Entry, 1, 0, "SBIN", 3, false),
            (other.change_id, Import, 2, 0, "", 0, true),
            (imported.change_id, Import, 9, 0, "", 4, false),
        ]
    );
    assert!(listed.iter().all(|change| change.undo_until.is_some() && change.undone_at.is_none()));
    let file = listed[5].import.clone().unwrap();
    assert_eq!((file.import_id, file.file_name.as_str(), file.file_sha256.len()), (1, "tradebook.xlsx", 32));
    assert_eq!((file.duplicates, file.first_executed_at), (0, fill(0).executed_at));

    // Page by page, and of one book.
    let mut request = wire::ListChangesRequest { book: None, limit: 4, cursor: String::new() };
    let first = client.list_changes(request.clone()).await.unwrap().into_inner();
    request.cursor = first.next_cursor;
    let second = client.list_changes(request).await.unwrap().into_inner();
    assert_eq!([first.changes, second.changes].concat(), listed);
    assert_eq!(second.next_cursor, "");
    let of_one = wire::ListChangesRequest { book: Some(GROWW_EQUITY), limit: 4, cursor: String::new() };
    assert_eq!(client.list_changes(of_one).await.unwrap().into_inner().changes, listed[4..5]);
    for (limit, cursor, field) in [(0, "", "limit"), (101, "", "limit"), (5, "x", "cursor")] {
        let wrong = wire::ListChangesRequest { book: None, limit, cursor: cursor.to_owned() };
        assert_eq!(field_of(&client.list_changes(wrong).await.unwrap_err()), field);
    }

    undo(&mut client, edited.change_id, 2).await.unwrap();
    let listed = changes(&mut client).await;
    let states: Vec<_> = listed.iter().map(|c| (c.undone_at.is_some(), c.undo_until.is_some(), c.newer)).collect();
    let (gone, stands) = ((true, false), (false, true));
    let of = |(undone, can): (bool, bool), newer| (undone, can, newer);
    assert_eq!(states, [of(gone, 0), of(gone, 0), of(gone, 0), of(stands, 0), of(stands, 0), of(stands, 1)]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn undoing_takes_the_newer_changes_of_the_book_with_it_if_the_trader_was_told_so(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..20)).await;
    let before = list(&mut client, None).await.1;
    let first = import(&mut client, ZERODHA_EQUITY, &fills(10..40)).await;
    let changed = wire::NewTrade { symbol: "LT".to_owned(), ..entry(4) };
    edit(&mut client, before[3].id, changed.clone()).await.unwrap();
    edit(&mut client, before[3].id, wire::NewTrade { quantity: "77".to_owned(), ..changed }).await.unwrap();
    replace(&mut client, ZERODHA_EQUITY, &[entry(0)]).await;
    add(&mut client, GROWW_EQUITY, entry(0)).await;
    let now = list(&mut client, None).await;
    for wrong in [0, 2, 4, -1] {
        let refused = undo(&mut client, first.change_id, wrong).await.unwrap_err();
        assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "CHANGES_MOVED"));
        assert_eq!(list(&mut client, None).await, now);
    }
    let undone = undo(&mut client, first.change_id, 3).await.unwrap();
    assert_eq!((undone.undone, undone.removed, undone.restored), (4, 1, 20));
    let left: Vec<_> =
        list(&mut client, None).await.1.into_iter().filter(|trade| trade.book != Some(GROWW_EQUITY)).collect();
    assert_eq!(left, before);
    let refused = undo(&mut client, first.change_id, 0).await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "CHANGE_UNDONE"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn after_thirty_days_a_change_stays_and_what_was_kept_for_it_goes(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[entry(0)]).await;
    add_keyed(&mut client, ZERODHA_EQUITY, entry(1), "k").await.unwrap();
    let kept = async || {
        crate::delete_expired_rows(&pool).await.unwrap();
        sqlx::query_as::<_, (i64, i64)>(
            "select (select count(*) from trades.kept_trade), (select count(*) from trades.answered_request)",
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
    assert_eq!(kept().await, (5, 1));
    age(30).await;
    let refused = undo(&mut client, replaced.change_id, 1).await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "CHANGE_TOO_OLD"));
    assert!(changes(&mut client).await.iter().all(|change| change.undo_until.is_none()));
    assert_eq!(kept().await, (5, 1), "whoever was undoing it finds it whole");
    age(32).await;
    sqlx::query("update trades.answered_request set answered_at = now() - interval '25 hours'")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!(kept().await, (0, 0));
    assert_eq!(list(&mut client, None).await.0.total, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn nobody_reaches_the_trades_and_changes_of_another(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, Uuid::from_u128(1)), client_of(&pool, Uuid::from_u128(2)));
    let added = add(&mut asha, ZERODHA_EQUITY, entry(0)).await;
    // The other one's numbers begin at 1 as well: so that they differ.
    let (id, change_id) = (added.trade.unwrap().id, added.change_id);
    let before = list(&mut asha, None).await;
    let no_trade = [
        ravi.get_trade(wire::GetTradeRequest { id }).await.unwrap_err(),
        edit(&mut ravi, id, entry(5)).await.unwrap_err(),
        delete(&mut ravi, id, true).await.unwrap_err(),
    ];
    for refused in no_trade {
        assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::NotFound, "NO_TRADE"));
    }
    let refused = undo(&mut ravi, change_id, 0).await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::NotFound, "NO_CHANGE"));
    assert_eq!((books(&mut ravi).await.len(), changes(&mut ravi).await.len()), (0, 0));
    assert_eq!(list(&mut asha, None).await, before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_erased_account_leaves_no_row_and_takes_no_other_with_it(pool: PgPool) {
    let mut rows = Vec::new();
    for account in [1, 2] {
        let mut client = client_of(&pool, Uuid::from_u128(account));
        import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
        add_keyed(&mut client, ZERODHA_EQUITY, entry(0), "k").await.unwrap();
        let trades = list(&mut client, None).await.1;
        edit(&mut client, trades[1].id, entry(3)).await.unwrap();
        delete(&mut client, trades[2].id, false).await.unwrap();
        preview(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    }
    let tables = sqlx::query_scalar::<_, String>(
        "select table_name::text from information_schema.columns
         where table_schema = 'trades' and column_name = 'account_id'
           and table_name <> 'account_journal' -- owned by the crate `journal`",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let count = async |table: &str, account: u128| {
        let query = format!("select count(*) from trades.{table} where account_id = $1");
        sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(query))
            .bind(Uuid::from_u128(account))
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    for table in &tables {
        rows.push(count(table, 2).await);
        assert!(count(table, 1).await > 0, "{table} was not tried");
    }
    crate::delete_account(&pool, Uuid::from_u128(1)).await.unwrap();
    for (table, rows) in tables.iter().zip(rows) {
        assert_eq!((count(table, 1).await, count(table, 2).await), (0, rows), "{table}");
    }
}
