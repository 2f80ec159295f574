//! Files of the built site, which are kept in memory. Each page has its own content security policy; each file has the
//! compressed variants that the build made.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use axum::body::Body;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_SECURITY_POLICY_REPORT_ONLY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_server::accept_encoding::{Encoding, negotiate_encoding};
use http_server::content_security_policy::{REPORT_ONLY_POLICY, page_policy};
use http_server::load_shed::SharedBody;
use http_server::problem::KeepBody;
use sha2::{Digest, Sha256};

use crate::settings::{Error, Settings};

/// Maximum total size of the site's files, because all of them are kept in memory.
const MAX_SITE_BYTES: u64 = 256 * 1024 * 1024;
/// Paths that a build gives to the page for unknown paths.
const NOT_FOUND_PAGES: [&str; 2] = ["/__spa-fallback.html", "/404/index.html"];

/// Files of the site, by URL path.
#[derive(Debug, Default)]
pub struct SiteFiles {
    files: HashMap<String, File>,
    not_found: Option<File>,
}

/// File of the site, with its compressed variants.
#[derive(Debug)]
pub(crate) struct File {
    content_type: &'static str,
    /// Value of the `Cache-Control` header.
    cache_control: &'static str,
    /// Content security policy of a page; `None` for other files.
    policy: Option<HeaderValue>,
    plain: Variant,
    brotli: Option<Variant>,
    gzip: Option<Variant>,
}

#[derive(Debug)]
struct Variant {
    bytes: Bytes,
    /// Strong entity tag: hash of the bytes.
    etag: String,
}

impl Variant {
    fn new(bytes: Vec<u8>) -> Self {
        let hash = Sha256::digest(&bytes);
        let etag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(hash.get(..16).unwrap_or(&hash)));
        Self { bytes: bytes.into(), etag }
    }
}

impl SiteFiles {
    /// Reads the site's files from the directory in `settings`; returns no files if none is set. Blocks, because it reads
    /// and hashes every file.
    ///
    /// # Errors
    /// [`Error::Site`] if a file cannot be read, [`Error::SiteTooLarge`] above 256 MiB, and the errors of an invalid public
    /// URL.
    pub fn load(settings: &Settings) -> Result<Self, Error> {
        let Some(root) = &settings.web_dir else { return Ok(Self::default()) };
        let secure = settings.origin()?.is_some_and(|origin| origin.secure);
        let to_site_error = |error| Error::Site(root.to_owned(), error);
        let mut paths = Vec::new();
        let mut size = 0;
        list_files(root, "", &mut paths, &mut size).map_err(to_site_error)?;
        if size > MAX_SITE_BYTES {
            return Err(Error::SiteTooLarge(root.to_owned()));
        }
        let mut site = Self::default();
        for path in &paths {
            let file = File::read(root, path, secure).map_err(to_site_error)?;
            if let Some(folder) = path.strip_suffix("index.html").filter(|folder| folder.ends_with('/')) {
                site.files.insert(folder.to_owned(), file);
            } else {
                site.files.insert(path.clone(), file);
            }
        }
        let [fallback, page] = NOT_FOUND_PAGES;
        let page = page.trim_end_matches("index.html");
        site.not_found = site.files.remove(fallback).or_else(|| site.files.remove(page));
        Ok(site)
    }

    /// Returns the page for unknown paths.
    pub(crate) fn not_found(&self) -> Option<&File> {
        self.not_found.as_ref()
    }

    /// Returns the file at `path`; `/x` and `/x/` are the same page.
    pub(crate) fn find(&self, path: &str) -> Option<&File> {
        self.files.get(path).or_else(|| self.files.get(&format!("{path}/")))
    }
}

