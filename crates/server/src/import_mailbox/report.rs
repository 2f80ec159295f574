//! Result of the import of a mailbox, as text and as JSON.

use rpc::trades::v1::{DocumentSignature, SignatureProblem, SignatureState};
use serde::Serialize;
use time::macros::format_description;

use super::importer::Outcome;
use crate::text_table::{append_all_rows, in_india};

/// Hint about a file that must be reviewed.
const REVIEW_HINT: &str = "Save the attachment, and upload it in the browser.";

/// Limit of what a signature proves.
const SIGNATURE_HINT: &str = "Not checked: whether the issuer of a certificate can be trusted, and whether the certificate was \
                              revoked or had expired.\n";

/// Result of the import of a mailbox.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MailboxReport {
    /// True if nothing was imported: each file was compared with the log as it is, so trades that several new files have are
    /// counted several times, and an import may add fewer.
    pub dry_run: bool,
    pub emails_read: usize,
    /// Emails that were skipped because of their senders.
    pub other_senders: usize,
    /// Files that were imported, and the trades that they added.
    pub imported: usize,
    pub trades: i64,
    pub imported_files: Vec<ImportedFile>,
    pub already_known: usize,
    /// Files whose import the trader undid before.
    pub undone: usize,
    pub needs_review: Vec<ReportedFile>,
    pub not_contract_notes: Vec<ReportedFile>,
    pub failed: Vec<ReportedFile>,
}

/// Imported file.
#[derive(Debug, Serialize)]
pub(super) struct ImportedFile {
    pub file: String,
    #[serde(flatten)]
    pub origin: ReportedOrigin,
    /// Trades that the log did not have.
    pub trades: i64,
    /// Comparison of the document with its signatures; absent for another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<DocumentSignature>,
}

/// File, or email, that was not imported.
#[derive(Debug, Serialize)]
pub(super) struct ReportedFile {
    /// Name of the attachment; empty for a whole email.
    pub file: String,
    #[serde(flatten)]
    pub origin: ReportedOrigin,
    pub reason: String,
}

/// Email of a reported file.
#[derive(Debug, Serialize)]
pub(super) struct ReportedOrigin {
    /// Day of sending in India, such as 2026-06-05; absent if the email states none.
    pub date: Option<String>,
    /// Path in the maildir, or number in the mbox file.
    pub email: String,
    /// Address in the From header, which can be forged; empty if it is unknown.
    pub from: String,
}

/// Email with its facts as it states them.
pub(super) struct Origin<'a> {
    /// Path in the maildir, or number in the mbox file.
    pub location: &'a str,
    pub sent_at: Option<i64>,
    pub sender: &'a str,
}

impl<'a> Origin<'a> {
    /// Returns the origin of an email that was not read.
    pub fn unknown(location: &'a str) -> Self {
        Self { location, sent_at: None, sender: "" }
    }
}

impl MailboxReport {
    /// Adds the outcome of a file, which was attached to the email `origin`.
    pub fn add_file(&mut self, file: &str, origin: &Origin<'_>, outcome: Outcome) {
        let reported = |reason| ReportedFile { file: file.to_owned(), origin: origin.into(), reason };
        match outcome {
            Outcome::Imported { trades, signature } => {
                self.imported += 1;
                self.trades += trades;
                let (file, origin) = (file.to_owned(), origin.into());
                self.imported_files.push(ImportedFile { file, origin, trades, signature });
            }
            Outcome::Known => self.already_known += 1,
            Outcome::Undone => self.undone += 1,
            Outcome::NeedsReview(reason) => self.needs_review.push(reported(format!("{reason} {REVIEW_HINT}"))),
            Outcome::NotABrokerFile(reason) => self.not_contract_notes.push(reported(reason)),
            Outcome::Failed(reason) => self.failed.push(reported(reason)),
        }
    }

    /// Adds an email that was not read, or not in full.
    pub fn add_failed_email(&mut self, origin: &Origin<'_>, reason: &str) {
        let reason = reason.to_owned();
        self.failed.push(ReportedFile { file: String::new(), origin: origin.into(), reason });
    }

