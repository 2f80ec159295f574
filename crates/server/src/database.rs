//! Connections to Postgres, and the private cluster that is used without `--database-url`.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use db::{ReadPool, pool_options, with_session_limits};
use pg_cluster::Cluster;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgSslMode};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::{MissedTickBehavior, timeout};

use crate::config::DatabaseSettings;
use crate::distribute;

/// Directory with the npm package of the Postgres binaries, which is used if the machine has no Postgres.
const WEB_DIR: &str = "web";
/// Directory of the private cluster in the data directory.
const CLUSTER_DIR: &str = "postgres";
/// Role of the pools in the private cluster; `role.sql` creates it.
const ROLE: &str = "tradebahi_app";
/// Maximum number of connections of the pool for requests.
const REQUEST_CONNECTIONS: u32 = 6;
/// Number of connections of the pool for requests that stay open.
const MIN_REQUEST_CONNECTIONS: u32 = 2;
/// Maximum number of connections of the pool for reads.
const READ_CONNECTIONS: u32 = 6;
/// Connections of the pool for imports beside those of the files that are read, for comparing stored previews.
const COMPARISON_CONNECTIONS: u32 = 1;
/// Maximum number of connections of the pool for readiness.
const READINESS_CONNECTIONS: u32 = 2;
/// Maximum time of the readiness check to wait for a connection.
const READINESS_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time to wait for connections in use when the server stops.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval of the check that the private cluster runs.
const CLUSTER_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Migrations of the schema.
pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// A migrated database.
pub struct Database {
    /// Connection pools.
    pub pools: Pools,
    cluster: SharedCluster,
}

/// Private cluster; `None` once it is closed, or with `--database-url`.
type SharedCluster = Arc<Mutex<Option<Cluster>>>;

/// Connection pools by purpose, so that one kind of work never waits for another.
#[derive(Clone)]
pub struct Pools {
    /// Pool for short requests.
    pub requests: PgPool,
    /// Pool for the reads that every view of the log makes.
    pub reads: ReadPool,
    /// Pool for imports, which hold a connection while a file is read, for comparisons of previews and long cleanups.
    pub imports: PgPool,
    /// Pool for work that must not wait: the health check and the verification of tokens.
    pub readiness: PgPool,
}

impl Database {
    /// Connects to the database, starts the private cluster if no URL is set, and migrates the schema.
    ///
    /// In the private cluster the pools use a role that can only read and write rows.
    pub async fn open(settings: &DatabaseSettings, import_connections: u32) -> anyhow::Result<Self> {
        let access = OwnerAccess::open(settings).await?;
        access.migrate().await?;
        Self::connect(access, import_connections).await
    }

    /// Connects for a terminal command, while a server may run. Does not migrate the database of a URL, because a server
    /// of another version may use it; rejects another schema version instead.
    pub async fn open_for_command(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        match OwnerAccess::of_running_cluster(settings).await? {
            Some(access) => Self::connect(access, 1).await,
            None if settings.database_url.is_some() => {
                let access = OwnerAccess::open(settings).await?;
                access.check_schema_version().await?;
                Self::connect(access, 1).await
            }
            None => Self::open(settings, 1).await,
        }
    }

    async fn connect(access: OwnerAccess, import_connections: u32) -> anyhow::Result<Self> {
        let options = if access.is_private { access.options.username(ROLE) } else { access.options };
        let pools = Pools::connect(&options, import_connections).await?;
        Ok(Self { pools, cluster: Arc::new(Mutex::new(access.cluster)) })
    }

    /// Closes the pools and stops the private cluster. Waits a limited time for connections in use.
    pub async fn close(self) -> anyhow::Result<()> {
        let Pools { requests, reads, imports, readiness } = &self.pools;
        let close_pools = async { tokio::join!(requests.close(), reads.close(), imports.close(), readiness.close()) };
        if timeout(CLOSE_TIMEOUT, close_pools).await.is_err() {
            tracing::warn!("a connection was still in use");
        }
        let cluster = lock(&self.cluster).take();
        stop_cluster(cluster).await
    }

