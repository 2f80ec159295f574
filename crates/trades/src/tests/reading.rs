//! The log as it is read.

use std::collections::BTreeSet;

use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn a_caller_sees_only_what_is_the_callers(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, Uuid::from_u128(1)), client_of(&pool, Uuid::from_u128(2)));
    import(&mut asha, ZERODHA_EQUITY, &fills(0..5)).await;
    import(&mut ravi, ZERODHA_EQUITY, &fills(3..6)).await;
    assert_eq!(list(&mut asha, None).await.0.total, 5);
    assert_eq!(list(&mut ravi, None).await.1.len(), 3);

    let server = crate::server(Pools { requests: pool.clone(), imports: pool.clone() });
    let mut nobody = TradesServiceClient::new(local(server));
    let refused = nobody.list_trades(wire::ListTradesRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let refused = nobody.query_trades(wire::QueryTradesRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let refused = send(&mut nobody, vec![head(ZERODHA_EQUITY), end(0)]).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unchanged_list_is_not_sent_again(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let version = import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await.head.unwrap().version;
    let (head, trades) = list(&mut client, Some(version)).await;
    assert_eq!((head.unchanged, head.total, trades.len()), (true, 5, 0));
    import(&mut client, ZERODHA_EQUITY, &fills(5..6)).await;
    let (head, trades) = list(&mut client, Some(version)).await;
    assert_eq!((head.unchanged, trades.len()), (false, 6));
    let page = query(&mut client, wire::QueryTradesRequest { known_version: Some(head.version), ..page_of(2) }).await;
    assert!(page.head.unwrap().unchanged && page.trades.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_changed_is_told_alone_while_it_is_little(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let nothing = list_changed(&mut client, 0).await;
    assert_eq!((nothing.head.unwrap().unchanged, nothing.everything), (true, false));
    let version = import(&mut client, ZERODHA_EQUITY, &fills(0..1_000)).await.head.unwrap().version;
    let same = list_changed(&mut client, version).await;
    assert_eq!((same.head.unwrap().unchanged, same.trades.len(), same.gone.len()), (true, 0, 0));

    // One comes, one is written anew, one goes: each is told once, as it is now.
    let added = add(&mut client, GROWW_EQUITY, entry(1)).await.trade.unwrap();
    edit(&mut client, 7, entry(2)).await.unwrap();
    edit(&mut client, 9, entry(3)).await.unwrap();
    delete(&mut client, 9, false).await.unwrap();
    let changed = list_changed(&mut client, version).await;
    let mut told: Vec<_> = changed.trades.iter().map(|trade| (trade.id, trade.symbol.as_str())).collect();
    told.sort_unstable();
    assert_eq!(told, [(7, "LT"), (added.id, "ITC")]);
    assert_eq!((changed.gone, changed.head.unwrap().total), (vec![9], 1_000));

    // Another account changed nothing; what an account never was is no state to start from.
    let mut other = client_of(&pool, Uuid::from_u128(2));
    assert!(list_changed(&mut other, version).await.everything);
    add(&mut other, GROWW_EQUITY, entry(1)).await;
    assert!(list_changed(&mut other, version + 7).await.everything);
    // Too much to be told one by one.
    import(&mut client, GROWW_EQUITY, &fills(0..1_001)).await;
    let changed = list_changed(&mut client, version).await;
    assert_eq!((changed.everything, changed.trades.len(), changed.head.unwrap().total), (true, 0, 2_001));
    let everything: Vec<_> = (0..1_001).map(entry).collect();
    let version = replace(&mut client, GROWW_EQUITY, &everything).await.head.unwrap().version;
    assert!(list_changed(&mut client, version - 1).await.everything);
    assert!(!list_changed(&mut client, version).await.everything);
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_in_every_order_hold_each_trade_once(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
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
        let mut request = wire::QueryTradesRequest { sort: sort.into(), ascending, ..page_of(7) };
        let mut trades = Vec::new();
        loop {
            let page = query(&mut client, request.clone()).await;
            assert_eq!(page.head.unwrap().total, 100);
            trades.extend(page.trades);
            request.cursor = page.next_cursor;
            if request.cursor.is_empty() {
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
async fn a_filter_lets_through_what_it_says_and_counts_it(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..60)).await;
    import(&mut client, GROWW_EQUITY, &fills(0..30)).await;
    let counts = async |filter: wire::Filter| {
        let page = query(&mut client.clone(), wire::QueryTradesRequest { filter: Some(filter), ..page_of(500) }).await;
        assert_eq!(page.head.unwrap().total, i64::try_from(page.trades.len()).unwrap());
        page.trades.len()
    };
    let open = wire::Filter::default;
    assert_eq!(counts(open()).await, 90);
    assert_eq!(counts(wire::Filter { symbol: "tata".to_owned(), ..open() }).await, 30);
    assert_eq!(counts(wire::Filter { symbol: "STEEL".to_owned(), ..open() }).await, 30);
    assert_eq!(counts(wire::Filter { symbol: "%".to_owned(), ..open() }).await, 0);
    assert_eq!(counts(wire::Filter { side: wire::Side::Sell.into(), ..open() }).await, 45);
    assert_eq!(counts(wire::Filter { broker: wire::Broker::Groww.into(), ..open() }).await, 30);
    assert_eq!(counts(wire::Filter { segment: wire::Segment::Fno.into(), ..open() }).await, 0);
    assert_eq!(counts(wire::Filter { manual: true, ..open() }).await, 0);
    for (n, pair_id) in [(0, "p-1"), (1, "")] {
        add(&mut client.clone(), ZERODHA_FNO, wire::NewTrade { pair_id: pair_id.to_owned(), ..entry(n) }).await;
    }
    assert_eq!(counts(wire::Filter { manual: true, ..open() }).await, 1);
    // From is inclusive, to is exclusive: fills 10 to 19 of both books.
    let (from, to) = (fill(10).executed_at, fill(20).executed_at);
    assert_eq!(counts(wire::Filter { from, to, ..open() }).await, 20);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_wrong_page_is_refused_with_its_field(pool: PgPool) {
    let open = wire::Filter::default;
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let only = |filter| wire::QueryTradesRequest { filter: Some(filter), ..page_of(2) };
    let by = |sort: wire::SortKey, cursor: &str| wire::QueryTradesRequest {
        sort: sort.into(),
        cursor: cursor.to_owned(),
        ..page_of(2)
    };
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..9)).await;
    let by_symbol =
        query(&mut client, wire::QueryTradesRequest { sort: wire::SortKey::Symbol.into(), ..page_of(2) }).await;
    let cases = [
        (page_of(0), "limit"),
        (page_of(5_001), "limit"),
        (wire::QueryTradesRequest { cursor: "junk".to_owned(), ..page_of(2) }, "cursor"),
        (wire::QueryTradesRequest { cursor: by_symbol.next_cursor, ..page_of(2) }, "cursor"),
        // What Postgres could not take.
        (by(wire::SortKey::Symbol, "AAowCjE"), "cursor"),
        (by(wire::SortKey::Time, "LTMwMDAwMDAwMDAwMDAwMDAwMAox"), "cursor"),
        (by(wire::SortKey::Time, "LTIxMDg2NjgwMzIwMDAwMDAwMQox"), "cursor"),
        (only(wire::Filter { symbol: "A".repeat(65), ..open() }), "symbol"),
        (only(wire::Filter { symbol: "A\0".to_owned(), ..open() }), "symbol"),
        (only(wire::Filter { from: at(-210_866_803_200), ..open() }), "from"),
        (only(wire::Filter { to: at(7_289_654_400), ..open() }), "to"),
        (only(wire::Filter { to: at(i64::MAX), ..open() }), "to"),
    ];
    for (request, field) in cases {
        let refused = client.query_trades(request).await.unwrap_err();
        let details = tonic_types::StatusExt::get_details_bad_request(&refused).unwrap();
        assert_eq!(details.field_violations[0].field, field);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_list_that_changes_while_it_is_read_says_so(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..20_000)).await;
    let mut stream = client.list_trades(wire::ListTradesRequest::default()).await.unwrap().into_inner();
    // The head and one page are taken; the reader is then slow while another tab imports.
    stream.next().await.unwrap().unwrap();
    stream.next().await.unwrap().unwrap();
    import(&mut client, ZERODHA_EQUITY, &fills(20_000..20_001)).await;
    let mut last = None;
    while let Some(message) = stream.next().await {
        last = Some(message);
    }
    assert_eq!(last.unwrap().unwrap_err().code(), Code::ResourceExhausted);
}
