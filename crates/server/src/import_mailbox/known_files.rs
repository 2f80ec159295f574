//! Files that were imported before, by their content.

use std::collections::HashMap;

use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{ChangeKind, ListChangesRequest, Segment};
use rpc::transport::Transport;
use tonic::Status;

/// Maximum size of a page of the history.
const PAGE_SIZE: i32 = 100;

/// State of a file in the history of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    New,
    /// All segments of the file are imported.
    Complete,
    /// This segment is imported. The file may have trades of the other one.
    OneSegment(Segment),
    /// The trader undid an import of the file.
    Undone,
}

/// Imports of one file.
#[derive(Clone, Copy, Debug, Default)]
struct FileImports {
    equity: SegmentImports,
    fno: SegmentImports,
    /// The file is known to have no other segments than the imported ones.
    is_complete: bool,
}

/// Imports of one segment of a file.
#[derive(Clone, Copy, Debug, Default)]
struct SegmentImports {
    is_imported: bool,
    is_undone: bool,
}

/// Files in the history of the account, by SHA-256.
#[derive(Default)]
pub(super) struct KnownFiles(HashMap<Vec<u8>, FileImports>);

impl KnownFiles {
    /// Reads the history of the account.
    pub async fn load(mut trades: TradesServiceClient<Transport>) -> Result<Self, Status> {
        let mut files = Self::default();
        let mut page_token = String::new();
        loop {
            let request = ListChangesRequest { book: None, page_size: PAGE_SIZE, page_token };
            let page = trades.list_changes(request).await?.into_inner();
            for change in page.changes {
                let Some(import) = (change.kind() == ChangeKind::Import).then_some(change.import).flatten() else {
                    continue;
                };
                let segment = change.book.unwrap_or_default().segment();
                if change.undone_at.is_some() {
                    files.add_undone(import.file_sha256, segment);
                } else {
                    // An import of one of two segments has a warning about the other one.
                    let is_complete = import.warnings == 0;
                    files.add(import.file_sha256, segment, is_complete);
                }
            }
            if page.next_page_token.is_empty() {
                return Ok(files);
            }
            page_token = page.next_page_token;
        }
    }

    /// Returns the state of a file.
    pub fn state(&self, sha256: &[u8]) -> FileState {
        let Some(FileImports { equity, fno, is_complete }) = self.0.get(sha256).copied() else {
            return FileState::New;
        };
        let is_undone = |imports: SegmentImports| imports.is_undone && !imports.is_imported;
        match (equity.is_imported, fno.is_imported) {
            _ if is_undone(equity) || is_undone(fno) => FileState::Undone,
            (true, true) => FileState::Complete,
            _ if is_complete => FileState::Complete,
            (true, false) => FileState::OneSegment(Segment::Equity),
            (false, true) => FileState::OneSegment(Segment::Fno),
            (false, false) => FileState::New,
        }
    }

    /// Records that a segment of a file was imported, and with `is_complete` that the file has no missing one.
    pub fn add(&mut self, sha256: Vec<u8>, segment: Segment, is_complete: bool) {
        let imports = self.0.entry(sha256).or_default();
        imports.of_segment(segment).is_imported = true;
        imports.is_complete |= is_complete;
    }

    fn add_undone(&mut self, sha256: Vec<u8>, segment: Segment) {
        self.0.entry(sha256).or_default().of_segment(segment).is_undone = true;
    }
}

impl FileImports {
    fn of_segment(&mut self, segment: Segment) -> &mut SegmentImports {
        match segment {
            Segment::Equity | Segment::Unspecified => &mut self.equity,
            Segment::Fno => &mut self.fno,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_complete_if_both_segments_are_imported_or_it_has_only_one() {
        let mut files = KnownFiles::default();
        assert_eq!(files.state(b"a"), FileState::New);
        for (first, second) in [(Segment::Equity, Segment::Fno), (Segment::Fno, Segment::Equity)] {
            let sha256 = first.as_str_name().as_bytes();
            files.add(sha256.to_vec(), first, false);
            assert_eq!(files.state(sha256), FileState::OneSegment(first));
            files.add(sha256.to_vec(), second, false);
            assert_eq!(files.state(sha256), FileState::Complete);
        }
        files.add(b"a".to_vec(), Segment::Equity, true);
        assert_eq!(files.state(b"a"), FileState::Complete);
    }

    #[test]
    fn a_file_stays_undone_until_the_segment_is_imported_again() {
        let mut files = KnownFiles::default();
        files.add(b"a".to_vec(), Segment::Fno, false);
        files.add_undone(b"a".to_vec(), Segment::Equity);
        assert_eq!(files.state(b"a"), FileState::Undone);
        files.add(b"a".to_vec(), Segment::Equity, false);
        assert_eq!(files.state(b"a"), FileState::Complete);
    }
}