    /// Restarts the private cluster whenever it exits; never completes.
    pub fn supervise_cluster(&self) -> impl Future<Output = ()> + Send + use<> {
        let cluster = Arc::clone(&self.cluster);
        async move {
            let mut ticks = tokio::time::interval(CLUSTER_CHECK_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let cluster = Arc::clone(&cluster);
                let restart = move || lock(&cluster).as_mut().map_or(Ok(false), Cluster::restart_if_exited);
                match tokio::task::spawn_blocking(restart).await {
                    Ok(Ok(false)) => {}
                    Ok(Ok(true)) => tracing::error!("Postgres exited and was restarted"),
                    Ok(Err(error)) => tracing::error!(error = format!("{error:#}"), "cannot restart Postgres"),
                    Err(error) => tracing::error!(%error, "the check of Postgres panicked"),
                }
            }
        }
    }
}

/// Rejects a data directory without a private cluster, so that a mistyped path does not create one.
fn check_has_cluster(settings: &DatabaseSettings) -> anyhow::Result<()> {
    let data_dir = settings.data_dir();
    ensure!(
        Cluster::exists(&data_dir.join(CLUSTER_DIR))?,
        "there is no TradeBahi data in {}: name its folder with --data-dir (`tradebahi serve` creates a new one)",
        data_dir.display()
    );
    Ok(())
}

fn lock(cluster: &SharedCluster) -> MutexGuard<'_, Option<Cluster>> {
    cluster.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Access to a database as its owner, whatever its schema.
pub(crate) struct OwnerAccess {
    options: PgConnectOptions,
    /// True for the private cluster.
    is_private: bool,
    /// Private cluster, if this process started it.
    cluster: Option<Cluster>,
}

impl OwnerAccess {
    /// Returns access to the database of the URL, or starts the private cluster.
    pub async fn open(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        let Some(url) = &settings.database_url else {
            let options = pg_cluster::Options {
                dir: settings.data_dir().join(CLUSTER_DIR),
                durable: true,
                web_dir: WEB_DIR.into(),
            };
            let cluster = tokio::task::spawn_blocking(move || Cluster::open(&options)).await??;
            return Ok(Self {
                options: cluster.url(pg_cluster::DATABASE).parse()?,
                is_private: true,
                cluster: Some(cluster),
            });
        };
        Ok(Self { options: parse_url(url)?, is_private: false, cluster: None })
    }

    /// Returns access to the private cluster if a server runs it; rejects a data directory without a cluster.
    async fn of_running_cluster(settings: &DatabaseSettings) -> anyhow::Result<Option<Self>> {
        if settings.database_url.is_some() {
            return Ok(None);
        }
        check_has_cluster(settings)?;
        let dir = settings.data_dir().join(CLUSTER_DIR);
        let running = tokio::task::spawn_blocking(move || Cluster::running_url(&dir, pg_cluster::DATABASE)).await??;
        running.map(|url| Ok(Self { options: url.parse()?, is_private: true, cluster: None })).transpose()
    }

    /// Returns access for a terminal command: to the cluster of a running server, or as [`OwnerAccess::open`].
    pub async fn open_for_command(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        match Self::of_running_cluster(settings).await? {
            Some(access) => Ok(access),
            None => Self::open(settings).await,
        }
    }

    /// Connects as the owner, without session timeouts.
    pub async fn connect(&self) -> anyhow::Result<PgConnection> {
        self.options.connect().await.context("Postgres does not respond")
    }

    /// Migrates the schema to the newest version.
    pub async fn migrate(&self) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        let migrated = MIGRATIONS.run(&mut connection).await.context("cannot migrate the schema");
        if migrated.is_ok() && self.is_private {
            sqlx::raw_sql(include_str!("role.sql")).execute(&mut connection).await?;
        }
        connection.close().await?;
        migrated
    }

    /// Rejects a schema of another version than this program's.
    async fn check_schema_version(&self) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        let version = schema_version(&mut connection).await?;
        connection.close().await?;
        let version = version.context("this database has no TradeBahi schema: check --database-url")?;
        let newest = newest_schema_version();
        ensure!(
            version >= newest,
            "the database has schema version {version}, but this program needs {newest}: run `tradebahi migrate`, or \
             use the version of the program that serves the database"
        );
        ensure!(
            version == newest,
            "the database has schema version {version}, newer than {newest}: use the version of the program that \
             serves the database"
        );
        Ok(())
    }

    /// Stops the private cluster if this process started it.
    pub async fn close(self) -> anyhow::Result<()> {
        stop_cluster(self.cluster).await
    }
}

