//! The gRPC service: conversion between proto messages and domain types.

mod groups;
mod requests;
mod responses;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use rpc::caller::Caller;
use rpc::failure::{self, Violation};
use rpc::trader_journal::v1 as wire;
use rpc::trader_journal::v1::download_screenshot_response::Part;
use rpc::trader_journal::v1::trader_journal_service_server::TraderJournalService;
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;

use crate::trader_journal::entry::Entry;
use crate::trader_journal::error::{Error, SCREENSHOT_NOT_FOUND};
use crate::trader_journal::screenshots::Screenshots;
use crate::trader_journal::store::{Saved, Store};
use groups::{parse_label, to_wire_groups};
use requests::{
    is_key, parse_additions, parse_content, parse_cursor, parse_edit, parse_filter, parse_keys, parse_kind,
    parse_page_size, parse_playbook, parse_subject, parse_subjects, parse_template, parse_version,
};
use responses::{to_cursor, to_timestamp, to_wire_entry, to_wire_playbook, to_wire_template};

/// Maximum number of entries with notes and plans in a response: below the message limit with the longest ones.
const MAX_FULL_ENTRIES: i32 = 20;
/// Maximum number of entries on a page of all entries without notes and plans.
const MAX_PAGE_SIZE: i32 = 500;
/// Maximum number of keys on a page.
const MAX_KEYS: i32 = 10_000;
/// Maximum number of entries on a page of a search.
const MAX_SEARCH_PAGE_SIZE: i32 = 100;
const DEFAULT_SEARCH_PAGE_SIZE: i32 = 50;

/// Maximum size of a chunk of a screenshot.
const MAX_CHUNK_BYTES: usize = 256 * 1024;
/// Maximum length of a note in a search result.
const MAX_EXCERPT_CHARS: usize = 500;

/// The service of accounts' journals. It has no service layer, because the store makes every decision under its locks.
pub struct TraderJournals {
    store: Store,
    screenshots: Screenshots,
}

impl TraderJournals {
    pub(crate) fn new(store: Store, screenshots: Screenshots) -> Self {
        Self { store, screenshots }
    }
}

