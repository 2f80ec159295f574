//! Taking an application in.

use std::os::unix::fs::PermissionsExt as _;

use rpc::careers::v1::submit_application_request::Part;
use rpc::careers::v1::{
    Answers, ApplicationEnd, ApplicationForm, Consents, GetJobDescriptionRequest, ListOpeningsRequest,
};
use sqlx::PgPool;
use tonic::Code;

use crate::fixtures::{pdf, pdf_of};
use crate::{Careers, answers, fields, form, reason};

/// [7C-03]
#[sqlx::test(migrations = "../../migrations")]
async fn the_openings_are_described_to_everybody(pool: PgPool) {
    let mut client = Careers::new(&pool).client;
    let openings = client.list_openings(ListOpeningsRequest {}).await.unwrap().into_inner().openings;
    assert_eq!(openings.len(), 8);
    let request = GetJobDescriptionRequest { job_id: "AI101".to_owned() };
    let described = client.get_job_description(request).await.unwrap().into_inner();
    assert_eq!(described.opening.as_ref(), Some(&openings[6]));
    assert_eq!(openings[6].title, "Artificial Intelligence Intern");
    assert_eq!(openings[6].last_date, "2027-03-31");
    let unknown = GetJobDescriptionRequest { job_id: "fe101".to_owned() };
    let refused = client.get_job_description(unknown).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::NotFound, "NO_OPENING".to_owned()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_application_is_stored_and_answered_by_letter(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.careers_inbox = Some("jobs@tradebahi.example".to_owned()));
    let consents = Consents { application: true, later_roles: true, notice_version: "2026-11".to_owned() };
    let taken = careers.apply(ApplicationForm { consents: Some(consents.clone()), ..form() }, &pdf()).await.unwrap();
    assert!(taken.application_id.starts_with("TBA-") && !taken.replayed);
    let files = careers.files();
    assert_eq!(files.len(), 1);
    let stored = careers.settings.resume_dir.as_ref().unwrap().join(&files[0]);
    assert_eq!(stored.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read(stored).unwrap(), pdf());

    let letters = careers.letters().await;
    let to = |address: &str| letters.iter().find(|letter| letter.contains(&format!("To: {address}"))).unwrap();
    let receipt = to("Asha.Rao@example.in");
    for said in
        ["Frontend Intern", &taken.application_id, "NIT Surathkal", "9876543210", "resume.pdf", "I like ledgers."]
    {
        assert!(receipt.contains(said), "{said}: {receipt}");
    }
    let notice = to("jobs@tradebahi.example");
    assert!(notice.contains(&taken.application_id) && !notice.contains("Asha"), "{notice}");
    let own = careers.own(&crate::key(receipt)).await.unwrap();
    assert_eq!(own.consents, Some(consents));
    assert_eq!(own.answers.unwrap(), Answers { mobile: "9876543210".to_owned(), ..answers() });
}

#[sqlx::test(migrations = "../../migrations")]
async fn every_field_at_fault_is_named_at_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    let bad = Answers { email: "asha".to_owned(), mobile: "123".to_owned(), ..answers() };
    let consents = Consents { application: false, later_roles: false, notice_version: String::new() };
    let form = ApplicationForm { answers: Some(bad), consents: Some(consents), file_name: String::new(), ..form() };
    let refused = careers.apply(form, b"").await.unwrap_err();
    let named: Vec<String> = fields(&refused).into_iter().map(|(field, _)| field).collect();
    assert_eq!(named, ["email", "mobile", "resume", "consentApplication"]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_application_that_breaks_off_stores_nothing(pool: PgPool) {
    let careers = Careers::new(&pool);
    let resume = pdf();
    let short = ApplicationEnd { bytes: i64::try_from(resume.len()).unwrap() - 1 };
    for parts in [
        vec![],
        vec![Part::Form(form())],
        vec![Part::Form(form()), Part::Chunk(resume.clone())],
        vec![Part::Form(form()), Part::Chunk(resume.clone()), Part::End(short)],
        vec![Part::Chunk(resume.clone()), Part::Form(form()), Part::End(ApplicationEnd { bytes: 0 })],
    ] {
        let refused = careers.send(parts).await.unwrap_err();
        assert_eq!(reason(&refused), "BROKEN_OFF");
    }
    assert_eq!(careers.files(), Vec::<String>::new());
    assert_eq!(careers.count("application").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_sends_an_application_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    let keyed = |key: &str| ApplicationForm { idempotency_key: key.to_owned(), ..form() };
    let resume = pdf();
    let sent = (0..8).map(|_| careers.apply(keyed("one"), &resume));
    let mut taken = Vec::new();
    for outcome in futures_util::future::join_all(sent).await {
        match outcome {
            Ok(reply) => taken.push(reply),
            Err(status) => assert_eq!(reason(&status), "IN_PROGRESS", "{status}"),
        }
    }
    taken.push(careers.apply(keyed("one"), &resume).await.unwrap());
    assert_eq!(taken.iter().filter(|reply| !reply.replayed).count(), 1);
    assert!(taken.iter().all(|reply| reply.application_id == taken[0].application_id));
    assert!(taken.iter().all(|reply| reply.received_at == taken[0].received_at));
    assert_eq!((careers.count("application").await, careers.files().len()), (1, 1));

    let refused = careers.apply(keyed("one"), &pdf_of(500)).await.unwrap_err();
    assert_eq!(reason(&refused), "KEY_REUSED");
    assert!(!careers.apply(keyed("two"), &resume).await.unwrap().replayed);
    assert!(!careers.apply(form(), &resume).await.unwrap().replayed);
    let refused = careers.apply(keyed(&"x".repeat(65)), &resume).await.unwrap_err();
    assert_eq!(fields(&refused), [("Idempotency-Key".to_owned(), "MALFORMED".to_owned())]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_fourth_application_in_a_day_is_kept_and_mailed_no_more(pool: PgPool) {
    let careers = Careers::new(&pool);
    for want in [1, 1, 1, 0, 0] {
        careers.apply(form(), &pdf()).await.unwrap();
        assert_eq!(careers.letters().await.len(), want);
    }
    assert_eq!(careers.count("application").await, 5);
    careers.apply(ApplicationForm { job_id: "BE101".to_owned(), ..form() }, &pdf()).await.unwrap();
    assert_eq!(careers.letters().await.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_day_takes_so_many_bytes_and_no_more(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.bytes_a_day = 2_000);
    careers.apply(form(), &pdf_of(1_500)).await.unwrap();
    let refused = careers.apply(form(), &pdf_of(501)).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, "DAY_FULL".to_owned()));
    careers.apply(form(), &pdf_of(500)).await.unwrap();
    assert_eq!(reason(&careers.apply(form(), &pdf_of(200)).await.unwrap_err()), "DAY_FULL");
    assert_eq!(careers.files().len(), 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_database_without_room_leaves_no_resume_behind(pool: PgPool) {
    let careers = Careers::new(&pool);
    let full = "create function no_room() returns trigger language plpgsql as
                    $$ begin raise exception using errcode = 'disk_full'; end $$;
                create trigger no_room before insert on careers.application execute function no_room()";
    sqlx::raw_sql(full).execute(&pool).await.unwrap();
    let refused = careers.apply(form(), &pdf()).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, "STORE_FULL".to_owned()));
    assert_eq!(careers.files().len(), 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn no_more_are_received_at_once_than_there_are_places(pool: PgPool) {
    let careers = Careers::with(&pool, |settings| settings.places = 0);
    let refused = careers.apply(form(), &pdf()).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, "BUSY".to_owned()));
}
