//! Closing and deletion of accounts.

use super::emails::Inbox;
use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn closing_ends_all_sessions_and_sends_an_email_with_the_deletion_date(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let inbox = Inbox::new(&pool);
    inbox.receive_one().await;
    let (here, phone) = (auth.log_in().await, auth.log_in().await);
    let status = auth.close(&here, "Monsoon 88 Rain").await.unwrap_err();
    assert_eq!(fields(&status), [("password".to_owned(), "WRONG".to_owned())]);
    let deletion_date = auth.close(&here, PASSWORD).await.unwrap();
    let closed: i64 = sqlx::query_scalar("select floor(extract(epoch from closed_at))::bigint from auth.account")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(deletion_date.seconds - closed, 30 * 86_400);
    for ended in [here, phone] {
        assert!(auth.verify(&ended).await.is_err());
    }
    let status = auth.try_log_in("asha.rao@example.in", PASSWORD).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "ACCOUNT_CLOSED"));
    // In India it is already the next day.
    sqlx::query("update auth.account set closed_at = '2026-11-20T20:00:00Z'").execute(&pool).await.unwrap();
    let email = inbox.receive_one().await;
    assert!(email.contains("Your account is closed") && email.contains("/login"), "{email}");
    assert!(email.contains("On 21 December 2026 we will permanently delete"), "{email}");
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_due_for_deletion_cannot_be_restored(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let account_id: uuid::Uuid = account_id.parse().unwrap();
    let due = async || crate::list_accounts_due_for_deletion(&pool, &settings()).await.unwrap();
    let here = auth.log_in().await;
    assert!(due().await.is_empty());
    auth.close(&here, PASSWORD).await.unwrap();
    assert!(due().await.is_empty());
    sqlx::query("update auth.account set closed_at = now() - interval '30 days'").execute(&pool).await.unwrap();
    assert_eq!(due().await, [account_id]);
    let status = auth.try_log_in("asha.rao@example.in", PASSWORD).await.unwrap_err();
    assert_eq!(reason(&status), "INVALID_CREDENTIALS");

    // Asha registers again while her old account is being deleted, and the deletion is interrupted.
    auth.client.register(asha()).await.unwrap();
    assert_eq!(due().await, [account_id]);
    crate::delete_account(&pool, account_id).await.unwrap();
    assert!(due().await.is_empty());
    auth.log_in().await;
    assert_eq!(count(&pool, "select count(*) from auth.account").await, 1);
    assert_eq!(count(&pool, "select count(*) from auth.outbox").await, 1);
}
