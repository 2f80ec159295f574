//! Tests of careers through its gRPC client, with a real Postgres and real parser processes.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "panics fail the test; clippy allows them only in functions marked as tests"
)]

mod candidate;
mod email_correction;
mod fixtures;
mod resume_check;
mod resume_scanner;
mod retention;
mod review;
mod step_emails;
mod submission;

use std::fs;
use std::path::PathBuf;

use careers::Settings;
use mail::Mailer;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::careers::v1::submit_application_request::Part;
use rpc::careers::v1::{
    Answers, Application, ApplicationEnd, ApplicationForm, GetOwnApplicationRequest, SubmitApplicationRequest,
    SubmitApplicationResponse,
};
use rpc::transport::Transport;
use sqlx::PgPool;
use tempfile::TempDir;
use time::OffsetDateTime;
use tonic::Status;
use tonic_types::StatusExt as _;

const CHUNK: usize = 256 * 1024;

/// Careers service with its directories.
struct Careers {
    client: CareersServiceClient<Transport>,
    pool: PgPool,
    settings: Settings,
    mailer: Mailer,
    dir: TempDir,
}

impl Careers {
    fn new(pool: &PgPool) -> Self {
        Self::with(pool, |_| ())
    }

    fn with(pool: &PgPool, change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut settings = Settings {
            resume_dir: Some(dir.path().join("resumes")),
            parser_program: PathBuf::from(env!("CARGO_BIN_EXE_check-resume")),
            site_url: "https://tradebahi.example".to_owned(),
            ..Settings::default()
        };
        change(&mut settings);
        let client = careers::client(pool.clone(), settings.clone(), "terminal").unwrap();
        let mailer = Mailer::new(&mail::Settings::default(), dir.path().join("mail")).unwrap();
        Self { client, pool: pool.clone(), settings, mailer, dir }
    }

    async fn apply(&self, form: ApplicationForm, resume: &[u8]) -> Result<SubmitApplicationResponse, Status> {
        let end = Part::End(ApplicationEnd { bytes: i64::try_from(resume.len()).unwrap() });
        let chunks = resume.chunks(CHUNK).map(|chunk| Part::Chunk(chunk.to_vec()));
        self.send([Part::Form(form)].into_iter().chain(chunks).chain([end]).collect()).await
    }

    async fn send(&self, parts: Vec<Part>) -> Result<SubmitApplicationResponse, Status> {
        let parts = parts.into_iter().map(|part| SubmitApplicationRequest { part: Some(part) });
        let reply = self.client.clone().submit_application(tokio_stream::iter(parts.collect::<Vec<_>>())).await?;
        Ok(reply.into_inner())
    }

    /// Submits an application and returns the access key from the email.
    async fn submit(&self) -> String {
        self.apply(form(), &fixtures::pdf()).await.unwrap();
        access_key(&self.single_email().await)
    }

    async fn find_own(&self, key: &str) -> Result<Application, Status> {
        let request = GetOwnApplicationRequest { key: key.to_owned() };
        Ok(self.client.clone().get_own_application(request).await?.into_inner().application.unwrap())
    }

    /// Sends and returns all queued emails.
    async fn emails(&self) -> Vec<String> {
        let outbox = careers::outbox(self.pool.clone(), self.mailer.clone(), &self.settings);
        while mail::send_due(&outbox).await.unwrap() > 0 {}
        let Ok(dir) = fs::read_dir(self.dir.path().join("mail")) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = dir.map(|file| file.unwrap().path()).collect();
        paths.sort();
        paths
            .iter()
            .map(|path| {
                let email = fs::read_to_string(path).unwrap();
                fs::remove_file(path).unwrap();
                email.replace("\r\n", "\n")
            })
            .collect()
    }

    /// Sends and returns the only queued email.
    async fn single_email(&self) -> String {
        let emails = self.emails().await;
        assert_eq!(emails.len(), 1, "{emails:?}");
        emails[0].clone()
    }

    /// Returns the names of the files in the resume directory.
    fn resume_files(&self) -> Vec<String> {
        let dir = fs::read_dir(self.settings.resume_dir.as_ref().unwrap()).unwrap();
        dir.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    async fn count(&self, table: &'static str) -> i64 {
        let sql = match table {
            "application" => "select count(*) from careers.application",
            "application_key" => "select count(*) from careers.application_key",
            "idempotent_request" => "select count(*) from careers.idempotent_request",
            "step_history" => "select count(*) from careers.step_history",
            "daily_recipient_total" => "select count(*) from careers.daily_recipient_total",
            "access_log" => "select count(*) from careers.access_log where caller = 'terminal'",
            _ => unreachable!(),
        };
        sqlx::query_scalar(sql).fetch_one(&self.pool).await.unwrap()
    }
}

fn answers() -> Answers {
    Answers {
        name: "Asha Rao".to_owned(),
        email: "Asha.Rao@example.in".to_owned(),
        mobile: "+91 98765 43210".to_owned(),
        college: "NIT Surathkal".to_owned(),
        degree: "btech".to_owned(),
        passing_year: OffsetDateTime::now_utc().year() + 1,
        role: "frontend".to_owned(),
        experience: "0.5".to_owned(),
        linkedin: "https://www.linkedin.com/in/asha".to_owned(),
        motivation: "I like ledgers.".to_owned(),
    }
}

fn form() -> ApplicationForm {
    ApplicationForm {
        job_id: "FE101".to_owned(),
        answers: Some(answers()),
        file_name: "resume.pdf".to_owned(),
        consents: None,
        idempotency_key: String::new(),
    }
}

/// Returns the access key in the link of an email.
fn access_key(email: &str) -> String {
    let link = email.lines().find_map(|line| line.strip_prefix("https://tradebahi.example/application#"));
    link.unwrap().to_owned()
}

/// Returns the reason code of an error, which must have a text.
fn reason(status: &Status) -> String {
    let Some(info) = status.get_details_error_info() else { return String::new() };
    let text = texts::error("careers", &info.reason, &info.metadata);
    assert!(text.is_some_and(|text| !text.contains('…')), "no text, or one without a value: {info:?}");
    info.reason
}

/// Returns the invalid fields, each with its reason code, which must have a text.
fn violations(status: &Status) -> Vec<(String, String)> {
    let params = status.get_details_error_info().map(|info| info.metadata).unwrap_or_default();
    let violations = status.get_details_bad_request().map(|details| details.field_violations).unwrap_or_default();
    for violation in &violations {
        let text = texts::field_error("careers", &violation.field, &violation.reason, &params);
        assert!(text.is_some_and(|text| !text.contains('…')), "no text, or one without a value: {violation:?}");
    }
    violations.into_iter().map(|violation| (violation.field, violation.reason)).collect()
}
