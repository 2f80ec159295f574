//! Tests of the retention of applications, resumes and bookkeeping rows.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use rpc::careers::v1::{ApplicationForm, GetApplicationRequest};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixtures::pdf;
use crate::{Careers, form, reason};

#[sqlx::test(migrations = "../../migrations")]
async fn an_application_is_deleted_at_the_end_of_its_retention(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.keep_applications_days = 30);
    let own = careers.submit().await;
    let application = careers.find_own(&own).await.unwrap();
    let retention = application.expires_at.unwrap().seconds - application.received_at.unwrap().seconds;
    assert_eq!(retention, 30 * 24 * 3600);
    let application_id = application.application_id;
    careers.client.clone().get_application(GetApplicationRequest { application_id }).await.unwrap();
    careers.apply(ApplicationForm { idempotency_key: "one".to_owned(), ..form() }, &pdf()).await.unwrap();

    let one_day_left = "update careers.application set expires_at = expires_at - interval '29 days'";
    sqlx::query(one_day_left).execute(&pool).await.unwrap();
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    assert_eq!((careers.count("application").await, careers.resume_files().len()), (2, 2));

    sqlx::query("update careers.application set expires_at = expires_at - interval '1 day'")
        .execute(&pool)
        .await
        .unwrap();
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    assert_eq!((careers.count("application").await, careers.resume_files().len()), (0, 0));
    assert_eq!((careers.count("application_key").await, careers.count("idempotent_request").await), (0, 0));
    assert_eq!(reason(&careers.find_own(&own).await.unwrap_err()), "APPLICATION_NOT_FOUND");
    assert_eq!(careers.emails().await.len(), 0);

    assert_eq!(careers.count("access_log").await, 1, "the access log is kept");
    sqlx::query("update careers.access_log set accessed_at = accessed_at - interval '366 days'")
        .execute(&pool)
        .await
        .unwrap();
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("access_log").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_orphaned_resume_is_deleted_after_an_hour(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.submit().await;
    let dir = careers.settings.resume_dir.clone().unwrap();
    let used = careers.resume_files();
    let set_age = |name: &str, minutes: u64| {
        let path = dir.join(name);
        if !path.exists() {
            fs::write(&path, "x").unwrap();
        }
        let at = SystemTime::now() - Duration::from_secs(60 * minutes);
        File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
    };
    let (old, incomplete, young) =
        (Uuid::new_v4().to_string(), format!("{}#1", Uuid::new_v4()), Uuid::new_v4().to_string());
    for (name, minutes) in [(old.as_str(), 61), (&incomplete, 61), (&young, 59), ("README", 61), (&used[0], 61)] {
        set_age(name, minutes);
    }
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    let mut remaining = careers.resume_files();
    remaining.sort();
    let mut want = vec![used[0].clone(), young, "README".to_owned()];
    want.sort();
    assert_eq!(remaining, want);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_idempotency_key_is_deleted_after_a_day(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(ApplicationForm { idempotency_key: "one".to_owned(), ..form() }, &pdf()).await.unwrap();
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("idempotent_request").await, 1);
    sqlx::query("update careers.idempotent_request set received_at = now() - interval '25 hours'")
        .execute(&pool)
        .await
        .unwrap();
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("idempotent_request").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn queued_emails_of_a_restored_backup_are_not_sent(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    careers::clear_outbox(&mut pool.acquire().await.unwrap()).await.unwrap();
    assert_eq!(careers.emails().await.len(), 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_email_that_was_not_sent_is_retried_later(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    let closed_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = mail::Settings {
        smtp_url: Some(format!("smtp://{closed_port}")),
        mail_from: Some("no-reply@tradebahi.example".to_owned()),
    };
    let mailer = mail::Mailer::new(&unreachable, "unused".into()).unwrap();
    let outbox = careers::outbox(pool.clone(), mailer, &careers.settings);
    assert_eq!(mail::send_due(&outbox).await.unwrap(), 1);
    assert_eq!(mail::send_due(&outbox).await.unwrap(), 0, "no immediate retry");
    sqlx::query("update careers.email set next_attempt_at = now()").execute(&pool).await.unwrap();
    assert!(careers.single_email().await.contains("/application/"));
}
