//! Job applications over REST, from the form to the candidate's page.

use axum::body::Body;
use http::{Method, Request};
use mail::Mailer;
use rpc::careers::v1::{SetApplicationStepRequest, Step};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::app::{App, Reply};
use crate::broker_files::hex_sha256;
use crate::resumes::{archive, doc_with, docx_with, encrypted_docx, pdf, pdf_with, pdf_with_size, relationships};

const MAX_RESUME_BYTES: usize = 5_242_880;

/// Application form with a resume.
pub struct ApplicationForm<'a> {
    pub fields: Vec<(&'a str, String)>,
    pub file_name: &'a str,
    pub resume: &'a [u8],
    /// Value of the `Idempotency-Key` header.
    pub idempotency_key: Option<&'a str>,
}

impl<'a> ApplicationForm<'a> {
    /// Content type of [`form`](Self::form).
    pub const CONTENT_TYPE: &'static str = "multipart/form-data; boundary=x";

    /// Creates a form with exactly the fields of the spec.
    pub fn new(file_name: &'a str, resume: &'a [u8]) -> Self {
        let year = (OffsetDateTime::now_utc().year() + 1).to_string();
        let fields = [
            ("name", "Asha Rao"),
            ("email", "asha@example.in"),
            ("mobile", "9876543210"),
            ("college", "NIT Surathkal"),
            ("degree", "btech"),
            ("passingYear", &year),
            ("role", "frontend"),
            ("experience", "0.5"),
            ("linkedin", "https://www.linkedin.com/in/asha"),
            ("motivation", "I like ledgers."),
            ("jobid", "FE101"),
        ];
        let fields = fields.map(|(name, value)| (name, value.to_owned())).into();
        Self { fields, file_name, resume, idempotency_key: None }
    }

    pub fn with(mut self, name: &'a str, value: &str) -> Self {
        self.fields.retain(|(field, _)| *field != name);
        self.fields.push((name, value.to_owned()));
        self
    }

    /// Returns the multipart body.
    pub fn form(&self) -> Vec<u8> {
        let mut form = Vec::new();
        for (name, value) in &self.fields {
            form.extend(format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
        }
        let name = self.file_name;
        form.extend(
            format!("--x\r\ncontent-disposition: form-data; name=\"resume\"; filename=\"{name}\"\r\n\r\n").bytes(),
        );
        form.extend(self.resume);
        form.extend(b"\r\n--x--\r\n");
        form
    }

    pub async fn send(&self, app: &App) -> Reply {
        let mut request = Request::post("/api/apply/FE101").header("content-type", Self::CONTENT_TYPE);
        if let Some(key) = self.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        app.send(request.body(Body::from(self.form())).unwrap()).await
    }
}

/// Sends the queued emails and returns the application keys in them, newest last.
pub async fn emailed_keys(app: &App, pool: &PgPool) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
    let outbox = careers::outbox(pool.clone(), mailer.clone(), &app.careers);
    while mail::send_due(&outbox).await.unwrap() > 0 {}
    let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let emails = files.into_iter().map(|path| std::fs::read_to_string(path).unwrap().replace("=\r\n", ""));
    let key = |email: String| Some(email.split_once("/application#")?.1.split_whitespace().next()?.to_owned());
    emails.filter_map(key).collect()
}

/// Sends a request for the application of `key`.
pub async fn request_application(app: &App, method: Method, path: &str, key: &str, body: &Value) -> Reply {
    let request = Request::builder().method(method).uri(path).header("application-key", key);
    let request = request.header("content-type", "application/json");
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    app.send(request.body(body).unwrap()).await
}

/// Returns the number of stored applications and resume files.
async fn count_stored(app: &App, pool: &PgPool) -> (i64, usize) {
    let rows = sqlx::query_scalar("select count(*) from careers.application").fetch_one(pool).await.unwrap();
    let folder = app.careers.resume_dir.as_ref().unwrap();
    (rows, std::fs::read_dir(folder).unwrap().count())
}

/// [3A-01] [7C-01] [7C-02] [5A-06] [9A-01]
#[sqlx::test(migrations = "../../migrations")]
async fn a_resume_is_returned_byte_for_byte(pool: PgPool) {
    let app = App::new(&pool).await;
    for (count, (file_name, resume)) in (1..).zip([
        ("resume.pdf", pdf()),
        ("Résumé of Asha.PDF", pdf_with_size(MAX_RESUME_BYTES)),
        ("resume.docx", docx_with(&[])),
        ("resume.doc", doc_with(0, &[])),
    ]) {
        let email = format!("asha{count}@example.in");
        let reply = ApplicationForm::new(file_name, &resume).with("email", &email).send(&app).await;
        assert_eq!(reply.status, 201, "{file_name}: {:#}", reply.json());
        let receipt = reply.json();
        let resume_json = json!({ "fileName": file_name, "bytes": resume.len(), "sha256": hex_sha256(&resume) });
        assert_eq!(receipt["resume"], resume_json);
        let key = emailed_keys(&app, &pool).await.pop().unwrap();
        let application = request_application(&app, Method::GET, "/api/application", &key, &Value::Null).await.json();
        assert_eq!((&application["applicationId"], &application["resume"]), (&receipt["applicationId"], &resume_json));
        assert_eq!((&application["consents"], &application["step"]), (&Value::Null, &json!("received")));
        let back = request_application(&app, Method::GET, "/api/application/resume", &key, &Value::Null).await;
        assert!(back.body == resume, "{file_name}");
        assert_eq!(count_stored(&app, &pool).await, (count, usize::try_from(count).unwrap()));
    }
}

