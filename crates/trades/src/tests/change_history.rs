//! History of changes.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn changes_are_listed_newest_first_with_their_counts(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let imported = import(&mut client, ZERODHA_EQUITY, &fills(0..9)).await;
    let other = import(&mut client, GROWW_EQUITY, &fills(0..2)).await;
    let added = add(&mut client, ZERODHA_EQUITY, manual_trade(0)).await;
    let id = added.trade.unwrap().id;
    let edited = edit(&mut client, id, wire::NewTrade { price: "7".to_owned(), ..manual_trade(0) }).await.unwrap();
    let deleted = delete(&mut client, id, false).await.unwrap();
    let replaced = replace(&mut client, ZERODHA_EQUITY, &[manual_trade(1), manual_trade(2)]).await;

    let listed = changes(&mut client).await;
    let entries: Vec<_> = listed
        .iter()
        .map(|c| {
            (c.id, c.kind(), c.added, c.removed, c.symbol.as_str(), c.newer_changes, c.book.unwrap() == GROWW_EQUITY)
        })
        .collect();
    use wire::ChangeKind::{Delete, Edit, Entry, Import, Replace};
    assert_eq!(
        entries,
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

    // Page by page, and for one book.
    let mut request = wire::ListChangesRequest { book: None, page_size: 4, page_token: String::new() };
    let first = client.list_changes(request.clone()).await.unwrap().into_inner();
    request.page_token = first.next_page_token;
    let second = client.list_changes(request).await.unwrap().into_inner();
    assert_eq!([first.changes, second.changes].concat(), listed);
    assert_eq!(second.next_page_token, "");
    let of_one_book = wire::ListChangesRequest { book: Some(GROWW_EQUITY), page_size: 4, page_token: String::new() };
    assert_eq!(client.list_changes(of_one_book).await.unwrap().into_inner().changes, listed[4..5]);
    for (page_size, page_token, field) in [(-1, "", "page_size"), (101, "", "page_size"), (5, "x", "page_token")] {
        let wrong = wire::ListChangesRequest { book: None, page_size, page_token: page_token.to_owned() };
        assert_eq!(field_of(&client.list_changes(wrong).await.unwrap_err()), field);
    }

    undo(&mut client, edited.change_id, 2).await.unwrap();
    let listed = changes(&mut client).await;
    let states: Vec<_> =
        listed.iter().map(|c| (c.undone_at.is_some(), c.undo_until.is_some(), c.newer_changes)).collect();
    let (undone_state, undoable_state) = ((true, false), (false, true));
    let state = |(undone, can): (bool, bool), newer| (undone, can, newer);
    assert_eq!(
        states,
        [
            state(undone_state, 0),
            state(undone_state, 0),
            state(undone_state, 0),
            state(undoable_state, 0),
            state(undoable_state, 0),
            state(undoable_state, 1)
        ]
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn trades_and_changes_of_another_account_are_not_found(pool: PgPool) {
    let (mut asha, mut ravi) = (client_as(&pool, Uuid::from_u128(1)), client_as(&pool, Uuid::from_u128(2)));
    let added = add(&mut asha, ZERODHA_EQUITY, manual_trade(0)).await;
    let (id, change_id) = (added.trade.unwrap().id, added.change_id);
    let before = list(&mut asha, None).await;
    let statuses = [
        ravi.get_trade(wire::GetTradeRequest { id }).await.unwrap_err(),
        edit(&mut ravi, id, manual_trade(5)).await.unwrap_err(),
        delete(&mut ravi, id, true).await.unwrap_err(),
    ];
    for status in statuses {
        assert_eq!((status.code(), reason_of(&status).as_str()), (Code::NotFound, "TRADE_NOT_FOUND"));
    }
    let status = undo(&mut ravi, change_id, 0).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::NotFound, "CHANGE_NOT_FOUND"));
    assert_eq!((books(&mut ravi).await.len(), changes(&mut ravi).await.len()), (0, 0));
    assert_eq!(list(&mut asha, None).await, before);
}
