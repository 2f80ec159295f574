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
