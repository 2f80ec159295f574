//! The built site, held in memory: each page with its own policy, each file in the encodings that were made at build
//! time.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_SECURITY_POLICY_REPORT_ONLY, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use sha2::{Digest, Sha256};

use crate::Shared;
use crate::call::Context;
use crate::careers;
use crate::encoding::{self, Encoding};
use crate::problem::{AsItIs, Problem};
use crate::settings::{Error, Settings};

/// A site that is larger than this was not meant to be held in memory.
const LARGEST: u64 = 256 * 1024 * 1024;
/// The page for paths that there are not, by the names that builds give it.
const UNKNOWN: [&str; 2] = ["/__spa-fallback.html", "/404/index.html"];

/// The page of every candidate. What stands behind it in the path is the key of one.
const CANDIDATE: &str = "/application/";

/// The page that shows the contract: the only one among the operations.
const DOCS: &str = "/api/docs";

/// The site.
#[derive(Debug, Default)]
pub struct Pages {
    files: HashMap<String, File>,
    unknown: Option<File>,
}

#[derive(Debug)]
struct File {
    content_type: &'static str,
    cache: &'static str,
    /// Of a page; what is not a page has none of its own.
    policy: Option<HeaderValue>,
    plain: Variant,
    brotli: Option<Variant>,
    gzip: Option<Variant>,
}

#[derive(Debug)]
struct Variant {
    bytes: Bytes,
    /// Strong: a hash of these very bytes.
    tag: String,
}

impl Variant {
    fn new(bytes: Vec<u8>) -> Self {
        let hash = Sha256::digest(&bytes);
        let tag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(hash.get(..16).unwrap_or(&hash)));
        Self { bytes: bytes.into(), tag }
    }
}

impl Pages {
    /// Reads the site of those settings; without one there are no pages. Hashes every file: nothing for an async thread.
    ///
    /// # Errors
    /// [`Error::Site`] where it cannot be read, [`Error::SiteTooLarge`] above 256 MiB; where the public address is none,
    /// those of [`Error`] that say so.
    pub fn load(settings: &Settings) -> Result<Self, Error> {
        let Some(root) = &settings.web_dir else { return Ok(Self::default()) };
        let secure = settings.origin()?.is_some_and(|origin| origin.secure);
        let unreadable = |error| Error::Site(root.to_owned(), error);
        let mut found = Vec::new();
        let mut size = 0;
        walk(root, "", &mut found, &mut size).map_err(unreadable)?;
        if size > LARGEST {
            return Err(Error::SiteTooLarge(root.to_owned()));
        }
        let mut pages = Self::default();
        for path in &found {
            let file = File::read(root, path, secure).map_err(unreadable)?;
            if let Some(folder) = path.strip_suffix("index.html").filter(|folder| folder.ends_with('/')) {
                pages.files.insert(folder.to_owned(), file);
            } else {
                pages.files.insert(path.clone(), file);
            }
        }
        let [fallback, page] = UNKNOWN;
        let page = page.trim_end_matches("index.html");
        pages.unknown = pages.files.remove(fallback).or_else(|| pages.files.remove(page));
        Ok(pages)
    }

    /// `/x` and `/x/` are one page.
    fn find(&self, path: &str) -> Option<&File> {
        self.files.get(path).or_else(|| self.files.get(&format!("{path}/")))
    }
}

/// All files under `root`, by their path from it; not those that only encode another, and nothing hidden.
fn walk(root: &Path, below: &str, found: &mut Vec<String>, size: &mut u64) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below.trim_start_matches('/')))? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.') || *name == ".well-known") else {
            continue;
        };
        let path = format!("{below}/{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(root, &path, found, size)?;
        } else if kind.is_file() {
            *size = size.saturating_add(entry.metadata()?.len());
            if !matches!(Path::new(name).extension().and_then(|end| end.to_str()), Some("br" | "gz")) {
                found.push(path);
            }
        }
    }
    Ok(())
}

