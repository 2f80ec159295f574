//! What reading a row needs to know of the rest of its file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};
use std::num::NonZeroU64;

use rpc::trades::v1::ImportedTrade;
use time::{Duration, OffsetDateTime};

use super::Fault;
use super::doubts::Doubts;
use crate::sheet::Row;

/// A map by what is a hash already, made with a key that nobody knows: it is not hashed again.
pub(super) type ByHash<V> = HashMap<u64, V, BuildHasherDefault<Hashed>>;

#[derive(Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = self.0.rotate_left(5) ^ hash;
    }
}

/// Where a row stands, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The how many-eth of the sheets that are read, from 1.
    pub sheet: usize,
    /// As a spreadsheet counts, from 1.
    pub row: u64,
}

/// The file up to the row that is being read.
pub(crate) struct FileSoFar {
    /// No trade is later than this. A clock may be a little wrong, ours or theirs.
    pub latest: OffsetDateTime,
    repeats: HashMap<String, u32>,
    /// The sheets with trades so far; the last is the one that is being read.
    sheets: Vec<String>,
    /// By the hash of its key, what a trade was, so that half a million cost little.
    trades: ByHash<Contents>,
    doubts: Doubts,
    hasher: RandomState,
}

/// What a trade is beside its key, as hashes, and where it stands.
struct Contents {
    symbol: u64,
    /// None where the row has none, as with the order id.
    isin: Option<NonZeroU64>,
    order_id: Option<NonZeroU64>,
    rest: u64,
    place: Place,
}

impl Contents {
    /// Whether both can be the same trade. A share may change its symbol or its ISIN, and an order id may get lost.
    fn agrees(&self, other: &Self) -> bool {
        let isins_agree = self.isin.is_some() && self.isin == other.isin;
        let orders_agree = self.order_id.is_none() || other.order_id.is_none() || self.order_id == other.order_id;
        (self.symbol == other.symbol || isins_agree) && orders_agree && self.rest == other.rest
    }
}

impl FileSoFar {
    pub fn new(now: OffsetDateTime) -> Self {
        Self {
            latest: now + Duration::DAY,
            repeats: HashMap::new(),
            sheets: Vec::new(),
            trades: ByHash::default(),
            doubts: Doubts::default(),
            hasher: RandomState::new(),
        }
    }

    /// What is read from here on stands in another sheet.
    pub fn begin_sheet(&mut self, name: &str) {
        self.sheets.push(name.to_owned());
    }

    /// Where `row` of the sheet that is being read stands.
    pub fn place(&self, row: &Row<'_>) -> Place {
        Place { sheet: self.sheets.len(), row: row.number }
    }

    /// The name of the sheet of a place.
    pub fn sheet_name(&self, place: Place) -> &str {
        self.sheets.get(place.sheet.saturating_sub(1)).map_or("", String::as_str)
    }

    /// Remembers a trade that goes in, for what the whole file says about it in the end.
    pub fn taken(&mut self, trade: &ImportedTrade, row: &Row<'_>) {
        self.doubts.see(trade, self.place(row));
    }

    /// What is odd about trades beside the others of the file, in the order of the file.
    pub fn doubts(&self) -> Vec<(Place, Fault)> {
        self.doubts.list(|place, seen_from| self.named_row(place, seen_from))
    }

    /// `row 7`, or `row 7 of the sheet Equity` where that is another one.
    fn named_row(&self, place: Place, seen_from: Place) -> String {
        if place.sheet == seen_from.sheet {
            return format!("row {}", place.row);
        }
        format!("row {} of the sheet {}", place.row, self.sheet_name(place))
    }

    /// The trade, unless another one with its key stood in the file. The same one again is a plain duplicate, which
    /// the trade log counts.
    pub fn unlike_others(
        &mut self,
        trade: ImportedTrade,
        row: &Row<'_>,
        id_column: usize,
    ) -> Result<ImportedTrade, Fault> {
        let known = |text: &str| (!text.is_empty()).then(|| NonZeroU64::MIN | self.hasher.hash_one(text));
        let at = trade.executed_at.map(|at| at.seconds);
        let contents = Contents {
            symbol: self.hasher.hash_one(&trade.symbol),
            isin: known(&trade.isin),
            order_id: known(&trade.order_id),
            rest: self.hasher.hash_one((&trade.quantity, &trade.price, &trade.value, at, trade.time_precision)),
            place: self.place(row),
        };
        let first = match self.trades.entry(self.hasher.hash_one(&trade.source_key)) {
            Entry::Vacant(place) => {
                place.insert(contents);
                return Ok(trade);
            }
            Entry::Occupied(mut first) if first.get().agrees(&contents) => {
                let first = first.get_mut();
                first.order_id = first.order_id.or(contents.order_id);
                return Ok(trade);
            }
            Entry::Occupied(first) => first.get().place,
        };
        let named = self.named_row(first, contents.place).replacen("row", "Row", 1);
        Err(Fault::at(id_column, "trade_id_conflict", format!("{named} has the same id and is another trade.")))
    }

    /// A key of a row without an id: its contents, and the how many-eth row with these contents it is.
    pub fn numbered(&mut self, contents: String) -> String {
        let number = self.repeats.entry(contents.clone()).or_default();
        *number = number.saturating_add(1);
        format!("{contents}/{number}")
    }
}
