//! Wiring of the domain services, their health reports and their background jobs.

use std::time::Duration;

use anyhow::Context as _;
use mail::Mailer;
use rpc::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use rpc::auth::v1::auth_service_server::AuthServiceServer;
use rpc::authorization::AccessGuard;
use rpc::careers::v1::careers_service_server::CareersServiceServer;
use rpc::imports::v1::import_service_server::ImportServiceServer;
use rpc::journal::v1::journal_service_server::JournalServiceServer;
use rpc::trader_journal::v1::trader_journal_service_server::TraderJournalServiceServer;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use rpc::transport::{Transport, local};
use rpc::verifier::Verifier;
use sqlx::PgPool;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, timeout};
use tonic::server::NamedService as _;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::Router;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::config::Serve;
use crate::database::Pools;

/// Maximum duration of a call. A slow upload takes up to ten minutes; shorter calls send their own deadlines.
const CALL_TIMEOUT: Duration = Duration::from_mins(11);
/// Interval of the database health check.
const HEALTH_CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Delay of the first cleanup after the start, so that it does not slow down the first requests.
const FIRST_CLEANUP_DELAY: Duration = Duration::from_secs(1);
/// Interval and timeout of the cleanup job.
const CLEANUP_INTERVAL: Duration = Duration::from_mins(10);

/// All services of the core. Each verifies its callers.
pub struct Core {
    routes: Routes,
    health: HealthReporter,
}

impl Core {
    /// Builds the services.
    pub async fn build(pools: &Pools, settings: &Serve, verifier: &Verifier) -> anyhow::Result<Self> {
        let auth =
            auth::server(pools.requests.clone(), pools.reads.clone(), pools.readiness.clone(), settings.auth()).await?;
        let trades_pools = trades::Pools {
            requests: pools.requests.clone(),
            reads: pools.reads.clone(),
            imports: pools.imports.clone(),
        };
        let trades = trades::server(trades_pools);
        let trades = AccessGuard::new(trades, verifier.clone());
        let imports = import::server(settings.import.clone(), TradesServiceClient::new(local(trades.clone())));
        let analytics = analytics::server(pools.requests.clone(), TradesServiceClient::new(local(trades.clone())))?;
        let careers = careers::server(pools.requests.clone(), settings.careers())?;
        let trader_journals = journal::trader_journal::server(pools.requests.clone(), settings.journal())?;
        let (health, health_service) = tonic_health::server::health_reporter();
        let routes = Routes::new(health_service)
            .add_service(AccessGuard::new(auth, verifier.clone()))
            .add_service(trades)
            .add_service(AccessGuard::new(journal::public_journal::server(pools.requests.clone()), verifier.clone()))
            .add_service(AccessGuard::new(trader_journals, verifier.clone()))
            .add_service(AccessGuard::new(imports, verifier.clone()))
            .add_service(AccessGuard::new(analytics, verifier.clone()))
            .add_service(AccessGuard::new(careers, verifier.clone()));
        set_health_status(&health, ServingStatus::Serving).await;
        Ok(Self { routes, health })
    }

    /// Returns the in-process transport to all services.
    pub fn transport(&self) -> Transport {
        local(self.routes.clone())
    }

    /// Returns the gRPC server of all services, with gRPC reflection if `reflection` is set.
    pub fn router(self, reflection: bool) -> anyhow::Result<Router> {
        let mut routes = self.routes;
        if reflection {
            let builder = || {
                tonic_reflection::server::Builder::configure()
                    .register_encoded_file_descriptor_set(rpc::FILE_DESCRIPTOR_SET)
                    .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            };
            // Older clients, such as grpcio, use v1alpha.
            routes = routes.add_service(builder().build_v1()?).add_service(builder().build_v1alpha()?);
        }
        Ok(Server::builder()
            .timeout(CALL_TIMEOUT)
            .concurrency_limit_per_connection(128)
            .load_shed(true)
            .max_concurrent_streams(256)
            .http2_keepalive_interval(Some(Duration::from_secs(20)))
            .http2_max_header_list_size(16 * 1024)
            .max_connection_age(Duration::from_mins(10))
            .add_routes(routes))
    }

