//! Google login with a fake Google.

mod fake_google;

use std::path::Path;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rpc::auth::v1::finish_google_login_response::Outcome;
use rpc::auth::v1::{
    BeginGoogleLoginRequest, BeginGoogleLoginResponse, ExchangeLoginTokenRequest, FinishGoogleLoginRequest,
    GetAccountResponse, GetLoginMethodsRequest, LinkGoogleRequest, RegisterWithGoogleRequest,
};
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use time::OffsetDateTime;
use url::Url;

use self::fake_google::{Behavior, CLIENT_ID, FakeGoogle, Signature, TokenReply};
use super::*;

const NOTICE_VERSION: &str = "2026-11-23";
const REDIRECT_URI: &str = "https://tradebahi.example/api/v1/auth/google/callback";

/// Service with a fake Google.
struct GoogleTest {
    auth: Auth,
    provider: FakeGoogle,
}

/// Returns the claims of Asha's Google account.
fn person() -> Value {
    json!({ "sub": "1098", "email": "asha.rao@example.in", "email_verified": true, "name": "Asha R." })
}

impl GoogleTest {
    async fn new(pool: &PgPool) -> Self {
        let provider = FakeGoogle::start().await;
        let auth = start(pool.clone(), Settings { google: Some(provider.settings()), ..settings() }).await;
        Self { auth, provider }
    }

    async fn begin(&mut self) -> BeginGoogleLoginResponse {
        let request = BeginGoogleLoginRequest { redirect_uri: REDIRECT_URI.to_owned() };
        self.auth.client.begin_google_login(request).await.unwrap().into_inner()
    }

    /// Gives consent at Google. Returns the request that the browser brings back.
    async fn consent(&mut self, person: Value, behavior: Behavior) -> FinishGoogleLoginRequest {
        let authorization = self.begin().await;
        let code = self.provider.consent(&authorization.authorization_url, person, behavior);
        let (nonce, verifier) = (authorization.nonce, authorization.verifier);
        FinishGoogleLoginRequest { code, nonce, verifier, redirect_uri: REDIRECT_URI.to_owned() }
    }

    async fn finish(&mut self, request: FinishGoogleLoginRequest) -> Result<Outcome, Status> {
        Ok(self.auth.client.finish_google_login(request).await?.into_inner().outcome.unwrap())
    }

    async fn consent_and_finish(&mut self, person: Value, behavior: Behavior) -> Result<Outcome, Status> {
        let request = self.consent(person, behavior).await;
        self.finish(request).await
    }

    async fn register(&mut self, ticket: &str, notice_version: &str) -> Result<Tokens, Status> {
        let (ticket, notice_version) = (ticket.to_owned(), notice_version.to_owned());
        let request = RegisterWithGoogleRequest { ticket, notice_version, device: None };
        Ok(self.auth.client.register_with_google(request).await?.into_inner().tokens.unwrap())
    }

    /// Signs in with Google, registers if there is no account, and returns the account.
    async fn log_in(&mut self, person: Value) -> GetAccountResponse {
        let login_token = match self.consent_and_finish(person, Behavior::default()).await.unwrap() {
            Outcome::LoginToken(login_token) => login_token,
            Outcome::RegistrationTicket(registration) => {
                let tokens = self.register(&registration.ticket, NOTICE_VERSION).await.unwrap();
                return self.account(&tokens).await;
            }
            Outcome::LinkTicket(_) => panic!("link required"),
        };
        let request =
            ExchangeLoginTokenRequest { token: login_token.token, device: None, require_confirmed_email: true };
        let tokens = self.auth.client.exchange_login_token(request).await.unwrap().into_inner().tokens.unwrap();
        self.account(&tokens).await
    }

    async fn account(&mut self, tokens: &Tokens) -> GetAccountResponse {
        let request = with_token(GetAccountRequest {}, &tokens.access_token);
        self.auth.client.get_account(request).await.unwrap().into_inner()
    }

