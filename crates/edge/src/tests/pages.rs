//! Tests of the files of the site.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::*;

const HOME: &str = "<!doctype html><script>one(\"</p>\")</script><SCRIPT type=\"module\" data-x='>'>two()\n</SCRIPT >\
                    <script src=\"/assets/app.js\"></script><script async src='/assets/b.js'>no</script>";

async fn site(public_url: Option<&str>, unknown: &str) -> (tempfile::TempDir, Edge) {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let file = root.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    };
    write("index.html", HOME.as_bytes());
    write("careers/index.html", b"<p>careers");
    write("account/index.html", b"<p>account");
    write("analytics/positions/index.html", b"<p>position");
    write("analytics/strategies/index.html", b"<p>strategies");
    write("application/index.html", b"<p>application");
    write("api/docs/index.html", b"<p>docs");
    for job_id in ["FE101", "BE101"] {
        write(&format!("job-description/{job_id}/index.html"), b"<p>opening");
        write(&format!("apply/{job_id}/index.html"), b"<p>apply");
    }
    write(unknown, b"<p>nothing here");
    write("assets/app.js", b"app()");
    write("assets/app.js.br", b"(brotli)");
    write("assets/app.js.gz", b"(gzip)");
    write("favicon.svg", b"<svg/>");
    write(".vite/manifest.json", b"{}");
    let settings = Settings {
        web_dir: Some(root.path().to_owned()),
        public_url: public_url.map(|url| url.parse().unwrap()),
        ..Settings::default()
    };
    let edge = Edge::with(settings).await;
    (root, edge)
}

async fn send_with_header(edge: &Edge, method: &str, path: &str, name: &str, value: &str) -> Reply {
    edge.send(edge.anonymous_request(method, path).header(name, value).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn serves_a_page_with_and_without_a_trailing_slash() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    for path in ["/careers", "/careers/", "/careers?from=mail"] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, &b"<p>careers"[..]), "{path}");
        assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(reply.header("cache-control"), "no-cache");
        reply.assert_security_headers();
    }
    assert_eq!(edge.get("/").await.body, HOME);
}

#[tokio::test]
async fn serves_the_api_description_and_its_page() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    for path in ["/api/docs", "/api/docs/"] {
        let page = edge.get(path).await;
        assert_eq!((page.status.as_u16(), &page.body[..]), (200, &b"<p>docs"[..]), "{path}");
        page.assert_security_headers();
    }
    edge.get("/api/docs/more").await.assert_problem(404, "not_found");
    let description = edge.get("/api/openapi.yaml").await;
    assert_eq!((description.status.as_u16(), description.header("content-type")), (200, "application/yaml"));
    assert_eq!(description.body, crate::API_DESCRIPTION);
}

#[tokio::test]
async fn path_shared_with_an_api_operation_serves_the_page_to_browsers_only() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let reply = send_with_header(&edge, "GET", "/account?tab=data", "accept", browser).await;
    assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, &b"<p>account"[..]));
    assert!(reply.headers.get_all("vary").iter().any(|line| line == "accept"));
    send_with_header(&edge, "GET", "/account", "accept", "*/*").await.assert_problem(401, "unauthenticated");
    send_with_header(&edge, "GET", "/api/v1/account", "accept", browser).await.assert_problem(401, "unauthenticated");
    assert_eq!(edge.get("/account").await.json()["email"], "asha@example.in");
}

#[tokio::test]
async fn positions_and_strategies_share_a_page_each_and_the_fallback_page_shows_days() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    let pages: [(&str, &[u8]); 5] = [
        ("/analytics/positions/0123456789abcdef0123", b"<p>position"),
        ("/analytics/positions/0123456789abcdef0123/", b"<p>position"),
        ("/analytics/strategies", b"<p>strategies"),
        ("/analytics/strategies/0123456789abcdef0123", b"<p>strategies"),
        ("/analytics/strategies/0123456789abcdef0123/", b"<p>strategies"),
    ];
    for (path, page) in pages {
        let reply = send_with_header(&edge, "GET", path, "accept", "text/html,*/*;q=0.8").await;
        assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, page), "{path}");
    }
    let path = "/analytics/strategies/0123";
    send_with_header(&edge, "GET", path, "accept", "text/html").await.assert_problem(401, "unauthenticated");
    let path = "/analytics/positions/0123456789abcdef0123";
    send_with_header(&edge, "GET", path, "accept", "*/*").await.assert_problem(401, "unauthenticated");
    for path in ["/journal/2026-11-20", "/journal/2026-11-20/"] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, &b"<p>nothing here"[..]), "{path}");
    }
    for path in
        ["/journal/2026-11", "/journal/20261-1-20", "/journal/x026-11-20", "/journal/2026-11-20/x", "/journal/days"]
    {
        assert_eq!(edge.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn unknown_path_returns_404_with_a_page() {
    for unknown in ["__spa-fallback.html", "404/index.html"] {
        let (_root, edge) = site(None, unknown).await;
        let missing = [
            "/nothing",
            "/assets/none.js",
            "/.vite/manifest.json",
            "/../Cargo.toml",
            "/careers//",
            "/__spa-fallback.html",
        ];
        for path in missing {
            let reply = edge.get(path).await;
            assert_eq!((reply.status.as_u16(), &reply.body[..]), (404, &b"<p>nothing here"[..]), "{path}");
            assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
            reply.assert_security_headers();
        }
        edge.get("/api/nothing").await.assert_problem(404, "not_found");
        edge.post("/nothing", &Value::Null).await.assert_problem(404, "not_found");
        let reply = edge.post("/careers", &Value::Null).await;
        reply.assert_problem(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), "GET,HEAD");
    }
}

/// [2S-04]
#[tokio::test]
async fn closed_or_unknown_opening_has_no_page() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    for (path, body) in [
        ("/job-description/FE101", "<p>opening"),
        ("/job-description/FE101/", "<p>opening"),
        ("/apply/FE101", "<p>apply"),
    ] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, body.as_bytes()), "{path}");
    }
    for path in
        ["/job-description/BE101", "/apply/BE101", "/apply/BE101/", "/job-description/XX101", "/apply", "/apply/"]
    {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), &reply.body[..]), (404, &b"<p>nothing here"[..]), "{path}");
    }
    // The page is still served while the core is unavailable.
    edge.core.refuse(tonic::Status::unavailable("gone"));
    assert_eq!(edge.get("/apply/BE101").await.status, 200);
}

