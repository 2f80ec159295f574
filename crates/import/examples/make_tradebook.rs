//! Writes a broker's file with invented trades: `make_tradebook zerodha|groww ROWS FILE [FROM]`, or
//! `make_tradebook groww-fno FILE.xlsx`.
//!
//! FILE ends in .xlsx, in .csv (Zerodha alone), or in .json: the list of the trades that are in it, for whoever checks
//! what came out. The layout is that of the broker's own file. The same ROWS give the same trades in every form, and
//! more ROWS hold all the trades of fewer. With FROM the first so many are left out. Of Groww's futures and options there
//! is one workbook: five pairs, and a sixth
//! that is none.

#[path = "../src/tests/fixtures/mod.rs"]
#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used, reason = "it is made for tests, as the files are")]
mod fixtures;

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use rust_xlsxwriter::Workbook;

const USAGE: &str = "usage: make_tradebook zerodha ROWS FILE.xlsx|.csv|.json [FROM], groww ROWS FILE.xlsx|.json [FROM], \
                     or groww-fno FILE.xlsx";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broker {
    Zerodha,
    Groww,
}

const SHARES: [(&str, &str, u32); 8] = [
    ("RELIANCE", "INE002A01018", 285_000),
    ("TCS", "INE467B01029", 352_000),
    ("INFY", "INE009A01021", 158_000),
    ("HDFCBANK", "INE040A01034", 172_000),
    ("M&M", "INE101A01026", 314_000),
    ("ITC", "INE154A01025", 43_000),
    ("BAJAJ-AUTO", "INE917I01010", 876_000),
    ("SBIN", "INE062A01020", 79_000),
];

/// Trades of one day while there are days without any; then all days get as many again.
const ROUND: u32 = 12;
/// The months have 28 days here, and a day has as many moments for a trade.
const DAYS: u32 = 24 * 28;
const MOMENTS: u32 = 400;

struct Fill {
    symbol: &'static str,
    isin: &'static str,
    date: String,
    /// `09:15:00`, India time.
    time: String,
    exchange: &'static str,
    side: &'static str,
    quantity: u32,
    /// In paise, for one.
    price: u32,
    number: u32,
}

impl Fill {
    /// The fill number `index`, somewhere in the market hours of 2024 and 2025.
    fn nth(index: u32) -> Self {
        let day = index / ROUND % DAYS;
        let moment = (index / (ROUND * DAYS) * ROUND + index % ROUND) * 147 % MOMENTS * 54 + 15 * 60;
        let month = day / 28;
        let (symbol, isin, paise) =
            SHARES.get((index as usize * 7) % SHARES.len()).copied().unwrap_or(("ITC", "", 43_000));
        Self {
            symbol,
            isin,
            date: format!("{}-{:02}-{:02}", 2024 + month / 12, month % 12 + 1, day % 28 + 1),
            time: format!("{:02}:{:02}:{:02}", 9 + moment / 3600, moment / 60 % 60, moment % 60),
            exchange: if index.is_multiple_of(11) { "BSE" } else { "NSE" },
            side: if index % 5 < 3 { "buy" } else { "sell" },
            quantity: index % 97 + 1,
            price: paise + index * 37 % 5_000,
            number: index,
        }
    }

    /// In paise, for all of them. Groww tells this alone, and it need not be a multiple of the quantity.
    fn value(&self, broker: Broker) -> u32 {
        let odd = if broker == Broker::Groww { self.number % 3 } else { 0 };
        self.price * self.quantity + odd
    }

    fn trade_id(&self) -> String {
        format!("{}", 20_000_000 + self.number)
    }

    fn order_id(&self) -> String {
        let order = self.number / 2;
        if self.exchange == "BSE" { format!("17{order:017}") } else { format!("13{order:014}") }
    }
}

/// All of a file, oldest first.
fn fills(from: u32, rows: u32) -> Vec<Fill> {
    let mut fills: Vec<_> = (from..rows).map(Fill::nth).collect();
    fills.sort_by(|a, b| (&a.date, &a.time).cmp(&(&b.date, &b.time)));
    fills
}

fn rupees(paise: u32) -> f64 {
    f64::from(paise) / 100.0
}

fn write_zerodha(fills: &[Fill], file: &Path) -> Result<(), Box<dyn Error>> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.set_name("Equity")?;
    sheet.write(6, 1, "Client ID")?.write(6, 2, "AB1234")?;
    sheet.write(10, 1, "Tradebook for Equity from 2024-01-01 to 2025-12-31")?;
    for (column, name) in (1..).zip(fixtures::TRADEBOOK) {
        sheet.write(14, column, name)?;
    }
    for (row, fill) in (15..).zip(fills) {
        sheet.write(row, 1, fill.symbol)?.write(row, 2, fill.isin)?.write(row, 3, &fill.date)?;
        sheet.write(row, 4, fill.exchange)?.write(row, 5, "EQ")?.write(row, 6, "EQ")?.write(row, 7, fill.side)?;
        sheet.write(row, 8, false)?.write(row, 9, fill.quantity)?.write(row, 10, rupees(fill.price))?;
        sheet.write(row, 11, fill.trade_id())?.write(row, 12, fill.order_id())?;
        sheet.write(row, 13, format!("{}T{}", fill.date, fill.time))?;
    }
    book.save(file)?;
    Ok(())
}

