//! `tradebahi import --mailbox`: imports the contract notes that brokers sent by email into the log of one account. Works
//! while the server runs, and never changes the mailbox.
//!
//! Emails are read one after the other. A sandboxed process finds their attachments ([`email_parser`]); those that may be
//! broker files go through the import service, with the checks of an upload. A file that was imported before is skipped,
//! so the command can run again at any time.

pub mod email_parser;
mod importer;
mod known_files;
mod mailbox;
mod maildir;
mod mbox;
mod pan;
mod report;
mod sender;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};

use self::importer::{ImportSettings, Importer};
use self::mailbox::{EmailError, Mailbox, RawEmail};
use self::report::{MailboxReport, Origin};
pub(crate) use self::sender::parse_domain;
use crate::config::MailboxImport;
use crate::database::{Database, Pools};

/// Reason for an email of which a part could not be read.
const INCOMPLETE: &str = "A part of the email cannot be read: it is damaged, nested too deeply, or has more than 50 files. \
                          Save its attachments, and upload them in the browser.";

/// Imports the contract notes of a mailbox, and prints a report to stdout.
///
/// # Errors
/// If the mailbox or the database cannot be used, or if a file failed or needs a review.
pub async fn run(arguments: &MailboxImport, json: bool) -> anyhow::Result<()> {
    let (Some(path), Some(login)) = (&arguments.mailbox, &arguments.email) else {
        bail!("name a mailbox with --mailbox and an account with --email");
    };
    crate::log::start_errors();
    let mailbox = Mailbox::open(path)?;
    let settings = ImportSettings {
        password: pan::read_password()?,
        is_dry_run: arguments.dry_run,
        accepts_new_layouts: arguments.accept_new_layouts,
        accepts_new_codes: arguments.accept_new_codes,
    };
    let database = Database::open_for_command(&arguments.database).await?;
    let mut report = MailboxReport { dry_run: settings.is_dry_run, ..MailboxReport::default() };
    let outcome = import_mailbox(&database.pools, login, mailbox, &arguments.from, settings, &mut report).await;
    database.close().await?;
    // Also after an error, if something may have been imported before it.
    if outcome.is_ok() || report.emails_read > 0 {
        let text = if json { serde_json::to_string(&report)? + "\n" } else { report.to_text() };
        std::io::stdout().lock().write_all(text.as_bytes())?;
    }
    outcome?;
    match report.unfinished() {
        0 => Ok(()),
        1 => bail!("1 file or email was not imported; the report has the reason"),
        count => bail!("{count} files or emails were not imported; the report has the reasons"),
    }
}

async fn import_mailbox(
    pools: &Pools,
    login: &str,
    mut mailbox: Mailbox,
    domains: &[String],
    settings: ImportSettings,
    report: &mut MailboxReport,
) -> anyhow::Result<()> {
    let trader = auth::find_trader(&pools.requests, login).await?;
    let trader = trader.with_context(|| {
        format!("no account has the email address or the verified phone number {login}, or it is closed")
    })?;
    let mut importer = Importer::new(pools, trader, settings).await?;
    let parser = sandbox::current_program();
    let progress = Progress { count: mailbox.count(), is_shown: std::io::stderr().is_terminal() };
    while let Some(email) = mailbox.read_next()? {
        report.emails_read += usize::from(!matches!(email.content, Err(EmailError::UnreadableFolder)));
        progress.show(report.emails_read);
        import_email(email, &parser, domains, &mut importer, report).await?;
    }
    progress.clear();
    Ok(())
}

/// Imports the attachments of an email, and adds the result to the report. If there are `domains`, emails of others are
/// only counted.
///
/// # Errors
/// If the parser process cannot be started.
async fn import_email(
    RawEmail { location, content }: RawEmail,
    parser: &Path,
    domains: &[String],
    importer: &mut Importer,
    report: &mut MailboxReport,
) -> anyhow::Result<()> {
    let file = match content {
        Ok(file) => file,
        Err(error) => {
            report.add_failed_email(&Origin::unknown(&location), error_text(error));
            return Ok(());
        }
    };
    let parsed = email_parser::parse(parser, file).await.context("cannot start the parser process")?;
    let Some(email) = parsed else {
        report.add_failed_email(&Origin::unknown(&location), "This is not an email, or it is damaged.");
        return Ok(());
    };
    if !domains.is_empty() && !sender::is_of_domains(&email.sender, domains) {
        report.other_senders += 1;
        return Ok(());
    }
    let origin = Origin { location: &location, sent_at: email.sent_at, sender: &email.sender };
    for attachment in &email.attachments {
        let outcome = importer.import(attachment).await;
        report.add_file(&attachment.name, &origin, outcome);
    }
    if email.is_incomplete {
        report.add_failed_email(&origin, INCOMPLETE);
    }
    Ok(())
}

fn error_text(error: EmailError) -> &'static str {
    match error {
        EmailError::TooLarge => "The email is larger than 30 MB. Save its attachments, and upload them in the browser.",
        EmailError::Link => "A symbolic link is not followed. Copy what it leads to into the mailbox.",
        EmailError::UnreadableFolder => "The folder cannot be opened. Check its permissions.",
        EmailError::Unreadable => "The email cannot be opened. If another program moved it, run the command again.",
    }
}

/// Progress on stderr.
struct Progress {
    count: Option<usize>,
    is_shown: bool,
}

impl Progress {
    fn show(&self, number: usize) {
        match self.count {
            _ if !self.is_shown => {}
            Some(count) => eprint!("\rEmail {number} of {count}"),
            None => eprint!("\rEmail {number}"),
        }
    }

    fn clear(&self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
