//! Concurrent requests, and callers that disconnect.

use std::time::Duration;

use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use rpc::transport::local;
use sqlx::PgPool;
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

async fn count_trades(service: &Service, account: u8) -> Result<usize, Error> {
    let name = MetadataValue::try_from(account.to_string()).unwrap();
    let trader = Trader { account_id: Uuid::from_u128(account.into()), authorization: None, account: Some(name) };
    service.query(&trader, |analysis| analysis.trade_count).await
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
