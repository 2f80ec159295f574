//! Somebody who plays Google: real HTTP on a socket, real RS256.

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

/// How the ID token is signed.
#[derive(Clone, Copy, Default)]
pub enum Signed {
    #[default]
    Well,
    WithAnotherKey,
    UnderAnUnknownName,
    WithoutAName,
    /// HS256, with the public key as the secret.
    ByThePublicKey,
    Rs512,
    Not,
}

/// How the exchange of a code is answered.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Answer {
    #[default]
    Well,
    WithARedirect,
    /// More than 64 KiB.
    Endless,
    Broken,
    /// 503
    Sorry,
    Never,
}

/// What it does out of the ordinary.
#[derive(Clone, Default)]
pub struct Whim {
    pub signed: Signed,
    pub answer: Answer,
    /// Claims that are not as they should be.
    pub claims: Vec<(&'static str, Value)>,
}

#[derive(Default)]
struct Inside {
    whim: Whim,
    /// What was agreed to, by its code. A code is good once.
    agreed: HashMap<String, Agreed>,
    keys_asked_for: usize,
}

struct Agreed {
    asked: HashMap<String, String>,
    person: Value,
}

#[derive(Clone)]
pub struct Played {
    pub issuer: String,
    inside: Arc<Mutex<Inside>>,
}

impl Played {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let played = Self { issuer, inside: Arc::default() };
        let answering = played.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let played = answering.clone();
                let service = service_fn(move |request| {
                    let played = played.clone();
                    async move { played.answer(request).await }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        played
    }

    pub fn settings(&self) -> Google {
        Google::new(CLIENT_ID.to_owned(), CLIENT_SECRET.to_owned()).played_at(&self.issuer)
    }

    /// A person agrees on the page that `authorization_url` leads to. Answers with the code for the way back.
    pub fn agree(&self, authorization_url: &str, person: Value, whim: Whim) -> String {
        let mut inside = self.inside.lock().unwrap();
        let asked = Url::parse(authorization_url).unwrap().query_pairs().into_owned().collect();
        let code = format!("4/{}", inside.agreed.len());
        inside.agreed.insert(code.clone(), Agreed { asked, person });
        inside.whim = whim;
        code
    }

    pub fn keys_asked_for(&self) -> usize {
        self.inside.lock().unwrap().keys_asked_for
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let path = request.uri().path().to_owned();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let whim = self.inside.lock().unwrap().whim.clone();
        let (status, body) = match (path.as_str(), whim.answer) {
            ("/keys", _) => (StatusCode::OK, self.keys().to_string()),
            ("/token", Answer::Well) => self.exchange(&body, &whim),
            ("/token", Answer::WithARedirect) => (StatusCode::TEMPORARY_REDIRECT, String::new()),
            ("/token", Answer::Endless) => {
                let (status, answer) = self.exchange(&body, &whim);
                (status, answer + &" ".repeat(64 * 1024))
            }
            ("/token", Answer::Broken) => (StatusCode::OK, "<html>".to_owned()),
            ("/token", Answer::Sorry) => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
            ("/token", Answer::Never) => pending().await,
            // Where the redirect leads there is a right answer: nobody may come for it.
            ("/elsewhere", _) => self.exchange(&body, &whim),
            (_, _) => (StatusCode::NOT_FOUND, String::new()),
        };
        let answer = Response::builder().status(status).header("location", "/elsewhere");
        Ok(answer.body(Full::from(body)).unwrap())
    }

    fn exchange(&self, body: &[u8], whim: &Whim) -> (StatusCode, String) {
        let sent: HashMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let agreed = self.inside.lock().unwrap().agreed.remove(&sent["code"]);
        let refused = (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" }).to_string());
        let Some(Agreed { asked, person }) = agreed else {
            return refused;
        };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&sent["code_verifier"]));
        let right = [
            (&sent["grant_type"], "authorization_code"),
            (&sent["client_id"], CLIENT_ID),
            (&sent["client_secret"], CLIENT_SECRET),
            (&sent["redirect_uri"], &asked["redirect_uri"]),
            (&challenge, &asked["code_challenge"]),
        ];
        if right.iter().any(|(sent, want)| sent != want) {
            return refused;
        }
        let id_token = self.id_token(&asked["nonce"], person, whim);
        (StatusCode::OK, json!({ "id_token": id_token, "access_token": "x", "token_type": "Bearer" }).to_string())
    }

    fn id_token(&self, nonce: &str, person: Value, whim: &Whim) -> String {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let mut claims = json!({
            "iss": self.issuer, "aud": CLIENT_ID, "azp": CLIENT_ID, "nonce": nonce, "iat": now, "exp": now + 3600,
        });
        let changed = whim.claims.iter().map(|(claim, value)| ((*claim).to_owned(), value.clone()));
        let all = claims.as_object_mut().unwrap();
        all.extend(person.as_object().unwrap().clone());
        all.extend(changed);
        all.retain(|_, value| !value.is_null());
        sign(&claims, whim.signed)
    }

    fn keys(&self) -> Value {
        self.inside.lock().unwrap().keys_asked_for += 1;
        let key = KEY.public_key();
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let [n, e] =
            [key.modulus().big_endian_without_leading_zero(), key.exponent().big_endian_without_leading_zero()];
        json!({ "keys": [
            { "kty": "EC", "kid": "of-another-kind", "crv": "P-256", "x": "AA", "y": "AA" },
            { "kty": "RSA", "kid": KID, "use": "sig", "alg": "RS256", "n": part(n), "e": part(e) },
        ] })
    }
}

fn sign(claims: &Value, signed: Signed) -> String {
    let (algorithm, kid, key) = match signed {
        Signed::Well => (Algorithm::RS256, Some(KID), private(&KEY)),
        Signed::WithAnotherKey => (Algorithm::RS256, Some(KID), private(&ANOTHER_KEY)),
        Signed::UnderAnUnknownName => (Algorithm::RS256, Some("unknown"), private(&KEY)),
        Signed::WithoutAName => (Algorithm::RS256, None, private(&KEY)),
        Signed::Rs512 => (Algorithm::RS512, Some(KID), private(&KEY)),
        Signed::ByThePublicKey => {
            let public: aws_lc_rs::encoding::PublicKeyX509Der<'_> = KEY.public_key().as_der().unwrap();
            (Algorithm::HS256, Some(KID), EncodingKey::from_secret(public.as_ref()))
        }
        Signed::Not => {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let header = json!({ "alg": "none", "typ": "JWT", "kid": KID });
            return format!("{}.{}.", part(&header), part(claims));
        }
    };
    let mut header = Header::new(algorithm);
    header.kid = kid.map(str::to_owned);
    jsonwebtoken::encode(&header, claims, &key).unwrap()
}

fn private(key: &KeyPair) -> EncodingKey {
    let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = key.as_der().unwrap();
    let pem =
        ["-----BEGIN PRIVATE KEY-----\n", &STANDARD.encode(der.as_ref()), "\n-----END PRIVATE KEY-----\n"].concat();
    EncodingKey::from_rsa_pem(pem.as_bytes()).unwrap()
}
