//! Imports of files.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sqlx::PgPool;
use tokio::runtime::Handle;
use tonic::Code;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn an_imported_file_is_listed_newest_first_with_exact_values(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let (before, no_trades) = list(&mut client, None).await;
    assert_eq!((before.version, before.total, before.last_book, no_trades.len()), (0, 0, None, 0));

    let response = import(&mut client, ZERODHA_EQUITY, &fills(0..4_500)).await;
    assert_eq!((response.added, response.duplicates, response.import_id), (4_500, 0, 1));
    assert_eq!(response.first_executed_at, fill(0).executed_at);
    assert_eq!(response.last_executed_at, fill(4_499).executed_at);

    let (head, trades) = list(&mut client, None).await;
    assert_eq!((head.total, head.last_book), (4_500, Some(ZERODHA_EQUITY)));
    assert_eq!(trades.len(), 4_500);
    assert!(is_newest_first(&trades));
    let last = fill(4_499);
    assert_eq!(
        (&trades[0].symbol, &trades[0].quantity, &trades[0].price, trades[0].side, trades[0].executed_at),
        (&last.symbol, &last.quantity, &"1.05".to_owned(), last.side, last.executed_at)
    );
    // Fill 3: quantity 4 at 4.05.
    assert_eq!(trades[4_496].value, "16.2");
}

#[sqlx::test(migrations = "../../migrations")]
async fn importing_the_same_file_again_adds_nothing_and_keeps_the_version(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let first = import(&mut client, ZERODHA_EQUITY, &fills(0..300)).await;
    let again = import(&mut client, ZERODHA_EQUITY, &fills(0..300)).await;
    assert_eq!((again.added, again.duplicates, again.import_id), (0, 300, 2));
    assert_eq!(again.head, first.head);
    assert_eq!(list(&mut client, None).await.1.len(), 300);
}

#[sqlx::test(migrations = "../../migrations")]
async fn overlapping_files_add_each_trade_once(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..200)).await;
    let mut shuffled = fills(100..300);
    shuffled.reverse();
    let second = import(&mut client, ZERODHA_EQUITY, &shuffled).await;
    assert_eq!((second.added, second.duplicates), (100, 100));
    assert_eq!(list(&mut client, None).await.0.total, 300);
}

