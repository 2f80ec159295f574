//! Import of one file into the log of an account, as the import queue of the site does it: a preview, and its commit
//! unless the trader must review the file.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};

use import::RejectionReason;
use rpc::caller::{Caller, Trader};
use rpc::failure::to_status;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::imports::v1::{ImportOptions, PreviewFileRequest, preview_file_request};
use rpc::trades::v1::commit_preview_response::Outcome as CommitOutcome;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{
    AccountMatch, Book, Broker, CommitPreviewRequest, DocumentSignature, Preview, Resolution, Segment, SignatureState,
};
use rpc::transport::{Transport, local};
use sha2::{Digest as _, Sha256};
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Status};
use tonic_types::StatusExt as _;
use zeroize::Zeroizing;

use super::email_parser::Attachment;
use super::known_files::{FileState, KnownFiles};
use crate::database::Pools;

/// Size of the chunks sent to the import service, which rejects larger ones.
const CHUNK_BYTES: usize = 256 * 1024;
/// Attempts to commit a preview while a running server changes the log.
const MAX_COMMIT_ATTEMPTS: usize = 3;
/// Warning about a layout that was never seen in a real file.
const NEW_LAYOUT_WARNING: &str = "format_unverified";
/// Causes of `FILE_UNREADABLE` for files that are readable, but not broker files.
const OTHER_FILE_CAUSES: [&str; 5] = ["PDF", "PDF_WITHOUT_TEXT", "WEB_PAGE", "OTHER_WORKBOOK", "NOT_A_SPREADSHEET"];

/// Reason for a document that is not what its signer signed.
const CHANGED_DOCUMENT: &str = "The document was changed after it was signed: its digital signature does not match. Download \
                                it from your broker, and upload it in the browser.";

/// End of the file name under which the contracts of a file with shares and contracts are imported.
const PART_SUFFIX: &str = " (Future & Option)";

/// Result for one file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Imported, or with `--dry-run` to be imported.
    Imported {
        /// Trades that the log did not have.
        trades: i64,
        /// Comparison of the document with its signatures; none for another file.
        signature: Option<DocumentSignature>,
    },
    Known,
    /// The trader undid an earlier import of the file.
    Undone,
    /// The trader must review the file. Contains the reasons.
    NeedsReview(String),
    /// Not a contract note or another file with trades. Contains the reason.
    NotABrokerFile(String),
    Failed(String),
}

/// Choices for all files of a run.
pub(super) struct ImportSettings {
    /// Password of encrypted documents; empty if there is none.
    pub password: Zeroizing<String>,
    pub is_dry_run: bool,
    pub accepts_new_layouts: bool,
    /// Also imports files whose client code would become that of the account, and files without one.
    pub accepts_new_codes: bool,
}

/// Imports files into the log of one account.
pub(super) struct Importer {
    imports: ImportServiceClient<Transport>,
    trades: TradesServiceClient<Transport>,
    stored_files: KnownFiles,
    settings: ImportSettings,
}

impl Importer {
    /// Builds the import service and the trade log in this process, for calls of `trader` only.
    pub async fn new(pools: &Pools, trader: Trader, settings: ImportSettings) -> anyhow::Result<Self> {
        // In place of the access guard: the command may act for any account, because it can write to the database.
        let identify = move |mut request: Request<()>| {
            request.extensions_mut().insert(Caller::from(trader.clone()));
            Ok::<_, Status>(request)
        };
        let pools = trades::Pools {
            requests: pools.requests.clone(),
            reads: pools.reads.clone(),
            imports: pools.imports.clone(),
        };
        let trades = InterceptedService::new(trades::server(pools), identify.clone());
        let trades = TradesServiceClient::new(local(trades));
        let imports = import::server(import::Settings::default(), trades.clone());
        let imports = ImportServiceClient::new(local(InterceptedService::new(imports, identify)));
        let stored_files =
            KnownFiles::load(trades.clone()).await.map_err(|status| anyhow::anyhow!(edge::status_text(&status)))?;
        Ok(Self { imports, trades, stored_files, settings })
    }

    /// Imports a file, unless it is known or must be reviewed.
    pub async fn import(&mut self, file: &Attachment) -> Outcome {
        if file.is_damaged {
            return Outcome::Failed(
                "The attachment is damaged: its content is not what its name says. Download the file from your broker \
                 and upload it in the browser."
                    .to_owned(),
            );
        }
        let sha256 = Sha256::digest(&file.content).to_vec();
        let outcome = match self.stored_files.state(&sha256) {
            FileState::Complete => return Outcome::Known,
            FileState::Undone => return Outcome::Undone,
            FileState::New => self.import_new(file, &sha256).await,
            FileState::OneSegment(imported) => self.import_missing(file, &sha256, imported).await,
        };
        outcome.unwrap_or_else(|status| explain_failure(&status))
    }

