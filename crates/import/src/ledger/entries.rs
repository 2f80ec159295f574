//! Entries of a ledger with their kinds and keys.

use std::collections::HashMap;

use rpc::broker::Broker;
use rpc::trades::v1::{LedgerEntry, LedgerKind};
use rust_decimal::RoundingStrategy;
use sha2::{Digest as _, Sha256};

use super::balances::LedgerRow;
use super::kinds::{EntryTexts, KindRules};
use crate::cell_value::format_decimal;

/// Bytes of the key of an entry.
const KEY_BYTES: usize = 16;

/// Entries of the rows so far.
pub(super) struct Entries {
    rules: KindRules,
    entries: Vec<LedgerEntry>,
    /// Entries with the same content so far, by the hash of the content.
    repetitions: HashMap<[u8; 32], u32>,
}

impl Entries {
    pub fn new() -> Self {
        Self { rules: KindRules::new(), entries: Vec::new(), repetitions: HashMap::new() }
    }

    /// Adds the entry of a row, unless it changes nothing. Its key is the hash of its content and of the number of equal
    /// rows before it on that day, so that it depends neither on the order of the file nor on its period. It does not
    /// depend on the kind of the voucher, which only some files state.
    pub fn add(&mut self, broker: Broker, row: &LedgerRow, texts: &EntryTexts) {
        let amount = row.debit.saturating_sub(row.credit);
        let amount = amount.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
        if amount.is_zero() {
            return;
        }
        let kind = self.rules.kind(broker.name(), &texts.to_lower_case());
        let day = row.day.to_string();
        // Not every file has the fractions of a paisa.
        let paise = amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        let paise = format_decimal(paise);
        let content = [&day, &texts.particulars, &texts.segment, &paise].map(String::as_str);
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
            amount: format_decimal(amount),
            particulars: particulars.to_owned(),
            source_key: key.iter().copied().take(KEY_BYTES).collect(),
            ..LedgerEntry::default()
        });
    }

    /// Returns the entries, the oldest first.
    pub fn into_sorted(mut self) -> Vec<LedgerEntry> {
        self.entries.sort_by(|one, other| one.day.cmp(&other.day));
        self.entries
    }
}