/// Returns the schema version of a database; `None` if it has no schema.
pub(crate) async fn schema_version(connection: &mut PgConnection) -> anyhow::Result<Option<i64>> {
    let has_migrations =
        sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null").fetch_one(&mut *connection).await?;
    let last = "select max(version) from _sqlx_migrations where success";
    Ok(if has_migrations { sqlx::query_scalar(last).fetch_one(connection).await? } else { None })
}

/// Returns the newest schema version of this program.
pub(crate) fn newest_schema_version() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

async fn stop_cluster(cluster: Option<Cluster>) -> anyhow::Result<()> {
    if let Some(cluster) = cluster {
        tokio::task::spawn_blocking(move || cluster.stop()).await??;
    }
    Ok(())
}

/// Migrates the schema and distributes the tables over the nodes of the Citus cluster.
///
/// # Errors
/// If the database has no Citus, or fails.
pub async fn distribute(settings: &DatabaseSettings) -> anyhow::Result<()> {
    const NO_CITUS: &str = "this database has no Citus: install it on every node, run `create extension citus` there, \
                            set --database-url to the coordinator, and try again";
    ensure!(settings.database_url.is_some(), NO_CITUS);
    let access = OwnerAccess::open(settings).await?;
    let mut connection = access.connect().await?;
    ensure!(distribute::has_citus(&mut connection).await?, NO_CITUS);
    access.migrate().await?;
    distribute::distribute(&mut connection).await?;
    Ok(connection.close().await?)
}

/// Parses a database URL; rejects a remote server whose certificate is not verified.
fn parse_url(url: &str) -> anyhow::Result<PgConnectOptions> {
    let options: PgConnectOptions = url.parse().context("invalid DATABASE_URL")?;
    ensure!(
        is_local_or_verified(&options),
        "the connection to {} does not verify the server: add sslmode=verify-full to DATABASE_URL, and \
         sslrootcert=FILE if no public authority issued its certificate",
        options.get_host()
    );
    Ok(options)
}

/// Returns true if others can neither read the traffic to Postgres nor answer in its place.
fn is_local_or_verified(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let local = options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match options.get_ssl_mode() {
        PgSslMode::VerifyCa | PgSslMode::VerifyFull => true,
        PgSslMode::Disable | PgSslMode::Allow | PgSslMode::Prefer | PgSslMode::Require => local,
    }
}

impl Pools {
    /// Connects to Postgres, with at most `import_connections` for imports.
    pub async fn connect(options: &PgConnectOptions, import_connections: u32) -> anyhow::Result<Self> {
        let requests = pool_options(REQUEST_CONNECTIONS)
            .min_connections(MIN_REQUEST_CONNECTIONS)
            .connect_with(with_session_limits(options, "5s"))
            .await
            .context("Postgres does not respond")?;
        Ok(Self {
            requests,
            reads: ReadPool::new(with_session_limits(options, "5s"), READ_CONNECTIONS),
            imports: pool_options(import_connections + COMPARISON_CONNECTIONS)
                .connect_lazy_with(with_session_limits(options, "30s")),
            readiness: pool_options(READINESS_CONNECTIONS)
                .acquire_timeout(READINESS_TIMEOUT)
                .connect_lazy_with(with_session_limits(options, "1s")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_has_enough_connections_for_a_server_and_a_command() {
        let (_, limit) = include_str!("role.sql").split_once("connection limit ").unwrap();
        let limit: u32 = limit.split_once(';').unwrap().0.parse().unwrap();
        let pools = |import_connections| {
            REQUEST_CONNECTIONS + READ_CONNECTIONS + READINESS_CONNECTIONS + COMPARISON_CONNECTIONS + import_connections
        };
        assert!(pools(import::MAX_PARALLEL) + pools(1) <= limit);
    }

    #[test]
    fn s13_a_remote_postgres_must_prove_its_identity() {
        for (url, allowed) in [
            ("postgres://a@localhost/t", true),
            ("postgres://a@127.0.0.1:5433/t", true),
            ("postgres://a@localhost/t?host=%2Frun%2Fpostgresql", true),
            ("postgres://a@db.example/t", false),
            ("postgres://a@10.0.0.7/t?sslmode=prefer", false),
            ("postgres://a@10.0.0.7/t?sslmode=require", false),
            ("postgres://a@db.example/t?sslmode=verify-ca&sslrootcert=ca.pem", true),
            ("postgres://a@db.example/t?sslmode=verify-full", true),
        ] {
            assert_eq!(is_local_or_verified(&url.parse().unwrap()), allowed, "{url}");
        }
    }
}
