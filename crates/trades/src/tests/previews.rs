//! Previews of imports and their commit.

use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use super::*;

const UNDECIDED: wire::Resolution = wire::Resolution::Unspecified;

/// Returns the `n`th fill after the broker corrected its price.
fn corrected(n: i64) -> wire::ImportedTrade {
    wire::ImportedTrade { price: "88.5".to_owned(), ..fill(n) }
}

fn contract() -> wire::Contract {
    wire::Contract {
        underlying: "NIFTY".to_owned(),
        expiry: "2025-06-05".to_owned(),
        kind: wire::ContractKind::Put.into(),
        strike: "24750.5".to_owned(),
    }
}

async fn commit_and_unwrap(client: &mut Client, request: wire::CommitPreviewRequest) -> wire::ImportTradesResponse {
    commit(client, request).await.unwrap().unwrap().result.unwrap()
}

async fn get(client: &mut Client, preview_id: &str) -> Result<wire::Preview, Status> {
    get_in_batch(client, preview_id, &[]).await
}

async fn get_in_batch(client: &mut Client, preview_id: &str, batch: &[&str]) -> Result<wire::Preview, Status> {
    let batch_preview_ids = batch.iter().map(|id| (*id).to_owned()).collect();
    let request = wire::GetPreviewRequest { preview_id: preview_id.to_owned(), batch_preview_ids };
    Ok(client.get_preview(request).await?.into_inner().preview.unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_preview_changes_nothing_and_its_commit_imports_what_it_showed(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..100)).await;
    let mut file = fills(50..3_000);
    file.push(fill(60));
    file[2_000].symbol = "RENAMED".to_owned();
    file.iter_mut().zip(1..).for_each(|(trade, row)| trade.row = row);
    let before = list(&mut client, None).await;
    let preview = preview(&mut client, ZERODHA_EQUITY, &file).await;
    assert_eq!((preview.added, preview.duplicates, preview.conflict_count), (2_900, 51, 0));
    assert_eq!((preview.first_executed_at, preview.last_executed_at), (fill(50).executed_at, fill(2_999).executed_at));
    let shown: Vec<_> = preview.sample.iter().map(|row| (row.trade.clone().unwrap().row, row.outcome())).collect();
    assert_eq!(shown, (1..=50).map(|row| (row, wire::PreviewOutcome::Duplicate)).collect::<Vec<_>>());
    assert_eq!(list(&mut client, None).await, before);
    assert_eq!(get(&mut client, &preview.id).await.unwrap(), preview);

    let request = commit_request(&preview, UNDECIDED);
    let first = commit_and_unwrap(&mut client, request.clone()).await;
    assert_eq!((first.added, first.duplicates, first.import_id), (2_900, 51, 2));
    let log = list(&mut client, None).await;
    assert_eq!((log.0.total, log.0.version), (3_000, before.0.version + 1));

    let symbols = client.list_symbols(wire::ListSymbolsRequest { text: String::new(), page_size: 5 }).await.unwrap();
    assert_eq!(symbols.into_inner().symbols, ["INFY", "M&M", "RENAMED", "tatasteel"]);

    let again = commit_and_unwrap(&mut client, request).await;
    assert_eq!(wire::ImportTradesResponse { replayed: false, ..again }, first);
    assert!(is_log(&mut client, &log).await);
    assert_eq!(reason_of(&get(&mut client, &preview.id).await.unwrap_err()), "PREVIEW_NOT_FOUND");

    // The result equals one import of the whole file.
    let mut other = client_as(&pool, Uuid::from_u128(2));
    let whole: Vec<_> = fills(0..50).into_iter().chain(file.into_iter().take(2_950)).collect();
    import(&mut other, ZERODHA_EQUITY, &whole).await;
    assert_eq!(list(&mut other, None).await.1, log.1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_saved_preview_response_is_returned_until_the_next_write(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let shown = preview(&mut client, ZERODHA_EQUITY, &fills(0..20)).await;
    // Without these rows, no comparison is possible.
    sqlx::query("delete from trades.preview_trade").execute(&pool).await.unwrap();
    assert_eq!(get(&mut client, &shown.id).await.unwrap(), shown);
    add(&mut client, ZERODHA_EQUITY, manual_trade(0)).await;
    let compared = get(&mut client, &shown.id).await.unwrap();
    assert_eq!((compared.added, compared.sample.len()), (0, 0));
    assert_eq!(get(&mut client, &shown.id).await.unwrap(), compared);

    // Resolving a conflict in one preview resolves it in the others, although no trade changes.
    import(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    let first = preview(&mut client, ZERODHA_EQUITY, &[corrected(0)]).await;
    let second = preview(&mut client, ZERODHA_EQUITY, &[corrected(0), fill(1)]).await;
    assert_eq!((first.conflict_count, get(&mut client, &second.id).await.unwrap().conflict_count), (1, 1));
    let version = list(&mut client, None).await.0.version;
    let count_rows = commit_and_unwrap(&mut client, commit_request(&first, wire::Resolution::Keep)).await;
    assert_eq!((count_rows.corrected, count_rows.head.unwrap().version), (0, version));
    assert_eq!(get(&mut client, &second.id).await.unwrap().conflict_count, 0);
}

async fn is_log(client: &mut Client, log: &(wire::TradesHead, Vec<wire::Trade>)) -> bool {
    list(client, None).await == *log
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_commit_imports_nothing_if_the_result_would_differ_from_the_preview(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let shown = preview(&mut client, ZERODHA_EQUITY, &fills(0..20)).await;
    // A manual trade changes the book but not the result of the import.
    add(&mut client, ZERODHA_EQUITY, manual_trade(0)).await;
    import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
    let changed = commit(&mut client, commit_request(&shown, UNDECIDED)).await.unwrap().unwrap_err();
    assert_eq!((changed.added, changed.duplicates, &changed.id), (15, 5, &shown.id));
    assert_eq!(list(&mut client, None).await.0.total, 6);
    // Without a state, the commit applies to the preview returned last.
    let blind = wire::CommitPreviewRequest { state: String::new(), ..commit_request(&shown, UNDECIDED) };
    assert_eq!(commit_and_unwrap(&mut client, blind).await.added, 15);

    let shown = preview(&mut client, GROWW_EQUITY, &fills(0..3)).await;
    add(&mut client, GROWW_EQUITY, manual_trade(1)).await;
    assert_eq!(commit_and_unwrap(&mut client, commit_request(&shown, UNDECIDED)).await.added, 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_correction_of_the_broker_is_a_conflict_until_it_is_resolved(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..4)).await;
    let before = list(&mut client, None).await.1;
    // The trader edited fill 0 as well.
    let mine =
        edit(&mut client, before[3].id, wire::NewTrade { price: "5".to_owned(), ..manual_trade(0) }).await.unwrap();
    let file = [corrected(0), corrected(1), corrected(2), fill(3)];

    let direct = import(&mut client, ZERODHA_EQUITY, &file).await;
    assert_eq!((direct.added, direct.duplicates, direct.conflicts, direct.corrected), (0, 4, 3, 0));

    let shown = preview(&mut client, ZERODHA_EQUITY, &file).await;
    assert_eq!((shown.added, shown.duplicates, shown.conflict_count), (0, 4, 3));
    let version = list(&mut client, None).await.0.version;
    let conflict = &shown.conflicts[0];
    assert_eq!(conflict.trade, mine.trade);
    assert_eq!(conflict.previous.as_ref().unwrap().price, "1.05");
    assert_eq!(
        (&*conflict.corrected.as_ref().unwrap().price, &*conflict.corrected.as_ref().unwrap().value),
        ("88.5", "88.5")
    );
    let id = |n: usize| shown.conflicts[n].trade.as_ref().unwrap().id;
    let choose = |trade_id, resolution: wire::Resolution| wire::Choice { trade_id, resolution: resolution.into() };
    let choices = vec![choose(id(0), wire::Resolution::Keep), choose(id(1), wire::Resolution::Replace)];
    let request = wire::CommitPreviewRequest { choices, ..commit_request(&shown, UNDECIDED) };
    let done = commit_and_unwrap(&mut client, request).await;
    assert_eq!((done.added, done.corrected, done.conflicts), (0, 1, 1));
    assert_eq!(done.head.unwrap().version, version + 1);
    let prices: Vec<_> = list(&mut client, None).await.1.into_iter().map(|trade| (trade.price, trade.edited)).collect();
    let price = |price: &str, edited| (price.to_owned(), edited);
    // The edit moved fill 0 to a later time than the others.
    assert_eq!(prices, [price("5", true), price("4.05", false), price("3.05", false), price("88.5", false)]);

    // Resolved conflicts are not reported again; the unresolved one is.
    let again = preview(&mut client, ZERODHA_EQUITY, &file).await;
    assert_eq!((again.conflict_count, again.conflicts[0].trade.as_ref().unwrap().id), (1, id(2)));
    // Undoing the commit restores the conflicts.
    undo(&mut client, done.change_id, 0).await.unwrap();
    assert_eq!(preview(&mut client, ZERODHA_EQUITY, &file).await.conflict_count, 3);

    // An edit of the trader is no conflict.
    let untouched = preview(&mut client, ZERODHA_EQUITY, &fills(0..4)).await;
    assert_eq!((untouched.conflict_count, untouched.duplicates), (0, 4));
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_invalid_commit(pool: PgPool) {
    let (mut client, mut other) = (client_as(&pool, Uuid::from_u128(1)), client_as(&pool, Uuid::from_u128(2)));
    let shown = preview(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    let request = commit_request(&shown, UNDECIDED);
    let choice = wire::Choice { trade_id: 1, resolution: wire::Resolution::Replace.into() };
    for choices in [vec![choice], vec![choice; 2], vec![choice; 1_001]] {
        let status = commit(&mut client, wire::CommitPreviewRequest { choices, ..request.clone() }).await.unwrap_err();
        assert_eq!(field_of(&status), "choices");
    }
    for preview_id in ["", "x", "00000000-0000-0000-0000-000000000000"] {
        let request = wire::CommitPreviewRequest { preview_id: preview_id.to_owned(), ..request.clone() };
        let status = commit(&mut client, request).await.unwrap_err();
        assert_eq!((status.code(), &*reason_of(&status)), (Code::NotFound, "PREVIEW_NOT_FOUND"));
    }
    assert_eq!(reason_of(&commit(&mut other, request).await.unwrap_err()), "PREVIEW_NOT_FOUND");
    assert_eq!(reason_of(&get(&mut other, &shown.id).await.unwrap_err()), "PREVIEW_NOT_FOUND");
    assert_eq!(list(&mut client, None).await.0.total, 0);
}

/// Returns the numbers of previews and of their trades.
async fn count_rows(pool: &PgPool) -> (i64, i64) {
    let count = "select (select count(*) from trades.preview), (select count(*) from trades.preview_trade)";
    sqlx::query_as(count).fetch_one(pool).await.unwrap()
}

#[sqlx::test(migrations = "../../migrations")]
async fn previews_are_deleted_after_an_hour_and_above_the_limits(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let first = preview(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    for _ in 0..24 {
        preview(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    }
    assert_eq!(count_rows(&pool).await, (24, 48));
    assert_eq!(reason_of(&get(&mut client, &first.id).await.unwrap_err()), "PREVIEW_NOT_FOUND");

    let last = preview(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    sqlx::query("update trades.preview set trades = 999999").execute(&pool).await.unwrap();
    let newest = preview(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
    assert_eq!(count_rows(&pool).await, (1, 2));
    assert_eq!(reason_of(&get(&mut client, &last.id).await.unwrap_err()), "PREVIEW_NOT_FOUND");

    sqlx::query("update trades.preview set expires_at = now() - interval '1 second'").execute(&pool).await.unwrap();
    assert_eq!(reason_of(&get(&mut client, &newest.id).await.unwrap_err()), "PREVIEW_NOT_FOUND");
    assert_eq!(
        reason_of(&commit(&mut client, commit_request(&newest, UNDECIDED)).await.unwrap_err()),
        "PREVIEW_NOT_FOUND"
    );
    crate::delete_expired_rows(&pool).await.unwrap();
    assert_eq!(count_rows(&pool).await, (0, 0));
}

/// Returns a trade of the `n`th day, at nine in the morning in India.
fn trade_on_day(n: i64, side: wire::Side, quantity: i64) -> wire::ImportedTrade {
    wire::ImportedTrade {
        side: side.into(),
        symbol: "TCS".to_owned(),
        quantity: quantity.to_string(),
        executed_at: Some(prost_types::Timestamp {
            seconds: 1_750_000_000 / 86_400 * 86_400 + n * 86_400 + 12_600,
            nanos: 0,
        }),
        source_key: format!("{n}/{side:?}/{quantity}"),
        ..fill(0)
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_uncovered_sale_is_imported_with_a_warning(pool: PgPool) {
    let (buy, sell) = (wire::Side::Buy, wire::Side::Sell);
    let mut client = client_as(&pool, Uuid::from_u128(1));
    // Sold before it was bought, on the same day.
    let intraday = [trade_on_day(0, sell, 5), trade_on_day(0, buy, 5)];
    let shown = preview(&mut client, ZERODHA_EQUITY, &intraday).await;
    assert_eq!((shown.warning_count, shown.warnings.len()), (0, 0));
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &intraday).await.warning_count, 0);

    let short = [trade_on_day(2, sell, 12), trade_on_day(1, buy, 10), trade_on_day(4, sell, 3)];
    let shown = preview(&mut client, ZERODHA_EQUITY, &short).await;
    let [warning] = &*shown.warnings else { panic!("{:?}", shown.warnings) };
    assert_eq!((&*warning.code, &*warning.value, warning.row), ("sale_without_purchase", "TCS", 0));
    let text = texts::text("trades", &format!("issue.{}", warning.code), &warning.params).unwrap();
    assert!(text.starts_with("By 17 Jun 2025 this book has sold 2 TCS more than it bought."), "{text}");
    let request = commit_request(&shown, UNDECIDED);
    let done = commit_and_unwrap(&mut client, request.clone()).await;
    assert_eq!((done.added, &done.warnings, done.warning_count), (3, &shown.warnings, 1));
    assert_eq!(commit_and_unwrap(&mut client, request).await.warnings, shown.warnings);

    // Repeated trades are not new sales, and futures and options may be sold first.
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &short).await.warning_count, 0);
    assert_eq!(import(&mut client, ZERODHA_FNO, &short).await.warning_count, 0);
    // The shares were not bought in the other broker's book.
    assert_eq!(import(&mut client, GROWW_EQUITY, &short[..1]).await.warning_count, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn t10_a_sale_is_covered_by_the_purchase_in_another_file_of_the_batch(pool: PgPool) {
    let (buy, sell) = (wire::Side::Buy, wire::Side::Sell);
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let sales = preview(&mut client, ZERODHA_EQUITY, &[trade_on_day(5, sell, 10), trade_on_day(6, sell, 4)]).await;
    assert_eq!(sales.warnings.iter().map(|warning| &*warning.value).collect::<Vec<_>>(), ["TCS"]);
    let purchases = preview(&mut client, ZERODHA_EQUITY, &[trade_on_day(1, buy, 8)]).await;
    // The second file repeats trades of the first, which are not counted twice.
    let more = [trade_on_day(1, buy, 8), trade_on_day(6, sell, 4), trade_on_day(2, buy, 6)];
    let more = preview(&mut client, ZERODHA_EQUITY, &more).await;
    let other_book = preview(&mut client, GROWW_EQUITY, &[trade_on_day(1, buy, 90)]).await;

    let warnings = |preview: &wire::Preview| {
        let quantity = |warning: &wire::Issue| warning.params["quantity"].clone();
        preview.warnings.iter().map(quantity).collect::<Vec<_>>()
    };
    let shown = get_in_batch(&mut client, &sales.id, &[&purchases.id, &other_book.id, &sales.id]).await.unwrap();
    assert_eq!((warnings(&shown), shown.warning_count, &shown.state), (vec!["2".to_owned()], 1, &sales.state));
    let shown = get_in_batch(&mut client, &sales.id, &[&purchases.id, &more.id]).await.unwrap();
    assert_eq!((warnings(&shown), shown.warning_count), (vec![], 0));
    // Without the batch the first result is unchanged.
    assert_eq!(get(&mut client, &sales.id).await.unwrap(), sales);

    // The previews of another account, unknown and too many previews.
    let mut stranger = client_as(&pool, Uuid::from_u128(2));
    let foreign = preview(&mut stranger, ZERODHA_EQUITY, &[trade_on_day(1, buy, 90)]).await;
    let shown = get_in_batch(&mut client, &sales.id, &[&foreign.id, &Uuid::nil().to_string()]).await.unwrap();
    assert_eq!(warnings(&shown), ["10"]);
    assert_eq!(get_in_batch(&mut stranger, &sales.id, &[&purchases.id]).await.unwrap_err().code(), Code::NotFound);
    let many = vec![&*purchases.id; 25];
    assert_eq!(get_in_batch(&mut client, &sales.id, &many).await.unwrap_err().code(), Code::InvalidArgument);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_stated_contract_is_kept_until_the_symbol_changes(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let future = wire::Contract { kind: wire::ContractKind::Future.into(), strike: String::new(), ..contract() };
    let with_contract = |n, contract| wire::ImportedTrade { contract: Some(contract), ..fill(n) };
    import(&mut client, ZERODHA_FNO, &[with_contract(0, contract()), fill(1)]).await;
    let file = [with_contract(2, future.clone()), fill(3), with_contract(4, contract())];
    let shown = preview(&mut client, ZERODHA_FNO, &file).await;
    assert_eq!(shown.sample[2].trade.as_ref().unwrap().contract, Some(contract()));
    commit_and_unwrap(&mut client, commit_request(&shown, UNDECIDED)).await;
    let trades = list(&mut client, None).await.1;
    let contracts: Vec<_> = trades.iter().map(|trade| trade.contract.clone()).collect();
    assert_eq!(contracts, [Some(contract()), None, Some(future), None, Some(contract())]);
    assert_eq!(query(&mut client, page_of(1)).await.trades[0].contract, Some(contract()));

    let same = wire::NewTrade { symbol: trades[4].symbol.clone(), ..manual_trade(0) };
    let edited = edit(&mut client, trades[4].id, same).await.unwrap();
    assert_eq!(edited.trade.unwrap().contract, Some(contract()));
    let other = edit(&mut client, trades[4].id, manual_trade(0)).await.unwrap();
    assert_eq!(other.trade.unwrap().contract, None);
    undo(&mut client, edited.change_id, 1).await.unwrap();
    assert_eq!(list(&mut client, None).await.1, trades);

    let invalid_contract = wire::Contract { strike: "0".to_owned(), ..contract() };
    let parts = vec![import_head(ZERODHA_FNO), import_batch(vec![with_contract(9, invalid_contract)]), import_end(1)];
    assert_eq!(field_of(&send_import(&mut client, parts).await.unwrap_err()), "batch.trades[0].contract.strike");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_history_contains_the_counts_of_the_file_and_of_the_import(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let first_import = changes(&mut client).await.remove(0).import.unwrap();
    assert_eq!((first_import.rows, first_import.errors, first_import.warnings), (None, None, 1));
    assert!(first_import.duration_ms.is_some());

    let issue = wire::Issue { row: 9, code: "price_missing".to_owned(), ..wire::Issue::default() };
    let issues = wire::FileIssues {
        rows: 8,
        errors: vec![issue.clone()],
        error_count: 1,
        warnings: vec![issue],
        warning_count: 2,
        format_title: "Zerodha tradebook".to_owned(),
        skipped_rows: 1,
        unusual_count: 1,
        other_segment_rows: 2,
        contract_notes: 3,
        days_with_charges: 4,
        signature: None,
    };
    let file = [corrected(0), corrected(2), fill(3), fill(4)];
    let shown = preview_with(&mut client, ZERODHA_EQUITY, &file, issues.clone()).await;
    assert_eq!(shown.issues, Some(issues.clone()));
    sqlx::query("update trades.preview set parse_ms = 100000").execute(&pool).await.unwrap();
    let choice = wire::Choice { trade_id: shown.conflicts[0].trade.as_ref().unwrap().id, resolution: 2 };
    let request = wire::CommitPreviewRequest { choices: vec![choice], ..commit_request(&shown, UNDECIDED) };
    let done = commit(&mut client, request).await.unwrap().unwrap();
    assert_eq!((done.issues, done.book), (Some(issues), Some(ZERODHA_EQUITY)));

    let change = changes(&mut client).await.remove(0);
    assert_eq!((change.added, change.removed), (2, 1));
    let import = change.import.unwrap();
    assert_eq!(
        (&*import.file_name, import.file_sha256.len(), &*import.format),
        ("tradebook.xlsx", 32, "zerodha-tradebook")
    );
    assert_eq!((import.rows, import.errors, import.duplicates), (Some(8), Some(1), 2));
    assert_eq!((import.conflicts, import.corrected), (1, 1));
    // Two warnings of the parser, and one for an uncovered sale of INFY.
    assert_eq!((done.result.unwrap().warning_count, import.warnings), (1, 3));
    assert_eq!((import.first_executed_at, import.last_executed_at), (fill(0).executed_at, fill(4).executed_at));
    // Time of parsing and of storing.
    assert!((100_001..130_000).contains(&import.duration_ms.unwrap()), "{import:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_comparisons_of_one_account_are_limited_and_end_with_their_caller(pool: PgPool) {
    let few = pool.options().clone().max_connections(2).acquire_timeout(Duration::from_millis(500));
    let few = few.connect_lazy_with(pool.connect_options().as_ref().clone());
    // Comparisons use the pool for imports only.
    let server = crate::server(crate::Pools { requests: few.clone(), ..pools(&pool) });
    let mut asha = client_of(server, Uuid::from_u128(1));
    let shown = preview(&mut asha, ZERODHA_EQUITY, &fills(0..20)).await;
    add(&mut asha, ZERODHA_EQUITY, manual_trade(0)).await;
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("lock table trades.preview_trade").execute(&mut *lock).await.unwrap();
    let comparisons: Vec<_> = (0..40)
        .map(|_| {
            let (mut asha, id) = (asha.clone(), shown.id.clone());
            tokio::spawn(async move { get(&mut asha, &id).await.map(drop) })
        })
        .collect();
    let waiting = "select count(*) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
    let count_waiting = async || sqlx::query_scalar::<_, i64>(waiting).fetch_one(&pool).await.unwrap();
    while count_waiting().await == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(count_waiting().await, 1);
    assert_eq!(comparisons.iter().filter(|comparison| !comparison.is_finished()).count(), 2, "one runs, one waits");
    list(&mut asha, None).await;
    for comparison in comparisons {
        comparison.abort();
        let _ = comparison.await;
    }
    lock.rollback().await.unwrap();
    assert!(get(&mut asha, &shown.id).await.is_ok(), "an abandoned comparison kept its permit");
}
