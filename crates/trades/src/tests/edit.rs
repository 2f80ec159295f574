//! Editing and deleting trades.

use rust_decimal::Decimal;
use sqlx::PgPool;
use uuid::Uuid;

use super::add::notes;
use super::*;

pub async fn get(client: &mut Client, id: i64) -> Result<wire::Trade, Status> {
    Ok(client.get_trade(wire::GetTradeRequest { id }).await?.into_inner().trade.unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_edit_changes_only_its_fields_and_keeps_the_brokers_version(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    // The broker's value differs from quantity times price.
    let groww = wire::ImportedTrade {
        value: "99.99".to_owned(),
        quantity: "3".to_owned(),
        price: "33.33".to_owned(),
        time_precision: wire::TimePrecision::Day.into(),
        ..fill(0)
    };
    import(&mut client, GROWW_EQUITY, std::slice::from_ref(&groww)).await;
    let before = list(&mut client, None).await.1.remove(0);
    let id = before.id;
    let as_it_is = wire::NewTrade {
        side: before.side,
        symbol: before.symbol.clone(),
        quantity: "3.00".to_owned(),
        price: "33.330".to_owned(),
        executed_at: before.executed_at,
        exchange: before.exchange,
        ..wire::NewTrade::default()
    };

    let nothing = edit(&mut client, id, as_it_is.clone()).await.unwrap();
    assert_eq!((nothing.change_id, nothing.trade.as_ref()), (0, Some(&before)));
    assert_eq!(nothing.head.unwrap(), list(&mut client, None).await.0);

    let new_notes = wire::Trade { id, notes: Some(notes("why")), ..wire::Trade::default() };
    let with_notes = update(&mut client, new_notes, &["notes"]).await.unwrap();
    assert_eq!(with_notes.trade, Some(wire::Trade { notes: Some(notes("why")), ..before.clone() }));

    let other_exchange = wire::NewTrade { exchange: wire::Exchange::Bse.into(), ..as_it_is.clone() };
    let with_other_exchange = edit(&mut client, id, other_exchange.clone()).await.unwrap().trade.unwrap();
    assert_eq!(
        (with_other_exchange.value.as_str(), with_other_exchange.edited, with_other_exchange.notes.is_some()),
        ("99.99", true, true)
    );
    assert_eq!(with_other_exchange.time_precision(), wire::TimePrecision::Day);

    let with_higher_price = wire::NewTrade { price: "40".to_owned(), ..other_exchange };
    let edited = edit(&mut client, id, with_higher_price).await.unwrap();
    assert_eq!(edited.trade.as_ref().unwrap().value, "120");
    assert_eq!(get(&mut client, id).await.unwrap(), edited.trade.unwrap());
    let broker = sqlx::query_scalar::<_, String>(
        "select concat_ws(' ', side, quantity::float8, price::float8, value::float8) from trades.broker_trade",
    );
    assert_eq!(broker.fetch_one(&pool).await.unwrap(), "buy 3 33.33 99.99");

    // The next file contains the trade and keeps the edit.
    assert_eq!(import(&mut client, GROWW_EQUITY, &[groww]).await.duplicates, 1);
    assert_eq!(get(&mut client, id).await.unwrap().price, "40");

    let status = edit(&mut client, id, wire::NewTrade { price: "0".to_owned(), ..as_it_is }).await.unwrap_err();
    assert_eq!(invalid_fields(&status), [("trade.price".to_owned(), "PRICE_OUT_OF_RANGE".to_owned())]);
    assert_eq!(reason_of(&edit(&mut client, id + 1, manual_trade(0)).await.unwrap_err()), "TRADE_NOT_FOUND");
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_edits_of_different_fields_are_all_applied(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let id = add(&mut client, ZERODHA_EQUITY, wire::NewTrade { notes: Some(notes("old")), ..manual_trade(0) }).await;
    let id = id.trade.unwrap().id;
    let no_fields = || wire::Trade { id, notes: Some(wire::Notes::default()), ..wire::Trade::default() };
    for round in 1..=10 {
        let other_notes = Some(wire::Notes { notes: format!("n{round}"), ..wire::Notes::default() });
        let corrections = [
            update_request(wire::Trade { price: format!("{round}.25"), ..no_fields() }, &["price"]),
            update_request(wire::Trade { quantity: (100 + round).to_string(), ..no_fields() }, &["quantity"]),
            update_request(
                wire::Trade { symbol: format!("s{round}"), side: round % 2 + 1, ..no_fields() },
                &["symbol", "side"],
            ),
            update_request(wire::Trade { notes: other_notes, ..no_fields() }, &["notes.notes"]),
            update_request(wire::Trade { exchange: round % 2 + 1, ..no_fields() }, &["notes.psychology", "exchange"]),
            update_request(
                wire::Trade { executed_at: manual_trade(round.into()).executed_at, ..no_fields() },
                &["executed_at"],
            ),
        ];
        let corrections = corrections.map(|correction| {
            let mut client = client.clone();
            tokio::spawn(async move { client.update_trade(correction).await.map(drop) })
        });
        for correction in corrections {
            correction.await.unwrap().unwrap();
        }
        let trade = get(&mut client, id).await.unwrap();
        assert_eq!(
            [&trade.price, &trade.quantity, &trade.symbol],
            [&format!("{round}.25"), &(100 + round).to_string(), &format!("S{round}")]
        );
        assert_eq!((trade.side, trade.exchange), (round % 2 + 1, round % 2 + 1));
        assert_eq!(trade.executed_at, manual_trade(round.into()).executed_at);
        assert_eq!(
            trade.value,
            (Decimal::new(100 * i64::from(round) + 25, 2) * Decimal::from(100 + round)).normalize().to_string()
        );
        let now = wire::Notes { psychology: String::new(), ..notes(&format!("n{round}")) };
        assert_eq!(trade.notes, Some(now));
    }

    // Fields that are valid alone but not together with the stored values.
    let high_price = wire::Trade { price: "99999999".to_owned(), ..no_fields() };
    update(&mut client, high_price, &["price"]).await.unwrap();
    let before = get(&mut client, id).await.unwrap();
    let no_stock_name = Some(wire::Notes { stock_name: "a\0".to_owned(), ..wire::Notes::default() });
    let cases = [
        (wire::Trade { quantity: "1001".to_owned(), ..no_fields() }, "quantity", "VALUE_OUT_OF_RANGE"),
        (wire::Trade { price: "999999999".to_owned(), ..no_fields() }, "price", "VALUE_OUT_OF_RANGE"),
        (no_fields(), "price", "PRICE_NOT_A_NUMBER"),
        (no_fields(), "side", "TYPE_MISSING"),
        (no_fields(), "executed_at", "TIME_MISSING"),
        (wire::Trade { exchange: 9, ..no_fields() }, "exchange", "EXCHANGE_MISSING"),
        (wire::Trade { symbol: " ".to_owned(), ..no_fields() }, "symbol", "SYMBOL_INVALID"),
        (wire::Trade { notes: no_stock_name, ..no_fields() }, "notes.stock_name", "STOCK_NAME_INVALID"),
    ];
    for (trade, field, reason) in cases {
        let status = update(&mut client, trade, &[field]).await.unwrap_err();
        assert_eq!(invalid_fields(&status), [(format!("trade.{field}"), reason.to_owned())]);
        assert_eq!(get(&mut client, id).await.unwrap(), before);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_update_changes_only_the_fields_of_its_mask(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let new = wire::NewTrade { notes: Some(notes("old")), ..manual_trade(0) };
    let before = add(&mut client, ZERODHA_EQUITY, new).await.trade.unwrap();
    let others = wire::Trade { notes: Some(notes("new")), price: "7".to_owned(), ..before.clone() };

    for (paths, path) in [(&["value"][..], "value"), (&["price", "notes.text"], "notes.text"), (&["Price"], "Price")] {
        let status = update(&mut client, others.clone(), paths).await.unwrap_err();
        assert_eq!(invalid_fields(&status), [("update_mask".to_owned(), "UNKNOWN_FIELD".to_owned())], "{path}");
    }
    assert_eq!(get(&mut client, before.id).await.unwrap(), before);

    let updated = update(&mut client, others.clone(), &["notes.notes"]).await.unwrap().trade.unwrap();
    let old_notes = before.notes.clone().unwrap();
    let one_note = wire::Notes { notes: notes("new").notes, ..old_notes };
    assert_eq!(updated, wire::Trade { notes: Some(one_note.clone()), ..before.clone() });

    // Without a mask, only the fields that are not empty.
    let price_only = wire::Trade { id: before.id, price: "8".to_owned(), ..wire::Trade::default() };
    let request = wire::UpdateTradeRequest { trade: Some(price_only), update_mask: None };
    let updated = client.update_trade(request).await.unwrap().into_inner().trade.unwrap();
    assert_eq!((updated.price.as_str(), &updated.symbol, updated.notes), ("8", &before.symbol, Some(one_note)));

    // All fields; empty notes are removed.
    let updated = update(&mut client, wire::Trade { notes: None, ..others }, &["*"]).await.unwrap().trade.unwrap();
    assert_eq!((updated.price.as_str(), &updated.symbol, updated.notes), ("7", &before.symbol, None));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_deleted_imported_trade_is_not_imported_again_unless_the_deletion_is_undone(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
    let deleted_trade = list(&mut client, None).await.1.remove(2);
    let deleted = delete(&mut client, deleted_trade.id, false).await.unwrap();
    assert_eq!((deleted.deleted, deleted.head.unwrap().total), (1, 4));
    assert_eq!(reason_of(&get(&mut client, deleted_trade.id).await.unwrap_err()), "TRADE_NOT_FOUND");
    assert_eq!(reason_of(&delete(&mut client, deleted_trade.id, false).await.unwrap_err()), "TRADE_NOT_FOUND");

    let again = import(&mut client, ZERODHA_EQUITY, &fills(0..7)).await;
    assert_eq!((again.added, again.duplicates, again.head.unwrap().total), (2, 5, 6));
    // The deletion mark applies only to its own book.
    assert_eq!(import(&mut client, GROWW_EQUITY, &fills(0..5)).await.added, 5);

    let undone = undo(&mut client, deleted.change_id, 1).await.unwrap();
    assert_eq!((undone.removed, undone.restored, undone.undone), (2, 1, 2));
    assert_eq!(get(&mut client, deleted_trade.id).await.unwrap(), deleted_trade);
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await.duplicates, 5);
}
