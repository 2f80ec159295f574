//! Connections to Postgres, and the private cluster where none was given.

use std::future::ready;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use pg_cluster::Cluster;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use tokio::time::{MissedTickBehavior, timeout};

use crate::config::DatabaseSettings;
use crate::distribute;

/// Where the npm package with Postgres binaries is, when the machine has none.
const WEB_DIR: &str = "web";
/// Where the private cluster is in the data directory.
const CLUSTER: &str = "postgres";
/// What the pools use of the private cluster: see `role.sql`.
const ROLE: &str = "tradebahi_app";
/// Connections for requests, and for what must not wait.
const REQUESTS: u32 = 8;
const READINESS: u32 = 2;
/// How long connections may stay in use once the server has stopped.
const CLOSE: Duration = Duration::from_secs(30);
/// How often the private cluster is looked after.
const REVIVE_EVERY: Duration = Duration::from_secs(1);
/// How long a connection may be silent that is asked whether it is fit.
const SILENCE: Duration = Duration::from_secs(2);
/// For so long after it was found fit a connection is not asked again.
const FRESH: Duration = Duration::from_secs(1);

/// What brings the schema up to date, step by step.
pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// A migrated database.
pub struct Database {
    /// Connections to it.
    pub pools: Pools,
    cluster: Private,
}

/// The private cluster, until it is closed.
type Private = Arc<Mutex<Option<Cluster>>>;

/// Connections by what they are for, so that one kind of work never waits for another.
#[derive(Clone)]
pub struct Pools {
    /// For everything short.
    pub requests: PgPool,
    /// For imports, which hold theirs while a file is read.
    pub imports: PgPool,
    /// For what must not wait: whether the database answers, and which tokens are good.
    pub readiness: PgPool,
}

impl Database {
    /// Connects, starting the private cluster where no URL was given, and brings the schema up to date.
    ///
    /// Of the private cluster we are the owner, so the pools use a role that can do no more than read and write rows.
    pub async fn open(settings: &DatabaseSettings, imports: u32) -> anyhow::Result<Self> {
        let place = Place::open(settings).await?;
        place.migrate().await?;
        Self::connect(place, imports).await
    }

    /// The same for an errand. A server that runs on the private cluster goes on, and has brought it up to date. What
    /// runs on a database that is elsewhere nobody knows: an errand does not change its schema.
    pub async fn visit(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        match Place::running(settings).await? {
            Some(place) => Self::connect(place, 1).await,
            None if settings.database_url.is_some() => {
                let place = Place::open(settings).await?;
                place.is_up_to_date().await?;
                Self::connect(place, 1).await
            }
            None => Self::open(settings, 1).await,
        }
    }

    async fn connect(place: Place, imports: u32) -> anyhow::Result<Self> {
        let options = if place.private { place.owner.username(ROLE) } else { place.owner };
        Ok(Self { pools: Pools::connect(&options, imports).await?, cluster: Arc::new(Mutex::new(place.cluster)) })
    }

    /// Closes the connections and stops the private cluster. Whoever still holds a connection after a while loses it.
    pub async fn close(self) -> anyhow::Result<()> {
        let Pools { requests, imports, readiness } = &self.pools;
        let closed = async { tokio::join!(requests.close(), imports.close(), readiness.close()) };
        if timeout(CLOSE, closed).await.is_err() {
            tracing::warn!("a connection was still in use");
        }
        let cluster = lock(&self.cluster).take();
        stop(cluster).await
    }

    /// Starts the private cluster again whenever it dies, for ever.
    pub fn revive(&self) -> impl Future<Output = ()> + Send + use<> {
        let cluster = Arc::clone(&self.cluster);
        async move {
            let mut ticks = tokio::time::interval(REVIVE_EVERY);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let cluster = Arc::clone(&cluster);
                let revive = move || lock(&cluster).as_mut().map_or(Ok(false), Cluster::restart_if_exited);
                match tokio::task::spawn_blocking(revive).await {
                    Ok(Ok(false)) => {}
                    Ok(Ok(true)) => tracing::error!("Postgres had died and was started again"),
                    Ok(Err(error)) => tracing::error!(error = format!("{error:#}"), "Postgres has died"),
                    Err(error) => tracing::error!(%error, "Postgres is not looked after"),
                }
            }
        }
    }
}

