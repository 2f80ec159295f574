//! Import of one file into the log of an account, as the import queue of the site does it: a preview, and its commit
//! unless the trader must review the file.

use rpc::caller::{Caller, Trader};
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::imports::v1::{ImportOptions, PreviewFileRequest, preview_file_request};
use rpc::trades::v1::commit_preview_response::Outcome as CommitOutcome;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{AccountMatch, Book, Broker, CommitPreviewRequest, Preview, Resolution, Segment};
use rpc::transport::{Transport, local};
use sha2::{Digest as _, Sha256};
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Status};
use tonic_types::StatusExt as _;
use zeroize::Zeroizing;

use super::email_parser::Attachment;
use super::known_files::{KnownFile, KnownFiles, part_name};
use crate::database::Pools;

/// Size of the chunks sent to the import service, which rejects larger ones.
const CHUNK_BYTES: usize = 256 * 1024;
/// Attempts to commit a preview while a running server changes the log.
const MAX_COMMIT_ATTEMPTS: usize = 3;
/// Warning about a layout that was never seen in a real file.
const NEW_LAYOUT_WARNING: &str = "format_unverified";
/// Causes of `FILE_UNREADABLE` for files that are readable, but not broker files.
const OTHER_FILE_CAUSES: [&str; 5] = ["PDF", "PDF_WITHOUT_TEXT", "WEB_PAGE", "OTHER_WORKBOOK", "NOT_A_SPREADSHEET"];

/// Result for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Imported, or with `--dry-run` to be imported.
    Imported {
        /// Trades that the log did not have.
        trades: i64,
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
}

/// Imports files into the log of one account.
pub(super) struct Importer {
    imports: ImportServiceClient<Transport>,
    trades: TradesServiceClient<Transport>,
    known: KnownFiles,
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
        let pools = trades::Pools { requests: pools.requests.clone(), imports: pools.imports.clone() };
        let trades = InterceptedService::new(trades::server(pools), identify.clone());
        let trades = TradesServiceClient::new(local(trades));
        let imports = import::server(import::Settings::default(), trades.clone());
        let imports = ImportServiceClient::new(local(InterceptedService::new(imports, identify)));
        let known =
            KnownFiles::load(trades.clone()).await.map_err(|status| anyhow::anyhow!(edge::status_text(&status)))?;
        Ok(Self { imports, trades, known, settings })
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
        let known = self.known.get(&sha256);
        match known {
            KnownFile { is_complete: true, .. } => return Outcome::Known,
            KnownFile { is_undone: true, .. } => return Outcome::Undone,
            KnownFile { .. } => {}
        }
        match self.import_parts(file, &sha256, known).await {
            Ok(outcome) => outcome,
            Err(status) => explain_failure(&status),
        }
    }

    async fn import_parts(&mut self, file: &Attachment, sha256: &[u8], known: KnownFile) -> Result<Outcome, Status> {
        // The file decides about broker and segment.
        let any_book = Book { broker: Broker::Zerodha.into(), segment: Segment::Equity.into(), ..Book::default() };
        let first = self.preview(file, &file.name, any_book).await?;
        let mut previews = vec![(file.name.clone(), first)];
        let book = first_book(&previews);
        let has_contracts_too = has_other_segment(&previews);
        if has_contracts_too && !known.has_part {
            let name = part_name(&file.name);
            let contracts = Book { segment: Segment::Fno.into(), ..book };
            let part = self.preview(file, &name, contracts).await?;
            previews.insert(0, (name, part));
        }
        let reasons: Vec<String> = previews.iter().flat_map(|(_, preview)| self.review_reasons(preview)).collect();
        if !reasons.is_empty() {
            return Ok(Outcome::NeedsReview(reasons.join(" ")));
        }
        // Contract notes bring charges, also for trades that are known.
        if previews.iter().all(|(_, preview)| preview.added == 0 && contract_notes(preview) == 0) {
            return Ok(Outcome::Known);
        }
        let mut trades = 0;
        for (name, preview) in previews {
            trades += if self.settings.is_dry_run {
                preview.added
            } else {
                match self.commit(preview).await? {
                    Ok(added) => added,
                    Err(reasons) => return Ok(Outcome::NeedsReview(reasons)),
                }
            };
            self.known.add(sha256.to_vec(), &name);
        }
        Ok(Outcome::Imported { trades })
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

    /// Returns the reasons for which the trader must review a file; the same as in the import queue of the site.
    fn review_reasons(&self, preview: &Preview) -> Vec<String> {
        let issues = preview.issues.clone().unwrap_or_default();
        let new_layouts = issues.warnings.iter().filter(|warning| warning.code == NEW_LAYOUT_WARNING).count();
        let new_layouts = i64::try_from(new_layouts).unwrap_or(i64::MAX);
        let unusual = issues.unusual_count - new_layouts;
        let mut reasons = Vec::new();
        if preview.account_match() == AccountMatch::OtherCodes {
            reasons.push("The client code is not that of a known broker account.".to_owned());
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

fn first_book(previews: &[(String, Preview)]) -> Book {
    previews.first().and_then(|(_, preview)| preview.book).unwrap_or_default()
}

fn has_other_segment(previews: &[(String, Preview)]) -> bool {
    let rows = |preview: &Preview| preview.issues.as_ref().map_or(0, |issues| issues.other_segment_rows);
    previews.iter().any(|(_, preview)| rows(preview) > 0)
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
