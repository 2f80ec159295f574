//! Rejects requests that do not name exactly one host (RFC 9112, section 3.2).
//!
//! A proxy in front and this server could otherwise take the same request for different hosts.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::Version;
use http::header::HOST;
use http::uri::Authority;

use crate::problem::Problem;

/// Middleware that rejects a request without a host, or with more than one, with 400.
pub async fn require_one_host(request: Request, next: Next) -> Response {
    if names_one_host(&request) {
        next.run(request).await
    } else {
        Problem::malformed("The request must name one host.").into_response()
    }
}

fn names_one_host(request: &Request) -> bool {
    let hosts: Vec<_> = request.headers().get_all(HOST).iter().collect();
    match hosts.as_slice() {
        // HTTP/2 names the host in the URI; HTTP/1.0 need not name it.
        [] => request.uri().authority().is_some() || request.version() < Version::HTTP_11,
        [host] => host.to_str().is_ok_and(|host| host.parse::<Authority>().is_ok()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn s11_a_request_names_exactly_one_host() {
        let check = |uri: &str, version: Version, hosts: &[&str]| {
            let mut request = Request::builder().uri(uri).version(version);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            names_one_host(&request.body(Body::empty()).unwrap())
        };
        assert!(check("/", Version::HTTP_11, &["a.example"]) && check("/", Version::HTTP_11, &["[::1]:8080"]));
        assert!(check("/", Version::HTTP_10, &[]) && check("http://a.example/", Version::HTTP_2, &[]));
        assert!(!check("/", Version::HTTP_11, &[]) && !check("/", Version::HTTP_11, &["a.example", "a.example"]));
        assert!(!check("/", Version::HTTP_2, &[]) && !check("http://a/", Version::HTTP_2, &["a", "b"]));
        assert!(!check("/", Version::HTTP_11, &["a example"]) && !check("/", Version::HTTP_11, &[""]));
    }
}