fn lock(cluster: &Private) -> MutexGuard<'_, Option<Cluster>> {
    cluster.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a database is, whatever is in it.
pub(crate) struct Place {
    owner: PgConnectOptions,
    /// Whether it is in the private cluster.
    private: bool,
    /// Set where we have started it.
    cluster: Option<Cluster>,
}

impl Place {
    /// The database of the URL, or that of the private cluster, which is started.
    pub async fn open(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        let Some(url) = &settings.database_url else {
            let options =
                pg_cluster::Options { dir: settings.data_dir.join(CLUSTER), durable: true, web_dir: WEB_DIR.into() };
            let cluster = tokio::task::spawn_blocking(move || Cluster::open(&options)).await??;
            return Ok(Self {
                owner: cluster.url(pg_cluster::DATABASE).parse()?,
                private: true,
                cluster: Some(cluster),
            });
        };
        Ok(Self { owner: given(url)?, private: false, cluster: None })
    }

    /// That of the private cluster, if a server runs on it.
    async fn running(settings: &DatabaseSettings) -> anyhow::Result<Option<Self>> {
        if settings.database_url.is_some() {
            return Ok(None);
        }
        let dir = settings.data_dir.join(CLUSTER);
        let running = tokio::task::spawn_blocking(move || Cluster::running_url(&dir, pg_cluster::DATABASE)).await??;
        running.map(|url| Ok(Self { owner: url.parse()?, private: true, cluster: None })).transpose()
    }

    /// The same, whether a server runs on it or not.
    pub async fn visit(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        match Self::running(settings).await? {
            Some(place) => Ok(place),
            None => Self::open(settings).await,
        }
    }

    /// A connection of its owner, without limits of time.
    pub async fn connect(&self) -> anyhow::Result<PgConnection> {
        self.owner.connect().await.context("Postgres does not answer")
    }

    /// Brings the schema up to date.
    pub async fn migrate(&self) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        let migrated = MIGRATIONS.run(&mut connection).await.context("the schema could not be brought up to date");
        if migrated.is_ok() && self.private {
            sqlx::raw_sql(include_str!("role.sql")).execute(&mut connection).await?;
        }
        connection.close().await?;
        migrated
    }

    /// Refuses a schema that is not this program's.
    async fn is_up_to_date(&self) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        let there = schema(&mut connection).await?;
        connection.close().await?;
        let there = there.context("this database holds nothing of TradeBahi: is --database-url right?")?;
        let newest = newest_schema();
        ensure!(
            there >= newest,
            "the database has schema {there}, and this program needs {newest}: bring it up to date by \
             `tradebahi migrate`, or use the version of the program that serves it"
        );
        ensure!(
            there == newest,
            "the database has schema {there}, and this program knows no newer than {newest}: use the version of the \
             program that serves it"
        );
        Ok(())
    }

    /// Stops the cluster, where we have started it.
    pub async fn leave(self) -> anyhow::Result<()> {
        stop(self.cluster).await
    }
}

/// The last step of the schema that a database has had; none where it has had none.
pub(crate) async fn schema(connection: &mut PgConnection) -> anyhow::Result<Option<i64>> {
    let any =
        sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null").fetch_one(&mut *connection).await?;
    let last = "select max(version) from _sqlx_migrations where success";
    Ok(if any { sqlx::query_scalar(last).fetch_one(connection).await? } else { None })
}

/// The last step that this program knows.
pub(crate) fn newest_schema() -> i64 {
    MIGRATIONS.iter().map(|step| step.version).max().unwrap_or_default()
}

async fn stop(cluster: Option<Cluster>) -> anyhow::Result<()> {
    if let Some(cluster) = cluster {
        tokio::task::spawn_blocking(move || cluster.stop()).await??;
    }
    Ok(())
}

/// Brings the database to the newest schema and spreads its tables over the nodes of its cluster.
///
/// # Errors
/// When the database has no Citus, or fails.
pub async fn distribute(settings: &DatabaseSettings) -> anyhow::Result<()> {
    const NO_CITUS: &str = "this database has no Citus, which spreads tables over machines: install it on every node, \
                            run `create extension citus` there, say with --database-url where the coordinator is, and \
                            try again";
    ensure!(settings.database_url.is_some(), NO_CITUS);
    let place = Place::open(settings).await?;
    let mut connection = place.connect().await?;
    ensure!(distribute::is_cluster(&mut connection).await?, NO_CITUS);
    place.migrate().await?;
    distribute::distribute(&mut connection).await?;
    Ok(connection.close().await?)
}

