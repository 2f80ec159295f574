//! The service of accounts' journals through its client, on a real Postgres.

use std::sync::Arc;

use rpc::caller::{Caller, Trader};
use rpc::trader_journal::v1::trader_journal_service_client::TraderJournalServiceClient;
use rpc::trader_journal::v1::*;
use rpc::transport::{Transport, local};
use sqlx::PgPool;
use tempfile::TempDir;
use tonic::service::interceptor::InterceptedService;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use super::Settings;

mod edits;
mod entries;
mod playbooks;
mod search;

type Client = TraderJournalServiceClient<Transport>;

const ASHA: Uuid = Uuid::from_u128(1);
const RAVI: Uuid = Uuid::from_u128(2);

/// Returns a client that calls as the account.
fn client_of(pool: &PgPool, account_id: Uuid) -> Client {
    let (name, email) = ("Asha Rao".to_owned(), "asha@example.in".to_owned());
    let caller = Caller::from(Trader { account_id, session_id: Uuid::nil(), name, email, email_confirmed: true });
    let dir = Arc::new(tempfile::tempdir().unwrap());
    TraderJournalServiceClient::new(local(InterceptedService::new(
        super::server(pool.clone(), settings(&dir)).unwrap(),
        move |mut request: Request<()>| {
            // The directory lives as long as the client.
            let _ = &dir;
            request.extensions_mut().insert(caller.clone());
            Ok(request)
        },
    )))
}

/// Returns settings with the directory of screenshots.
fn settings(dir: &TempDir) -> Settings {
    Settings { screenshot_dir: Some(file_store::Location::Dir(dir.path().to_owned())), ..Default::default() }
}

/// Returns the `n`th generated position, opened on a day of 2026.
fn position(n: usize) -> Subject {
    Subject {
        kind: EntryKind::Position.into(),
        key: format!("zerodha-1:INFY:{n}"),
        symbol: "INFY".to_owned(),
        day: format!("2026-{:02}-{:02}", n / 28 % 12 + 1, n % 28 + 1),
        side: PositionSide::Long.into(),
        quantity: "10".to_owned(),
    }
}

fn day(date: &str) -> Subject {
    Subject { kind: EntryKind::Day.into(), key: date.to_owned(), day: date.to_owned(), ..Default::default() }
}

fn noted(note: &str) -> Content {
    Content { note: note.to_owned(), ..Default::default() }
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

async fn try_save(
    client: &mut Client,
    subject: Subject,
    content: Content,
    version: i64,
) -> Result<SaveEntryResponse, Status> {
    let request = SaveEntryRequest { subject: Some(subject), content: Some(content), version };
    Ok(client.save_entry(request).await?.into_inner())
}

/// Saves an entry and returns it.
async fn save(client: &mut Client, subject: Subject, content: Content, version: i64) -> Entry {
    let saved = try_save(client, subject, content, version).await.unwrap();
    assert!(!saved.conflict);
    saved.entry.unwrap()
}

/// Returns the first 20 entries.
async fn list(client: &mut Client) -> Vec<Entry> {
    client.list_entries(ListEntriesRequest::default()).await.unwrap().into_inner().entries
}

async fn search(client: &mut Client, filter: Filter) -> SearchEntriesResponse {
    let request = SearchEntriesRequest { filter: Some(filter), ..Default::default() };
    client.search_entries(request).await.unwrap().into_inner()
}

async fn edit(client: &mut Client, subjects: Vec<Subject>, edit: Edit) -> Result<EditEntriesResponse, Status> {
    Ok(client.edit_entries(EditEntriesRequest { subjects, edit: Some(edit) }).await?.into_inner())
}

fn keys(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.subject.as_ref().unwrap().key.as_str()).collect()
}

fn content(entry: &Entry) -> &Content {
    entry.content.as_ref().unwrap()
}

/// Returns the only field with a violation, and its reason.
#[track_caller]
fn violation_of(status: &Status) -> (String, String) {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let violation = tonic_types::StatusExt::get_details_bad_request(status).unwrap().field_violations.remove(0);
    (violation.field, violation.reason)
}

/// Returns the reason code of an error.
#[track_caller]
fn reason_of(status: &Status) -> String {
    tonic_types::StatusExt::get_details_error_info(status).unwrap().reason
}
