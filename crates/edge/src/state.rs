//! State shared by all handlers.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http_server::limiter::{Client, HeldPermit, Limiter};
use http_server::problem::Problem;
use queue::{Busy, JobQueue, KeyedQueue, RunPermit};
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::caller::{Bearer, parse_bearer_token};
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::journal::v1::journal_service_client::JournalServiceClient;
use rpc::trader_journal::v1::trader_journal_service_client::TraderJournalServiceClient;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use rpc::verifier::Verifier;
use tokio::time::timeout;
use uuid::Uuid;

use crate::call::RetryBudget;
use crate::cookies::Cookies;
use crate::rate_limits::RateLimits;
use crate::readiness::Readiness;
use crate::record_cache::RecordCache;
use crate::settings::{Error, Origin, Settings};
use crate::site_files::SiteFiles;

/// Maximum number of workbooks written at once; further ones wait.
const MAX_CONCURRENT_WORKBOOKS: usize = 2;

/// Clients of the core's services, in-process or remote.
#[derive(Clone, Debug)]
pub struct Clients {
    /// Accounts and sessions.
    pub auth: AuthServiceClient<Transport>,
    /// Trade log.
    pub trades: TradesServiceClient<Transport>,
    /// Files of brokers.
    pub imports: ImportServiceClient<Transport>,
    /// Analytics of the trades.
    pub analytics: AnalyticsServiceClient<Transport>,
    /// Journals of the public pages.
    pub journals: JournalServiceClient<Transport>,
    /// Journals of accounts.
    pub trader_journals: TraderJournalServiceClient<Transport>,
    /// Openings and applications.
    pub careers: CareersServiceClient<Transport>,
}

/// State shared by all handlers.
pub(crate) struct App {
    pub settings: Settings,
    pub clients: Clients,
    pub verifier: Verifier,
    pub readiness: Readiness,
    /// Public origin of the server, if it is set.
    pub origin: Option<Origin>,
    pub cookies: Cookies,
    pub site_files: SiteFiles,
    pub retry_budget: RetryBudget,
    pub rate_limits: Arc<RateLimits>,
    pub limiter: Arc<Limiter>,
    pub records: RecordCache,
    /// Queue of workbooks to write. Its only timeout is that of the response.
    workbooks: JobQueue,
    /// Queue of each account, so that the others need not wait for one with many workbooks.
    account_workbooks: KeyedQueue<Uuid>,
}

pub(crate) type Shared = Arc<App>;

impl App {
    /// Creates the state.
    ///
    /// # Errors
    /// Fails if a URL of the settings is invalid.
    pub fn new(
        settings: Settings,
        site_files: SiteFiles,
        clients: Clients,
        verifier: Verifier,
        readiness: Readiness,
    ) -> Result<Self, Error> {
        let origin = settings.origin()?;
        settings.check_analytics_url()?;
        let secure = origin.as_ref().is_some_and(|origin| origin.secure);
        let token_verifier = verifier.clone();
        let find_account = move |headers: &HeaderMap| find_account(&token_verifier, headers);
        Ok(Self {
            rate_limits: Arc::new(RateLimits::new(!settings.no_rate_limits, secure)),
            limiter: Arc::new(Limiter::new(&settings.limits, Arc::new(find_account))),
            workbooks: JobQueue::new(MAX_CONCURRENT_WORKBOOKS, settings.limits.exports.total),
            account_workbooks: KeyedQueue::new(1, settings.limits.exports.per_account),
            cookies: Cookies::new(secure),
            records: RecordCache::default(),
            origin,
            retry_budget: RetryBudget::default(),
            settings,
            clients,
            verifier,
            readiness,
            site_files,
        })
    }

    /// Runs the handler of an export, which counts as one of the client's until its response is sent.
    pub async fn export(
        &self,
        client: Client,
        response: impl Future<Output = Result<Response, Problem>>,
    ) -> Result<Response, Problem> {
        let permit = self.limiter.exports.try_acquire(client)?;
        let mut response = self.respond_in_time(response).await?;
        response.extensions_mut().insert(HeldPermit::from(permit));
        Ok(response)
    }

    /// Waits for the permits to write a workbook: of the account, which writes one at a time, and of all.
    pub async fn acquire_workbook(&self, account_id: Uuid) -> Result<[RunPermit; 2], Busy> {
        let account_permit = self.account_workbooks.acquire(account_id, Duration::MAX).await?;
        Ok([account_permit, self.workbooks.acquire(Duration::MAX).await?])
    }

    /// Runs a handler that makes several calls, each with its own timeout, within the response timeout.
    pub async fn respond_in_time<T>(&self, response: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        timeout(self.settings.timeouts.response, response).await.unwrap_or_else(|_| Err(Problem::timeout()))
    }
}

/// Returns the account of a request with a valid token.
fn find_account(verifier: &Verifier, headers: &HeaderMap) -> Option<Uuid> {
    let token = parse_bearer_token(headers.get(AUTHORIZATION)?.to_str().ok()?)?;
    match verifier.verify(token).ok()? {
        Bearer::Session(trader) | Bearer::Analytics(trader) => Some(trader.account_id),
        Bearer::Service(_) => None,
    }
}
