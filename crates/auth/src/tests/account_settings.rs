//! Account settings, and the list of sessions.

use rpc::auth::v1::{
    ChangePasswordRequest, CloseAccountRequest, EndSessionRequest, GetAccountResponse, ListSessionsRequest, Session,
    UpdateAccountRequest,
};

use super::emails::{Inbox, NEW_PASSWORD};
use super::login_throttle::{ASHA_EMAIL, HOME_ADDRESS, log_in_request};
use super::*;

fn ravi() -> RegisterRequest {
    let (name, email, phone) = ("Ravi Menon".to_owned(), "ravi@example.in".to_owned(), "7000000001".to_owned());
    RegisterRequest { name, email, phone, ..asha() }
}

impl Auth {
    pub(super) async fn update(
        &mut self,
        tokens: &Tokens,
        name: Option<&str>,
        phone: Option<&str>,
    ) -> Result<GetAccountResponse, Status> {
        self.update_masked(tokens, name, phone, &[]).await
    }

    async fn update_masked(
        &mut self,
        tokens: &Tokens,
        name: Option<&str>,
        phone: Option<&str>,
        paths: &[&str],
    ) -> Result<GetAccountResponse, Status> {
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        let (name, phone) = (name.map(str::to_owned), phone.map(str::to_owned));
        let request = UpdateAccountRequest { name, phone, update_mask: Some(prost_types::FieldMask { paths }) };
        let updated = self.client.update_account(with_token(request, &tokens.access_token)).await?;
        Ok(updated.into_inner().account.unwrap())
    }

    pub(super) async fn change_password(&mut self, tokens: &Tokens, current: &str, new: &str) -> Result<i32, Status> {
        let (current_password, password) = (current.to_owned(), new.to_owned());
        let request = ChangePasswordRequest { current_password, confirm_password: password.clone(), password };
        Ok(self
            .client
            .change_password(with_token(request, &tokens.access_token))
            .await?
            .into_inner()
            .ended_session_count)
    }

    async fn list_sessions(&mut self, tokens: &Tokens) -> Vec<Session> {
        let listed = self.client.list_sessions(with_token(ListSessionsRequest {}, &tokens.access_token)).await;
        listed.unwrap().into_inner().sessions
    }

    async fn end_session(&mut self, tokens: &Tokens, session_id: &str) -> Result<i32, Status> {
        let request = EndSessionRequest { session_id: session_id.to_owned() };
        Ok(self.client.end_session(with_token(request, &tokens.access_token)).await?.into_inner().ended_session_count)
    }

