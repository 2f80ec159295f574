//! Refresh tokens, and what is left of them.

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn refreshing_gives_new_tokens_of_the_same_sign_in(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let second = auth.refresh(&first.refresh_token).await.unwrap();
    let third = auth.refresh(&second.refresh_token).await.unwrap();
    assert_ne!(first.refresh_token, second.refresh_token);
    assert_ne!(second.refresh_token, third.refresh_token);
    let (was, is) = (auth.verify(&first).await.unwrap(), auth.verify(&third).await.unwrap());
    assert_eq!((was.account_id, was.sign_in_id), (is.account_id, is.sign_in_id));
    let readable = "select count(*) from auth.refresh_token where length(token_hash) <> 32";
    assert_eq!(count(&pool, readable).await, 0, "only hashes are stored");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_lost_reply_signs_nobody_out(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let first = auth.log_in().await;
    let lost = auth.refresh(&first.refresh_token).await.unwrap();
    let kept = auth.refresh(&first.refresh_token).await.unwrap();
    assert_ne!(lost.refresh_token, kept.refresh_token);
    let next = auth.refresh(&kept.refresh_token).await.unwrap();
    assert!(auth.verify(&next).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_used_again_after_its_successor_ends_the_sign_in(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let other_device = auth.log_in().await;
    let second = auth.refresh(&first.refresh_token).await.unwrap();
    let third = auth.refresh(&second.refresh_token).await.unwrap();
    for stolen in [&first, &first, &second, &third] {
        let status = auth.refresh(&stolen.refresh_token).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "SESSION_ENDED"));
    }
    let ended = auth.verifier.verify(&third.access_token).unwrap().session().unwrap().sign_in_id.to_string();
    assert_eq!(auth.ended().await, [ended]);
    assert!(matches!(auth.verify(&third).await, Err(Refused::SignedOut)));
    assert!(auth.verify(&other_device).await.is_ok(), "another sign-in goes on");
    assert!(auth.refresh(&other_device.refresh_token).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn two_replies_to_one_token_cannot_both_be_used(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let first = auth.log_in().await;
    let owner = auth.refresh(&first.refresh_token).await.unwrap();
    let thief = auth.refresh(&first.refresh_token).await.unwrap();
    let theirs = auth.refresh(&thief.refresh_token).await.unwrap();
    assert!(auth.refresh(&owner.refresh_token).await.is_err());
    assert!(auth.refresh(&theirs.refresh_token).await.is_err(), "the thief is out as well");
}

#[sqlx::test(migrations = "../../migrations")]
async fn tabs_that_refresh_at_once_stay_signed_in(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let (mut auth, _) = Auth::with_asha(pool).await;
    for kept in 0..4 {
        let first = auth.log_in().await;
        let token = first.refresh_token.as_str();
        let (a, b, c, d) =
            tokio::join!(auth.refresh(token), auth.refresh(token), auth.refresh(token), auth.refresh(token));
        let replies = [a, b, c, d].map(Result::unwrap);
        // Whichever cookie the browser ends up with is good.
        let next = auth.refresh(&replies[kept].refresh_token).await.unwrap();
        assert!(auth.verify(&next).await.is_ok());
    }
    assert!(auth.ended().await.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_refresh_waits_for_whoever_is_ending_the_sign_in(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let mut ending = pool.begin().await.unwrap();
    sqlx::query("update auth.sign_in set ended_at = now()").execute(&mut *ending).await.unwrap();
    let refresh = auth.refresh(&tokens.refresh_token);
    let end = async {
        until(&pool, WAITING, 1).await;
        ending.commit().await.unwrap();
    };
    let (refreshed, ()) = tokio::join!(refresh, end);
    assert_eq!(reason(&refreshed.unwrap_err()), "SESSION_ENDED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_past_its_time_is_refused(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    for expire in [
        "update auth.refresh_token set expires_at = now()",
        "update auth.sign_in set expires_at = now()",
        "update auth.sign_in set ended_at = now()",
    ] {
        let tokens = auth.log_in().await;
        sqlx::query(expire).execute(&pool).await.unwrap();
        let status = auth.refresh(&tokens.refresh_token).await.unwrap_err();
        assert_eq!(reason(&status), "SESSION_ENDED", "{expire}");
    }
    for unknown in ["", "x", &"x".repeat(10_000)] {
        assert_eq!(reason(&auth.refresh(unknown).await.unwrap_err()), "SESSION_ENDED");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_refresh_token_lasts_14_days_but_never_longer_than_its_sign_in(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let days = |tokens: &Tokens| {
        let left = tokens.refresh_expires_at.unwrap().seconds - time::OffsetDateTime::now_utc().unix_timestamp();
        (left as f64 / 86_400.0).round()
    };
    assert_eq!(days(&first), 14.0);
    let absolute = "select count(*) from auth.sign_in where expires_at = created_at + interval '30 days'";
    assert_eq!(count(&pool, absolute).await, 1);
    sqlx::query("update auth.sign_in set expires_at = now() + interval '3 days'").execute(&pool).await.unwrap();
    assert_eq!(days(&auth.refresh(&first.refresh_token).await.unwrap()), 3.0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn sweeping_leaves_what_is_still_of_use(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let (over, ended, live) = (auth.log_in().await, auth.log_in().await, auth.log_in().await);
    auth.log_out(&ended.refresh_token).await;
    sqlx::query("insert into auth.ended_sign_in values (gen_random_uuid(), now() - interval '2 hours')")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!(auth.ended().await.len(), 1, "nobody needs to know of the other");
    let over = auth.verify(&over).await.unwrap().sign_in_id;
    for expire in [
        "update auth.refresh_token set expires_at = now() - interval '2 days' where sign_in_id = $1",
        "update auth.sign_in set expires_at = now() - interval '2 days' where sign_in_id = $1",
    ] {
        sqlx::query(expire).bind(over).execute(&pool).await.unwrap();
    }
    crate::sweep(&pool).await;
    for (query, want) in [
        ("select count(*) from auth.ended_sign_in", 1),
        ("select count(*) from auth.refresh_token", 1),
        ("select count(*) from auth.sign_in", 2),
    ] {
        assert_eq!(count(&pool, query).await, want, "{query}");
    }
    assert_eq!(auth.ended().await.len(), 1);
    assert!(auth.refresh(&live.refresh_token).await.is_ok());
}
