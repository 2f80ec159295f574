//! Writes signed and encrypted contract notes of a year with invented trades: `make_contract_notes COUNT FOLDER`.
//!
//! FOLDER gets one PDF document for each day, which the PAN ABCDE1234F opens, and `notes.mbox`, a mailbox in which each note
//! is attached to an email. A note has 10 to 40 trades.

#[path = "../src/tests/pdf_fixtures/mod.rs"]
#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used, reason = "shared with the unit tests")]
mod pdf_fixtures;
#[path = "../src/tests/signature_fixtures.rs"]
#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used, reason = "shared with the unit tests")]
mod signature_fixtures;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pdf_fixtures::contract_notes::{Layout, document, note};
use pdf_fixtures::documents::{Encryption, save_encrypted};
use signature_fixtures::{Algorithm, Form, Signer};
use time::macros::{date, format_description};
use time::{Duration, Weekday};

const PAN: &str = "ABCDE1234F";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, folder] = &arguments[..] else { return Err("usage: make_contract_notes COUNT FOLDER".into()) };
    let (count, folder) = (count.parse::<u32>()?, Path::new(folder));
    fs::create_dir_all(folder)?;
    let signer = Signer::new(Algorithm::RsaSha256);
    let mut mailbox = String::new();
    let mut day = date!(2025 - 07 - 01);
    for number in 0..count {
        while [Weekday::Saturday, Weekday::Sunday].contains(&day.weekday()) {
            day += Duration::DAY;
        }
        let text = day.format(format_description!("[day]-[month]-[year]"))?;
        let trades = 10 + usize::try_from(number)? * 7 % 31;
        let notes = [note(Layout::Zerodha, number, &text, trades)];
        let file = save_encrypted(document(&notes), Encryption::Aes256Revision6, PAN);
        let file = signer.sign_file(&file, Form::default());
        let name = format!("{text}-contract-notes_AB1234.pdf");
        fs::write(folder.join(&name), &file)?;
        write!(
            mailbox,
            "From sender Mon Jan  1 00:00:00 2026\nFrom: no-reply@broker.example\nMIME-Version: 1.0\n\
             Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"{name}\"\n\
             Content-Transfer-Encoding: base64\n\n{}\n\n",
            STANDARD.encode(&file)
        )?;
        day += Duration::DAY;
    }
    fs::write(folder.join("notes.mbox"), mailbox)?;
    Ok(())
}
