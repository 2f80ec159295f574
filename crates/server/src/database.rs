//! Connections to Postgres, and the private cluster where none was given.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use postgres::Cluster;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::config::DatabaseSettings;
use crate::distribute;

/// Where the npm package with Postgres binaries is, when the machine has none.
const WEB_DIR: &str = "web";
/// Where the private cluster is in the data directory.
const CLUSTER: &str = "postgres";
/// What the pools use of the private cluster: see `role.sql`.
const ROLE: &str = "tradebahi_app";
/// How long connections may stay in use once the server has stopped.
const CLOSE: Duration = Duration::from_secs(30);

/// A migrated database.
pub struct Database {
    /// Connections to it.
    pub pools: Pools,
    cluster: Option<Cluster>,
}

/// Connections by what they are for, so that one kind of work never waits for another.
#[derive(Clone)]
pub struct Pools {
    /// For everything short.
    pub requests: PgPool,
    /// For imports, which hold theirs while a file is read.
    pub imports: PgPool,
    /// For the question whether the database answers.
    pub readiness: PgPool,
}

impl Database {
    /// Connects, starting the private cluster where no URL was given, and brings the schema up to date.
    ///
    /// Of the private cluster we are the owner, so the pools use a role that can do no more than read and write rows.
    pub async fn open(settings: &DatabaseSettings, imports: u32) -> anyhow::Result<Self> {
        let Some(url) = &settings.database_url else {
            let options =
                postgres::Options { dir: settings.data_dir.join(CLUSTER), durable: true, web_dir: WEB_DIR.into() };
            let cluster = tokio::task::spawn_blocking(move || Cluster::open(&options)).await??;
            let owner: PgConnectOptions = cluster.url(postgres::DATABASE).parse()?;
            migrate(&owner).await?;
            let mut connection = owner.connect().await?;
            sqlx::raw_sql(include_str!("role.sql")).execute(&mut connection).await?;
            connection.close().await?;
            let pools = Pools::connect(&owner.username(ROLE), imports).await?;
            return Ok(Self { pools, cluster: Some(cluster) });
        };
        let options = given(url)?;
        migrate(&options).await?;
        Ok(Self { pools: Pools::connect(&options, imports).await?, cluster: None })
    }

    /// The same for an errand. A server that runs on the private cluster goes on, and has brought it up to date.
    pub async fn visit(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        if settings.database_url.is_none() {
            let dir = settings.data_dir.join(CLUSTER);
            let running = tokio::task::spawn_blocking(move || Cluster::running(&dir, postgres::DATABASE)).await??;
            if let Some(url) = running {
                let owner: PgConnectOptions = url.parse()?;
                let pools = Pools::connect(&owner.username(ROLE), 1).await?;
                return Ok(Self { pools, cluster: None });
            }
        }
        Self::open(settings, 1).await
    }

    /// Closes the connections and stops the private cluster. Whoever still holds a connection after a while loses it.
    pub async fn close(self) -> anyhow::Result<()> {
        let Pools { requests, imports, readiness } = &self.pools;
        let closed = async { tokio::join!(requests.close(), imports.close(), readiness.close()) };
        if tokio::time::timeout(CLOSE, closed).await.is_err() {
            tracing::warn!("a connection was still in use");
        }
        if let Some(cluster) = self.cluster {
            tokio::task::spawn_blocking(move || cluster.stop()).await??;
        }
        Ok(())
    }
}

/// Brings the database to the newest schema and spreads its tables over the nodes of its cluster.
///
/// # Errors
/// When the database has no Citus, or fails.
pub async fn distribute(settings: &DatabaseSettings) -> anyhow::Result<()> {
    const NO_CITUS: &str = "this database has no Citus, which spreads tables over machines: install it on every node, \
                            run `create extension citus` there, say with --database-url where the coordinator is, and \
                            try again";
    let options = given(settings.database_url.as_ref().context(NO_CITUS)?)?;
    let mut connection = options.connect().await.context("Postgres does not answer")?;
    ensure!(distribute::is_cluster(&mut connection).await?, NO_CITUS);
    migrate(&options).await?;
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

async fn migrate(options: &PgConnectOptions) -> anyhow::Result<()> {
    let mut connection = options.connect().await.context("Postgres does not answer")?;
    let migrated = sqlx::migrate!("../../migrations").run(&mut connection).await;
    connection.close().await?;
    migrated.context("the schema could not be brought up to date")
}

impl Pools {
    /// Connects, with a connection for each of so many imports at once.
    pub async fn connect(options: &PgConnectOptions, imports: u32) -> anyhow::Result<Self> {
        let requests = pool(8)
            .min_connections(2)
            .connect_with(limited(options, "5s"))
            .await
            .context("Postgres does not answer")?;
        Ok(Self {
            requests,
            imports: pool(imports).connect_lazy_with(limited(options, "30s")),
            readiness: pool(1).acquire_timeout(Duration::from_millis(500)).connect_lazy_with(limited(options, "1s")),
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
    ])
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(2))
        .idle_timeout(Duration::from_secs(600))
        .max_lifetime(Duration::from_secs(1800))
        .test_before_acquire(false)
        .before_acquire(|connection, _| outside_a_transaction(connection))
}

/// Refuses a connection that came back inside a transaction, as it does when a `begin` was dropped half-way: whatever
/// is written on it next would vanish. It must be `raw_sql`: a prepared query has its own statement timestamp.
fn outside_a_transaction(connection: &mut PgConnection) -> BoxFuture<'_, Result<bool, sqlx::Error>> {
    async move {
        use sqlx::Row as _;
        let row = sqlx::raw_sql("select now() = statement_timestamp()").fetch_one(&mut *connection).await?;
        row.try_get(0)
    }
    .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

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
