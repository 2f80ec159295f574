//! The trade log through its client, on a real Postgres.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt;
use rpc::caller::Caller;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{self as wire, import_trades_request as import_part, list_trades_response as list_part};
use rpc::transport::{Transport, local};
use sqlx::PgPool;
use tonic::service::interceptor::InterceptedService;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::Pools;
use crate::service::ImportLimits;

type Client = TradesServiceClient<Transport>;

/// A client whose calls come from the trader `account_id`.
fn client_of(pool: &PgPool, account_id: Uuid) -> Client {
    client_with(pool, account_id, ImportLimits::default())
}

fn client_with(pool: &PgPool, account_id: Uuid, limits: ImportLimits) -> Client {
    let server = crate::with_limits(Pools { requests: pool.clone(), imports: pool.clone() }, limits);
    let caller = Caller {
        account_id,
        sign_in_id: Uuid::nil(),
        name: "Asha Rao".to_owned(),
        email: "asha@example.in".to_owned(),
    };
    TradesServiceClient::new(local(InterceptedService::new(server, move |mut request: Request<()>| {
        request.extensions_mut().insert(caller.clone());
        Ok(request)
    })))
}

const ZERODHA_EQUITY: wire::Book =
    wire::Book { broker: wire::Broker::Zerodha as i32, segment: wire::Segment::Equity as i32 };
const ZERODHA_FNO: wire::Book = wire::Book { broker: wire::Broker::Zerodha as i32, segment: wire::Segment::Fno as i32 };
const GROWW_EQUITY: wire::Book =
    wire::Book { broker: wire::Broker::Groww as i32, segment: wire::Segment::Equity as i32 };

/// The `n`th fill of a made-up file: one a minute, three symbols, prices that repeat.
fn fill(n: i64) -> wire::ImportedTrade {
    wire::ImportedTrade {
        side: if n % 2 == 0 { wire::Side::Buy.into() } else { wire::Side::Sell.into() },
        symbol: ["INFY", "M&M", "tatasteel"][usize::try_from(n % 3).unwrap()].to_owned(),
        isin: String::new(),
        quantity: (n % 7 + 1).to_string(),
        price: format!("{}.05", n % 11 + 1),
        value: String::new(),
        executed_at: Some(prost_types::Timestamp { seconds: 1_750_000_000 + n * 60, nanos: 0 }),
        time_precision: wire::TimePrecision::Second.into(),
        exchange: wire::Exchange::Nse.into(),
        order_id: "1100000000000001".to_owned(),
        source_key: format!("2025-06-15/NSE/EQ/{n}"),
    }
}

fn head(book: wire::Book) -> import_part::Part {
    import_part::Part::Head(wire::ImportHead {
        book: Some(book),
        file_name: "tradebook.xlsx".to_owned(),
        file_sha256: vec![7; 32],
        format: "zerodha-tradebook".to_owned(),
    })
}

fn batch(trades: Vec<wire::ImportedTrade>) -> import_part::Part {
    import_part::Part::Batch(wire::ImportBatch { trades })
}

fn end(trades: i64) -> import_part::Part {
    import_part::Part::End(wire::ImportEnd { trades })
}

async fn send(client: &mut Client, parts: Vec<import_part::Part>) -> Result<wire::ImportTradesResponse, Status> {
    let messages = parts.into_iter().map(|part| wire::ImportTradesRequest { part: Some(part) });
    Ok(client.import_trades(tokio_stream::iter(messages)).await?.into_inner())
}

/// Imports fills as a file of its own, in batches of 2,000.
async fn import(client: &mut Client, book: wire::Book, fills: &[wire::ImportedTrade]) -> wire::ImportTradesResponse {
    let mut parts = vec![head(book)];
    parts.extend(fills.chunks(2_000).map(|chunk| batch(chunk.to_vec())));
    parts.push(end(i64::try_from(fills.len()).unwrap()));
    send(client, parts).await.unwrap()
}

fn fills(range: std::ops::Range<i64>) -> Vec<wire::ImportedTrade> {
    range.map(fill).collect()
}

async fn list(client: &mut Client, known: Option<i64>) -> (wire::TradesHead, Vec<wire::Trade>) {
    let mut stream = client.list_trades(wire::ListTradesRequest { known_version: known }).await.unwrap().into_inner();
    let Some(list_part::Part::Head(head)) = stream.next().await.unwrap().unwrap().part else { panic!("no head") };
    let mut trades = Vec::new();
    while let Some(message) = stream.next().await {
        match message.unwrap().part {
            Some(list_part::Part::Page(page)) => trades.extend(page.trades),
            other => panic!("unexpected {other:?}"),
        }
    }
    (head, trades)
}

