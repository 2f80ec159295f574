//! Reading the log.

use std::collections::BTreeSet;

use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn a_caller_sees_only_trades_of_its_own_account(pool: PgPool) {
    let (mut asha, mut ravi) = (client_as(&pool, Uuid::from_u128(1)), client_as(&pool, Uuid::from_u128(2)));
    import(&mut asha, ZERODHA_EQUITY, &fills(0..5)).await;
    import(&mut ravi, ZERODHA_EQUITY, &fills(3..6)).await;
    assert_eq!(list(&mut asha, None).await.0.total, 5);
    assert_eq!(list(&mut ravi, None).await.1.len(), 3);

    let server = crate::server(pools(&pool));
    let mut anonymous = TradesServiceClient::new(local(server));
    let status = anonymous.stream_trades(wire::StreamTradesRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
    let status = anonymous.list_trades(wire::ListTradesRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
    let status = send_import(&mut anonymous, vec![import_head(ZERODHA_EQUITY), import_end(0)]).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unchanged_list_is_not_sent_again(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let version = import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await.head.unwrap().version;
    let (head, trades) = list(&mut client, Some(version)).await;
    assert_eq!((head.unchanged, head.total, trades.len()), (true, 5, 0));
    import(&mut client, ZERODHA_EQUITY, &fills(5..6)).await;
    let (head, trades) = list(&mut client, Some(version)).await;
    assert_eq!((head.unchanged, trades.len()), (false, 6));
    let page = query(&mut client, wire::ListTradesRequest { known_version: Some(head.version), ..page_of(2) }).await;
    assert!(page.head.unwrap().unchanged && page.trades.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn source_keys_are_sent_to_callers_that_need_them(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    add(&mut client, ZERODHA_EQUITY, manual_trade(1)).await;
    let keys_of = |trades: Vec<wire::Trade>| trades.into_iter().map(|trade| trade.source_key).collect::<BTreeSet<_>>();
    let expected = ["", "2025-06-15/NSE/EQ/0", "2025-06-15/NSE/EQ/1"].map(str::to_owned).into();
    assert_eq!(keys_of(list(&mut client, None).await.1), expected);
    assert_eq!(keys_of(list_changed(&mut client, 0).await.trades), expected);

    let request = wire::StreamTradesRequest { with_source_keys: false, ..Default::default() };
    let mut stream = client.stream_trades(request).await.unwrap().into_inner();
    let mut without_keys = Vec::new();
    while let Some(message) = stream.next().await {
        if let Some(list_part::Part::Page(page)) = message.unwrap().part {
            without_keys.extend(page.trades);
        }
    }
    assert_eq!((without_keys.len(), keys_of(without_keys)), (3, [String::new()].into()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn only_changed_trades_are_sent_unless_too_many_changed(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let nothing = list_changed(&mut client, 0).await;
    assert_eq!((nothing.head.unwrap().unchanged, nothing.full_reload_required), (true, false));
    let version = import(&mut client, ZERODHA_EQUITY, &fills(0..1_000)).await.head.unwrap().version;
    let same = list_changed(&mut client, version).await;
    assert_eq!((same.head.unwrap().unchanged, same.trades.len(), same.deleted_ids.len()), (true, 0, 0));

    // One trade is added, one edited, one deleted: each is listed once, in its current state.
    let added = add(&mut client, GROWW_EQUITY, manual_trade(1)).await.trade.unwrap();
    edit(&mut client, 7, manual_trade(2)).await.unwrap();
    edit(&mut client, 9, manual_trade(3)).await.unwrap();
    delete(&mut client, 9, false).await.unwrap();
    let changed = list_changed(&mut client, version).await;
    let mut changed_trades: Vec<_> = changed.trades.iter().map(|trade| (trade.id, trade.symbol.as_str())).collect();
    changed_trades.sort_unstable();
    assert_eq!(changed_trades, [(7, "LT"), (added.id, "ITC")]);
    assert_eq!((changed.deleted_ids, changed.head.unwrap().total), (vec![9], 1_000));

    // A version that the account never had gives a full list.
    let mut other = client_as(&pool, Uuid::from_u128(2));
    assert!(list_changed(&mut other, version).await.full_reload_required);
    add(&mut other, GROWW_EQUITY, manual_trade(1)).await;
    assert!(list_changed(&mut other, version + 7).await.full_reload_required);
    // More changes than are listed one by one.
    import(&mut client, GROWW_EQUITY, &fills(0..1_001)).await;
    let changed = list_changed(&mut client, version).await;
    assert_eq!((changed.full_reload_required, changed.trades.len(), changed.head.unwrap().total), (true, 0, 2_001));
    let full_reload_required: Vec<_> = (0..1_001).map(manual_trade).collect();
    let version = replace(&mut client, GROWW_EQUITY, &full_reload_required).await.head.unwrap().version;
    assert!(list_changed(&mut client, version - 1).await.full_reload_required);
    assert!(!list_changed(&mut client, version).await.full_reload_required);
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_in_every_order_contain_each_trade_once(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..60)).await;
    import(&mut client, GROWW_EQUITY, &fills(0..40)).await;
    let sorts = [
        wire::SortKey::Time,
        wire::SortKey::Symbol,
        wire::SortKey::Quantity,
        wire::SortKey::Price,
        wire::SortKey::Side,
        wire::SortKey::Broker,
    ];
    for (sort, ascending) in sorts.into_iter().flat_map(|sort| [(sort, true), (sort, false)]) {
        let mut request = wire::ListTradesRequest { sort: sort.into(), ascending, ..page_of(7) };
        let mut trades = Vec::new();
        loop {
            let page = query(&mut client, request.clone()).await;
            assert_eq!(page.head.unwrap().total, 100);
            trades.extend(page.trades);
            request.page_token = page.next_page_token;
            if request.page_token.is_empty() {
                break;
            }
        }
        let ids: BTreeSet<i64> = trades.iter().map(|trade| trade.id).collect();
        assert_eq!((trades.len(), ids.len()), (100, 100), "{sort:?} {ascending}");
        let key = |trade: &wire::Trade| match sort {
            wire::SortKey::Unspecified | wire::SortKey::Time => format!("{:012}", trade.executed_at.unwrap().seconds),
            wire::SortKey::Symbol => trade.symbol.clone(),
            wire::SortKey::Quantity => trade.quantity.clone(),
            wire::SortKey::Price => format!("{:08.2}", trade.price.parse::<f64>().unwrap()),
            wire::SortKey::Side => if trade.side() == wire::Side::Buy { "buy" } else { "sell" }.to_owned(),
            wire::SortKey::Broker => {
                let groww = trade.book.unwrap().broker() == wire::Broker::Groww;
                if groww { "groww" } else { "zerodha" }.to_owned()
            }
        };
        let keys: Vec<String> = trades.iter().map(key).collect();
        let mut sorted = keys.clone();
        sorted.sort();
        if !ascending {
            sorted.reverse();
        }
        assert_eq!(keys, sorted, "{sort:?} {ascending}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_filter_selects_and_counts_matching_trades(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..60)).await;
    import(&mut client, GROWW_EQUITY, &fills(0..30)).await;
    let counts = async |filter: wire::Filter| {
        let page = query(&mut client.clone(), wire::ListTradesRequest { filter: Some(filter), ..page_of(500) }).await;
        assert_eq!(page.head.unwrap().total, i64::try_from(page.trades.len()).unwrap());
        page.trades.len()
    };
    let no_filter = wire::Filter::default;
    assert_eq!(counts(no_filter()).await, 90);
    assert_eq!(counts(wire::Filter { symbol: "tata".to_owned(), ..no_filter() }).await, 30);
    assert_eq!(counts(wire::Filter { symbol: "STEEL".to_owned(), ..no_filter() }).await, 30);
    assert_eq!(counts(wire::Filter { symbol: "%".to_owned(), ..no_filter() }).await, 0);
    assert_eq!(counts(wire::Filter { side: wire::Side::Sell.into(), ..no_filter() }).await, 45);
    assert_eq!(counts(wire::Filter { broker: wire::Broker::Groww.into(), ..no_filter() }).await, 30);
    assert_eq!(counts(wire::Filter { segment: wire::Segment::Fno.into(), ..no_filter() }).await, 0);
    assert_eq!(counts(wire::Filter { manual_only: true, ..no_filter() }).await, 0);
    for (n, pair_id) in [(0, "p-1"), (1, "")] {
        add(&mut client.clone(), ZERODHA_FNO, wire::NewTrade { pair_id: pair_id.to_owned(), ..manual_trade(n) }).await;
    }
    assert_eq!(counts(wire::Filter { manual_only: true, ..no_filter() }).await, 1);
    assert_eq!(counts(wire::Filter { noted_only: true, ..no_filter() }).await, 0);
    let notes = wire::Notes { market_outlook: "Sideways".to_owned(), ..wire::Notes::default() };
    let noted = wire::NewTrade { notes: Some(notes), ..manual_trade(2) };
    add(&mut client.clone(), ZERODHA_FNO, noted).await;
    assert_eq!(counts(wire::Filter { noted_only: true, ..no_filter() }).await, 1);
    // `from` is inclusive and `to` exclusive: fills 10 to 19 of both books.
    let (from, to) = (fill(10).executed_at, fill(20).executed_at);
    assert_eq!(counts(wire::Filter { from, to, ..no_filter() }).await, 20);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_invalid_page_request_with_its_field(pool: PgPool) {
    let no_filter = wire::Filter::default;
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let with_filter = |filter| wire::ListTradesRequest { filter: Some(filter), ..page_of(2) };
    let sorted_by = |sort: wire::SortKey, page_token: &str| wire::ListTradesRequest {
        sort: sort.into(),
        page_token: page_token.to_owned(),
        ..page_of(2)
    };
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..9)).await;
    let by_symbol =
        query(&mut client, wire::ListTradesRequest { sort: wire::SortKey::Symbol.into(), ..page_of(2) }).await;
    let cases = [
        (page_of(-1), "page_size"),
        (page_of(5_001), "page_size"),
        (wire::ListTradesRequest { page_token: "junk".to_owned(), ..page_of(2) }, "page_token"),
        (wire::ListTradesRequest { page_token: by_symbol.next_page_token, ..page_of(2) }, "page_token"),
        // Values that Postgres cannot store.
        (sorted_by(wire::SortKey::Symbol, "AAowCjE"), "page_token"),
        (sorted_by(wire::SortKey::Time, "LTMwMDAwMDAwMDAwMDAwMDAwMAox"), "page_token"),
        (sorted_by(wire::SortKey::Time, "LTIxMDg2NjgwMzIwMDAwMDAwMQox"), "page_token"),
        (with_filter(wire::Filter { symbol: "A".repeat(65), ..no_filter() }), "filter.symbol"),
        (with_filter(wire::Filter { symbol: "A\0".to_owned(), ..no_filter() }), "filter.symbol"),
        (with_filter(wire::Filter { from: at(-210_866_803_200), ..no_filter() }), "filter.from"),
        (with_filter(wire::Filter { to: at(7_289_654_400), ..no_filter() }), "filter.to"),
        (with_filter(wire::Filter { to: at(i64::MAX), ..no_filter() }), "filter.to"),
    ];
    assert_eq!(query(&mut client, page_of(0)).await.trades.len(), 9);
    for (request, field) in cases {
        let status = client.list_trades(request).await.unwrap_err();
        assert_eq!(field_of(&status), field);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_list_that_changes_during_the_read_ends_with_an_error(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..20_000)).await;
    let mut stream = client.stream_trades(wire::StreamTradesRequest::default()).await.unwrap().into_inner();
    // Reads the head and one page; another client imports before the rest is read.
    stream.next().await.unwrap().unwrap();
    stream.next().await.unwrap().unwrap();
    import(&mut client, ZERODHA_EQUITY, &fills(20_000..20_001)).await;
    let mut last = None;
    while let Some(message) = stream.next().await {
        last = Some(message);
    }
    assert_eq!(last.unwrap().unwrap_err().code(), Code::ResourceExhausted);
}

#[sqlx::test(migrations = "../../migrations")]
async fn symbols_that_begin_with_the_text_are_suggested_first(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..30)).await;
    for symbol in ["STEELCAS", "SBIN", "NIFTY25JUN24000CE"] {
        add(&mut client, ZERODHA_FNO, wire::NewTrade { symbol: symbol.to_owned(), ..manual_trade(0) }).await;
    }
    let symbols = async |text: &str, page_size| {
        let request = wire::ListSymbolsRequest { text: text.to_owned(), page_size };
        client.clone().list_symbols(request).await.map(|response| response.into_inner().symbols)
    };
    assert_eq!(symbols("steel", 5).await.unwrap(), ["STEELCAS", "tatasteel"]);
    assert_eq!(symbols("%", 5).await.unwrap(), [""; 0]);
    assert_eq!(symbols("", 50).await.unwrap().len(), 6);
    assert_eq!(symbols("", 2).await.unwrap().len(), 2);
    assert_eq!(field_of(&symbols("", 51).await.unwrap_err()), "page_size");
    assert_eq!(field_of(&symbols("A\0", 5).await.unwrap_err()), "text");
}

#[sqlx::test(migrations = "../../migrations")]
async fn isins_of_a_book_are_listed_by_symbol(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let fill_of = |n, symbol: &str, isin: &str| wire::ImportedTrade {
        symbol: symbol.to_owned(),
        isin: isin.to_owned(),
        ..fill(n)
    };
    let renamed = [fill_of(0, "IBULHSGFIN", "INE148I01020"), fill_of(1, "SAMMAANCAP", "INE148I01020")];
    let split =
        [fill_of(2, "ITC", "INE154A01017"), fill_of(3, "ITC", "INE154A01025"), fill_of(4, "ITC", "INE154A01025")];
    import(&mut client, ZERODHA_EQUITY, &[&renamed[..], &split, &[fill_of(5, "SBIN", "")]].concat()).await;
    import(&mut client, GROWW_EQUITY, &[fill_of(6, "TCS", "INE467B01029")]).await;
    let isins = async |account, book| {
        let mut client = client_as(&pool, Uuid::from_u128(account));
        let response = client.list_isins(wire::ListIsinsRequest { book }).await?.into_inner();
        Ok::<_, Status>(response.isins.into_iter().map(|pair| (pair.symbol, pair.isin)).collect::<Vec<_>>())
    };
    let pair = |symbol: &str, isin: &str| (symbol.to_owned(), isin.to_owned());
    let expected = [
        pair("IBULHSGFIN", "INE148I01020"),
        pair("ITC", "INE154A01017"),
        pair("ITC", "INE154A01025"),
        pair("SAMMAANCAP", "INE148I01020"),
    ];
    assert_eq!(isins(1, Some(ZERODHA_EQUITY)).await.unwrap(), expected);
    assert_eq!(isins(1, Some(GROWW_EQUITY)).await.unwrap(), [pair("TCS", "INE467B01029")]);
    assert_eq!(isins(2, Some(ZERODHA_EQUITY)).await.unwrap(), []);
    assert!(isins(1, None).await.is_err());
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_with_long_notes_stay_below_the_message_limit(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let text = "ठ".repeat(2_000);
    let (psychology, market_outlook) = (text.clone(), text.clone());
    let notes = wire::Notes { notes: text, psychology, market_outlook, ..wire::Notes::default() };
    let new: Vec<_> = (0..600).map(|n| wire::NewTrade { notes: Some(notes.clone()), ..manual_trade(n) }).collect();
    let head = wire::ReplaceHead { book: Some(ZERODHA_EQUITY), idempotency_key: String::new() };
    let mut parts = vec![replace_part::Part::Head(head)];
    let batch = |chunk: &[wire::NewTrade]| replace_part::Part::Batch(wire::ReplaceBatch { trades: chunk.to_vec() });
    parts.extend(new.chunks(100).map(batch));
    parts.push(replace_part::Part::End(wire::ReplaceEnd { trades: 600 }));
    send_replace(&mut client, parts).await.unwrap();
    let (_, trades) = list(&mut client, None).await;
    assert_eq!(trades.len(), 600);
    assert!(is_newest_first(&trades));
    let mut paged = Vec::new();
    let mut request = page_of(500);
    loop {
        let page = query(&mut client, request.clone()).await;
        paged.extend(page.trades);
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    assert_eq!(paged, trades);
}
