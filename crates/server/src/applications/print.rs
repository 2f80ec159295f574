//! Output of applications as table, text, JSON and CSV.

use std::io::Write;

use prost_types::Timestamp;
use rpc::careers::v1::{Access, Answers, Application, StepRecord};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::macros::{format_description, offset};
use time::{OffsetDateTime, UtcOffset};

use crate::config::{ViewFormat, step_name};

/// Column of the output: its name, and the function that returns its value.
type Column = (&'static str, fn(&Application, &Answers) -> String);

const COLUMNS: [Column; 21] = [
    ("number", |application, _| application.application_id.clone()),
    ("job", |application, _| application.job_id.clone()),
    ("jobTitle", |application, _| application.job_title.clone()),
    ("receivedAt", |application, _| time(application.received_at.as_ref())),
    ("step", |application, _| step_name(application.step()).to_owned()),
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
    ("expiresAt", |application, _| time(application.expires_at.as_ref())),
];

/// Writes a table with one line per application.
pub fn write_table(applications: &[Application], out: &mut impl Write) -> anyhow::Result<()> {
    let shown = ["number", "receivedAt", "job", "step", "name", "email"];
    let row = |application: &Application| {
        shown.map(|name| match name {
            "receivedAt" => short_time(application.received_at.as_ref()),
            "step" if application.withdrawn_at.is_some() => format!("{} (withdrawn)", step_name(application.step())),
            _ => cell(name, application),
        })
    };
    let header = ["NUMBER", "RECEIVED (IST)", "JOB", "STEP", "NAME", "EMAIL"];
    write_columns(header, applications.iter().map(row), out)
}

/// Writes the accesses to an application.
pub fn write_accesses(accesses: &[Access], format: ViewFormat, out: &mut impl Write) -> anyhow::Result<()> {
    match format {
        ViewFormat::Table => {
            let row = |access: &Access| {
                [short_time(access.accessed_at.as_ref()), access.caller.clone(), access.action.clone()]
            };
            write_columns(["TIME (IST)", "CALLER", "ACTION"], accesses.iter().map(row), out)
        }
        ViewFormat::Json => {
            for access in accesses {
                let accessed_at = rfc3339(access.accessed_at.as_ref());
                writeln!(
                    out,
                    "{}",
                    json!({ "accessedAt": accessed_at, "caller": access.caller, "action": access.action })
                )?;
            }
            Ok(())
        }
    }
}

/// Writes a header and rows with aligned columns.
fn write_columns<const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut lines = vec![header.map(str::to_owned)];
    lines.extend(rows);
    let rows = lines;
    let mut widths = [0; N];
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

/// Writes one application as text, with one line per answer, and below the steps that were set with their notes.
pub fn write_details(application: &Application, steps: &[StepRecord], out: &mut impl Write) -> anyhow::Result<()> {
    let answers = application.answers.clone().unwrap_or_default();
    for (label, text) in details(application, &answers) {
        writeln!(out, "{:<21}{text}", format!("{label}:"))?;
    }
    writeln!(out, "\nMotivation:\n{}", answers.motivation)?;
    if !steps.is_empty() {
        writeln!(out, "\nSteps and notes to the candidate:")?;
    }
    for record in steps {
        let changed_at = short_time(record.changed_at.as_ref());
        writeln!(out, "{changed_at} IST  {}  by {}", step_name(record.step()), record.caller)?;
        for line in record.note.lines() {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// Returns the facts and answers of an application with their labels, without the motivation.
fn details(application: &Application, answers: &Answers) -> Vec<(&'static str, String)> {
    let at = |at: Option<&Timestamp>| format!("{} IST", short_time(at));
    let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    let later_roles = match application.consents.as_ref().map(|consents| consents.later_roles) {
        Some(true) => "may be kept for later roles",
        Some(false) => "may not be kept for later roles",
        None => "not asked",
    };
    let mut details = vec![
        ("Number", application.application_id.clone()),
        ("Opening", format!("{} {}", application.job_id, application.job_title)),
        ("Received", at(application.received_at.as_ref())),
        ("Step", format!("{} since {}", step_name(application.step()), at(application.step_since.as_ref()))),
    ];
    if application.withdrawn_at.is_some() {
        details.push(("Withdrawn", at(application.withdrawn_at.as_ref())));
    }
    details.extend([
        ("Name", answers.name.clone()),
        ("Email", answers.email.clone()),
        ("Phone", answers.mobile.clone()),
        ("College", answers.college.clone()),
        ("Degree", answers.degree.clone()),
        ("Graduation year", answers.passing_year.to_string()),
        ("Preferred role", or_none(&answers.role)),
        ("Years of experience", answers.experience.clone()),
        ("LinkedIn", or_none(&answers.linkedin)),
        ("Resume", format!("{}, {} bytes", application.file_name, application.resume_bytes)),
        ("Consent", later_roles.to_owned()),
        ("Will be deleted", at(application.expires_at.as_ref())),
    ]);
    details
}

/// Writes one application as a line of JSON.
pub fn write_json(application: &Application, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}", to_json(application))?;
    Ok(())
}

/// Writes one application as a line of JSON, with the steps that were set and their notes.
pub fn write_json_with_steps(
    application: &Application,
    steps: &[StepRecord],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let steps: Value = steps
        .iter()
        .map(|record| {
            json!({
                "changedAt": rfc3339(record.changed_at.as_ref()),
                "step": step_name(record.step()),
                "caller": record.caller,
                "note": non_empty(&record.note),
            })
        })
        .collect();
    let mut line = to_json(application);
    if let Some(members) = line.as_object_mut() {
        members.insert("steps".to_owned(), steps);
    }
    writeln!(out, "{line}")?;
    Ok(())
}

fn to_json(application: &Application) -> Value {
    let answers = application.answers.clone().unwrap_or_default();
    let consents = application.consents.as_ref();
    json!({
        "number": application.application_id,
        "job": application.job_id,
        "jobTitle": application.job_title,
        "receivedAt": rfc3339(application.received_at.as_ref()),
        "step": step_name(application.step()),
        "stepSince": rfc3339(application.step_since.as_ref()),
        "withdrawnAt": rfc3339(application.withdrawn_at.as_ref()),
        "expiresAt": rfc3339(application.expires_at.as_ref()),
        "name": answers.name,
        "email": answers.email,
        "mobile": answers.mobile,
        "college": answers.college,
        "degree": answers.degree,
        "passingYear": answers.passing_year,
        "role": non_empty(&answers.role),
        "experience": answers.experience,
        "linkedin": non_empty(&answers.linkedin),
        "motivation": answers.motivation,
        "resume": application.file_name,
        "resumeBytes": application.resume_bytes,
        "consents": consents.map(|consents| json!({
            "thisApplication": consents.this_application,
            "laterRoles": consents.later_roles,
            "noticeVersion": consents.notice_version,
        })),
    })
}

fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn rfc3339(at: Option<&Timestamp>) -> Option<String> {
    OffsetDateTime::from_unix_timestamp(at?.seconds).ok()?.format(&Rfc3339).ok()
}

/// Writes applications as CSV, with the byte order mark and the header if `with_header`.
pub fn write_csv(applications: &[Application], with_header: bool, out: &mut impl Write) -> anyhow::Result<()> {
    if with_header {
        // Excel needs the byte order mark to detect UTF-8.
        write!(out, "\u{feff}")?;
    }
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
    if with_header {
        writer.write_record(COLUMNS.iter().map(|(name, _)| *name))?;
    }
    for application in applications {
        let answers = application.answers.clone().unwrap_or_default();
        writer.write_record(
            COLUMNS.iter().map(|(_, value)| export::csv::escape_formula(&value(application, &answers)).into_owned()),
        )?;
    }
    writer.flush()?;
    Ok(())
}

fn cell(column: &str, application: &Application) -> String {
    let answers = application.answers.clone().unwrap_or_default();
    let value = COLUMNS.iter().find(|(name, _)| *name == column).map(|(_, value)| value(application, &answers));
    value.unwrap_or_default()
}

/// Formats a time in Indian time with its offset; empty if there is none.
fn time(at: Option<&Timestamp>) -> String {
    indian_time(at).and_then(|at| at.format(&Rfc3339).ok()).unwrap_or_default()
}

/// Formats a time in Indian time, for a column whose header says so.
fn short_time(at: Option<&Timestamp>) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]");
    indian_time(at).and_then(|at| at.format(format).ok()).unwrap_or_default()
}

fn indian_time(at: Option<&Timestamp>) -> Option<OffsetDateTime> {
    const INDIA: UtcOffset = offset!(+5:30);
    Some(OffsetDateTime::from_unix_timestamp(at?.seconds).ok()?.to_offset(INDIA))
}

/// Returns the consent to be kept for later roles as yes or no; empty if the client did not ask.
fn later_roles(application: &Application) -> String {
    let consent = application.consents.as_ref().map(|consents| if consents.later_roles { "yes" } else { "no" });
    consent.unwrap_or_default().to_owned()
}
