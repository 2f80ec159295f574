//! How applications look in a terminal and in files.

use std::io::Write;

use prost_types::Timestamp;
use rpc::careers::v1::{Answers, Application, Step};
use serde_json::json;
use time::format_description::well_known::Rfc3339;
use time::macros::{format_description, offset};
use time::{OffsetDateTime, UtcOffset};

/// The name of a step, as one types it.
pub fn step(step: Step) -> &'static str {
    match step {
        Step::Unspecified => "-",
        Step::Received => "received",
        Step::InitialDiscussion => "initial-discussion",
        Step::TechnicalRound => "technical-round",
        Step::TeamRound => "team-round",
        Step::FinalDiscussion => "final-discussion",
        Step::Offered => "offered",
        Step::Rejected => "rejected",
    }
}

/// A column of a file: its name, and what stands there.
type Column = (&'static str, fn(&Application, &Answers) -> String);

const COLUMNS: [Column; 21] = [
    ("number", |application, _| application.application_id.clone()),
    ("job", |application, _| application.job_id.clone()),
    ("jobTitle", |application, _| application.job_title.clone()),
    ("receivedAt", |application, _| time(application.received_at.as_ref())),
    ("step", |application, _| step(application.step()).to_owned()),
    ("stepSince", |application, _| time(application.step_since.as_ref())),
    ("withdrawnAt", |application, _| time(application.withdrawn_at.as_ref())),
    ("name", |_, answers| answers.name.clone()),
    ("email", |_, answers| answers.email.clone()),
    ("mobile", |_, answers| answers.mobile.clone()),
    ("college", |_, answers| answers.college.clone()),
    ("degree", |_, answers| answers.degree.clone()),
    ("passingYear", |_, answers| answers.passing_year.to_string()),
    ("role", |_, answers| answers.role.clone()),
    ("experience", |_, answers| answers.experience.clone()),
    ("linkedin", |_, answers| answers.linkedin.clone()),
    ("motivation", |_, answers| answers.motivation.clone()),
    ("resume", |application, _| application.file_name.clone()),
    ("resumeBytes", |application, _| application.resume_bytes.to_string()),
    ("laterRoles", |application, _| later_roles(application)),
    ("keptUntil", |application, _| time(application.kept_until.as_ref())),
];

/// A line for each application, the newest first.
pub fn table(applications: &[Application], out: &mut impl Write) -> anyhow::Result<()> {
    let shown = ["number", "receivedAt", "job", "step", "name", "email"];
    let row = |application: &Application| shown.map(|name| cell(name, application));
    let mut rows = vec![["NUMBER", "RECEIVED", "JOB", "STEP", "NAME", "E-MAIL"].map(str::to_owned)];
    rows.extend(applications.iter().map(row));
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in &rows {
        let padded: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(out, "{}", padded.join("  ").trim_end())?;
    }
    Ok(())
}

/// Everything of one application, a line for each answer.
pub fn sheet(application: &Application, out: &mut impl Write) -> anyhow::Result<()> {
    let answers = application.answers.clone().unwrap_or_default();
    for (name, of) in COLUMNS {
        let text = of(application, &answers);
        // What has lines of its own starts on one.
        let text = if text.contains('\n') { format!("\n{text}\n") } else { text };
        writeln!(out, "{:<12} {text}", format!("{name}:"))?;
    }
    Ok(())
}

/// One application as a line of JSON.
pub fn json(application: &Application, out: &mut impl Write) -> anyhow::Result<()> {
    let answers = application.answers.clone().unwrap_or_default();
    let consents = application.consents.as_ref();
    let line = json!({
        "number": application.application_id,
        "job": application.job_id,
        "jobTitle": application.job_title,
        "receivedAt": rfc3339(application.received_at.as_ref()),
        "step": step(application.step()),
        "stepSince": rfc3339(application.step_since.as_ref()),
        "withdrawnAt": rfc3339(application.withdrawn_at.as_ref()),
        "keptUntil": rfc3339(application.kept_until.as_ref()),
        "name": answers.name,
        "email": answers.email,
        "mobile": answers.mobile,
        "college": answers.college,
        "degree": answers.degree,
        "passingYear": answers.passing_year,
        "role": some(&answers.role),
        "experience": answers.experience,
        "linkedin": some(&answers.linkedin),
        "motivation": answers.motivation,
        "resume": application.file_name,
        "resumeBytes": application.resume_bytes,
        "consents": consents.map(|consents| json!({
            "application": consents.application,
            "laterRoles": consents.later_roles,
            "noticeVersion": consents.notice_version,
        })),
    });
    writeln!(out, "{line}")?;
    Ok(())
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn rfc3339(at: Option<&Timestamp>) -> Option<String> {
    OffsetDateTime::from_unix_timestamp(at?.seconds).ok()?.format(&Rfc3339).ok()
}

/// Lines of CSV, with their head where they are the first.
pub fn csv(applications: &[Application], first: bool, out: &mut impl Write) -> anyhow::Result<()> {
    if first {
        // Without the mark Excel takes UTF-8 for something else.
        write!(out, "\u{feff}")?;
    }
    let mut lines = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
    if first {
        lines.write_record(COLUMNS.iter().map(|(name, _)| *name))?;
    }
    for application in applications {
        let answers = application.answers.clone().unwrap_or_default();
        lines.write_record(COLUMNS.iter().map(|(_, of)| export::csv::escape_formula(&of(application, &answers)).into_owned()))?;
    }
    lines.flush()?;
    Ok(())
}

fn cell(column: &str, application: &Application) -> String {
    let answers = application.answers.clone().unwrap_or_default();
    let of = COLUMNS.iter().find(|(name, _)| *name == column);
    of.map(|(_, of)| of(application, &answers)).unwrap_or_default()
}

/// In India; empty where there is no time.
fn time(at: Option<&Timestamp>) -> String {
    const INDIA: UtcOffset = offset!(+5:30);
    let at = at.and_then(|at| OffsetDateTime::from_unix_timestamp(at.seconds).ok());
    let form = format_description!("[year]-[month]-[day] [hour]:[minute]");
    at.and_then(|at| at.to_offset(INDIA).format(form).ok()).unwrap_or_default()
}

/// Whether the candidate agreed to be kept for later roles; empty where the client did not ask.
fn later_roles(application: &Application) -> String {
    let agreed = application.consents.as_ref().map(|consents| if consents.later_roles { "yes" } else { "no" });
    agreed.unwrap_or_default().to_owned()
}