impl File {
    fn read(root: &Path, path: &str, secure: bool) -> io::Result<Self> {
        let place = root.join(path.trim_start_matches('/'));
        let made = |ending: &str| match fs::read(format!("{}.{ending}", place.display())) {
            Ok(bytes) => Ok(Some(Variant::new(bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        let (brotli, gzip) = (made("br")?, made("gz")?);
        let bytes = fs::read(&place)?;
        let content_type = content_type(path);
        let policy = content_type.starts_with("text/html").then(|| policy(&String::from_utf8_lossy(&bytes), secure));
        let policy = policy.map(|text| HeaderValue::try_from(text).map_err(io::Error::other)).transpose()?;
        let immutable = path.starts_with("/assets/");
        let cache = if immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
        Ok(Self { content_type, cache, policy, plain: Variant::new(bytes), brotli, gzip })
    }

    fn best(&self, headers: &HeaderMap) -> (&Variant, Option<&'static str>) {
        let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        let lines: Vec<&str> = lines.collect();
        match encoding::best(&lines, self.brotli.is_some(), self.gzip.is_some()) {
            Encoding::Brotli => (self.brotli.as_ref().unwrap_or(&self.plain), Some("br")),
            Encoding::Gzip => (self.gzip.as_ref().unwrap_or(&self.plain), Some("gzip")),
            Encoding::Plain => (&self.plain, None),
        }
    }

    /// The file, or 304 when the client has it already.
    fn answer(&self, status: StatusCode, method: &Method, headers: &HeaderMap) -> Response {
        let (variant, encoding) = self.best(headers);
        let unchanged = status == StatusCode::OK && holds(headers, &variant.tag);
        let sent = !unchanged && method != Method::HEAD;
        let body = if sent { Body::from(variant.bytes.clone()) } else { Body::empty() };
        let mut response = Response::new(body);
        *response.status_mut() = if unchanged { StatusCode::NOT_MODIFIED } else { status };
        response.extensions_mut().insert(AsItIs);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache));
        if let Ok(tag) = HeaderValue::from_str(&variant.tag) {
            headers.insert(ETAG, tag);
        }
        if self.brotli.is_some() || self.gzip.is_some() {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        if let Some(policy) = &self.policy {
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
            headers.insert(CONTENT_SECURITY_POLICY_REPORT_ONLY, HeaderValue::from_static(TRIAL_POLICY));
        }
        if !unchanged {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            headers.insert(CONTENT_LENGTH, variant.bytes.len().into());
            if let Some(encoding) = encoding {
                headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
            }
        }
        response
    }
}

/// Whether the client says that it holds `tag`.
fn holds(headers: &HeaderMap, tag: &str) -> bool {
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|held| {
        let held = held.trim();
        held == "*" || held.trim_start_matches("W/") == tag
    })
}

/// What is tried before it binds: no script of ours hands text to the browser as code.
const TRIAL_POLICY: &str = "require-trusted-types-for 'script'; report-uri /api/csp-report";

/// What the page `html` may load and run: our own files, and the scripts that stand in it.
fn policy(html: &str, secure: bool) -> String {
    let mut scripts = String::new();
    for script in inline_scripts(html) {
        scripts.push_str(&format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(script))));
    }
    // On the first run there is no https to upgrade to.
    let upgrade = if secure { "; upgrade-insecure-requests" } else { "" };
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; frame-src 'none'; worker-src 'none'; object-src 'none'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'{upgrade}; \
         report-uri /api/csp-report"
    )
}

/// The text of each script that stands in the page itself.
fn inline_scripts(html: &str) -> Vec<&str> {
    // Lower case has the same length in ASCII, and tags are ASCII.
    let lower = html.to_ascii_lowercase();
    let mut scripts: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(tag) = after(&lower, at, "<script") {
        let Some(text) = tag_end(&lower, tag) else { break };
        let Some(close) = after(&lower, text, "</script").map(|end| end - "</script".len()) else { break };
        let attributes = lower.get(tag..text).unwrap_or_default();
        let by_source = attributes.split(|c: char| c.is_whitespace() || c == '/').any(|word| word.starts_with("src="));
        let script = html.get(text..close).unwrap_or_default();
        if !by_source && !scripts.contains(&script) {
            scripts.push(script);
        }
        at = close;
    }
    scripts
}

/// Where `text` ends, the next time it stands in `html`.
fn after(html: &str, from: usize, text: &str) -> Option<usize> {
    html.get(from..)?.find(text).map(|place| from + place + text.len())
}

/// Where the tag ends whose attributes begin at `from`. A `>` in quotes does not end it.
fn tag_end(html: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (place, byte) in html.get(from..)?.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(from + place + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn content_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        "data" => "text/x-script; charset=utf-8",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

/// A path without `/api/v1` may be an operation's and a page's, such as `/account`: who goes there with a browser gets
/// the page, everyone else the operation.
pub(crate) async fn first(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    if !matches!(*method, Method::GET | Method::HEAD) || !accepted.any(|line| line.contains("text/html")) {
        return next.run(request).await;
    }
    let Some(page) = app.pages.find(request.uri().path()) else { return next.run(request).await };
    let mut response = page.answer(StatusCode::OK, method, headers);
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    response
}

/// Everything that is no operation: a page, a file, or neither.
pub(crate) async fn serve(
    State(app): State<Shared>,
    context: Context,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let unknown = || Problem::of_status(StatusCode::NOT_FOUND).into_response();
    let path = uri.path();
    if path == "/api" || path.starts_with("/api/") && path.trim_end_matches('/') != DOCS {
        return unknown();
    }
    let reading = matches!(method, Method::GET | Method::HEAD);
    if reading && path.trim_end_matches('/') == "/job-description" {
        return Redirect::permanent("/careers").into_response();
    }
    let candidate = path.strip_prefix(CANDIDATE).is_some_and(|key| !key.is_empty());
    let mut page = app.pages.find(if candidate { CANDIDATE } else { path });
    // The page was built while one could still apply.
    if let Some(job_id) = job_id(path).filter(|_| page.is_some())
        && careers::is_gone(&app, &context, job_id).await
    {
        page = None;
    }
    match (page, &app.pages.unknown) {
        (Some(file), _) if reading && candidate => private(file.answer(StatusCode::OK, &method, &headers)),
        (Some(file), _) if reading => file.answer(StatusCode::OK, &method, &headers),
        (Some(_), _) => {
            let allow: (HeaderName, &str) = (ALLOW, "GET,HEAD");
            ([allow], Problem::of_status(StatusCode::METHOD_NOT_ALLOWED)).into_response()
        }
        (None, Some(page)) if reading => page.answer(StatusCode::NOT_FOUND, &method, &headers),
        (None, _) => unknown(),
    }
}

/// The opening that a page is about.
fn job_id(path: &str) -> Option<&str> {
    let job_id = path.strip_prefix("/job-description/").or_else(|| path.strip_prefix("/apply/"))?;
    Some(job_id.trim_end_matches('/')).filter(|job_id| !job_id.is_empty() && !job_id.contains(['/', '.']))
}

/// A page whose address opens something: in no index, and left in no cache.
fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
