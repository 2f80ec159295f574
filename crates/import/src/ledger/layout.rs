//! Tables of ledgers: their columns, and the content of a row.

use rpc::broker::Broker;
use rust_decimal::Decimal;

use super::balances::LedgerRow;
use super::kinds::EntryTexts;
use crate::cell_value::{display_text, parse_decimal, parse_moment};
use crate::error::{Rejection, RejectionReason};
use crate::formats::header::Header;
use crate::protocol::MAX_LEDGER_TEXT_CHARS;
use crate::sheet::{Cell, Row};

/// Exclusive limit of amounts and balances, in rupees.
const MAX_AMOUNT: u64 = 100_000_000_000;

/// Columns of a ledger.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub broker: Broker,
    day: usize,
    particulars: usize,
    voucher: Option<usize>,
    /// Groww's `Segment Type`, which says what an entry is.
    segment: Option<usize>,
    debit: usize,
    credit: usize,
    /// None in a profit and loss report.
    balance: Option<usize>,
}

/// Content of a row.
pub(super) enum LedgerLine {
    /// Row number and balance.
    Opening(u64, Decimal),
    Closing(u64, Decimal),
    Entry(LedgerRow, EntryTexts),
}

impl Layout {
    /// Returns the columns of a ledger; none for another header.
    pub fn from_header(header: &Header<'_>) -> Option<Self> {
        if header.has_all(&["particulars", "postingdate", "costcenter", "vouchertype"]) {
            return Some(Self {
                broker: Broker::Zerodha,
                day: header.column("postingdate")?,
                particulars: header.column("particulars")?,
                voucher: header.column("vouchertype"),
                segment: None,
                debit: header.column("debit")?,
                credit: header.column("credit")?,
                balance: Some(header.column("netbalance")?),
            });
        }
        if header.has_all(&["particulars", "postingdate", "debit", "credit"]) && header.column("netbalance").is_none() {
            return Some(Self {
                broker: Broker::Zerodha,
                day: header.column("postingdate")?,
                particulars: header.column("particulars")?,
                voucher: None,
                segment: None,
                debit: header.column("debit")?,
                credit: header.column("credit")?,
                balance: None,
            });
        }
        Some(Self {
            broker: Broker::Groww,
            // The rows are in its order, not in that of the transaction date.
            day: header.column("settlementdate")?,
            particulars: header.column("particulars/narration")?,
            voucher: None,
            segment: Some(header.column("segmenttype")?),
            debit: header.column("debit(rs)")?,
            credit: header.column("credit(rs)")?,
            balance: Some(header.column("balance(rs)")?),
        })
    }

    /// Returns the stable name for programs.
    pub fn format_name(&self) -> &'static str {
        match self.broker {
            _ if self.balance.is_none() => "zerodha-other-debits",
            Broker::Zerodha => "zerodha-ledger",
            _ => "groww-ledger",
        }
    }

    /// Returns true if each row states the balance after it.
    pub fn has_balances(&self) -> bool {
        self.balance.is_some()
    }

    /// Reads a row below the header; none for a note below the table.
    ///
    /// # Errors
    /// The row number and the column that cannot be read.
    pub fn read_row(&self, row: &Row<'_>) -> Result<Option<LedgerLine>, Rejection> {
        let unreadable =
            |column: &str| Rejection::from(RejectionReason::LedgerRow).with("row", row.number).with("column", column);
        if row.joined_lines > 0 {
            return Err(unreadable("particulars"));
        }
        let amount = |column: usize, name: &str| match row.cell(column) {
            cell if is_none(cell) => Ok(None),
            cell => {
                let amount = parse_decimal(cell).filter(|amount| amount.abs() < MAX_AMOUNT.into());
                amount.map(Some).ok_or_else(|| unreadable(name))
            }
        };
        let read_balance = || match self.balance {
            Some(column) => amount(column, "balance")?.ok_or_else(|| unreadable("balance")),
            None => Ok(Decimal::ZERO),
        };
        let label = row.cells().map(|cell| display_text(cell, 20).to_lowercase()).find(|text| !text.is_empty());
        let is_label = |name: &str| label.as_deref().is_some_and(|label| label.starts_with(name));
        for (name, to_line) in [
            ("opening balance", LedgerLine::Opening as fn(u64, Decimal) -> LedgerLine),
            ("closing balance", LedgerLine::Closing),
        ] {
            if is_label(name) {
                let balance = read_balance()?;
                return Ok(Some(to_line(row.number, balance)));
            }
        }
        let columns = [Some(self.day), Some(self.debit), Some(self.credit), self.balance];
        if columns.into_iter().flatten().all(|column| is_none(row.cell(column))) {
            return Ok(None);
        }
        let day = parse_moment(row, row.cell(self.day)).map(|moment| moment.day);
        let day = day.filter(|day| day.year() < 2100).ok_or_else(|| unreadable("date"))?;
        let debit = amount(self.debit, "debit")?.unwrap_or_default();
        let credit = amount(self.credit, "credit")?.unwrap_or_default();
        let balance = read_balance()?;
        if debit.is_sign_negative() && !debit.is_zero() {
            return Err(unreadable("debit"));
        }
        if credit.is_sign_negative() && !credit.is_zero() {
            return Err(unreadable("credit"));
        }
        let text = |column: Option<usize>| {
            column
                .map(|column| display_text(row.cell(column), MAX_LEDGER_TEXT_CHARS))
                .filter(|text| text != "N/A")
                .unwrap_or_default()
        };
        let texts = EntryTexts {
            particulars: text(Some(self.particulars)),
            voucher: text(self.voucher),
            segment: text(self.segment),
        };
        Ok(Some(LedgerLine::Entry(LedgerRow { row: row.number, day, debit, credit, balance }, texts)))
    }
}

/// Returns true for a cell without a value, which some files write as a dash.
fn is_none(cell: Cell<'_>) -> bool {
    cell.is_blank() || matches!(cell, Cell::Text(text) if matches!(text.trim(), "-" | "–"))
}
