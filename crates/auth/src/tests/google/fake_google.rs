//! Fake Google with HTTP on a socket and RS256 signatures.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, LazyLock, Mutex};

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tokio::net::TcpListener;
use url::{Url, form_urlencoded};

use crate::Google;

pub const CLIENT_ID: &str = "us.apps.example";
const CLIENT_SECRET: &str = "between us";
const KID: &str = "2026-11";

static KEY: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate(KeySize::Rsa2048).unwrap());
static ANOTHER_KEY: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate(KeySize::Rsa2048).unwrap());

/// Signature of the ID token.
#[derive(Clone, Copy, Default)]
pub enum Signature {
    #[default]
    Valid,
    WrongKey,
    UnknownKeyId,
    NoKeyId,
    /// HS256 with the public key as the secret.
    Hs256WithPublicKey,
    Rs512,
    Missing,
}

/// Response of the token endpoint.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenReply {
    #[default]
    Valid,
    Redirect,
    /// More than 64 KiB.
    Oversized,
    NotJson,
    ServiceUnavailable,
    Never,
}

/// Behavior of the provider in the next login.
#[derive(Clone, Default)]
pub struct Behavior {
    pub signature: Signature,
    pub token_reply: TokenReply,
    /// Claims to replace; null removes a claim.
    pub claims: Vec<(&'static str, Value)>,
}

#[derive(Default)]
struct State {
    behavior: Behavior,
    /// Consents by authorization code. A code works once.
    consents: HashMap<String, Consent>,
    jwks_requests: usize,
}

struct Consent {
    query: HashMap<String, String>,
    person: Value,
}

#[derive(Clone)]
pub struct FakeGoogle {
    pub issuer: String,
    state: Arc<Mutex<State>>,
}

impl FakeGoogle {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let google = Self { issuer, state: Arc::default() };
        let server = google.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let google = server.clone();
                let service = service_fn(move |request| {
                    let google = google.clone();
                    async move { google.handle(request).await }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        google
    }

    pub fn settings(&self) -> Google {
        Google::new(CLIENT_ID.to_owned(), CLIENT_SECRET.to_owned()).with_issuer(&self.issuer)
    }

    /// Gives a person's consent on the page at `authorization_url`. Returns the authorization code.
    pub fn consent(&self, authorization_url: &str, person: Value, behavior: Behavior) -> String {
        let mut state = self.state.lock().unwrap();
        let query = Url::parse(authorization_url).unwrap().query_pairs().into_owned().collect();
        let code = format!("4/{}", state.consents.len());
        state.consents.insert(code.clone(), Consent { query, person });
        state.behavior = behavior;
        code
    }

    pub fn jwks_requests(&self) -> usize {
        self.state.lock().unwrap().jwks_requests
    }

    async fn handle(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let path = request.uri().path().to_owned();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let behavior = self.state.lock().unwrap().behavior.clone();
        let (status, body) = match (path.as_str(), behavior.token_reply) {
            ("/keys", _) => (StatusCode::OK, self.jwks().to_string()),
            ("/token", TokenReply::Valid) => self.exchange(&body, &behavior),
            ("/token", TokenReply::Redirect) => (StatusCode::TEMPORARY_REDIRECT, String::new()),
            ("/token", TokenReply::Oversized) => {
                let (status, body) = self.exchange(&body, &behavior);
                (status, body + &" ".repeat(64 * 1024))
            }
            ("/token", TokenReply::NotJson) => (StatusCode::OK, "<html>".to_owned()),
            ("/token", TokenReply::ServiceUnavailable) => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
            ("/token", TokenReply::Never) => pending().await,
            // The target of the redirect would accept the code, so following it would succeed.
            ("/elsewhere", _) => self.exchange(&body, &behavior),
            (_, _) => (StatusCode::NOT_FOUND, String::new()),
        };
        let response = Response::builder().status(status).header("location", "/elsewhere");
        Ok(response.body(Full::from(body)).unwrap())
    }

    fn exchange(&self, body: &[u8], behavior: &Behavior) -> (StatusCode, String) {
        let sent: HashMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let consent = self.state.lock().unwrap().consents.remove(&sent["code"]);
        let invalid_grant = (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" }).to_string());
        let Some(Consent { query, person }) = consent else {
            return invalid_grant;
        };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&sent["code_verifier"]));
        let checks = [
            (&sent["grant_type"], "authorization_code"),
            (&sent["client_id"], CLIENT_ID),
            (&sent["client_secret"], CLIENT_SECRET),
            (&sent["redirect_uri"], &query["redirect_uri"]),
            (&challenge, &query["code_challenge"]),
        ];
        if checks.iter().any(|(sent, want)| sent != want) {
            return invalid_grant;
        }
        let id_token = self.id_token(&query["nonce"], person, behavior);
        (StatusCode::OK, json!({ "id_token": id_token, "access_token": "x", "token_type": "Bearer" }).to_string())
    }

