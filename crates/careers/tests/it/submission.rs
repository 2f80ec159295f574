//! Tests of the submission of applications.

use std::os::unix::fs::PermissionsExt as _;

use rpc::careers::v1::submit_application_request::Part;
use rpc::careers::v1::{
    Answers, ApplicationEnd, ApplicationForm, Consents, GetJobDescriptionRequest, ListOpeningsRequest,
};
use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use crate::fixtures::{pdf, pdf_with_size};
use crate::{Careers, answers, form, reason, violations};

/// [7C-03]
#[sqlx::test(migrations = "../../migrations")]
async fn openings_are_public(pool: PgPool) {
    let mut client = Careers::new(&pool).client;
    let openings = client.list_openings(ListOpeningsRequest {}).await.unwrap().into_inner().openings;
    assert_eq!(openings.len(), 8);
    let request = GetJobDescriptionRequest { job_id: "AI101".to_owned() };
    let description = client.get_job_description(request).await.unwrap().into_inner();
    assert_eq!(description.opening.as_ref(), Some(&openings[6]));
    assert_eq!(openings[6].title, "Artificial Intelligence Intern");
    assert_eq!(openings[6].last_date, "2027-03-31");
    let unknown = GetJobDescriptionRequest { job_id: "fe101".to_owned() };
    let rejected = client.get_job_description(unknown).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::NotFound, "OPENING_NOT_FOUND".to_owned()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_application_is_stored_and_confirmed_by_email(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.careers_inbox = Some("jobs@tradebahi.example".to_owned()));
    let consents = Consents { this_application: true, later_roles: true, notice_version: "2026-11".to_owned() };
    let response = careers.apply(ApplicationForm { consents: Some(consents.clone()), ..form() }, &pdf()).await.unwrap();
    assert!(response.application_id.starts_with("TBA-") && !response.replayed);
    let files = careers.resume_files();
    assert_eq!(files.len(), 1);
    let stored = careers.settings.resume_dir.as_ref().unwrap().join(&files[0]);
    assert_eq!(stored.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read(stored).unwrap(), pdf());

    let emails = careers.emails().await;
    let to = |address: &str| emails.iter().find(|email| email.contains(&format!("To: {address}"))).unwrap();
    let receipt = to("asha.rao@example.in");
    for text in ["Frontend Intern", &response.application_id, "B.Tech", "Frontend Internship", "experience: 0.5"] {
        assert!(receipt.contains(text), "{text}: {receipt}");
    }
    let notice = to("jobs@tradebahi.example");
    assert!(notice.contains(&response.application_id) && !notice.contains("Asha"), "{notice}");
    let own = careers.find_own(&crate::access_key(receipt)).await.unwrap();
    assert_eq!(own.consents, Some(consents));
    let canonical = Answers { mobile: "9876543210".to_owned(), email: "asha.rao@example.in".to_owned(), ..answers() };
    assert_eq!(own.answers.unwrap(), canonical);
}

