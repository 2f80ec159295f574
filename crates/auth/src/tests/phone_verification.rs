//! Verification of phone numbers by a code in an SMS.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rpc::auth::v1::{RequestPhoneVerificationRequest, VerifyPhoneRequest};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::emails::Inbox;
use super::*;
use crate::Sms;

const PHONE: &str = "9820041537";

impl Auth {
    pub(super) async fn request_code(&self, tokens: &Tokens) -> Result<(), Status> {
        let request = with_token(RequestPhoneVerificationRequest {}, &tokens.access_token);
        self.client.clone().request_phone_verification(request).await.map(drop)
    }

    async fn enter_code(&self, tokens: &Tokens, code: &str) -> Result<bool, Status> {
        let request = with_token(VerifyPhoneRequest { code: code.to_owned() }, &tokens.access_token);
        let account = self.client.clone().verify_phone(request).await?.into_inner().account.unwrap();
        Ok(account.phone_verified)
    }

    /// Verifies the phone number of the account of `tokens`.
    pub(super) async fn verify_phone(&self, pool: &PgPool, tokens: &Tokens) -> Result<bool, Status> {
        self.request_code(tokens).await?;
        let code = receive_code(&Inbox::new(pool)).await;
        self.enter_code(tokens, &code).await
    }
}

/// Sends what is due. Returns the code of the last SMS.
async fn receive_code(inbox: &Inbox) -> String {
    let messages = inbox.receive_all().await;
    let message = messages.iter().rfind(|message| message.starts_with("To: +91")).unwrap_or_else(|| panic!("no SMS"));
    let (_, text) = message.split_once("\n\n").unwrap();
    let (code, rest) = text.split_once(' ').unwrap();
    assert_eq!(rest, "is your TradeBahi code. It is valid for 10 minutes. Do not share it with anybody.\n");
    code.to_owned()
}

/// Returns a code other than `code`.
fn another(code: &str) -> &'static str {
    if code == "000000" { "000001" } else { "000000" }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_only_a_verified_phone_number_logs_in(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let wrong = auth.try_log_in(ASHA, "wrong").await.unwrap_err();
    let unverified = auth.try_log_in(PHONE, PASSWORD).await.unwrap_err();
    assert_eq!((unverified.code(), unverified.message()), (wrong.code(), wrong.message()));
    assert_eq!(unverified.details(), wrong.details(), "the same rejection as a wrong password");

    let inbox = Inbox::new(&pool);
    auth.request_code(&tokens).await.unwrap();
    let code = receive_code(&inbox).await;
    let stored = "select count(*) from auth.phone_code where code_hash is not null and length(code_hash) = 32";
    assert_eq!(count(&pool, stored).await, 1);
    assert!(auth.enter_code(&tokens, &format!(" {} {}", &code[..3], &code[3..])).await.unwrap());
    let logged_in = auth.try_log_in("+91 98200 41537", PASSWORD).await.unwrap();
    assert_eq!(auth.verify(&logged_in).await.unwrap().account_id.to_string(), account_id);

    auth.request_code(&tokens).await.unwrap();
    assert!(inbox.receive_all().await.is_empty(), "a verified number needs no code");
    let again = auth.enter_code(&tokens, &code).await.unwrap_err();
    assert_eq!(reason(&again), "PHONE_CODE_EXPIRED", "a code works once");
}

const ASHA: &str = "asha.rao@example.in";