    /// Starts the health check, which ends with `shutdown`, the senders of emails and the cleanup job in `background`.
    pub fn start_background_jobs(
        &self,
        pools: &Pools,
        settings: &Serve,
        background: &mut JoinSet<()>,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> anyhow::Result<()> {
        let email_dir = settings.database.data_dir().join("mail");
        let mailer = Mailer::new(&settings.mail, email_dir.clone())?;
        background.spawn(auth::send_emails(pools.requests.clone(), mailer.clone(), settings.auth()));
        background.spawn(careers::send_emails(pools.requests.clone(), mailer, settings.careers()));
        let (health, readiness) = (self.health.clone(), pools.readiness.clone());
        background.spawn(async move {
            tokio::select! {
                () = check_health(&health, &readiness) => {}
                () = shutdown => set_health_status(&health, ServingStatus::NotServing).await,
            }
        });
        let (pools, settings) = (pools.clone(), settings.clone());
        background.spawn(async move {
            let mut ticks = tokio::time::interval_at(Instant::now() + FIRST_CLEANUP_DELAY, CLEANUP_INTERVAL);
            loop {
                ticks.tick().await;
                let cleanup = timeout(CLEANUP_INTERVAL, async {
                    run_cleanup(&pools, &settings).await;
                    log_error(careers::clean_up(&pools.requests, &settings.careers()).await.context("careers"));
                    log_error(mail::delete_expired_files(&email_dir).await.context("emails kept as files"));
                });
                log_error(cleanup.await.context("the database does not respond"));
            }
        });
        Ok(())
    }
}

/// Deletes expired rows, and closed accounts that can no longer be restored. Each step runs even if others fail; failed
/// steps run again at the next cleanup.
pub async fn run_cleanup(pools: &Pools, settings: &Serve) {
    let journal = settings.journal();
    auth::delete_expired_rows(&pools.requests).await;
    // Expired rows may include whole books. The pool of imports keeps this off the requests' connections.
    log_error(trades::delete_expired_rows(&pools.imports).await.context("trades"));
    log_error(journal::delete_expired_rows(&pools.imports, &journal).await.context("journals"));
    let due =
        auth::list_accounts_due_for_deletion(&pools.requests, &settings.auth()).await.context("accounts to delete");
    for account_id in log_error(due).unwrap_or_default() {
        // Auth deletes its rows last, so that an interrupted deletion is due again. A large log takes a while,
        // therefore the pool of imports.
        let deletion = async {
            trades::delete_account(&pools.imports, account_id).await?;
            journal::delete_account(&pools.imports, &journal, account_id).await?;
            analytics::delete_account(&pools.requests, account_id).await?;
            anyhow::Ok(auth::delete_account(&pools.requests, account_id).await?)
        };
        log_error(deletion.await.with_context(|| format!("account {account_id}")));
    }
}

/// Logs the error of a cleanup step; returns the value otherwise.
fn log_error<T>(outcome: anyhow::Result<T>) -> Option<T> {
    outcome.inspect_err(|error| tracing::warn!(error = format!("{error:#}"), "cleanup failed")).ok()
}

/// Sets the health of all services at each interval by whether the database responds.
async fn check_health(health: &HealthReporter, readiness: &PgPool) {
    let mut ticks = tokio::time::interval(HEALTH_CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let is_healthy = readiness.acquire().await.is_ok();
        set_health_status(health, if is_healthy { ServingStatus::Serving } else { ServingStatus::NotServing }).await;
    }
}

/// Sets the health of every service to `status`.
async fn set_health_status(health: &HealthReporter, status: ServingStatus) {
    for name in [
        "",
        AuthServiceServer::<()>::NAME,
        TradesServiceServer::<()>::NAME,
        ImportServiceServer::<()>::NAME,
        AnalyticsServiceServer::<()>::NAME,
        JournalServiceServer::<()>::NAME,
        TraderJournalServiceServer::<()>::NAME,
        CareersServiceServer::<()>::NAME,
    ] {
        health.set_service_status(name, status).await;
    }
}
