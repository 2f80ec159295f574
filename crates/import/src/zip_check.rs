//! Checks the directory of a ZIP archive before anything in it is unpacked.
//!
//! The reader stops an entry at its declared size. A false size therefore makes the entry shorter, never longer, and
//! limits on declared sizes limit what is read.

use std::collections::HashSet;
use std::io::{Read, Seek};

use zip::{CompressionMethod, ZipArchive};

use crate::error::{Rejection, RejectionReason};

const MIB: u64 = 1024 * 1024;
const MAX_ENTRIES: usize = 512;
/// Unpacked size of all entries.
const MAX_TOTAL_BYTES: u64 = 512 * MIB;
/// Unpacked size of an entry.
const MAX_ENTRY_BYTES: u64 = 384 * MIB;
/// Unpacked size of the shared strings, which the reader holds in memory.
const MAX_SHARED_STRINGS_BYTES: u64 = 96 * MIB;
/// Unpacked size up to which any compression ratio is allowed.
const MIN_BYTES_FOR_RATIO: u64 = MIB;
const MAX_COMPRESSION_RATIO: u64 = 300;

/// Rejects an archive that is not a workbook, or that would take too much memory or time to read.
pub(crate) fn check(source: &mut (impl Read + Seek)) -> Result<(), Rejection> {
    let mut archive = ZipArchive::new(source).map_err(|_| RejectionReason::Unreadable)?;
    if archive.len() > MAX_ENTRIES || archive.has_duplicate_names() {
        return Err(RejectionReason::Unreadable.into());
    }
    let mut names = HashSet::new();
    let mut total: u64 = 0;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|_| RejectionReason::Unreadable)?;
        let name = entry.name().map_err(|_| RejectionReason::Unreadable)?.to_ascii_lowercase().replace('\\', "/");
        let (size, packed) = (entry.size(), entry.compressed_size());
        total = total.saturating_add(size);
        let is_supported_method =
            matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated);
        let is_acceptable = is_supported_method
            && !entry.encrypted()
            && !name.split('/').any(|part| part == "..")
            && size <= MAX_ENTRY_BYTES
            && (size <= MIN_BYTES_FOR_RATIO || size <= packed.saturating_mul(MAX_COMPRESSION_RATIO))
            && !(name.ends_with("sharedstrings.xml") && size > MAX_SHARED_STRINGS_BYTES);
        // calamine ignores case when it looks up names, so names that differ only in case are duplicates.
        if !is_acceptable || total > MAX_TOTAL_BYTES || !names.insert(name) {
            return Err(RejectionReason::Unreadable.into());
        }
    }
    check_entry_names(&names)
}

fn check_entry_names(names: &HashSet<String>) -> Result<(), Rejection> {
    if names.iter().any(|name| name.ends_with("vbaproject.bin") || name.starts_with("xl/macrosheets/")) {
        return Err(RejectionReason::Macros.into());
    }
    let has = |ending: &str| names.iter().any(|name| name.starts_with("xl/workbook") && name.ends_with(ending));
    if has(".xml") {
        return Ok(());
    }
    if has(".bin") || names.contains("content.xml") {
        return Err(RejectionReason::OtherWorkbook.into());
    }
    Err(RejectionReason::NotASpreadsheet.into())
}
