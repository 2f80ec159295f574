//! Bucket in memory that speaks as much of the S3 protocol as the store uses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Day of every file, which object_store parses.
const STORED_AT: [&str; 2] = ["Fri, 20 Nov 2026 10:00:00 GMT", "2026-11-20T10:00:00Z"];

#[derive(Default)]
struct Contents {
    files: BTreeMap<String, Bytes>,
    fails: bool,
}

pub(crate) struct FakeBucket {
    contents: Arc<Mutex<Contents>>,
    endpoint: String,
    server: JoinHandle<()>,
}

impl FakeBucket {
    pub async fn start() -> Self {
        let contents = Arc::<Mutex<Contents>>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&contents));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { contents, endpoint, server }
    }

    pub fn settings(&self) -> AmazonS3Builder {
        AmazonS3Builder::new()
            .with_endpoint(&self.endpoint)
            .with_allow_http(true)
            .with_bucket_name("journal")
            .with_region("test")
            .with_access_key_id("key")
            .with_secret_access_key("secret")
    }

    pub fn keys(&self) -> Vec<String> {
        self.contents.lock().unwrap().files.keys().cloned().collect()
    }

    /// Accepts no further connections.
    pub fn stop(&self) {
        self.server.abort();
    }

    /// Rejects all further requests.
    pub fn fail(&self) {
        self.contents.lock().unwrap().fails = true;
    }
}

async fn answer(State(contents): State<Arc<Mutex<Contents>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut contents = contents.lock().unwrap();
    if contents.fails {
        return StatusCode::FORBIDDEN.into_response();
    }
    let key = parts.uri.path().trim_start_matches("/journal").trim_start_matches('/').to_owned();
    let headers = [("etag", "\"1\""), ("last-modified", STORED_AT[0])];
    match (&parts.method, key.as_str()) {
        (&Method::PUT, key) => {
            contents.files.insert(key.to_owned(), body);
            headers.into_response()
        }
        (&Method::GET, "") => list(&contents).into_response(),
        (&Method::GET, key) => match contents.files.get(key) {
            Some(file) => (headers, file.clone()).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        (&Method::DELETE, key) => {
            contents.files.remove(key);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn list(contents: &Contents) -> String {
    let file = |(key, bytes): (&String, &Bytes)| {
        let (size, at) = (bytes.len(), STORED_AT[1]);
        format!(
            "<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>{at}</LastModified><ETag>\"1\"</ETag></Contents>"
        )
    };
    let files: String = contents.files.iter().map(file).collect();
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{files}</ListBucketResult>")
}
