//! Broker files in the layout of the brokers, with made-up trades.

use rust_xlsxwriter::Workbook;
use sha2::{Digest as _, Sha256};

use crate::fixtures::{ORDER_COLUMNS, TRADEBOOK_COLUMNS};

/// Fill in Zerodha's tradebook.
#[derive(Clone, Debug)]
pub struct Fill {
    pub symbol: &'static str,
    pub sell: bool,
    pub quantity: u32,
    /// Price in paise.
    pub price: u64,
    /// `2025-06-20T09:15:01`, India time.
    pub at: String,
    pub trade_id: u64,
}

impl Fill {
    /// Returns the `n`th fill of a made-up year. Fills are a minute apart.
    pub fn nth(n: u64) -> Self {
        let symbols = ["INFY", "M&M", "TATASTEEL", "BAJAJ-AUTO", "RELIANCE"];
        let (day, minute) = (n / 370, n % 370);
        Self {
            symbol: symbols[usize::try_from(n % 5).unwrap()],
            sell: n % 2 == 1,
            quantity: u32::try_from(n % 90 + 1).unwrap(),
            price: 10_000 + n * 5 % 90_000,
            at: format!(
                "{}-{:02}-{:02}T{:02}:{:02}:{:02}",
                2000 + day / 336,
                day / 28 % 12 + 1,
                day % 28 + 1,
                9 + (15 + minute) / 60,
                (15 + minute) % 60,
                n % 60
            ),
            trade_id: 1_000_000 + n,
        }
    }

    fn rupees(&self) -> String {
        format!("{}.{:02}", self.price / 100, self.price % 100)
    }
}

/// Returns Zerodha's equity tradebook as XLSX: header in row 15, column B.
pub fn zerodha_xlsx(fills: &[Fill]) -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Equity").unwrap();
    sheet.write(6, 1, "Client ID").unwrap().write(6, 2, "AB1234").unwrap();
    sheet.write(10, 1, "Tradebook for Equity from 2025-04-01 to 2026-03-31").unwrap();
    for (column, name) in (1..).zip(TRADEBOOK_COLUMNS) {
        sheet.write(14, column, name).unwrap();
    }
    for (row, fill) in (15..).zip(fills) {
        let texts = [
            (1, fill.symbol),
            (2, "INE000A01010"),
            (3, &fill.at[..10]),
            (4, "NSE"),
            (5, "EQ"),
            (6, "EQ"),
            (7, if fill.sell { "sell" } else { "buy" }),
            (13, &fill.at),
        ];
        for (column, text) in texts {
            sheet.write(row, column, text).unwrap();
        }
        sheet.write(row, 8, false).unwrap().write(row, 9, fill.quantity).unwrap();
        sheet.write(row, 10, fill.rupees().parse::<f64>().unwrap()).unwrap();
        sheet.write(row, 11, fill.trade_id.to_string()).unwrap().write(row, 12, "1100000012345678").unwrap();
    }
    workbook.save_to_buffer().unwrap()
}

/// Returns Zerodha's equity tradebook as CSV.
pub fn zerodha_csv(fills: &[Fill]) -> Vec<u8> {
    let mut csv = "symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,\
                   order_execution_time\n"
        .to_owned();
    for fill in fills {
        let side = if fill.sell { "sell" } else { "buy" };
        csv += &format!(
            "{},INE000A01010,{},NSE,EQ,EQ,{side},false,{}.000000,{}0000,{},1100000012345678,{}\n",
            fill.symbol,
            &fill.at[..10],
            fill.quantity,
            fill.rupees(),
            fill.trade_id,
            fill.at
        );
    }
    csv.into_bytes()
}

/// Returns Groww's order history of stocks: header in row 6, totals instead of prices, `dd-mm-yyyy hh:mm AM`.
pub fn groww_xlsx(fills: &[Fill]) -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Sheet1").unwrap();
    sheet.write(0, 0, "Name").unwrap().write(0, 1, "Asha Rao").unwrap();
    sheet.write(1, 0, "Unique Client Code").unwrap().write(1, 1, "1234567890").unwrap();
    sheet.write(3, 0, "Order history for stocks from 01-04-2025 to 31-03-2026").unwrap();
    for (column, name) in (0..).zip(ORDER_COLUMNS) {
        sheet.write(5, column, name).unwrap();
    }
    for (row, fill) in (6..).zip(fills) {
        let (hour, minute) = (fill.at[11..13].parse::<u32>().unwrap(), &fill.at[14..16]);
        let at = format!(
            "{}-{}-{} {:02}:{minute} {}",
            &fill.at[8..10],
            &fill.at[5..7],
            &fill.at[..4],
            if hour > 12 { hour - 12 } else { hour },
            if hour >= 12 { "PM" } else { "AM" }
        );
        let order_id = format!("1100{:012}", fill.trade_id);
        let texts = [
            (0, "A company"),
            (1, fill.symbol),
            (2, "INE000A01010"),
            (3, if fill.sell { "SELL" } else { "BUY" }),
            (6, "NSE"),
            (7, &order_id),
            (8, &at),
            (9, "Executed"),
        ];
        for (column, text) in texts {
            sheet.write(row, column, text).unwrap();
        }
        #[expect(clippy::cast_precision_loss, reason = "a few crores of paise")]
        let value = (fill.price * u64::from(fill.quantity)) as f64 / 100.0;
        sheet.write(row, 4, fill.quantity).unwrap().write(row, 5, value).unwrap();
    }
    workbook.save_to_buffer().unwrap()
}

/// Returns Zerodha's P&L statement for equity as CSV, as a spreadsheet program saves it. Rows such as
/// `INFY,INE000A01010,10,15000.5,15100,99.5`, charges such as `Brokerage - Z,0`.
pub fn zerodha_profit_csv(charges: &[&str], rows: &[&str]) -> Vec<u8> {
    let mut csv = "Client ID,AB1234\nP&L Statement for Equity from 2026-06-01 to 2026-06-30,\n\n".to_owned();
    csv += &format!("Charges,\nAccount Head,Amount\n{}\n\n", charges.join("\n"));
    csv += &format!("Symbol,ISIN,Quantity,Buy Value,Sell Value,Realized P&L\n{}\n", rows.join("\n"));
    csv.into_bytes()
}

/// Returns Zerodha's tax P&L as CSV. Rows of short-term sales such as
/// `INFY,INE000A01010,2026-06-01,2026-06-02,10,15000.5,15100,99.5`.
pub fn zerodha_tax_csv(rows: &[&str]) -> Vec<u8> {
    let mut csv =
        "Client ID,AB1234\nTradewise Exits from 2026-04-01 to 2027-03-31,\n\nEquity - Short Term,\n".to_owned();
    csv += "Symbol,ISIN,Entry Date,Exit Date,Quantity,Buy Value,Sell Value,Profit\n";
    csv += &rows.join("\n");
    (csv + "\n").into_bytes()
}

/// Returns the SHA-256 hash as hexadecimal digits.
pub fn hex_sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
