//! Edge, core and Postgres as separate programs, with a proxy on each connection.

use std::path::PathBuf;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;

use super::proxy::{Proxy, Target};
use super::wait_for_readiness;
use super::writers::Client;
use crate::process::Process;

/// Edge, core and Postgres, connected through proxies.
pub struct Stack {
    /// Proxy between the clients and the edge.
    pub browser_to_edge: Proxy,
    pub edge: Process,
    /// Proxy between the edge and the core.
    pub edge_to_core: Proxy,
    pub core: Process,
    /// Proxy between the core and Postgres.
    pub core_to_postgres: Proxy,
    data: TempDir,
}

impl Stack {
    pub fn start(pool: &PgPool) -> Self {
        let data = tempfile::tempdir().unwrap();
        let options = pool.connect_options();
        let core_to_postgres = Proxy::start(postgres_address(&options));
        let url = format!(
            "postgres://{}@127.0.0.1:{}/{}?sslmode=disable",
            options.get_username(),
            core_to_postgres.port(),
            options.get_database().unwrap()
        );
        let core = Process::start_core(&url, &data.path().join("core"));
        let edge_to_core = Proxy::start(Target::Tcp(core.grpc_port()));
        let edge = Process::start_edge(edge_to_core.port(), &data.path().join("edge"));
        let browser_to_edge = Proxy::start(Target::Tcp(edge.port()));
        let stack = Self { browser_to_edge, edge, edge_to_core, core, core_to_postgres, data };
        wait_for_readiness(&stack.edge, true);
        stack
    }

    /// Returns a client of the edge.
    pub fn client(&self) -> Client {
        Client::new(self.browser_to_edge.port())
    }

    pub fn resumes(&self) -> PathBuf {
        self.data.path().join("core").join("resumes")
    }
}

/// Returns the address of Postgres.
fn postgres_address(options: &PgConnectOptions) -> Target {
    let host = options.get_host();
    let folder = options.get_socket().cloned().or_else(|| host.starts_with('/').then(|| host.into()));
    match folder {
        Some(folder) => Target::Unix(folder.join(format!(".s.PGSQL.{}", options.get_port()))),
        None => Target::Tcp(options.get_port()),
    }
}
