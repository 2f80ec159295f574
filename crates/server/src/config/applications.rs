//! Arguments of `tradebahi applications`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use rpc::careers::v1::Step;

use crate::config::StorageSettings;

/// Arguments of `tradebahi applications`.
#[derive(Debug, Args)]
pub struct Applications {
    /// Data of the applications.
    #[command(flatten)]
    pub storage: StorageSettings,

    /// Retention of applications, which `advance` and `reject` change.
    #[command(flatten)]
    pub retention: careers::Retention,

    /// Command to run.
    #[command(subcommand)]
    pub command: ApplicationsCommand,
}

/// Commands of `tradebahi applications`.
#[derive(Debug, Subcommand)]
pub enum ApplicationsCommand {
    /// List applications, newest first.
    List {
        /// Applications to include.
        #[command(flatten)]
        filter: Filter,
        /// Maximum number of applications, the newest ones.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Output format.
        #[arg(long, value_enum, default_value_t = ViewFormat::Table)]
        format: ViewFormat,
    },
    /// Show one application with all answers, its steps and the notes to the candidate. `resume` saves its resume.
    Show {
        /// Application number, such as TBA-7K3M9Q2X.
        #[arg(value_parser = parse_code)]
        id: String,
        /// Output format.
        #[arg(long, value_enum, default_value_t = ViewFormat::Table)]
        format: ViewFormat,
    },
    /// Write the applications with all answers to standard output.
    Export {
        /// Applications to include.
        #[command(flatten)]
        filter: Filter,
        /// Output format.
        #[arg(long, value_enum, default_value_t = ExportFormat::Csv)]
        format: ExportFormat,
        /// Also save the resumes in this directory, which is created if it is missing. Resumes that it already has are not
        /// read again.
        #[arg(long)]
        resumes: Option<PathBuf>,
    },
    /// Save the resume of an application in the current directory, named after the application number.
    Resume {
        /// Application number.
        #[arg(value_parser = parse_code)]
        id: String,
        /// File to save the resume in; `-` writes it to standard output. Existing files are not overwritten.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Show who accessed an application, newest first: list (name and email address), export, read (show), resume, step.
    Accesses {
        /// Application number.
        #[arg(value_parser = parse_code)]
        id: String,
        /// Output format.
        #[arg(long, value_enum, default_value_t = ViewFormat::Table)]
        format: ViewFormat,
    },
    /// Move an application to the next step, or to any step with --to, and email the candidate.
    Advance {
        /// Application number.
        #[arg(value_parser = parse_code)]
        id: String,
        /// Step to move to, instead of the next one: received, initial-discussion, technical-round, team-round,
        /// final-discussion, offered or rejected. With the current step, only the note is sent.
        #[arg(long, value_parser = parse_step)]
        to: Option<Step>,
        /// Text to add to the email, at most 1,000 characters. The candidate reads it.
        #[arg(long)]
        note: Option<String>,
    },
    /// Reject an application, and email the candidate.
    Reject {
        /// Application number.
        #[arg(value_parser = parse_code)]
        id: String,
        /// Text to add to the email, at most 1,000 characters. The candidate reads it.
        #[arg(long)]
        note: Option<String>,
    },
}

/// Filter of applications.
#[derive(Debug, Args)]
pub struct Filter {
    /// Only applications for this opening, such as FE101.
    #[arg(long, value_parser = parse_code)]
    pub job: Option<String>,
    /// Only applications at this step, such as received.
    #[arg(long, value_parser = parse_step)]
    pub step: Option<Step>,
    /// Only applications with this text in the name, email address, phone number or application number.
    #[arg(long)]
    pub search: Option<String>,
    /// Also withdrawn applications, which are left out otherwise.
    #[arg(long)]
    pub withdrawn: bool,
}

/// Returns the name of a step, as used in arguments and output.
pub fn step_name(step: Step) -> &'static str {
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

/// Application numbers and codes of openings have upper-case letters only.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a parser of clap")]
fn parse_code(code: &str) -> Result<String, String> {
    Ok(code.trim().to_ascii_uppercase())
}

fn parse_step(name: &str) -> Result<Step, String> {
    let steps = [
        Step::Received,
        Step::InitialDiscussion,
        Step::TechnicalRound,
        Step::TeamRound,
        Step::FinalDiscussion,
        Step::Offered,
        Step::Rejected,
    ];
    let step = steps.into_iter().find(|step| step_name(*step) == name);
    step.ok_or_else(|| format!("use one of {}", steps.map(step_name).join(", ")))
}

/// Output format of `list` and `show`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewFormat {
    /// Table or plain lines.
    Table,
    /// JSON, one object per line.
    Json,
}

/// Output format of `export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// CSV for spreadsheets.
    Csv,
    /// JSON, one object per line.
    Json,
}

impl Applications {
    /// Returns the settings of careers.
    pub fn careers(&self) -> careers::Settings {
        careers::Settings {
            resume_dir: Some(self.storage.resume_dir()),
            retention: self.retention,
            ..careers::Settings::default()
        }
    }
}