#[sqlx::test(migrations = "../../migrations")]
async fn fills_with_different_source_keys_are_kept_and_a_repeated_key_is_one_trade(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let twins: Vec<_> = (0..3).map(|n| wire::ImportedTrade { source_key: format!("k{n}"), ..fill(1) }).collect();
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &twins).await.added, 3);
    let repeated = [fill(9), fill(9)];
    let response = import(&mut client, ZERODHA_EQUITY, &repeated).await;
    assert_eq!((response.added, response.duplicates), (1, 1));
    // Also if the second occurrence is in a later batch and the book was empty.
    let mut far_apart = fills(0..2_500);
    far_apart.push(fill(3));
    let response = import(&mut client, ZERODHA_FNO, &far_apart).await;
    assert_eq!((response.added, response.duplicates), (2_500, 1));
    // Source keys are compared within one book.
    assert_eq!(import(&mut client, GROWW_EQUITY, &twins).await.added, 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_incomplete_or_miscounted_import_stores_nothing(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let invalid = wire::ImportedTrade { quantity: "0".to_owned(), ..fill(5) };
    let cases = [
        (
            vec![import_head(ZERODHA_EQUITY), import_batch(fills(0..2_000)), import_batch(fills(2_000..2_100))],
            "INCOMPLETE_STREAM",
        ),
        (vec![import_head(ZERODHA_EQUITY), import_batch(fills(0..10)), import_end(11)], "INCOMPLETE_STREAM"),
        (
            vec![import_head(ZERODHA_EQUITY), import_batch(fills(0..10)), import_batch(vec![invalid]), import_end(11)],
            "INVALID",
        ),
        (
            vec![import_head(ZERODHA_EQUITY), import_batch(fills(0..10)), import_head(ZERODHA_EQUITY), import_end(10)],
            "INVALID",
        ),
        (vec![import_head(ZERODHA_EQUITY), import_batch(fills(0..2_001)), import_end(2_001)], "INVALID"),
        (vec![import_batch(fills(0..10)), import_end(10)], "INVALID"),
        (vec![], "INVALID"),
    ];
    for (parts, reason) in cases {
        let status = send_import(&mut client, parts).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(tonic_types::StatusExt::get_details_error_info(&status).unwrap().reason, reason);
        assert_eq!(list(&mut client, None).await.0.total, 0);
    }
    let rows = sqlx::query_scalar::<_, i64>("select count(*) from trades.trade").fetch_one(&pool).await.unwrap();
    assert_eq!(rows, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_invalid_import_with_its_field(pool: PgPool) {
    let limits = StreamLimits { max_import_trades: 3_000, ..StreamLimits::default() };
    let mut client = client_with_limits(&pool, Uuid::from_u128(1), limits);
    let with_trade = |trade| vec![import_head(ZERODHA_EQUITY), import_batch(vec![trade]), import_end(1)];
    let with_format = |format: &str| {
        let import_part::Part::Head(head) = import_head(ZERODHA_EQUITY) else { unreachable!() };
        vec![import_part::Part::Head(wire::ImportHead { format: format.to_owned(), ..head }), import_end(0)]
    };
    let parts = |count| {
        vec![
            import_head(ZERODHA_EQUITY),
            import_batch(fills(0..2_000)),
            import_batch(fills(2_000..count)),
            import_end(count),
        ]
    };
    let cases = [
        (with_trade(wire::ImportedTrade { order_id: "1".repeat(65), ..fill(1) }), "batch.trades[0].order_id"),
        (with_trade(wire::ImportedTrade { order_id: "1\0".to_owned(), ..fill(1) }), "batch.trades[0].order_id"),
        (with_trade(wire::ImportedTrade { isin: "1".repeat(5_000), ..fill(1) }), "batch.trades[0].isin"),
        (with_trade(wire::ImportedTrade { isin: "INE154A0102\0".to_owned(), ..fill(1) }), "batch.trades[0].isin"),
        (with_format(""), "head.format"),
        (with_format("Zerodha"), "head.format"),
        (with_format("zerodha\0"), "head.format"),
        (with_format(&"z".repeat(41)), "head.format"),
        (parts(3_001), "trades"),
    ];
    for (parts, field) in cases {
        assert_eq!(field_of(&send_import(&mut client, parts).await.unwrap_err()), field);
        assert_eq!(list(&mut client, None).await.0.total, 0);
    }
    assert_eq!(send_import(&mut client, parts(3_000)).await.unwrap().added, 3_000);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_import_that_times_out_releases_its_connection(pool: PgPool) {
    // The pool for imports has one connection, so the next import waits until it is released.
    let one = pool.options().clone().max_connections(1).acquire_timeout(Duration::from_secs(2));
    let imports = one.connect_lazy_with(pool.connect_options().as_ref().clone());
    let short = Duration::from_millis(400);
    let (part_timeout, stream_timeout) = (
        StreamLimits { part_timeout: short, ..StreamLimits::default() },
        StreamLimits { stream_timeout: short, ..StreamLimits::default() },
    );
    // One batch and then a pause without end, or batches without a pause.
    for (limits, pauses) in [(part_timeout, true), (stream_timeout, true), (stream_timeout, false)] {
        let mut client = client_with_limits(&imports, Uuid::from_u128(1), limits);
        let batches = futures_util::stream::iter(0_i64..).then(move |n| async move {
            if pauses && n > 0 {
                std::future::pending::<()>().await;
            }
            import_batch(vec![fill(n)])
        });
        let parts = tokio_stream::iter([import_head(ZERODHA_EQUITY)]).chain(batches);
        let messages = parts.map(|part| wire::ImportTradesRequest { part: Some(part) });
        let response = tokio::time::timeout(short * 20, client.import_trades(messages)).await;
        let status = response.expect("the import did not end").unwrap_err();
        assert_eq!(tonic_types::StatusExt::get_details_error_info(&status).unwrap().reason, "INCOMPLETE_STREAM");
        assert_eq!(list(&mut client, None).await.0.total, 0);
    }
    let mut client = client_as(&imports, Uuid::from_u128(1));
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await.added, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_panicking_import_reveals_no_internal_details(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    // Without a socket, the stream is polled in the task of the import.
    let panicking = futures_util::stream::once(async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        panic!("internal details")
    });
    let first = wire::ImportTradesRequest { part: Some(import_head(ZERODHA_EQUITY)) };
    let status = client.import_trades(tokio_stream::iter([first]).chain(panicking)).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert_eq!(tonic_types::StatusExt::get_details_error_info(&status).unwrap().reason, "INTERNAL");
    assert_eq!(status.message(), "INTERNAL");
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_imports_of_one_book_add_each_trade_once(pool: PgPool) {
    let client = client_as(&pool, Uuid::from_u128(1));
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

/// File of a split: the numbers of its fills in their order, and true if it is previewed first.
type Part = (Vec<i64>, bool);

/// Generates overlapping files in random order that together contain all of `count` fills.
fn split() -> impl Strategy<Value = (i64, Vec<Part>)> {
    (1..60_i64).prop_flat_map(|count| {
        let all: Vec<i64> = (0..count).collect();
        let subset = prop::sample::subsequence(all.clone(), 0..=all.len()).prop_shuffle();
        let files = prop::collection::vec((subset, any::<bool>()), 1..6);
        (Just(count), files, Just(all).prop_shuffle(), any::<prop::sample::Index>()).prop_map(
            |(count, mut files, order, last)| {
                // Fills that are in no file are added to one of them.
                let missing = order.into_iter().filter(|n| files.iter().all(|(file, _)| !file.contains(n)));
                let missing: Vec<i64> = missing.collect();
                let last = last.index(files.len());
                files[last].0.extend(missing);
                (count, files)
            },
        )
    })
}

/// Returns the trades of the log without their numbers.
async fn book_without_ids(client: &mut Client) -> Vec<wire::Trade> {
    list(client, None).await.1.into_iter().map(|trade| wire::Trade { id: 0, ..trade }).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn any_split_into_overlapping_files_gives_the_book_of_the_whole_file(pool: PgPool) {
    let handle = Handle::current();
    let cases = tokio::task::spawn_blocking(move || {
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        runner.run(&split(), |(count, files)| {
            handle.block_on(async {
                let (mut once, mut parts) = (client_as(&pool, Uuid::new_v4()), client_as(&pool, Uuid::new_v4()));
                import(&mut once, ZERODHA_EQUITY, &fills(0..count)).await;
                let mut added = 0;
                for (numbers, is_previewed) in files {
                    let file: Vec<_> = numbers.into_iter().map(fill).collect();
                    added += if is_previewed {
                        let shown = preview(&mut parts, ZERODHA_EQUITY, &file).await;
                        let request = commit_request(&shown, wire::Resolution::Unspecified);
                        commit(&mut parts, request).await.unwrap().unwrap().result.unwrap().added
                    } else {
                        import(&mut parts, ZERODHA_EQUITY, &file).await.added
                    };
                }
                prop_assert_eq!(added, count);
                prop_assert_eq!(book_without_ids(&mut parts).await, book_without_ids(&mut once).await);
                Ok(())
            })
        })
    });
    if let Err(failure) = cases.await.unwrap() {
        panic!("{failure}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn importing_a_file_again_fills_missing_series_and_isins(pool: PgPool) {
    let with_details = |n: i64| wire::ImportedTrade {
        isin: "INE009A01021".to_owned(),
        series: "BE".to_owned(),
        auction: n == 2,
        ..fill(n)
    };
    for is_previewed in [false, true] {
        let mut client = client_as(&pool, Uuid::new_v4());
        import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
        let (head, before) = list(&mut client, None).await;
        let renamed = wire::Trade { symbol: "OTHER".to_owned(), ..before[0].clone() };
        update(&mut client, renamed, &["symbol"]).await.unwrap();
        let (edited_head, edited) = list(&mut client, None).await;
        assert_eq!((edited_head.version, edited[1].series.as_str()), (head.version + 1, ""));
        let file: Vec<_> = (0..3).map(with_details).collect();
        let imported = async |client: &mut Client| {
            if is_previewed {
                let shown = preview(client, ZERODHA_EQUITY, &file).await;
                let request = commit_request(&shown, wire::Resolution::Unspecified);
                commit(client, request).await.unwrap().unwrap().result.unwrap()
            } else {
                import(client, ZERODHA_EQUITY, &file).await
            }
        };
        let filled = imported(&mut client).await;
        assert_eq!((filled.added, filled.duplicates), (0, 3), "previewed: {is_previewed}");
        // A client with the previous version reads the trades again.
        assert_eq!(filled.head.unwrap().version, edited_head.version + 1);
        assert!(list_changed(&mut client, edited_head.version).await.full_reload_required);
        let (_, after) = list(&mut client, None).await;
        // The renamed trade is another share now, and the others differ in the details only.
        assert_eq!(after[0], edited[0]);
        for (after, before) in after.iter().zip(&edited).skip(1) {
            let isin = "INE009A01021".to_owned();
            assert_eq!(*after, wire::Trade { isin, series: "BE".to_owned(), auction: false, ..before.clone() });
        }
        // A third import changes nothing, and undoing the second keeps the details and the trades.
        assert_eq!(imported(&mut client).await.head.unwrap().version, edited_head.version + 1);
        let undo = wire::UndoChangeRequest { change_id: filled.change_id, expected_newer_changes: 1 };
        client.undo_change(undo).await.unwrap();
        assert_eq!(list(&mut client, None).await.1, after);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_undo_restores_the_series_of_removed_trades(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let file: Vec<_> =
        (0..3).map(|n| wire::ImportedTrade { series: "XT".to_owned(), auction: n == 1, ..fill(n) }).collect();
    import(&mut client, ZERODHA_EQUITY, &file).await;
    let (_, before) = list(&mut client, None).await;
    assert_eq!(
        before.iter().map(|trade| (&*trade.series, trade.auction)).collect::<Vec<_>>(),
        [("XT", false), ("XT", true), ("XT", false)]
    );
    client.delete_trade(wire::DeleteTradeRequest { id: before[1].id, pair: false }).await.unwrap();
    let changes = client.list_changes(wire::ListChangesRequest::default()).await.unwrap().into_inner().changes;
    let undo = wire::UndoChangeRequest { change_id: changes[0].id, expected_newer_changes: 0 };
    client.undo_change(undo).await.unwrap();
    assert_eq!(list(&mut client, None).await.1, before);
}