#[tonic::async_trait]
impl TraderJournalService for TraderJournals {
    async fn look_up_entries(
        &self,
        request: Request<wire::LookUpEntriesRequest>,
    ) -> Result<Response<wire::LookUpEntriesResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let kind =
            parse_kind(request.kind()).ok_or_else(|| to_status(Violation::new("kind", "ENTRY_KIND_MISSING").into()))?;
        let keys = parse_keys(request.keys, request.without_text).map_err(to_status)?;
        let entries = self.store.look_up_entries(account_id, kind, &keys).await.map_err(to_status)?;
        let to_wire = if request.without_text { to_wire_entry_without_text } else { to_wire_entry };
        Ok(Response::new(wire::LookUpEntriesResponse { entries: entries.into_iter().map(to_wire).collect() }))
    }

    async fn list_entries(
        &self,
        request: Request<wire::ListEntriesRequest>,
    ) -> Result<Response<wire::ListEntriesResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let max = if request.without_text { MAX_PAGE_SIZE } else { MAX_FULL_ENTRIES };
        let limit = parse_page_size(request.page_size, max, max).map_err(to_status)?;
        let after = match request.page_token.as_str() {
            "" => 0,
            token => token.parse().map_err(|_| to_status(Violation::new("page_token", "INVALID").into()))?,
        };
        // The page has one entry more than `limit` if another page follows.
        let mut entries = self.store.list_entries(account_id, after, limit + 1).await.map_err(to_status)?;
        let has_more = i64::try_from(entries.len()).is_ok_and(|count| count > limit);
        if has_more {
            entries.pop();
        }
        let last = entries.last().filter(|_| has_more).map(|entry| entry.entry_id.to_string());
        let to_wire = if request.without_text { to_wire_entry_without_text } else { to_wire_entry };
        let entries = entries.into_iter().map(to_wire).collect();
        Ok(Response::new(wire::ListEntriesResponse { entries, next_page_token: last.unwrap_or_default() }))
    }

    async fn list_keys(
        &self,
        request: Request<wire::ListKeysRequest>,
    ) -> Result<Response<wire::ListKeysResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let kind =
            parse_kind(request.kind()).ok_or_else(|| to_status(Violation::new("kind", "ENTRY_KIND_MISSING").into()))?;
        let limit = parse_page_size(request.page_size, MAX_KEYS, MAX_KEYS).map_err(to_status)?;
        if !request.page_token.is_empty() && !is_key(&request.page_token) {
            return Err(to_status(Violation::new("page_token", "INVALID").into()));
        }
        let keys = self.store.list_keys(account_id, kind, &request.page_token, limit).await.map_err(to_status)?;
        let is_last = i64::try_from(keys.len()).is_ok_and(|count| count < limit);
        let next_page_token = keys.last().filter(|_| !is_last).cloned().unwrap_or_default();
        Ok(Response::new(wire::ListKeysResponse { keys, next_page_token }))
    }

    async fn search_entries(
        &self,
        request: Request<wire::SearchEntriesRequest>,
    ) -> Result<Response<wire::SearchEntriesResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let filter = parse_filter(request.filter.unwrap_or_default()).map_err(to_status)?;
        let limit = parse_page_size(request.page_size, DEFAULT_SEARCH_PAGE_SIZE, MAX_SEARCH_PAGE_SIZE);
        let limit = limit.map_err(to_status)?;
        let cursor = parse_cursor(&request.page_token).map_err(to_status)?;
        let page = self.store.search_entries(account_id, &filter, cursor, limit + 1).await.map_err(to_status)?;
        let mut entries = page.entries;
        let has_more = i64::try_from(entries.len()).is_ok_and(|count| count > limit);
        if has_more {
            entries.pop();
        }
        let next_page_token = entries.last().filter(|_| has_more).map(to_cursor).unwrap_or_default();
        Ok(Response::new(wire::SearchEntriesResponse {
            entries: entries.into_iter().map(to_wire_excerpt).collect(),
            total: page.total.unwrap_or_default(),
            next_page_token,
        }))
    }

    async fn group_entries(
        &self,
        request: Request<wire::GroupEntriesRequest>,
    ) -> Result<Response<wire::GroupEntriesResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let by =
            parse_label(request.by()).ok_or_else(|| to_status(Violation::new("by", "LABEL_KIND_MISSING").into()))?;
        let filter = parse_filter(request.filter.unwrap_or_default()).map_err(to_status)?;
        let groups = self.store.group_entries(account_id, &filter, by, request.with_positions).await;
        Ok(Response::new(to_wire_groups(groups.map_err(to_status)?)))
    }

    async fn save_entry(
        &self,
        request: Request<wire::SaveEntryRequest>,
    ) -> Result<Response<wire::SaveEntryResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let mut violations = Vec::new();
        let subject = parse_subject("subject", request.subject.unwrap_or_default(), &mut violations);
        let content = parse_content(request.content.unwrap_or_default(), &mut violations);
        let version = parse_version(request.version, &mut violations);
        reject_any(violations)?;
        let store = self.store.clone();
        let saved = run_write(async move { store.save_entry(account_id, &subject, &content, version).await }).await?;
        let (entry, conflict) = match saved {
            Saved::Entry(entry) => (entry, false),
            Saved::Conflict(entry) => (entry, true),
        };
        Ok(Response::new(wire::SaveEntryResponse { entry: Some(to_wire_entry(entry)), conflict }))
    }

    async fn delete_entry(
        &self,
        request: Request<wire::DeleteEntryRequest>,
    ) -> Result<Response<wire::DeleteEntryResponse>, Status> {
        let account_id = session_account(&request)?;
        let wire::DeleteEntryRequest { id, version } = request.into_inner();
        let store = self.store.clone();
        run_write(async move { store.delete_entry(account_id, id, version).await }).await?;
        Ok(Response::new(wire::DeleteEntryResponse {}))
    }

    async fn attach_entry(
        &self,
        request: Request<wire::AttachEntryRequest>,
    ) -> Result<Response<wire::AttachEntryResponse>, Status> {
        let account_id = session_account(&request)?;
        let wire::AttachEntryRequest { id, version, subject } = request.into_inner();
        let mut violations = Vec::new();
        let subject = parse_subject("subject", subject.unwrap_or_default(), &mut violations);
        reject_any(violations)?;
        let store = self.store.clone();
        let entry = run_write(async move { store.attach_entry(account_id, id, version, &subject).await }).await?;
        Ok(Response::new(wire::AttachEntryResponse { entry: Some(to_wire_entry(entry)) }))
    }

    async fn add_screenshot(
        &self,
        request: Request<Streaming<wire::AddScreenshotRequest>>,
    ) -> Result<Response<wire::AddScreenshotResponse>, Status> {
        let account_id = session_account(&request)?;
        let mut upload = self.screenshots.receive(request.into_inner()).await.map_err(to_status)?;
        let mut violations = Vec::new();
        let subject = upload.screenshot.subject.take().unwrap_or_default();
        let subject = parse_subject("screenshot.subject", subject, &mut violations);
        let screenshot_id = upload.screenshot.id.parse().unwrap_or_else(|_| {
            violations.push(Violation::new("screenshot.id", "INVALID"));
            Uuid::nil()
        });
        reject_any(violations)?;
        let entry = self.screenshots.add(account_id, screenshot_id, subject, upload).await.map_err(to_status)?;
        Ok(Response::new(wire::AddScreenshotResponse { entry: Some(to_wire_entry(entry)) }))
    }

    type DownloadScreenshotStream = BoxStream<'static, Result<wire::DownloadScreenshotResponse, Status>>;

    async fn download_screenshot(
        &self,
        request: Request<wire::DownloadScreenshotRequest>,
    ) -> Result<Response<Self::DownloadScreenshotStream>, Status> {
        let account_id = session_account(&request)?;
        let wire::DownloadScreenshotRequest { id, thumbnail } = request.into_inner();
        let opened = self.screenshots.open(account_id, parse_screenshot_id(&id)?, thumbnail).await;
        let (file, content) = opened.map_err(to_status)?;
        let head = Part::Head(wire::ScreenshotHead { media_type: file.media_type, bytes: file.bytes });
        let chunks = content.flat_map(|chunk| {
            stream::iter(match chunk {
                Ok(chunk) => chunk.chunks(MAX_CHUNK_BYTES).map(|part| Ok(Part::Chunk(part.to_vec()))).collect(),
                Err(error) => vec![Err(to_status(error.into()))],
            })
        });
        let parts = stream::once(async { Ok(head) }).chain(chunks);
        let messages = parts.map(|part| Ok(wire::DownloadScreenshotResponse { part: Some(part?) }));
        Ok(Response::new(messages.boxed()))
    }

    async fn delete_screenshot(
        &self,
        request: Request<wire::DeleteScreenshotRequest>,
    ) -> Result<Response<wire::DeleteScreenshotResponse>, Status> {
        let account_id = session_account(&request)?;
        let screenshot_id = parse_screenshot_id(&request.into_inner().id)?;
        let screenshots = self.screenshots.clone();
        run_write(async move { screenshots.delete(account_id, screenshot_id).await }).await?;
        Ok(Response::new(wire::DeleteScreenshotResponse {}))
    }

    async fn restore_screenshot(
        &self,
        request: Request<wire::RestoreScreenshotRequest>,
    ) -> Result<Response<wire::RestoreScreenshotResponse>, Status> {
        let account_id = session_account(&request)?;
        let screenshot_id = parse_screenshot_id(&request.into_inner().id)?;
        let screenshots = self.screenshots.clone();
        run_write(async move { screenshots.restore(account_id, screenshot_id).await }).await?;
        Ok(Response::new(wire::RestoreScreenshotResponse {}))
    }

    async fn edit_entries(
        &self,
        request: Request<wire::EditEntriesRequest>,
    ) -> Result<Response<wire::EditEntriesResponse>, Status> {
        let account_id = session_account(&request)?;
        let request = request.into_inner();
        let mut violations = Vec::new();
        let subjects = parse_subjects(request.subjects, &mut violations);
        let edit = parse_edit(request.edit.unwrap_or_default(), &mut violations);
        reject_any(violations)?;
        let store = self.store.clone();
        let (change_id, entries) =
            run_write(async move { store.edit_entries(account_id, &subjects, &edit).await }).await?;
        let entries = entries.into_iter().map(to_wire_entry_without_text).collect();
        Ok(Response::new(wire::EditEntriesResponse { change_id, entries }))
    }

    async fn add_to_entries(
        &self,
        request: Request<wire::AddToEntriesRequest>,
    ) -> Result<Response<wire::AddToEntriesResponse>, Status> {
        let account_id = session_account(&request)?;
        let mut violations = Vec::new();
        let additions = parse_additions(request.into_inner().additions, &mut violations);
        reject_any(violations)?;
        let store = self.store.clone();
        let added = run_write(async move { store.add_to_entries(account_id, additions).await }).await?;
        Ok(Response::new(wire::AddToEntriesResponse {
            change_id: added.change_id.unwrap_or_default(),
            changed: i32::try_from(added.changed).unwrap_or(i32::MAX),
            full: added.full,
        }))
    }

    async fn list_changes(
        &self,
        request: Request<wire::ListChangesRequest>,
    ) -> Result<Response<wire::ListChangesResponse>, Status> {
        let account_id = session_account(&request)?;
        let changes = self.store.list_changes(account_id).await.map_err(to_status)?.into_iter();
        let changes = changes.map(|change| wire::Change {
            id: change.change_id,
            made_at: Some(to_timestamp(change.made_at)),
            entries: change.entry_count,
        });
        Ok(Response::new(wire::ListChangesResponse { changes: changes.collect() }))
    }

    async fn undo_change(
        &self,
        request: Request<wire::UndoChangeRequest>,
    ) -> Result<Response<wire::UndoChangeResponse>, Status> {
        let account_id = session_account(&request)?;
        let change_id = request.into_inner().id;
        let store = self.store.clone();
        let entries = run_write(async move { store.undo_change(account_id, change_id).await }).await?;
        let entries = entries.into_iter().map(to_wire_entry_without_text).collect();
        Ok(Response::new(wire::UndoChangeResponse { entries }))
    }

    async fn list_playbooks(
        &self,
        request: Request<wire::ListPlaybooksRequest>,
    ) -> Result<Response<wire::ListPlaybooksResponse>, Status> {
        let account_id = session_account(&request)?;
        let playbooks = self.store.list_playbooks(account_id).await.map_err(to_status)?;
        let playbooks = playbooks.into_iter().map(to_wire_playbook).collect();
        Ok(Response::new(wire::ListPlaybooksResponse { playbooks }))
    }

    async fn save_playbook(
        &self,
        request: Request<wire::SavePlaybookRequest>,
    ) -> Result<Response<wire::SavePlaybookResponse>, Status> {
        let account_id = session_account(&request)?;
        let playbook = parse_playbook(request.into_inner().playbook.unwrap_or_default()).map_err(to_status)?;
        let store = self.store.clone();
        let playbook = run_write(async move { store.save_playbook(account_id, playbook).await }).await?;
        Ok(Response::new(wire::SavePlaybookResponse { playbook: Some(to_wire_playbook(playbook)) }))
    }

    async fn delete_playbook(
        &self,
        request: Request<wire::DeletePlaybookRequest>,
    ) -> Result<Response<wire::DeletePlaybookResponse>, Status> {
        let account_id = session_account(&request)?;
        let playbook_id = request.into_inner().id;
        let store = self.store.clone();
        run_write(async move { store.delete_playbook(account_id, playbook_id).await }).await?;
        Ok(Response::new(wire::DeletePlaybookResponse {}))
    }

    async fn list_templates(
        &self,
        request: Request<wire::ListTemplatesRequest>,
    ) -> Result<Response<wire::ListTemplatesResponse>, Status> {
        let account_id = session_account(&request)?;
        let templates = self.store.list_templates(account_id).await.map_err(to_status)?;
        let templates = templates.into_iter().map(to_wire_template).collect();
        Ok(Response::new(wire::ListTemplatesResponse { templates }))
    }

    async fn save_template(
        &self,
        request: Request<wire::SaveTemplateRequest>,
    ) -> Result<Response<wire::SaveTemplateResponse>, Status> {
        let account_id = session_account(&request)?;
        let template = parse_template(request.into_inner().template.unwrap_or_default()).map_err(to_status)?;
        let store = self.store.clone();
        let template = run_write(async move { store.save_template(account_id, template).await }).await?;
        Ok(Response::new(wire::SaveTemplateResponse { template: Some(to_wire_template(template)) }))
    }

    async fn delete_template(
        &self,
        request: Request<wire::DeleteTemplateRequest>,
    ) -> Result<Response<wire::DeleteTemplateResponse>, Status> {
        let account_id = session_account(&request)?;
        let template_id = request.into_inner().id;
        let store = self.store.clone();
        run_write(async move { store.delete_template(account_id, template_id).await }).await?;
        Ok(Response::new(wire::DeleteTemplateResponse {}))
    }
}

