//! Signing in with Google, which is played.

mod played;

use std::path::Path;
use std::time::Instant;

use rpc::auth::v1::finish_google_sign_in_response::Outcome;
use rpc::auth::v1::{
    BeginGoogleSignInRequest, BeginGoogleSignInResponse, ExchangeSignInTokenRequest, FinishGoogleSignInRequest,
    GetAccountResponse, GetSignInOptionsRequest, LinkGoogleRequest,
};
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use time::OffsetDateTime;
use url::Url;

use self::played::{Answer, CLIENT_ID, Played, Signed, Whim};
use super::*;

const WAY_BACK: &str = "https://tradebahi.example/api/v1/auth/google/callback";

/// The service, and who plays Google for it.
struct AtGoogle {
    auth: Auth,
    played: Played,
}

/// Asha, as Google knows her.
fn person() -> Value {
    json!({ "sub": "1098", "email": "asha.rao@example.in", "email_verified": true, "name": "Asha R." })
}

impl AtGoogle {
    async fn new(pool: &PgPool) -> Self {
        let played = Played::start().await;
        let auth = start(pool.clone(), Settings { google: Some(played.settings()), ..settings() }).await;
        Self { auth, played }
    }

    async fn begin(&mut self) -> BeginGoogleSignInResponse {
        let request = BeginGoogleSignInRequest { redirect_uri: WAY_BACK.to_owned() };
        self.auth.client.begin_google_sign_in(request).await.unwrap().into_inner()
    }

    /// Goes there and agrees; answers with what is brought back.
    async fn agree(&mut self, person: Value, whim: Whim) -> FinishGoogleSignInRequest {
        let begun = self.begin().await;
        let code = self.played.agree(&begun.authorization_url, person, whim);
        let (nonce, verifier) = (begun.nonce, begun.verifier);
        FinishGoogleSignInRequest { code, nonce, verifier, redirect_uri: WAY_BACK.to_owned() }
    }

    async fn finish(&mut self, back: FinishGoogleSignInRequest) -> Result<Outcome, Status> {
        Ok(self.auth.client.finish_google_sign_in(back).await?.into_inner().outcome.unwrap())
    }

    async fn come_back(&mut self, person: Value, whim: Whim) -> Result<Outcome, Status> {
        let back = self.agree(person, whim).await;
        self.finish(back).await
    }

    /// The whole way to a sign-in.
    async fn sign_in(&mut self, person: Value) -> GetAccountResponse {
        let Outcome::SignIn(made) = self.come_back(person, Whim::default()).await.unwrap() else { panic!("a link") };
        let request = ExchangeSignInTokenRequest { token: made.token, device: None };
        let tokens = self.auth.client.exchange_sign_in_token(request).await.unwrap().into_inner().tokens.unwrap();
        self.account(&tokens).await
    }

    async fn account(&mut self, tokens: &Tokens) -> GetAccountResponse {
        let request = with_token(GetAccountRequest {}, &tokens.access_token);
        self.auth.client.get_account(request).await.unwrap().into_inner()
    }

    /// Comes back to where the password of the account is wanted.
    async fn ticket(&mut self) -> String {
        let Outcome::Link(link) = self.come_back(person(), Whim::default()).await.unwrap() else { panic!("signed in") };
        link.ticket
    }

