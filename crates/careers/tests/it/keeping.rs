//! How long things are kept.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use rpc::careers::v1::{ApplicationForm, GetApplicationRequest};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixtures::pdf;
use crate::{Careers, form, reason};

#[sqlx::test(migrations = "../../migrations")]
async fn an_application_is_erased_when_its_time_is_over(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.keep_applications_days = 30);
    let own = careers.applied().await;
    let application = careers.own(&own).await.unwrap();
    let kept = application.kept_until.unwrap().seconds - application.received_at.unwrap().seconds;
    assert_eq!(kept, 30 * 24 * 3600);
    let application_id = application.application_id;
    careers.client.clone().get_application(GetApplicationRequest { application_id }).await.unwrap();
    careers.apply(ApplicationForm { idempotency_key: "one".to_owned(), ..form() }, &pdf()).await.unwrap();

    let a_day_before = "update careers.application set kept_until = kept_until - interval '29 days'";
    sqlx::query(a_day_before).execute(&pool).await.unwrap();
    careers::sweep(&pool, &careers.settings).await.unwrap();
    assert_eq!((careers.count("application").await, careers.files().len()), (2, 2));

    sqlx::query("update careers.application set kept_until = kept_until - interval '1 day'")
        .execute(&pool)
        .await
        .unwrap();
    careers::sweep(&pool, &careers.settings).await.unwrap();
    assert_eq!((careers.count("application").await, careers.files().len()), (0, 0));
    assert_eq!((careers.count("application_key").await, careers.count("answered_request").await), (0, 0));
    assert_eq!(reason(&careers.own(&own).await.unwrap_err()), "NO_APPLICATION");
    assert_eq!(careers.letters().await.len(), 0);

    assert_eq!(careers.count("access_record").await, 1, "who read it stays known");
    sqlx::query("update careers.access_record set at = at - interval '366 days'").execute(&pool).await.unwrap();
    careers::sweep(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("access_record").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_resume_without_an_application_is_swept_away_after_an_hour(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.applied().await;
    let dir = careers.settings.resume_dir.clone().unwrap();
    let kept = careers.files();
    let age = |name: &str, minutes: u64| {
        let path = dir.join(name);
        if !path.exists() {
            fs::write(&path, "x").unwrap();
        }
        let at = SystemTime::now() - Duration::from_secs(60 * minutes);
        File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
    };
    let (old, half, young) = (Uuid::new_v4().to_string(), format!("{}#1", Uuid::new_v4()), Uuid::new_v4().to_string());
    for (name, minutes) in [(old.as_str(), 61), (&half, 61), (&young, 59), ("README", 61), (&kept[0], 61)] {
        age(name, minutes);
    }
    careers::sweep(&pool, &careers.settings).await.unwrap();
    let mut left = careers.files();
    left.sort();
    let mut want = vec![kept[0].clone(), young, "README".to_owned()];
    want.sort();
    assert_eq!(left, want);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_answer_is_remembered_for_a_day(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(ApplicationForm { idempotency_key: "one".to_owned(), ..form() }, &pdf()).await.unwrap();
    careers::sweep(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("answered_request").await, 1);
    sqlx::query("update careers.answered_request set answered_at = now() - interval '25 hours'")
        .execute(&pool)
        .await
        .unwrap();
    careers::sweep(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("answered_request").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_letter_that_came_back_with_a_backup_is_not_sent_again(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    careers::restored(&mut pool.acquire().await.unwrap()).await.unwrap();
    assert_eq!(careers.letters().await.len(), 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_letter_that_did_not_leave_is_tried_again_later(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = mail::Settings {
        smtp_url: Some(format!("smtp://{closed}")),
        mail_from: Some("no-reply@tradebahi.example".to_owned()),
    };
    let mailer = mail::Mailer::new(&unreachable, "unused".into()).unwrap();
    let broken = careers::letters(pool.clone(), mailer, &careers.settings);
    assert_eq!(mail::write_due(&broken).await.unwrap(), 1);
    assert_eq!(mail::write_due(&broken).await.unwrap(), 0, "not at once");
    sqlx::query("update careers.letter set next_attempt_at = now()").execute(&pool).await.unwrap();
    assert!(careers.letter().await.contains("/application/"));
}