#[sqlx::test(migrations = "../../migrations")]
async fn s4_a_changed_number_must_be_verified_again(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    auth.verify_phone(&pool, &tokens).await.unwrap();
    let same = auth.update(&tokens, Some("Asha Iyer"), Some("+91 98200 41537")).await.unwrap();
    assert!(same.phone_verified, "the same number stays verified");
    let inbox = Inbox::new(&pool);
    let changed = auth.update(&tokens, None, Some("7000000002")).await.unwrap();
    assert!(!changed.phone_verified);
    for phone in [PHONE, "7000000002"] {
        assert_eq!(reason(&auth.try_log_in(phone, PASSWORD).await.unwrap_err()), "INVALID_CREDENTIALS", "{phone}");
    }
    // A code is for the number at the time of the request.
    auth.request_code(&tokens).await.unwrap();
    let code = receive_code(&inbox).await;
    auth.update(&tokens, None, Some("7000000003")).await.unwrap();
    assert_eq!(reason(&auth.enter_code(&tokens, &code).await.unwrap_err()), "PHONE_CODE_EXPIRED");
    assert_eq!(count(&pool, "select count(*) from auth.login where login like 'phone:%'").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_an_unverified_number_blocks_nobody_and_the_first_to_verify_has_it(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let squatter = RegisterRequest { email: "ravi@example.in".to_owned(), ..asha() };
    auth.client.register(squatter).await.unwrap();
    let (ashas, ravis) = (auth.log_in().await, auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap());
    let inbox = Inbox::new(&pool);
    auth.request_code(&ravis).await.unwrap();
    let ravis_code = receive_code(&inbox).await;
    auth.verify_phone(&pool, &ashas).await.unwrap();
    for error in [
        auth.enter_code(&ravis, &ravis_code).await.unwrap_err(),
        auth.request_code(&ravis).await.unwrap_err(),
        auth.client.register(RegisterRequest { email: "c@example.in".to_owned(), ..asha() }).await.unwrap_err(),
    ] {
        assert_eq!((error.code(), reason(&error).as_str()), (Code::AlreadyExists, "PHONE_TAKEN"));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_of_two_concurrent_verifications_of_a_number_one_succeeds(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.client.register(RegisterRequest { email: "ravi@example.in".to_owned(), ..asha() }).await.unwrap();
    let (ashas, ravis) = (auth.log_in().await, auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap());
    let inbox = Inbox::new(&pool);
    auth.request_code(&ashas).await.unwrap();
    let ashas_code = receive_code(&inbox).await;
    auth.request_code(&ravis).await.unwrap();
    let ravis_code = receive_code(&inbox).await;
    let (one, two) = tokio::join!(auth.enter_code(&ashas, &ashas_code), auth.enter_code(&ravis, &ravis_code));
    assert_eq!(i32::from(one.is_ok()) + i32::from(two.is_ok()), 1);
    assert_eq!(count(&pool, "select count(*) from auth.account where phone_verified_at is not null").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_a_code_belongs_to_one_account_and_one_number(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let ravi = RegisterRequest { email: "ravi@example.in".to_owned(), phone: "7000000001".to_owned(), ..asha() };
    auth.client.register(ravi).await.unwrap();
    let (ashas, ravis) = (auth.log_in().await, auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap());
    let inbox = Inbox::new(&pool);
    auth.request_code(&ashas).await.unwrap();
    let first = receive_code(&inbox).await;
    assert_eq!(reason(&auth.enter_code(&ravis, &first).await.unwrap_err()), "PHONE_CODE_EXPIRED", "none was requested");
    auth.request_code(&ashas).await.unwrap();
    let second = receive_code(&inbox).await;
    if first != second {
        let replaced = auth.enter_code(&ashas, &first).await.unwrap_err();
        assert_eq!(fields(&replaced), [("code".to_owned(), "MISMATCH".to_owned())]);
    }
    assert!(auth.enter_code(&ashas, &second).await.unwrap());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_a_code_allows_five_attempts(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    auth.request_code(&tokens).await.unwrap();
    let code = receive_code(&Inbox::new(&pool)).await;
    for malformed in ["", "12345", "abcdef"] {
        assert!(auth.enter_code(&tokens, malformed).await.is_err(), "does not count");
    }
    for _ in 0..5 {
        let wrong = auth.enter_code(&tokens, another(&code)).await.unwrap_err();
        assert_eq!(fields(&wrong), [("code".to_owned(), "MISMATCH".to_owned())]);
    }
    for _ in 0..2 {
        let status = auth.enter_code(&tokens, &code).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "TOO_MANY_PHONE_CODES"));
    }
    assert!(auth.verify_phone(&pool, &tokens).await.unwrap(), "a new code has new attempts");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_a_code_expires_after_ten_minutes(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let inbox = Inbox::new(&pool);
    auth.request_code(&tokens).await.unwrap();
    let code = receive_code(&inbox).await;
    let expires = "select count(*) from auth.phone_code
                   where expires_at between now() + interval '9 minutes' and now() + interval '10 minutes'";
    assert_eq!(count(&pool, expires).await, 1);
    sqlx::query("update auth.phone_code set expires_at = now()").execute(&pool).await.unwrap();
    assert_eq!(reason(&auth.enter_code(&tokens, &code).await.unwrap_err()), "PHONE_CODE_EXPIRED");

    // An SMS that could not be sent in time is not sent later.
    auth.request_code(&tokens).await.unwrap();
    sqlx::query("update auth.phone_code set created_at = created_at - interval '11 minutes'")
        .execute(&pool)
        .await
        .unwrap();
    assert!(!inbox.receive_all().await.iter().any(|message| message.starts_with("To: +91")));
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_codes_are_limited_per_account_and_per_number(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.client.register(RegisterRequest { email: "ravi@example.in".to_owned(), ..asha() }).await.unwrap();
    let (ashas, ravis) = (auth.log_in().await, auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap());
    let delay = |status: &Status| status.get_details_retry_info().unwrap().retry_delay.unwrap().as_secs();
    for _ in 0..3 {
        auth.request_code(&ashas).await.unwrap();
    }
    let of_number = auth.request_code(&ravis).await.unwrap_err();
    assert_eq!(reason(&of_number), "SMS_LIMIT_REACHED");
    assert!((86_000..=86_400).contains(&delay(&of_number)), "{of_number:?}");

    // Another number, the same account.
    auth.update(&ashas, None, Some("7000000002")).await.unwrap();
    let of_account = auth.request_code(&ashas).await.unwrap_err();
    assert_eq!(reason(&of_account), "SMS_LIMIT_REACHED");
    assert!((3_500..=3_600).contains(&delay(&of_account)), "{of_account:?}");
    sqlx::query("update auth.phone_code set created_at = created_at - interval '61 minutes'")
        .execute(&pool)
        .await
        .unwrap();
    auth.request_code(&ashas).await.unwrap();
    assert_eq!(reason(&auth.request_code(&ravis).await.unwrap_err()), "SMS_LIMIT_REACHED");
    sqlx::query("update auth.phone_code set created_at = created_at - interval '24 hours'")
        .execute(&pool)
        .await
        .unwrap();
    auth.request_code(&ravis).await.unwrap();
    Store::new(pool.clone()).delete_expired_rows().await;
    assert_eq!(count(&pool, "select count(*) from auth.phone_code").await, 1, "old codes are deleted");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_concurrent_requests_do_not_exceed_the_limit(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let mut client = auth.client.clone();
        let request = with_token(RequestPhoneVerificationRequest {}, &tokens.access_token);
        requests.spawn(async move { client.request_phone_verification(request).await });
    }
    assert_eq!(requests.join_all().await.iter().filter(|reply| reply.is_ok()).count(), 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s4_without_sms_a_number_cannot_be_verified(pool: PgPool) {
    let mut auth = start(pool.clone(), Settings { sms: None, ..settings() }).await;
    auth.client.register(asha()).await.unwrap();
    let tokens = auth.log_in().await;
    let status = auth.request_code(&tokens).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "SMS_NOT_CONFIGURED"));
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    assert!(!account.into_inner().can_verify_phone);
}

#[tokio::test]
async fn s4_the_gateway_gets_the_number_and_the_text_with_the_token() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/send", listener.local_addr().unwrap());
    let (sender, mut received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for status in [202, 500] {
            let (stream, _) = listener.accept().await.unwrap();
            let sender = sender.clone();
            let reply = service_fn(move |request: http::Request<hyper::body::Incoming>| {
                let sender = sender.clone();
                async move {
                    let (head, body) = request.into_parts();
                    let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
                    let header = |name: &str| head.headers[name].to_str().unwrap().to_owned();
                    sender.send((header("authorization"), header("content-type"), body)).unwrap();
                    http::Response::builder().status(status).body(Full::<Bytes>::default())
                }
            });
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), reply).await;
        }
    });
    let sms = Sms::Gateway { url, token: "open sesame".into() };
    sms.send(PHONE, "Hello \"Asha\"").await.unwrap();
    let (authorization, content_type, body) = received.recv().await.unwrap();
    assert_eq!((authorization.as_str(), content_type.as_str()), ("Bearer open sesame", "application/json"));
    assert_eq!(body, r#"{"to":"+919820041537","text":"Hello \"Asha\""}"#);
    let error = rpc::failure::error_chain(&sms.send(PHONE, "x").await.unwrap_err());
    assert!(error.contains("500") && !error.contains(PHONE), "{error}");
}
