//! Connections to Postgres, and the private cluster where none was given.

use std::time::Duration;

use anyhow::Context as _;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use postgres::Cluster;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};

use crate::config::DatabaseSettings;

/// Where the npm package with Postgres binaries is, when the machine has none.
const WEB_DIR: &str = "web";

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
    pub async fn open(settings: &DatabaseSettings) -> anyhow::Result<Self> {
        let (url, cluster) = match &settings.database_url {
            Some(url) => (url.clone(), None),
            None => {
                let options = postgres::Options {
                    dir: settings.data_dir.join("postgres"),
                    durable: true,
                    web_dir: WEB_DIR.into(),
                };
                let cluster = tokio::task::spawn_blocking(move || Cluster::open(&options)).await??;
                (cluster.url("tradebahi"), Some(cluster))
            }
        };
        let pools = Pools::connect(&url).await?;
        migrate(&pools.requests).await?;
        Ok(Self { pools, cluster })
    }

    /// Closes the connections and stops the private cluster.
    pub async fn close(self) -> anyhow::Result<()> {
        for pool in [&self.pools.requests, &self.pools.imports, &self.pools.readiness] {
            pool.close().await;
        }
        if let Some(cluster) = self.cluster {
            tokio::task::spawn_blocking(move || cluster.stop()).await??;
        }
        Ok(())
    }
}

async fn migrate(pool: &PgPool) -> anyhow::Result<()> {
    // Migrations may take longer than any request may.
    let mut connection = pool.acquire().await?.detach();
    sqlx::query("set statement_timeout = 0").execute(&mut connection).await?;
    sqlx::query("set lock_timeout = '60s'").execute(&mut connection).await?;
    sqlx::migrate!("../../migrations").run(&mut connection).await.context("the schema could not be brought up to date")
}

impl Pools {
    /// Connects to the database at `url`.
    pub async fn connect(url: &str) -> anyhow::Result<Self> {
        let options: PgConnectOptions = url.parse().context("DATABASE_URL is not an address of a Postgres")?;
        let limited = |statement| limited(&options, statement);
        let requests =
            pool(8).min_connections(2).connect_with(limited("5s")).await.context("Postgres does not answer")?;
        Ok(Self {
            requests,
            imports: pool(2).acquire_timeout(Duration::from_secs(30)).connect_lazy_with(limited("30s")),
            readiness: pool(1).acquire_timeout(Duration::from_millis(500)).connect_lazy_with(limited("1s")),
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