fn is_newest_first(trades: &[wire::Trade]) -> bool {
    let keys = trades.iter().map(|t| (t.executed_at.map(|at| at.seconds), t.id));
    keys.clone().zip(keys.skip(1)).all(|(newer, older)| newer > older)
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_imported_file_is_listed_newest_first_with_exact_figures(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let (before, none) = list(&mut client, None).await;
    assert_eq!((before.version, before.total, before.last_book, none.len()), (0, 0, None, 0));

    let answer = import(&mut client, ZERODHA_EQUITY, &fills(0..4_500)).await;
    assert_eq!((answer.added, answer.duplicates, answer.import_id), (4_500, 0, 1));
    assert_eq!(answer.first_executed_at, fill(0).executed_at);
    assert_eq!(answer.last_executed_at, fill(4_499).executed_at);

    let (head, trades) = list(&mut client, None).await;
    assert_eq!((head.total, head.last_book), (4_500, Some(ZERODHA_EQUITY)));
    assert_eq!(trades.len(), 4_500);
    assert!(is_newest_first(&trades));
    let last = fill(4_499);
    assert_eq!(
        (&trades[0].symbol, &trades[0].quantity, &trades[0].price, trades[0].side, trades[0].executed_at),
        (&last.symbol, &last.quantity, &"1.05".to_owned(), last.side, last.executed_at)
    );
    // Fill 3 of quantity 4 at 4.05.
    assert_eq!(trades[4_496].value, "16.2");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_same_file_twice_adds_nothing_and_moves_no_version(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let first = import(&mut client, ZERODHA_EQUITY, &fills(0..300)).await;
    let again = import(&mut client, ZERODHA_EQUITY, &fills(0..300)).await;
    assert_eq!((again.added, again.duplicates, again.import_id), (0, 300, 2));
    assert_eq!(again.head, first.head);
    assert_eq!(list(&mut client, None).await.1.len(), 300);
}

#[sqlx::test(migrations = "../../migrations")]
async fn overlapping_files_add_each_trade_once_and_claim_what_they_hold(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..200)).await;
    let mut shuffled = fills(100..300);
    shuffled.reverse();
    let second = import(&mut client, ZERODHA_EQUITY, &shuffled).await;
    assert_eq!((second.added, second.duplicates), (100, 100));
    assert_eq!(list(&mut client, None).await.0.total, 300);

    let claimed = sqlx::query_scalar::<_, i64>(
        "select (select sum(upper(r) - lower(r)) from unnest(claims) r)::bigint from trades.import order by import_id",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(claimed, [200, 200]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn fills_that_differ_only_in_their_key_all_stay_and_one_key_twice_is_one_trade(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let twins: Vec<_> = (0..3).map(|n| wire::ImportedTrade { source_key: format!("k{n}"), ..fill(1) }).collect();
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &twins).await.added, 3);
    let same = [fill(9), fill(9)];
    let answer = import(&mut client, ZERODHA_EQUITY, &same).await;
    assert_eq!((answer.added, answer.duplicates), (1, 1));
    // Also where the second stands in a later batch of a book that began empty.
    let mut far_apart = fills(0..2_500);
    far_apart.push(fill(3));
    let answer = import(&mut client, ZERODHA_FNO, &far_apart).await;
    assert_eq!((answer.added, answer.duplicates), (2_500, 1));
    // Another book is another matter.
    assert_eq!(import(&mut client, GROWW_EQUITY, &twins).await.added, 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_import_that_breaks_off_or_miscounts_leaves_nothing(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let bad = wire::ImportedTrade { quantity: "0".to_owned(), ..fill(5) };
    let cases = [
        (vec![head(ZERODHA_EQUITY), batch(fills(0..2_000)), batch(fills(2_000..2_100))], "BROKEN_OFF"),
        (vec![head(ZERODHA_EQUITY), batch(fills(0..10)), end(11)], "BROKEN_OFF"),
        (vec![head(ZERODHA_EQUITY), batch(fills(0..10)), batch(vec![bad]), end(11)], "INVALID"),
        (vec![head(ZERODHA_EQUITY), batch(fills(0..10)), head(ZERODHA_EQUITY), end(10)], "INVALID"),
        (vec![head(ZERODHA_EQUITY), batch(fills(0..2_001)), end(2_001)], "INVALID"),
        (vec![batch(fills(0..10)), end(10)], "INVALID"),
        (vec![], "INVALID"),
    ];
    for (parts, reason) in cases {
        let refused = send(&mut client, parts).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert_eq!(tonic_types::StatusExt::get_details_error_info(&refused).unwrap().reason, reason);
        assert_eq!(list(&mut client, None).await.0.total, 0);
    }
    let rows = sqlx::query_scalar::<_, i64>("select count(*) from trades.trade").fetch_one(&pool).await.unwrap();
    assert_eq!(rows, 0);
}

/// The one field that is refused.
#[track_caller]
fn field_of(refused: &Status) -> String {
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
    tonic_types::StatusExt::get_details_bad_request(refused).unwrap().field_violations.remove(0).field
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_no_file_holds_is_refused_with_its_field(pool: PgPool) {
    let limits = ImportLimits { trades: 3_000, ..ImportLimits::default() };
    let mut client = client_with(&pool, Uuid::from_u128(1), limits);
    let with = |trade| vec![head(ZERODHA_EQUITY), batch(vec![trade]), end(1)];
    let of = |format: &str| {
        let import_part::Part::Head(head) = head(ZERODHA_EQUITY) else { unreachable!() };
        vec![import_part::Part::Head(wire::ImportHead { format: format.to_owned(), ..head }), end(0)]
    };
    let parts = |count| vec![head(ZERODHA_EQUITY), batch(fills(0..2_000)), batch(fills(2_000..count)), end(count)];
    let cases = [
        (with(wire::ImportedTrade { order_id: "1".repeat(65), ..fill(1) }), "order_id"),
        (with(wire::ImportedTrade { order_id: "1\0".to_owned(), ..fill(1) }), "order_id"),
        (with(wire::ImportedTrade { isin: "1".repeat(5_000), ..fill(1) }), "isin"),
        (with(wire::ImportedTrade { isin: "INE154A0102\0".to_owned(), ..fill(1) }), "isin"),
        (of(""), "format"),
        (of("Zerodha"), "format"),
        (of("zerodha\0"), "format"),
        (of(&"z".repeat(41)), "format"),
        (parts(3_001), "trades"),
    ];
    for (parts, field) in cases {
        assert_eq!(field_of(&send(&mut client, parts).await.unwrap_err()), field);
        assert_eq!(list(&mut client, None).await.0.total, 0);
    }
    assert_eq!(send(&mut client, parts(3_000)).await.unwrap().added, 3_000);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_import_that_pauses_or_takes_too_long_gives_its_connection_back(pool: PgPool) {
    // The only connection of the imports, so that what follows would wait for it.
    let one = pool.options().clone().max_connections(1).acquire_timeout(Duration::from_secs(2));
    let imports = one.connect_lazy_with(pool.connect_options().as_ref().clone());
    let short = Duration::from_millis(400);
    let (wait, whole) = (
        ImportLimits { wait: short, ..ImportLimits::default() },
        ImportLimits { whole: short, ..ImportLimits::default() },
    );
    // One batch and then nothing for ever, or batches without a pause.
    for (limits, pauses) in [(wait, true), (whole, true), (whole, false)] {
        let mut client = client_with(&imports, Uuid::from_u128(1), limits);
        let batches = futures_util::stream::iter(0_i64..).then(move |n| async move {
            if pauses && n > 0 {
                std::future::pending::<()>().await;
            }
            batch(vec![fill(n)])
        });
        let parts = tokio_stream::iter([head(ZERODHA_EQUITY)]).chain(batches);
        let messages = parts.map(|part| wire::ImportTradesRequest { part: Some(part) });
        let answer = tokio::time::timeout(short * 20, client.import_trades(messages)).await;
        let refused = answer.expect("the import never ends").unwrap_err();
        assert_eq!(tonic_types::StatusExt::get_details_error_info(&refused).unwrap().reason, "BROKEN_OFF");
        assert_eq!(list(&mut client, None).await.0.total, 0);
    }
    let mut client = client_of(&imports, Uuid::from_u128(1));
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await.added, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_import_that_dies_says_nothing_of_its_inside(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    // Without a socket between, the stream is polled where the import runs.
    let dies = futures_util::stream::once(async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        panic!("the inside of the import")
    });
    let first = wire::ImportTradesRequest { part: Some(head(ZERODHA_EQUITY)) };
    let refused = client.import_trades(tokio_stream::iter([first]).chain(dies)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Internal);
    assert_eq!(tonic_types::StatusExt::get_details_error_info(&refused).unwrap().reason, "INTERNAL");
    assert!(refused.message().starts_with("Something went wrong on our side."), "{}", refused.message());
}

#[sqlx::test(migrations = "../../migrations")]
async fn imports_of_one_book_at_the_same_moment_do_not_double_it(pool: PgPool) {
    let client = client_of(&pool, Uuid::from_u128(1));
    let imports = (0..4).map(|_| {
        let mut client = client.clone();
        tokio::spawn(async move { import(&mut client, ZERODHA_EQUITY, &fills(0..3_000)).await })
    });
    let mut added = 0;
    for import in imports.collect::<Vec<_>>() {
        added += import.await.unwrap().added;
    }
    assert_eq!(added, 3_000);
    assert_eq!(list(&mut client.clone(), None).await.1.len(), 3_000);
}

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

fn page_of(limit: i32) -> wire::QueryTradesRequest {
    wire::QueryTradesRequest { limit, ..Default::default() }
}

async fn query(client: &mut Client, request: wire::QueryTradesRequest) -> wire::QueryTradesResponse {
    client.query_trades(request).await.unwrap().into_inner()
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
        (page_of(501), "limit"),
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
