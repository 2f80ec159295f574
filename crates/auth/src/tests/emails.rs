//! Emails: the outbox, sending, retries, and the links in them.

use mail::Mailer;
use rpc::auth::v1::{
    ConfirmEmailRequest, RequestEmailConfirmationRequest, RequestPasswordResetRequest, ResetPasswordRequest,
};
use tempfile::TempDir;

use super::*;
use crate::email_sender::EmailSender;
use crate::store::Store;

pub(super) const NEW_PASSWORD: &str = "Winter 77 snow";

/// Email sender that writes to a folder.
pub(super) struct Inbox {
    sender: EmailSender,
    folder: TempDir,
}

impl Inbox {
    pub(super) fn new(pool: &PgPool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
        let sms = Some(crate::Sms::Files(folder.path().to_owned()));
        let settings = Settings { sms, ..settings() };
        Self { sender: EmailSender::new(Store::new(pool.clone()), mailer, &settings), folder }
    }

    /// Sends all due emails. Returns them and empties the folder.
    pub(super) async fn receive_all(&self) -> Vec<String> {
        while mail::send_due(&self.sender).await.unwrap() > 0 {}
        let mut files: Vec<_> = std::fs::read_dir(&self.folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let take = |file| {
            let email = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(file).unwrap();
            email
        };
        files.into_iter().map(take).collect()
    }

    /// Sends the only due email and returns it.
    pub(super) async fn receive_one(&self) -> String {
        let mut emails = self.receive_all().await;
        assert_eq!(emails.len(), 1, "{emails:#?}");
        emails.remove(0)
    }
}

/// Returns the token in the link to `page`.
pub(super) fn parse_token(email: &str, page: &str) -> String {
    let link = format!("http://127.0.0.1:8080{page}?token=");
    email.lines().find_map(|line| line.strip_prefix(&link)).unwrap_or_else(|| panic!("{email}")).to_owned()
}

impl Auth {
    pub(super) async fn request_password_reset(&mut self, email: &str) {
        let request = RequestPasswordResetRequest { email: email.to_owned() };
        self.client.request_password_reset(request).await.unwrap();
    }

    pub(super) async fn reset_password(&self, token: &str, password: &str) -> Result<(), Status> {
        let (token, password) = (token.to_owned(), password.to_owned());
        let request = ResetPasswordRequest { token, confirm_password: password.clone(), password };
        self.client.clone().reset_password(request).await.map(drop)
    }

    async fn confirm_email(&mut self, token: &str) -> Result<(), Status> {
        self.client.confirm_email(ConfirmEmailRequest { token: token.to_owned() }).await.map(drop)
    }

