//! `tradebahi applications`: what candidates sent, for people at this machine. Every look at it leaves a record.

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

use crate::config::{Applications, ApplicationsCommand, FileFormat, Filter, View};
use crate::database::Database;

/// Applications that are asked for at once.
const PAGE: i32 = 100;
/// Who reads, in the records.
const WHO: &str = "terminal";

pub use self::print::step;

type Careers = CareersServiceClient<Transport>;

/// Does what was asked for. What scripts read goes to the output, the rest to the terminal.
pub async fn run(asked: Applications) -> anyhow::Result<()> {
    let database = Database::visit(&asked.kept.database).await?;
    let pool = database.pools.requests.clone();
    let done = match careers::client(pool, asked.careers(), WHO) {
        Ok(careers) => apply(careers, asked.command, &mut io::stdout().lock()).await,
        Err(error) => Err(error.into()),
    };
    database.close().await?;
    done
}

async fn apply(mut careers: Careers, command: ApplicationsCommand, out: &mut impl Write) -> anyhow::Result<()> {
    match command {
        ApplicationsCommand::List { filter, limit, format } => list(careers, &filter, limit, format, out).await,
        ApplicationsCommand::Show { id, format } => {
            let application = read(&mut careers, &id).await?;
            match format {
                View::Table => print::sheet(&application, out),
                View::Json => print::json(&application, out),
            }
        }
        ApplicationsCommand::Export { filter, format, resumes } => {
            export(careers, &filter, format, resumes.as_deref(), out).await
        }
        ApplicationsCommand::Resume { id, out: file } => {
            let path = save(&mut careers, &id, file, Path::new("."), out).await?;
            if let Some(path) = path {
                eprintln!("{}", path.display());
            }
            Ok(())
        }
        ApplicationsCommand::Advance { id, to, note } => {
            let to = match to {
                Some(step) => step,
                None => after(read(&mut careers, &id).await?.step())?,
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
    format: View,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let (mut listed, mut cursor, mut total): (Vec<Application>, _, _) = (Vec::new(), String::new(), 0);
    while listed.len() < limit {
        let wanted = i32::try_from(limit - listed.len()).unwrap_or(PAGE).min(PAGE);
        let page = page(&mut careers, filter, wanted, cursor).await?;
        listed.extend(page.applications);
        (cursor, total) = (page.next_cursor, page.total);
        if cursor.is_empty() {
            break;
        }
    }
    match format {
        View::Table => print::table(&listed, out)?,
        View::Json => listed.iter().try_for_each(|application| print::json(application, out))?,
    }
    eprintln!("{} of {total}", listed.len());
    Ok(())
}

/// Everything that the filter lets through, page by page.
async fn export(
    mut careers: Careers,
    filter: &Filter,
    format: FileFormat,
    resumes: Option<&Path>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    if let Some(folder) = resumes {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let (mut cursor, mut first) = (String::new(), true);
    while first || !cursor.is_empty() {
        let page = page(&mut careers, filter, PAGE, cursor).await?;
        match format {
            FileFormat::Csv => print::csv(&page.applications, first, out)?,
            FileFormat::Json => page.applications.iter().try_for_each(|application| print::json(application, out))?,
        }
        if let Some(folder) = resumes {
            for application in &page.applications {
                save(&mut careers, &application.application_id, None, folder, &mut io::sink()).await?;
            }
        }
        (cursor, first) = (page.next_cursor, false);
    }
    Ok(())
}

async fn page(
    careers: &mut Careers,
    filter: &Filter,
    limit: i32,
    cursor: String,
) -> anyhow::Result<ListApplicationsResponse> {
    let request = ListApplicationsRequest {
        job_id: filter.job.clone().unwrap_or_default(),
        step: filter.step.unwrap_or_default().into(),
        text: filter.search.clone().unwrap_or_default(),
        with_withdrawn: filter.withdrawn,
        limit,
        cursor,
    };
    Ok(careers.list_applications(request).await.map_err(said)?.into_inner())
}

async fn read(careers: &mut Careers, id: &str) -> anyhow::Result<Application> {
    let request = GetApplicationRequest { application_id: id.to_owned() };
    let answer = careers.get_application(request).await.map_err(said)?.into_inner();
    answer.application.context("the core sent no application")
}

async fn set_step(careers: &mut Careers, id: String, step: Step, note: Option<String>) -> anyhow::Result<()> {
    let request = SetApplicationStepRequest { application_id: id, step: step.into(), note: note.unwrap_or_default() };
    let answer = careers.set_application_step(request).await.map_err(said)?.into_inner();
    let application = answer.application.context("the core sent no application")?;
    eprintln!("{} is at {}. A server that runs sends the letter.", application.application_id, print::step(step));
    Ok(())
}

/// Writes a resume to `file` (`-`: the output), or to one in `folder` that is named after the application, and never
/// over another one. Says where it is.
async fn save(
    careers: &mut Careers,
    id: &str,
    file: Option<PathBuf>,
    folder: &Path,
    out: &mut impl Write,
) -> anyhow::Result<Option<PathBuf>> {
    let request = DownloadResumeRequest { application_id: id.to_owned() };
    let mut parts = careers.download_resume(request).await.map_err(said)?.into_inner();
    let Some(Part::Head(head)) = parts.message().await.map_err(said)?.and_then(|message| message.part) else {
        bail!("the core sent no resume");
    };
    // The name is the candidate's choice; only its ending, which was checked against what is inside, is used.
    let ending = head.file_name.rsplit_once('.').map_or("bin", |(_, ending)| ending).to_ascii_lowercase();
    let path = file.unwrap_or_else(|| folder.join(format!("{id}.{ending}")));
    let mut written = 0;
    let mut opened;
    let to_output = path.as_os_str() == "-";
    let target: &mut dyn Write = if to_output {
        out
    } else {
        let new = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        opened = new.with_context(|| format!("cannot make {}", path.display()))?;
        &mut opened
    };
    while let Some(message) = parts.message().await.map_err(said)? {
        let Some(Part::Chunk(chunk)) = message.part else { bail!("the core sent something else than a resume") };
        target.write_all(&chunk)?;
        written += i64::try_from(chunk.len())?;
    }
    target.flush()?;
    ensure!(written == head.bytes, "{id}: the resume broke off");
    Ok((!to_output).then_some(path))
}

/// The step that follows when all goes well.
fn after(step: Step) -> anyhow::Result<Step> {
    match step {
        Step::Received => Ok(Step::InitialDiscussion),
        Step::InitialDiscussion => Ok(Step::TechnicalRound),
        Step::TechnicalRound => Ok(Step::TeamRound),
        Step::TeamRound => Ok(Step::FinalDiscussion),
        Step::FinalDiscussion => Ok(Step::Offered),
        Step::Offered | Step::Rejected | Step::Unspecified => {
            bail!("nothing follows {}; say another step with --to", print::step(step))
        }
    }
}

/// What a refusal says to people.
fn said(status: Status) -> anyhow::Error {
    anyhow::anyhow!("{}", status.message())
}
