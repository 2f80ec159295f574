//! Calls every rpc with every kind of credential and checks the `access` options of `proto/`.

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
use sqlx::PgPool;
use tempfile::TempDir;
use time::{Duration, OffsetDateTime};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::app::{PASSWORD, pools};

const EMAIL: &str = "asha@example.in";

/// Kind of a credential, as in the `access` options of `proto/`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CredentialKind {
    Missing,
    Invalid,
    Session,
    Analytics,
    Service(Option<&'static str>),
}

/// Result of the access check of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Allowed,
    Unauthenticated,
    Forbidden,
}

fn expected_outcome(rpc: &Access, kind: CredentialKind) -> Outcome {
    let is_allowed = match kind {
        CredentialKind::Invalid => return Outcome::Unauthenticated,
        CredentialKind::Missing if rpc.public => return Outcome::Allowed,
        CredentialKind::Missing => return Outcome::Unauthenticated,
        CredentialKind::Session => rpc.session,
        CredentialKind::Analytics => rpc.analytics,
        CredentialKind::Service(scope) => scope.is_some() && scope == rpc.scope,
    };
    if is_allowed || rpc.public { Outcome::Allowed } else { Outcome::Forbidden }
}

/// Returns the paths of all rpcs, from the file descriptors.
fn rpc_paths() -> Vec<String> {
    let files = FileDescriptorSet::decode(rpc::FILE_DESCRIPTOR_SET).unwrap().file;
    let services = files.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
    let methods = services.flat_map(|(package, service)| {
        service.method.iter().map(move |method| format!("/{package}.{}/{}", service.name(), method.name()))
    });
    methods.collect()
}

/// Core in this process, with one account.
pub struct CoreFixture {
    pub transport: Transport,
    auth: AuthServiceClient<Transport>,
    pub verifier: Verifier,
    account_id: Uuid,
    key: EncodingKey,
    public_key: Vec<u8>,
    kid: String,
    _folder: TempDir,
}

impl CoreFixture {
    pub async fn new(pool: &PgPool) -> Self {
        let Command::Serve(mut settings) = Cli::parse_from(["tradebahi", "serve"]).command else { unreachable!() };
        settings.auth =
            auth::Settings { hash_memory_kib: 8, hash_passes: 1, max_concurrent_hashes: 2, ..Default::default() };
        settings.import.parser_program = env!("CARGO_BIN_EXE_tradebahi").into();
        settings.journal.encoder_program = settings.import.parser_program.clone();
        let folder = tempfile::tempdir().unwrap();
        settings.database.data_dir = Some(folder.path().to_owned());
        let pools = pools(pool);
        let verifier = Verifier::default();
        let transport = Core::build(&pools, &settings, &verifier).await.unwrap().transport();
        tokio::spawn(server::start_verifier(&verifier, &transport).await);
        let mut auth = AuthServiceClient::new(transport.clone());
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
        Self { transport, auth, verifier, account_id, key, public_key, kid, _folder: folder }
    }

    pub async fn log_in(&self) -> Tokens {
        let request =
            LogInRequest { login: EMAIL.to_owned(), password: PASSWORD.to_owned(), ..LogInRequest::default() };
        self.auth.clone().log_in(request).await.unwrap().into_inner().tokens.unwrap()
    }

    /// Updates the verifier's list of new and revoked tokens now. The tests send requests so fast that the update every two
    /// seconds does not get to run, and an outdated verifier returns another error.
    pub async fn refresh_verifier(&self) {
        self.verifier.refresh(&mut self.auth.clone()).await.unwrap();
    }

    /// Returns a token of an active session, signed with the right key; `modify` may change its header and claims.
    pub fn mint_token(&self, purpose: Purpose, modify: impl FnOnce(&mut Header, &mut Claims)) -> String {
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
            email_verified: Some(true),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(purpose.header_type().to_owned());
        header.kid = Some(self.kid.clone());
        modify(&mut header, &mut claims);
        jsonwebtoken::encode(&header, &claims, &self.key).unwrap()
    }