#[sqlx::test(migrations = "../../migrations")]
async fn reports_all_invalid_fields_at_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    let invalid = Answers { email: "asha".to_owned(), mobile: "123".to_owned(), ..answers() };
    let consents = Consents { this_application: false, later_roles: false, notice_version: String::new() };
    let form = ApplicationForm { answers: Some(invalid), consents: Some(consents), file_name: String::new(), ..form() };
    let rejected = careers.apply(form, b"").await.unwrap_err();
    let invalid_fields: Vec<String> = violations(&rejected).into_iter().map(|(field, _)| field).collect();
    let paths = ["form.answers.email", "form.answers.mobile", "form.file_name", "form.consents.this_application"];
    assert_eq!(invalid_fields, paths);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_incomplete_upload_stores_nothing(pool: PgPool) {
    let careers = Careers::new(&pool);
    let resume = pdf();
    let wrong_size = ApplicationEnd { bytes: i64::try_from(resume.len()).unwrap() - 1 };
    for parts in [
        vec![],
        vec![Part::Form(form())],
        vec![Part::Form(form()), Part::Chunk(resume.clone())],
        vec![Part::Form(form()), Part::Chunk(resume.clone()), Part::End(wrong_size)],
        vec![Part::Chunk(resume.clone()), Part::Form(form()), Part::End(ApplicationEnd { bytes: 0 })],
    ] {
        let rejected = careers.send(parts).await.unwrap_err();
        assert_eq!(reason(&rejected), "INCOMPLETE_UPLOAD");
    }
    assert_eq!(careers.resume_files(), Vec::<String>::new());
    assert_eq!(careers.count("application").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_idempotency_key_stores_an_application_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    let form_with_key = |key: &str| ApplicationForm { idempotency_key: key.to_owned(), ..form() };
    let resume = pdf();
    let requests = (0..8).map(|_| careers.apply(form_with_key("one"), &resume));
    let mut responses = Vec::new();
    for outcome in futures_util::future::join_all(requests).await {
        match outcome {
            Ok(response) => responses.push(response),
            Err(status) => assert_eq!(reason(&status), "IN_PROGRESS", "{status}"),
        }
    }
    responses.push(careers.apply(form_with_key("one"), &resume).await.unwrap());
    assert_eq!(responses.iter().filter(|response| !response.replayed).count(), 1);
    assert!(responses.iter().all(|response| response.application_id == responses[0].application_id));
    assert!(responses.iter().all(|response| response.received_at == responses[0].received_at));
    assert_eq!((careers.count("application").await, careers.resume_files().len()), (1, 1));

    let rejected = careers.apply(form_with_key("one"), &pdf_with_size(500)).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED".to_owned()));
    assert_eq!(violations(&rejected), [("form.idempotency_key".to_owned(), "IDEMPOTENCY_KEY_REUSED".to_owned())]);
    assert!(!careers.apply(form_with_key("two"), &resume).await.unwrap().replayed);
    assert!(!careers.apply(form(), &resume).await.unwrap().replayed);
    let rejected = careers.apply(form_with_key(&"x".repeat(65)), &resume).await.unwrap_err();
    assert_eq!(violations(&rejected), [("form.idempotency_key".to_owned(), "INVALID".to_owned())]);
}

/// [C6]
#[sqlx::test(migrations = "../../migrations")]
async fn c6_emails_show_the_labels_of_the_form(pool: PgPool) {
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    let receipt = careers.single_email().await;
    for code in ["btech", "Preferred role: frontend\n", " KB"] {
        assert!(!receipt.contains(code), "{code}: {receipt}");
    }
    assert!(receipt.contains("Degree: B.Tech\n") && receipt.contains("Preferred role: Frontend Internship\n"));
}

/// [C11]
#[sqlx::test(migrations = "../../migrations")]
async fn c11_emails_repeat_no_free_text_of_the_form(pool: PgPool) {
    let careers = Careers::new(&pool);
    let mut careers_answers = answers();
    for text in [&mut careers_answers.name, &mut careers_answers.college, &mut careers_answers.motivation] {
        *text = "Visit https://phishing.example now".to_owned();
    }
    careers_answers.linkedin = "https://phishing.example/in".to_owned();
    let file_name = "phishing.example.pdf".to_owned();
    careers.apply(ApplicationForm { answers: Some(careers_answers), file_name, ..form() }, &pdf()).await.unwrap();
    let receipt = careers.single_email().await;
    let key = crate::access_key(&receipt);
    careers.update(&key, Answers { college: "phishing.example 2".to_owned(), ..Answers::default() }).await.unwrap();
    let corrected = careers.single_email().await;
    careers.withdraw(&key).await.unwrap();
    for email in [receipt, corrected, careers.single_email().await] {
        assert!(!email.contains("phishing"), "{email}");
    }
}

/// [C11]
#[sqlx::test(migrations = "../../migrations")]
async fn c11_a_mailbox_gets_five_receipts_a_day_over_all_openings(pool: PgPool) {
    let careers = Careers::new(&pool);
    let apply = async |email: &str, job_id: &str| {
        let answers = Some(Answers { email: email.to_owned(), ..answers() });
        let idempotency_key = Uuid::new_v4().to_string();
        let form = ApplicationForm { job_id: job_id.to_owned(), answers, idempotency_key, ..form() };
        let receipt = careers.apply(form.clone(), &pdf()).await.unwrap();
        let retried = careers.apply(form, &pdf()).await.unwrap();
        assert!(retried.replayed);
        let emails = careers.emails().await.len();
        for receipt in [receipt, retried] {
            assert_eq!(receipt.receipt_queued, emails == 1, "the receipt tells if it is sent");
        }
        emails
    };
    for (email, job_id) in [
        ("asha@example.in", "FE101"),
        ("Asha@example.in", "BE101"),
        ("asha+1@example.in", "AI101"),
        ("asha+2+3@example.in", "GD101"),
        ("ASHA+x@EXAMPLE.in", "FE101"),
    ] {
        assert_eq!(apply(email, job_id).await, 1, "{email}");
    }
    for (email, job_id) in [("asha@example.in", "MK101"), ("asha+4@example.in", "CW101")] {
        assert_eq!(apply(email, job_id).await, 0, "{email}");
    }
    assert_eq!(careers.count("application").await, 7, "stored without an email");
    assert_eq!(apply("as.ha@example.in", "FE101").await, 1, "another mailbox");
    sqlx::query("update careers.daily_recipient_total set day = day - 1").execute(&pool).await.unwrap();
    assert_eq!(apply("asha@example.in", "FE101").await, 1, "the next day");
    sqlx::query("update careers.daily_recipient_total set day = day - 3").execute(&pool).await.unwrap();
    careers::clean_up(&pool, &careers.settings).await.unwrap();
    assert_eq!(careers.count("daily_recipient_total").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_a_resume_above_the_daily_limit(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.max_bytes_per_day = 2_000);
    careers.apply(form(), &pdf_with_size(1_500)).await.unwrap();
    let rejected = careers.apply(form(), &pdf_with_size(501)).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::ResourceExhausted, "DAILY_LIMIT_REACHED".to_owned()));
    careers.apply(form(), &pdf_with_size(500)).await.unwrap();
    assert_eq!(reason(&careers.apply(form(), &pdf_with_size(200)).await.unwrap_err()), "DAILY_LIMIT_REACHED");
    assert_eq!(careers.resume_files().len(), 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_database_disk_leaves_no_resume_behind(pool: PgPool) {
    let careers = Careers::new(&pool);
    let fail_inserts = "create function no_room() returns trigger language plpgsql as
                    $$ begin raise exception using errcode = 'disk_full'; end $$;
                create trigger no_room before insert on careers.application execute function no_room()";
    sqlx::raw_sql(fail_inserts).execute(&pool).await.unwrap();
    let rejected = careers.apply(form(), &pdf()).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::ResourceExhausted, "STORAGE_FULL".to_owned()));
    assert_eq!(careers.resume_files().len(), 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_application_above_the_concurrency_limit(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.max_pending_applications = 0);
    let rejected = careers.apply(form(), &pdf()).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::ResourceExhausted, "BUSY".to_owned()));
}
