//! Files in the shapes that brokers and spreadsheet programs give them. All names and numbers are invented.

use std::io::{Cursor, Read, Write};

use rust_xlsxwriter::{Format, Workbook};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// A cell to write.
#[derive(Clone, Debug)]
pub enum Put {
    Text(String),
    Number(f64),
    /// A number shown as a date.
    Date(f64),
    Truth(bool),
    Nothing,
}

pub fn text(text: &str) -> Put {
    Put::Text(text.to_owned())
}

/// A sheet to write: a table somewhere, and cells anywhere. Rows and columns count from 0.
#[derive(Clone)]
pub struct Sheet {
    pub name: &'static str,
    pub loose: Vec<(u32, u16, Put)>,
    pub at: (u32, u16),
    pub table: Vec<Vec<Put>>,
    pub hidden_rows: Vec<u32>,
}

impl Sheet {
    /// The same without a cell.
    pub fn blank(mut self) -> Self {
        self.loose.clear();
        self.table.clear();
        self
    }
}

/// The sheets as an .xlsx file.
pub fn xlsx(sheets: &[Sheet]) -> Vec<u8> {
    let mut book = Workbook::new();
    let date = Format::new().set_num_format("dd-mm-yyyy hh:mm:ss");
    for sheet in sheets {
        let out = book.add_worksheet();
        out.set_name(sheet.name).unwrap();
        let (top, left) = sheet.at;
        let table =
            (top..).zip(&sheet.table).flat_map(|(row, cells)| (left..).zip(cells).map(move |(c, v)| (row, c, v)));
        for (row, column, put) in sheet.loose.iter().map(|(row, column, put)| (*row, *column, put)).chain(table) {
            match put {
                Put::Text(text) => drop(out.write_string(row, column, text).unwrap()),
                Put::Number(number) => drop(out.write_number(row, column, *number).unwrap()),
                Put::Date(serial) => drop(out.write_number_with_format(row, column, *serial, &date).unwrap()),
                Put::Truth(truth) => drop(out.write_boolean(row, column, *truth).unwrap()),
                Put::Nothing => (),
            }
        }
        for row in &sheet.hidden_rows {
            out.set_row_hidden(*row).unwrap();
        }
    }
    book.save_to_buffer().unwrap()
}

/// The archive with one part changed by `change`; an empty result leaves the part out.
pub fn patched(file: &[u8], part: &str, change: impl Fn(String) -> String) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(file)).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if name == part {
            content = change(String::from_utf8(content).unwrap()).into_bytes();
            if content.is_empty() {
                continue;
            }
        }
        out.start_file(name, SimpleFileOptions::default()).unwrap();
        out.write_all(&content).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// The archive with a part more.
pub fn with_part(file: &[u8], part: &str, content: &[u8]) -> Vec<u8> {
    let mut out = ZipWriter::new_append(Cursor::new(file.to_vec())).unwrap();
    out.start_file(part, SimpleFileOptions::default()).unwrap();
    out.write_all(content).unwrap();
    out.finish().unwrap().into_inner()
}

pub const TRADEBOOK: [&str; 13] = [
    "Symbol",
    "ISIN",
    "Trade Date",
    "Exchange",
    "Segment",
    "Series",
    "Trade Type",
    "Auction",
    "Quantity",
    "Price",
    "Trade ID",
    "Order ID",
    "Order Execution Time",
];

/// Five fills, of which the second and third differ in the trade id alone. Bought 160 for 81,293.58, sold 30 for
/// 38,760.00.
pub const EQUITY: [[&str; 13]; 5] = [
    [
        "HSCL-BE",
        "INE019C01026",
        "2025-06-05",
        "NSE",
        "EQ",
        "BE",
        "buy",
        "false",
        "100",
        "480.50",
        "204512345",
        "1100000012345678",
        "2025-06-05T09:15:23",
    ],
    [
        "M&M",
        "INE101A01026",
        "2025-06-05",
        "NSE",
        "EQ",
        "EQ",
        "buy",
        "false",
        "10",
        "1123.45",
        "204512346",
        "1100000012345679",
        "2025-06-05T10:00:01",
    ],
    [
        "M&M",
        "INE101A01026",
        "2025-06-05",
        "NSE",
        "EQ",
        "EQ",
        "buy",
        "false",
        "10",
        "1123.45",
        "204512347",
        "1100000012345679",
        "2025-06-05T10:00:01",
    ],
    [
        "ITC",
        "INE154A01025",
        "2025-06-06",
        "BSE",
        "EQ",
        "A",
        "buy",
        "false",
        "40",
        "269.3645",
        "88001",
        "1749000000012345678",
        "2025-06-06T14:59:59",
    ],
    [
        "BAJAJ-AUTO",
        "",
        "2025-06-09",
        "NSE",
        "EQ",
        "EQ",
        "sell",
        "false",
        "30",
        "1292",
        "204512349",
        "1100000012345690",
        "2025-06-09T15:29:00",
    ],
];