    /// Signs in with Google for the first time and returns the ticket for registration.
    async fn registration_ticket(&mut self) -> String {
        match self.consent_and_finish(person(), Behavior::default()).await.unwrap() {
            Outcome::RegistrationTicket(registration) => registration.ticket,
            other => panic!("{other:?}"),
        }
    }

    /// Signs in with Google and returns the ticket for linking.
    async fn link_ticket(&mut self) -> String {
        let Outcome::LinkTicket(link) = self.consent_and_finish(person(), Behavior::default()).await.unwrap() else {
            panic!("signed in")
        };
        link.ticket
    }

    async fn link(&mut self, ticket: &str, password: &str) -> Result<Tokens, Status> {
        let (ticket, password) = (ticket.to_owned(), password.to_owned());
        let request = LinkGoogleRequest { ticket, password, device: None };
        Ok(self.auth.client.link_google(request).await?.into_inner().tokens.unwrap())
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn without_settings_google_login_is_rejected_as_not_set_up(pool: PgPool) {
    let mut auth = auth(pool).await;
    assert!(!auth.client.get_login_methods(GetLoginMethodsRequest {}).await.unwrap().into_inner().google);
    let status = auth.client.begin_google_login(BeginGoogleLoginRequest::default()).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "GOOGLE_NOT_CONFIGURED"));
    let status = auth.client.finish_google_login(FinishGoogleLoginRequest::default()).await.unwrap_err();
    assert_eq!(reason(&status), "GOOGLE_NOT_CONFIGURED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn each_authorization_url_has_its_own_state_nonce_and_challenge(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    assert!(google.auth.client.get_login_methods(GetLoginMethodsRequest {}).await.unwrap().into_inner().google);
    let (one, other) = (google.begin().await, google.begin().await);
    let url = Url::parse(&one.authorization_url).unwrap();
    assert!(one.authorization_url.starts_with(&format!("{}/authorize?", google.provider.issuer)));
    let query: std::collections::HashMap<_, _> = url.query_pairs().into_owned().collect();
    for (name, want) in [
        ("response_type", "code"),
        ("client_id", CLIENT_ID),
        ("redirect_uri", REDIRECT_URI),
        ("scope", "openid profile email"),
        ("state", &one.state),
        ("nonce", &one.nonce),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(query[name], want, "{name}");
    }
    assert!(!one.authorization_url.contains(&one.verifier));
    assert!(one.state != other.state && one.nonce != other.nonce && one.verifier != other.verifier);
    assert!([&one.state, &one.nonce, &one.verifier].iter().all(|secret| secret.len() == 43));
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_first_login_creates_an_account_and_later_ones_find_it(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    let account = google.log_in(person()).await;
    assert_eq!((account.name.as_str(), account.email.as_str()), ("Asha R.", "asha.rao@example.in"));
    assert!(account.client_id.starts_with("TB-") && account.phone.is_empty());
    assert!(account.email_confirmed && account.has_google && !account.has_password);
    assert_eq!(google.log_in(person()).await, account);
    // The identity is the subject, not the email address.
    let moved = json!({ "sub": "1098", "email": "rao@example.in", "email_verified": true });
    assert_eq!(google.log_in(moved).await, account);
    // State left by versions without the column.
    sqlx::query("update auth.account set has_google = false").execute(&pool).await.unwrap();
    assert_eq!(google.log_in(person()).await, account);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
    assert_eq!(google.provider.jwks_requests(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_first_google_login_creates_the_account_only_after_the_privacy_notice(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    let ticket = google.registration_ticket().await;
    let other_ticket = google.registration_ticket().await;
    for table in ["account", "login", "client_id", "google_identity", "email_link_token"] {
        let query: &'static str = format!("select count(*) from auth.{table}").leak();
        assert_eq!(count(&pool, query).await, 0, "nothing is stored about a person who does not register: {table}");
    }
    let missing = google.register(&ticket, "").await.unwrap_err();
    assert_eq!(fields(&missing), [("notice_version".to_owned(), "REQUIRED".to_owned())]);
    let tokens = google.register(&ticket, NOTICE_VERSION).await.unwrap();
    let account = google.account(&tokens).await;
    assert_eq!((account.name.as_str(), account.email.as_str()), ("Asha R.", "asha.rao@example.in"));
    assert!(account.email_confirmed && account.has_google && !account.has_password);
    let noticed = "select count(*) from auth.account
                   where notice_version = '2026-11-23' and noticed_at > now() - interval '1 minute'";
    assert_eq!(count(&pool, noticed).await, 1);
    // A second tab, or a second click.
    for used in [&ticket, &other_ticket] {
        assert_eq!(reason(&google.register(used, NOTICE_VERSION).await.unwrap_err()), "LINK_EXPIRED");
    }
    assert_eq!(google.log_in(person()).await, account);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_only_an_unchanged_registration_ticket_registers(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    let ticket = google.registration_ticket().await;
    let parts: Vec<&str> = ticket.split('.').collect();
    let [head, payload, signature] = parts.as_slice() else { panic!("{ticket}") };
    let changed = String::from_utf8(URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
    let changed = URL_SAFE_NO_PAD.encode(changed.replace("asha.rao@", "victim@"));
    google.auth.client.register(RegisterRequest { email: "other@example.in".to_owned(), ..asha() }).await.unwrap();
    let session = google.auth.try_log_in("other@example.in", PASSWORD).await.unwrap().access_token;
    let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
    for forged in
        [format!("{head}.{changed}.{signature}"), format!("{head}.{payload}."), format!("{none}.{payload}."), session]
    {
        assert_eq!(reason(&google.register(&forged, NOTICE_VERSION).await.unwrap_err()), "LINK_EXPIRED", "{forged}");
    }
    let lifetime =
        serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()["exp"].as_i64().unwrap()
            - OffsetDateTime::now_utc().unix_timestamp();
    assert!((590..=600).contains(&lifetime), "{lifetime}");
    // A ticket is no other kind of token.
    let exchange = ExchangeLoginTokenRequest { token: ticket.clone(), ..Default::default() };
    assert_eq!(reason(&google.auth.client.exchange_login_token(exchange).await.unwrap_err()), "SESSION_ENDED");
    let call = google.auth.client.get_account(with_token(GetAccountRequest {}, &ticket)).await.unwrap_err();
    assert_eq!(reason(&call), "UNAUTHENTICATED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_invalid_name_from_google_is_replaced(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    let longest = json!({ "sub": "1".repeat(255), "email": "longest@example.in", "email_verified": true });
    assert_eq!(google.log_in(longest).await.name, "longest");
    for (n, name) in [json!(null), json!(" "), json!("Asha\nRao"), json!("x".repeat(101))].into_iter().enumerate() {
        let email = format!("asha{n}@example.in");
        let person = json!({ "sub": email, "email": email, "email_verified": true, "name": name });
        assert_eq!(google.log_in(person).await.name, format!("asha{n}"));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_id_tokens_with_an_invalid_claim_or_signature(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let rejected = "GOOGLE_REJECTED";
    for (claim, value, want) in [
        ("nonce", json!("of another login"), rejected),
        ("nonce", json!(null), rejected),
        ("aud", json!("them.apps.example"), rejected),
        ("aud", json!(["them.apps.example"]), rejected),
        ("aud", json!(null), rejected),
        ("azp", json!("them.apps.example"), rejected),
        ("iss", json!("https://accounts.google.com"), rejected),
        ("iss", json!(null), rejected),
        ("exp", json!(now - 31), rejected),
        ("exp", json!(null), rejected),
        ("iat", json!(now - 700), rejected),
        ("iat", json!(now + 60), rejected),
        ("iat", json!(null), rejected),
        ("sub", json!(null), rejected),
        ("sub", json!(""), rejected),
        ("sub", json!("1".repeat(256)), rejected),
        ("email", json!("asha"), rejected),
        ("email", json!(null), "EMAIL_UNVERIFIED"),
        ("email_verified", json!(false), "EMAIL_UNVERIFIED"),
        ("email_verified", json!(null), "EMAIL_UNVERIFIED"),
        ("email_verified", json!("true"), rejected),
    ] {
        let behavior = Behavior { claims: vec![(claim, value.clone())], ..Behavior::default() };
        let status = google.consent_and_finish(person(), behavior).await.unwrap_err();
        assert_eq!(reason(&status), want, "{claim} {value}");
    }
    let several = ("aud", json!([CLIENT_ID, "them.apps.example"]));
    let behavior = Behavior { claims: vec![several.clone(), ("azp", json!(null))], ..Behavior::default() };
    assert_eq!(reason(&google.consent_and_finish(person(), behavior).await.unwrap_err()), rejected);
    for signature in [
        Signature::WrongKey,
        Signature::UnknownKeyId,
        Signature::NoKeyId,
        Signature::Hs256WithPublicKey,
        Signature::Rs512,
        Signature::Missing,
    ] {
        let status =
            google.consent_and_finish(person(), Behavior { signature, ..Behavior::default() }).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, rejected));
    }
    // Unknown key ids do not cause further requests.
    assert_eq!(google.provider.jwks_requests(), 1);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 0);
    // Several audiences are allowed if `azp` names this site.
    let behavior = Behavior { claims: vec![several], ..Behavior::default() };
    let outcome = google.consent_and_finish(person(), behavior).await.unwrap();
    assert!(matches!(outcome, Outcome::RegistrationTicket(_)), "{outcome:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_code_works_once_and_only_for_its_own_login(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    let change: [fn(&mut FinishGoogleLoginRequest); 4] = [
        |request| request.code = "4/guessed".to_owned(),
        |request| request.verifier = "x".repeat(43),
        |request| request.nonce = "x".repeat(43),
        |request| request.redirect_uri = "https://elsewhere.example/".to_owned(),
    ];
    for change in change {
        let mut request = google.consent(person(), Behavior::default()).await;
        change(&mut request);
        assert_eq!(reason(&google.finish(request).await.unwrap_err()), "GOOGLE_REJECTED");
    }
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 0);
    let request = google.consent(person(), Behavior::default()).await;
    assert!(google.finish(request.clone()).await.is_ok());
    assert_eq!(reason(&google.finish(request).await.unwrap_err()), "GOOGLE_REJECTED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_redirects_and_oversized_invalid_or_missing_responses(pool: PgPool) {
    let provider = FakeGoogle::start().await;
    let short_timeout = crate::Google { request_timeout: Duration::from_millis(300), ..provider.settings() };
    for (token_reply, google) in [
        (TokenReply::Redirect, provider.settings()),
        (TokenReply::Oversized, provider.settings()),
        (TokenReply::NotJson, provider.settings()),
        (TokenReply::ServiceUnavailable, provider.settings()),
        (TokenReply::Never, short_timeout),
    ] {
        let auth = start(pool.clone(), Settings { google: Some(google), ..settings() }).await;
        let mut google = GoogleTest { auth, provider: provider.clone() };
        let request = google.consent(person(), Behavior { token_reply, ..Behavior::default() }).await;
        let started = Instant::now();
        let status = google.finish(request).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "GOOGLE_UNREACHABLE"));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    let settings = Settings { google: Some(provider.settings().with_issuer(&unreachable_url().await)), ..settings() };
    let mut google = GoogleTest { auth: start(pool.clone(), settings).await, provider };
    let status = google.consent_and_finish(person(), Behavior::default()).await.unwrap_err();
    assert_eq!(reason(&status), "GOOGLE_UNREACHABLE");
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 0);
}

#[sqlx::test(migrations = false)]
async fn the_migration_sets_has_google_for_existing_identities(pool: PgPool) {
    let migrations = || Migrator::new(Path::new("../../migrations"));
    let mut before = migrations().await.unwrap();
    before.migrations.to_mut().retain(|migration| migration.version < 14);
    before.run(&pool).await.unwrap();
    sqlx::raw_sql(
        "insert into auth.account (account_id, client_id, name, email)
         select ('00000000-0000-0000-0000-00000000000' || n)::uuid, 'TB-00000' || n, 'A', n || '@example.in'
         from generate_series(1, 2) n;
         insert into auth.google_identity (issuer, subject, account_id)
         values ('https://accounts.google.com', '1098', '00000000-0000-0000-0000-000000000002')",
    )
    .execute(&pool)
    .await
    .unwrap();
    migrations().await.unwrap().run(&pool).await.unwrap();
    let linked = "select client_id from auth.account where has_google";
    let linked: Vec<String> = sqlx::query_scalar(linked).fetch_all(&pool).await.unwrap();
    assert_eq!(linked, ["TB-000002"]);
}

/// Returns the URL of a port that nothing listens on.
async fn unreachable_url() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_ticket_and_the_password_link_google_to_an_account_once(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.link_ticket().await;
    assert_eq!(count(&pool, "select count(*) from auth.google_identity").await, 0);
    let wrong = google.link(&ticket, "Monsoon 88 Rain").await.unwrap_err();
    assert_eq!((wrong.code(), reason(&wrong).as_str()), (Code::Unauthenticated, "INVALID_CREDENTIALS"));
    let tokens = google.link(&ticket, PASSWORD).await.unwrap();
    let account = google.account(&tokens).await;
    assert_eq!(account.name, "Asha Rao");
    assert!(account.has_google && account.has_password && account.email_confirmed);
    for used in [ticket.as_str(), "x", ""] {
        assert_eq!(reason(&google.link(used, PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    }
    assert_eq!(google.log_in(person()).await, account);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_ticket_expires_when_the_identity_is_linked_elsewhere(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.link_ticket().await;
    let insert = "insert into auth.google_identity (issuer, subject, account_id)
                select google_issuer, google_subject, account_id from auth.email_link_token
                where purpose = 'link-google'";
    sqlx::query(insert).execute(&pool).await.unwrap();
    assert_eq!(reason(&google.link(&ticket, PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_ticket_expires_after_ten_minutes_and_resets_no_password(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.link_ticket().await;
    let (password, confirm_password) = ("Another 77 word".to_owned(), "Another 77 word".to_owned());
    let reset = rpc::auth::v1::ResetPasswordRequest { token: ticket.clone(), password, confirm_password };
    assert_eq!(reason(&google.auth.client.reset_password(reset).await.unwrap_err()), "LINK_EXPIRED");
    let remaining = "select extract(epoch from expires_at - now())::bigint from auth.email_link_token
         where purpose = 'link-google'";
    assert!((590..=600).contains(&count(&pool, remaining).await));
    sqlx::query("update auth.email_link_token set expires_at = now()").execute(&pool).await.unwrap();
    assert_eq!(reason(&google.link(&ticket, PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn wrong_passwords_when_linking_count_as_failed_logins(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.link_ticket().await;
    let mut reasons = Vec::new();
    for _ in 0..6 {
        reasons.push(reason(&google.link(&ticket, "wrong").await.unwrap_err()));
    }
    assert_eq!(reasons.last().map(String::as_str), Some("LOGIN_THROTTLED"), "{reasons:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn another_google_account_with_the_same_address_is_rejected(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    google.log_in(person()).await;
    let another = json!({ "sub": "2099", "email": "Asha.Rao@example.in", "email_verified": true });
    let status = google.consent_and_finish(another, Behavior::default()).await.unwrap_err();
    assert_eq!(reason(&status), "GOOGLE_REJECTED");
    assert_eq!(count(&pool, "select count(*) from auth.google_identity").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn google_login_does_not_restore_a_closed_account(pool: PgPool) {
    let mut google = GoogleTest::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.link_ticket().await;
    sqlx::query("update auth.account set closed_at = '2026-11-20T10:00:00Z'").execute(&pool).await.unwrap();
    for status in [
        google.consent_and_finish(person(), Behavior::default()).await.unwrap_err(),
        google.link(&ticket, PASSWORD).await.unwrap_err(),
        google.consent_and_finish(person(), Behavior::default()).await.unwrap_err(),
    ] {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "ACCOUNT_CLOSED"));
        assert_eq!(status.get_details_error_info().unwrap().metadata["deletion_date"], "2026-12-20T10:00:00Z");
    }
    assert_eq!(count(&pool, "select count(*) from auth.session").await, 0);
}
