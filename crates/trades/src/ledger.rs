//! Ledgers: what changed the balance of an account with a broker.

use rpc::trades::v1::{LedgerKind, LedgerTreatment};
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::trade::BrokerAccount;

/// Maximum number of entries of one file.
pub const MAX_ENTRIES_PER_LEDGER: usize = 10_000;
/// Maximum number of entries of an account.
pub const MAX_LEDGER_ENTRIES: i64 = 50_000;
/// Maximum number of imported ledgers of an account. Each entry names those that have it.
pub const MAX_LEDGERS: i64 = 300;
/// Bytes of the key of an entry.
pub const SOURCE_KEY_BYTES: usize = 16;

/// Kinds with their names in the tables.
const KINDS: [(LedgerKind, &str); 13] = [
    (LedgerKind::Dp, "dp"),
    (LedgerKind::Amc, "amc"),
    (LedgerKind::Interest, "interest"),
    (LedgerKind::Pledge, "pledge"),
    (LedgerKind::CallAndTrade, "call-and-trade"),
    (LedgerKind::Penalty, "penalty"),
    (LedgerKind::Subscription, "subscription"),
    (LedgerKind::Fee, "fee"),
    (LedgerKind::Deposit, "deposit"),
    (LedgerKind::Withdrawal, "withdrawal"),
    (LedgerKind::Settlement, "settlement"),
    (LedgerKind::Journal, "journal"),
    (LedgerKind::Other, "other"),
];

/// Returns the name of a kind in the tables; none for the unspecified one.
pub fn kind_name(kind: LedgerKind) -> Option<&'static str> {
    KINDS.iter().find(|(one, _)| *one == kind).map(|(_, name)| *name)
}

/// Parses the name of a kind in the tables.
pub fn kind_from_name(name: &str) -> Option<LedgerKind> {
    KINDS.iter().find(|(_, one)| *one == name).map(|(kind, _)| *kind)
}

/// Returns the relation of entries of a kind to the results of trades.
pub fn treatment(kind: LedgerKind) -> LedgerTreatment {
    match kind {
        LedgerKind::Unspecified => LedgerTreatment::Unspecified,
        LedgerKind::Dp => LedgerTreatment::InTrades,
        LedgerKind::Amc
        | LedgerKind::Interest
        | LedgerKind::Pledge
        | LedgerKind::CallAndTrade
        | LedgerKind::Penalty
        | LedgerKind::Subscription
        | LedgerKind::Fee => LedgerTreatment::Cost,
        LedgerKind::Deposit | LedgerKind::Withdrawal | LedgerKind::Settlement | LedgerKind::Journal => {
            LedgerTreatment::NoCost
        }
        LedgerKind::Other => LedgerTreatment::NotRecognised,
    }
}

/// Entry of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    pub day: Date,
    pub kind: LedgerKind,
    /// Rupees that left the account; negative if they came in.
    pub amount: Decimal,
    /// Empty for settlements, deposits and withdrawals.
    pub particulars: String,
    /// Hash of the content, the same in each file that has the entry.
    pub source_key: Vec<u8>,
}

/// Imported ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    pub id: Uuid,
    pub account: BrokerAccount,
    pub file_name: String,
    pub format: String,
    pub first_day: Date,
    pub last_day: Date,
    pub imported_at: OffsetDateTime,
    pub entry_count: i64,
}

/// Sum of the entries of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSum {
    pub account: BrokerAccount,
    /// Month such as 2026-03, or day; empty for all days.
    pub period: String,
    pub kind: LedgerKind,
    pub amount: Decimal,
    pub entry_count: i64,
}

/// Period of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerPeriod {
    Month,
    Day,
    All,
}

/// Changes of the balances of accounts, and the periods that their ledgers cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapitalFlows {
    pub ledgers: Vec<LedgerCoverage>,
    /// By account and day.
    pub days: Vec<CapitalFlowDay>,
    /// Entries whose kind is not recognised, the latest first.
    pub unknown_entries: Vec<(BrokerAccount, LedgerEntry)>,
}

/// Period that an imported ledger covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerCoverage {
    pub account: BrokerAccount,
    /// First and last day of its entries.
    pub first_day: Date,
    pub last_day: Date,
    /// Balance at the beginning of the first day; none if the file states no balances.
    pub opening_balance: Option<Decimal>,
    /// False for a report of other debits and credits.
    pub is_complete: bool,
}

/// Changes of the balance of an account on one day. Money that comes in is positive, except for withdrawals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapitalFlowDay {
    pub account: BrokerAccount,
    pub day: Date,
    pub deposits: Decimal,
    pub withdrawals: Decimal,
    /// Costs outside trades and charges of the depository participant, negative, and entries that are not recognised.
    pub other: Decimal,
    /// Margin that was blocked or released, and other transfers within the account.
    pub transfers: Decimal,
    /// Sum of all entries.
    pub balance: Decimal,
    /// Number of entries whose kind is not recognised.
    pub unknown_entries: i64,
    /// Sum of these entries without their signs.
    pub unknown_amount: Decimal,
}

/// Returns the names of the kinds with this relation to the results of trades.
pub fn kinds_treated_as(is_wanted: impl Fn(LedgerTreatment) -> bool) -> Vec<String> {
    let kinds = KINDS.iter().filter(|(kind, _)| is_wanted(treatment(*kind)));
    kinds.map(|(_, name)| (*name).to_owned()).collect()
}
