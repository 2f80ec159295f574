//! Reading the trade log: the whole list, pages, filters, ETags and index use.

use std::time::Duration;

use std::collections::BTreeSet;

use axum::body::Body;
use http::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::app::{App, Trader, Upload};
use crate::broker_files::{Fill, groww_xlsx, zerodha_csv, zerodha_xlsx};
use crate::trades::SendJson;

async fn trader_with_trades<'a>(app: &'a App) -> Trader<'a> {
    let trader = app.register_trader().await;
    let zerodha: Vec<Fill> = (0..120).map(Fill::nth).collect();
    let groww: Vec<Fill> = (500..540).map(Fill::nth).collect();
    trader.upload(&Upload::new("z.xlsx", &zerodha_xlsx(&zerodha), "zerodha")).await;
    trader.upload(&Upload::new("g.xlsx", &groww_xlsx(&groww), "groww")).await;
    trader
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_empty_log_has_the_details_of_the_trader(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let record = trader.get(&format!("/api/v1/trades/client?email={}", trader.email.to_uppercase())).await.json();
    assert_eq!((&record["name"], &record["email"]), (&json!("Asha Rao"), &json!(trader.email)));
    assert_eq!((&record["phoneNumber"], &record["tradetype"]), (&json!(trader.phone), &json!(null)));
    assert_eq!((&record["trades"], &record["total"]), (&json!([]), &json!(0)));
    trader.get("/trades/client?email=somebody@example.in").await.expect_problem(403, "email_mismatch");
}