/// One weekly option bought and sold, one monthly, one future; blanks as in the broker's file, expiry at the end.
pub const FNO: [[&str; 14]; 3] = [
    [
        "NIFTY2560524750PE",
        "",
        "2025-06-03",
        "NSE",
        "FO",
        "",
        "buy",
        "false",
        "75",
        "101.05",
        "501",
        "1200000011111111",
        "2025-06-03T09:20:00",
        "2025-06-05",
    ],
    [
        "NIFTY2560524750PE",
        "",
        "2025-06-03",
        "NSE",
        "FO",
        "",
        "sell",
        "false",
        "75",
        "120.4",
        "502",
        "1200000011111112",
        "2025-06-03T09:50:00",
        "2025-06-05",
    ],
    [
        "BANKNIFTY24FEBFUT",
        "",
        "2025-06-04",
        "NSE",
        "FO",
        "",
        "sell",
        "false",
        "15",
        "46321.3",
        "503",
        "1200000011111113",
        "2025-06-04T11:00:00",
        "2024-02-29",
    ],
];

/// A cell as Zerodha's .xlsx has it: numbers, a boolean, and text.
fn zerodha_cell(column: usize, value: &str) -> Put {
    match column {
        7 => Put::Truth(value == "true"),
        8 | 9 => Put::Number(value.parse().unwrap()),
        _ => text(value),
    }
}

/// Zerodha's own .xlsx: header in row 15, column B.
pub fn tradebook() -> Sheet {
    let rows = EQUITY.iter().map(|row| row.iter().enumerate().map(|(c, v)| zerodha_cell(c, v)).collect());
    let header = TRADEBOOK.iter().map(|name| text(name)).collect();
    Sheet {
        name: "Equity",
        loose: vec![
            (6, 1, text("Client ID")),
            (6, 2, text("AB1234")),
            (10, 1, text("Tradebook for Equity from 2025-06-01 to 2025-06-30")),
        ],
        at: (14, 1),
        table: std::iter::once(header).chain(rows).collect(),
        hidden_rows: Vec::new(),
    }
}

/// Zerodha's own .xlsx for futures and options: the column of expiry dates has no name.
pub fn fno_tradebook() -> Sheet {
    let rows = FNO.iter().map(|row| row.iter().enumerate().map(|(c, v)| zerodha_cell(c, v)).collect());
    let header = TRADEBOOK.iter().map(|name| text(name)).collect();
    Sheet {
        name: "F&O",
        loose: vec![(10, 1, text("Tradebook for F&O from 2025-06-01 to 2025-06-30"))],
        at: (14, 1),
        table: std::iter::once(header).chain(rows).collect(),
        hidden_rows: Vec::new(),
    }
}

/// Zerodha's own .csv, without the last end of line.
pub fn tradebook_csv() -> String {
    let header = TRADEBOOK.map(|name| name.to_lowercase().replace(' ', "_")).join(",");
    let rows = EQUITY.iter().map(|row| row.join(","));
    std::iter::once(header).chain(rows).collect::<Vec<_>>().join("\n")
}

pub const ORDERS: [&str; 10] = [
    "Stock name",
    "Symbol",
    "ISIN",
    "Type",
    "Quantity",
    "Value",
    "Exchange",
    "Exchange Order Id",
    "Execution date and time",
    "Order status",
];

/// Two buys of 103 for 27,000.60, one sale of 3 for 1,000, a rejected order, and an entitlement that lapsed.
pub const ORDER_ROWS: [[&str; 10]; 5] = [
    [
        "ITC LTD",
        "ITC",
        "INE154A01025",
        "BUY",
        "100",
        "26936.5",
        "NSE",
        "1200000000000001",
        "05-06-2025 09:15 AM",
        "Executed",
    ],
    [
        "SUZLON ENERGY",
        "SUZLON",
        "INE040H01021",
        "BUY",
        "3",
        "64.1",
        "BSE",
        "1200000000000002",
        "05-06-2025 12:05 PM",
        "Executed",
    ],
    [
        "TCS LTD",
        "TCS",
        "INE467B01029",
        "SELL",
        "3",
        "1000",
        "NSE",
        "1200000000000003",
        "06-06-2025 12:10 AM",
        "Executed",
    ],
    [
        "TCS LTD",
        "TCS",
        "INE467B01029",
        "SELL",
        "3",
        "1000",
        "NSE",
        "1200000000000004",
        "06-06-2025 01:10 PM",
        "Rejected",
    ],
    ["SUZLON RE", "SUZLON-RE1", "INE040H20013", "SELL", "5", "0", "NSE", "123456", "06-06-2025 03:10 PM", "Executed"],
];

/// Groww's own .xlsx, with the client code as it comes: text or a number.
pub fn orders(client_code: Put) -> Sheet {
    let cell = |(column, value): (usize, &&str)| match column {
        4 | 5 => Put::Number(value.parse().unwrap()),
        _ => text(value),
    };
    let rows = ORDER_ROWS.iter().map(|row| row.iter().enumerate().map(cell).collect());
    Sheet {
        name: "Sheet1",
        loose: vec![
            (0, 0, text("Name")),
            (0, 1, text("A Trader")),
            (1, 0, text("Unique Client Code")),
            (1, 1, client_code),
            (3, 0, text("Order history for stocks from 01-06-2025 to 30-06-2025")),
        ],
        at: (5, 0),
        table: std::iter::once(ORDERS.iter().map(|name| text(name)).collect()).chain(rows).collect(),
        hidden_rows: Vec::new(),
    }
}

/// A sheet that holds nothing but a title and a header.
pub fn report(name: &'static str, title: &str, header: &[&str]) -> Sheet {
    Sheet {
        name,
        loose: vec![(1, 1, text(title))],
        at: (20, 1),
        table: vec![header.iter().map(|name| text(name)).collect(), vec![text("x"), Put::Number(1.0)]],
        hidden_rows: Vec::new(),
    }
}
