//! Parser of the brokers' ledgers (funds statements): everything that changed the balance of an account. Trades are in it
//! as settlements only; its costs are those that no trade has.
//!
//! A ledger is accepted only if each balance follows from the one before it.

mod balances;
mod kinds;
mod layout;

use std::collections::HashMap;
use std::fs::File;

use rpc::imports::v1::LedgerFile;
use rpc::trades::v1::{LedgerEntry, LedgerKind};
use rust_decimal::{Decimal, RoundingStrategy};
use sha2::{Digest as _, Sha256};

use self::balances::{Balances, LedgerRow, Statement};
use self::kinds::{EntryTexts, KindRules};
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
/// Bytes of the key of an entry.
const KEY_BYTES: usize = 16;

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
    rules: KindRules,
    owner: FileOwner,
    layout: Option<Layout>,
    /// Balances of the current sheet.
    statement: Statement,
    /// Balances of the sheets before.
    balances: Vec<Balances>,
    entries: Vec<LedgerEntry>,
    /// Rows of all sheets so far.
    row_count: usize,
    /// Entries with the same content so far, by the hash of the content.
    repetitions: HashMap<[u8; 32], u32>,
}

impl LedgerBuilder {
    fn new() -> Self {
        Self {
            rules: KindRules::new(),
            owner: FileOwner::default(),
            layout: None,
            statement: Statement::default(),
            balances: Vec::new(),
            entries: Vec::new(),
            row_count: 0,
            repetitions: HashMap::new(),
        }
    }

    fn begin_sheet(&mut self, layout: Layout) -> Result<(), Rejection> {
        if self.layout.is_some_and(|first| first.broker != layout.broker) {
            return Err(RejectionReason::NotALedger.into());
        }
        self.layout = Some(layout);
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
                let kind = self.rules.kind(layout.broker.name(), &texts.to_lower_case());
                self.add_entry(&row, kind, &texts);
                self.statement.rows.push(row);
            }
        }
        Ok(())
    }

    /// Adds the entry of a row, unless it changes nothing. Its key is the hash of its content and of the number of equal
    /// rows before it on that day, so that it depends neither on the order of the file nor on its period.
    fn add_entry(&mut self, row: &LedgerRow, kind: LedgerKind, texts: &EntryTexts) {
        let amount = row.debit.saturating_sub(row.credit);
        let amount = amount.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
        if amount.is_zero() {
            return;
        }
        let (day, amount) = (row.day.to_string(), format_decimal(amount));
        let content = [&day, &texts.particulars, &texts.voucher, &texts.segment, &amount].map(String::as_str);
        let content: [u8; 32] = Sha256::digest(content.join("\u{1f}")).into();
        let repetition = self.repetitions.entry(content).or_default();
        *repetition += 1;
        let key = Sha256::new().chain_update(content).chain_update(repetition.to_be_bytes()).finalize();
        let particulars = match kind {
            // They name bank accounts.
            LedgerKind::Deposit | LedgerKind::Withdrawal | LedgerKind::Settlement => "",
            _ if texts.particulars.is_empty() => &texts.segment,
            _ => &texts.particulars,
        };
        self.entries.push(LedgerEntry {
            day,
            kind: kind.into(),
            amount,
            particulars: particulars.to_owned(),
            source_key: key.iter().copied().take(KEY_BYTES).collect(),
            ..LedgerEntry::default()
        });
    }

    fn finish_sheet(&mut self) -> Result<(), Rejection> {
        let statement = std::mem::take(&mut self.statement);
        // A sheet of a segment without entries.
        if !statement.rows.is_empty() {
            self.balances.push(statement.check()?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<LedgerFile, Rejection> {
        let layout = self.layout.ok_or(RejectionReason::NotALedger)?;
        if self.entries.is_empty() {
            return Err(RejectionReason::LedgerEmpty.into());
        }
        self.entries.sort_by(|one, other| one.day.cmp(&other.day));
        let balances = if let [balances] = self.balances.as_slice() { Some(*balances) } else { None };
        let text =
            |balance: fn(Balances) -> Decimal| balances.map(|one| format_decimal(balance(one))).unwrap_or_default();
        Ok(LedgerFile {
            format: layout.format_name().to_owned(),
            broker: layout.broker.to_wire().into(),
            client_code: self.owner.client_code,
            holder: self.owner.holder,
            opening_balance: text(|one| one.opening),
            closing_balance: text(|one| one.closing),
            entries: self.entries,
        })
    }
}
