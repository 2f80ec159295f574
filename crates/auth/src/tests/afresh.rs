//! What a new password does away with.

use super::back_off::{ASHA, HOME, from};
use super::letters::{NEW_PASSWORD, Post, token};
use super::*;

/// Asha signed in with a device, and a guesser has her held where she lives, by address and by number.
async fn guessed_at(pool: &PgPool) -> (Auth, Tokens, Post) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(pool);
    post.the_letter().await;
    let tokens = auth.attempt(from(HOME, ASHA, PASSWORD, "")).await.unwrap();
    for login in [ASHA, "9820041537", "nobody@example.in"] {
        auth.fail_until_held(HOME, login).await;
    }
    sqlx::query("update auth.failed_login set held_until = now() + interval '1 hour'").execute(pool).await.unwrap();
    (auth, tokens, post)
}

/// Nobody knows the device any more, and nobody is held but those who try other accounts.
async fn starts_afresh(pool: &PgPool, auth: &mut Auth, device: &str) {
    assert_eq!(count(pool, "select count(*) from auth.failed_login").await, 1, "that of nobody");
    assert_eq!(count(pool, "select count(*) from auth.known_device").await, 0);
    for login in [ASHA, "9820041537"] {
        auth.attempt(from(HOME, login, NEW_PASSWORD, "")).await.unwrap();
        auth.fail_until_held(HOME, login).await;
        assert_eq!(reason(&auth.attempt(from(HOME, login, NEW_PASSWORD, device)).await.unwrap_err()), "HELD");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn after_a_reset_its_owner_is_not_held_and_no_device_is_known(pool: PgPool) {
    let (mut auth, tokens, post) = guessed_at(&pool).await;
    auth.forget(ASHA).await;
    auth.reset(&token(&post.the_letter().await, "/reset-password"), NEW_PASSWORD).await.unwrap();
    starts_afresh(&pool, &mut auth, &tokens.device_token).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn after_a_change_no_device_is_known_and_no_link_sets_another_password(pool: PgPool) {
    let (mut auth, _, post) = guessed_at(&pool).await;
    let here = auth.attempt(from("198.51.100.1", ASHA, PASSWORD, "")).await.unwrap();
    auth.forget(ASHA).await;
    let link = token(&post.the_letter().await, "/reset-password");
    assert_eq!(auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap(), 1);
    assert_eq!(reason(&auth.reset(&link, "Another 99 one").await.unwrap_err()), "LINK_EXPIRED");
    starts_afresh(&pool, &mut auth, &here.device_token).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_that_outlives_its_sign_in_ends_with_the_others(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let outlives = auth.log_in().await;
    for over in ["update auth.sign_in set expires_at = now()", "update auth.refresh_token set expires_at = now()"] {
        sqlx::query(over).execute(&pool).await.unwrap();
    }
    auth.verify(&outlives).await.unwrap();
    let (_other, here) = (auth.log_in().await, auth.log_in().await);
    assert_eq!(auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap(), 1, "as many as were listed");
    assert!(auth.verify(&outlives).await.is_err());
    assert!(auth.verify(&here).await.is_ok());
}
