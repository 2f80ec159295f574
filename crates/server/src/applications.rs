//! `tradebahi applications`: lists, shows, exports and processes job applications. Every access is recorded.

mod print;

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::careers::v1::download_resume_response::Part;
use rpc::careers::v1::{
    Application, DownloadResumeRequest, GetApplicationRequest, ListApplicationsRequest, ListApplicationsResponse,
    SetApplicationStepRequest, Step,
};
use rpc::transport::Transport;
use tonic::Status;

use crate::config::{Applications, ApplicationsCommand, ExportFormat, Filter, ViewFormat, step_name};
use crate::database::Database;

/// Number of applications per request.
const PAGE_SIZE: i32 = 100;
/// Name of this client in the access log.
const CLIENT_NAME: &str = "terminal";

type Careers = CareersServiceClient<Transport>;

/// Runs the command. Data goes to standard output, messages go to standard error.
pub async fn run(arguments: Applications) -> anyhow::Result<()> {
    let database = Database::open_for_command(&arguments.storage.database).await?;
    let pool = database.pools.requests.clone();
    let outcome = match careers::client(pool, arguments.careers(), CLIENT_NAME) {
        Ok(careers) => run_command(careers, arguments.command, &mut io::stdout().lock()).await,
        Err(error) => Err(error.into()),
    };
    database.close().await?;
    outcome
}

async fn run_command(mut careers: Careers, command: ApplicationsCommand, out: &mut impl Write) -> anyhow::Result<()> {
    match command {
        ApplicationsCommand::List { filter, limit, format } => list(careers, &filter, limit, format, out).await,
        ApplicationsCommand::Show { id, format } => {
            let application = get(&mut careers, &id).await?;
            match format {
                ViewFormat::Table => print::write_details(&application, out),
                ViewFormat::Json => print::write_json(&application, out),
            }
        }
        ApplicationsCommand::Export { filter, format, resumes } => {
            export(careers, &filter, format, resumes.as_deref(), out).await
        }
        ApplicationsCommand::Resume { id, out: file } => {
            let path = save_resume(&mut careers, &id, file, Path::new("."), out).await?;
            if let Some(path) = path {
                eprintln!("{}", path.display());
            }
            Ok(())
        }
        ApplicationsCommand::Advance { id, to, note } => {
            let to = match to {
                Some(step) => step,
                None => next_step(get(&mut careers, &id).await?.step())?,
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
    let (mut applications, mut page_token, mut total): (Vec<Application>, _, _) = (Vec::new(), String::new(), 0);
    while applications.len() < limit {
        let size = i32::try_from(limit - applications.len()).unwrap_or(PAGE_SIZE).min(PAGE_SIZE);
        let page = list_page(&mut careers, filter, size, page_token).await?;
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
    eprintln!("{} of {total} applications", applications.len());
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
    if let Some(folder) = resumes {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let (mut page_token, mut is_first) = (String::new(), true);
    while is_first || !page_token.is_empty() {
        let page = list_page(&mut careers, filter, PAGE_SIZE, page_token).await?;
        match format {
            ExportFormat::Csv => print::write_csv(&page.applications, is_first, out)?,
            ExportFormat::Json => {
                page.applications.iter().try_for_each(|application| print::write_json(application, out))?;
            }
        }
        if let Some(folder) = resumes {
            for application in &page.applications {
                save_resume(&mut careers, &application.application_id, None, folder, &mut io::sink()).await?;
            }
        }
        (page_token, is_first) = (page.next_page_token, false);
    }
    Ok(())
}

async fn list_page(
    careers: &mut Careers,
    filter: &Filter,
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
    };
    Ok(careers.list_applications(request).await.map_err(status_message)?.into_inner())
}

async fn get(careers: &mut Careers, id: &str) -> anyhow::Result<Application> {
    let request = GetApplicationRequest { application_id: id.to_owned() };
    let response = careers.get_application(request).await.map_err(status_message)?.into_inner();
    response.application.context("no application from core")
}

async fn set_step(careers: &mut Careers, id: String, step: Step, note: Option<String>) -> anyhow::Result<()> {
    let request = SetApplicationStepRequest { application_id: id, step: step.into(), note: note.unwrap_or_default() };
    let response = careers.set_application_step(request).await.map_err(status_message)?.into_inner();
    let application = response.application.context("no application from core")?;
    let email = match (response.email_queued, response.email_replaced) {
        (false, _) => "Nothing changed: this was the step already. No email is sent.",
        (true, false) => "A running server sends the email.",
        (true, true) => "A running server sends the email. It replaces the unsent email about the step before.",
    };
    eprintln!("{}: {}. {email}", application.application_id, step_name(step));
    Ok(())
}

/// Writes a resume to `file` (`-` is standard output), or to a file in `folder` named after the application. Never
/// overwrites a file. Returns the path unless it was standard output.
async fn save_resume(
    careers: &mut Careers,
    id: &str,
    file: Option<PathBuf>,
    folder: &Path,
    out: &mut impl Write,
) -> anyhow::Result<Option<PathBuf>> {
    let request = DownloadResumeRequest { application_id: id.to_owned() };
    let mut parts = careers.download_resume(request).await.map_err(status_message)?.into_inner();
    let Some(Part::Head(head)) = parts.message().await.map_err(status_message)?.and_then(|message| message.part) else {
        bail!("no resume from core");
    };
    // Only the extension of the candidate's file name is used; it was checked against the content.
    let extension = head.file_name.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
    let path = file.unwrap_or_else(|| folder.join(format!("{id}.{extension}")));
    let mut written = 0;
    let mut new_file;
    let to_stdout = path.as_os_str() == "-";
    let target: &mut dyn Write = if to_stdout {
        out
    } else {
        let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        new_file = opened.with_context(|| format!("cannot create {}", path.display()))?;
        &mut new_file
    };
    while let Some(message) = parts.message().await.map_err(status_message)? {
        let Some(Part::Chunk(chunk)) = message.part else {
            bail!("unexpected message from core instead of a part of the resume")
        };
        target.write_all(&chunk)?;
        written += i64::try_from(chunk.len())?;
    }
    target.flush()?;
    ensure!(written == head.bytes, "{id}: incomplete resume");
    Ok((!to_stdout).then_some(path))
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
