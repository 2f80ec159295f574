//! Taking care of one's own account.

use rpc::auth::v1::{
    ChangePasswordRequest, CloseAccountRequest, EndSignInRequest, GetAccountResponse, ListSignInsRequest, SignIn,
    UpdateAccountRequest,
};

use super::back_off::{ASHA, HOME, from};
use super::letters::{NEW_PASSWORD, Post};
use super::*;

fn ravi() -> RegisterRequest {
    let (name, email, phone) = ("Ravi Menon".to_owned(), "ravi@example.in".to_owned(), "7000000001".to_owned());
    RegisterRequest { name, email, phone, ..asha() }
}

impl Auth {
    async fn update(
        &mut self,
        of: &Tokens,
        name: Option<&str>,
        phone: Option<&str>,
    ) -> Result<GetAccountResponse, Status> {
        let request = UpdateAccountRequest { name: name.map(str::to_owned), phone: phone.map(str::to_owned) };
        let updated = self.client.update_account(with_token(request, &of.access_token)).await?;
        Ok(updated.into_inner().account.unwrap())
    }

    pub(super) async fn change_password(&mut self, of: &Tokens, current: &str, new: &str) -> Result<i32, Status> {
        let (current_password, password) = (current.to_owned(), new.to_owned());
        let request = ChangePasswordRequest { current_password, confirm_password: password.clone(), password };
        Ok(self.client.change_password(with_token(request, &of.access_token)).await?.into_inner().ended)
    }

    async fn sign_ins(&mut self, of: &Tokens) -> Vec<SignIn> {
        let listed = self.client.list_sign_ins(with_token(ListSignInsRequest {}, &of.access_token)).await;
        listed.unwrap().into_inner().sign_ins
    }

    async fn end_sign_in(&mut self, of: &Tokens, sign_in_id: &str) -> Result<i32, Status> {
        let request = EndSignInRequest { sign_in_id: sign_in_id.to_owned() };
        Ok(self.client.end_sign_in(with_token(request, &of.access_token)).await?.into_inner().ended)
    }