    async fn import_new(&mut self, file: &Attachment, sha256: &[u8]) -> Result<Outcome, Status> {
        let first = self.preview(file, &file.name, any_book(Segment::Equity)).await?;
        let mut previews = Vec::new();
        if has_other_segment(&first) {
            let book = first.book.unwrap_or_default();
            let other = other_segment(book.segment());
            let other = Book { segment: other.into(), ..book };
            previews.push(self.preview(file, &name_of_part(&file.name), other).await?);
        }
        previews.push(first);
        self.import_previews(previews, sha256).await
    }

    /// Imports the segment that is missing in the log, if the file has it.
    async fn import_missing(&mut self, file: &Attachment, sha256: &[u8], imported: Segment) -> Result<Outcome, Status> {
        // Without a preview, which would remove another one of the account at each run.
        let stored = store(&file.content).map_err(|_| Status::internal("cannot create a temporary file"))?;
        let inspected =
            import::has_other_segment(&import::Settings::default(), stored, imported, &self.settings.password).await;
        let has_other = match inspected {
            // A table whose columns the trader mapped, in the browser.
            Err(import::Error::Rejected(rejection)) if rejection.reason == RejectionReason::Unknown => false,
            inspected => inspected.map_err(|error| to_status(&error))?,
        };
        if !has_other {
            self.stored_files.add(sha256.to_vec(), imported, true);
            return Ok(Outcome::Known);
        }
        let missing = other_segment(imported);
        let name = if missing == Segment::Fno { name_of_part(&file.name) } else { file.name.clone() };
        let preview = self.preview(file, &name, any_book(missing)).await?;
        self.import_previews(vec![preview], sha256).await
    }

    /// Imports the segments of a file, unless one of them must be reviewed.
    async fn import_previews(&mut self, previews: Vec<Preview>, sha256: &[u8]) -> Result<Outcome, Status> {
        let signature = previews.first().and_then(|preview| preview.issues.as_ref()?.signature.clone());
        if signature.as_ref().is_some_and(|signature| signature.state() == SignatureState::Changed) {
            return Ok(Outcome::Failed(CHANGED_DOCUMENT.to_owned()));
        }
        let reasons: Vec<String> = previews.iter().flat_map(|preview| self.review_reasons(preview)).collect();
        if !reasons.is_empty() {
            return Ok(Outcome::NeedsReview(reasons.join(" ")));
        }
        // Contract notes bring charges, also for trades that are known.
        if previews.iter().all(|preview| preview.added == 0 && contract_notes(preview) == 0) {
            return Ok(Outcome::Known);
        }
        let mut trades = 0;
        let mut missing = previews.len();
        for preview in previews {
            let segment = preview.book.unwrap_or_default().segment();
            trades += if self.settings.is_dry_run {
                preview.added
            } else {
                match self.commit(preview).await? {
                    Ok(added) => added,
                    Err(reasons) => return Ok(Outcome::NeedsReview(reasons)),
                }
            };
            missing -= 1;
            self.stored_files.add(sha256.to_vec(), segment, missing == 0);
        }
        Ok(Outcome::Imported { trades, signature })
    }

    async fn preview(&mut self, file: &Attachment, name: &str, book: Book) -> Result<Preview, Status> {
        let options = ImportOptions {
            book: Some(book),
            file_name: name.to_owned(),
            confirm: true,
            idempotency_key: String::new(),
            password: self.settings.password.to_string(),
        };
        let chunks = file.content.chunks(CHUNK_BYTES).map(|chunk| preview_file_request::Part::Chunk(chunk.to_vec()));
        let parts: Vec<_> = std::iter::once(preview_file_request::Part::Options(options)).chain(chunks).collect();
        let messages = parts.into_iter().map(|part| PreviewFileRequest { part: Some(part) });
        let response = self.imports.preview_file(tokio_stream::iter(messages)).await?.into_inner();
        response.preview.ok_or_else(|| Status::internal("the import service sent no preview"))
    }

    /// Commits a preview. Returns the number of added trades, or the reasons for a review that appeared meanwhile.
    async fn commit(&mut self, mut preview: Preview) -> Result<Result<i64, String>, Status> {
        for _ in 0..MAX_COMMIT_ATTEMPTS {
            let request = CommitPreviewRequest {
                preview_id: preview.id,
                state: preview.state,
                choices: Vec::new(),
                default_resolution: Resolution::Unspecified.into(),
                broker_account: 0,
            };
            match self.trades.commit_preview(request).await?.into_inner().outcome {
                Some(CommitOutcome::Committed(committed)) => {
                    return Ok(Ok(committed.result.unwrap_or_default().added));
                }
                Some(CommitOutcome::Changed(changed)) => preview = changed,
                None => return Err(Status::internal("the trade log sent no outcome")),
            }
            let reasons = self.review_reasons(&preview);
            if !reasons.is_empty() {
                return Ok(Err(reasons.join(" ")));
            }
        }
        Err(Status::aborted("The log changed while the file was imported. Run the command again."))
    }

