//! The clock steps while clients write.
//!
//! A clock that goes forward is the same as stored times that go back, and the other way round: every time that Postgres
//! keeps is moved at once, but for those of the trades, and what has run out by then is swept away.

use std::path::Path;
use std::time::Duration;

use server::core::sweep;
use server::database::Pools;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, PgPool};
use tokio::runtime::Builder;

use super::writers::{Front, Kind, Tally, write_through};
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
        careers::sweep(&pools.requests, &settings).await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    pools.requests.close().await;
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
        let (ledger, back) = write_through(&front, &trader, &Kind::ALL, round, || {
            std::thread::scope(|scope| {
                // In the test's own task nothing can be waited for.
                scope.spawn(|| {
                    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
                    runtime.block_on(step(&options, minutes, &resumes));
                });
            });
        });
        tally += ledger.settle_trades(&front, &trader);
        tally += ledger.settle_applications(&pool, &resumes).await;
        slowest = slowest.max(back);
    }
    report("clock steps by half an hour", rounds(2), &tally, &back_after(slowest));
}