/// The Postgres that somebody named.
fn given(url: &str) -> anyhow::Result<PgConnectOptions> {
    let options: PgConnectOptions = url.parse().context("DATABASE_URL is not an address of a Postgres")?;
    ensure!(
        is_private(&options),
        "the way to {} is not private: put sslmode=verify-full, or at least sslmode=require, into DATABASE_URL",
        options.get_host()
    );
    Ok(options)
}

/// Whether nobody can listen between us and Postgres.
fn is_private(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let local = options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match options.get_ssl_mode() {
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull => true,
        PgSslMode::Disable | PgSslMode::Allow | PgSslMode::Prefer => local,
    }
}

impl Pools {
    /// Connects, with a connection for each of so many imports at once.
    pub async fn connect(options: &PgConnectOptions, imports: u32) -> anyhow::Result<Self> {
        let requests = pool(REQUESTS)
            .min_connections(2)
            .connect_with(limited(options, "5s"))
            .await
            .context("Postgres does not answer")?;
        Ok(Self {
            requests,
            imports: pool(imports).connect_lazy_with(limited(options, "30s")),
            readiness: pool(READINESS)
                .acquire_timeout(Duration::from_millis(500))
                .connect_lazy_with(limited(options, "1s")),
        })
    }
}

/// A session of ours: it may hold up nobody for long, and reads along an index.
///
/// Until Postgres has gathered statistics, as after a first large import, it would rather collect all rows of an
/// account and sort them than walk the index that has them in order.
pub fn limited(options: &PgConnectOptions, statement_timeout: &str) -> PgConnectOptions {
    options.clone().application_name("tradebahi").options([
        ("statement_timeout", statement_timeout),
        ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("enable_bitmapscan", "off"),
        ("random_page_cost", "1.1"),
        // It would make machine code for what takes milliseconds, in memory that a careful unit forbids.
        ("jit", "off"),
    ])
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(2))
        .idle_timeout(Duration::from_mins(10))
        .max_lifetime(Duration::from_mins(30))
        .test_before_acquire(false)
        .before_acquire(
            |connection, meta| if meta.idle_for < FRESH { ready(Ok(true)).boxed() } else { is_fit(connection) },
        )
        .after_release(|connection, _| is_fit(connection))
}

/// Refuses a connection that came back inside a transaction, as it does when a `begin` was dropped half-way: whatever
/// is written on it next would vanish. It must be `raw_sql`: a prepared query has its own statement timestamp.
///
/// And one whose other end has fallen silent, as it does when a machine or a line between dies and nobody is told. The
/// pool's own test waits for ever, and so keeps a place of the pool.
fn is_fit(connection: &mut PgConnection) -> BoxFuture<'_, Result<bool, sqlx::Error>> {
    async move {
        let asked = sqlx::raw_sql("select now() = statement_timestamp()").fetch_one(&mut *connection);
        match timeout(SILENCE, asked).await {
            Ok(row) => row?.try_get(0),
            Err(_) => Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())),
        }
    }
    .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_has_room_for_the_pools_of_a_server_and_of_an_errand() {
        let (_, limit) = include_str!("role.sql").split_once("connection limit ").unwrap();
        let limit: u32 = limit.split_once(';').unwrap().0.parse().unwrap();
        let pools = |imports| REQUESTS + READINESS + imports;
        assert!(pools(import::MAX_PARALLEL) + pools(1) <= limit);
    }

    #[test]
    fn a_postgres_on_another_machine_is_reached_by_tls_alone() {
        for (url, fine) in [
            ("postgres://a@localhost/t", true),
            ("postgres://a@127.0.0.1:5433/t", true),
            ("postgres://a@localhost/t?host=%2Frun%2Fpostgresql", true),
            ("postgres://a@db.example/t", false),
            ("postgres://a@10.0.0.7/t?sslmode=prefer", false),
            ("postgres://a@10.0.0.7/t?sslmode=require", true),
            ("postgres://a@db.example/t?sslmode=verify-full", true),
        ] {
            assert_eq!(is_private(&url.parse().unwrap()), fine, "{url}");
        }
    }
}