    /// Returns the reasons for which the trader must review a file: those of the import queue of the site, and a client
    /// code that no account has. In the browser the trader has selected the file; an email is from anybody.
    fn review_reasons(&self, preview: &Preview) -> Vec<String> {
        let issues = preview.issues.clone().unwrap_or_default();
        let new_layouts = issues.warnings.iter().filter(|warning| warning.code == NEW_LAYOUT_WARNING).count();
        let new_layouts = i64::try_from(new_layouts).unwrap_or(i64::MAX);
        let unusual = issues.unusual_count - new_layouts;
        let mut reasons = Vec::new();
        match preview.account_match() {
            AccountMatch::Known => {}
            AccountMatch::OtherCodes => {
                reasons.push("The client code is not that of a known broker account.".to_owned());
            }
            AccountMatch::NewCode if !self.settings.accepts_new_codes => reasons.push(format!(
                "New client code {}: the broker account has none yet. If it is yours, --accept-new-codes imports such \
                 files.",
                preview.masked_client_code
            )),
            AccountMatch::Unspecified if !self.settings.accepts_new_codes => {
                reasons.push("The file states no client code.".to_owned());
            }
            AccountMatch::NewCode | AccountMatch::Unspecified => {}
        }
        if issues.signature.as_ref().is_some_and(DocumentSignature::is_altered) {
            reasons.push("Something was added to the document after it was signed.".to_owned());
        }
        if issues.error_count > 0 {
            reasons.push(format!("Rows that cannot be imported: {}.", issues.error_count));
        }
        if preview.conflict_count > 0 {
            reasons.push(format!("Trades that differ from an earlier file: {}.", preview.conflict_count));
        }
        if unusual > 0 {
            reasons.push(format!("Unusual trades: {unusual}."));
        }
        if new_layouts > 0 && !self.settings.accepts_new_layouts {
            reasons.push(
                "New layout: we have not seen a real file of this kind yet. If some trades agree with the broker, \
                 --accept-new-layouts imports such files."
                    .to_owned(),
            );
        }
        reasons
    }
}

/// Returns a book of which only the segment matters; the file decides about the broker.
fn any_book(segment: Segment) -> Book {
    Book { broker: Broker::Zerodha.into(), segment: segment.into(), ..Book::default() }
}

fn other_segment(segment: Segment) -> Segment {
    match segment {
        Segment::Equity | Segment::Unspecified => Segment::Fno,
        Segment::Fno => Segment::Equity,
    }
}

fn has_other_segment(preview: &Preview) -> bool {
    preview.issues.as_ref().is_some_and(|issues| issues.other_segment_rows > 0)
}

/// Returns the name under which the contracts of a file with shares and contracts are imported, as in the browser.
fn name_of_part(name: &str) -> String {
    // The trade log accepts 150 characters.
    let short: String = name.chars().take(150 - PART_SUFFIX.len()).collect();
    short + PART_SUFFIX
}

fn store(content: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

fn contract_notes(preview: &Preview) -> i64 {
    preview.issues.as_ref().map_or(0, |issues| issues.contract_notes)
}

/// Returns the outcome of a file that was rejected, with the text of an upload.
fn explain_failure(status: &Status) -> Outcome {
    let text = edge::status_text(status);
    let Some(info) = status.get_details_error_info() else { return Outcome::Failed(text) };
    let cause = info.metadata.get("cause").map_or("", String::as_str);
    match (info.reason.as_str(), cause) {
        ("FILE_NOT_SUPPORTED" | "REPORT_UNSUPPORTED" | "LEDGER_FILE" | "FILE_EMPTY", _) | ("NO_TRADES", "") => {
            Outcome::NotABrokerFile(text)
        }
        ("FILE_UNREADABLE", cause) if OTHER_FILE_CAUSES.contains(&cause) => Outcome::NotABrokerFile(text),
        ("FILE_PASSWORD_NEEDED", "") => Outcome::Failed(text + " Set TRADEBAHI_PAN, or run the command in a terminal."),
        ("FILE_PASSWORD_NEEDED", _) => Outcome::Failed(
            text + " Check TRADEBAHI_PAN. If this is no contract note, move its email out of the mailbox.",
        ),
        _ => Outcome::Failed(text),
    }
}
