//! State shared by all handlers.

use std::sync::Arc;

use http_server::problem::Problem;
use queue::JobQueue;
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::journal::v1::journal_service_client::JournalServiceClient;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use rpc::verifier::Verifier;
use tokio::time::timeout;

use crate::call::RetryBudget;
use crate::cookies::Cookies;
use crate::rate_limits::RateLimits;
use crate::readiness::Readiness;
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
    /// Limit of uploads.
    pub uploads: JobQueue,
    /// Limit of uploads without a token, among them.
    pub inspections: JobQueue,
    /// Limit of applications, among them.
    pub applications: JobQueue,
    /// Queue of workbooks to write. Its only timeout is that of the response.
    pub workbooks: JobQueue,
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
        let max_uploads = settings.limits.uploads;
        Ok(Self {
            rate_limits: Arc::new(RateLimits::new(!settings.no_rate_limits, secure)),
            uploads: JobQueue::new(max_uploads, 0),
            inspections: JobQueue::new(max_uploads.div_ceil(8), 0),
            applications: JobQueue::new(max_uploads.div_ceil(2), 0),
            workbooks: JobQueue::new(MAX_CONCURRENT_WORKBOOKS, settings.limits.requests_in_flight),
            cookies: Cookies::new(secure),
            origin,
            retry_budget: RetryBudget::default(),
            settings,
            clients,
            verifier,
            readiness,
            site_files,
        })
    }

    /// Runs a handler that makes several calls, each with its own timeout, within the response timeout.
    pub async fn respond_in_time<T>(&self, response: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        timeout(self.settings.timeouts.response, response).await.unwrap_or_else(|_| Err(Problem::timeout()))
    }
}
