//! Adding trades.

use sqlx::PgPool;
use uuid::Uuid;

use super::edit::get;
use super::*;

pub fn notes(text: &str) -> wire::Notes {
    wire::Notes {
        stock_name: "State Bank of India".to_owned(),
        notes: text.to_owned(),
        psychology: "Calm".to_owned(),
        market_outlook: String::new(),
        stop_loss: String::new(),
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_added_trade_is_in_its_book_with_its_notes(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let new = wire::NewTrade {
        symbol: "  sbin ".to_owned(),
        price: "812.3500".to_owned(),
        quantity: "15.0".to_owned(),
        notes: Some(notes("First line\r\nsecond")),
        pair_id: "p-1".to_owned(),
        ..manual_trade(0)
    };
    let added = add(&mut client, ZERODHA_FNO, new).await;
    let trade = added.trade.unwrap();
    assert_eq!(
        (trade.symbol.as_str(), trade.quantity.as_str(), trade.price.as_str(), trade.value.as_str()),
        ("SBIN", "15", "812.35", "12185.25")
    );
    assert_eq!(trade.notes, Some(notes("First line\nsecond")));
    assert_eq!((trade.pair_id.as_str(), trade.imported, trade.edited), ("p-1", false, false));
    assert_eq!(trade.executed_at, manual_trade(0).executed_at);
    assert_eq!(added.head.unwrap(), list(&mut client, None).await.0);
    assert_eq!(list(&mut client, None).await.1, std::slice::from_ref(&trade));
    assert_eq!(query(&mut client, page_of(1)).await.trades, std::slice::from_ref(&trade));
    assert_eq!(get(&mut client, trade.id).await.unwrap(), trade);
    assert_eq!(books(&mut client).await, [(ZERODHA_FNO, 1)]);
    // A trade without notes has no notes message.
    let plain = add(&mut client, ZERODHA_FNO, manual_trade(1)).await.trade.unwrap();
    assert_eq!((plain.notes, plain.pair_id.as_str()), (None, ""));
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_invalid_trade_with_its_field_and_stores_nothing(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let now = prost_types::Timestamp::from(std::time::SystemTime::now()).seconds;
    let at =
        |seconds| wire::NewTrade { executed_at: Some(prost_types::Timestamp { seconds, nanos: 0 }), ..manual_trade(0) };
    let price = |text: &str| wire::NewTrade { price: text.to_owned(), ..manual_trade(0) };
    let quantity = |text: &str| wire::NewTrade { quantity: text.to_owned(), ..manual_trade(0) };
    let long = |psychology: String| wire::NewTrade {
        notes: Some(wire::Notes { psychology, ..wire::Notes::default() }),
        ..manual_trade(0)
    };
    let cases = [
        (quantity("0"), "quantity", "QUANTITY_OUT_OF_RANGE"),
        (quantity("-1"), "quantity", "QUANTITY_OUT_OF_RANGE"),
        (quantity("1.5"), "quantity", "QUANTITY_NOT_WHOLE"),
        (quantity("0.00000000000000000000000000001"), "quantity", "QUANTITY_NOT_WHOLE"),
        (quantity("1000000000"), "quantity", "QUANTITY_OUT_OF_RANGE"),
        (quantity(""), "quantity", "QUANTITY_NOT_A_NUMBER"),
        (quantity("1_0"), "quantity", "QUANTITY_NOT_A_NUMBER"),
        (price("0"), "price", "PRICE_OUT_OF_RANGE"),
        (price("-0"), "price", "PRICE_OUT_OF_RANGE"),
        (price("-1.5"), "price", "PRICE_OUT_OF_RANGE"),
        (price("100000000000"), "price", "PRICE_OUT_OF_RANGE"),
        (price(&"9".repeat(400)), "price", "PRICE_OUT_OF_RANGE"),
        (price("1.00001"), "price", "PRICE_TOO_PRECISE"),
        (price("82.09999999999999"), "price", "PRICE_TOO_PRECISE"),
        (price(&format!("1.{}", "1".repeat(400))), "price", "PRICE_TOO_PRECISE"),
        (price("NaN"), "price", "PRICE_NOT_A_NUMBER"),
        (price("1e308"), "price", "PRICE_NOT_A_NUMBER"),
        (price("+1"), "price", "PRICE_NOT_A_NUMBER"),
        (price("1."), "price", "PRICE_NOT_A_NUMBER"),
        (price(".5"), "price", "PRICE_NOT_A_NUMBER"),
        (price("1,000"), "price", "PRICE_NOT_A_NUMBER"),
        // A valid quantity and price with an invalid value.
        (wire::NewTrade { quantity: "999999999".to_owned(), ..price("999999") }, "price", "VALUE_OUT_OF_RANGE"),
        (wire::NewTrade { symbol: "  ".to_owned(), ..manual_trade(0) }, "symbol", "SYMBOL_INVALID"),
        (wire::NewTrade { symbol: "A".repeat(65), ..manual_trade(0) }, "symbol", "SYMBOL_INVALID"),
        (wire::NewTrade { symbol: "A\0B".to_owned(), ..manual_trade(0) }, "symbol", "SYMBOL_INVALID"),
        (wire::NewTrade { side: 0, ..manual_trade(0) }, "side", "TYPE_MISSING"),
        (wire::NewTrade { exchange: 9, ..manual_trade(0) }, "exchange", "EXCHANGE_MISSING"),
        (wire::NewTrade { executed_at: None, ..manual_trade(0) }, "executed_at", "TIME_MISSING"),
        (at(i64::MAX), "executed_at", "TIME_MISSING"),
        (at(now + 2 * 86_400), "executed_at", "TIME_OUT_OF_RANGE"),
        // The last second of 1989 in India.
        (at(631_132_199), "executed_at", "TIME_OUT_OF_RANGE"),
        (long("a".repeat(2_001)), "notes.psychology", "PSYCHOLOGY_INVALID"),
        (long("a\u{7}".to_owned()), "notes.psychology", "PSYCHOLOGY_INVALID"),
        (wire::NewTrade { pair_id: "p".repeat(65), ..manual_trade(0) }, "pair_id", "PAIR_ID_INVALID"),
    ];
    for (trade, field, reason) in cases {
        let status = add_with_key(&mut client, ZERODHA_EQUITY, trade.clone(), "").await.unwrap_err();
        assert_eq!(invalid_fields(&status), [(format!("trade.{field}"), reason.to_owned())], "{trade:?}");
        let parts = replace_parts(ZERODHA_EQUITY, &[manual_trade(1), trade.clone()], "");
        let status = send_replace(&mut client, parts).await.unwrap_err();
        assert_eq!(invalid_fields(&status), [(format!("trades[1].{field}"), reason.to_owned())], "{trade:?}");
    }
    let two = wire::NewTrade { side: 0, ..price("0") };
    let status = add_with_key(&mut client, ZERODHA_EQUITY, two, "").await.unwrap_err();
    assert_eq!(invalid_fields(&status).len(), 2);
    let no_book = wire::AddTradeRequest { book: None, trade: Some(manual_trade(0)), idempotency_key: String::new() };
    assert_eq!(field_of(&client.add_trade(no_book).await.unwrap_err()), "book.broker");
    assert_eq!((list(&mut client, None).await.0.total, changes(&mut client).await.len()), (0, 0));
    // Values at the limits.
    for fine in [at(631_132_200), at(now + 86_000), quantity("999999999"), price("99999999.9999"), price("0.0001")] {
        add(&mut client, ZERODHA_EQUITY, fine).await;
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_legs_of_a_pair_are_one_change_and_can_be_deleted_together(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let leg = |n, pair_id: &str| wire::NewTrade { pair_id: pair_id.to_owned(), ..manual_trade(n) };
    let buy = add(&mut client, ZERODHA_EQUITY, leg(0, "a")).await;
    // A change of another book does not separate the legs.
    add(&mut client, GROWW_EQUITY, leg(0, "a")).await;
    let sell = add(&mut client, ZERODHA_EQUITY, leg(3, "a")).await;
    assert_eq!(buy.change_id, sell.change_id);
    let third = add(&mut client, ZERODHA_EQUITY, leg(3, "a")).await;
    assert_ne!(buy.change_id, third.change_id, "a pair has two legs");
    let newest = changes(&mut client).await.into_iter().find(|change| change.id == buy.change_id).unwrap();
    assert_eq!((newest.added, newest.symbol.as_str(), newest.newer_changes), (2, "SBIN", 1));
    assert_eq!(undo(&mut client, buy.change_id, 1).await.unwrap().removed, 3);

    // A change between them separates the legs.
    let buy = add(&mut client, ZERODHA_EQUITY, leg(0, "b")).await;
    import(&mut client, ZERODHA_EQUITY, &fills(0..1)).await;
    let sell = add(&mut client, ZERODHA_EQUITY, leg(1, "b")).await;
    assert_ne!(buy.change_id, sell.change_id);
    let deleted = delete(&mut client, buy.trade.unwrap().id, true).await.unwrap();
    assert_eq!((deleted.deleted, deleted.head.unwrap().total), (2, 2));
    assert_eq!(undo(&mut client, deleted.change_id, 0).await.unwrap().restored, 2);
}