    fn id_token(&self, nonce: &str, person: Value, behavior: &Behavior) -> String {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let mut claims = json!({
            "iss": self.issuer, "aud": CLIENT_ID, "azp": CLIENT_ID, "nonce": nonce, "iat": now, "exp": now + 3600,
        });
        let changed = behavior.claims.iter().map(|(claim, value)| ((*claim).to_owned(), value.clone()));
        let all = claims.as_object_mut().unwrap();
        all.extend(person.as_object().unwrap().clone());
        all.extend(changed);
        all.retain(|_, value| !value.is_null());
        sign(&claims, behavior.signature)
    }

    fn jwks(&self) -> Value {
        self.state.lock().unwrap().jwks_requests += 1;
        let key = KEY.public_key();
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let [n, e] =
            [key.modulus().big_endian_without_leading_zero(), key.exponent().big_endian_without_leading_zero()];
        json!({ "keys": [
            { "kty": "EC", "kid": "elliptic-curve", "crv": "P-256", "x": "AA", "y": "AA" },
            { "kty": "RSA", "kid": KID, "use": "sig", "alg": "RS256", "n": encode(n), "e": encode(e) },
        ] })
    }
}

fn sign(claims: &Value, signature: Signature) -> String {
    let (algorithm, kid, key) = match signature {
        Signature::Valid => (Algorithm::RS256, Some(KID), encode_private_key(&KEY)),
        Signature::WrongKey => (Algorithm::RS256, Some(KID), encode_private_key(&ANOTHER_KEY)),
        Signature::UnknownKeyId => (Algorithm::RS256, Some("unknown"), encode_private_key(&KEY)),
        Signature::NoKeyId => (Algorithm::RS256, None, encode_private_key(&KEY)),
        Signature::Rs512 => (Algorithm::RS512, Some(KID), encode_private_key(&KEY)),
        Signature::Hs256WithPublicKey => {
            let public: aws_lc_rs::encoding::PublicKeyX509Der<'_> = KEY.public_key().as_der().unwrap();
            (Algorithm::HS256, Some(KID), EncodingKey::from_secret(public.as_ref()))
        }
        Signature::Missing => {
            let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let header = json!({ "alg": "none", "typ": "JWT", "kid": KID });
            return format!("{}.{}.", encode(&header), encode(claims));
        }
    };
    let mut header = Header::new(algorithm);
    header.kid = kid.map(str::to_owned);
    jsonwebtoken::encode(&header, claims, &key).unwrap()
}

fn encode_private_key(key: &KeyPair) -> EncodingKey {
    let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = key.as_der().unwrap();
    let pem =
        ["-----BEGIN PRIVATE KEY-----\n", &STANDARD.encode(der.as_ref()), "\n-----END PRIVATE KEY-----\n"].concat();
    EncodingKey::from_rsa_pem(pem.as_bytes()).unwrap()
}
