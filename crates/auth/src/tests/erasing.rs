//! The end of an account.

use super::letters::Post;
use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn closing_ends_every_sign_in_and_tells_by_mail_until_when_one_can_come_back(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    let (here, phone) = (auth.log_in().await, auth.log_in().await);
    let refused = auth.close(&here, "Monsoon 88 Rain").await.unwrap_err();
    assert_eq!(fields(&refused), [("password".to_owned(), "WRONG".to_owned())]);
    let erased_on = auth.close(&here, PASSWORD).await.unwrap();
    let closed: i64 = sqlx::query_scalar("select floor(extract(epoch from closed_at))::bigint from auth.account")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(erased_on.seconds - closed, 30 * 86_400);
    for ended in [here, phone] {
        assert!(auth.verify(&ended).await.is_err());
    }
    let refused = auth.try_log_in("9820041537", PASSWORD).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "ACCOUNT_CLOSED"));
    // Of India, where it is the next day already.
    sqlx::query("update auth.account set closed_at = '2026-11-20T20:00:00Z'").execute(&pool).await.unwrap();
    let letter = post.the_letter().await;
    assert!(letter.contains("Your account is closed") && letter.contains("/login"), "{letter}");
    assert!(letter.contains("On 21 December 2026 we erase everything"), "{letter}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn only_an_account_that_was_closed_for_long_is_due_and_then_nobody_takes_it_back(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let account_id: uuid::Uuid = account_id.parse().unwrap();
    let due = async || crate::due_for_erasure(&pool, &settings()).await.unwrap();
    let here = auth.log_in().await;
    assert!(due().await.is_empty());
    auth.close(&here, PASSWORD).await.unwrap();
    assert!(due().await.is_empty());
    sqlx::query("update auth.account set closed_at = now() - interval '30 days'").execute(&pool).await.unwrap();
    assert_eq!(due().await, [account_id]);
    let refused = auth.try_log_in("9820041537", PASSWORD).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_CREDENTIALS");

    // Asha comes anew while her old account is being erased, which was cut short.
    auth.client.register(asha()).await.unwrap();
    assert_eq!(due().await, [account_id]);
    crate::erase(&pool, account_id).await.unwrap();
    assert!(due().await.is_empty());
    auth.log_in().await;
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
    assert_eq!(count(&pool, "select count(*) from auth.letter").await, 1);
}
