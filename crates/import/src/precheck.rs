//! What a zip archive says about itself, judged before anything in it is read.
//!
//! The reader stops an entry at its declared size, so a lie there makes the entry short, never long: bounds on declared
//! sizes are bounds on what will be read.

use std::collections::HashSet;
use std::io::{Read, Seek};

use zip::{CompressionMethod, ZipArchive};

use crate::error::{Reason, Refusal};

const MIB: u64 = 1024 * 1024;
const MOST_ENTRIES: usize = 256;
const LARGEST_SUM: u64 = 512 * MIB;
const LARGEST_ENTRY: u64 = 384 * MIB;
const LARGEST_STRINGS: u64 = 96 * MIB;
/// Below it, the ratio does not matter.
const SMALL: u64 = MIB;
const HIGHEST_RATIO: u64 = 300;

/// Refuses an archive that is no workbook, or that would cost too much to read.
pub(crate) fn check(source: &mut (impl Read + Seek)) -> Result<(), Refusal> {
    let mut archive = ZipArchive::new(source).map_err(|_| Refusal::unreadable())?;
    if archive.len() > MOST_ENTRIES || archive.has_duplicate_names() {
        return Err(Refusal::unreadable());
    }
    let mut names = HashSet::new();
    let mut sum: u64 = 0;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|_| Refusal::unreadable())?;
        let name = entry.name().map_err(|_| Refusal::unreadable())?.to_ascii_lowercase().replace('\\', "/");
        let (size, packed) = (entry.size(), entry.compressed_size());
        sum = sum.saturating_add(size);
        let method_known = matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated);
        let sound = method_known
            && !entry.encrypted()
            && !name.split('/').any(|part| part == "..")
            && size <= LARGEST_ENTRY
            && (size <= SMALL || size <= packed.saturating_mul(HIGHEST_RATIO))
            && !(name.ends_with("sharedstrings.xml") && size > LARGEST_STRINGS);
        // calamine looks names up without regard to case, so two that differ in case alone are one name twice.
        if !sound || sum > LARGEST_SUM || !names.insert(name) {
            return Err(Refusal::unreadable());
        }
    }
    judge_parts(&names)
}

fn judge_parts(names: &HashSet<String>) -> Result<(), Refusal> {
    if names.iter().any(|name| name.ends_with("vbaproject.bin") || name.starts_with("xl/macrosheets/")) {
        return Err(macros());
    }
    let has = |ending: &str| names.iter().any(|name| name.starts_with("xl/workbook") && name.ends_with(ending));
    if has(".xml") {
        return Ok(());
    }
    if has(".bin") || names.contains("content.xml") {
        return Err(Refusal::new(
            Reason::Unreadable,
            "This is a workbook, but not an .xlsx. Open it, save it as .xlsx and upload that.",
        ));
    }
    Err(no_spreadsheet())
}

/// A workbook that could do something.
pub(crate) fn macros() -> Refusal {
    Refusal::new(
        Reason::Unreadable,
        "The workbook has macros. Save it as .xlsx and upload that, or upload the report as it comes from the broker.",
    )
}

/// Another kind of file in the same wrapping.
pub(crate) fn no_spreadsheet() -> Refusal {
    Refusal::new(
        Reason::Unreadable,
        "This is an archive or a document, not a spreadsheet. Upload the .xlsx or .csv report as it comes from the \
         broker.",
    )
}
