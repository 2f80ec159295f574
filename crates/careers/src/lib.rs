//! Openings, and applications for them. Owns the schema `careers`, the directory of resumes, and the files in
//! `openings/`, one per opening.
//!
//! A candidate has no account: the access key in an email gives access to one application. An application is stored
//! together with its resume, or rejected. This process never parses a resume; a sandboxed parser process checks it.
//!
//! Start reading at [`opening`], then `service.rs`. `resume_check.rs` is the parser process, `upload.rs` holds the size
//! limit of a resume, and `email_sender.rs` sends the emails.

mod answers;
mod application;
mod email_sender;
mod email_templates;
mod error;
mod form_choices;
mod grpc;
pub mod opening;
pub mod resume_check;
mod resume_scanner;
mod service;
mod settings;
mod store;
mod upload;

use mail::{Mailer, Outbox};
use rpc::caller;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::careers::v1::careers_service_server::CareersServiceServer;
use rpc::transport::{self, Transport};
use sqlx::{PgConnection, PgExecutor, PgPool};
use tonic::Request;
use tonic::service::interceptor::InterceptedService;
use uuid::Uuid;

use crate::email_sender::EmailSender;
pub use crate::error::Error;
pub use crate::grpc::Careers;
pub use crate::resume_scanner::ScannerAddress;
use crate::service::Service;
pub use crate::settings::{Retention, Settings};
use crate::store::Store;

/// Maximum size of a request message in bytes; a message contains at most 256 KiB of a resume.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

/// Creates the careers service on the database of `pool`.
///
/// Wrap it in an [`rpc::authorization::AccessGuard`]: the service trusts the caller identity in the request extensions.
///
/// # Errors
/// If an opening file is invalid, or the resume directory cannot be opened.
pub fn server(pool: PgPool, settings: Settings) -> Result<CareersServiceServer<Careers>, Error> {
    let service = Service::new(Store::new(pool), settings)?;
    Ok(CareersServiceServer::new(Careers(service)).max_decoding_message_size(MAX_MESSAGE_BYTES))
}

/// Creates a client of an in-process careers service without access checks, for commands on this machine. The access
/// log names the caller `caller_name`.
///
/// # Errors
/// As [`server`].
pub fn client(pool: PgPool, settings: Settings, caller_name: &str) -> Result<CareersServiceClient<Transport>, Error> {
    let service = caller::Service { name: caller_name.to_owned(), scopes: Vec::new() };
    let add_caller = move |mut request: Request<()>| {
        request.extensions_mut().insert(service.clone());
        Ok(request)
    };
    let server = server(pool, settings)?;
    Ok(CareersServiceClient::new(transport::local(InterceptedService::new(server, add_caller))))
}

/// Sends queued emails with `mailer` until the task is cancelled. Run it beside every [`server`].
pub async fn send_emails(pool: PgPool, mailer: Mailer, settings: Settings) {
    mail::run_outbox(outbox(pool, mailer, &settings), &settings.email_queued).await;
}

/// Creates the outbox of careers, which `mailer` sends. [`send_emails`] and tests use it.
pub fn outbox(pool: PgPool, mailer: Mailer, settings: &Settings) -> impl Outbox + use<> {
    EmailSender::new(Store::new(pool), mailer, settings)
}

/// Deletes expired applications, resumes without an application, and expired bookkeeping rows. Run it from time to time
/// in any process with access to the resume directory.
///
/// # Errors
/// The first error. A failed step does not prevent the others.
pub async fn clean_up(pool: &PgPool, settings: &Settings) -> Result<(), Error> {
    Service::new(Store::new(pool.clone()), settings.clone())?.clean_up().await
}

/// Lists the resumes of all applications with their SHA-256, for a backup.
///
/// # Errors
/// If the database fails.
pub async fn list_resumes(executor: impl PgExecutor<'_>) -> Result<Vec<(Uuid, Vec<u8>)>, Error> {
    store::queries::list_resumes(executor).await
}

/// Empties the outbox after a backup was restored, because most of its emails were sent since.
///
/// # Errors
/// If the database fails.
pub async fn clear_outbox(connection: &mut PgConnection) -> Result<(), Error> {
    store::outbox::clear(connection).await
}
