//! Every rpc against every kind of credential, as `proto/` says who may call what.

use std::collections::{BTreeMap, BTreeSet};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use bytes::Bytes;
use clap::Parser as _;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use rpc::access::{self, Access};
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::auth::v1::{LogInRequest, LogOutRequest, RegisterRequest, Tokens};
use rpc::authorization::ACCOUNT_METADATA_KEY;
use rpc::token::{Claims, ISSUER, Purpose};
use rpc::transport::Transport;
use rpc::verifier::Verifier;
use server::config::{Cli, Command};
use server::core::Core;
use server::database::Pools;
use sqlx::PgPool;
use tempfile::TempDir;
use time::OffsetDateTime;
use tonic::body::Body;
use tonic::{Code, Status};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::app::PASSWORD;

const EMAIL: &str = "asha@example.in";

/// What a credential is worth, in the words of `proto/`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Worth {
    Nobody,
    Bad,
    Session,
    Analytics,
    Service(Option<&'static str>),
}

/// What a call must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    LetThrough,
    SignedOut,
    Forbidden,
}

fn expected(rpc: &Access, worth: Worth) -> Outcome {
    let named = match worth {
        Worth::Bad => return Outcome::SignedOut,
        Worth::Nobody if rpc.open => return Outcome::LetThrough,
        Worth::Nobody => return Outcome::SignedOut,
        Worth::Session => rpc.session,
        Worth::Analytics => rpc.analytics,
        Worth::Service(scope) => scope.is_some() && scope == rpc.scope,
    };
    if named || rpc.open { Outcome::LetThrough } else { Outcome::Forbidden }
}

/// The paths of all rpcs, from the descriptors.
fn rpcs() -> Vec<String> {
    let files = FileDescriptorSet::decode(rpc::FILE_DESCRIPTOR_SET).unwrap().file;
    let services = files.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
    let methods = services.flat_map(|(package, service)| {
        service.method.iter().map(move |method| format!("/{package}.{}/{}", service.name(), method.name()))
    });
    methods.collect()
}

/// The core, and Asha who has an account there.
pub struct House {
    pub core: Transport,
    auth: AuthServiceClient<Transport>,
    pub verifier: Verifier,
    account_id: Uuid,
    key: EncodingKey,
    public_key: Vec<u8>,
    kid: String,
    _folder: TempDir,
}

impl House {
    pub async fn new(pool: &PgPool) -> Self {
        let Command::Serve(mut settings) = Cli::parse_from(["tradebahi", "serve"]).command else { unreachable!() };
        settings.auth =
            auth::Settings { hash_memory_kib: 8, hash_passes: 1, max_concurrent_hashes: 2, ..Default::default() };
        settings.import.parser_program = env!("CARGO_BIN_EXE_tradebahi").into();
        let folder = tempfile::tempdir().unwrap();
        settings.database.data_dir = folder.path().to_owned();
        let pools = Pools { requests: pool.clone(), imports: pool.clone(), readiness: pool.clone() };
        let verifier = Verifier::default();
        let core = Core::build(&pools, &settings, &verifier).await.unwrap().transport();
        tokio::spawn(server::follow(&verifier, &core).await);
        let mut auth = AuthServiceClient::new(core.clone());
        let asha = RegisterRequest {
            name: "Asha Rao".to_owned(),
            email: EMAIL.to_owned(),
            phone: "9820041537".to_owned(),
            password: PASSWORD.to_owned(),
            confirm_password: PASSWORD.to_owned(),
            notice_version: String::new(),
        };
        let account_id = auth.register(asha).await.unwrap().into_inner().account_id.parse().unwrap();
        let (kid, key): (String, Vec<u8>) =
            sqlx::query_as("select kid, private_key from auth.signing_key").fetch_one(pool).await.unwrap();
        let public_key = Ed25519KeyPair::from_pkcs8(&key).unwrap().public_key().as_ref().to_vec();
        let key = EncodingKey::from_ed_der(&key);
        Self { core, auth, verifier, account_id, key, public_key, kid, _folder: folder }
    }

    pub async fn sign_in(&self) -> Tokens {
        let request =
            LogInRequest { login: EMAIL.to_owned(), password: PASSWORD.to_owned(), ..LogInRequest::default() };
        self.auth.clone().log_in(request).await.unwrap().into_inner().tokens.unwrap()
    }

    /// Learns which tokens were made and taken back, at once. Refusals follow each other so fast that whoever asks every
    /// two seconds gets no turn, and what is not known any more is refused differently.
    pub async fn ask(&self) {
        self.verifier.refresh(&mut self.auth.clone()).await.unwrap();
    }

