//! Careers through its gRPC client, on a real Postgres and with real children.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail; clippy knows so of functions marked as tests alone"
)]

mod company;
mod fixtures;
mod keeping;
mod own;
mod resumes;
mod taking;

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

/// The careers service with its folders.
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
            child: PathBuf::from(env!("CARGO_BIN_EXE_check-resume")),
            site: "https://tradebahi.example".to_owned(),
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

    /// Applies as Asha and returns the key of the letter.
    async fn applied(&self) -> String {
        self.apply(form(), &fixtures::pdf()).await.unwrap();
        key(&self.letter().await)
    }

    async fn own(&self, key: &str) -> Result<Application, Status> {
        let request = GetOwnApplicationRequest { key: key.to_owned() };
        Ok(self.client.clone().get_own_application(request).await?.into_inner().application.unwrap())
    }

    /// The letters that are sent now.
    async fn letters(&self) -> Vec<String> {
        let letters = careers::letters(self.pool.clone(), self.mailer.clone(), &self.settings);
        while mail::write_due(&letters).await.unwrap() > 0 {}
        let Ok(folder) = fs::read_dir(self.dir.path().join("mail")) else { return Vec::new() };
        let mut letters: Vec<PathBuf> = folder.map(|letter| letter.unwrap().path()).collect();
        letters.sort();
        letters
            .iter()
            .map(|path| {
                let letter = fs::read_to_string(path).unwrap();
                fs::remove_file(path).unwrap();
                letter.replace("\r\n", "\n")
            })
            .collect()
    }

    /// The only letter that is sent now.
    async fn letter(&self) -> String {
        let letters = self.letters().await;
        assert_eq!(letters.len(), 1, "{letters:?}");
        letters[0].clone()
    }

    /// The names of the files in the folder of resumes.
    fn files(&self) -> Vec<String> {
        let folder = fs::read_dir(self.settings.resume_dir.as_ref().unwrap()).unwrap();
        folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    async fn count(&self, table: &'static str) -> i64 {
        let sql = match table {
            "application" => "select count(*) from careers.application",
            "application_key" => "select count(*) from careers.application_key",
            "answered_request" => "select count(*) from careers.answered_request",
            "access_record" => "select count(*) from careers.access_record where who = 'terminal'",
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

/// The key in the link of a letter.
fn key(letter: &str) -> String {
    let link = letter.lines().find_map(|line| line.strip_prefix("https://tradebahi.example/application/"));
    link.unwrap().to_owned()
}

/// The stable name of a failure.
fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// The fields at fault, each with the reason.
fn fields(status: &Status) -> Vec<(String, String)> {
    let broken = status.get_details_bad_request().map(|broken| broken.field_violations).unwrap_or_default();
    broken.into_iter().map(|violation| (violation.field, violation.reason)).collect()
}