#[sqlx::test(migrations = "../../migrations")]
async fn cursor_pages_cover_the_whole_log(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = trader_with_trades(&app).await;
    let mut ids = BTreeSet::new();
    let mut next = String::new();
    for page in 0..4 {
        let record = trader.get(&format!("/trades/client?limit=50{next}")).await.json();
        assert_eq!(record["total"], 160);
        let trades = record["trades"].as_array().unwrap();
        assert_eq!(trades.len(), if page == 3 { 10 } else { 50 });
        ids.extend(trades.iter().map(|trade| trade["_id"].as_str().unwrap().to_owned()));
        next = record["nextCursor"].as_str().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        assert_eq!(next.is_empty(), page == 3);
    }
    assert_eq!(ids.len(), 160);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_server_filters_and_sorts(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = trader_with_trades(&app).await;
    for (query, total) in [
        ("broker=groww", 40),
        ("type=sell", 80),
        ("q=tata", 32),
        ("search=tata", 32),
        ("search=tata&type=buy", 16),
        ("search=%25", 0),
        ("tradetype=fno", 0),
        // The first day in India ends at 3:24 pm: the 120 fills of Zerodha.
        ("from=2000-01-01&to=2000-01-01", 120),
        ("from=2000-01-02", 40),
        ("type=buy&broker=zerodha&q=M%26M", 12),
    ] {
        assert_eq!(trader.get(&format!("/trades/client?{query}")).await.json()["total"], total, "{query}");
    }
    let prices = |record: serde_json::Value| -> Vec<f64> {
        record["trades"].as_array().unwrap().iter().map(|trade| trade["price"].as_f64().unwrap()).collect()
    };
    let highest_first = prices(trader.get("/trades/client?sort=-price&limit=500").await.json());
    assert!(highest_first.len() == 160 && highest_first.is_sorted_by(|a, b| a >= b), "{highest_first:?}");
    let lowest_first = prices(trader.get("/trades/client?sort=price").await.json());
    assert!(lowest_first.len() == 100 && lowest_first.is_sorted());
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_invalid_query_names_its_field(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=many", "limit"),
        ("cursor=nonsense", "cursor"),
        ("sort=colour", "sort"),
        ("type=hold", "type"),
        ("broker=other", "broker"),
        ("tradetype=crypto", "tradetype"),
        ("from=yesterday", "from"),
        ("to=2025-06-31", "to"),
        ("search=a%00b", "search"),
        ("search=a%0Ab", "search"),
        (format!("search={}", "a".repeat(101)).as_str(), "search"),
    ] {
        let refused = trader.get(&format!("/trades/client?{query}")).await.expect_problem(422, "invalid").json();
        assert_eq!(refused["errors"][0]["field"], field, "{query}: {refused:#}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unchanged_log_is_not_sent_again(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = trader_with_trades(&app).await;
    let conditional_request = |path: &'static str, etag: String| {
        trader.request(Method::GET, path).header("if-none-match", etag).body(Body::empty()).unwrap()
    };
    for path in ["/trades/client", "/trades/client?limit=10", "/trades/client?q=tata"] {
        let first = trader.get(path).await;
        assert_eq!(first.headers["cache-control"], "private, no-cache");
        let etag = first.headers["etag"].to_str().unwrap().to_owned();
        let again = app.send(conditional_request(path, etag.clone())).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{path}");
        assert_eq!(app.send(conditional_request(path, "\"other\"".to_owned())).await.status, 200);
    }
    let whole = trader.get("/trades/client").await.headers["etag"].to_str().unwrap().to_owned();
    trader.upload(&Upload::new("z.xlsx", &zerodha_xlsx(&[Fill::nth(900)]), "zerodha")).await;
    assert_eq!(app.send(conditional_request("/trades/client", whole)).await.status, 200);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_page_is_read_by_index_without_statistics(pool: PgPool) {
    let pool = single_connection_pool(&pool).await;
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fills: Vec<Fill> = (0..20_000).map(Fill::nth).collect();
    trader.upload(&Upload::new("z.csv", &zerodha_csv(&fills), "zerodha")).await;
    for query in ["limit=100", "limit=100&sort=timestamp"] {
        // Resets the counter, which includes the reads of the upload.
        take_index_reads(&pool).await;
        assert_eq!(
            trader.get(&format!("/trades/client?{query}")).await.json()["trades"].as_array().unwrap().len(),
            100
        );
        let read = take_index_reads(&pool).await;
        assert!((100..=500).contains(&read), "{query} read {read} entries");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_search_finds_notes_of_the_own_account_and_reads_only_trades_with_notes(pool: PgPool) {
    let pool = single_connection_pool(&pool).await;
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let fills: Vec<Fill> = (0..5_000).map(Fill::nth).collect();
    for trader in [&trader, &other] {
        trader.upload(&Upload::new("z.csv", &zerodha_csv(&fills), "zerodha")).await;
        let page = trader.get("/trades/client?limit=3").await.json();
        for (trade, notes) in page["trades"].as_array().unwrap().iter().zip(["Late #fomo", "#fomo-2", "Late"]) {
            let path = format!("/trades/{}", trade["_id"].as_str().unwrap());
            assert_eq!(trader.send_json(&app, Method::PATCH, &path, &json!({ "notes": notes })).await.status, 200);
        }
    }
    for (search, total) in
        [("%23FOMO", 1), ("fomo", 2), ("late", 2), ("late+%23fomo", 1), ("late+%23fomo&sort=price", 1)]
    {
        take_index_reads(&pool).await;
        let page = trader.get(&format!("/trades/client?search={search}")).await.json();
        assert_eq!(page["total"], total, "{search}");
        let read = take_index_reads(&pool).await;
        assert!((2..=50).contains(&read), "{search} read {read} entries");
    }
    let file = trader.get("/trades/export?search=%23fomo").await;
    // A line after the header.
    assert_eq!(String::from_utf8(file.body.to_vec()).unwrap().trim_end().lines().count(), 2);
}

/// Returns a pool with a single connection, so that its statistics can be written.
async fn single_connection_pool(pool: &PgPool) -> PgPool {
    let options = db::with_session_limits(&pool.connect_options(), "30s");
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    sqlx::query("alter table trades.trade set (autovacuum_enabled = off)").execute(&pool).await.unwrap();
    pool
}

/// Returns the number of index entries of trades read since the last call. Ends the other connections, which writes their
/// statistics.
async fn take_index_reads(pool: &PgPool) -> i64 {
    let others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    let end = format!("select count(pg_terminate_backend(pid)) {others}");
    sqlx::query(sqlx::AssertSqlSafe(end)).execute(pool).await.unwrap();
    let count = format!("select count(*) {others}");
    while sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(count.as_str())).fetch_one(pool).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Afterwards, the pool of reads checks its connections.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    sqlx::query("select pg_stat_force_next_flush()").execute(pool).await.unwrap();
    let read = "select sum(idx_tup_read)::bigint from pg_stat_user_indexes where relname = 'trade'";
    let read = sqlx::query_scalar(read).fetch_one(pool).await.unwrap();
    sqlx::query("select pg_stat_reset()").execute(pool).await.unwrap();
    read
}

#[sqlx::test(migrations = "../../migrations")]
async fn trades_are_found_by_index_when_statistics_lack_the_account(pool: PgPool) {
    let pool = single_connection_pool(&pool).await;
    let app = App::new(&pool).await;
    sqlx::raw_sql(
        "
        insert into trades.trade (
            account_id, trade_id, broker_account, segment, symbol, side, quantity, price, value, executed_at, time_precision,
            exchange, source_key
        )
        select account_id, n, 'zerodha', 'equity', 'TCS', 'buy', 1, 1, 1, timestamptz '2024-01-01' + n * interval '1 min',
               'second', 'NSE', '2024-01-01/NSE/TCS/' || n
        from (select gen_random_uuid() as account_id from generate_series(1, 5)) a, generate_series(1, 20000) n;
        analyze trades.trade
        ",
    )
    .execute(&pool)
    .await
    .unwrap();
    let trader = app.register_trader().await;
    let fills: Vec<Fill> = (0..4_001).map(Fill::nth).collect();
    trader.upload(&Upload::new("z.csv", &zerodha_csv(&fills[1..]), "zerodha")).await;
    take_index_reads(&pool).await;
    let again = trader.upload(&Upload::new("z.csv", &zerodha_csv(&fills), "zerodha")).await.json();
    assert_eq!((&again["import"]["added"], &again["import"]["duplicates"]), (&json!(1), &json!(4_000)));
    let read = take_index_reads(&pool).await;
    assert!((4_000..40_000).contains(&read), "{read} entries were read");
}