    /// A token with the right key, of a sign-in that goes on, which `spoil` may change.
    pub fn mint(&self, purpose: Purpose, spoil: impl FnOnce(&mut Header, &mut Claims)) -> String {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let mut claims = Claims {
            iss: ISSUER.to_owned(),
            aud: purpose.audience().to_owned(),
            sub: self.account_id,
            sid: Some(Uuid::from_u128(7)),
            jti: Uuid::new_v4(),
            iat: now,
            nbf: now,
            exp: now + 60,
            name: "Asha Rao".to_owned(),
            email: EMAIL.to_owned(),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(purpose.header_type().to_owned());
        header.kid = Some(self.kid.clone());
        spoil(&mut header, &mut claims);
        jsonwebtoken::encode(&header, &claims, &self.key).unwrap()
    }

    /// Credentials that open nothing anywhere, by name.
    pub async fn bad(&self, pool: &PgPool) -> Vec<(&'static str, String)> {
        let ended = self.sign_in().await;
        let log_out = LogOutRequest { refresh_token: ended.refresh_token };
        self.auth.clone().log_out(log_out).await.unwrap();
        let revoked = service_token(pool, "revoked", "trades:read").await;
        auth::service_token::revoke(pool, "revoked").await.unwrap();
        self.ask().await;

        let good = self.mint(Purpose::Access, |_, _| {});
        let [head, body, signature] = good.split('.').collect::<Vec<_>>().try_into().unwrap();
        let foreign_key = {
            let claims = jsonwebtoken::dangerous::insecure_decode::<Claims>(&good).unwrap().claims;
            let header = jsonwebtoken::decode_header(&good).unwrap();
            let key = Ed25519KeyPair::generate().unwrap().to_pkcs8v1().unwrap();
            jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(key.as_ref())).unwrap()
        };
        let by_public_key = {
            let claims = jsonwebtoken::dangerous::insecure_decode::<Claims>(&good).unwrap().claims;
            let header = Header { alg: Algorithm::HS256, ..jsonwebtoken::decode_header(&good).unwrap() };
            jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&self.public_key)).unwrap()
        };
        vec![
            ("malformed", "rubbish".to_owned()),
            ("cut short", format!("{head}.{body}.")),
            ("changed", format!("{head}.{}.{signature}", body.to_uppercase())),
            // {"alg":"none","typ":"at+jwt"}
            ("unsigned", format!("eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.{body}.")),
            ("endless", "x".repeat(5000)),
            ("expired", self.mint(Purpose::Access, |_, claims| claims.exp -= 7200)),
            ("not yet good", self.mint(Purpose::Access, |_, claims| claims.nbf += 7200)),
            ("with a foreign key", foreign_key),
            ("with the public key as the secret", by_public_key),
            ("with an unknown key id", self.mint(Purpose::Access, |header, _| header.kid = Some("x".to_owned()))),
            ("of another kind", self.mint(Purpose::Access, |header, _| header.typ = Some("JWT".to_owned()))),
            ("of another issuer", self.mint(Purpose::Access, |_, claims| claims.iss = "other".to_owned())),
            ("for another audience", self.mint(Purpose::Access, |_, claims| claims.aud = "other".to_owned())),
            ("of no sign-in", self.mint(Purpose::Access, |_, claims| claims.sid = None)),
            ("a sign-in token", self.mint(Purpose::Login, |_, _| {})),
            ("a hand-off", self.mint(Purpose::Handoff, |_, _| {})),
            ("a refresh token", self.sign_in().await.refresh_token),
            ("of an ended sign-in", ended.access_token),
            ("a revoked service's", revoked),
            ("no service's", "tbs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        ]
    }

    /// Calls an rpc with an empty message.
    async fn call(&self, path: &str, token: Option<&str>, account: Option<Uuid>) -> Status {
        let mut request = Request::post(path).header("content-type", "application/grpc").header("te", "trailers");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(account) = account {
            request = request.header(ACCOUNT_METADATA_KEY, account.to_string());
        }
        let request = request.body(Body::new(Full::new(Bytes::from_static(&[0; 5])))).unwrap();
        let reply = self.core.clone().oneshot(request).await.unwrap();
        if let Some(status) = Status::from_header_map(reply.headers()) {
            return status;
        }
        let trailers = reply.into_body().collect().await.unwrap().trailers().cloned().unwrap();
        Status::from_header_map(&trailers).unwrap()
    }
}

pub async fn service_token(pool: &PgPool, name: &str, scope: &str) -> String {
    auth::service_token::create(pool, name, &[scope.to_owned()]).await.unwrap().unwrap()
}

