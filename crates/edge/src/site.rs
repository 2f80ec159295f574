//! Handlers of requests for the pages and files of the site.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{ACCEPT, ALLOW, CACHE_CONTROL, HeaderName, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_server::problem::Problem;

use crate::api::careers::openings::is_closed;
use crate::call::Context;
use crate::site_files::File;
use crate::state::Shared;

/// Path of the page that shows an application to its candidate. In requests, the key of the application follows it.
const APPLICATION_PATH: &str = "/application/";

/// Paths of the pages of a position and of a strategy. In requests, the id of one follows them.
const PATHS_WITH_ID: [&str; 2] = ["/analytics/positions/", "/analytics/strategies/"];

/// Number of hexadecimal digits of the id of a position or strategy.
const ID_LENGTH: usize = 20;

/// Path of the page that shows the API description; the only page below `/api`.
const DOCS_PATH: &str = "/api/docs";

/// Middleware for paths of both an operation and a page, such as `/account`. Responds with the page if the client accepts
/// HTML; otherwise runs the operation.
pub(crate) async fn prefer_page(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    if !matches!(*method, Method::GET | Method::HEAD) || !accepted.any(|line| line.contains("text/html")) {
        return next.run(request).await;
    }
    let Some(page) = find_page(&app, request.uri().path()) else { return next.run(request).await };
    let mut response = page.respond(StatusCode::OK, method, headers);
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    response
}

/// Handles paths without an operation: responds with a page, a file or 404.
pub(crate) async fn serve_site(
    State(app): State<Shared>,
    context: Context,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let not_found = || Problem::from_status(StatusCode::NOT_FOUND).into_response();
    let path = uri.path();
    if path == "/api" || path.starts_with("/api/") && path.trim_end_matches('/') != DOCS_PATH {
        return not_found();
    }
    let is_read = matches!(method, Method::GET | Method::HEAD);
    if is_read && path.trim_end_matches('/') == "/job-description" {
        return Redirect::permanent("/careers").into_response();
    }
    let is_application_page = path.strip_prefix(APPLICATION_PATH).is_some_and(|key| !key.is_empty());
    let mut page = find_page(&app, if is_application_page { APPLICATION_PATH } else { path });
    // The opening may have been closed since the page was built.
    if let Some(job_id) = parse_job_id(path).filter(|_| page.is_some())
        && is_closed(&app, &context, job_id).await
    {
        page = None;
    }
    match (page, app.site_files.not_found()) {
        (Some(file), _) if is_read && is_application_page => {
            make_private(file.respond(StatusCode::OK, &method, &headers))
        }
        (Some(file), _) if is_read => file.respond(StatusCode::OK, &method, &headers),
        (Some(_), _) => {
            let allow: (HeaderName, &str) = (ALLOW, "GET,HEAD");
            ([allow], Problem::from_status(StatusCode::METHOD_NOT_ALLOWED)).into_response()
        }
        (None, Some(page)) if is_read => page.respond(StatusCode::NOT_FOUND, &method, &headers),
        (None, _) => not_found(),
    }
}

/// Returns the file at `path`. All positions have one page, and so have all strategies; the fallback page shows the days
/// of the journal.
fn find_page<'a>(app: &'a Shared, path: &str) -> Option<&'a File> {
    let files = &app.site_files;
    if is_journal_day_path(path) {
        return files.not_found();
    }
    files.find(find_path_with_id(path).unwrap_or(path))
}

/// Returns the path without the id for the page of a position or strategy.
fn find_path_with_id(path: &str) -> Option<&'static str> {
    let is_id = |id: &str| id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    PATHS_WITH_ID.into_iter().find(|folder| path.strip_prefix(folder).is_some_and(|id| is_id(id.trim_end_matches('/'))))
}

/// Returns true for the path of the page of a day in the journal: `/journal/2026-11-20`.
fn is_journal_day_path(path: &str) -> bool {
    let Some(day) = path.strip_prefix("/journal/") else { return false };
    let parts: Vec<&str> = day.trim_end_matches('/').split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(is_number)
}

/// Returns the id of the opening in the path of a job description or application form.
fn parse_job_id(path: &str) -> Option<&str> {
    let job_id = path.strip_prefix("/job-description/").or_else(|| path.strip_prefix("/apply/"))?;
    Some(job_id.trim_end_matches('/')).filter(|job_id| !job_id.is_empty() && !job_id.contains(['/', '.']))
}

/// Excludes a page from search indexes and caches, because its URL contains a secret.
fn make_private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
