//! Result of the import of a mailbox, as text and as JSON.

use serde::Serialize;
use time::macros::format_description;

use super::importer::Outcome;
use crate::text_table::{append_all_rows, in_india};

/// What to do about a file that must be reviewed.
const REVIEW_HINT: &str = "Save the attachment, and upload it in the browser.";

/// Result of the import of a mailbox.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MailboxReport {
    /// Nothing was imported; the numbers are those of an import.
    pub dry_run: bool,
    pub emails_read: usize,
    /// Files that were imported, and the trades that they added.
    pub imported: usize,
    pub trades: i64,
    pub already_known: usize,
    /// Files whose import the trader undid before.
    pub undone: usize,
    pub needs_review: Vec<ReportedFile>,
    pub not_contract_notes: Vec<ReportedFile>,
    pub failed: Vec<ReportedFile>,
}

/// File, or email, that was not imported.
#[derive(Debug, Serialize)]
pub(super) struct ReportedFile {
    /// Name of the attachment; empty for a whole email.
    pub file: String,
    /// Day of sending in India, such as 2026-06-05; absent if the email states none.
    pub date: Option<String>,
    /// Path in the maildir, or number in the mbox file.
    pub email: String,
    pub reason: String,
}

impl MailboxReport {
    /// Adds the outcome of a file, which was attached to the email at `location`.
    pub fn add_file(&mut self, file: &str, sent_at: Option<i64>, location: &str, outcome: Outcome) {
        let reported = |reason| ReportedFile::new(file, sent_at, location, reason);
        match outcome {
            Outcome::Imported { trades } => {
                self.imported += 1;
                self.trades += trades;
            }
            Outcome::Known => self.already_known += 1,
            Outcome::Undone => self.undone += 1,
            Outcome::NeedsReview(reason) => self.needs_review.push(reported(format!("{reason} {REVIEW_HINT}"))),
            Outcome::NotABrokerFile(reason) => self.not_contract_notes.push(reported(reason)),
            Outcome::Failed(reason) => self.failed.push(reported(reason)),
        }
    }

    /// Adds an email that was not read, or not in full.
    pub fn add_failed_email(&mut self, sent_at: Option<i64>, location: &str, reason: &str) {
        self.failed.push(ReportedFile::new("", sent_at, location, reason.to_owned()));
    }

    /// Returns the number of files and emails about which somebody must do something.
    pub fn unfinished(&self) -> usize {
        self.needs_review.len() + self.failed.len()
    }

    /// Formats the report as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let imported = if self.dry_run { "Files to import" } else { "Files imported" };
        let facts = [
            ("Emails read", self.emails_read.to_string()),
            (imported, self.imported.to_string()),
            ("New trades", self.trades.to_string()),
            ("Already known", self.already_known.to_string()),
            ("Undone before", self.undone.to_string()),
            ("Needs review", self.needs_review.len().to_string()),
            ("Not a contract note", self.not_contract_notes.len().to_string()),
            ("Failed", self.failed.len().to_string()),
        ];
        for (name, value) in facts {
            out += &format!("{name:<20} {value}\n");
        }
        for (title, files) in [
            ("Needs review", &self.needs_review),
            ("Not a contract note", &self.not_contract_notes),
            ("Failed", &self.failed),
        ] {
            let rows: Vec<_> = files.iter().map(ReportedFile::to_row).collect();
            append_all_rows(&mut out, title, &["FILE", "DATE", "EMAIL", "REASON"], &rows);
        }
        out
    }
}

impl ReportedFile {
    fn new(file: &str, sent_at: Option<i64>, location: &str, reason: String) -> Self {
        let format = format_description!("[year]-[month]-[day]");
        let date = sent_at.and_then(|seconds| in_india(seconds)?.format(format).ok());
        // A path in a maildir may have characters that change the direction of text.
        Self { file: file.to_owned(), date, email: import::remove_deceptive_chars(location), reason }
    }

    fn to_row(&self) -> [String; 4] {
        let dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        [&self.file, self.date.as_deref().unwrap_or_default(), &self.email, &self.reason].map(dash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_files_by_outcome_and_lists_those_with_a_reason() {
        let mut report = MailboxReport { emails_read: 5, ..MailboxReport::default() };
        let sent_at = Some(1_780_597_800);
        report.add_file("a.pdf", sent_at, "new/1", Outcome::Imported { trades: 3 });
        report.add_file("b.pdf", sent_at, "new/2", Outcome::Known);
        report.add_file("c.pdf", None, "new/3", Outcome::NeedsReview("Unusual trades: 1.".to_owned()));
        report.add_file("d.pdf", None, "new/3", Outcome::NotABrokerFile("This is a menu.".to_owned()));
        report.add_file("e.pdf", sent_at, "new/4\u{202e}\u{1b}", Outcome::Failed("Damaged.".to_owned()));
        report.add_failed_email(None, "new/5", "Too large.");
        assert_eq!(report.unfinished(), 3);
        let text = report.to_text();
        for line in [
            "Emails read          5\n",
            "Files imported       1\n",
            "New trades           3\n",
            "  c.pdf  -     new/3  Unusual trades: 1. Save the attachment, and upload it in the browser.\n",
            "  e.pdf  2026-06-05  new/4  Damaged.\n",
            "  -      -           new/5  Too large.\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!((&json["alreadyKnown"], &json["failed"][0]["date"]), (&1.into(), &"2026-06-05".into()));
    }
}