fn outcome(status: &Status) -> Outcome {
    let reason = tonic_types::StatusExt::get_details_error_info(status).map(|info| info.reason);
    match (status.code(), reason.as_deref()) {
        (Code::Unauthenticated, Some("SIGNED_OUT")) => Outcome::SignedOut,
        (Code::PermissionDenied, Some("FORBIDDEN")) => Outcome::Forbidden,
        _ => Outcome::LetThrough,
    }
}

/// How many rows each table has, and what they come to.
pub async fn tables(pool: &PgPool) -> BTreeMap<String, String> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "select format('%I.%I', table_schema, table_name),
                query_to_xml(format('select count(*), sum(hashtextextended(t::text, 0)::numeric) from %I.%I t',
                                    table_schema, table_name), true, false, '')::text
         from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    assert!(rows.len() > 10);
    rows.into_iter().collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn whoever_may_not_call_is_refused_alike_and_changes_nothing(pool: PgPool) {
    let house = House::new(&pool).await;
    let mut credentials: Vec<(&str, Option<String>, Worth)> =
        house.bad(&pool).await.into_iter().map(|(name, token)| (name, Some(token), Worth::Bad)).collect();
    credentials.push(("nobody", None, Worth::Nobody));
    credentials.push(("a session", Some(house.mint(Purpose::Access, |_, _| {})), Worth::Session));
    credentials.push(("an analytics session", Some(house.mint(Purpose::Analytics, |_, _| {})), Worth::Analytics));
    let idle = service_token(&pool, "idle", "nothing:read").await;
    credentials.push(("a service without the scope", Some(idle), Worth::Service(None)));
    for scope in access::all_scopes() {
        let token = service_token(&pool, &scope.replace(':', "-"), scope).await;
        credentials.push((scope, Some(token), Worth::Service(Some(scope))));
    }
    house.ask().await;

    let before = tables(&pool).await;
    let mut refusals: BTreeMap<Outcome, BTreeSet<(i32, String, Vec<u8>)>> = BTreeMap::new();
    for path in rpcs() {
        house.ask().await;
        let rpc = access::find(&path).unwrap();
        for (name, token, worth) in &credentials {
            let want = expected(rpc, *worth);
            if want == Outcome::LetThrough {
                continue;
            }
            let status = house.call(&path, token.as_deref(), Some(house.account_id)).await;
            assert_eq!(outcome(&status), want, "{path} by {name}: {status}");
            let seen = (i32::from(status.code()), status.message().to_owned(), status.details().to_vec());
            refusals.entry(want).or_default().insert(seen);
        }
    }
    assert_eq!(tables(&pool).await, before);
    let kinds: Vec<usize> = refusals.values().map(BTreeSet::len).collect();
    assert_eq!(kinds, [1, 1], "one answer for all who are signed out, one for all who may not: {refusals:#?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn whoever_may_call_gets_past_the_guard(pool: PgPool) {
    let house = House::new(&pool).await;
    let mut services = Vec::new();
    for scope in access::all_scopes() {
        services.push((scope, service_token(&pool, &scope.replace(':', "-"), scope).await));
    }
    house.ask().await;
    for path in rpcs() {
        let rpc = access::find(&path).unwrap();
        // Some calls end the sign-in, so each has its own.
        let session = house.sign_in().await.access_token;
        let analytics = house.mint(Purpose::Analytics, |_, _| {});
        let mut credentials = vec![
            (Worth::Nobody, None),
            (Worth::Analytics, Some(analytics.as_str())),
            (Worth::Session, Some(session.as_str())),
        ];
        credentials.extend(services.iter().map(|(scope, token)| (Worth::Service(Some(*scope)), Some(token.as_str()))));
        for (worth, token) in credentials {
            if expected(rpc, worth) == Outcome::LetThrough {
                let status = house.call(&path, token, Some(house.account_id)).await;
                assert_eq!(outcome(&status), Outcome::LetThrough, "{path} by {worth:?}: {status}");
            }
        }
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_is_no_rpc_is_unimplemented_for_everybody(pool: PgPool) {
    let house = House::new(&pool).await;
    let session = house.sign_in().await.access_token;
    for path in ["/tradebahi.auth.v1.AuthService/Nothing", "/tradebahi.auth.v1.AuthService/", "/nothing/Nothing"] {
        for token in [None, Some(session.as_str()), Some("rubbish")] {
            assert_eq!(house.call(path, token, None).await.code(), Code::Unimplemented, "{path}");
        }
    }
}