    /// Returns the number of files and emails about which somebody must do something.
    pub fn unfinished(&self) -> usize {
        self.needs_review.len() + self.failed.len()
    }

    /// Formats the report as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let (imported, trades) =
            if self.dry_run { ("Files to import", "New trades, at most") } else { ("Files imported", "New trades") };
        let facts = [
            ("Emails read", self.emails_read.to_string()),
            ("Other senders", self.other_senders.to_string()),
            (imported, self.imported.to_string()),
            (trades, self.trades.to_string()),
            ("Already known", self.already_known.to_string()),
            ("Undone before", self.undone.to_string()),
            ("Needs review", self.needs_review.len().to_string()),
            ("Not a contract note", self.not_contract_notes.len().to_string()),
            ("Failed", self.failed.len().to_string()),
        ];
        for (name, value) in facts {
            out += &format!("{name:<20} {value}\n");
        }
        let rows: Vec<_> = self.imported_files.iter().map(ImportedFile::to_row).collect();
        append_all_rows(&mut out, imported, &["FILE", "DATE", "EMAIL", "FROM", "TRADES", "SIGNATURE"], &rows);
        if self.imported_files.iter().any(|file| file.signature.as_ref().is_some_and(is_unchanged)) {
            out += SIGNATURE_HINT;
        }
        for (title, files) in [
            ("Needs review", &self.needs_review),
            ("Not a contract note", &self.not_contract_notes),
            ("Failed", &self.failed),
        ] {
            let rows: Vec<_> = files.iter().map(ReportedFile::to_row).collect();
            append_all_rows(&mut out, title, &["FILE", "DATE", "EMAIL", "FROM", "REASON"], &rows);
        }
        out
    }
}

impl ImportedFile {
    fn to_row(&self) -> [String; 6] {
        let [date, email, from] = self.origin.to_cells();
        let signature = self.signature.as_ref().map_or_else(|| "-".to_owned(), signature_text);
        [self.file.clone(), date, email, from, self.trades.to_string(), signature]
    }
}

impl ReportedFile {
    fn to_row(&self) -> [String; 5] {
        let [date, email, from] = self.origin.to_cells();
        [text_or_dash(&self.file), date, email, from, self.reason.clone()]
    }
}

impl ReportedOrigin {
    fn to_cells(&self) -> [String; 3] {
        [self.date.as_deref().unwrap_or_default(), &self.email, &self.from].map(text_or_dash)
    }
}

impl From<&Origin<'_>> for ReportedOrigin {
    fn from(origin: &Origin<'_>) -> Self {
        let format = format_description!("[year]-[month]-[day]");
        let date = origin.sent_at.and_then(|seconds| in_india(seconds)?.format(format).ok());
        // A path in a maildir may have characters that change the direction of text.
        let email = import::remove_deceptive_chars(origin.location);
        Self { date, email, from: origin.sender.to_owned() }
    }
}

fn is_unchanged(signature: &DocumentSignature) -> bool {
    signature.state() == SignatureState::Unchanged
}

