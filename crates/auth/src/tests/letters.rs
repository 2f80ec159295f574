//! Letters that are asked for, written and sent, and what their links do.

use mail::Mailer;
use rpc::auth::v1::{
    ConfirmEmailRequest, RequestEmailConfirmationRequest, RequestPasswordResetRequest, ResetPasswordRequest,
};
use tempfile::TempDir;

use super::*;
use crate::store::Store;
use crate::writer::Writer;

pub(super) const NEW_PASSWORD: &str = "Winter 77 snow";

/// A writer of letters, and the folder that they lie in.
pub(super) struct Post {
    writer: Writer,
    folder: TempDir,
}

impl Post {
    pub(super) fn new(pool: &PgPool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
        Self { writer: Writer::new(Store::new(pool.clone()), mailer, &settings()), folder }
    }

    /// Writes what is due and takes it out of the folder.
    pub(super) async fn letters(&self) -> Vec<String> {
        while mail::send_due(&self.writer).await.unwrap() > 0 {}
        let mut found: Vec<_> = std::fs::read_dir(&self.folder).unwrap().map(|file| file.unwrap().path()).collect();
        found.sort();
        let take = |file| {
            let letter = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(file).unwrap();
            letter
        };
        found.into_iter().map(take).collect()
    }

    pub(super) async fn the_letter(&self) -> String {
        let mut letters = self.letters().await;
        assert_eq!(letters.len(), 1, "{letters:#?}");
        letters.remove(0)
    }
}

/// The token in the link to `page`.
pub(super) fn token(letter: &str, page: &str) -> String {
    let link = format!("http://127.0.0.1:8080{page}?token=");
    letter.lines().find_map(|line| line.strip_prefix(&link)).unwrap_or_else(|| panic!("{letter}")).to_owned()
}

impl Auth {
    pub(super) async fn forget(&mut self, email: &str) {
        let request = RequestPasswordResetRequest { email: email.to_owned() };
        self.client.request_password_reset(request).await.unwrap();
    }

    pub(super) async fn reset(&self, token: &str, password: &str) -> Result<(), Status> {
        let (token, password) = (token.to_owned(), password.to_owned());
        let request = ResetPasswordRequest { token, confirm_password: password.clone(), password };
        self.client.clone().reset_password(request).await.map(drop)
    }

    async fn confirm(&mut self, token: &str) -> Result<(), Status> {
        self.client.confirm_email(ConfirmEmailRequest { token: token.to_owned() }).await.map(drop)
    }

