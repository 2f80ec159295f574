//! The clock steps while clients write.
//!
//! A clock that goes forward is the same as stored times that go back, and the other way round: every time that Postgres
//! keeps is moved at once, but for those of the trades, and what has run out by then is swept away.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use server::core::sweep;
use server::database::Pools;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, PgPool};
use tokio::runtime::Builder;

use super::writers::{Front, Kind, Tally, Trader, leg, preview, upload_headers, write_json, write_through};
use super::{back_after, report, rounds};
use crate::process::Process;

/// Moves every stored time by `{}` minutes.
const MOVE: &str = "
    do $$
    declare
        moved record;
    begin
        for moved in
            select format('%I.%I', c.table_schema, c.table_name) as place,
                   string_agg(format('%1$I = %1$I + interval ''{} minutes''', c.column_name), ', ') as times
            from information_schema.columns c
            join information_schema.tables t using (table_schema, table_name)
            where t.table_type = 'BASE TABLE' and c.data_type = 'timestamp with time zone'
              and c.table_schema in ('auth', 'trades', 'careers', 'analytics') and c.column_name not like '%executed_at'
            group by 1
        loop
            execute format('update %s set %s', moved.place, moved.times);
        end loop;
    end $$";

/// Steps the clock forward, sweeps, and steps it back. A step that meets a write half done is tried again.
async fn step(options: &PgConnectOptions, minutes: i32, resumes: &Path) {
    let pools = Pools::connect(options, 1).await.unwrap();
    for minutes in [-minutes, minutes] {
        while sqlx::raw_sql(AssertSqlSafe(MOVE.replace("{}", &minutes.to_string())))
            .execute(&pools.imports)
            .await
            .is_err()
        {}
        sweep(&pools, &auth::Settings::default()).await;
        let settings = careers::Settings { resume_dir: Some(resumes.to_owned()), ..careers::Settings::default() };
        careers::clean_up(&pools.requests, &settings).await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    pools.requests.close().await;
}

/// In the test's own task nothing can be waited for.
fn step_and_wait(options: &PgConnectOptions, minutes: i32, resumes: &Path) {
    let wait = || Builder::new_current_thread().enable_all().build().unwrap().block_on(step(options, minutes, resumes));
    std::thread::scope(|scope| drop(scope.spawn(wait)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_acknowledged_is_there_once_however_the_clock_steps(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let (front, resumes) = (Front::at(server.port()), data.path().join("resumes"));
    let options = pool.connect_options().as_ref().clone();
    let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(2) {
        let trader = front.trader(&format!("clock{round}"));
        let minutes = if round % 2 == 0 { 30 } else { -30 };
        let (ledger, back) =
            write_through(&front, &trader, &Kind::ALL, round, || step_and_wait(&options, minutes, &resumes));
        tally += ledger.settle_trades(&front, &trader);
        tally += ledger.settle_applications(&pool, &resumes).await;
        slowest = slowest.max(back);
    }
    report("clock steps by half an hour", rounds(2), &tally, &back_after(slowest));
}

const HOUR: i32 = 60;

/// Somebody who has had a file looked at and has entered a trade, and comes back.
struct Absent {
    trader: Trader,
    form: Vec<u8>,
}

impl Absent {
    fn new(front: &Front, name: &str) -> Self {
        let trader = front.trader(name);
        let form = preview(front, &trader, "PREVIEWED", 0);
        let absent = Self { trader, form };
        absent.enter(front);
        absent
    }

    /// Enters a trade, with the same key each time.
    fn enter(&self, front: &Front) {
        let body = json!({ "broker": "groww", "tradetype": "fno", "trade": leg("ENTERED", "buy", 0) });
        write_json(front, &self.trader, "/trades/add", "the-one-key", &body);
    }

    /// Takes the file that was looked at; what is said.
    fn take(&self, front: &Front) -> (u16, Value) {
        let headers = upload_headers(&self.trader);
        let (status, reply) = loop {
            if let Ok(answer) = front.ask("POST", "/uploadexcel", &headers, &self.form) {
                break answer;
            }
        };
        (status, reply["code"].clone())
    }

    /// How many trades there are.
    fn total(&self, front: &Front) -> Value {
        let headers = [("authorization", self.trader.bearer.as_str())];
        front.insist("GET", "/trades/client?limit=1", &headers, b"")["total"].clone()
    }
}

/// A preview is good for an hour and a key for a day. So nobody asks again over these steps: who did after a day would
/// write anew.
#[sqlx::test(migrations = "../../migrations")]
async fn what_has_run_out_is_refused_and_what_was_acknowledged_stays_when_the_clock_steps_far(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let (front, resumes) = (Front::at(server.port()), data.path().join("resumes"));
    let options = pool.connect_options().as_ref().clone();
    let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(1) {
        for (minutes, entered) in [(HOUR + 30, 1), (25 * HOUR, 2)] {
            let trader = front.trader(&format!("far{round}-{minutes}"));
            let absent = Absent::new(&front, &format!("absent{round}-{minutes}"));
            let (ledger, _) = write_through(&front, &trader, &Kind::ALL, round, || {});
            step_and_wait(&options, minutes, &resumes);
            slowest = slowest.max(front.recovery(&trader));
            tally += ledger.settle_trades(&front, &trader);
            tally += ledger.settle_applications(&pool, &resumes).await;
            assert_eq!(absent.take(&front), (404, "no_preview".into()));
            absent.enter(&front);
            assert_eq!(absent.total(&front), entered, "after {minutes} minutes");
        }
    }
    report("clock steps by 1½ and 25 hours between writes", rounds(1), &tally, &back_after(slowest));
}
