//! Trades that a trader writes down, writes anew and takes out.

use rust_decimal::Decimal;
use sqlx::PgPool;
use uuid::Uuid;

use super::*;

fn notes(text: &str) -> wire::Notes {
    wire::Notes {
        stock_name: "State Bank of India".to_owned(),
        notes: text.to_owned(),
        psychology: "Calm".to_owned(),
        market_outlook: String::new(),
        stop_loss: String::new(),
    }
}

pub async fn get(client: &mut Client, id: i64) -> Result<wire::Trade, Status> {
    Ok(client.get_trade(wire::GetTradeRequest { id }).await?.into_inner().trade.unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_added_trade_is_in_its_book_with_all_that_was_written_beside_it(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let new = wire::NewTrade {
        symbol: "  sbin ".to_owned(),
        price: "812.3500".to_owned(),
        quantity: "15.0".to_owned(),
        notes: Some(notes("First line\r\nsecond")),
        pair_id: "p-1".to_owned(),
        ..entry(0)
    };
    let added = add(&mut client, ZERODHA_FNO, new).await;
    let trade = added.trade.unwrap();
    assert_eq!(
        (trade.symbol.as_str(), trade.quantity.as_str(), trade.price.as_str(), trade.value.as_str()),
        ("SBIN", "15", "812.35", "12185.25")
    );
    assert_eq!(trade.notes, Some(notes("First line\nsecond")));
    assert_eq!((trade.pair_id.as_str(), trade.imported, trade.edited), ("p-1", false, false));
    assert_eq!(trade.executed_at, entry(0).executed_at);
    assert_eq!(added.head.unwrap(), list(&mut client, None).await.0);
    assert_eq!(list(&mut client, None).await.1, std::slice::from_ref(&trade));
    assert_eq!(query(&mut client, page_of(1)).await.trades, std::slice::from_ref(&trade));
    assert_eq!(get(&mut client, trade.id).await.unwrap(), trade);
    assert_eq!(books(&mut client).await, [(ZERODHA_FNO, 1)]);
    // Where nothing was written beside it, nothing is sent.
    let plain = add(&mut client, ZERODHA_FNO, entry(1)).await.trade.unwrap();
    assert_eq!((plain.notes, plain.pair_id.as_str()), (None, ""));
}

/// All fields that are refused, with their reasons.
#[track_caller]
pub fn refused_fields(refused: &Status) -> Vec<(String, String)> {
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
    let details = tonic_types::StatusExt::get_details_bad_request(refused).unwrap();
    details.field_violations.into_iter().map(|violation| (violation.field, violation.reason)).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_is_no_trade_is_refused_with_its_field_and_stores_nothing(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let now = prost_types::Timestamp::from(std::time::SystemTime::now()).seconds;
    let at = |seconds| wire::NewTrade { executed_at: Some(prost_types::Timestamp { seconds, nanos: 0 }), ..entry(0) };
    let price = |text: &str| wire::NewTrade { price: text.to_owned(), ..entry(0) };
    let quantity = |text: &str| wire::NewTrade { quantity: text.to_owned(), ..entry(0) };
    let long = |psychology: String| wire::NewTrade {
        notes: Some(wire::Notes { psychology, ..wire::Notes::default() }),
        ..entry(0)
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
        // A quantity and a price that are fine make a value that is not.
        (wire::NewTrade { quantity: "999999999".to_owned(), ..price("999999") }, "price", "VALUE_OUT_OF_RANGE"),
        (wire::NewTrade { symbol: "  ".to_owned(), ..entry(0) }, "symbol", "SYMBOL_INVALID"),
        (wire::NewTrade { symbol: "A".repeat(65), ..entry(0) }, "symbol", "SYMBOL_INVALID"),
        (wire::NewTrade { symbol: "A\0B".to_owned(), ..entry(0) }, "symbol", "SYMBOL_INVALID"),
        (wire::NewTrade { side: 0, ..entry(0) }, "type", "TYPE_MISSING"),
        (wire::NewTrade { exchange: 9, ..entry(0) }, "exchange", "EXCHANGE_MISSING"),
        (wire::NewTrade { executed_at: None, ..entry(0) }, "timestamp", "TIME_MISSING"),
        (at(i64::MAX), "timestamp", "TIME_MISSING"),
        (at(now + 2 * 86_400), "timestamp", "TIME_OUT_OF_RANGE"),
        // The last second of 1989 in India.
        (at(631_132_199), "timestamp", "TIME_OUT_OF_RANGE"),
        (long("a".repeat(2_001)), "psychology", "PSYCHOLOGY_INVALID"),
        (long("a\u{7}".to_owned()), "psychology", "PSYCHOLOGY_INVALID"),
        (wire::NewTrade { pair_id: "p".repeat(65), ..entry(0) }, "pairId", "PAIR_ID_INVALID"),
    ];
    for (trade, field, reason) in cases {
        let refused = add_keyed(&mut client, ZERODHA_EQUITY, trade.clone(), "").await.unwrap_err();
        assert_eq!(refused_fields(&refused), [(format!("trade.{field}"), reason.to_owned())], "{trade:?}");
        let parts = replacement(ZERODHA_EQUITY, &[entry(1), trade.clone()], "");
        let refused = send_replacement(&mut client, parts).await.unwrap_err();
        assert_eq!(refused_fields(&refused), [(format!("trades.1.{field}"), reason.to_owned())], "{trade:?}");
    }
    let two = wire::NewTrade { side: 0, ..price("0") };
    let refused = add_keyed(&mut client, ZERODHA_EQUITY, two, "").await.unwrap_err();
    assert_eq!(refused_fields(&refused).len(), 2);
    let no_book = wire::AddTradeRequest { book: None, trade: Some(entry(0)), idempotency_key: String::new() };
    assert_eq!(field_of(&client.add_trade(no_book).await.unwrap_err()), "broker");
    assert_eq!((list(&mut client, None).await.0.total, changes(&mut client).await.len()), (0, 0));
    // At the edge of what is fine.
    for fine in [at(631_132_200), at(now + 86_000), quantity("999999999"), price("99999999.9999"), price("0.0001")] {
        add(&mut client, ZERODHA_EQUITY, fine).await;
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn replacing_a_book_leaves_the_others_and_can_be_taken_back(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..300)).await;
    import(&mut client, GROWW_EQUITY, &fills(0..7)).await;
    let before = list(&mut client, None).await.1;
    let new: Vec<_> = (0..2_500).map(entry).collect();
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
async fn a_replacement_that_breaks_off_or_breaks_rules_leaves_all_as_it_was(pool: PgPool) {
    let limits = StreamLimits { replacement: 3_000, ..StreamLimits::default() };
    let mut client = client_with(&pool, Uuid::from_u128(1), limits);
    import(&mut client, ZERODHA_EQUITY, &fills(0..50)).await;
    let before = list(&mut client, None).await;
    let new: Vec<_> = (0..3_000).map(entry).collect();
    let whole = replacement(ZERODHA_EQUITY, &new, "");
    let mut no_end = whole.clone();
    no_end.pop();
    let mut miscounted = no_end.clone();
    miscounted.push(replace_part::Part::End(wire::ReplaceEnd { trades: 2_999 }));
    let mut headless = whole.clone();
    headless.remove(0);
    let many: Vec<_> = (0..3_001).map(entry).collect();
    let broken: Vec<_> = (0..2_500).map(|n| wire::NewTrade { quantity: "0".to_owned(), ..entry(n) }).collect();
    let cases = [
        (no_end, "BROKEN_OFF", 0),
        (miscounted, "BROKEN_OFF", 0),
        (headless, "INVALID", 1),
        (replacement(ZERODHA_EQUITY, &[], ""), "INVALID", 1),
        (replacement(ZERODHA_EQUITY, &many, ""), "INVALID", 1),
        (replacement(ZERODHA_EQUITY, &broken, ""), "INVALID", 100),
        (replacement(ZERODHA_EQUITY, &[new.as_slice(), &broken[..3]].concat(), ""), "INVALID", 3),
    ];
    for (parts, reason, fields) in cases {
        let refused = send_replacement(&mut client, parts).await.unwrap_err();
        assert_eq!(reason_of(&refused), reason);
        let named = tonic_types::StatusExt::get_details_bad_request(&refused).map_or(0, |d| d.field_violations.len());
        assert_eq!(named, fields);
        assert_eq!(list(&mut client, None).await, before);
    }
    assert_eq!(send_replacement(&mut client, whole).await.unwrap().added, 3_000);
}

#[sqlx::test(migrations = "../../migrations")]
async fn replacements_of_one_book_at_the_same_moment_leave_one_copy(pool: PgPool) {
    let client = client_of(&pool, Uuid::from_u128(1));
    let new: Vec<_> = (0..500).map(entry).collect();
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

#[sqlx::test(migrations = "../../migrations")]
async fn an_edit_changes_what_it_says_and_the_brokers_trade_is_kept(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    // The broker's own total, which is not quantity times price.
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

    let wire::Notes { stock_name, notes: text, psychology, market_outlook, stop_loss } = notes("why");
    let noted = wire::EditTradeRequest {
        id,
        stock_name: Some(stock_name),
        notes: Some(text),
        psychology: Some(psychology),
        market_outlook: Some(market_outlook),
        stop_loss: Some(stop_loss),
        ..wire::EditTradeRequest::default()
    };
    let noted = client.edit_trade(noted).await.unwrap().into_inner();
    assert_eq!(noted.trade, Some(wire::Trade { notes: Some(notes("why")), ..before.clone() }));

    let other_exchange = wire::NewTrade { exchange: wire::Exchange::Bse.into(), ..as_it_is.clone() };
    let moved = edit(&mut client, id, other_exchange.clone()).await.unwrap().trade.unwrap();
    assert_eq!((moved.value.as_str(), moved.edited, moved.notes.is_some()), ("99.99", true, true));
    assert_eq!(moved.time_precision(), wire::TimePrecision::Day);

    let dearer = wire::NewTrade { price: "40".to_owned(), ..other_exchange };
    let edited = edit(&mut client, id, dearer).await.unwrap();
    assert_eq!(edited.trade.as_ref().unwrap().value, "120");
    assert_eq!(get(&mut client, id).await.unwrap(), edited.trade.unwrap());
    let broker = sqlx::query_scalar::<_, String>(
        "select concat_ws(' ', side, quantity::float8, price::float8, value::float8) from trades.broker_trade",
    );
    assert_eq!(broker.fetch_one(&pool).await.unwrap(), "buy 3 33.33 99.99");

    // The next file finds it and leaves the edit.
    assert_eq!(import(&mut client, GROWW_EQUITY, &[groww]).await.duplicates, 1);
    assert_eq!(get(&mut client, id).await.unwrap().price, "40");

    let refused = edit(&mut client, id, wire::NewTrade { price: "0".to_owned(), ..as_it_is }).await.unwrap_err();
    assert_eq!(refused_fields(&refused), [("price".to_owned(), "PRICE_OUT_OF_RANGE".to_owned())]);
    assert_eq!(reason_of(&edit(&mut client, id + 1, entry(0)).await.unwrap_err()), "NO_TRADE");
}

#[sqlx::test(migrations = "../../migrations")]
async fn corrections_of_different_fields_at_the_same_moment_all_hold(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let id = add(&mut client, ZERODHA_EQUITY, wire::NewTrade { notes: Some(notes("old")), ..entry(0) }).await;
    let id = id.trade.unwrap().id;
    let none = || wire::EditTradeRequest { id, ..wire::EditTradeRequest::default() };
    for round in 1..=10 {
        let corrections = [
            wire::EditTradeRequest { price: Some(format!("{round}.25")), ..none() },
            wire::EditTradeRequest { quantity: Some((100 + round).to_string()), ..none() },
            wire::EditTradeRequest { symbol: Some(format!("s{round}")), side: Some(round % 2 + 1), ..none() },
            wire::EditTradeRequest { notes: Some(format!("n{round}")), ..none() },
            wire::EditTradeRequest { psychology: Some(String::new()), exchange: Some(round % 2 + 1), ..none() },
            wire::EditTradeRequest { executed_at: entry(round.into()).executed_at, ..none() },
        ];
        let corrections = corrections.map(|correction| {
            let mut client = client.clone();
            tokio::spawn(async move { client.edit_trade(correction).await.map(drop) })
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
        assert_eq!(trade.executed_at, entry(round.into()).executed_at);
        assert_eq!(
            trade.value,
            (Decimal::new(100 * i64::from(round) + 25, 2) * Decimal::from(100 + round)).normalize().to_string()
        );
        let now = wire::Notes { psychology: String::new(), ..notes(&format!("n{round}")) };
        assert_eq!(trade.notes, Some(now));
    }

    // What each field alone allows may be too much with what stands already.
    let dear = wire::EditTradeRequest { price: Some("99999999".to_owned()), ..none() };
    client.edit_trade(dear).await.unwrap();
    let before = get(&mut client, id).await.unwrap();
    let cases = [
        (wire::EditTradeRequest { quantity: Some("1001".to_owned()), ..none() }, "quantity", "VALUE_OUT_OF_RANGE"),
        (wire::EditTradeRequest { price: Some("999999999".to_owned()), ..none() }, "price", "VALUE_OUT_OF_RANGE"),
        (wire::EditTradeRequest { side: Some(0), ..none() }, "type", "TYPE_MISSING"),
        (wire::EditTradeRequest { exchange: Some(9), ..none() }, "exchange", "EXCHANGE_MISSING"),
        (wire::EditTradeRequest { symbol: Some(" ".to_owned()), ..none() }, "symbol", "SYMBOL_INVALID"),
        (wire::EditTradeRequest { stock_name: Some("a\0".to_owned()), ..none() }, "stockName", "STOCK_NAME_INVALID"),
    ];
    for (correction, field, reason) in cases {
        let refused = client.edit_trade(correction).await.unwrap_err();
        assert_eq!(refused_fields(&refused), [(field.to_owned(), reason.to_owned())]);
        assert_eq!(get(&mut client, id).await.unwrap(), before);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_deleted_trade_of_a_file_does_not_come_back_unless_the_deletion_is_undone(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
    let gone = list(&mut client, None).await.1.remove(2);
    let deleted = delete(&mut client, gone.id, false).await.unwrap();
    assert_eq!((deleted.deleted, deleted.head.unwrap().total), (1, 4));
    assert_eq!(reason_of(&get(&mut client, gone.id).await.unwrap_err()), "NO_TRADE");
    assert_eq!(reason_of(&delete(&mut client, gone.id, false).await.unwrap_err()), "NO_TRADE");

    let again = import(&mut client, ZERODHA_EQUITY, &fills(0..7)).await;
    assert_eq!((again.added, again.duplicates, again.head.unwrap().total), (2, 5, 6));
    // The mark holds in its own book alone.
    assert_eq!(import(&mut client, GROWW_EQUITY, &fills(0..5)).await.added, 5);

    let undone = undo(&mut client, deleted.change_id, 1).await.unwrap();
    assert_eq!((undone.removed, undone.restored, undone.undone), (2, 1, 2));
    assert_eq!(get(&mut client, gone.id).await.unwrap(), gone);
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await.duplicates, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_legs_of_an_entry_are_one_change_and_go_together(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let leg = |n, pair_id: &str| wire::NewTrade { pair_id: pair_id.to_owned(), ..entry(n) };
    let buy = add(&mut client, ZERODHA_EQUITY, leg(0, "a")).await;
    // Another book has its own newest change.
    add(&mut client, GROWW_EQUITY, leg(0, "a")).await;
    let sell = add(&mut client, ZERODHA_EQUITY, leg(3, "a")).await;
    assert_eq!(buy.change_id, sell.change_id);
    let third = add(&mut client, ZERODHA_EQUITY, leg(3, "a")).await;
    assert_ne!(buy.change_id, third.change_id, "an entry has two legs");
    let newest = changes(&mut client).await.into_iter().find(|change| change.id == buy.change_id).unwrap();
    assert_eq!((newest.added, newest.symbol.as_str(), newest.newer), (2, "SBIN", 1));
    assert_eq!(undo(&mut client, buy.change_id, 1).await.unwrap().removed, 3);

    // A change between them keeps them apart.
    let buy = add(&mut client, ZERODHA_EQUITY, leg(0, "b")).await;
    import(&mut client, ZERODHA_EQUITY, &fills(0..1)).await;
    let sell = add(&mut client, ZERODHA_EQUITY, leg(1, "b")).await;
    assert_ne!(buy.change_id, sell.change_id);
    let deleted = delete(&mut client, buy.trade.unwrap().id, true).await.unwrap();
    assert_eq!((deleted.deleted, deleted.head.unwrap().total), (2, 2));
    assert_eq!(undo(&mut client, deleted.change_id, 0).await.unwrap().restored, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn symbols_are_suggested_from_their_beginning_first(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..30)).await;
    for symbol in ["STEELCAS", "SBIN", "NIFTY25JUN24000CE"] {
        add(&mut client, ZERODHA_FNO, wire::NewTrade { symbol: symbol.to_owned(), ..entry(0) }).await;
    }
    let symbols = async |text: &str, limit| {
        let request = wire::ListSymbolsRequest { text: text.to_owned(), limit };
        client.clone().list_symbols(request).await.map(|answer| answer.into_inner().symbols)
    };
    assert_eq!(symbols("steel", 5).await.unwrap(), ["STEELCAS", "tatasteel"]);
    assert_eq!(symbols("%", 5).await.unwrap(), [""; 0]);
    assert_eq!(symbols("", 50).await.unwrap().len(), 6);
    assert_eq!(symbols("", 2).await.unwrap().len(), 2);
    assert_eq!(field_of(&symbols("", 51).await.unwrap_err()), "limit");
    assert_eq!(field_of(&symbols("A\0", 5).await.unwrap_err()), "q");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_isins_of_a_book_are_those_of_its_files(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let named = |n, symbol: &str, isin: &str| wire::ImportedTrade {
        symbol: symbol.to_owned(),
        isin: isin.to_owned(),
        ..fill(n)
    };
    let renamed = [named(0, "IBULHSGFIN", "INE148I01020"), named(1, "SAMMAANCAP", "INE148I01020")];
    let split = [named(2, "ITC", "INE154A01017"), named(3, "ITC", "INE154A01025"), named(4, "ITC", "INE154A01025")];
    import(&mut client, ZERODHA_EQUITY, &[&renamed[..], &split, &[named(5, "SBIN", "")]].concat()).await;
    import(&mut client, GROWW_EQUITY, &[named(6, "TCS", "INE467B01029")]).await;
    let isins = async |account, book| {
        let mut client = client_of(&pool, Uuid::from_u128(account));
        let answer = client.list_isins(wire::ListIsinsRequest { book }).await?.into_inner();
        Ok::<_, Status>(answer.isins.into_iter().map(|pair| (pair.symbol, pair.isin)).collect::<Vec<_>>())
    };
    let pair = |symbol: &str, isin: &str| (symbol.to_owned(), isin.to_owned());
    let of_zerodha = [
        pair("IBULHSGFIN", "INE148I01020"),
        pair("ITC", "INE154A01017"),
        pair("ITC", "INE154A01025"),
        pair("SAMMAANCAP", "INE148I01020"),
    ];
    assert_eq!(isins(1, Some(ZERODHA_EQUITY)).await.unwrap(), of_zerodha);
    assert_eq!(isins(1, Some(GROWW_EQUITY)).await.unwrap(), [pair("TCS", "INE467B01029")]);
    assert_eq!(isins(2, Some(ZERODHA_EQUITY)).await.unwrap(), []);
    assert!(isins(1, None).await.is_err());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_log_full_of_notes_still_fits_its_messages(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let text = "ठ".repeat(2_000);
    let (psychology, market_outlook) = (text.clone(), text.clone());
    let notes = wire::Notes { notes: text, psychology, market_outlook, ..wire::Notes::default() };
    let new: Vec<_> = (0..600).map(|n| wire::NewTrade { notes: Some(notes.clone()), ..entry(n) }).collect();
    let head = wire::ReplaceHead { book: Some(ZERODHA_EQUITY), idempotency_key: String::new() };
    let mut parts = vec![replace_part::Part::Head(head)];
    let batch = |chunk: &[wire::NewTrade]| replace_part::Part::Batch(wire::ReplaceBatch { trades: chunk.to_vec() });
    parts.extend(new.chunks(100).map(batch));
    parts.push(replace_part::Part::End(wire::ReplaceEnd { trades: 600 }));
    send_replacement(&mut client, parts).await.unwrap();
    let (_, trades) = list(&mut client, None).await;
    assert_eq!(trades.len(), 600);
    assert!(is_newest_first(&trades));
    let mut paged = Vec::new();
    let mut request = page_of(500);
    loop {
        let page = query(&mut client, request.clone()).await;
        paged.extend(page.trades);
        request.cursor = page.next_cursor;
        if request.cursor.is_empty() {
            break;
        }
    }
    assert_eq!(paged, trades);
}
