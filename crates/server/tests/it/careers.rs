//! Applications, from the form to the candidate's own page.

use axum::body::Body;
use http::{Method, Request};
use mail::Mailer;
use rpc::careers::v1::{SetApplicationStepRequest, Step};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::app::{App, Reply};
use crate::files::hex_sha256;
use crate::resumes::{archive, doc_with, docx_with, encrypted_docx, pdf, pdf_with, pdf_with_size, relationships};

const LARGEST: usize = 5_242_880;

/// The form of an application.
pub struct Applying<'a> {
    pub fields: Vec<(&'a str, String)>,
    pub file_name: &'a str,
    pub resume: &'a [u8],
    /// The `Idempotency-Key`.
    pub key: Option<&'a str>,
}

impl<'a> Applying<'a> {
    /// The content type of [`form`](Self::form).
    pub const TYPE: &'static str = "multipart/form-data; boundary=x";

    /// As Asha, with all that the spec asks for and nothing more.
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
        Self { fields, file_name, resume, key: None }
    }

    pub fn with(mut self, name: &'a str, value: &str) -> Self {
        self.fields.retain(|(field, _)| *field != name);
        self.fields.push((name, value.to_owned()));
        self
    }

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
        let mut request = Request::post("/api/apply/FE101").header("content-type", Self::TYPE);
        if let Some(key) = self.key {
            request = request.header("idempotency-key", key);
        }
        app.send(request.body(Body::from(self.form())).unwrap()).await
    }
}

/// The keys in the letters that are sent now, the newest last.
pub async fn keys(app: &App, pool: &PgPool) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
    let letters = careers::outbox(pool.clone(), mailer.clone(), &app.careers);
    while mail::send_due(&letters).await.unwrap() > 0 {}
    let mut letters: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    letters.sort();
    let letters = letters.into_iter().map(|path| std::fs::read_to_string(path).unwrap().replace("=\r\n", ""));
    let key = |letter: String| Some(letter.split_once("/application/")?.1.split_whitespace().next()?.to_owned());
    letters.filter_map(key).collect()
}

/// Asks about the application that `key` opens.
pub async fn own(app: &App, method: Method, path: &str, key: &str, body: &Value) -> Reply {
    let request = Request::builder().method(method).uri(path).header("application-key", key);
    let request = request.header("content-type", "application/json");
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    app.send(request.body(body).unwrap()).await
}

/// How many applications there are, and how many files.
async fn stored(app: &App, pool: &PgPool) -> (i64, usize) {
    let rows = sqlx::query_scalar("select count(*) from careers.application").fetch_one(pool).await.unwrap();
    let folder = app.careers.resume_dir.as_ref().unwrap();
    (rows, std::fs::read_dir(folder).unwrap().count())
}

/// [3A-01] [7C-01] [7C-02] [5A-06] [9A-01]
#[sqlx::test(migrations = "../../migrations")]
async fn a_resume_goes_in_and_comes_out_byte_for_byte(pool: PgPool) {
    let app = App::new(&pool).await;
    for (count, (file_name, resume)) in (1..).zip([
        ("resume.pdf", pdf()),
        ("Résumé of Asha.PDF", pdf_with_size(LARGEST)),
        ("resume.docx", docx_with(&[])),
        ("resume.doc", doc_with(0, &[])),
    ]) {
        let email = format!("asha{count}@example.in");
        let reply = Applying::new(file_name, &resume).with("email", &email).send(&app).await;
        assert_eq!(reply.status, 201, "{file_name}: {:#}", reply.json());
        let receipt = reply.json();
        let facts = json!({ "fileName": file_name, "bytes": resume.len(), "sha256": hex_sha256(&resume) });
        assert_eq!(receipt["resume"], facts);
        let key = keys(&app, &pool).await.pop().unwrap();
        let application = own(&app, Method::GET, "/api/application", &key, &Value::Null).await.json();
        assert_eq!((&application["applicationId"], &application["resume"]), (&receipt["applicationId"], &facts));
        assert_eq!((&application["consents"], &application["step"]), (&Value::Null, &json!("received")));
        let back = own(&app, Method::GET, "/api/application/resume", &key, &Value::Null).await;
        assert!(back.body == resume, "{file_name}");
        assert_eq!(stored(&app, &pool).await, (count, usize::try_from(count).unwrap()));
    }
}

