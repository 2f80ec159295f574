//! `tradebahi applications`: what it is asked.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use rpc::careers::v1::Step;

use crate::applications;
use crate::config::Kept;

/// Where applications are, and what is to be done with them.
#[derive(Debug, Args)]
// As with `Restore`: a folder that nobody named would be made, and hold no resume.
#[command(
    mut_arg("database_url", |url| url.requires("folder")),
    group(ArgGroup::new("folder").args(["data_dir", "resume_dir"]).multiple(true))
)]
pub struct Applications {
    /// Where they are.
    #[command(flatten)]
    pub kept: Kept,

    /// What to do.
    #[command(subcommand)]
    pub command: ApplicationsCommand,
}

/// What is done with applications.
#[derive(Debug, Subcommand)]
pub enum ApplicationsCommand {
    /// List them, the newest first.
    List {
        /// Which.
        #[command(flatten)]
        filter: Filter,
        /// How many at most.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// How they look.
        #[arg(long, value_enum, default_value_t = View::Table)]
        format: View,
    },
    /// Show everything of one but its resume.
    Show {
        /// Its number, such as TBA-7K3M9Q2X.
        id: String,
        /// How it looks.
        #[arg(long, value_enum, default_value_t = View::Table)]
        format: View,
    },
    /// Write everything of all of them.
    Export {
        /// Which.
        #[command(flatten)]
        filter: Filter,
        /// How they are written.
        #[arg(long, value_enum, default_value_t = FileFormat::Csv)]
        format: FileFormat,
        /// Save their resumes in this folder as well.
        #[arg(long)]
        resumes: Option<PathBuf>,
    },
    /// Save a resume in this folder, named after the application.
    Resume {
        /// The number of its application.
        id: String,
        /// Where to instead; `-` is the output. No file is written over.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Move one to the next step of recruitment, and write to the candidate.
    Advance {
        /// Its number.
        id: String,
        /// Another step than the next.
        #[arg(long, value_parser = step)]
        to: Option<Step>,
        /// A few lines of your own in the letter.
        #[arg(long)]
        note: Option<String>,
    },
    /// Refuse one, and write to the candidate.
    Reject {
        /// Its number.
        id: String,
        /// A few lines of your own in the letter.
        #[arg(long)]
        note: Option<String>,
    },
}

/// Which applications.
#[derive(Debug, Args)]
pub struct Filter {
    /// Of one opening, such as FE101.
    #[arg(long)]
    pub job: Option<String>,
    /// At one step.
    #[arg(long, value_parser = step)]
    pub step: Option<Step>,
    /// With this in the name or the e-mail address.
    #[arg(long)]
    pub search: Option<String>,
    /// Withdrawn ones as well.
    #[arg(long)]
    pub withdrawn: bool,
}

fn step(name: &str) -> Result<Step, String> {
    let steps = [
        Step::Received,
        Step::InitialDiscussion,
        Step::TechnicalRound,
        Step::TeamRound,
        Step::FinalDiscussion,
        Step::Offered,
        Step::Rejected,
    ];
    let names = steps.map(applications::step);
    let found = steps.into_iter().find(|step| applications::step(*step) == name);
    found.ok_or_else(|| format!("the steps are {}", names.join(", ")))
}

/// How applications look in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// For people.
    Table,
    /// One JSON object a line.
    Json,
}

/// How applications are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// For spreadsheets.
    Csv,
    /// One JSON object a line.
    Json,
}

impl Applications {
    /// What careers needs to know.
    pub fn careers(&self) -> careers::Settings {
        careers::Settings { resume_dir: Some(self.kept.resume_dir()), ..careers::Settings::default() }
    }
}
