//! `tradebahi applications`: lists, shows, exports and processes job applications. Every access is recorded.

mod print;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::careers::v1::download_resume_response::Part;
use rpc::careers::v1::{
    Application, ApplicationView, DownloadResumeRequest, DownloadResumeResponse, GetApplicationRequest,
    ListAccessesRequest, ListApplicationsRequest, ListApplicationsResponse, ListOpeningsRequest, ResumeHead,
    SetApplicationStepRequest, Step, StepRecord,
};
use rpc::transport::Transport;
use sqlx::PgPool;
use tempfile::NamedTempFile;
use tonic::{Status, Streaming};

use crate::config::{Applications, ApplicationsCommand, ExportFormat, Filter, ViewFormat, step_name};
use crate::database::Database;

/// Number of applications per request.
const PAGE_SIZE: i32 = 100;
/// Name of this client in the access log.
const CLIENT_NAME: &str = "terminal";

type Careers = CareersServiceClient<Transport>;

/// Runs the command. Data goes to standard output, messages go to standard error.
pub async fn run(arguments: Applications) -> anyhow::Result<()> {
    arguments.storage.check_resume_dir_named()?;
    let database = Database::open_for_command(&arguments.storage.database).await?;
    let pool = database.pools.requests.clone();
    let outcome = match open_careers(pool, &arguments) {
        Ok(careers) => run_command(careers, arguments.command, &mut io::stdout().lock()).await,
        Err(error) => Err(error),
    };
    database.close().await?;
    outcome
}

/// Rejects a missing folder of resumes, which careers would create.
fn open_careers(pool: PgPool, arguments: &Applications) -> anyhow::Result<Careers> {
    let resume_dir = arguments.storage.resume_dir();
    ensure!(
        resume_dir.is_dir(),
        "there are no resumes in {}: name their folder with --data-dir or --resume-dir",
        resume_dir.display()
    );
    Ok(careers::client(pool, arguments.careers(), CLIENT_NAME)?)
}

async fn run_command(mut careers: Careers, command: ApplicationsCommand, out: &mut impl Write) -> anyhow::Result<()> {
    match command {
        ApplicationsCommand::List { filter, limit, format } => list(careers, &filter, limit, format, out).await,
        ApplicationsCommand::Show { id, format } => {
            let (application, steps) = get(&mut careers, &id).await?;
            match format {
                ViewFormat::Table => print::write_details(&application, &steps, out),
                ViewFormat::Json => print::write_json_with_steps(&application, &steps, out),
            }
        }
        ApplicationsCommand::Export { filter, format, resumes } => {
            export(careers, &filter, format, resumes.as_deref(), out).await
        }
        ApplicationsCommand::Resume { id, out: file } => {
            let path = save_resume(&mut careers, &id, file, out).await?;
            if let Some(path) = path {
                eprintln!("Saved as {}.", path.display());
            }
            Ok(())
        }
        ApplicationsCommand::Accesses { id, format } => {
            let request = ListAccessesRequest { application_id: id };
            let accesses = careers.list_accesses(request).await.map_err(status_message)?.into_inner().accesses;
            print::write_accesses(&accesses, format, out)
        }
        ApplicationsCommand::Advance { id, to, note } => {
            let to = match to {
                Some(step) => step,
                None => next_step(get(&mut careers, &id).await?.0.step())?,
            };
            set_step(&mut careers, id, to, note).await
        }
        ApplicationsCommand::Reject { id, note } => set_step(&mut careers, id, Step::Rejected, note).await,
    }
}

async fn list(
    mut careers: Careers,
    filter: &Filter,
    limit: usize,
    format: ViewFormat,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    check_opening(&mut careers, filter).await?;
    // The table has only these columns; then the access log says list and not export.
    let view = match format {
        ViewFormat::Table => ApplicationView::Basic,
        ViewFormat::Json => ApplicationView::Full,
    };
    let (mut applications, mut page_token, mut total): (Vec<Application>, _, _) = (Vec::new(), String::new(), 0);
    while applications.len() < limit {
        let size = i32::try_from(limit - applications.len()).unwrap_or(PAGE_SIZE).min(PAGE_SIZE);
        let page = list_page(&mut careers, filter, view, size, page_token).await?;
        applications.extend(page.applications);
        (page_token, total) = (page.next_page_token, page.total_size);
        if page_token.is_empty() {
            break;
        }
    }
    match format {
        ViewFormat::Table => print::write_table(&applications, out)?,
        ViewFormat::Json => applications.iter().try_for_each(|application| print::write_json(application, out))?,
    }
    eprintln!(
        "{} of {total} applications{}",
        applications.len(),
        if filter.withdrawn { "" } else { ", without withdrawn ones" }
    );
    Ok(())
}

