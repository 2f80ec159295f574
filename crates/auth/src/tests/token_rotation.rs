//! Refresh tokens: rotation, reuse detection and expiry.

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn refreshing_returns_new_tokens_of_the_same_session(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let second = auth.refresh(&first.refresh_token).await.unwrap();
    let third = auth.refresh(&second.refresh_token).await.unwrap();
    assert_ne!(first.refresh_token, second.refresh_token);
    assert_ne!(second.refresh_token, third.refresh_token);
    let (before, after) = (auth.verify(&first).await.unwrap(), auth.verify(&third).await.unwrap());
    assert_eq!((before.account_id, before.session_id), (after.account_id, after.session_id));
    let readable = "select count(*) from auth.refresh_token where length(token_hash) <> 32";
    assert_eq!(count(&pool, readable).await, 0, "only hashes are stored");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_lost_response_does_not_end_the_session(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let first = auth.log_in().await;
    let lost = auth.refresh(&first.refresh_token).await.unwrap();
    let received = auth.refresh(&first.refresh_token).await.unwrap();
    assert_ne!(lost.refresh_token, received.refresh_token);
    let next = auth.refresh(&received.refresh_token).await.unwrap();
    assert!(auth.verify(&next).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s11_a_used_token_is_rejected_after_the_grace_although_its_successor_is_unused(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let second = auth.refresh(&first.refresh_token).await.unwrap();
    let age = async |seconds: i32| {
        let update = "update auth.session set last_seen_at = last_seen_at - make_interval(secs => $1)";
        sqlx::query(update).bind(f64::from(seconds)).execute(&pool).await.unwrap();
    };
    age(8).await;
    auth.refresh(&first.refresh_token).await.unwrap();
    // A repeated use does not extend the grace.
    age(8).await;
    let status = auth.refresh(&first.refresh_token).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "SESSION_ENDED"));
    assert!(auth.refresh(&second.refresh_token).await.is_err(), "all tokens of the session are revoked");
    assert!(auth.verify(&second).await.is_err());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_token_that_was_not_used_works_after_the_grace(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let second = auth.refresh(&first.refresh_token).await.unwrap();
    let away = "update auth.session set last_seen_at = now() - interval '13 days'";
    sqlx::query(away).execute(&pool).await.unwrap();
    auth.refresh(&second.refresh_token).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn reusing_a_token_after_its_successor_ends_the_session(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let other_device = auth.log_in().await;
    let second = auth.refresh(&first.refresh_token).await.unwrap();
    let third = auth.refresh(&second.refresh_token).await.unwrap();
    for stolen in [&first, &first, &second, &third] {
        let status = auth.refresh(&stolen.refresh_token).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "SESSION_ENDED"));
    }
    let session_id =
        auth.verifier.verify(&third.access_token).unwrap().require_session().unwrap().session_id.to_string();
    assert_eq!(auth.ended_session_ids().await, [session_id]);
    assert!(matches!(auth.verify(&third).await, Err(AuthError::Unauthenticated)));
    assert!(auth.verify(&other_device).await.is_ok(), "other sessions stay open");
    assert!(auth.refresh(&other_device.refresh_token).await.is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn only_one_of_two_successors_of_a_token_can_be_used(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let first = auth.log_in().await;
    let owner = auth.refresh(&first.refresh_token).await.unwrap();
    let thief = auth.refresh(&first.refresh_token).await.unwrap();
    let stolen = auth.refresh(&thief.refresh_token).await.unwrap();
    assert!(auth.refresh(&owner.refresh_token).await.is_err());
    assert!(auth.refresh(&stolen.refresh_token).await.is_err(), "the session of the thief ended as well");
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_refreshes_of_tabs_keep_the_session_open(options: PgPoolOptions, connect: PgConnectOptions) {
    let pool = options.max_connections(8).connect_with(connect).await.unwrap();
    let (mut auth, _) = Auth::with_asha(pool).await;
    for kept in 0..4 {
        let first = auth.log_in().await;
        let token = first.refresh_token.as_str();
        let (a, b, c, d) =
            tokio::join!(auth.refresh(token), auth.refresh(token), auth.refresh(token), auth.refresh(token));
        let replies = [a, b, c, d].map(Result::unwrap);
        // The browser stores one of the tokens, and each of them is valid.
        let next = auth.refresh(&replies[kept].refresh_token).await.unwrap();
        assert!(auth.verify(&next).await.is_ok());
    }
    assert!(auth.ended_session_ids().await.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_refresh_waits_while_the_session_is_being_ended(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let mut ending = pool.begin().await.unwrap();
    sqlx::query("update auth.session set ended_at = now()").execute(&mut *ending).await.unwrap();
    let refresh = auth.refresh(&tokens.refresh_token);
    let end = async {
        wait_for_count(&pool, WAITING_FOR_LOCK, 1).await;
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
        "update auth.session set expires_at = now()",
        "update auth.session set ended_at = now()",
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
async fn a_refresh_token_expires_after_14_days_and_never_after_its_session(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let first = auth.log_in().await;
    let days = |tokens: &Tokens| {
        let left = tokens.refresh_expires_at.unwrap().seconds - time::OffsetDateTime::now_utc().unix_timestamp();
        (left as f64 / 86_400.0).round()
    };
    assert_eq!(days(&first), 14.0);
    let absolute = "select count(*) from auth.session where expires_at = created_at + interval '30 days'";
    assert_eq!(count(&pool, absolute).await, 1);
    sqlx::query("update auth.session set expires_at = now() + interval '3 days'").execute(&pool).await.unwrap();
    assert_eq!(days(&auth.refresh(&first.refresh_token).await.unwrap()), 3.0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn cleanup_keeps_open_sessions_and_recently_ended_ones(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let (expired, ended, open) = (auth.log_in().await, auth.log_in().await, auth.log_in().await);
    auth.log_out(&ended.refresh_token).await;
    sqlx::query("insert into auth.ended_session values (gen_random_uuid(), now() - interval '2 hours')")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!(auth.ended_session_ids().await.len(), 1, "the other ended long ago");
    let expired_id = auth.verify(&expired).await.unwrap().session_id;
    for expire in [
        "update auth.refresh_token set expires_at = now() - interval '2 days' where session_id = $1",
        "update auth.session set expires_at = now() - interval '2 days' where session_id = $1",
    ] {
        sqlx::query(expire).bind(expired_id).execute(&pool).await.unwrap();
    }
    crate::delete_expired_rows(&pool).await;
    for (query, want) in [
        ("select count(*) from auth.ended_session", 1),
        ("select count(*) from auth.refresh_token", 1),
        ("select count(*) from auth.session", 2),
    ] {
        assert_eq!(count(&pool, query).await, want, "{query}");
    }
    assert_eq!(auth.ended_session_ids().await.len(), 1);
    assert!(auth.refresh(&open.refresh_token).await.is_ok());
}
