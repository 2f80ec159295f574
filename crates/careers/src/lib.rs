//! Openings, and the applications for them. Owns the schema `careers`, the folder of resumes, and one file for each
//! opening in `openings/`.
//!
//! A candidate has no account: the key in a letter opens the own application and nothing else. An application is kept
//! with its resume, or refused; no resume is ever opened in this process, a child with hard limits looks at it.
//!
//! Start reading at [`opening`], then `service.rs`; `check.rs` is what the child does, and `writer.rs` sends the letters.

mod answers;
mod application;
pub mod check;
mod error;
mod grpc;
mod letter;
pub mod opening;
mod resumes;
mod service;
mod settings;
mod store;
mod upload;
mod writer;

use mail::{Letters, Mailer};
use rpc::caller;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::careers::v1::careers_service_server::CareersServiceServer;
use rpc::transport::{self, Transport};
use sqlx::{PgConnection, PgExecutor, PgPool};
use tonic::Request;
use tonic::service::interceptor::InterceptedService;
use uuid::Uuid;

pub use crate::error::Error;
pub use crate::grpc::Careers;
pub use crate::resumes::Resumes;
use crate::service::Service;
pub use crate::settings::Settings;
use crate::store::Store;
use crate::writer::Writer;

/// A message holds a chunk of at most 256 KiB and little else.
const LARGEST_MESSAGE: usize = 1024 * 1024;

/// The careers service on the database of `pool`.
///
/// Put an [`rpc::guard::Guarded`] in front of it: it believes what that says of the caller.
pub fn server(pool: PgPool, settings: Settings) -> Result<CareersServiceServer<Careers>, Error> {
    Ok(serve(Service::new(Store::new(pool), settings)?))
}

fn serve(service: Service) -> CareersServiceServer<Careers> {
    CareersServiceServer::new(Careers(service)).max_decoding_message_size(LARGEST_MESSAGE)
}

/// The careers service without a guard, for somebody at this machine: every read is written down as by `who`.
pub fn client(pool: PgPool, settings: Settings, who: &str) -> Result<CareersServiceClient<Transport>, Error> {
    Ok(unguarded(server(pool, settings)?, who))
}

fn unguarded(server: CareersServiceServer<Careers>, who: &str) -> CareersServiceClient<Transport> {
    let service = caller::Service { name: who.to_owned(), scopes: Vec::new() };
    let named = move |mut request: Request<()>| {
        request.extensions_mut().insert(service.clone());
        Ok(request)
    };
    CareersServiceClient::new(transport::local(InterceptedService::new(server, named)))
}

/// Writes the letters that are asked for, and has `mailer` send them, for ever. To be run beside every [`server`].
pub async fn write_letters(pool: PgPool, mailer: Mailer, settings: Settings) {
    mail::write_all(letters(pool, mailer, &settings), &settings.bell).await;
}

/// The letters that are asked for, which leave by `mailer`: for [`write_letters`], and for who waits for them in a test.
pub fn letters(pool: PgPool, mailer: Mailer, settings: &Settings) -> impl Letters + use<> {
    Writer::new(Store::new(pool), mailer, settings)
}

/// Erases the applications whose time is over, the resumes that belong to none, and what else is of no use. To be run
/// from time to time, by any process that reaches the folder of resumes.
pub async fn sweep(pool: &PgPool, settings: &Settings) -> Result<(), Error> {
    Service::new(Store::new(pool.clone()), settings.clone())?.sweep().await
}

/// The resumes that applications have, each with its SHA-256: what a backup takes from the folder.
pub async fn resumes_kept(executor: impl PgExecutor<'_>) -> Result<Vec<(Uuid, Vec<u8>)>, Error> {
    store::resumes(executor).await
}

/// Forgets the letters that came back with a backup: most have been sent since.
pub async fn restored(connection: &mut PgConnection) -> Result<(), Error> {
    store::forget_letters(connection).await
}
