//! The domain services, wired to each other and to the outside.

use std::time::Duration;

use anyhow::Context as _;
use mail::Mailer;
use rpc::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use rpc::auth::v1::auth_service_server::AuthServiceServer;
use rpc::caller::Verifier;
use rpc::careers::v1::careers_service_server::CareersServiceServer;
use rpc::guard::Guarded;
use rpc::imports::v1::import_service_server::ImportServiceServer;
use rpc::journals::v1::journal_service_server::JournalServiceServer;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use rpc::transport::{Transport, local};
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

/// A slow upload takes up to ten minutes; the deadlines of shorter calls come with them.
const LONGEST_CALL: Duration = Duration::from_mins(11);
/// How often the database is asked whether it answers.
const PROBE_EVERY: Duration = Duration::from_secs(2);
/// When it is swept for the first time: who waits for the start is answered before.
const FIRST_SWEEP: Duration = Duration::from_secs(1);
/// How often what has run out is swept away, and how long that may take.
const SWEEP_EVERY: Duration = Duration::from_mins(10);

/// Every service of the core. Each verifies its callers by itself.
pub struct Core {
    routes: Routes,
    health: HealthReporter,
}

impl Core {
    /// Builds the services over their tables.
    pub async fn build(pools: &Pools, settings: &Serve, verifier: &Verifier) -> anyhow::Result<Self> {
        let auth = auth::server(pools.requests.clone(), pools.readiness.clone(), settings.auth()).await?;
        let trades_pools = trades::Pools { requests: pools.requests.clone(), imports: pools.imports.clone() };
        let trades = trades::server(trades_pools);
        let trades = Guarded::new(trades, verifier.clone());
        let imports = import::server(settings.import.clone(), TradesServiceClient::new(local(trades.clone())));
        let analytics = analytics::server(pools.requests.clone(), TradesServiceClient::new(local(trades.clone())))?;
        let careers = careers::server(pools.requests.clone(), settings.careers())?;
        let (health, health_service) = tonic_health::server::health_reporter();
        let routes = Routes::new(health_service)
            .add_service(Guarded::new(auth, verifier.clone()))
            .add_service(trades)
            .add_service(Guarded::new(journal::server(pools.requests.clone()), verifier.clone()))
            .add_service(Guarded::new(imports, verifier.clone()))
            .add_service(Guarded::new(analytics, verifier.clone()))
            .add_service(Guarded::new(careers, verifier.clone()));
        say(&health, ServingStatus::Serving).await;
        Ok(Self { routes, health })
    }

    /// The way to every service, without a socket.
    pub fn transport(&self) -> Transport {
        local(self.routes.clone())
    }

    /// Everything on a socket; with reflection, it describes itself.
    pub fn router(self, reflection: bool) -> anyhow::Result<Router> {
        let mut routes = self.routes;
        if reflection {
            let describe = || {
                tonic_reflection::server::Builder::configure()
                    .register_encoded_file_descriptor_set(rpc::FILE_DESCRIPTOR_SET)
                    .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            };
            // Older clients, grpcio among them, ask by the older name.
            routes = routes.add_service(describe().build_v1()?).add_service(describe().build_v1alpha()?);
        }
        Ok(Server::builder()
            .timeout(LONGEST_CALL)
            .concurrency_limit_per_connection(128)
            .load_shed(true)
            .max_concurrent_streams(256)
            .http2_keepalive_interval(Some(Duration::from_secs(20)))
            .http2_max_header_list_size(16 * 1024)
            .max_connection_age(Duration::from_mins(10))
            .tcp_nodelay(true)
            .add_routes(routes))
    }

    /// Keeps health true to the database until `stop`, sends the letters that are asked for, and sweeps away what has
    /// run out, as tasks of `background`.
    pub fn keep_house(
        &self,
        pools: &Pools,
        settings: &Serve,
        background: &mut JoinSet<()>,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> anyhow::Result<()> {
        let letters = settings.database.data_dir.join("mail");
        let mailer = Mailer::new(&settings.mail, letters.clone())?;
        background.spawn(auth::send_emails(pools.requests.clone(), mailer.clone(), settings.auth()));
        background.spawn(careers::send_emails(pools.requests.clone(), mailer, settings.careers()));
        let (health, readiness) = (self.health.clone(), pools.readiness.clone());
        background.spawn(async move {
            tokio::select! {
                () = probe(&health, &readiness) => {}
                () = stop => say(&health, ServingStatus::NotServing).await,
            }
        });
        let (pools, settings, careers) = (pools.clone(), settings.auth(), settings.careers());
        background.spawn(async move {
            let mut ticks = tokio::time::interval_at(Instant::now() + FIRST_SWEEP, SWEEP_EVERY);
            loop {
                ticks.tick().await;
                let swept = timeout(SWEEP_EVERY, async {
                    sweep(&pools, &settings).await;
                    done(
                        careers::clean_up(&pools.requests, &careers).await.context("what has run out in careers stays"),
                    );
                    done(mail::delete_expired_files(&letters).await.context("letters stay that were kept long enough"));
                });
                done(swept.await.context("the database is silent"));
            }
        });
        Ok(())
    }
}

/// Sweeps away what has run out, and erases the accounts whose time to come back is over. What fails keeps nothing else
/// from being done, and is done again at the next sweep.
pub async fn sweep(pools: &Pools, settings: &auth::Settings) {
    auth::delete_expired_rows(&pools.requests).await;
    // A whole book may have been kept, which no request is to wait for.
    done(trades::delete_expired_rows(&pools.imports).await.context("what has run out in trades stays"));
    done(journal::delete_expired_rows(&pools.imports).await.context("what has run out in journals stays"));
    let due = auth::list_accounts_due_for_deletion(&pools.requests, settings).await.context("no account is erased");
    for account_id in done(due).unwrap_or_default() {
        // Auth knows of it until the last, so that one whose erasing was cut short is due again. A large log takes a
        // while, which no request is to wait for.
        let erased = async {
            trades::delete_account(&pools.imports, account_id).await?;
            journal::delete_account(&pools.imports, account_id).await?;
            analytics::delete_account(&pools.requests, account_id).await?;
            anyhow::Ok(auth::delete_account(&pools.requests, account_id).await?)
        };
        done(erased.await.with_context(|| format!("account {account_id} is not erased")));
    }
}

/// What came of a part of a sweep; a failure goes to the log.
fn done<T>(outcome: anyhow::Result<T>) -> Option<T> {
    outcome.inspect_err(|error| tracing::warn!(error = format!("{error:#}"), "sweeping failed")).ok()
}

/// Asks the database again and again whether it answers.
async fn probe(health: &HealthReporter, readiness: &PgPool) {
    let mut ticks = tokio::time::interval(PROBE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let answers = readiness.acquire().await.is_ok();
        say(health, if answers { ServingStatus::Serving } else { ServingStatus::NotServing }).await;
    }
}

/// Says `status` of every service.
async fn say(health: &HealthReporter, status: ServingStatus) {
    for name in [
        "",
        AuthServiceServer::<()>::NAME,
        TradesServiceServer::<()>::NAME,
        ImportServiceServer::<()>::NAME,
        AnalyticsServiceServer::<()>::NAME,
        JournalServiceServer::<()>::NAME,
        CareersServiceServer::<()>::NAME,
    ] {
        health.set_service_status(name, status).await;
    }
}
