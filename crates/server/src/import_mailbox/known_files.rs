//! Files that were imported before, by their content.

use std::collections::HashMap;

use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{ChangeKind, ListChangesRequest};
use rpc::transport::Transport;
use tonic::Status;

/// Maximum size of a page of the history.
const PAGE_SIZE: i32 = 100;
/// End of the file name under which the second part of a file with shares and contracts is imported.
const PART_SUFFIX: &str = " (Future & Option)";

/// State of a file in the history of the account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownFile {
    /// Imported. Of a file with shares and contracts, the contracts are imported first, so that an interrupted import
    /// is continued.
    pub is_complete: bool,
    /// The contracts of a file with shares and contracts are imported.
    pub has_part: bool,
    /// The trader undid an import of the file.
    pub is_undone: bool,
}

/// Files in the history of the account, by SHA-256.
pub(super) struct KnownFiles(HashMap<Vec<u8>, KnownFile>);

impl KnownFiles {
    /// Reads the history of the account.
    pub async fn load(mut trades: TradesServiceClient<Transport>) -> Result<Self, Status> {
        let mut known = Self(HashMap::new());
        let mut page_token = String::new();
        loop {
            let request = ListChangesRequest { book: None, page_size: PAGE_SIZE, page_token };
            let page = trades.list_changes(request).await?.into_inner();
            for change in page.changes {
                let Some(import) = (change.kind() == ChangeKind::Import).then_some(change.import).flatten() else {
                    continue;
                };
                if change.undone_at.is_some() {
                    known.0.entry(import.file_sha256).or_default().is_undone = true;
                } else {
                    known.add(import.file_sha256, &import.file_name);
                }
            }
            if page.next_page_token.is_empty() {
                return Ok(known);
            }
            page_token = page.next_page_token;
        }
    }

    /// Returns the state of a file.
    pub fn get(&self, sha256: &[u8]) -> KnownFile {
        self.0.get(sha256).copied().unwrap_or_default()
    }

    /// Records that a file was imported under `name`.
    pub fn add(&mut self, sha256: Vec<u8>, name: &str) {
        let known = self.0.entry(sha256).or_default();
        *(if name.ends_with(PART_SUFFIX) { &mut known.has_part } else { &mut known.is_complete }) = true;
    }
}

/// Returns the name of the contracts in a file with shares and contracts.
pub(super) fn part_name(name: &str) -> String {
    // The trade log accepts 150 characters.
    let short: String = name.chars().take(150 - PART_SUFFIX.len()).collect();
    short + PART_SUFFIX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_complete_unless_only_its_contracts_are_imported() {
        let mut known = KnownFiles(HashMap::new());
        assert_eq!(known.get(b"a"), KnownFile::default());
        known.add(b"a".to_vec(), &part_name("note.pdf"));
        assert_eq!(known.get(b"a"), KnownFile { has_part: true, ..KnownFile::default() });
        known.add(b"a".to_vec(), "note.pdf");
        assert_eq!(known.get(b"a"), KnownFile { has_part: true, is_complete: true, is_undone: false });
        assert_eq!(part_name(&"x".repeat(150)).chars().count(), 150);
    }
}