    async fn is_confirmed(&mut self) -> bool {
        let tokens = self.log_in().await;
        let account = self.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
        account.into_inner().email_confirmed
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn registration_sends_a_link_that_confirms_the_address(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let email = Inbox::new(&pool).receive_one().await;
    assert!(email.contains("To: asha.rao@example.in\r\n"), "{email}");
    assert!(!email.contains("Asha Rao"), "contains text that a stranger can choose: {email}");
    let token = parse_token(&email, "/confirm-email");
    assert!(!auth.is_confirmed().await);
    for wrong in ["", "x", &token.to_uppercase()] {
        assert_eq!(reason(&auth.confirm_email(wrong).await.unwrap_err()), "LINK_EXPIRED", "{wrong}");
    }
    // People often open a link twice.
    for _ in 0..2 {
        auth.confirm_email(&token).await.unwrap();
        assert!(auth.is_confirmed().await);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_a_renewed_token_says_that_the_address_was_confirmed(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let before = auth.log_in().await;
    assert!(!auth.verify(&before).await.unwrap().email_confirmed);
    let token = parse_token(&Inbox::new(&pool).receive_one().await, "/confirm-email");
    auth.confirm_email(&token).await.unwrap();
    assert!(!auth.verify(&before).await.unwrap().email_confirmed, "a token does not change");
    let renewed = auth.refresh(&before.refresh_token).await.unwrap();
    assert!(auth.verify(&renewed).await.unwrap().email_confirmed);
    let next = auth.log_in().await;
    assert!(auth.verify(&next).await.unwrap().email_confirmed);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_confirmation_can_be_requested_again_until_it_is_used(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let access_token = auth.log_in().await.access_token;
    let again = || with_token(RequestEmailConfirmationRequest {}, &access_token);
    auth.client.request_email_confirmation(again()).await.unwrap();
    let email = inbox.receive_one().await;
    auth.client.request_email_confirmation(again()).await.unwrap();
    auth.confirm_email(&parse_token(&email, "/confirm-email")).await.unwrap();
    assert!(inbox.receive_all().await.is_empty(), "confirmed before the email was sent");
    auth.client.request_email_confirmation(again()).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.outbox where next_attempt_at is not null").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_reset_link_sets_the_password_once_and_ends_all_sessions(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let (phone, laptop) = (auth.log_in().await, auth.log_in().await);
    auth.request_password_reset(" ASHA.RAO@example.in ").await;
    let link = parse_token(&inbox.receive_one().await, "/reset-password");
    for (password, want) in [("short", "TOO_SHORT"), ("asha.rao", "TOO_PERSONAL"), ("9820041537", "TOO_PERSONAL")] {
        let status = auth.reset_password(&link, password).await.unwrap_err();
        assert_eq!(fields(&status), [("password".to_owned(), want.to_owned())]);
    }
    auth.reset_password(&link, NEW_PASSWORD).await.unwrap();
    assert_eq!(reason(&auth.reset_password(&link, "Another 99 one").await.unwrap_err()), "LINK_EXPIRED");
    for tokens in [phone, laptop] {
        assert!(auth.verify(&tokens).await.is_err());
        assert!(auth.refresh(&tokens.refresh_token).await.is_err());
    }
    assert!(auth.try_log_in("asha.rao@example.in", PASSWORD).await.is_err());
    let tokens = auth.try_log_in("asha.rao@example.in", NEW_PASSWORD).await.unwrap();
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    assert!(account.into_inner().email_confirmed, "the email was received at that address");
    let notice = inbox.receive_one().await;
    assert!(notice.contains("Your password was changed") && !notice.contains("token="), "{notice}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn twenty_concurrent_uses_of_a_link_set_the_password_once(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    auth.request_password_reset("asha.rao@example.in").await;
    let link = parse_token(&inbox.receive_one().await, "/reset-password");
    let tries: Vec<_> = (0..20)
        .map(|i| {
            let (auth, link) = (Auth { client: auth.client.clone(), verifier: auth.verifier.clone() }, link.clone());
            tokio::spawn(async move { auth.reset_password(&link, &format!("Winter {i} snow")).await })
        })
        .collect();
    let mut set = 0;
    for attempt in tries {
        match attempt.await.unwrap() {
            Ok(()) => set += 1,
            Err(status) => assert_eq!(reason(&status), "LINK_EXPIRED", "{status}"),
        }
    }
    assert_eq!(set, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn expired_links_and_links_of_another_kind_set_no_password(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    let confirms = parse_token(&inbox.receive_one().await, "/confirm-email");
    assert_eq!(reason(&auth.reset_password(&confirms, NEW_PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    auth.request_password_reset("asha.rao@example.in").await;
    let link = parse_token(&inbox.receive_one().await, "/reset-password");
    assert_eq!(reason(&auth.confirm_email(&link).await.unwrap_err()), "LINK_EXPIRED");
    let late = "update auth.email_link_token set expires_at = expires_at - interval '30 minutes'";
    sqlx::query(late).execute(&pool).await.unwrap();
    assert_eq!(reason(&auth.reset_password(&link, NEW_PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    auth.log_in().await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_reset_request_for_an_unknown_address_gets_the_same_response_and_no_email(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let mut responses = Vec::new();
    for email in ["asha.rao@example.in", "nobody@example.in"] {
        let request = RequestPasswordResetRequest { email: email.to_owned() };
        let response = auth.client.request_password_reset(request).await.unwrap();
        responses.push((response.metadata().clone().into_headers(), response.into_inner()));
    }
    assert_eq!(responses[0], responses[1]);
    let rows = "select count(*) from auth.outbox where kind = 'reset-password' and next_attempt_at <= now()";
    assert_eq!(count(&pool, rows).await, 2);
    assert!(inbox.receive_one().await.contains("To: asha.rao@example.in"));
    let waiting = "select count(*) from auth.outbox where next_attempt_at is not null";
    assert_eq!(count(&pool, waiting).await, 0);
    let malformed = RequestPasswordResetRequest { email: "asha".to_owned() };
    let status = auth.client.request_password_reset(malformed).await.unwrap_err();
    assert_eq!(fields(&status), [("email".to_owned(), "MALFORMED".to_owned())]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_address_gets_at_most_three_emails_of_a_kind_per_hour(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    for want in [1, 1, 1, 0, 0] {
        auth.request_password_reset("asha.rao@example.in").await;
        assert_eq!(inbox.receive_all().await.len(), want);
    }
    let later = "update auth.outbox set window_started_at = window_started_at - interval '1 hour'";
    sqlx::query(later).execute(&pool).await.unwrap();
    auth.request_password_reset("asha.rao@example.in").await;
    assert_eq!(inbox.receive_all().await.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_failed_email_is_retried_with_increasing_delays_for_a_day(pool: PgPool) {
    let (_, _) = Auth::with_asha(pool.clone()).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = mail::Settings {
        smtp_url: Some(format!("smtp://{closed}")),
        mail_from: Some("no-reply@tradebahi.example".to_owned()),
    };
    let mailer = Mailer::new(&unreachable, "unused".into()).unwrap();
    let broken = EmailSender::new(Store::new(pool.clone()), mailer, &settings());
    for minutes in [1, 2, 4] {
        assert_eq!(mail::send_due(&broken).await.unwrap(), 1);
        assert_eq!(mail::send_due(&broken).await.unwrap(), 0, "not at once");
        let wait: f64 =
            sqlx::query_scalar("select extract(epoch from next_attempt_at - now())::float8 / 60 from auth.outbox")
                .fetch_one(&pool)
                .await
                .unwrap();
        assert!((f64::from(minutes) - 0.5..f64::from(minutes) + 0.1).contains(&wait), "{minutes}: {wait}");
        sqlx::query("update auth.outbox set next_attempt_at = now()").execute(&pool).await.unwrap();
    }
    let inbox = Inbox::new(&pool);
    assert!(inbox.receive_one().await.contains("/confirm-email?token="));

    let old = "update auth.outbox set next_attempt_at = now(), requested_at = requested_at - interval '1 day'";
    sqlx::query(old).execute(&pool).await.unwrap();
    assert_eq!(mail::send_due(&broken).await.unwrap(), 1);
    assert_eq!(count(&pool, "select count(*) from auth.outbox where next_attempt_at is not null").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn two_senders_send_no_email_twice(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    for i in 0..12 {
        let (email, phone) = (format!("trader{i}@example.in"), format!("70000000{i:02}"));
        auth.client.register(RegisterRequest { email, phone, ..asha() }).await.unwrap();
    }
    let (one, other) = (Inbox::new(&pool), Inbox::new(&pool));
    let (first, second) = tokio::join!(one.receive_all(), other.receive_all());
    assert_eq!(first.len() + second.len(), 12);
}

#[sqlx::test(migrations = "../../migrations")]
async fn secrets_in_emails_are_not_stored(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.request_password_reset("asha.rao@example.in").await;
    for email in Inbox::new(&pool).receive_all().await {
        let secret = email.split("?token=").nth(1).unwrap().lines().next().unwrap();
        let matches: i64 = sqlx::query_scalar(
            "select count(*)
             from (
                 select t::text as row from auth.email_link_token t union all select o::text from auth.outbox o
             ) as stored
             where strpos(row, $1) > 0",
        )
        .bind(secret)
        .fetch_one(&pool)
        .await
        .unwrap();
        assert_eq!(matches, 0);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_reset_link_sets_the_first_password_of_an_account(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    sqlx::query("update auth.account set password_hash = null").execute(&pool).await.unwrap();
    let status = auth.try_log_in("asha.rao@example.in", PASSWORD).await.unwrap_err();
    assert_eq!(reason(&status), "INVALID_CREDENTIALS");
    auth.request_password_reset("asha.rao@example.in").await;
    auth.reset_password(&parse_token(&inbox.receive_one().await, "/reset-password"), NEW_PASSWORD).await.unwrap();
    auth.try_log_in("asha.rao@example.in", NEW_PASSWORD).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn deletes_expired_tickets_and_sent_emails_and_keeps_queued_ones(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    Inbox::new(&pool).receive_one().await;
    auth.request_password_reset("asha.rao@example.in").await;
    for long_after in [
        "update auth.outbox set window_started_at = window_started_at - interval '8 days'",
        "update auth.email_link_token set expires_at = expires_at - interval '8 days'",
    ] {
        sqlx::query(long_after).execute(&pool).await.unwrap();
    }
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.email_link_token").await, 0);
    assert_eq!(count(&pool, "select count(*) from auth.outbox").await, 1);
    assert_eq!(count(&pool, "select count(*) from auth.outbox where kind = 'reset-password'").await, 1);
}