/// Writes all applications of the filter, page by page.
async fn export(
    mut careers: Careers,
    filter: &Filter,
    format: ExportFormat,
    resumes: Option<&Path>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    check_opening(&mut careers, filter).await?;
    if let Some(folder) = resumes {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let (mut page_token, mut is_first, mut exported) = (String::new(), true, 0);
    while is_first || !page_token.is_empty() {
        let page = list_page(&mut careers, filter, ApplicationView::Full, PAGE_SIZE, page_token).await?;
        match format {
            ExportFormat::Csv => print::write_csv(&page.applications, is_first, out)?,
            ExportFormat::Json => {
                page.applications.iter().try_for_each(|application| print::write_json(application, out))?;
            }
        }
        if let Some(folder) = resumes {
            for application in &page.applications {
                export_resume(&mut careers, application, folder).await?;
            }
        }
        exported += page.applications.len();
        (page_token, is_first) = (page.next_page_token, false);
    }
    let resumes = resumes.map(|folder| format!(" Their resumes are in {}.", folder.display())).unwrap_or_default();
    eprintln!("Exported {exported} applications.{resumes}");
    Ok(())
}

/// Rejects the filter of an opening that does not exist and never had an application.
async fn check_opening(careers: &mut Careers, filter: &Filter) -> anyhow::Result<()> {
    let Some(job) = &filter.job else { return Ok(()) };
    let openings = careers.list_openings(ListOpeningsRequest {}).await.map_err(status_message)?.into_inner().openings;
    if openings.iter().any(|opening| opening.id == *job) {
        return Ok(());
    }
    let filter = Filter { job: Some(job.clone()), step: None, search: None, withdrawn: true };
    let page = list_page(careers, &filter, ApplicationView::Basic, 1, String::new()).await?;
    let ids: Vec<&str> = openings.iter().map(|opening| opening.id.as_str()).collect();
    ensure!(page.total_size > 0, "there is no opening {job} and no application for it; openings: {}", ids.join(", "));
    Ok(())
}

async fn list_page(
    careers: &mut Careers,
    filter: &Filter,
    view: ApplicationView,
    page_size: i32,
    page_token: String,
) -> anyhow::Result<ListApplicationsResponse> {
    let request = ListApplicationsRequest {
        job_id: filter.job.clone().unwrap_or_default(),
        step: filter.step.unwrap_or_default().into(),
        text: filter.search.clone().unwrap_or_default(),
        with_withdrawn: filter.withdrawn,
        page_size,
        page_token,
        view: view.into(),
    };
    Ok(careers.list_applications(request).await.map_err(status_message)?.into_inner())
}

/// Returns an application, and the steps that were set with their notes.
async fn get(careers: &mut Careers, id: &str) -> anyhow::Result<(Application, Vec<StepRecord>)> {
    let request = GetApplicationRequest { application_id: id.to_owned() };
    let response = careers.get_application(request).await.map_err(status_message)?.into_inner();
    Ok((response.application.context("no application from core")?, response.step_history))
}

async fn set_step(careers: &mut Careers, id: String, step: Step, note: Option<String>) -> anyhow::Result<()> {
    let request = SetApplicationStepRequest { application_id: id, step: step.into(), note: note.unwrap_or_default() };
    let response = careers.set_application_step(request).await.map_err(status_message)?.into_inner();
    let application = response.application.context("no application from core")?;
    let email = match (response.email_queued, response.email_replaced) {
        (false, _) => "Nothing changed: it was at this step already. No email is sent. Add --note to send a message.",
        (true, false) => "A running server sends the email.",
        (true, true) => "A running server sends the email. It replaces the unsent emails about the step before.",
    };
    eprintln!("{} is at step {}. {email}", application.application_id, step_name(step));
    let skipped = skipped_conversations(&application);
    if !skipped.is_empty() {
        eprintln!("The candidate's page shows as skipped, not as done: {}", skipped.join(", "));
    }
    Ok(())
}

/// Returns the names of the conversations before the current step that did not take place; none after a rejection.
fn skipped_conversations(application: &Application) -> Vec<&'static str> {
    let conversations = [Step::InitialDiscussion, Step::TechnicalRound, Step::TeamRound, Step::FinalDiscussion];
    let before = match application.step() {
        Step::Offered => conversations.len(),
        step => conversations.iter().position(|conversation| *conversation == step).unwrap_or_default(),
    };
    let is_past = |step: &Step| application.past_steps().any(|past| past == *step);
    conversations.into_iter().take(before).filter(|step| !is_past(step)).map(step_name).collect()
}

