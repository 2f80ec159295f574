//! Opens a file as .xlsx, .xls, CSV or a table of a web page. The first bytes decide, not the file name.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use calamine::{Data, Range, Reader, SheetType, Xls, Xlsx};

use crate::error::{Rejection, RejectionReason};
use crate::sheet::{CsvRows, HtmlRows, Rows, XlsRows, XlsxRows};
use crate::{html_table, ole_check, pdf, zip_check};

/// Sheets that are read: as many as an archive may have entries, so that no sheet with trades is left out.
const MAX_SHEETS: usize = 512;
/// Bytes at the start of a file that decide its type.
const MAGIC_BYTES: u64 = 4096;
const READ_BUFFER_BYTES: usize = 64 * 1024;

const ZIP_MAGIC: &[u8] = b"PK";
/// OLE compound file: .xls, or .xlsx with a password.
const OLE_MAGIC: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// Open file.
pub(crate) enum Workbook {
    Xlsx(Box<Xlsx<BufReader<File>>>),
    Xls(XlsWorkbook),
    Csv(File),
    /// Rows of the tables of a web page, or of contract notes.
    Html(Vec<Vec<String>>),
}

/// Sheets of an .xls file in memory; calamine cannot stream this format.
pub(crate) struct XlsWorkbook {
    sheets: Vec<(String, Range<Data>)>,
    is_1904: bool,
}

impl Workbook {
    /// Opens the file. Rejects other file types, and archives that fail the checks before reading.
    pub fn open(mut file: File) -> Result<Self, Rejection> {
        let mut start = Vec::new();
        file.rewind().and_then(|()| file.by_ref().take(MAGIC_BYTES).read_to_end(&mut start)).map_err(read_error)?;
        if start.is_empty() {
            return Err(RejectionReason::Empty.into());
        }
        if start.starts_with(ZIP_MAGIC) {
            let mut source = BufReader::with_capacity(READ_BUFFER_BYTES, file);
            zip_check::check(&mut source)?;
            source.rewind().map_err(read_error)?;
            let book = Xlsx::new(source).map_err(|_| RejectionReason::Unreadable)?;
            return Ok(Self::Xlsx(Box::new(book)));
        }
        if start.starts_with(OLE_MAGIC) {
            let mut source = BufReader::with_capacity(READ_BUFFER_BYTES, file);
            ole_check::check(&mut source)?;
            source.rewind().map_err(read_error)?;
            return XlsWorkbook::read(source).map(Self::Xls);
        }
        if start.starts_with(pdf::MAGIC) {
            return Err(RejectionReason::Pdf.into());
        }
        if start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start).trim_ascii_start().starts_with(b"<") {
            return read_page(file).map(Self::Html);
        }
        if start.contains(&0) {
            return Err(RejectionReason::Unreadable.into());
        }
        Ok(Self::Csv(file))
    }

    /// Returns the names of the sheets, including hidden ones. A CSV file has one sheet without a name.
    pub fn sheets(&self) -> Vec<String> {
        match self {
            Self::Csv(_) | Self::Html(_) => vec![String::new()],
            Self::Xls(book) => book.sheets.iter().map(|(name, _)| name.clone()).collect(),
            Self::Xlsx(book) => {
                let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
                sheets.take(MAX_SHEETS).map(|sheet| sheet.name.clone()).collect()
            }
        }
    }

    /// Returns the rows of a sheet, from the top.
    pub fn rows(&mut self, sheet: &str) -> Result<Rows<'_>, Rejection> {
        match self {
            Self::Csv(file) => {
                file.seek(SeekFrom::Start(0)).map_err(read_error)?;
                Ok(Rows::Csv(CsvRows::new(file.try_clone().map_err(read_error)?)))
            }
            Self::Html(rows) => Ok(Rows::Html(HtmlRows::new(rows))),
            Self::Xls(book) => {
                let (_, range) =
                    book.sheets.iter().find(|(name, _)| name == sheet).ok_or(RejectionReason::Unreadable)?;
                Ok(Rows::Xls(XlsRows::new(range, book.is_1904)))
            }
            Self::Xlsx(book) => {
                let is_1904 = book.has_1904_epoch();
                let reader = book.worksheet_cells_reader(sheet).map_err(|_| RejectionReason::Unreadable)?;
                Ok(Rows::Xlsx(Box::new(XlsxRows::new(reader, is_1904))))
            }
        }
    }
}

impl XlsWorkbook {
    fn read(source: BufReader<File>) -> Result<Self, Rejection> {
        let mut book = Xls::new(source).map_err(|_| RejectionReason::Unreadable)?;
        let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        let names: Vec<_> = sheets.take(MAX_SHEETS).map(|sheet| sheet.name.clone()).collect();
        let read = |name: String| {
            let range = book.worksheet_range(&name).map_err(|_| RejectionReason::Unreadable)?;
            Ok((name, range))
        };
        let sheets = names.into_iter().map(read).collect::<Result<_, Rejection>>()?;
        Ok(Self { sheets, is_1904: book.has_1904_epoch() })
    }
}

/// Reads the tables of a web page, which is in memory.
fn read_page(mut file: File) -> Result<Vec<Vec<String>>, Rejection> {
    let mut page = Vec::new();
    file.rewind()
        .and_then(|()| file.take(html_table::MAX_FILE_BYTES + 1).read_to_end(&mut page))
        .map_err(read_error)?;
    if page.len() as u64 > html_table::MAX_FILE_BYTES {
        return Err(RejectionReason::XlsTooLarge.into());
    }
    html_table::read_tables(&page)
}

/// Rejects the file if stdin, our own spool file, cannot be read.
fn read_error(_: io::Error) -> Rejection {
    RejectionReason::Unreadable.into()
}