/// Adds the files in the folder `below` of `root` to `paths`, except compressed variants, and the sizes of all to `size`.
/// Hidden files are skipped.
fn list_files(root: &Path, below: &str, paths: &mut Vec<String>, size: &mut u64) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below.trim_start_matches('/')))? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.') || *name == ".well-known") else {
            continue;
        };
        let path = format!("{below}/{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list_files(root, &path, paths, size)?;
        } else if kind.is_file() {
            *size = size.saturating_add(entry.metadata()?.len());
            if !matches!(Path::new(name).extension().and_then(|extension| extension.to_str()), Some("br" | "gz")) {
                paths.push(path);
            }
        }
    }
    Ok(())
}

impl File {
    fn read(root: &Path, path: &str, secure: bool) -> io::Result<Self> {
        let file = root.join(path.trim_start_matches('/'));
        let read_variant = |extension: &str| match fs::read(format!("{}.{extension}", file.display())) {
            Ok(bytes) => Ok(Some(Variant::new(bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        let (brotli, gzip) = (read_variant("br")?, read_variant("gz")?);
        let bytes = fs::read(&file)?;
        let content_type = content_type(path);
        let policy =
            content_type.starts_with("text/html").then(|| page_policy(&String::from_utf8_lossy(&bytes), secure));
        let policy = policy.map(|text| HeaderValue::try_from(text).map_err(io::Error::other)).transpose()?;
        let is_immutable = path.starts_with("/assets/");
        let cache_control = if is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
        Ok(Self { content_type, cache_control, policy, plain: Variant::new(bytes), brotli, gzip })
    }

    /// Creates a file that is not part of the site.
    pub(crate) fn from_memory(content_type: &'static str, bytes: &[u8], gzip: Option<Vec<u8>>) -> Self {
        Self {
            content_type,
            cache_control: "no-cache",
            policy: None,
            plain: Variant::new(bytes.to_vec()),
            brotli: None,
            gzip: gzip.map(Variant::new),
        }
    }

    /// Returns the variant that the client prefers, and its `Content-Encoding`.
    fn select_variant(&self, headers: &HeaderMap) -> (&Variant, Option<&'static str>) {
        let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        let lines: Vec<&str> = lines.collect();
        match negotiate_encoding(&lines, self.brotli.is_some(), self.gzip.is_some()) {
            Encoding::Brotli => (self.brotli.as_ref().unwrap_or(&self.plain), Some("br")),
            Encoding::Gzip => (self.gzip.as_ref().unwrap_or(&self.plain), Some("gzip")),
            Encoding::Identity => (&self.plain, None),
        }
    }

    /// Returns the response with the file, or 304 if the client has it already.
    pub(crate) fn respond(&self, status: StatusCode, method: &Method, headers: &HeaderMap) -> Response {
        let (variant, encoding) = self.select_variant(headers);
        let is_unchanged = status == StatusCode::OK && has_etag(headers, &variant.etag);
        let has_body = !is_unchanged && method != Method::HEAD;
        let body = if has_body { Body::from(variant.bytes.clone()) } else { Body::empty() };
        let mut response = Response::new(body);
        *response.status_mut() = if is_unchanged { StatusCode::NOT_MODIFIED } else { status };
        response.extensions_mut().insert(KeepBody);
        response.extensions_mut().insert(SharedBody);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache_control));
        if let Ok(etag) = HeaderValue::from_str(&variant.etag) {
            headers.insert(ETAG, etag);
        }
        if self.brotli.is_some() || self.gzip.is_some() {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        if let Some(policy) = &self.policy {
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
            headers.insert(CONTENT_SECURITY_POLICY_REPORT_ONLY, HeaderValue::from_static(REPORT_ONLY_POLICY));
        }
        if !is_unchanged {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            headers.insert(CONTENT_LENGTH, variant.bytes.len().into());
            if let Some(encoding) = encoding {
                headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
            }
        }
        response
    }
}

/// Returns true if `If-None-Match` contains `etag`.
fn has_etag(headers: &HeaderMap, etag: &str) -> bool {
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|client_etag| {
        let client_etag = client_etag.trim();
        client_etag == "*" || client_etag.trim_start_matches("W/") == etag
    })
}

fn content_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
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