    async fn is_confirmed(&mut self) -> bool {
        let tokens = self.log_in().await;
        let account = self.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
        account.into_inner().email_confirmed
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn registering_sends_a_link_that_confirms_the_address(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let letter = Post::new(&pool).the_letter().await;
    assert!(letter.contains("To: Asha.Rao@example.in\r\n"), "{letter}");
    assert!(!letter.contains("Asha Rao"), "whoever registers writes nothing into a stranger's letter: {letter}");
    let token = token(&letter, "/confirm-email");
    assert!(!auth.is_confirmed().await);
    for wrong in ["", "x", &token.to_uppercase()] {
        assert_eq!(reason(&auth.confirm(wrong).await.unwrap_err()), "LINK_EXPIRED", "{wrong}");
    }
    // A link is often opened twice.
    for _ in 0..2 {
        auth.confirm(&token).await.unwrap();
        assert!(auth.is_confirmed().await);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_link_that_confirms_is_sent_again_until_it_was_used(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    let access_token = auth.log_in().await.access_token;
    let again = || with_token(RequestEmailConfirmationRequest {}, &access_token);
    auth.client.request_email_confirmation(again()).await.unwrap();
    let letter = post.the_letter().await;
    auth.client.request_email_confirmation(again()).await.unwrap();
    auth.confirm(&token(&letter, "/confirm-email")).await.unwrap();
    assert!(post.letters().await.is_empty(), "it was confirmed before the letter was written");
    auth.client.request_email_confirmation(again()).await.unwrap();
    assert_eq!(count(&pool, "select count(*) from auth.letter where next_attempt_at is not null").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_new_password_is_set_once_by_the_link_and_ends_every_sign_in(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    let (phone, laptop) = (auth.log_in().await, auth.log_in().await);
    auth.forget(" ASHA.RAO@example.in ").await;
    let link = token(&post.the_letter().await, "/reset-password");
    for (password, want) in [("short", "TOO_SHORT"), ("asha.rao", "TOO_PERSONAL"), ("9820041537", "TOO_PERSONAL")] {
        let refused = auth.reset(&link, password).await.unwrap_err();
        assert_eq!(fields(&refused), [("password".to_owned(), want.to_owned())]);
    }
    auth.reset(&link, NEW_PASSWORD).await.unwrap();
    assert_eq!(reason(&auth.reset(&link, "Another 99 one").await.unwrap_err()), "LINK_EXPIRED");
    for tokens in [phone, laptop] {
        assert!(auth.verify(&tokens).await.is_err());
        assert!(auth.refresh(&tokens.refresh_token).await.is_err());
    }
    assert!(auth.try_log_in("9820041537", PASSWORD).await.is_err());
    let tokens = auth.try_log_in("9820041537", NEW_PASSWORD).await.unwrap();
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    assert!(account.into_inner().email_confirmed, "the letter was read at that address");
    let notice = post.the_letter().await;
    assert!(notice.contains("Your password was changed") && !notice.contains("token="), "{notice}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn of_twenty_who_use_a_link_at_once_one_sets_the_password(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    auth.forget("asha.rao@example.in").await;
    let link = token(&post.the_letter().await, "/reset-password");
    let tries: Vec<_> = (0..20)
        .map(|i| {
            let (auth, link) = (Auth { client: auth.client.clone(), verifier: auth.verifier.clone() }, link.clone());
            tokio::spawn(async move { auth.reset(&link, &format!("Winter {i} snow")).await })
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
async fn an_old_link_and_a_link_for_something_else_set_no_password(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    let confirms = token(&post.the_letter().await, "/confirm-email");
    assert_eq!(reason(&auth.reset(&confirms, NEW_PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    auth.forget("asha.rao@example.in").await;
    let link = token(&post.the_letter().await, "/reset-password");
    assert_eq!(reason(&auth.confirm(&link).await.unwrap_err()), "LINK_EXPIRED");
    let late = "update auth.ticket set expires_at = expires_at - interval '30 minutes'";
    sqlx::query(late).execute(&pool).await.unwrap();
    assert_eq!(reason(&auth.reset(&link, NEW_PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    auth.log_in().await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_address_without_an_account_is_answered_the_same_and_gets_nothing(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    let mut asked = Vec::new();
    for email in ["asha.rao@example.in", "nobody@example.in"] {
        let request = RequestPasswordResetRequest { email: email.to_owned() };
        let answer = auth.client.request_password_reset(request).await.unwrap();
        asked.push((answer.metadata().clone().into_headers(), answer.into_inner()));
    }
    assert_eq!(asked[0], asked[1]);
    let rows = "select count(*) from auth.letter where kind = 'reset-password' and next_attempt_at <= now()";
    assert_eq!(count(&pool, rows).await, 2);
    assert!(post.the_letter().await.contains("To: Asha.Rao@example.in"));
    let waiting = "select count(*) from auth.letter where next_attempt_at is not null";
    assert_eq!(count(&pool, waiting).await, 0);
    let malformed = RequestPasswordResetRequest { email: "asha".to_owned() };
    let refused = auth.client.request_password_reset(malformed).await.unwrap_err();
    assert_eq!(fields(&refused), [("email".to_owned(), "MALFORMED".to_owned())]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_address_gets_three_letters_of_a_kind_an_hour(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    for want in [1, 1, 1, 0, 0] {
        auth.forget("asha.rao@example.in").await;
        assert_eq!(post.letters().await.len(), want);
    }
    let later = "update auth.letter set counted_from = counted_from - interval '1 hour'";
    sqlx::query(later).execute(&pool).await.unwrap();
    auth.forget("asha.rao@example.in").await;
    assert_eq!(post.letters().await.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_letter_that_did_not_leave_is_tried_again_later_and_given_up_after_a_day(pool: PgPool) {
    let (_, _) = Auth::with_asha(pool.clone()).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = mail::Settings {
        smtp_url: Some(format!("smtp://{closed}")),
        mail_from: Some("no-reply@tradebahi.example".to_owned()),
    };
    let mailer = Mailer::new(&unreachable, "unused".into()).unwrap();
    let broken = Writer::new(Store::new(pool.clone()), mailer, &settings());
    for minutes in [1, 2, 4] {
        assert_eq!(mail::send_due(&broken).await.unwrap(), 1);
        assert_eq!(mail::send_due(&broken).await.unwrap(), 0, "not at once");
        let wait: f64 =
            sqlx::query_scalar("select extract(epoch from next_attempt_at - now())::float8 / 60 from auth.letter")
                .fetch_one(&pool)
                .await
                .unwrap();
        assert!((f64::from(minutes) - 0.5..f64::from(minutes) + 0.1).contains(&wait), "{minutes}: {wait}");
        sqlx::query("update auth.letter set next_attempt_at = now()").execute(&pool).await.unwrap();
    }
    let post = Post::new(&pool);
    assert!(post.the_letter().await.contains("/confirm-email?token="));

    let old = "update auth.letter set next_attempt_at = now(), requested_at = requested_at - interval '1 day'";
    sqlx::query(old).execute(&pool).await.unwrap();
    assert_eq!(mail::send_due(&broken).await.unwrap(), 1);
    assert_eq!(count(&pool, "select count(*) from auth.letter where next_attempt_at is not null").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn two_writers_send_no_letter_twice(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    for i in 0..12 {
        let (email, phone) = (format!("trader{i}@example.in"), format!("70000000{i:02}"));
        auth.client.register(RegisterRequest { email, phone, ..asha() }).await.unwrap();
    }
    let (one, other) = (Post::new(&pool), Post::new(&pool));
    let (ours, theirs) = tokio::join!(one.letters(), other.letters());
    assert_eq!(ours.len() + theirs.len(), 12);
}

#[sqlx::test(migrations = "../../migrations")]
async fn no_secret_of_a_letter_is_kept(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.forget("asha.rao@example.in").await;
    for letter in Post::new(&pool).letters().await {
        let link = letter.split("?token=").nth(1).unwrap().lines().next().unwrap();
        let kept: i64 = sqlx::query_scalar(
            "select count(*) from (select t::text as row from auth.ticket t union all select l::text from auth.letter l) as kept
             where strpos(row, $1) > 0",
        )
        .bind(link)
        .fetch_one(&pool)
        .await
        .unwrap();
        assert_eq!(kept, 0);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_without_a_password_gets_its_first_by_the_link(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    sqlx::query("update auth.account set password_hash = null").execute(&pool).await.unwrap();
    let refused = auth.try_log_in("asha.rao@example.in", PASSWORD).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_CREDENTIALS");
    auth.forget("asha.rao@example.in").await;
    auth.reset(&token(&post.the_letter().await, "/reset-password"), NEW_PASSWORD).await.unwrap();
    auth.try_log_in("asha.rao@example.in", NEW_PASSWORD).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_is_done_is_swept_away_and_what_waits_is_kept(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    Post::new(&pool).the_letter().await;
    auth.forget("asha.rao@example.in").await;
    for long_after in [
        "update auth.letter set counted_from = counted_from - interval '8 days'",
        "update auth.ticket set expires_at = expires_at - interval '8 days'",
    ] {
        sqlx::query(long_after).execute(&pool).await.unwrap();
    }
    crate::sweep(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.ticket").await, 0);
    assert_eq!(count(&pool, "select count(*) from auth.letter").await, 1);
    assert_eq!(count(&pool, "select count(*) from auth.letter where kind = 'reset-password'").await, 1);
}
