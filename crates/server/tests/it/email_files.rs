//! Emails that a server writes into a folder.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

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

/// Waits for a text message to the phone number of ten digits, and returns the code of the newest one.
#[track_caller]
pub fn wait_for_phone_code(folder: &Path, phone: &str) -> String {
    let started = Instant::now();
    let recipient = format!("To: +91{phone}\n\n");
    loop {
        let files = fs::read_dir(folder).into_iter().flatten().filter_map(|file| Some(file.ok()?.path()));
        let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|name| name == "sms")).collect();
        files.sort();
        let texts = files.iter().rev().filter_map(|path| fs::read_to_string(path).ok());
        if let Some(code) = texts.filter_map(|text| Some(text.strip_prefix(&recipient)?.get(..6)?.to_owned())).next() {
            return code;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "no text message");
        std::thread::sleep(Duration::from_millis(20));
    }
}