    pub(super) async fn close(&mut self, of: &Tokens, password: &str) -> Result<prost_types::Timestamp, Status> {
        let request = CloseAccountRequest { password: password.to_owned() };
        Ok(self.client.close_account(with_token(request, &of.access_token)).await?.into_inner().erased_on.unwrap())
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_name_and_a_number_are_changed_apart_or_together(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    for (name, phone, want) in [
        (Some(" Asha Rao Iyer "), None, ("Asha Rao Iyer", "9820041537")),
        (None, Some("+91 70000 00002"), ("Asha Rao Iyer", "7000000002")),
        // One's own number is not somebody else's.
        (Some("Asha"), Some("07000000002"), ("Asha", "7000000002")),
        (None, None, ("Asha", "7000000002")),
    ] {
        let account = auth.update(&tokens, name, phone).await.unwrap();
        assert_eq!((account.name.as_str(), account.phone.as_str()), want);
    }
    let refused = auth.update(&tokens, Some(" "), Some("12")).await.unwrap_err();
    let want = [("name", "REQUIRED"), ("phone", "MALFORMED")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(fields(&refused), want);
    assert_eq!(count(&pool, "select count(*) from auth.account where name = 'Asha'").await, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_number_signs_in_whoever_has_it_now(pool: PgPool) {
    let (mut auth, asha_id) = Auth::with_asha(pool.clone()).await;
    let ravi_id = auth.client.register(ravi()).await.unwrap().into_inner().account_id;
    let ashas = auth.log_in().await;
    let taken = auth.update(&ashas, None, Some("70000 00001")).await.unwrap_err();
    assert_eq!((taken.code(), reason(&taken).as_str()), (Code::AlreadyExists, "PHONE_TAKEN"));
    assert_eq!(fields(&taken), [("phone".to_owned(), "PHONE_TAKEN".to_owned())]);

    auth.update(&ashas, None, Some("7000000003")).await.unwrap();
    assert!(auth.try_log_in("9820041537", PASSWORD).await.is_err(), "the old number is nobody's");
    let ravis = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    auth.update(&ravis, None, Some("9820041537")).await.unwrap();
    for (login, want) in [
        ("9820041537", Some(&ravi_id)),
        ("7000000003", Some(&asha_id)),
        ("7000000001", None),
        ("asha.rao@example.in", Some(&asha_id)),
        // The forms that are stored are no logins themselves.
        ("phone:9820041537", None),
        ("email:ravi@example.in", None),
        ("9820041537@example.in", None),
    ] {
        let signed_in = match auth.try_log_in(login, PASSWORD).await {
            Ok(tokens) => Some(auth.verify(&tokens).await.unwrap().account_id.to_string()),
            Err(_) => None,
        };
        assert_eq!(signed_in.as_ref(), want, "{login}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn of_two_who_claim_a_number_at_once_one_gets_it(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.client.register(ravi()).await.unwrap();
    let ashas = auth.log_in().await;
    let ravis = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    let mut other = Auth { client: auth.client.clone(), verifier: auth.verifier.clone() };
    let (one, two) =
        tokio::join!(auth.update(&ashas, None, Some("8000000000")), other.update(&ravis, None, Some("8000000000")));
    assert_eq!(i32::from(one.is_ok()) + i32::from(two.is_ok()), 1);
    assert_eq!(count(&pool, "select count(*) from auth.login").await, 4);
}

#[sqlx::test(migrations = "../../migrations")]
async fn another_password_ends_the_other_sign_ins_and_is_told_by_mail(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    let (here, phone, laptop) = (auth.log_in().await, auth.log_in().await, auth.log_in().await);
    for (current, new, field, want) in [
        ("Monsoon 88 Rain", NEW_PASSWORD, "currentPassword", "WRONG"),
        ("", NEW_PASSWORD, "currentPassword", "WRONG"),
        (PASSWORD, "short", "password", "TOO_SHORT"),
        (PASSWORD, "asha.rao@example.in", "password", "TOO_PERSONAL"),
    ] {
        let refused = auth.change_password(&here, current, new).await.unwrap_err();
        assert_eq!(fields(&refused), [(field.to_owned(), want.to_owned())]);
    }
    assert_eq!(auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap(), 2);
    assert!(auth.verify(&here).await.is_ok());
    for ended in [phone, laptop] {
        assert!(auth.verify(&ended).await.is_err());
        assert!(auth.refresh(&ended.refresh_token).await.is_err());
    }
    auth.refresh(&here.refresh_token).await.unwrap();
    assert!(auth.try_log_in("9820041537", PASSWORD).await.is_err());
    auth.try_log_in("9820041537", NEW_PASSWORD).await.unwrap();
    assert!(post.the_letter().await.contains("Your password was changed"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn who_guesses_at_the_present_password_is_held(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    for _ in 0..5 {
        let refused = auth.change_password(&tokens, "Monsoon 88 Rain", NEW_PASSWORD).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
    let held = auth.change_password(&tokens, PASSWORD, NEW_PASSWORD).await.unwrap_err();
    assert_eq!((held.code(), reason(&held).as_str()), (Code::ResourceExhausted, "HELD"));
    assert_eq!(reason(&auth.close(&tokens, PASSWORD).await.unwrap_err()), "HELD");
}

#[sqlx::test(migrations = "../../migrations")]
async fn strangers_at_the_door_hold_no_owner_who_is_in_nor_the_other_way_round(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let (here, there) = (
        auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap(),
        auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap(),
    );
    let hold = async || {
        let hold = "update auth.failed_login set held_until = now() + interval '1 hour'";
        sqlx::query(hold).execute(&pool).await.unwrap();
    };
    for _ in 0..5 {
        auth.change_password(&there, "Monsoon 88 Rain", NEW_PASSWORD).await.unwrap_err();
    }
    hold().await;
    auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap();
    auth.fail_until_held(HOME, ASHA).await;
    hold().await;
    assert_eq!(reason(&auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap_err()), "HELD");
    assert_eq!(reason(&auth.change_password(&there, PASSWORD, NEW_PASSWORD).await.unwrap_err()), "HELD");
    auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_without_a_password_has_none_to_change(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    sqlx::query("update auth.account set password_hash = null, phone = null").execute(&pool).await.unwrap();
    let account = auth.client.get_account(with_token(GetAccountRequest {}, &tokens.access_token)).await.unwrap();
    let account = account.into_inner();
    assert_eq!((account.phone.as_str(), account.has_password, account.has_google), ("", false, false));
    for refused in
        [auth.change_password(&tokens, "", NEW_PASSWORD).await.map(drop), auth.close(&tokens, "").await.map(drop)]
    {
        let refused = refused.unwrap_err();
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "NO_PASSWORD"));
    }
    let account = auth.update(&tokens, None, Some("7000000005")).await.unwrap();
    assert_eq!(account.phone, "7000000005");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_sign_ins_that_go_on_are_listed_and_ended(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    auth.client.register(ravi()).await.unwrap();
    let (old, here) = (auth.log_in().await, auth.log_in().await);
    let ravis = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    let ravis_id = auth.sign_ins(&ravis).await.remove(0).sign_in_id;
    auth.refresh(&old.refresh_token).await.unwrap();
    let over = auth.log_in().await;
    auth.log_out(&over.refresh_token).await;
    let idle = auth.log_in().await;
    let idle = auth.verify(&idle).await.unwrap().sign_in_id;
    sqlx::query("update auth.refresh_token set expires_at = now() where sign_in_id = $1")
        .bind(idle)
        .execute(&pool)
        .await
        .unwrap();

    let listed = auth.sign_ins(&here).await;
    let found: Vec<_> = listed.iter().map(|one| (one.user_agent.as_str(), one.address.as_str(), one.current)).collect();
    assert_eq!(found, [("Firefox", "127.0.0.0/24", false), ("Firefox", "127.0.0.0/24", true)], "used last first");
    for not_mine in [ravis_id.as_str(), "x", "00000000-0000-0000-0000-000000000000"] {
        let refused = auth.end_sign_in(&here, not_mine).await.unwrap_err();
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "NO_SIGN_IN"), "{not_mine}");
    }
    assert_eq!(auth.end_sign_in(&here, &listed[0].sign_in_id).await.unwrap(), 1);
    assert!(auth.verify(&old).await.is_err());
    assert_eq!(reason(&auth.end_sign_in(&here, &listed[0].sign_in_id).await.unwrap_err()), "NO_SIGN_IN");

    let (one, two) = (auth.log_in().await, auth.log_in().await);
    assert!(auth.end_sign_in(&here, "").await.unwrap() >= 2);
    for ended in [one, two] {
        assert!(auth.verify(&ended).await.is_err());
    }
    assert_eq!(auth.sign_ins(&here).await.len(), 1);
    assert!(auth.verify(&ravis).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_notice_that_was_shown_is_kept(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    auth.client.register(RegisterRequest { notice_version: "2026-11".to_owned(), ..asha() }).await.unwrap();
    auth.client.register(ravi()).await.unwrap();
    let kept = "select count(*) from auth.account where (notice_version, noticed_at) = ('2026-11', created_at)";
    assert_eq!(count(&pool, kept).await, 1);
    let none = "select count(*) from auth.account where notice_version is null and noticed_at is null";
    assert_eq!(count(&pool, none).await, 1);
}
