//! Tests of the service through its gRPC client, on a real Postgres.

mod account_settings;
mod cleanup;
mod deletion;
mod emails;
mod encryption;
mod google;
mod log_in;
mod login_throttle;
mod one_time_tokens;
mod password_change;
mod phone_verification;
mod registration;
mod restore;
mod second_factor;
mod service_tokens;
mod signing_keys;
mod tax_links;
mod texts;
mod token_rotation;

use std::time::Duration;

use db::ReadPool;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::auth::v1::auth_service_server::AuthServiceServer;
use rpc::auth::v1::{
    Device, GetAccountRequest, GetVerificationRequest, LogInRequest, LogOutRequest, RefreshRequest, RegisterRequest,
    Tokens,
};
use rpc::authorization::AccessGuard;
use rpc::caller::{AuthError, Trader};
use rpc::transport::{self, Transport};
use rpc::verifier::Verifier;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tonic::service::Routes;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::Settings;
use crate::service::Service;
use crate::store::{AccountReader, Store};

const PASSWORD: &str = "Monsoon 88 rain";

/// Service behind a verifier, as built in production.
struct Auth {
    client: AuthServiceClient<Transport>,
    verifier: Verifier,
}

fn settings() -> Settings {
    Settings {
        hash_memory_kib: 64,
        max_concurrent_hashes: 8,
        hash_queue_capacity: 100,
        hash_queue_timeout: Duration::from_secs(30),
        sms: Some(crate::Sms::Files("unused".into())),
        ..Settings::default()
    }
}

async fn auth(pool: PgPool) -> Auth {
    start(pool, settings()).await
}

/// Returns connections for reads beside those of `pool`.
fn reads(pool: &PgPool) -> ReadPool {
    ReadPool::new(pool.connect_options().as_ref().clone(), 4)
}

/// Returns the service without its gRPC interface.
async fn service(pool: &PgPool) -> Service {
    let store = Store::new(pool.clone());
    Service::new(store.clone(), AccountReader(reads(pool)), store, settings()).await.unwrap()
}

async fn start(pool: PgPool, settings: Settings) -> Auth {
    let verifier = Verifier::default();
    let server: AuthServiceServer<_> = crate::server(pool.clone(), reads(&pool), pool, settings).await.unwrap();
    let routes = Routes::new(AccessGuard::new(server, verifier.clone())).prepare();
    let mut client = AuthServiceClient::new(transport::local(routes));
    verifier.refresh(&mut client).await.unwrap();
    Auth { client, verifier }
}

fn asha() -> RegisterRequest {
    RegisterRequest {
        notice_version: Default::default(),
        name: "Asha Rao".to_owned(),
        email: "Asha.Rao@example.in".to_owned(),
        phone: "+91 98200-41537".to_owned(),
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
    }
}

impl Auth {
    /// Registers Asha. Returns the service and the id of her account.
    async fn with_asha(pool: PgPool) -> (Self, String) {
        let mut auth = auth(pool).await;
        let account_id = auth.client.register(asha()).await.unwrap().into_inner().account_id;
        (auth, account_id)
    }

    async fn try_log_in(&mut self, login: &str, password: &str) -> Result<Tokens, Status> {
        let device = Some(Device {
            device_token: Default::default(),
            user_agent: "Firefox".to_owned(),
            address: "127.0.0.1".to_owned(),
        });
        let request = LogInRequest {
            restore: Default::default(),
            login: login.to_owned(),
            password: password.to_owned(),
            device,
        };
        Ok(self.client.log_in(request).await?.into_inner().tokens.unwrap())
    }

    async fn log_in(&mut self) -> Tokens {
        self.try_log_in("asha.rao@example.in", PASSWORD).await.unwrap()
    }

    async fn refresh(&self, refresh_token: &str) -> Result<Tokens, Status> {
        let request = RefreshRequest { refresh_token: refresh_token.to_owned(), device: None };
        Ok(self.client.clone().refresh(request).await?.into_inner().tokens.unwrap())
    }

    async fn log_out(&mut self, refresh_token: &str) {
        let request = LogOutRequest { refresh_token: refresh_token.to_owned() };
        self.client.log_out(request).await.unwrap();
    }

    async fn ended_session_ids(&mut self) -> Vec<String> {
        self.client.get_verification(GetVerificationRequest {}).await.unwrap().into_inner().ended_session_ids
    }

    async fn verify(&mut self, tokens: &Tokens) -> Result<Trader, AuthError> {
        self.verifier.refresh(&mut self.client).await.unwrap();
        self.verifier.verify(&tokens.access_token)?.require_session()
    }
}

fn with_token<T>(message: T, access_token: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {access_token}").parse().unwrap());
    request
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().unwrap().reason
}

fn fields(status: &Status) -> Vec<(String, String)> {
    let violations = status.get_details_bad_request().map(|details| details.field_violations).unwrap_or_default();
    violations.into_iter().map(|violation| (violation.field, violation.reason)).collect()
}

async fn count(pool: &PgPool, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(pool).await.unwrap()
}

/// Counts the statements on this test's database that wait for a lock.
const WAITING_FOR_LOCK: &str =
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/// Waits until `query` counts `want`; fails after 30 seconds.
async fn wait_for_count(pool: &PgPool, query: &'static str, want: i64) {
    let reached = async { while count(pool, query).await != want {} };
    tokio::time::timeout(Duration::from_secs(30), reached).await.unwrap_or_else(|_| panic!("never {want}: {query}"));
}