    async fn link(&mut self, ticket: &str, password: &str) -> Result<Tokens, Status> {
        let (ticket, password) = (ticket.to_owned(), password.to_owned());
        let request = LinkGoogleRequest { ticket, password, device: None };
        Ok(self.auth.client.link_google(request).await?.into_inner().tokens.unwrap())
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn where_google_is_not_set_up_it_says_so(pool: PgPool) {
    let mut auth = auth(pool).await;
    assert!(!auth.client.get_sign_in_options(GetSignInOptionsRequest {}).await.unwrap().into_inner().google);
    let refused = auth.client.begin_google_sign_in(BeginGoogleSignInRequest::default()).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "GOOGLE_NOT_SET_UP"));
    let refused = auth.client.finish_google_sign_in(FinishGoogleSignInRequest::default()).await.unwrap_err();
    assert_eq!(reason(&refused), "GOOGLE_NOT_SET_UP");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_browser_is_sent_there_with_a_question_of_its_own(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    assert!(google.auth.client.get_sign_in_options(GetSignInOptionsRequest {}).await.unwrap().into_inner().google);
    let (one, other) = (google.begin().await, google.begin().await);
    let url = Url::parse(&one.authorization_url).unwrap();
    assert!(one.authorization_url.starts_with(&format!("{}/authorize?", google.played.issuer)));
    let asked: std::collections::HashMap<_, _> = url.query_pairs().into_owned().collect();
    for (name, want) in [
        ("response_type", "code"),
        ("client_id", CLIENT_ID),
        ("redirect_uri", WAY_BACK),
        ("scope", "openid profile email"),
        ("state", &one.state),
        ("nonce", &one.nonce),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(asked[name], want, "{name}");
    }
    assert!(!one.authorization_url.contains(&one.verifier));
    assert!(one.state != other.state && one.nonce != other.nonce && one.verifier != other.verifier);
    assert!([&one.state, &one.nonce, &one.verifier].iter().all(|secret| secret.len() == 43));
}

#[sqlx::test(migrations = "../../migrations")]
async fn who_comes_for_the_first_time_gets_an_account_and_later_comes_back_to_it(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    let account = google.sign_in(person()).await;
    assert_eq!((account.name.as_str(), account.email.as_str()), ("Asha R.", "asha.rao@example.in"));
    assert!(account.client_id.starts_with("TB-") && account.phone.is_empty());
    assert!(account.email_confirmed && account.has_google && !account.has_password);
    assert_eq!(google.sign_in(person()).await, account);
    // What Google calls its account for ever is not the address.
    let moved = json!({ "sub": "1098", "email": "rao@example.in", "email_verified": true });
    assert_eq!(google.sign_in(moved).await, account);
    // As a process of a version before the column leaves it.
    sqlx::query("update auth.account set has_google = false").execute(&pool).await.unwrap();
    assert_eq!(google.sign_in(person()).await, account);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
    assert_eq!(google.played.keys_asked_for(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_name_that_we_would_not_take_is_replaced(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    let longest = json!({ "sub": "1".repeat(255), "email": "longest@example.in", "email_verified": true });
    assert_eq!(google.sign_in(longest).await.name, "longest");
    for (n, name) in [json!(null), json!(" "), json!("Asha\nRao"), json!("x".repeat(101))].into_iter().enumerate() {
        let email = format!("asha{n}@example.in");
        let person = json!({ "sub": email, "email": email, "email_verified": true, "name": name });
        assert_eq!(google.sign_in(person).await.name, format!("asha{n}"));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_google_says_is_believed_only_when_all_of_it_is_right(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let refused = "GOOGLE_REFUSED";
    for (claim, value, want) in [
        ("nonce", json!("of another sign-in"), refused),
        ("nonce", json!(null), refused),
        ("aud", json!("them.apps.example"), refused),
        ("aud", json!(["them.apps.example"]), refused),
        ("aud", json!(null), refused),
        ("azp", json!("them.apps.example"), refused),
        ("iss", json!("https://accounts.google.com"), refused),
        ("iss", json!(null), refused),
        ("exp", json!(now - 31), refused),
        ("exp", json!(null), refused),
        ("iat", json!(now - 700), refused),
        ("iat", json!(now + 60), refused),
        ("iat", json!(null), refused),
        ("sub", json!(null), refused),
        ("sub", json!(""), refused),
        ("sub", json!("1".repeat(256)), refused),
        ("email", json!("asha"), refused),
        ("email", json!(null), "EMAIL_UNVERIFIED"),
        ("email_verified", json!(false), "EMAIL_UNVERIFIED"),
        ("email_verified", json!(null), "EMAIL_UNVERIFIED"),
        ("email_verified", json!("true"), refused),
    ] {
        let whim = Whim { claims: vec![(claim, value.clone())], ..Whim::default() };
        let status = google.come_back(person(), whim).await.unwrap_err();
        assert_eq!(reason(&status), want, "{claim} {value}");
    }
    let several = ("aud", json!([CLIENT_ID, "them.apps.example"]));
    let whim = Whim { claims: vec![several.clone(), ("azp", json!(null))], ..Whim::default() };
    assert_eq!(reason(&google.come_back(person(), whim).await.unwrap_err()), refused);
    for signed in [
        Signed::WithAnotherKey,
        Signed::UnderAnUnknownName,
        Signed::WithoutAName,
        Signed::ByThePublicKey,
        Signed::Rs512,
        Signed::Not,
    ] {
        let status = google.come_back(person(), Whim { signed, ..Whim::default() }).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, refused));
    }
    // A key that is not there is not looked for again and again.
    assert_eq!(google.played.keys_asked_for(), 1);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 0);
    // And for us among several, when it was made for us, is right.
    google.come_back(person(), Whim { claims: vec![several], ..Whim::default() }).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_code_is_good_once_and_for_the_sign_in_that_it_belongs_to(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    let change: [fn(&mut FinishGoogleSignInRequest); 4] = [
        |back| back.code = "4/guessed".to_owned(),
        |back| back.verifier = "x".repeat(43),
        |back| back.nonce = "x".repeat(43),
        |back| back.redirect_uri = "https://elsewhere.example/".to_owned(),
    ];
    for change in change {
        let mut back = google.agree(person(), Whim::default()).await;
        change(&mut back);
        assert_eq!(reason(&google.finish(back).await.unwrap_err()), "GOOGLE_REFUSED");
    }
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 0);
    let back = google.agree(person(), Whim::default()).await;
    assert!(google.finish(back.clone()).await.is_ok());
    assert_eq!(reason(&google.finish(back).await.unwrap_err()), "GOOGLE_REFUSED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_is_no_answer_is_not_waited_for_and_not_followed(pool: PgPool) {
    let played = Played::start().await;
    let impatient = crate::Google { answer_within: Duration::from_millis(300), ..played.settings() };
    for (answer, google) in [
        (Answer::WithARedirect, played.settings()),
        (Answer::Endless, played.settings()),
        (Answer::Broken, played.settings()),
        (Answer::Sorry, played.settings()),
        (Answer::Never, impatient),
    ] {
        let auth = start(pool.clone(), Settings { google: Some(google), ..settings() }).await;
        let mut google = AtGoogle { auth, played: played.clone() };
        let back = google.agree(person(), Whim { answer, ..Whim::default() }).await;
        let begun = Instant::now();
        let status = google.finish(back).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "GOOGLE_UNREACHABLE"));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
    let settings = Settings { google: Some(played.settings().played_at(&nobody().await)), ..settings() };
    let mut google = AtGoogle { auth: start(pool.clone(), settings).await, played };
    let status = google.come_back(person(), Whim::default()).await.unwrap_err();
    assert_eq!(reason(&status), "GOOGLE_UNREACHABLE");
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 0);
}

#[sqlx::test(migrations = false)]
async fn whoever_came_by_google_before_it_stood_with_the_account_is_known(pool: PgPool) {
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
    let known = "select client_id from auth.account where has_google";
    let known: Vec<String> = sqlx::query_scalar(known).fetch_all(&pool).await.unwrap();
    assert_eq!(known, ["TB-000002"]);
}

/// An address where nobody listens any more.
async fn nobody() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_with_a_password_is_tied_to_google_by_it_once(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.ticket().await;
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
    assert_eq!(google.sign_in(person()).await, account);
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_ticket_is_good_no_more_once_the_google_account_was_tied_elsewhere(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.ticket().await;
    let tied = "insert into auth.google_identity (issuer, subject, account_id)
                select google_issuer, google_subject, account_id from auth.ticket where purpose = 'link-google'";
    sqlx::query(tied).execute(&pool).await.unwrap();
    assert_eq!(reason(&google.link(&ticket, PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_ticket_is_good_for_ten_minutes_and_for_nothing_else(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.ticket().await;
    let (password, confirm_password) = ("Another 77 word".to_owned(), "Another 77 word".to_owned());
    let reset = rpc::auth::v1::ResetPasswordRequest { token: ticket.clone(), password, confirm_password };
    assert_eq!(reason(&google.auth.client.reset_password(reset).await.unwrap_err()), "LINK_EXPIRED");
    let left = "select extract(epoch from expires_at - now())::bigint from auth.ticket where purpose = 'link-google'";
    assert!((590..=600).contains(&count(&pool, left).await));
    sqlx::query("update auth.ticket set expires_at = now()").execute(&pool).await.unwrap();
    assert_eq!(reason(&google.link(&ticket, PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn wrong_passwords_count_here_as_they_do_at_the_door(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.ticket().await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(reason(&google.link(&ticket, "wrong").await.unwrap_err()));
    }
    assert_eq!(seen.last().map(String::as_str), Some("HELD"), "{seen:?}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_address_stays_with_the_google_account_that_it_came_with(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    google.sign_in(person()).await;
    let another = json!({ "sub": "2099", "email": "Asha.Rao@example.in", "email_verified": true });
    let status = google.come_back(another, Whim::default()).await.unwrap_err();
    assert_eq!(reason(&status), "GOOGLE_REFUSED");
    assert_eq!(count(&pool, "select count(*) from auth.google_identity").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_closed_account_is_not_opened_by_google(pool: PgPool) {
    let mut google = AtGoogle::new(&pool).await;
    google.auth.client.register(asha()).await.unwrap();
    let ticket = google.ticket().await;
    sqlx::query("update auth.account set closed_at = '2026-11-20T10:00:00Z'").execute(&pool).await.unwrap();
    for status in [
        google.come_back(person(), Whim::default()).await.unwrap_err(),
        google.link(&ticket, PASSWORD).await.unwrap_err(),
        google.come_back(person(), Whim::default()).await.unwrap_err(),
    ] {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "ACCOUNT_CLOSED"));
        assert_eq!(status.get_details_error_info().unwrap().metadata["erased_on"], "2026-12-20T10:00:00Z");
    }
    assert_eq!(count(&pool, "select count(*) from auth.sign_in").await, 0);
}