/// Writes a resume to `file` (`-` is standard output), or to a file in the current directory named after the application.
/// Never overwrites a file. Returns the path unless it was standard output.
async fn save_resume(
    careers: &mut Careers,
    id: &str,
    file: Option<PathBuf>,
    out: &mut impl Write,
) -> anyhow::Result<Option<PathBuf>> {
    let (head, parts) = open_resume(careers, id).await?;
    let path = file.unwrap_or_else(|| resume_file_name(id, &head.file_name).into());
    if path.as_os_str() == "-" {
        write_resume(parts, &head, out).await?;
        return Ok(None);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot_create = || format!("cannot create {}", path.display());
    let mut temporary = NamedTempFile::new_in(folder).with_context(cannot_create)?;
    write_resume(parts, &head, &mut temporary).await?;
    temporary.persist_noclobber(&path).with_context(cannot_create)?;
    Ok(Some(path))
}

/// Saves the resume of an application in `folder`, unless an earlier export did. An interrupted export leaves no
/// incomplete file.
async fn export_resume(careers: &mut Careers, application: &Application, folder: &Path) -> anyhow::Result<()> {
    let id = &application.application_id;
    let path = folder.join(resume_file_name(id, &application.file_name));
    if path.metadata().is_ok_and(|file| i64::try_from(file.len()) == Ok(application.resume_bytes)) {
        return Ok(());
    }
    let (head, parts) = open_resume(careers, id).await?;
    let cannot_write = || format!("cannot write {}", path.display());
    let mut temporary = NamedTempFile::new_in(folder).with_context(cannot_write)?;
    write_resume(parts, &head, &mut temporary).await?;
    temporary.persist(&path).with_context(cannot_write)?;
    Ok(())
}

async fn open_resume(
    careers: &mut Careers,
    id: &str,
) -> anyhow::Result<(ResumeHead, Streaming<DownloadResumeResponse>)> {
    let request = DownloadResumeRequest { application_id: id.to_owned() };
    let mut parts = careers.download_resume(request).await.map_err(status_message)?.into_inner();
    match parts.message().await.map_err(status_message)?.and_then(|message| message.part) {
        Some(Part::Head(head)) => Ok((head, parts)),
        _ => bail!("no resume from core"),
    }
}

/// Only the extension of the candidate's file name is used; it was checked against the content.
fn resume_file_name(id: &str, file_name: &str) -> String {
    let extension = file_name.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
    format!("{id}.{extension}")
}

async fn write_resume(
    mut parts: Streaming<DownloadResumeResponse>,
    head: &ResumeHead,
    target: &mut impl Write,
) -> anyhow::Result<()> {
    let mut written = 0;
    while let Some(message) = parts.message().await.map_err(status_message)? {
        let Some(Part::Chunk(chunk)) = message.part else {
            bail!("unexpected message from core instead of a part of the resume")
        };
        target.write_all(&chunk)?;
        written += i64::try_from(chunk.len())?;
    }
    target.flush()?;
    ensure!(written == head.bytes, "incomplete resume");
    Ok(())
}

/// Returns the next step of a successful application.
fn next_step(step: Step) -> anyhow::Result<Step> {
    match step {
        Step::Received => Ok(Step::InitialDiscussion),
        Step::InitialDiscussion => Ok(Step::TechnicalRound),
        Step::TechnicalRound => Ok(Step::TeamRound),
        Step::TeamRound => Ok(Step::FinalDiscussion),
        Step::FinalDiscussion => Ok(Step::Offered),
        Step::Offered | Step::Rejected | Step::Unspecified => {
            bail!("no step follows {}; set another step with --to", step_name(step))
        }
    }
}

/// Returns the text of a status as an error.
fn status_message(status: Status) -> anyhow::Error {
    anyhow::anyhow!(edge::status_text(&status))
}
