//! Tests of the correction of a mistyped email address, and of new links.

use rpc::careers::v1::{
    ApplicationForm, CorrectOwnEmailRequest, ReplaceOwnKeyRequest, RequestOwnKeysRequest, SubmitApplicationResponse,
};
use sqlx::PgPool;
use tonic::Status;

use crate::fixtures::pdf;
use crate::{Careers, access_key, form, reason, violations};

impl Careers {
    async fn correct_email(&self, token: &str, email: &str) -> Result<(), Status> {
        let request = CorrectOwnEmailRequest { token: token.to_owned(), email: email.to_owned() };
        self.client.clone().correct_own_email(request).await.map(drop)
    }

    async fn replace_key(&self, key: &str) -> Result<(), Status> {
        self.client.clone().replace_own_key(ReplaceOwnKeyRequest { key: key.to_owned() }).await.map(drop)
    }

    async fn request_keys(&self, email: &str) -> Result<(), Status> {
        self.client.clone().request_own_keys(RequestOwnKeysRequest { email: email.to_owned() }).await.map(drop)
    }
}

/// [C7]
#[sqlx::test(migrations = "../../migrations")]
async fn c7_the_browser_that_applied_can_correct_the_address_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    let SubmitApplicationResponse { email_correction_token: token, application_id, .. } =
        careers.apply(form(), &pdf()).await.unwrap();
    let wrong_owner = access_key(&careers.single_email().await);
    let invalid = careers.correct_email(&token, "asha").await.unwrap_err();
    assert_eq!(violations(&invalid), [("email".to_owned(), "MALFORMED".to_owned())]);
    careers.correct_email(&token, "right@example.in").await.unwrap();
    let receipt = careers.single_email().await;
    assert!(receipt.contains("To: right@example.in") && receipt.contains(&application_id), "{receipt}");
    let own = careers.find_own(&access_key(&receipt)).await.unwrap();
    assert_eq!(own.answers.unwrap().email, "right@example.in");
    let rejected = careers.find_own(&wrong_owner).await.unwrap_err();
    assert_eq!(reason(&rejected), "APPLICATION_NOT_FOUND", "the link at the wrong address no longer works");
    let again = careers.correct_email(&token, "third@example.in").await.unwrap_err();
    assert_eq!(reason(&again), "EMAIL_CORRECTION_CLOSED");
}

/// [C7]
#[sqlx::test(migrations = "../../migrations")]
async fn c7_nobody_else_can_redirect_an_application(pool: PgPool) {
    let careers = Careers::new(&pool);
    let token = careers.apply(form(), &pdf()).await.unwrap().email_correction_token;
    let key = access_key(&careers.single_email().await);
    let id = careers.find_own(&key).await.unwrap().application_id;
    for wrong in ["", "x", &key, &id, &"A".repeat(43)] {
        let rejected = careers.correct_email(wrong, "thief@example.in").await.unwrap_err();
        assert_eq!(reason(&rejected), "EMAIL_CORRECTION_CLOSED", "{wrong}");
    }
    let stored: i64 = sqlx::query_scalar("select count(*) from careers.application a where strpos(a::text, $1) > 0")
        .bind(&token)
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(stored, 0, "the token itself is stored");
    let late = "update careers.application set received_at = received_at - interval '31 minutes'";
    sqlx::query(late).execute(&pool).await.unwrap();
    let rejected = careers.correct_email(&token, "right@example.in").await.unwrap_err();
    assert_eq!(reason(&rejected), "EMAIL_CORRECTION_CLOSED");
    assert_eq!(careers.emails().await.len(), 0);
    assert!(careers.find_own(&key).await.is_ok());
}

/// [C7]
#[sqlx::test(migrations = "../../migrations")]
async fn c7_a_retry_after_a_lost_response_gets_a_working_token(pool: PgPool) {
    let careers = Careers::new(&pool);
    let form = || ApplicationForm { idempotency_key: "one".to_owned(), ..form() };
    let lost = careers.apply(form(), &pdf()).await.unwrap().email_correction_token;
    let retried = careers.apply(form(), &pdf()).await.unwrap();
    assert!(retried.replayed);
    assert_eq!(reason(&careers.correct_email(&lost, "a@example.in").await.unwrap_err()), "EMAIL_CORRECTION_CLOSED");
    careers.correct_email(&retried.email_correction_token, "right@example.in").await.unwrap();
    assert!(careers.single_email().await.contains("To: right@example.in"), "the unsent receipt was replaced");
    assert_eq!(careers.apply(form(), &pdf()).await.unwrap().email_correction_token, "");
}

