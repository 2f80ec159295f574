//! Files on their way into the log.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sqlx::PgPool;
use tokio::runtime::Handle;
use tonic::Code;
use uuid::Uuid;

use super::*;

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
async fn overlapping_files_add_each_trade_once(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..200)).await;
    let mut shuffled = fills(100..300);
    shuffled.reverse();
    let second = import(&mut client, ZERODHA_EQUITY, &shuffled).await;
    assert_eq!((second.added, second.duplicates), (100, 100));
    assert_eq!(list(&mut client, None).await.0.total, 300);
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

#[sqlx::test(migrations = "../../migrations")]
async fn what_no_file_holds_is_refused_with_its_field(pool: PgPool) {
    let limits = StreamLimits { import: 3_000, ..StreamLimits::default() };
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
        StreamLimits { wait: short, ..StreamLimits::default() },
        StreamLimits { whole: short, ..StreamLimits::default() },
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
    assert_eq!(refused.message(), "Something went wrong on our side.");
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

/// A file of a split: the fills that it holds, in its order, and whether it is previewed first.
type Part = (Vec<i64>, bool);

/// Overlapping files, each in an order of its own, that hold all of `count` fills between them.
fn split() -> impl Strategy<Value = (i64, Vec<Part>)> {
    (1..60_i64).prop_flat_map(|count| {
        let all: Vec<i64> = (0..count).collect();
        let some = prop::sample::subsequence(all.clone(), 0..=all.len()).prop_shuffle();
        let files = prop::collection::vec((some, any::<bool>()), 1..6);
        (Just(count), files, Just(all).prop_shuffle(), any::<prop::sample::Index>()).prop_map(
            |(count, mut files, order, last)| {
                // What no file holds goes into one of them.
                let missing = order.into_iter().filter(|n| files.iter().all(|(file, _)| !file.contains(n)));
                let missing: Vec<i64> = missing.collect();
                let last = last.index(files.len());
                files[last].0.extend(missing);
                (count, files)
            },
        )
    })
}

/// What a book holds, whatever numbers it gave.
async fn held(client: &mut Client) -> Vec<wire::Trade> {
    list(client, None).await.1.into_iter().map(|trade| wire::Trade { id: 0, ..trade }).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn any_permutation_of_any_split_into_overlapping_files_makes_the_book_of_the_whole(pool: PgPool) {
    let handle = Handle::current();
    let cases = tokio::task::spawn_blocking(move || {
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        runner.run(&split(), |(count, files)| {
            handle.block_on(async {
                let (mut once, mut parts) = (client_of(&pool, Uuid::new_v4()), client_of(&pool, Uuid::new_v4()));
                import(&mut once, ZERODHA_EQUITY, &fills(0..count)).await;
                let mut added = 0;
                for (numbers, previewed) in files {
                    let file: Vec<_> = numbers.into_iter().map(fill).collect();
                    added += if previewed {
                        let shown = preview(&mut parts, ZERODHA_EQUITY, &file).await;
                        let request = all_of(&shown, wire::Resolution::Unspecified);
                        commit(&mut parts, request).await.unwrap().unwrap().result.unwrap().added
                    } else {
                        import(&mut parts, ZERODHA_EQUITY, &file).await.added
                    };
                }
                prop_assert_eq!(added, count);
                prop_assert_eq!(held(&mut parts).await, held(&mut once).await);
                Ok(())
            })
        })
    });
    if let Err(broken) = cases.await.unwrap() {
        panic!("{broken}");
    }
}
