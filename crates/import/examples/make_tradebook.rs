//! Writes a broker's file with invented trades: `make_tradebook zerodha|groww ROWS FILE [FROM]`, or
//! `make_tradebook groww-fno FILE.xlsx`.
//!
//! FILE ends in .xlsx, .csv (Zerodha only) or .json. A .json file lists the trades, to check the result of an import. The
//! layout is the broker's own. The same ROWS give the same trades in every file type, and a larger ROWS contains all
//! trades of a smaller one. FROM skips that many trades at the start. Groww's futures and options have one fixed workbook
//! with five pairs and one invalid row.

#[path = "../src/tests/fixtures/mod.rs"]
#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used, reason = "shared with the unit tests")]
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

/// Trades per day in each pass over all days.
const TRADES_PER_PASS: u32 = 12;
/// Days in 24 months of 28 days each.
const DAYS: u32 = 24 * 28;
/// Times of trades per day.
const TIMES_PER_DAY: u32 = 400;

struct Fill {
    symbol: &'static str,
    isin: &'static str,
    date: String,
    /// Time in India, such as `09:15:00`.
    time: String,
    exchange: &'static str,
    side: &'static str,
    quantity: u32,
    /// Price of one unit in paise.
    price: u32,
    number: u32,
}

impl Fill {
    /// Returns the fill with this index, in the market hours of 2024 and 2025.
    fn nth(index: u32) -> Self {
        let day = index / TRADES_PER_PASS % DAYS;
        let slot = index / (TRADES_PER_PASS * DAYS) * TRADES_PER_PASS + index % TRADES_PER_PASS;
        let seconds = slot * 147 % TIMES_PER_DAY * 54 + 15 * 60;
        let month = day / 28;
        let (symbol, isin, paise) =
            SHARES.get((index as usize * 7) % SHARES.len()).copied().unwrap_or(("ITC", "", 43_000));
        Self {
            symbol,
            isin,
            date: format!("{}-{:02}-{:02}", 2024 + month / 12, month % 12 + 1, day % 28 + 1),
            time: format!("{:02}:{:02}:{:02}", 9 + seconds / 3600, seconds / 60 % 60, seconds % 60),
            exchange: if index.is_multiple_of(11) { "BSE" } else { "NSE" },
            side: if index % 5 < 3 { "buy" } else { "sell" },
            quantity: index % 97 + 1,
            price: paise + index * 37 % 5_000,
            number: index,
        }
    }

    /// Returns the value in paise. Groww's file has no price, and its value need not be a multiple of the quantity.
    fn value(&self, broker: Broker) -> u32 {
        let remainder = if broker == Broker::Groww { self.number % 3 } else { 0 };
        self.price * self.quantity + remainder
    }

    fn trade_id(&self) -> String {
        format!("{}", 20_000_000 + self.number)
    }

    fn order_id(&self) -> String {
        let order = self.number / 2;
        if self.exchange == "BSE" { format!("17{order:017}") } else { format!("13{order:014}") }
    }
}

/// Returns the fills of a file, oldest first.
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
    for (column, name) in (1..).zip(fixtures::TRADEBOOK_COLUMNS) {
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
    let names = fixtures::TRADEBOOK_COLUMNS.map(|name| name.to_lowercase().replace(' ', "_"));
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
    for (column, name) in (0..).zip(fixtures::ORDER_COLUMNS) {
        sheet.write(5, column, name)?;
    }
    for (row, fill) in (6..).zip(fills) {
        let (hour, minute) = (fill.time[..2].parse::<u32>()?, &fill.time[3..5]);
        let (hour_12, am_pm) = (if hour > 12 { hour - 12 } else { hour }, if hour < 12 { "AM" } else { "PM" });
        let (year, month, day) = (&fill.date[..4], &fill.date[5..7], &fill.date[8..]);
        sheet
            .write(row, 0, format!("{} LIMITED", fill.symbol))?
            .write(row, 1, fill.symbol)?
            .write(row, 2, fill.isin)?;
        sheet.write(row, 3, fill.side.to_uppercase())?.write(row, 4, fill.quantity)?;
        sheet.write(row, 5, rupees(fill.value(Broker::Groww)))?.write(row, 6, fill.exchange)?;
        sheet.write(row, 7, format!("1100{:012}", fill.number))?;
        sheet
            .write(row, 8, format!("{day}-{month}-{year} {hour_12:02}:{minute} {am_pm}"))?
            .write(row, 9, "Executed")?;
    }
    book.save(file)?;
    Ok(())
}

fn write_groww_fno(file: &Path) -> Result<(), Box<dyn Error>> {
    let mut trades = fixtures::groww_fno::trades();
    let mut invalid_row = trades.table.get(11).cloned().unwrap_or_default();
    if let Some(quantity) = invalid_row.get_mut(1) {
        *quantity = fixtures::text("a few");
    }
    trades.table.insert(12, invalid_row);
    std::fs::write(file, fixtures::xlsx(&[trades, fixtures::groww_fno::contracts()]))?;
    Ok(())
}

/// Writes the expected trades as JSON. The value is in paise. Groww's file has no seconds.
fn write_expected_trades(broker: Broker, fills: &[Fill], file: &Path) -> Result<(), Box<dyn Error>> {
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
    match (broker, file.extension().and_then(|extension| extension.to_str())) {
        (_, Some("json")) => write_expected_trades(broker, &fills, file),
        (Broker::Zerodha, Some("csv")) => write_zerodha_csv(&fills, file),
        (Broker::Zerodha, Some("xlsx")) => write_zerodha(&fills, file),
        (Broker::Groww, Some("xlsx")) => write_groww(&fills, file),
        _ => Err(USAGE.into()),
    }
}
