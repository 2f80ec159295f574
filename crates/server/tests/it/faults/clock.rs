//! The clock steps while clients write.
//!
//! A clock step forward has the same effect as a step back of all stored times, and the other way round: all timestamps in
//! Postgres are shifted at once, except the execution times of trades, and then the cleanup job runs.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use clap::Parser as _;
use serde_json::{Value, json};
use server::config::{Cli, Command};
use server::core::run_cleanup;
use server::database::Pools;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, PgPool};
use tokio::runtime::Builder;

use super::writers::{
    Client, Tally, Trader, WriteKind, create_preview, post_json, trade_json, upload_headers, write_during_fault,
};
use super::{format_recovery, report, rounds};
use crate::process::Process;

/// Shifts every stored timestamp by `{}` minutes.
const SHIFT_TIMESTAMPS: &str = "
    do $$
    declare
        shifted record;
    begin
        for shifted in
            select format('%I.%I', c.table_schema, c.table_name) as place,
                   string_agg(format('%1$I = %1$I + interval ''{} minutes''', c.column_name), ', ') as times
            from information_schema.columns c
            join information_schema.tables t using (table_schema, table_name)
            where t.table_type = 'BASE TABLE' and c.data_type = 'timestamp with time zone'
              and c.table_schema in ('analytics', 'auth', 'careers', 'journal', 'trades')
              and c.column_name not like '%executed_at'
            group by 1
        loop
            execute format('update %s set %s', shifted.place, shifted.times);
        end loop;
    end $$";

/// Steps the clock, runs the cleanup jobs, and steps it back. A step that conflicts with a write is retried.
async fn step_clock(options: &PgConnectOptions, minutes: i32, data_dir: &Path) {
    let pools = Pools::connect(options, 1).await.unwrap();
    for minutes in [-minutes, minutes] {
        while sqlx::raw_sql(AssertSqlSafe(SHIFT_TIMESTAMPS.replace("{}", &minutes.to_string())))
            .execute(&pools.imports)
            .await
            .is_err()
        {}
        let arguments = [OsStr::new("tradebahi"), OsStr::new("serve"), OsStr::new("--data-dir"), data_dir.as_os_str()];
        let Command::Serve(settings) = Cli::parse_from(arguments).command else { unreachable!() };
        run_cleanup(&pools, &settings).await;
        careers::clean_up(&pools.requests, &settings.careers()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    pools.requests.close().await;
}

/// Runs [`step_clock`] to completion on another thread, because the test's task cannot block on it.
fn step_clock_and_wait(options: &PgConnectOptions, minutes: i32, data_dir: &Path) {
    let wait =
        || Builder::new_current_thread().enable_all().build().unwrap().block_on(step_clock(options, minutes, data_dir));
    std::thread::scope(|scope| drop(scope.spawn(wait)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_writes_are_stored_once_when_the_clock_steps(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let (client, resumes) = (Client::new(server.port()), data.path().join("resumes"));
    let options = pool.connect_options().as_ref().clone();
    let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(2) {
        let trader = client.register_trader(&format!("clock{round}"));
        let minutes = if round % 2 == 0 { 30 } else { -30 };
        let (acknowledged_writes, recovery) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {
            step_clock_and_wait(&options, minutes, data.path());
        });
        tally += acknowledged_writes.check_trades(&client, &trader);
        tally += acknowledged_writes.check_applications(&pool, &resumes).await;
        slowest_recovery = slowest_recovery.max(recovery);
    }
    report("clock steps by half an hour", rounds(2), &tally, &format_recovery(slowest_recovery));
}

const MINUTES_PER_HOUR: i32 = 60;

/// Trader with a preview and a trade who returns after a clock step.
struct ReturningTrader {
    trader: Trader,
    form: Vec<u8>,
}

impl ReturningTrader {
    fn new(client: &Client, name: &str) -> Self {
        let trader = client.register_trader(name);
        let form = create_preview(client, &trader, "PREVIEWED", 0);
        let returning = Self { trader, form };
        returning.add_trade(client);
        returning
    }

    /// Adds a trade with the same idempotency key each time.
    fn add_trade(&self, client: &Client) {
        let body = json!({ "broker": "groww", "tradetype": "fno", "trade": trade_json("ENTERED", "buy", 0) });
        post_json(client, &self.trader, "/trades/add", "the-one-key", &body);
    }

    /// Commits the preview. Returns the status and the problem code.
    fn commit_preview(&self, client: &Client) -> (u16, Value) {
        let headers = upload_headers(&self.trader);
        let (status, reply) = loop {
            if let Ok(reply) = client.send_once("POST", "/uploadexcel", &headers, &self.form) {
                break reply;
            }
        };
        (status, reply["code"].clone())
    }

    /// Returns the number of trades.
    fn count_trades(&self, client: &Client) -> Value {
        let headers = [("authorization", self.trader.bearer.as_str())];
        client.send_until_done("GET", "/trades/client?limit=1", &headers, b"")["total"].clone()
    }
}

/// A preview is valid for an hour and an idempotency key for a day. No client retries across these steps, because a retry
/// after a day would write again.
#[sqlx::test(migrations = "../../migrations")]
async fn long_clock_steps_expire_previews_and_keys_and_keep_acknowledged_writes(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let (client, resumes) = (Client::new(server.port()), data.path().join("resumes"));
    let options = pool.connect_options().as_ref().clone();
    let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(1) {
        for (minutes, expected_trades) in [(MINUTES_PER_HOUR + 30, 1), (25 * MINUTES_PER_HOUR, 2)] {
            let trader = client.register_trader(&format!("far{round}-{minutes}"));
            let returning = ReturningTrader::new(&client, &format!("absent{round}-{minutes}"));
            let (acknowledged_writes, _) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {});
            step_clock_and_wait(&options, minutes, data.path());
            slowest_recovery = slowest_recovery.max(client.wait_for_recovery(&trader));
            tally += acknowledged_writes.check_trades(&client, &trader);
            tally += acknowledged_writes.check_applications(&pool, &resumes).await;
            assert_eq!(returning.commit_preview(&client), (404, "preview_not_found".into()));
            returning.add_trade(&client);
            assert_eq!(returning.count_trades(&client), expected_trades, "after {minutes} minutes");
        }
    }
    report("clock steps by 1½ and 25 hours between writes", rounds(1), &tally, &format_recovery(slowest_recovery));
}
