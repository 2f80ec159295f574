//! Emails that a server writes into a folder.

use std::fs;
use std::path::Path;

/// Returns the complete emails in `folder`. The file of an email that is still being written has another name.
pub fn read_emails(folder: &Path) -> impl Iterator<Item = String> {
    let paths = fs::read_dir(folder).into_iter().flatten().filter_map(|file| Some(file.ok()?.path()));
    let complete = paths.filter(|path| path.extension().is_some_and(|extension| extension == "eml"));
    complete.filter_map(|path| fs::read_to_string(path).ok())
}

/// Returns the rest of the line after the first `prefix` in `text`.
#[track_caller]
pub fn text_after(text: &str, prefix: &str) -> String {
    let (_, rest) = text.split_once(prefix).unwrap_or_else(|| panic!("no {prefix}"));
    rest.lines().next().unwrap_or_default().to_owned()
}