/// Returns what is certain about a document, and no more.
fn signature_text(signature: &DocumentSignature) -> String {
    let DocumentSignature { organisation, common_name, issuer_organisation, issuer_common_name, .. } = signature;
    let name = |organisation: &str, common_name: &str| match (organisation, common_name) {
        ("", "") => "an unknown name".to_owned(),
        ("", name) | (name, "") => name.to_owned(),
        (organisation, common_name) => format!("{organisation} ({common_name})"),
    };
    match signature.state() {
        SignatureState::Unchanged => {
            let signer = name(organisation, common_name);
            let issuer = name(issuer_organisation, issuer_common_name);
            let signed_at = signature.signed_at.as_ref().and_then(|at| in_india(at.seconds));
            let format = format_description!("[year]-[month]-[day] [hour]:[minute]");
            let signed_at = signed_at.and_then(|at| at.format(format).ok());
            let stated = signed_at.map_or_else(String::new, |at| format!(" at {at}, as the signer states"));
            format!(
                "Unchanged since it was signed{stated}, with a certificate in the name of {signer}, issued by {issuer}"
            )
        }
        SignatureState::Unsigned => "Not signed".to_owned(),
        SignatureState::Extended => "Something was added after it was signed".to_owned(),
        SignatureState::Changed => "Changed after it was signed".to_owned(),
        SignatureState::Unchecked | SignatureState::Unspecified => match signature.problem() {
            SignatureProblem::Weak => "Not checked: the algorithm of the signature is too weak to rely on".to_owned(),
            SignatureProblem::CertificateMissing => "Not checked: the signature has no certificate".to_owned(),
            SignatureProblem::TooLarge => "Not checked: the signature is too large, or there are too many".to_owned(),
            SignatureProblem::Damaged => "Not checked: the signature is damaged".to_owned(),
            SignatureProblem::Unsupported | SignatureProblem::Unspecified => {
                "Not checked: this kind of signature is not supported".to_owned()
            }
        },
    }
}

fn text_or_dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn signature() -> DocumentSignature {
        DocumentSignature {
            state: SignatureState::Unchanged.into(),
            count: 1,
            organisation: "Example Broking".to_owned(),
            common_name: "DS 1".to_owned(),
            signed_at: Some(prost_types::Timestamp { seconds: 1_780_664_400, nanos: 0 }),
            ..DocumentSignature::default()
        }
    }

    #[test]
    fn counts_files_by_outcome_and_lists_those_with_a_reason() {
        let mut report = MailboxReport { emails_read: 5, ..MailboxReport::default() };
        let of = |location| Origin { location, sent_at: Some(1_780_597_800), sender: "a@groww.in" };
        let undated = |location| Origin { sent_at: None, ..of(location) };
        report.add_file("a.pdf", &of("new/1"), Outcome::Imported { trades: 3, signature: Some(signature()) });
        report.add_file("b.pdf", &of("new/2"), Outcome::Known);
        report.add_file("c.pdf", &undated("new/3"), Outcome::NeedsReview("Unusual trades: 1.".to_owned()));
        report.add_file("d.pdf", &undated("new/3"), Outcome::NotABrokerFile("This is a menu.".to_owned()));
        report.add_file("e.pdf", &of("new/4\u{202e}\u{1b}"), Outcome::Failed("Damaged.".to_owned()));
        report.add_failed_email(&Origin::unknown("new/5"), "Too large.");
        assert_eq!(report.unfinished(), 3);
        let text = report.to_text();
        for line in [
            "Emails read          5\n",
            "Files imported       1\n",
            "New trades           3\n",
            "  a.pdf  2026-06-05  new/1  a@groww.in  3       Unchanged since it was signed at 2026-06-05 18:30, as the signer \
             states, with a certificate in the name of Example Broking (DS 1), issued by an unknown name\n\
             Not checked: whether the issuer of a certificate can be trusted",
            "  c.pdf  -     new/3  a@groww.in  Unusual trades: 1. Save the attachment, and upload it in the browser.\n",
            "  e.pdf  2026-06-05  new/4  a@groww.in  Damaged.\n",
            "  -      -           new/5  -           Too large.\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        report.dry_run = true;
        assert!(report.to_text().contains("New trades, at most  3\n"));
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(
            json["importedFiles"][0],
            json!({
                "file": "a.pdf", "date": "2026-06-05", "email": "new/1", "from": "a@groww.in", "trades": 3,
                "signature": {
                    "state": "unchanged", "count": 1, "organisation": "Example Broking", "commonName": "DS 1",
                    "signedAt": "2026-06-05T13:00:00Z",
                },
            })
        );
        assert_eq!((&json["alreadyKnown"], &json["failed"][0]["date"]), (&1.into(), &"2026-06-05".into()));
    }
}
