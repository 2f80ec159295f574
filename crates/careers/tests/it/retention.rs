//! Tests of the retention of applications, resumes and bookkeeping rows.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use rpc::careers::v1::{ApplicationForm, Consents, GetApplicationRequest, Step};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixtures::pdf;
use crate::{Careers, access_key, form, reason};

#[sqlx::test(migrations = "../../migrations")]
async fn an_application_is_deleted_at_the_end_of_its_retention(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.retention.keep_applications_days = 30);
    let own = careers.submit().await;
    let application = careers.find_own(&own).await.unwrap();
    let retention = application.expires_at.unwrap().seconds - application.received_at.unwrap().seconds;
    assert_eq!(retention, 30 * 24 * 3600);
    let application_id = application.application_id;
    careers
        .client
        .clone()
        .get_application(GetApplicationRequest { application_id: application_id.clone() })
        .await
        .unwrap();
    careers.set_step(&application_id, Step::TeamRound, "Bring a laptop.").await.unwrap();
    assert_eq!(careers.count("step_history").await, 1);
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
    assert_eq!(careers.count("step_history").await, 0, "a note may name the candidate");
    assert_eq!(reason(&careers.find_own(&own).await.unwrap_err()), "APPLICATION_NOT_FOUND");
    assert_eq!(careers.emails().await.len(), 0);

    assert_eq!(careers.count("access_log").await, 2, "the access log is kept");
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
    assert!(careers.single_email().await.contains("/application#"));
}

/// Application at a point of its life, with the consent to later roles.
async fn submit_with_consent(careers: &Careers, later_roles: bool) -> String {
    let consents = Some(Consents { this_application: true, later_roles, notice_version: "2026-11".to_owned() });
    careers.apply(ApplicationForm { consents, ..form() }, &pdf()).await.unwrap();
    access_key(&careers.single_email().await)
}

/// Returns the days from now until the application is deleted.
async fn days_left(careers: &Careers, key: &str) -> i64 {
    let expires_at = careers.find_own(key).await.unwrap().expires_at.unwrap().seconds;
    (expires_at - time::OffsetDateTime::now_utc().unix_timestamp() + 43_200) / 86_400
}

/// Moves the clock by letting everything have happened `days` earlier.
async fn pass_days(careers: &Careers, days: i32) {
    sqlx::query(
        "update careers.application set received_at = received_at - make_interval(days => $1),
             step_since = step_since - make_interval(days => $1),
             withdrawn_at = withdrawn_at - make_interval(days => $1),
             expires_at = expires_at - make_interval(days => $1)",
    )
    .bind(days)
    .execute(&careers.pool)
    .await
    .unwrap();
    careers::clean_up(&careers.pool, &careers.settings).await.unwrap();
}

/// [C10]
#[sqlx::test(migrations = "../../migrations")]
async fn c10_retention_follows_the_consent_the_decision_and_a_withdrawal(pool: PgPool) {
    let careers = Careers::new(&pool);
    let (declined, agreed) = (submit_with_consent(&careers, false).await, submit_with_consent(&careers, true).await);
    let withdrawn = submit_with_consent(&careers, true).await;
    for key in [&declined, &agreed, &withdrawn] {
        assert_eq!(days_left(&careers, key).await, 365, "an open application");
    }
    pass_days(&careers, 200).await;
    for key in [&declined, &agreed] {
        let id = careers.find_own(key).await.unwrap().application_id;
        careers.set_step(&id, Step::TeamRound, "").await.unwrap();
        assert_eq!(days_left(&careers, key).await, 365, "a new step keeps an open application");
        careers.set_step(&id, Step::Rejected, "").await.unwrap();
    }
    let own = careers.withdraw(&withdrawn).await.unwrap();
    assert!(!own.consents.unwrap().later_roles, "a withdrawal revokes the consent");
    assert_eq!(days_left(&careers, &declined).await, 90);
    assert_eq!(days_left(&careers, &agreed).await, 365);
    assert_eq!(days_left(&careers, &withdrawn).await, 30);

    for (days, expected) in [(29, [true, true, true]), (1, [true, true, false]), (59, [true, true, false])] {
        pass_days(&careers, days).await;
        let mut is_kept = Vec::new();
        for key in [&declined, &agreed, &withdrawn] {
            is_kept.push(careers.find_own(key).await.is_ok());
        }
        assert_eq!(is_kept, expected, "after {days} more days");
    }
    pass_days(&careers, 1).await;
    assert_eq!(careers.count("application").await, 1);
    pass_days(&careers, 274).await;
    assert!(careers.find_own(&agreed).await.is_ok(), "364 days after the decision");
    pass_days(&careers, 1).await;
    assert_eq!((careers.count("application").await, careers.resume_files().len()), (0, 0));
}

/// [C10]
#[sqlx::test(migrations = "../../migrations")]
async fn c10_revoking_the_consent_shortens_the_retention(pool: PgPool) {
    let careers = Careers::new(&pool);
    let key = submit_with_consent(&careers, true).await;
    let id = careers.find_own(&key).await.unwrap().application_id;
    careers.set_step(&id, Step::Rejected, "").await.unwrap();
    let email = careers.single_email().await;
    assert!(email.contains("We keep your application until"), "{email}");
    pass_days(&careers, 40).await;
    for (agreed, days) in [(false, 50), (true, 325), (false, 50)] {
        careers.set_later_roles(&key, agreed).await.unwrap();
        assert_eq!(days_left(&careers, &key).await, days);
    }
    careers.set_later_roles(&key, true).await.unwrap();
    pass_days(&careers, 100).await;
    careers.set_later_roles(&key, false).await.unwrap();
    assert_eq!(days_left(&careers, &key).await, 7, "long enough to download the application");
}

/// [C10]
#[sqlx::test(migrations = "../../migrations")]
async fn c10_retention_follows_the_settings(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| {
        settings.retention.keep_decided_applications_days = 10;
        settings.retention.keep_withdrawn_applications_days = 2;
    });
    let key = submit_with_consent(&careers, false).await;
    let id = careers.find_own(&key).await.unwrap().application_id;
    careers.set_step(&id, Step::Offered, "").await.unwrap();
    assert_eq!(days_left(&careers, &key).await, 10);
    careers.withdraw(&key).await.unwrap();
    assert_eq!(days_left(&careers, &key).await, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_receipt_states_the_retention_of_this_application(pool: PgPool) {
    let careers = Careers::new(&pool);
    for (later_roles, decided) in [
        (false, "After our decision we keep them for 90 days."),
        (true, "After our decision we keep them for 12 months because you agreed that we keep them for later roles."),
    ] {
        let consents = Consents { this_application: true, later_roles, notice_version: "2026-11-20".to_owned() };
        careers.apply(ApplicationForm { consents: Some(consents), ..form() }, &pdf()).await.unwrap();
        let receipt = careers.single_email().await.replace('\n', " ");
        assert!(receipt.contains("for at most 12 months after the last step: until "), "{receipt}");
        assert!(receipt.contains(decided), "{receipt}");
        assert!(receipt.contains("If you withdraw, we keep them for 30 days."), "{receipt}");
    }
}