fn write_zerodha_csv(fills: &[Fill], file: &Path) -> Result<(), Box<dyn Error>> {
    let names = fixtures::TRADEBOOK.map(|name| name.to_lowercase().replace(' ', "_"));
    let mut text = names.join(",");
    text.push('\n');
    for f in fills {
        write!(text, "{},{},{},{},EQ,EQ,{},false,", f.symbol, f.isin, f.date, f.exchange, f.side)?;
        write!(text, "{:.6},{:.6},{},{},", f64::from(f.quantity), rupees(f.price), f.trade_id(), f.order_id())?;
        writeln!(text, "{}T{}", f.date, f.time)?;
    }
    std::fs::write(file, text)?;
    Ok(())
}

fn write_groww(fills: &[Fill], file: &Path) -> Result<(), Box<dyn Error>> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.set_name("Sheet1")?;
    sheet.write(0, 0, "Name")?.write(0, 1, "Asha Rao")?;
    sheet.write(1, 0, "Unique Client Code")?.write(1, 1, "1234567890")?;
    sheet.write(3, 0, "Order history for stocks from 01-01-2024 to 31-12-2025")?;
    for (column, name) in (0..).zip(fixtures::ORDERS) {
        sheet.write(5, column, name)?;
    }
    for (row, fill) in (6..).zip(fills) {
        let (hour, minute) = (fill.time[..2].parse::<u32>()?, &fill.time[3..5]);
        let (twelve, half) = (if hour > 12 { hour - 12 } else { hour }, if hour < 12 { "AM" } else { "PM" });
        let (year, month, day) = (&fill.date[..4], &fill.date[5..7], &fill.date[8..]);
        sheet
            .write(row, 0, format!("{} LIMITED", fill.symbol))?
            .write(row, 1, fill.symbol)?
            .write(row, 2, fill.isin)?;
        sheet.write(row, 3, fill.side.to_uppercase())?.write(row, 4, fill.quantity)?;
        sheet.write(row, 5, rupees(fill.value(Broker::Groww)))?.write(row, 6, fill.exchange)?;
        sheet.write(row, 7, format!("1100{:012}", fill.number))?;
        sheet.write(row, 8, format!("{day}-{month}-{year} {twelve:02}:{minute} {half}"))?.write(row, 9, "Executed")?;
    }
    book.save(file)?;
    Ok(())
}

fn write_groww_fno(file: &Path) -> Result<(), Box<dyn Error>> {
    let mut trades = fixtures::groww_fno::trades();
    let mut broken = trades.table.get(11).cloned().unwrap_or_default();
    if let Some(quantity) = broken.get_mut(1) {
        *quantity = fixtures::text("a few");
    }
    trades.table.insert(12, broken);
    std::fs::write(file, fixtures::xlsx(&[trades, fixtures::groww_fno::contracts()]))?;
    Ok(())
}

/// What a reader of the file has to find. The value is in paise; Groww's file has no seconds.
fn write_list(broker: Broker, fills: &[Fill], file: &Path) -> Result<(), Box<dyn Error>> {
    let lines: Vec<String> = fills
        .iter()
        .map(|fill| {
            let time = if broker == Broker::Groww { format!("{}:00", &fill.time[..5]) } else { fill.time.clone() };
            format!(
                r#"{{"symbol":"{}","type":"{}","quantity":{},"paise":{},"exchange":"{}","timestamp":"{}T{time}+05:30"}}"#,
                fill.symbol,
                fill.side,
                fill.quantity,
                fill.value(broker),
                fill.exchange,
                fill.date
            )
        })
        .collect();
    std::fs::write(file, format!("[\n{}\n]\n", lines.join(",\n")))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(broker), Some(rows)) = (arguments.next(), arguments.next()) else { return Err(USAGE.into()) };
    let Some(file) = arguments.next() else {
        return if broker == "groww-fno" { write_groww_fno(Path::new(&rows)) } else { Err(USAGE.into()) };
    };
    let broker = match broker.as_str() {
        "zerodha" => Broker::Zerodha,
        "groww" => Broker::Groww,
        _ => return Err(USAGE.into()),
    };
    let from = arguments.next().map_or(Ok(0), |from| from.parse())?;
    let (fills, file) = (fills(from, rows.parse()?), Path::new(&file));
    match (broker, file.extension().and_then(|ending| ending.to_str())) {
        (_, Some("json")) => write_list(broker, &fills, file),
        (Broker::Zerodha, Some("csv")) => write_zerodha_csv(&fills, file),
        (Broker::Zerodha, Some("xlsx")) => write_zerodha(&fills, file),
        (Broker::Groww, Some("xlsx")) => write_groww(&fills, file),
        _ => Err(USAGE.into()),
    }
}
