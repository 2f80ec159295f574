//! What comes back with a backup.

use super::back_off::ASHA;
use super::letters::{NEW_PASSWORD, Post, token};
use super::*;
use crate::service_token;

#[sqlx::test(migrations = "../../migrations")]
async fn what_may_have_been_taken_back_since_is_not_good_again(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let post = Post::new(&pool);
    post.the_letter().await;
    let tokens = auth.log_in().await;
    auth.forget(ASHA).await;
    let link = token(&post.the_letter().await, "/reset-password");
    auth.forget(ASHA).await;
    for name in ["reports", "ticker"] {
        service_token::create(&pool, name, &["trades:read".to_owned()]).await.unwrap();
    }
    service_token::revoke(&pool, "ticker").await.unwrap();
    auth.verify(&tokens).await.unwrap();

    let good = crate::restored(&mut pool.acquire().await.unwrap()).await.unwrap();
    assert_eq!(good.iter().map(|token| token.name.as_str()).collect::<Vec<_>>(), ["reports"]);
    assert_eq!(reason(&auth.refresh(&tokens.refresh_token).await.unwrap_err()), "SESSION_ENDED");
    assert_eq!(auth.ended().await.len(), 1, "also where another key is used");
    assert_eq!(reason(&auth.reset(&link, NEW_PASSWORD).await.unwrap_err()), "LINK_EXPIRED");
    assert_eq!(post.letters().await, Vec::<String>::new());
    let mut auth = super::auth(pool).await;
    assert!(auth.verify(&tokens).await.is_err());
    let again = auth.log_in().await;
    auth.verify(&again).await.unwrap();
}
