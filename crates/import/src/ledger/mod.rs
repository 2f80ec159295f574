//! Parser of the brokers' ledgers (funds statements): everything that changed the balance of an account. Trades are in it
//! as settlements only; its costs are those that no trade has.
//!
//! A ledger is accepted only if each balance follows from the one before it. A profit and loss report that lists other
//! debits and credits is read as a ledger without balances.

mod balances;
mod entries;
mod kinds;
mod layout;

use std::fs::File;

use rpc::imports::v1::LedgerFile;
use rust_decimal::{Decimal, RoundingStrategy};

use self::balances::{Balances, Statement};
use self::entries::Entries;
use self::layout::{Layout, LedgerLine};
use crate::cell_value::format_decimal;
use crate::error::{Rejection, RejectionReason};
use crate::file_owner::FileOwner;
use crate::formats::header::Header;
use crate::protocol::MAX_LEDGER_ENTRIES;
use crate::sheet::CellBudget;
use crate::workbook::Workbook;

/// Last row number that may be a header.
const MAX_HEADER_ROW: u64 = 100;

/// Parses the ledger in `file`.
///
/// # Errors
/// Rejects a file that is no ledger, that has a row that cannot be read, or whose balances do not add up.
pub(crate) fn parse(file: File) -> Result<LedgerFile, Rejection> {
    let mut budget = CellBudget::new();
    let mut book = Workbook::open(file)?;
    let mut builder = LedgerBuilder::new();
    for name in book.sheets() {
        let mut rows = book.rows(&name)?;
        let mut layout: Option<Layout> = None;
        while let Some(row) = rows.next(&mut budget)? {
            if row.is_blank() {
                continue;
            }
            if let Some(layout) = &layout {
                builder.add_line(layout, layout.read_row(&row)?)?;
            } else if row.number > MAX_HEADER_ROW {
                break;
            } else if let Some(layout_of_sheet) = Layout::from_header(&Header::from_row(&row, &[])) {
                builder.begin_sheet(layout_of_sheet)?;
                layout = Some(layout_of_sheet);
            } else {
                builder.owner.read_row(&row);
            }
        }
        if layout.is_some() {
            builder.finish_sheet()?;
        }
    }
    builder.finish()
}

/// Ledger up to the current row.
struct LedgerBuilder {
    owner: FileOwner,
    layout: Option<Layout>,
    /// Balances of the current sheet.
    statement: Statement,
    /// Balances of the sheets before.
    balances: Vec<Balances>,
    has_sheet_without_balances: bool,
    entries: Entries,
    /// Rows of all sheets so far.
    row_count: usize,
}

impl LedgerBuilder {
    fn new() -> Self {
        Self {
            owner: FileOwner::default(),
            layout: None,
            statement: Statement::default(),
            balances: Vec::new(),
            has_sheet_without_balances: false,
            entries: Entries::new(),
            row_count: 0,
        }
    }

    fn begin_sheet(&mut self, layout: Layout) -> Result<(), Rejection> {
        if self.layout.is_some_and(|first| first.broker != layout.broker) {
            return Err(RejectionReason::NotALedger.into());
        }
        self.layout = Some(layout);
        self.has_sheet_without_balances |= !layout.has_balances();
        Ok(())
    }

    fn add_line(&mut self, layout: &Layout, line: Option<LedgerLine>) -> Result<(), Rejection> {
        match line {
            None => (),
            Some(LedgerLine::Opening(row, balance)) => self.statement.opening = Some((row, balance)),
            Some(LedgerLine::Closing(row, balance)) => self.statement.closing = Some((row, balance)),
            Some(LedgerLine::Entry(row, texts)) => {
                self.row_count += 1;
                if self.row_count > MAX_LEDGER_ENTRIES {
                    return Err(RejectionReason::LedgerTooLarge.into());
                }
                self.entries.add(layout.broker, &row, &texts);
                if layout.has_balances() {
                    self.statement.rows.push(row);
                }
            }
        }
        Ok(())
    }

    fn finish_sheet(&mut self) -> Result<(), Rejection> {
        let statement = std::mem::take(&mut self.statement);
        if !statement.rows.is_empty() {
            self.balances.push(statement.check()?);
        } else if let Some((_, opening)) = statement.opening {
            // A segment without entries has a balance, too.
            self.balances.push(Balances { opening, closing: opening });
        }
        Ok(())
    }

    fn finish(self) -> Result<LedgerFile, Rejection> {
        let layout = self.layout.ok_or(RejectionReason::NotALedger)?;
        let entries = self.entries.into_sorted();
        if entries.is_empty() {
            return Err(RejectionReason::LedgerEmpty.into());
        }
        // Of several segments, the money is all of the account's.
        let balances = self.balances.iter().copied().reduce(|sum, sheet| Balances {
            opening: sum.opening.saturating_add(sheet.opening),
            closing: sum.closing.saturating_add(sheet.closing),
        });
        let balances = balances.filter(|_| !self.has_sheet_without_balances);
        // As precise as the entries.
        let format = |balance: Decimal| {
            format_decimal(balance.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
        };
        let text = |balance: fn(Balances) -> Decimal| balances.map(|one| format(balance(one))).unwrap_or_default();
        Ok(LedgerFile {
            format: layout.format_name().to_owned(),
            broker: layout.broker.to_wire().into(),
            client_code: self.owner.client_code,
            holder: self.owner.holder,
            opening_balance: text(|one| one.opening),
            closing_balance: text(|one| one.closing),
            entries,
        })
    }
}
