//! Accounts of a trader with brokers, for several areas.

use http_server::problem::Problem;
use rpc::trades::v1::{BrokerAccount, ListBrokerAccountsRequest};

use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

/// Returns the accounts of the trader with brokers.
pub(crate) async fn load_broker_accounts(app: &Shared, trader: &Trader) -> Result<Vec<BrokerAccount>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListBrokerAccountsRequest {}, deadline);
        async move { trades.list_broker_accounts(request).await }
    });
    Ok(response.await?.accounts)
}
