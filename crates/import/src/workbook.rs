//! A file that was opened as what its first bytes say, not as what it is called.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use calamine::{Data, Range, Reader, SheetType, Xls, Xlsx};

use crate::error::{Reason, Refusal};
use crate::sheet::{CsvRows, Rows, XlsRows, XlsxRows};
use crate::{compound, precheck};

/// Sheets beyond are not looked at; no broker's report has that many.
const MOST_SHEETS: usize = 64;
/// What decides whether a file is text.
const FIRST_BYTES: u64 = 4096;
const READ_AT_ONCE: usize = 64 * 1024;

const ZIP: &[u8] = b"PK";
/// Old .xls, and .xlsx behind a password.
const COMPOUND_FILE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
const PDF: &[u8] = b"%PDF";

/// An open file.
pub(crate) enum Workbook {
    Xlsx(Box<Xlsx<BufReader<File>>>),
    Xls(OldWorkbook),
    Csv(File),
}

/// The sheets of an .xls file, read at once: there is no other reader.
pub(crate) struct OldWorkbook {
    sheets: Vec<(String, Range<Data>)>,
    counts_from_1904: bool,
}

impl Workbook {
    /// Opens the file, unless its outside says already that it cannot be read.
    pub fn open(mut file: File) -> Result<Self, Refusal> {
        let mut start = Vec::new();
        file.rewind().and_then(|()| file.by_ref().take(FIRST_BYTES).read_to_end(&mut start)).map_err(lost)?;
        if start.is_empty() {
            return Err(empty());
        }
        if start.starts_with(ZIP) {
            let mut source = BufReader::with_capacity(READ_AT_ONCE, file);
            precheck::check(&mut source)?;
            source.rewind().map_err(lost)?;
            let book = Xlsx::new(source).map_err(|_| Refusal::unreadable())?;
            return Ok(Self::Xlsx(Box::new(book)));
        }
        if start.starts_with(COMPOUND_FILE) {
            let mut source = BufReader::with_capacity(READ_AT_ONCE, file);
            compound::check(&mut source)?;
            source.rewind().map_err(lost)?;
            return OldWorkbook::read(source).map(Self::Xls);
        }
        if start.starts_with(PDF) {
            return Err(Refusal::new(
                Reason::Unreadable,
                "This is a PDF. Download the report as an Excel or CSV file and upload that.",
            ));
        }
        if start.trim_ascii_start().starts_with(b"<") {
            return Err(Refusal::new(
                Reason::Unreadable,
                "This is a web page, whatever it is called. Open it in a spreadsheet program, save it as .xlsx and \
                 upload that.",
            ));
        }
        if start.contains(&0) {
            return Err(Refusal::unreadable());
        }
        Ok(Self::Csv(file))
    }

    /// The names of the sheets, hidden ones included. A CSV file has one without a name.
    pub fn sheets(&self) -> Vec<String> {
        match self {
            Self::Csv(_) => vec![String::new()],
            Self::Xls(book) => book.sheets.iter().map(|(name, _)| name.clone()).collect(),
            Self::Xlsx(book) => {
                let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
                sheets.take(MOST_SHEETS).map(|sheet| sheet.name.clone()).collect()
            }
        }
    }

    /// The rows of a sheet, from the top.
    pub fn rows(&mut self, sheet: &str) -> Result<Rows<'_>, Refusal> {
        match self {
            Self::Csv(file) => {
                file.seek(SeekFrom::Start(0)).map_err(lost)?;
                Ok(Rows::Csv(CsvRows::new(file.try_clone().map_err(lost)?)))
            }
            Self::Xls(book) => {
                let (_, range) = book.sheets.iter().find(|(name, _)| name == sheet).ok_or_else(Refusal::unreadable)?;
                Ok(Rows::Xls(XlsRows::new(range, book.counts_from_1904)))
            }
            Self::Xlsx(book) => {
                let counts_from_1904 = book.has_1904_epoch();
                let reader = book.worksheet_cells_reader(sheet).map_err(|_| Refusal::unreadable())?;
                Ok(Rows::Xlsx(Box::new(XlsxRows::new(reader, counts_from_1904))))
            }
        }
    }
}

impl OldWorkbook {
    fn read(source: BufReader<File>) -> Result<Self, Refusal> {
        let mut book = Xls::new(source).map_err(|_| Refusal::unreadable())?;
        let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        let names: Vec<_> = sheets.take(MOST_SHEETS).map(|sheet| sheet.name.clone()).collect();
        let read = |name: String| {
            let range = book.worksheet_range(&name).map_err(|_| Refusal::unreadable())?;
            Ok((name, range))
        };
        let sheets = names.into_iter().map(read).collect::<Result<_, Refusal>>()?;
        Ok(Self { sheets, counts_from_1904: book.has_1904_epoch() })
    }
}

/// A file without anything in it.
pub(crate) fn empty() -> Refusal {
    Refusal::new(Reason::Empty, "The file is empty. Download the report again and upload it as it comes.")
}

/// The file on stdin is a plain one of ours; when it cannot be read, the trader's file cannot.
fn lost(_: io::Error) -> Refusal {
    Refusal::unreadable()
}