/// [5A-07] [8E-04]
#[sqlx::test(migrations = "../../migrations")]
async fn a_resume_above_5_mib_is_rejected_and_not_stored(pool: PgPool) {
    let app = App::new(&pool).await;
    for bytes in [MAX_RESUME_BYTES + 1, MAX_RESUME_BYTES + 1024 * 1024] {
        let reply = ApplicationForm::new("resume.pdf", &pdf_with_size(bytes))
            .send(&app)
            .await
            .expect_problem(413, "resume_too_large");
        let problem = reply.json();
        assert_eq!(problem["detail"], "File size must be less than 5MB.");
        assert_eq!(
            (&problem["errors"][0]["field"], problem["errors"].as_array().unwrap().len()),
            (&json!("resume"), 1)
        );
    }
    assert_eq!(count_stored(&app, &pool).await, (0, 0));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_invalid_resume_is_rejected_with_the_reason(pool: PgPool) {
    let app = App::new(&pool).await;
    let template =
        relationships("http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate");
    let bomb = vec![0; 80 * 1024 * 1024];
    let with_appended = |resume: Vec<u8>, more: &[u8]| [resume, more.to_vec()].concat();
    for (file_name, resume, want) in [
        ("a.pdf", pdf()[..40].to_vec(), "resume_unreadable"),
        ("a.docx", docx_with(&[("word/media/image.bmp", &bomb)]), "resume_unreadable"),
        ("a.pdf", docx_with(&[]), "resume_mislabelled"),
        ("a.docx", pdf(), "resume_mislabelled"),
        ("a.pdf", with_appended(pdf(), &archive(&[("a", b"b")])), "resume_mislabelled"),
        ("a.pdf", pdf_with(b"<html><script>alert(1)</script>"), "resume_mislabelled"),
        ("a.docx", encrypted_docx(), "resume_encrypted"),
        ("a.doc", doc_with(0x0100, &[]), "resume_encrypted"),
        ("a.doc", doc_with(0, &["/Macros"]), "resume_has_macros"),
        ("a.docx", docx_with(&[("word/vbaProject.bin", b"x")]), "resume_has_macros"),
        ("a.docx", docx_with(&[("word/_rels/settings.xml.rels", template.as_bytes())]), "resume_has_macros"),
    ] {
        let problem = ApplicationForm::new(file_name, &resume).send(&app).await.expect_problem(422, want).json();
        let errors = problem["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &errors[0]["field"], &errors[0]["code"]), (1, &json!("resume"), &json!(want)));
        assert!(errors[0]["message"].as_str().unwrap().len() > 20);
    }
    for (file_name, resume, code) in [
        ("", &b""[..], "required"),
        ("a.pdf", b"", "empty"),
        ("a.rtf", b"{\\rtf1}", "unknown"),
        ("pdf", b"x", "unknown"),
    ] {
        let problem = ApplicationForm::new(file_name, resume).send(&app).await.expect_problem(422, "invalid").json();
        let named: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|error| &error["code"]).collect();
        assert_eq!(named, [code], "{file_name}");
    }
    assert_eq!(count_stored(&app, &pool).await, (0, 0));
}

/// [5A-01] [5A-02]
#[sqlx::test(migrations = "../../migrations")]
async fn every_invalid_field_is_reported_at_once(pool: PgPool) {
    let app = App::new(&pool).await;
    let nothing = ApplicationForm { fields: Vec::new(), file_name: "", resume: b"", idempotency_key: None };
    let problem = nothing.send(&app).await.expect_problem(422, "invalid").json();
    let named = |problem: &Value| {
        let errors = problem["errors"].as_array().unwrap().clone();
        errors.into_iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let required =
        ["name", "email", "mobile", "college", "degree", "passingYear", "experience", "motivation", "resume"];
    assert_eq!(named(&problem), required);
    let resume = pdf();
    let optional = ApplicationForm::new("a.pdf", &resume).with("role", "").with("linkedin", "");
    assert_eq!(optional.send(&app).await.status, 201);
    let with_notice = ApplicationForm::new("a.pdf", &resume).with("noticeVersion", "2026-11");
    assert_eq!(named(&with_notice.send(&app).await.expect_problem(422, "invalid").json()), ["consentApplication"]);
    let with_consent =
        ApplicationForm::new("a.pdf", &resume).with("noticeVersion", "2026-11").with("consentApplication", "true");
    assert_eq!(with_consent.send(&app).await.status, 201);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_idempotency_key_creates_one_application(pool: PgPool) {
    let app = App::new(&pool).await;
    let resume = pdf();
    let mut applying = ApplicationForm::new("resume.pdf", &resume);
    applying.idempotency_key = Some("one");
    let first = applying.send(&app).await;
    let again = applying.send(&app).await;
    assert_eq!((first.status, again.status), (http::StatusCode::CREATED, http::StatusCode::CREATED));
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let without_token = |reply: &crate::app::Reply| {
        let mut receipt = reply.json();
        // The server does not store the token, so a retry gets a new one.
        assert!(receipt.as_object_mut().unwrap().remove("emailCorrectionToken").unwrap().is_string());
        receipt
    };
    assert_eq!(without_token(&first), without_token(&again));
    let other = ApplicationForm {
        idempotency_key: Some("one"),
        ..ApplicationForm::new("resume.pdf", &resume).with("motivation", "Pay me.")
    };
    other.send(&app).await.expect_problem(409, "idempotency_key_reused");
    assert_eq!(count_stored(&app, &pool).await, (1, 1));
    // The same key sent by another candidate is independent.
    let ravi = ApplicationForm {
        idempotency_key: Some("one"),
        ..ApplicationForm::new("resume.pdf", &resume).with("email", "ravi@example.in")
    };
    assert_eq!(ravi.send(&app).await.status, 201);
    assert_eq!(count_stored(&app, &pool).await, (2, 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_candidate_can_correct_withdraw_and_delete_an_application(pool: PgPool) {
    let app = App::new(&pool).await;
    let resume = pdf();
    assert_eq!(ApplicationForm::new("resume.pdf", &resume).send(&app).await.status, 201);
    let key = emailed_keys(&app, &pool).await.pop().unwrap();
    let corrected = json!({ "name": "Asha R. Rao", "experience": 1.5, "linkedin": "" });
    let answers =
        request_application(&app, Method::PATCH, "/api/application", &key, &corrected).await.json()["answers"].clone();
    assert_eq!((&answers["name"], &answers["experience"]), (&json!("Asha R. Rao"), &json!(1.5)));
    assert_eq!((&answers["linkedin"], &answers["role"]), (&Value::Null, &json!("frontend")));
    let wrong = json!({ "mobile": "123", "passingYear": 1999 });
    let problem = request_application(&app, Method::PATCH, "/api/application", &key, &wrong)
        .await
        .expect_problem(422, "invalid")
        .json();
    assert_eq!(problem["errors"].as_array().unwrap().len(), 2);

    let id =
        request_application(&app, Method::GET, "/api/application", &key, &Value::Null).await.json()["applicationId"]
            .clone();
    let mut company = careers::client(pool.clone(), app.careers.clone(), "terminal").unwrap();
    let step = |step: Step| SetApplicationStepRequest {
        application_id: id.as_str().unwrap().to_owned(),
        step: step.into(),
        note: String::new(),
    };
    company.set_application_step(step(Step::TeamRound)).await.unwrap();
    request_application(&app, Method::PATCH, "/api/application", &key, &corrected)
        .await
        .expect_problem(409, "already_in_review");
    let moved = request_application(&app, Method::GET, "/api/application", &key, &Value::Null).await.json();
    assert_eq!(moved["step"], "team-round");

    let withdrawn =
        request_application(&app, Method::POST, "/api/application/withdraw", &key, &Value::Null).await.json();
    let again = request_application(&app, Method::POST, "/api/application/withdraw", &key, &Value::Null).await.json();
    assert!(withdrawn["withdrawnAt"].is_string() && again == withdrawn);
    request_application(&app, Method::PATCH, "/api/application", &key, &corrected)
        .await
        .expect_problem(409, "withdrawn");
    assert!(company.set_application_step(step(Step::Offered)).await.is_err());

    assert_eq!(request_application(&app, Method::DELETE, "/api/application", &key, &Value::Null).await.status, 204);
    assert_eq!(count_stored(&app, &pool).await, (0, 0));
    for (method, path) in [(Method::GET, "/api/application"), (Method::GET, "/api/application/resume")] {
        request_application(&app, method, path, &key, &Value::Null).await.expect_problem(404, "application_not_found");
    }
}

/// [9C-01] [3J-01] [7C-03]
#[sqlx::test(migrations = "../../migrations")]
async fn every_opening_has_a_full_description(pool: PgPool) {
    let app = App::new(&pool).await;
    let openings = app.get("/api/job-description").await.json()["openings"].clone();
    assert_eq!(openings.as_array().unwrap().len(), 8);
    for opening in openings.as_array().unwrap() {
        let id = opening["id"].as_str().unwrap();
        let described = app.get(&format!("/api/job-description/{id}")).await.json();
        for (name, key) in [("title", "Title"), ("department", "Department"), ("stipend", "Stipend")] {
            assert_eq!(described[key], opening[name], "{id}");
        }
        assert!(described["KeySkillsandRequirements"]["Technical"].as_array().unwrap().len() >= 4, "{id}");
    }
    app.get("/api/job-description/XX101").await.expect_problem(404, "opening_not_found");
    app.get("/api/job-description/fe101").await.expect_problem(404, "opening_not_found");
}