    /// Returns invalid credentials with their names.
    pub async fn invalid_credentials(&self, pool: &PgPool) -> Vec<(&'static str, String)> {
        let ended = self.log_in().await;
        let log_out = LogOutRequest { refresh_token: ended.refresh_token };
        self.auth.clone().log_out(log_out).await.unwrap();
        let revoked = service_token(pool, "revoked", "trades:read").await;
        auth::service_token::revoke(pool, "revoked").await.unwrap();
        self.refresh_verifier().await;

        let good = self.mint_token(Purpose::Access, |_, _| {});
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
            ("too long", "x".repeat(5000)),
            ("expired", self.mint_token(Purpose::Access, |_, claims| claims.exp -= 7200)),
            ("not yet valid", self.mint_token(Purpose::Access, |_, claims| claims.nbf += 7200)),
            ("with a foreign key", foreign_key),
            ("with the public key as the secret", by_public_key),
            ("with an unknown key id", self.mint_token(Purpose::Access, |header, _| header.kid = Some("x".to_owned()))),
            ("of another type", self.mint_token(Purpose::Access, |header, _| header.typ = Some("JWT".to_owned()))),
            ("of another issuer", self.mint_token(Purpose::Access, |_, claims| claims.iss = "other".to_owned())),
            ("for another audience", self.mint_token(Purpose::Access, |_, claims| claims.aud = "other".to_owned())),
            ("without a session", self.mint_token(Purpose::Access, |_, claims| claims.sid = None)),
            ("a login token", self.mint_token(Purpose::Login, |_, _| {})),
            ("a hand-off", self.mint_token(Purpose::Handoff, |_, _| {})),
            ("a refresh token", self.log_in().await.refresh_token),
            ("of an ended session", ended.access_token),
            ("a revoked service token", revoked),
            ("an unknown service token", "tbs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
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
        let reply = self.transport.clone().oneshot(request).await.unwrap();
        if let Some(status) = Status::from_header_map(reply.headers()) {
            return status;
        }
        let trailers = reply.into_body().collect().await.unwrap().trailers().cloned().unwrap();
        Status::from_header_map(&trailers).unwrap()
    }
}

pub async fn service_token(pool: &PgPool, name: &str, scope: &str) -> String {
    auth::service_token::create(pool, name, &[scope.to_owned()], Duration::days(1)).await.unwrap().unwrap()
}

fn access_outcome(status: &Status) -> Outcome {
    let reason = tonic_types::StatusExt::get_details_error_info(status).map(|info| info.reason);
    match (status.code(), reason.as_deref()) {
        (Code::Unauthenticated, Some("UNAUTHENTICATED")) => Outcome::Unauthenticated,
        (Code::PermissionDenied, Some("FORBIDDEN")) => Outcome::Forbidden,
        _ => Outcome::Allowed,
    }
}

/// Returns the row count and a checksum of each table.
pub async fn table_checksums(pool: &PgPool) -> BTreeMap<String, String> {
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
async fn calls_without_access_get_the_same_error_and_change_nothing(pool: PgPool) {
    let core = CoreFixture::new(&pool).await;
    let mut credentials: Vec<(&str, Option<String>, CredentialKind)> = core
        .invalid_credentials(&pool)
        .await
        .into_iter()
        .map(|(name, token)| (name, Some(token), CredentialKind::Invalid))
        .collect();
    credentials.push(("no credential", None, CredentialKind::Missing));
    credentials.push(("a session", Some(core.mint_token(Purpose::Access, |_, _| {})), CredentialKind::Session));
    credentials.push((
        "an analytics session",
        Some(core.mint_token(Purpose::Analytics, |_, _| {})),
        CredentialKind::Analytics,
    ));
    let idle = service_token(&pool, "idle", "nothing:read").await;
    credentials.push(("a service without the scope", Some(idle), CredentialKind::Service(None)));
    for scope in access::all_scopes() {
        let token = service_token(&pool, &scope.replace(':', "-"), scope).await;
        credentials.push((scope, Some(token), CredentialKind::Service(Some(scope))));
    }
    core.refresh_verifier().await;

    let before = table_checksums(&pool).await;
    let mut errors: BTreeMap<Outcome, BTreeSet<(i32, String, Vec<u8>)>> = BTreeMap::new();
    for path in rpc_paths() {
        core.refresh_verifier().await;
        let rpc = access::find(&path).unwrap();
        for (name, token, kind) in &credentials {
            let expected = expected_outcome(rpc, *kind);
            if expected == Outcome::Allowed {
                continue;
            }
            let status = core.call(&path, token.as_deref(), Some(core.account_id)).await;
            assert_eq!(access_outcome(&status), expected, "{path} by {name}: {status}");
            let error = (i32::from(status.code()), status.message().to_owned(), status.details().to_vec());
            errors.entry(expected).or_default().insert(error);
        }
    }
    assert_eq!(table_checksums(&pool).await, before);
    let error_counts: Vec<usize> = errors.values().map(BTreeSet::len).collect();
    assert_eq!(error_counts, [1, 1], "one error for all invalid credentials, one for all without access: {errors:#?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn calls_with_access_pass_the_access_check(pool: PgPool) {
    let core = CoreFixture::new(&pool).await;
    let mut services = Vec::new();
    for scope in access::all_scopes() {
        services.push((scope, service_token(&pool, &scope.replace(':', "-"), scope).await));
    }
    core.refresh_verifier().await;
    for path in rpc_paths() {
        let rpc = access::find(&path).unwrap();
        // Some rpcs end the session, so each gets a new one.
        let session = core.log_in().await.access_token;
        let analytics = core.mint_token(Purpose::Analytics, |_, _| {});
        let mut credentials = vec![
            (CredentialKind::Missing, None),
            (CredentialKind::Analytics, Some(analytics.as_str())),
            (CredentialKind::Session, Some(session.as_str())),
        ];
        credentials.extend(
            services.iter().map(|(scope, token)| (CredentialKind::Service(Some(*scope)), Some(token.as_str()))),
        );
        for (kind, token) in credentials {
            if expected_outcome(rpc, kind) == Outcome::Allowed {
                let status = core.call(&path, token, Some(core.account_id)).await;
                assert_eq!(access_outcome(&status), Outcome::Allowed, "{path} by {kind:?}: {status}");
            }
        }
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unknown_rpc_is_unimplemented_for_every_credential(pool: PgPool) {
    let core = CoreFixture::new(&pool).await;
    let session = core.log_in().await.access_token;
    for path in ["/tradebahi.auth.v1.AuthService/Nothing", "/tradebahi.auth.v1.AuthService/", "/nothing/Nothing"] {
        for token in [None, Some(session.as_str()), Some("rubbish")] {
            assert_eq!(core.call(path, token, None).await.code(), Code::Unimplemented, "{path}");
        }
    }
}
