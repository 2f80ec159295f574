//! Many who ask at once, and those who hang up.

use std::time::Duration;

use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use rpc::transport::local;
use sqlx::PgPool;
use tonic::metadata::MetadataValue;
use uuid::Uuid;

use super::log::Log;
use super::*;
use crate::error::Error;
use crate::service::{Service, Trader};
use crate::store::Store;

fn service_of(pool: &PgPool, log: &Log) -> Service {
    let trades = TradesServiceClient::new(local(TradesServiceServer::new(log.clone())));
    let mut service = Service::new(Store::new(pool.clone()), trades, Tariff::of_files().unwrap());
    service.patience = Duration::from_secs(1);
    service
}

async fn ask(service: &Service, account: u8) -> Result<usize, Error> {
    let name = MetadataValue::try_from(account.to_string()).unwrap();
    let trader = Trader { account_id: Uuid::from_u128(account.into()), authorization: None, account: Some(name) };
    service.ask(&trader, |analysis| analysis.trades).await
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_begun_for_a_caller_that_hung_up_is_there_for_the_next(pool: PgPool) {
    let log = Log::default();
    let service = service_of(&pool, &log);
    let mut lists = log.lists.subscribe();
    tokio::select! {
        _ = ask(&service, 1) => panic!("the log keeps it waiting"),
        reading = lists.wait_for(|lists| *lists == 1) => drop(reading),
    }
    // It goes on, and another question does not wait for it for ever.
    assert!(matches!(ask(&service, 1).await, Err(Error::Busy)));
    log.gate.send_replace(true);
    assert_eq!(ask(&service, 1).await.unwrap(), 0);
    assert_eq!(*log.lists.borrow(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn trades_of_few_accounts_are_read_at_once_and_large_ones_wait_for_each_other_alone(pool: PgPool) {
    // Accounts 1 to 9 are small, 10 to 19 large; from 5 on the log keeps them waiting.
    let totals = (10..20).map(|account| (account, 200_000)).collect();
    let log = Log { totals, held_from: 5, ..Log::default() };
    let service = service_of(&pool, &log);
    let mut lists = log.lists.subscribe();
    let begin = |account| {
        let service = service.clone();
        tokio::spawn(async move { ask(&service, account).await })
    };
    let (mut one, mut other) = (begin(10), begin(11));
    let (refused, held) = tokio::select! {
        refused = &mut one => (refused, other),
        refused = &mut other => (refused, one),
    };
    assert!(matches!(refused.unwrap(), Err(Error::Busy)));
    assert_eq!(ask(&service, 1).await.unwrap(), 0);
    // What is known needs no room.
    assert_eq!(ask(&service, 1).await.unwrap(), 0);

    let before = *log.lists.borrow();
    let mut held = vec![held];
    held.extend((5..10).chain([20, 21]).map(begin));
    lists.wait_for(|lists| *lists == before + 7).await.unwrap();
    assert!(matches!(ask(&service, 2).await, Err(Error::Busy)));
    assert_eq!((ask(&service, 1).await.unwrap(), *log.lists.borrow()), (0, before + 7));
    log.gate.send_replace(true);
    for one in held {
        assert_eq!(one.await.unwrap().unwrap(), 0);
    }
    for account in [2, 10, 11] {
        assert_eq!(ask(&service, account).await.unwrap(), 0);
    }
}