/// Converts an entry, without its note and plan.
fn to_wire_entry_without_text(mut entry: Entry) -> wire::Entry {
    entry.content.note.clear();
    entry.content.plan.clear();
    to_wire_entry(entry)
}

/// Converts an entry, with the beginning of its note and without its plan.
fn to_wire_excerpt(mut entry: Entry) -> wire::Entry {
    if let Some((end, _)) = entry.content.note.char_indices().nth(MAX_EXCERPT_CHARS) {
        entry.content.note.truncate(end);
    }
    entry.content.plan.clear();
    to_wire_entry(entry)
}

/// Parses the id of a stored screenshot. No screenshot has an invalid one.
fn parse_screenshot_id(id: &str) -> Result<Uuid, Status> {
    id.parse().map_err(|_| to_status(SCREENSHOT_NOT_FOUND))
}

/// Returns the account of the caller's session.
fn session_account<T>(request: &Request<T>) -> Result<Uuid, Status> {
    Ok(Caller::from_request(request)?.require_session()?.account_id)
}

fn reject_any(violations: Vec<Violation>) -> Result<(), Status> {
    if violations.is_empty() { Ok(()) } else { Err(to_status(Error::Invalid(violations))) }
}

/// Runs `write` until it commits or fails, even if the caller disconnects.
async fn run_write<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    db::run_to_completion(db::WRITE_TIMEOUT, write).await.map_err(to_status)
}

fn to_status(error: Error) -> Status {
    failure::to_status(&error)
}