/// [2J-05]
#[tokio::test]
async fn job_description_without_a_job_redirects_to_careers() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    for path in ["/job-description", "/job-description/"] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), reply.header("location")), (308, "/careers"), "{path}");
        reply.assert_security_headers();
    }
}

#[tokio::test]
async fn application_page_is_the_same_for_every_key_and_not_cached() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    for path in ["/application/a-key-of-somebody", "/application/x/y"] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, &b"<p>application"[..]), "{path}");
        assert_eq!((reply.header("x-robots-tag"), reply.header("cache-control")), ("noindex", "no-store"));
        assert_eq!(reply.header("referrer-policy"), "no-referrer");
        reply.assert_security_headers();
    }
    assert_eq!(edge.core.0.calls.lock().unwrap().iter().filter(|call| **call == "get_own_application").count(), 0);
}

#[tokio::test]
async fn csp_contains_the_hashes_of_inline_scripts() {
    let hash = |script: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)));
    let expected = format!("script-src 'self' {} {}; style-src 'self';", hash("one(\"</p>\")"), hash("two()\n"));
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    let policy = edge.get("/").await.header("content-security-policy").to_owned();
    assert!(policy.contains(&expected), "{policy}");
    assert!(!policy.contains("upgrade-insecure-requests") && !policy.contains("unsafe"));
    assert!(edge.get("/careers").await.header("content-security-policy").contains("script-src 'self'; style-src"));
    let script = edge.get("/assets/app.js").await;
    assert_eq!(script.header("content-security-policy"), "default-src 'none'; frame-ancestors 'none'; sandbox");
    let (_root, edge) = site(Some("https://tradebahi.example"), "__spa-fallback.html").await;
    assert!(edge.get("/").await.header("content-security-policy").contains("; upgrade-insecure-requests"));
}

#[tokio::test]
async fn serves_the_encoding_that_the_client_accepts() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    let mut tags = std::collections::HashSet::new();
    for (accepted, encoding, body) in
        [("br, gzip", "br", "(brotli)"), ("gzip", "gzip", "(gzip)"), ("identity", "", "app()"), ("br;q=0", "", "app()")]
    {
        let reply = send_with_header(&edge, "GET", "/assets/app.js", "accept-encoding", accepted).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("content-encoding"), &reply.body[..]),
            (200, encoding, body.as_bytes())
        );
        assert_eq!(reply.header("vary"), "accept-encoding");
        assert_eq!(reply.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(reply.header("content-type"), "text/javascript; charset=utf-8");
        assert!(reply.header("etag").starts_with('"'));
        reply.assert_security_headers();
        tags.insert(reply.header("etag").to_owned());
    }
    assert_eq!(tags.len(), 3, "each encoding has its own ETag");
    assert!(!edge.get("/favicon.svg").await.headers.contains_key("vary"));
}

#[tokio::test]
async fn returns_304_when_the_etag_matches() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    let tag = edge.get("/assets/app.js").await.header("etag").to_owned();
    let reply = send_with_header(&edge, "GET", "/assets/app.js", "if-none-match", &tag).await;
    assert_eq!((reply.status.as_u16(), reply.body.len(), reply.header("etag")), (304, 0, tag.as_str()));
    reply.assert_security_headers();
    assert_eq!(send_with_header(&edge, "GET", "/assets/app.js", "if-none-match", "\"other\"").await.status, 200);
}

#[tokio::test]
async fn head_returns_the_headers_of_get() {
    let (_root, edge) = site(None, "__spa-fallback.html").await;
    for path in ["/careers", "/assets/app.js", "/nothing"] {
        let (get, head) = (edge.get(path).await, send_with_header(&edge, "HEAD", path, "accept", "*/*").await);
        assert_eq!((head.status, head.body.len()), (get.status, 0));
        assert_eq!(head.header("content-length"), get.body.len().to_string());
        assert_eq!(head.header("etag"), get.header("etag"));
    }
}

#[tokio::test]
async fn serves_only_the_api_without_a_site() {
    Edge::new().await.get("/").await.assert_problem(404, "not_found");
}

#[tokio::test]
async fn fails_to_load_a_missing_site() {
    let settings = Settings { web_dir: Some("/nonexistent/site".into()), ..Settings::default() };
    let error = SiteFiles::load(&settings).unwrap_err();
    assert!(matches!(error, crate::Error::Site(..)), "{error}");
}
