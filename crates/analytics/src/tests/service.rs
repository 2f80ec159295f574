//! Concurrent requests, and callers that disconnect.

use std::time::Duration;

use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use rpc::transport::local;
use sqlx::PgPool;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::metadata::MetadataValue;
use uuid::Uuid;

use super::trade_log::FakeTradeLog;
use super::*;
use crate::error::Error;
use crate::service::{Service, Trader};
use crate::store::Store;

fn service_with(pool: &PgPool, log: &FakeTradeLog) -> Service {
    let trades = TradesServiceClient::new(local(TradesServiceServer::new(log.clone())));
    let mut service = Service::new(Store::new(pool.clone()), trades, ChargeRates::load().unwrap());
    service.wait_timeout = Duration::from_secs(1);
    service
}

fn trader(account: u8) -> Trader {
    let name = MetadataValue::try_from(account.to_string()).unwrap();
    Trader { account_id: Uuid::from_u128(account.into()), authorization: None, account: Some(name) }
}

async fn count_trades(service: &Service, account: u8) -> Result<usize, Error> {
    service.query(&trader(account), |analysis| analysis.trade_count).await
}

#[sqlx::test(migrations = "../../migrations")]
async fn changed_terms_of_a_broker_account_renew_the_analysis(pool: PgPool) {
    let log = FakeTradeLog { blocked_from: u8::MAX, ..FakeTradeLog::default() };
    let service = service_with(&pool, &log);
    let name = MetadataValue::try_from("1").unwrap();
    let trader = Trader { account_id: Uuid::from_u128(1), authorization: None, account: Some(name) };
    let women = async || service.query(&trader, |analysis| analysis.terms.accounts.len()).await.unwrap();
    assert_eq!(women().await, 0);
    let account = wire::BrokerAccount {
        broker: wire::Broker::Zerodha.into(),
        settings: Some(wire::BrokerAccountSettings { woman_first_holder: true, ..Default::default() }),
        ..wire::BrokerAccount::default()
    };
    log.broker_accounts.send_replace((1, vec![account]));
    assert_eq!(women().await, 1);
    // The list is read only after a change.
    log.broker_accounts.send_replace((1, Vec::new()));
    assert_eq!(women().await, 1);
    log.broker_accounts.send_replace((2, Vec::new()));
    assert_eq!(women().await, 0);
    assert_eq!(*log.lists.borrow(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_analysis_continues_after_its_caller_disconnected(pool: PgPool) {
    let log = FakeTradeLog::default();
    let service = service_with(&pool, &log);
    let mut lists = log.lists.subscribe();
    tokio::select! {
        _ = count_trades(&service, 1) => panic!("the trade log blocks it"),
        reading = lists.wait_for(|lists| *lists == 1) => drop(reading),
    }
    // The analysis continues, and another request waits for it only until its timeout.
    assert!(matches!(count_trades(&service, 1).await, Err(Error::Busy)));
    log.gate.send_replace(true);
    assert_eq!(count_trades(&service, 1).await.unwrap(), 0);
    assert_eq!(*log.lists.borrow(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn limits_concurrent_reads_and_lets_large_accounts_wait_only_for_each_other(pool: PgPool) {
    // Accounts 1 to 9 are small, 10 to 19 large. The trade log blocks accounts from 5 on.
    let totals = (10..20).map(|account| (account, 200_000)).collect();
    let log = FakeTradeLog { totals, blocked_from: 5, ..FakeTradeLog::default() };
    let service = service_with(&pool, &log);
    let mut lists = log.lists.subscribe();
    let begin = |account| {
        let service = service.clone();
        tokio::spawn(async move { count_trades(&service, account).await })
    };
    let (mut one, mut other) = (begin(10), begin(11));
    let (refused, waiting) = tokio::select! {
        refused = &mut one => (refused, other),
        refused = &mut other => (refused, one),
    };
    assert!(matches!(refused.unwrap(), Err(Error::Busy)));
    assert_eq!(count_trades(&service, 1).await.unwrap(), 0);
    // A cached analysis needs no permit.
    assert_eq!(count_trades(&service, 1).await.unwrap(), 0);

    let before = *log.lists.borrow();
    let mut waiting = vec![waiting];
    waiting.extend((5..10).chain([20, 21]).map(begin));
    lists.wait_for(|lists| *lists == before + 7).await.unwrap();
    assert!(matches!(count_trades(&service, 2).await, Err(Error::Busy)));
    assert_eq!((count_trades(&service, 1).await.unwrap(), *log.lists.borrow()), (0, before + 7));
    log.gate.send_replace(true);
    for one in waiting {
        assert_eq!(one.await.unwrap().unwrap(), 0);
    }
    for account in [2, 10, 11] {
        assert_eq!(count_trades(&service, account).await.unwrap(), 0);
    }
}

/// Queries of account 1 that run until the gate is open.
struct LongQueries {
    service: Service,
    gate: watch::Sender<bool>,
    /// Number of queries that began to run.
    started: watch::Sender<usize>,
}

impl LongQueries {
    fn begin(&self) -> JoinHandle<Result<(), Error>> {
        let (service, started, mut gate) = (self.service.clone(), self.started.clone(), self.gate.subscribe());
        let query = move |_: &Analysis| {
            started.send_modify(|started| *started += 1);
            Handle::current().block_on(gate.wait_for(|open| *open)).unwrap();
        };
        tokio::spawn(async move { service.query(&trader(1), query).await })
    }

    async fn wait_for_started(&self, expected: usize) {
        self.started.subscribe().wait_for(|started| *started == expected).await.unwrap();
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_requests_of_one_account_do_not_stop_others_and_end_with_their_callers(pool: PgPool) {
    let log = FakeTradeLog { blocked_from: u8::MAX, ..FakeTradeLog::default() };
    let service = service_with(&pool, &log);
    let queries =
        LongQueries { service: service.clone(), gate: watch::Sender::new(false), started: watch::Sender::new(0) };
    let mut running = vec![queries.begin(), queries.begin()];
    queries.wait_for_started(2).await;
    // Fills the queue of the account: further requests are refused at once, those of others are answered.
    let waiting: Vec<_> = (0..14).map(|_| queries.begin()).collect();
    tokio::task::yield_now().await;
    assert!(matches!(queries.begin().await.unwrap(), Err(Error::Busy)));
    for account in 2..12 {
        assert_eq!(count_trades(&service, account).await.unwrap(), 0);
    }
    for query in waiting {
        query.abort();
        assert!(query.await.unwrap_err().is_cancelled());
    }
    // A query keeps its place while it runs, even without a caller.
    running.remove(0).abort();
    assert!(matches!(queries.begin().await.unwrap(), Err(Error::Busy)));
    queries.gate.send_replace(true);
    running.remove(0).await.unwrap().unwrap();
    queries.begin().await.unwrap().unwrap();
    assert_eq!(*queries.started.borrow(), 3, "a query without a caller was run");
}