/// [5A-07] [8E-04]
#[sqlx::test(migrations = "../../migrations")]
async fn one_byte_more_than_five_mebibytes_is_refused_and_not_stored(pool: PgPool) {
    let app = App::new(&pool).await;
    for bytes in [LARGEST + 1, LARGEST + 1024 * 1024] {
        let reply = Applying::new("resume.pdf", &pdf_with_size(bytes)).send(&app).await.expect(413, "resume_too_large");
        let problem = reply.json();
        assert_eq!(problem["detail"], "File size must be less than 5MB.");
        assert_eq!(
            (&problem["errors"][0]["field"], problem["errors"].as_array().unwrap().len()),
            (&json!("resume"), 1)
        );
    }
    assert_eq!(stored(&app, &pool).await, (0, 0));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_file_that_is_no_sound_resume_is_refused_with_the_reason(pool: PgPool) {
    let app = App::new(&pool).await;
    let template =
        relationships("http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate");
    let bomb = vec![0; 80 * 1024 * 1024];
    let behind = |resume: Vec<u8>, more: &[u8]| [resume, more.to_vec()].concat();
    for (file_name, resume, want) in [
        ("a.pdf", pdf()[..40].to_vec(), "resume_unreadable"),
        ("a.docx", docx_with(&[("word/media/image.bmp", &bomb)]), "resume_unreadable"),
        ("a.pdf", docx_with(&[]), "resume_mislabelled"),
        ("a.docx", pdf(), "resume_mislabelled"),
        ("a.pdf", behind(pdf(), &archive(&[("a", b"b")])), "resume_mislabelled"),
        ("a.pdf", pdf_with(b"<html><script>alert(1)</script>"), "resume_mislabelled"),
        ("a.docx", encrypted_docx(), "resume_encrypted"),
        ("a.doc", doc_with(0x0100, &[]), "resume_encrypted"),
        ("a.doc", doc_with(0, &["/Macros"]), "resume_has_macros"),
        ("a.docx", docx_with(&[("word/vbaProject.bin", b"x")]), "resume_has_macros"),
        ("a.docx", docx_with(&[("word/_rels/settings.xml.rels", template.as_bytes())]), "resume_has_macros"),
    ] {
        let problem = Applying::new(file_name, &resume).send(&app).await.expect(422, want).json();
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
        let problem = Applying::new(file_name, resume).send(&app).await.expect(422, "invalid").json();
        let named: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|error| &error["code"]).collect();
        assert_eq!(named, [code], "{file_name}");
    }
    assert_eq!(stored(&app, &pool).await, (0, 0));
}

