//! State of a file up to the current row: its sheets and the trades read so far.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroU64;

use rpc::trades::v1::ImportedTrade;
use sha2::{Digest as _, Sha256};
use time::{Date, Duration, OffsetDateTime};

use super::issue::Issue;
use super::prehashed_map::PrehashedMap;
use super::row_position::RowPosition;
use super::trade_warnings::TradeWarnings;
use crate::sheet::Row;

/// Facts about the rows read so far, which the reading of a further row depends on.
pub(crate) struct FileState {
    /// Latest possible time of a trade: a day from now, because clocks may differ.
    pub latest: OffsetDateTime,
    /// Number of rows without an id, by their contents.
    repeats: HashMap<String, u32>,
    /// Sheets with trades so far; the last one is being read.
    sheets: Vec<String>,
    /// Trades with an id, by the hash of their source key. Hashes keep the memory for 500,000 trades small.
    trades: PrehashedMap<TradeFingerprint>,
    warnings: TradeWarnings,
    /// Names that a warning was given about.
    names: HashSet<String>,
    hasher: RandomState,
}

/// Hashed fields of a trade, to compare trades with the same source key.
struct TradeFingerprint {
    symbol: u64,
    /// None if the row has no ISIN.
    isin: Option<NonZeroU64>,
    /// None if the row has no order id.
    order_id: Option<NonZeroU64>,
    /// Quantity, price, value and time.
    rest: u64,
    position: RowPosition,
}

impl TradeFingerprint {
    /// Returns true if both can be the same trade. The symbol or the ISIN of a share may change, and an order id may be
    /// lost.
    fn matches(&self, other: &Self) -> bool {
        let isins_match = self.isin.is_some() && self.isin == other.isin;
        let orders_match = self.order_id.is_none() || other.order_id.is_none() || self.order_id == other.order_id;
        (self.symbol == other.symbol || isins_match) && orders_match && self.rest == other.rest
    }
}

impl FileState {
    pub fn new(now: OffsetDateTime) -> Self {
        Self {
            latest: now + Duration::DAY,
            repeats: HashMap::new(),
            sheets: Vec::new(),
            trades: PrehashedMap::default(),
            warnings: TradeWarnings::default(),
            names: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// Starts the next sheet.
    pub fn begin_sheet(&mut self, name: &str) {
        self.sheets.push(name.to_owned());
    }

    /// Returns the position of `row`, which is in the current sheet.
    pub fn position(&self, row: &Row<'_>) -> RowPosition {
        self.position_of(row.number)
    }

    /// Returns the position of a row number of the current sheet.
    pub fn position_of(&self, row: u64) -> RowPosition {
        RowPosition { sheet: self.sheets.len(), row }
    }

    /// Returns the sheet name of a position.
    pub fn sheet_name(&self, position: RowPosition) -> &str {
        self.sheets.get(position.sheet.saturating_sub(1)).map_or("", String::as_str)
    }

    /// Records an imported trade for the warnings at the end of the file.
    pub fn record_trade(&mut self, trade: &ImportedTrade, row: &Row<'_>) {
        self.warnings.record(trade, self.position(row));
    }

    /// Returns warnings about trades that are odd compared to others of the file, in the order of the file.
    pub fn warnings(&self) -> Vec<(RowPosition, Issue)> {
        self.warnings.list(|issue, other, position| self.with_row(issue, other, position))
    }

    /// Adds the row at `other`, and its sheet if that is not the sheet of `position`, to the issue at `position`.
    fn with_row(&self, issue: Issue, other: RowPosition, position: RowPosition) -> Issue {
        let issue = issue.with("other_row", other.row);
        if other.sheet == position.sheet {
            return issue.with("other_row_in", "SAME_SHEET");
        }
        issue.with("other_row_in", "OTHER_SHEET").with("other_sheet", self.sheet_name(other))
    }

    /// Returns the trade, or an error if a different trade with its source key was read before.
    ///
    /// The same trade again is a duplicate, which the trade log counts.
    pub fn check_id_conflict(
        &mut self,
        trade: ImportedTrade,
        row: &Row<'_>,
        id_column: usize,
    ) -> Result<ImportedTrade, Issue> {
        let hash_if_present = |text: &str| (!text.is_empty()).then(|| NonZeroU64::MIN | self.hasher.hash_one(text));
        let at = trade.executed_at.map(|at| at.seconds);
        let fingerprint = TradeFingerprint {
            symbol: self.hasher.hash_one(&trade.symbol),
            isin: hash_if_present(&trade.isin),
            order_id: hash_if_present(&trade.order_id),
            rest: self.hasher.hash_one((&trade.quantity, &trade.price, &trade.value, at, trade.time_precision)),
            position: self.position(row),
        };
        let first = match self.trades.entry(self.hasher.hash_one(&trade.source_key)) {
            Entry::Vacant(entry) => {
                entry.insert(fingerprint);
                return Ok(trade);
            }
            Entry::Occupied(mut first) if first.get().matches(&fingerprint) => {
                let first = first.get_mut();
                first.order_id = first.order_id.or(fingerprint.order_id);
                return Ok(trade);
            }
            Entry::Occupied(first) => first.get().position,
        };
        Err(self.with_row(Issue::in_cell(id_column, "trade_id_conflict"), first, fingerprint.position))
    }

    /// Returns the source key of a row of `day` without an id: a hash of its contents, and its number among rows with the
    /// same contents.
    ///
    /// Files that contain whole days give a trade the same key in any order and overlap. A file that contains only a part
    /// of a day can number equal trades differently: it cannot be told whether they are the same.
    pub fn content_key(&mut self, day: Date, contents: &str) -> String {
        let hash = hex_prefix(&Sha256::digest(contents));
        self.number_key(format!("{day}/{hash}"))
    }

    /// Returns true at the first call with `name`.
    pub fn is_first_use(&mut self, name: &str) -> bool {
        !self.names.contains(name) && self.names.insert(name.to_owned())
    }

    /// Returns the source key of a row without an id: its contents, and its number among rows with the same contents.
    pub fn number_key(&mut self, contents: String) -> String {
        let number = self.repeats.entry(contents.clone()).or_default();
        *number = number.saturating_add(1);
        format!("{contents}/{number}")
    }
}

/// Returns the first 16 bytes of a hash as hexadecimal digits.
fn hex_prefix(hash: &[u8]) -> String {
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