/// [C7] [C11]
#[sqlx::test(migrations = "../../migrations")]
async fn c11_a_correction_counts_as_an_email_to_the_new_address(pool: PgPool) {
    let careers = Careers::new(&pool);
    for want in ["", "", "", "", "", "EMAIL_LIMIT_REACHED"] {
        let token = careers.apply(form(), &pdf()).await.unwrap().email_correction_token;
        let corrected = careers.correct_email(&token, "victim@example.in").await;
        assert_eq!(corrected.err().map(|status| reason(&status)).unwrap_or_default(), want);
    }
    let emails = careers.emails().await;
    assert_eq!(emails.iter().filter(|email| email.contains("To: victim@example.in")).count(), 5);
}

/// [C13]
#[sqlx::test(migrations = "../../migrations")]
async fn c13_the_key_is_in_the_fragment_of_the_link(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    let email = careers.single_email().await;
    assert!(!email.contains("/application/"), "{email}");
    assert!(careers.find_own(&access_key(&email)).await.is_ok());
}

/// [C13]
#[sqlx::test(migrations = "../../migrations")]
async fn c13_a_revoked_link_is_replaced_by_a_new_one(pool: PgPool) {
    let careers = Careers::new(&pool);
    let old = careers.submit().await;
    careers.replace_key(&old).await.unwrap();
    assert_eq!(reason(&careers.find_own(&old).await.unwrap_err()), "APPLICATION_NOT_FOUND");
    assert_eq!(reason(&careers.replace_key(&old).await.unwrap_err()), "APPLICATION_NOT_FOUND");
    let email = careers.single_email().await;
    assert!(email.contains("Earlier links no longer work"), "{email}");
    let mut key = access_key(&email);
    for _ in 0..4 {
        careers.replace_key(&key).await.unwrap();
        key = access_key(&careers.single_email().await);
    }
    assert_eq!(reason(&careers.replace_key(&key).await.unwrap_err()), "EMAIL_LIMIT_REACHED");
    assert!(careers.find_own(&key).await.is_ok(), "the link is revoked only if a new one is sent");
}

/// [C13]
#[sqlx::test(migrations = "../../migrations")]
async fn c13_a_link_expires_with_its_application(pool: PgPool) {
    let careers = Careers::new(&pool);
    let key = careers.submit().await;
    sqlx::query("update careers.application set expires_at = now()").execute(&pool).await.unwrap();
    assert_eq!(reason(&careers.find_own(&key).await.unwrap_err()), "APPLICATION_NOT_FOUND");
}

/// [C13]
#[sqlx::test(migrations = "../../migrations")]
async fn c13_new_links_are_sent_only_to_the_address_of_the_applications(pool: PgPool) {
    let careers = Careers::new(&pool);
    let old = careers.submit().await;
    careers.apply(ApplicationForm { job_id: "BE101".to_owned(), ..form() }, &pdf()).await.unwrap();
    careers.single_email().await;
    careers.request_keys("nobody@example.in").await.unwrap();
    assert_eq!(careers.emails().await.len(), 0);
    let invalid = careers.request_keys("asha").await.unwrap_err();
    assert_eq!(violations(&invalid), [("email".to_owned(), "MALFORMED".to_owned())]);

    careers.request_keys("asha.rao@EXAMPLE.in").await.unwrap();
    let email = careers.single_email().await;
    assert!(email.contains("To: asha.rao@example.in"), "{email}");
    let prefix = "https://tradebahi.example/application#";
    let keys: Vec<&str> = email.lines().filter_map(|line| line.strip_prefix(prefix)).collect();
    assert_eq!(keys.len(), 2, "{email}");
    for (key, job_id) in keys.iter().zip(["BE101", "FE101"]) {
        assert_eq!(careers.find_own(key).await.unwrap().job_id, job_id);
    }
    assert!(careers.find_own(&old).await.is_ok(), "a stranger's request revokes no link");
    for _ in 0..9 {
        careers.request_keys("asha.rao@example.in").await.unwrap();
    }
    assert_eq!(careers.emails().await.len(), 4, "at most five a day, with the same response");
}
