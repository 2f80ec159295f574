//! Contract notes and tradebooks with charges: what a broker states for the trades of a day.

use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use crate::broker_account_settings::FIRST_DAY;
use crate::error::Error;
use crate::trade::Book;
use crate::validation::{MAX_AMOUNT_EXCLUSIVE, is_plain_text};

/// Maximum number of contract notes of an import, and of days whose charges a tradebook states: sixteen years of trading.
pub const MAX_NOTES_PER_IMPORT: usize = 4_000;
const MAX_NUMBER_CHARS: usize = 40;
/// Decimals of an amount.
const MAX_SCALE: u32 = 4;

/// Segment of a contract note, or day of a tradebook. Amounts are in rupees; a charge is negative for a credit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractNote {
    /// Empty for a day of a tradebook.
    pub number: String,
    pub day: Date,
    /// Sum of the values of its trades, bought and sold.
    pub turnover: Decimal,
    pub brokerage: Decimal,
    pub stt: Decimal,
    /// Exchange transaction and clearing charges.
    pub exchange: Decimal,
    pub sebi: Decimal,
    pub ipft: Decimal,
    pub stamp_duty: Decimal,
    pub gst: Decimal,
    /// True for a day of a tradebook.
    pub from_tradebook: bool,
}

impl ContractNote {
    /// Converts a note of an import.
    ///
    /// # Errors
    /// The invalid field.
    pub fn from_wire(note: &wire::ContractNote) -> Result<Self, Violation> {
        let is_valid_number =
            if note.from_tradebook { note.number.is_empty() } else { is_plain_text(&note.number, MAX_NUMBER_CHARS) };
        if !is_valid_number {
            return Err(Violation::new("number", "INVALID").with("max_chars", MAX_NUMBER_CHARS));
        }
        let day = Date::parse(&note.date, format_description!("[year]-[month]-[day]")).ok();
        let day = day.filter(|day| *day >= FIRST_DAY && day.year() < 2100);
        let amount = |field: &'static str, text: &str| {
            let amount = Decimal::from_str_exact(text).ok().map(|amount| amount.normalize());
            let amount = amount.filter(|amount| amount.scale() <= MAX_SCALE && amount.abs() < MAX_AMOUNT_EXCLUSIVE);
            amount.ok_or_else(|| Violation::new(field, "INVALID"))
        };
        Ok(Self {
            number: note.number.clone(),
            day: day.ok_or_else(|| Violation::new("date", "DAY_INVALID"))?,
            turnover: amount("turnover", &note.turnover)?,
            brokerage: amount("brokerage", &note.brokerage)?,
            stt: amount("stt", &note.stt)?,
            exchange: amount("exchange", &note.exchange)?,
            sebi: amount("sebi", &note.sebi)?,
            ipft: amount("ipft", &note.ipft)?,
            stamp_duty: amount("stamp_duty", &note.stamp_duty)?,
            gst: amount("gst", &note.gst)?,
            from_tradebook: note.from_tradebook,
        })
    }

    /// Converts the note for a response.
    pub fn to_wire(&self, book: wire::Book) -> wire::ContractNote {
        wire::ContractNote {
            book: Some(book),
            number: self.number.clone(),
            date: self.day.to_string(),
            turnover: self.turnover.to_string(),
            brokerage: self.brokerage.to_string(),
            stt: self.stt.to_string(),
            exchange: self.exchange.to_string(),
            sebi: self.sebi.to_string(),
            ipft: self.ipft.to_string(),
            stamp_duty: self.stamp_duty.to_string(),
            gst: self.gst.to_string(),
            from_tradebook: self.from_tradebook,
        }
    }
}

/// Converts the notes at the end of an import.
///
/// # Errors
/// The invalid field.
pub fn parse_notes(notes: &[wire::ContractNote]) -> Result<Vec<ContractNote>, Error> {
    if notes.len() > MAX_NOTES_PER_IMPORT {
        return Err(Violation::new("end.notes", "TOO_MANY").with("max", MAX_NOTES_PER_IMPORT).into());
    }
    let parse = |(index, note): (usize, &wire::ContractNote)| {
        ContractNote::from_wire(note).map_err(|violation| Error::from(violation).within(&format!("end.notes[{index}]")))
    };
    notes.iter().enumerate().map(parse).collect()
}

/// Contract note of a book.
pub struct BookNote {
    pub book: Book,
    pub note: ContractNote,
}