/// [5A-01] [5A-02]
#[sqlx::test(migrations = "../../migrations")]
async fn every_field_at_fault_is_named_at_once(pool: PgPool) {
    let app = App::new(&pool).await;
    let nothing = Applying { fields: Vec::new(), file_name: "", resume: b"", key: None };
    let problem = nothing.send(&app).await.expect(422, "invalid").json();
    let named = |problem: &Value| {
        let errors = problem["errors"].as_array().unwrap().clone();
        errors.into_iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let required =
        ["name", "email", "mobile", "college", "degree", "passingYear", "experience", "motivation", "resume"];
    assert_eq!(named(&problem), required);
    let resume = pdf();
    let optional = Applying::new("a.pdf", &resume).with("role", "").with("linkedin", "");
    assert_eq!(optional.send(&app).await.status, 201);
    let asked = Applying::new("a.pdf", &resume).with("noticeVersion", "2026-11");
    assert_eq!(named(&asked.send(&app).await.expect(422, "invalid").json()), ["consentApplication"]);
    let agreed = Applying::new("a.pdf", &resume).with("noticeVersion", "2026-11").with("consentApplication", "true");
    assert_eq!(agreed.send(&app).await.status, 201);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_makes_one_application_however_often_it_is_sent(pool: PgPool) {
    let app = App::new(&pool).await;
    let resume = pdf();
    let mut applying = Applying::new("resume.pdf", &resume);
    applying.key = Some("one");
    let first = applying.send(&app).await;
    let again = applying.send(&app).await;
    assert_eq!((first.status, again.status), (http::StatusCode::CREATED, http::StatusCode::CREATED));
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(first.json(), again.json());
    let other = Applying { key: Some("one"), ..Applying::new("resume.pdf", &resume).with("motivation", "Pay me.") };
    other.send(&app).await.expect(409, "key_reused");
    assert_eq!(stored(&app, &pool).await, (1, 1));
    // Another candidate's key of the same name is another one, and tells nothing of this one.
    let ravi = Applying { key: Some("one"), ..Applying::new("resume.pdf", &resume).with("email", "ravi@example.in") };
    assert_eq!(ravi.send(&app).await.status, 201);
    assert_eq!(stored(&app, &pool).await, (2, 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_candidate_corrects_withdraws_and_erases(pool: PgPool) {
    let app = App::new(&pool).await;
    let resume = pdf();
    assert_eq!(Applying::new("resume.pdf", &resume).send(&app).await.status, 201);
    let key = keys(&app, &pool).await.pop().unwrap();
    let corrected = json!({ "name": "Asha R. Rao", "experience": 1.5, "linkedin": "" });
    let answers = own(&app, Method::PATCH, "/api/application", &key, &corrected).await.json()["answers"].clone();
    assert_eq!((&answers["name"], &answers["experience"]), (&json!("Asha R. Rao"), &json!(1.5)));
    assert_eq!((&answers["linkedin"], &answers["role"]), (&Value::Null, &json!("frontend")));
    let wrong = json!({ "mobile": "123", "passingYear": 1999 });
    let problem = own(&app, Method::PATCH, "/api/application", &key, &wrong).await.expect(422, "invalid").json();
    assert_eq!(problem["errors"].as_array().unwrap().len(), 2);

    let id = own(&app, Method::GET, "/api/application", &key, &Value::Null).await.json()["applicationId"].clone();
    let mut company = careers::client(pool.clone(), app.careers.clone(), "terminal").unwrap();
    let step = |step: Step| SetApplicationStepRequest {
        application_id: id.as_str().unwrap().to_owned(),
        step: step.into(),
        note: String::new(),
    };
    company.set_application_step(step(Step::TeamRound)).await.unwrap();
    own(&app, Method::PATCH, "/api/application", &key, &corrected).await.expect(409, "too_late");
    let moved = own(&app, Method::GET, "/api/application", &key, &Value::Null).await.json();
    assert_eq!(moved["step"], "team-round");

    let withdrawn = own(&app, Method::POST, "/api/application/withdraw", &key, &Value::Null).await.json();
    let again = own(&app, Method::POST, "/api/application/withdraw", &key, &Value::Null).await.json();
    assert!(withdrawn["withdrawnAt"].is_string() && again == withdrawn);
    own(&app, Method::PATCH, "/api/application", &key, &corrected).await.expect(409, "withdrawn");
    assert!(company.set_application_step(step(Step::Offered)).await.is_err());

    assert_eq!(own(&app, Method::DELETE, "/api/application", &key, &Value::Null).await.status, 204);
    assert_eq!(stored(&app, &pool).await, (0, 0));
    for (method, path) in [(Method::GET, "/api/application"), (Method::GET, "/api/application/resume")] {
        own(&app, method, path, &key, &Value::Null).await.expect(404, "no_application");
    }
}

/// [9C-01] [3J-01] [7C-03]
#[sqlx::test(migrations = "../../migrations")]
async fn every_opening_is_described_in_full(pool: PgPool) {
    let app = App::new(&pool).await;
    let openings = app.get("/api/job-description").await.json()["openings"].clone();
    assert_eq!(openings.as_array().unwrap().len(), 8);
    for opening in openings.as_array().unwrap() {
        let id = opening["id"].as_str().unwrap();
        let described = app.get(&format!("/api/job-description/{id}")).await.json();
        for (name, of) in [("title", "Title"), ("department", "Department"), ("stipend", "Stipend")] {
            assert_eq!(described[of], opening[name], "{id}");
        }
        assert!(described["KeySkillsandRequirements"]["Technical"].as_array().unwrap().len() >= 4, "{id}");
    }
    app.get("/api/job-description/XX101").await.expect(404, "no_opening");
    app.get("/api/job-description/fe101").await.expect(404, "no_opening");
}