    pub(super) async fn close(&mut self, tokens: &Tokens, password: &str) -> Result<prost_types::Timestamp, Status> {
        let request = CloseAccountRequest { password: password.to_owned() };
        Ok(self
            .client
            .close_account(with_token(request, &tokens.access_token))
            .await?
            .into_inner()
            .deletion_date
            .unwrap())
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn changes_the_name_and_the_phone_number(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    for (name, phone, want) in [
        (Some(" Asha Rao Iyer "), None, ("Asha Rao Iyer", "9820041537")),
        (None, Some("+91 70000 00002"), ("Asha Rao Iyer", "7000000002")),
        // The account's own number is not taken.
        (Some("Asha"), Some("07000000002"), ("Asha", "7000000002")),
        (None, None, ("Asha", "7000000002")),
    ] {
        let account = auth.update(&tokens, name, phone).await.unwrap();
        assert_eq!((account.name.as_str(), account.phone.as_str()), want);
    }
    let status = auth.update(&tokens, Some(" "), Some("12")).await.unwrap_err();
    let want = [("name", "REQUIRED"), ("phone", "MALFORMED")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(fields(&status), want);
    assert_eq!(count(&pool, "select count(*) from auth.account where name = 'Asha'").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_update_changes_only_the_fields_of_its_mask(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let (name, phone) = (Some("Asha Iyer"), Some("7000000002"));
    for (paths, want) in
        [(&["name"][..], ("Asha Iyer", "9820041537")), (&["phone", "phone"], ("Asha Iyer", "7000000002"))]
    {
        let account = auth.update_masked(&tokens, name, phone, paths).await.unwrap();
        assert_eq!((account.name.as_str(), account.phone.as_str()), want);
    }
    for paths in [&["name", "phone"][..], &["*"]] {
        let account = auth.update_masked(&tokens, Some("Asha"), Some("7000000003"), paths).await.unwrap();
        assert_eq!((account.name.as_str(), account.phone.as_str()), ("Asha", "7000000003"));
        auth.update(&tokens, name, phone).await.unwrap();
    }
    for (paths, want) in [
        (&["name", "email"][..], &[("update_mask", "UNKNOWN_FIELD")][..]),
        (&[""], &[("update_mask", "UNKNOWN_FIELD")]),
        (&["name"], &[("name", "REQUIRED")]),
        (&["*"], &[("name", "REQUIRED"), ("phone", "REQUIRED")]),
    ] {
        let status = auth.update_masked(&tokens, None, None, paths).await.unwrap_err();
        let want: Vec<_> = want.iter().map(|&(field, code)| (field.to_owned(), code.to_owned())).collect();
        assert_eq!((status.code(), fields(&status)), (Code::InvalidArgument, want), "{paths:?}");
    }
    let stored = "select count(*) from auth.account where name = 'Asha Iyer' and phone = '7000000002'";
    assert_eq!(count(&pool, stored).await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_phone_number_logs_in_to_the_account_that_has_it_now(pool: PgPool) {
    let (mut auth, asha_id) = Auth::with_asha(pool.clone()).await;
    let ravi_id = auth.client.register(ravi()).await.unwrap().into_inner().account_id;
    let ashas = auth.log_in().await;
    let ravis = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    for tokens in [&ashas, &ravis] {
        auth.verify_phone(&pool, tokens).await.unwrap();
    }
    let taken = auth.update(&ashas, None, Some("70000 00001")).await.unwrap_err();
    assert_eq!((taken.code(), reason(&taken).as_str()), (Code::AlreadyExists, "PHONE_TAKEN"));
    assert_eq!(fields(&taken), [("phone".to_owned(), "PHONE_TAKEN".to_owned())]);

    auth.update(&ashas, None, Some("7000000003")).await.unwrap();
    auth.verify_phone(&pool, &ashas).await.unwrap();
    assert!(auth.try_log_in("9820041537", PASSWORD).await.is_err(), "the old number is free");
    auth.update(&ravis, None, Some("9820041537")).await.unwrap();
    auth.verify_phone(&pool, &ravis).await.unwrap();
    for (login, want) in [
        ("9820041537", Some(&ravi_id)),
        ("7000000003", Some(&asha_id)),
        ("7000000001", None),
        ("asha.rao@example.in", Some(&asha_id)),
        // The stored forms are not valid logins.
        ("phone:9820041537", None),
        ("email:ravi@example.in", None),
        ("9820041537@example.in", None),
    ] {
        let account_id = match auth.try_log_in(login, PASSWORD).await {
            Ok(tokens) => Some(auth.verify(&tokens).await.unwrap().account_id.to_string()),
            Err(_) => None,
        };
        assert_eq!(account_id.as_ref(), want, "{login}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_changed_phone_number_sends_an_email_to_the_owner(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let tokens = auth.log_in().await;
    auth.update(&tokens, Some("Asha Iyer"), None).await.unwrap();
    auth.update(&tokens, None, Some("+91 98200 41537")).await.unwrap();
    assert!(inbox.receive_all().await.is_empty(), "the number is the same");

    auth.update(&tokens, None, Some("7000000002")).await.unwrap();
    let notice = inbox.receive_one().await;
    assert!(notice.contains("To: asha.rao@example.in\r\n"), "{notice}");
    assert!(notice.contains("Subject: Your phone number was changed") && !notice.contains("token="), "{notice}");
    assert!(notice.contains("/forgot-password"), "{notice}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_password_change_ends_the_other_sessions_and_sends_an_email(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let (here, phone, laptop) = (auth.log_in().await, auth.log_in().await, auth.log_in().await);
    for (current, new, field, want) in [
        ("Monsoon 88 Rain", NEW_PASSWORD, "current_password", "WRONG"),
        ("", NEW_PASSWORD, "current_password", "WRONG"),
        (PASSWORD, "short", "password", "TOO_SHORT"),
        (PASSWORD, "asha.rao@example.in", "password", "TOO_PERSONAL"),
    ] {
        let status = auth.change_password(&here, current, new).await.unwrap_err();
        assert_eq!(fields(&status), [(field.to_owned(), want.to_owned())]);
    }
    assert_eq!(auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap(), 2);
    assert!(auth.verify(&here).await.is_ok());
    for ended in [phone, laptop] {
        assert!(auth.verify(&ended).await.is_err());
        assert!(auth.refresh(&ended.refresh_token).await.is_err());
    }
    auth.refresh(&here.refresh_token).await.unwrap();
    assert!(auth.try_log_in("asha.rao@example.in", PASSWORD).await.is_err());
    auth.try_log_in("asha.rao@example.in", NEW_PASSWORD).await.unwrap();
    assert!(inbox.receive_one().await.contains("Your password was changed"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn guessing_the_current_password_is_throttled(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    for _ in 0..5 {
        let status = auth.change_password(&tokens, "Monsoon 88 Rain", NEW_PASSWORD).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }
    let status = auth.change_password(&tokens, PASSWORD, NEW_PASSWORD).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "LOGIN_THROTTLED"));
    assert_eq!(reason(&auth.close(&tokens, PASSWORD).await.unwrap_err()), "LOGIN_THROTTLED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn failed_logins_do_not_throttle_sessions_and_vice_versa(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let (here, there) = (
        auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap(),
        auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap(),
    );
    let extend_delays = async || {
        let update = "update auth.failed_login set throttled_until = now() + interval '1 hour'
                      where source <> 'all networks'";
        sqlx::query(update).execute(&pool).await.unwrap();
    };
    for _ in 0..5 {
        auth.change_password(&there, "Monsoon 88 Rain", NEW_PASSWORD).await.unwrap_err();
    }
    extend_delays().await;
    auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap();
    auth.fail_until_throttled(HOME_ADDRESS, ASHA_EMAIL).await;
    extend_delays().await;
    assert_eq!(
        reason(&auth.send_log_in(log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "")).await.unwrap_err()),
        "LOGIN_THROTTLED"
    );
    assert_eq!(reason(&auth.change_password(&there, PASSWORD, NEW_PASSWORD).await.unwrap_err()), "LOGIN_THROTTLED");
    auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_without_a_password_cannot_change_it(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    sqlx::query("update auth.account set password_hash = null, phone = null").execute(&pool).await.unwrap();
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    let account = account.into_inner();
    assert_eq!((account.phone.as_str(), account.has_password, account.has_google), ("", false, false));
    for rejected in
        [auth.change_password(&tokens, "", NEW_PASSWORD).await.map(drop), auth.close(&tokens, "").await.map(drop)]
    {
        let status = rejected.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "NO_PASSWORD"));
    }
    let account = auth.update(&tokens, None, Some("7000000005")).await.unwrap();
    assert_eq!(account.phone, "7000000005");
}

#[sqlx::test(migrations = "../../migrations")]
async fn lists_and_ends_open_sessions(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.client.register(ravi()).await.unwrap();
    let (old, here) = (auth.log_in().await, auth.log_in().await);
    let ravis = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    let ravis_id = auth.list_sessions(&ravis).await.remove(0).session_id;
    auth.refresh(&old.refresh_token).await.unwrap();
    let ended = auth.log_in().await;
    auth.log_out(&ended.refresh_token).await;
    let idle = auth.log_in().await;
    let idle = auth.verify(&idle).await.unwrap().session_id;
    sqlx::query("update auth.refresh_token set expires_at = now() where session_id = $1")
        .bind(idle)
        .execute(&pool)
        .await
        .unwrap();

    let listed = auth.list_sessions(&here).await;
    let summary: Vec<_> =
        listed.iter().map(|one| (one.user_agent.as_str(), one.address.as_str(), one.current)).collect();
    assert_eq!(
        summary,
        [("Firefox", "127.0.0.0/24", false), ("Firefox", "127.0.0.0/24", true)],
        "most recently used first"
    );
    for foreign_id in [ravis_id.as_str(), "x", "00000000-0000-0000-0000-000000000000"] {
        let status = auth.end_session(&here, foreign_id).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "SESSION_NOT_FOUND"), "{foreign_id}");
    }
    assert_eq!(auth.end_session(&here, &listed[0].session_id).await.unwrap(), 1);
    assert!(auth.verify(&old).await.is_err());
    assert_eq!(reason(&auth.end_session(&here, &listed[0].session_id).await.unwrap_err()), "SESSION_NOT_FOUND");

    let (one, two) = (auth.log_in().await, auth.log_in().await);
    assert!(auth.end_session(&here, "").await.unwrap() >= 2);
    for ended in [one, two] {
        assert!(auth.verify(&ended).await.is_err());
    }
    assert_eq!(auth.list_sessions(&here).await.len(), 1);
    assert!(auth.verify(&ravis).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_ending_sessions_needs_a_recent_authentication(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let (other, here) = (auth.log_in().await, auth.log_in().await);
    let other_id = auth.verify(&other).await.unwrap().session_id.to_string();
    sqlx::query("update auth.session set authenticated_at = now() - interval '11 minutes'")
        .execute(&pool)
        .await
        .unwrap();
    for session_id in [other_id.as_str(), ""] {
        let status = auth.end_session(&here, session_id).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "REAUTHENTICATION_REQUIRED"));
    }
    assert!(auth.verify(&other).await.is_ok());
    auth.reauthenticate(&here, PASSWORD, None).await.unwrap();
    assert_eq!(auth.end_session(&here, &other_id).await.unwrap(), 1);
    assert!(auth.verify(&other).await.is_err());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_operators_end_the_sessions_of_one_account_or_of_all(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.client.register(ravi()).await.unwrap();
    let ashas = [auth.log_in().await, auth.log_in().await];
    let ravis = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    assert_eq!(crate::end_account_sessions(&pool, "nobody@example.in").await.unwrap(), None);
    assert_eq!(crate::end_account_sessions(&pool, "not a login").await.unwrap(), None);
    assert!(crate::end_account_sessions(&pool, " ASHA.Rao@Example.in ").await.unwrap().is_some_and(|ended| ended >= 2));
    for tokens in &ashas {
        assert!(auth.verify(tokens).await.is_err() && auth.refresh(&tokens.refresh_token).await.is_err());
    }
    assert_eq!(crate::end_account_sessions(&pool, "asha.rao@example.in").await.unwrap(), Some(0));
    assert!(auth.verify(&ravis).await.is_ok());

    assert!(crate::end_all_sessions(&pool).await.unwrap() >= 1);
    assert!(auth.verify(&ravis).await.is_err() && auth.refresh(&ravis.refresh_token).await.is_err());
    assert_eq!(count(&pool, "select count(*) from auth.refresh_token").await, 0);
    let again = auth.log_in().await;
    assert!(auth.verify(&again).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn finds_the_trader_of_a_login_unless_the_account_is_closed(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    for login in ["nobody@example.in", "not a login", "ravi@example.in"] {
        assert!(crate::find_trader(&pool, login).await.unwrap().is_none(), "{login}");
    }
    let trader = crate::find_trader(&pool, " ASHA.Rao@Example.in ").await.unwrap().unwrap();
    assert_eq!((trader.account_id.to_string(), trader.email.as_str()), (account_id, "asha.rao@example.in"));
    assert!(!trader.email_confirmed);
    sqlx::query("update auth.account set email_confirmed_at = now()").execute(&pool).await.unwrap();
    assert!(crate::find_trader(&pool, "asha.rao@example.in").await.unwrap().unwrap().email_confirmed);
    let tokens = auth.log_in().await;
    auth.close(&tokens, PASSWORD).await.unwrap();
    assert!(crate::find_trader(&pool, "asha.rao@example.in").await.unwrap().is_none());
}

#[sqlx::test(migrations = "../../migrations")]
async fn stores_the_version_of_the_privacy_notice(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    auth.client.register(RegisterRequest { notice_version: "2026-11".to_owned(), ..asha() }).await.unwrap();
    auth.client.register(ravi()).await.unwrap();
    let with_notice = "select count(*) from auth.account where (notice_version, noticed_at) = ('2026-11', created_at)";
    assert_eq!(count(&pool, with_notice).await, 1);
    let without_notice = "select count(*) from auth.account where notice_version is null and noticed_at is null";
    assert_eq!(count(&pool, without_notice).await, 1);
}
