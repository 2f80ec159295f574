//! The product as three programs, with a line between each two that can be spoilt.

use std::path::PathBuf;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;

use super::await_ready;
use super::proxy::{End, Proxy};
use super::writers::Front;
use crate::process::Process;

/// Clients, edge, core and Postgres.
pub struct Stack {
    /// Between the clients and the edge.
    pub browsers: Proxy,
    pub edge: Process,
    /// Between the edge and the core.
    pub calls: Proxy,
    pub core: Process,
    /// Between the core and Postgres.
    pub queries: Proxy,
    data: TempDir,
}

impl Stack {
    pub fn start(pool: &PgPool) -> Self {
        let data = tempfile::tempdir().unwrap();
        let options = pool.connect_options();
        let queries = Proxy::to(postgres(&options));
        let url = format!(
            "postgres://{}@127.0.0.1:{}/{}?sslmode=disable",
            options.get_username(),
            queries.port(),
            options.get_database().unwrap()
        );
        let core = Process::start_core(&url, &data.path().join("core"));
        let calls = Proxy::to(End::Tcp(core.grpc_port()));
        let edge = Process::start_edge(calls.port(), &data.path().join("edge"));
        let browsers = Proxy::to(End::Tcp(edge.port()));
        let stack = Self { browsers, edge, calls, core, queries, data };
        await_ready(&stack.edge, true);
        stack
    }

    /// What clients use.
    pub fn front(&self) -> Front {
        Front::at(self.browsers.port())
    }

    pub fn resumes(&self) -> PathBuf {
        self.data.path().join("core").join("resumes")
    }
}

/// Where Postgres listens.
fn postgres(options: &PgConnectOptions) -> End {
    let host = options.get_host();
    let folder = options.get_socket().cloned().or_else(|| host.starts_with('/').then(|| host.into()));
    match folder {
        Some(folder) => End::Unix(folder.join(format!(".s.PGSQL.{}", options.get_port()))),
        None => End::Tcp(options.get_port()),
    }
}
