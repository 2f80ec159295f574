//! Deposits, withdrawals and balances of accounts, from the ledgers in the trade log.

use std::collections::BTreeMap;

use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use crate::error::Error;
use crate::fill::BrokerAccount;
use crate::trade_log::parse_account;

/// Difference in rupees that the fractions of a paisa in balances may add up to.
const ROUNDING: Decimal = Decimal::from_parts(5, 0, 0, false, 2);

/// Days between two ledgers from which the gap is named. Ledgers begin and end with entries, so a few days may have none.
const MIN_GAP_DAYS: i64 = 8;

/// Difference in rupees that margin which was blocked and released may have.
const MAX_MARGIN_ROUNDING: Decimal = Decimal::ONE;

/// Changes of a balance on one day; money that comes in is positive, except for withdrawals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LedgerDay {
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

impl LedgerDay {
    /// Returns the settlements of trades.
    pub fn settlement(&self) -> Decimal {
        self.balance - self.deposits + self.withdrawals - self.other - self.transfers
    }
}

/// Entry whose kind is not recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEntry {
    pub day: Date,
    pub text: String,
    /// Rupees that came in; negative if they left the account.
    pub amount: Decimal,
}

/// Period of one ledger.
#[derive(Clone, Copy, Debug)]
struct LedgerPeriod {
    first_day: Date,
    last_day: Date,
    /// Balance at the beginning of the first day; none if the file states none.
    opening: Option<Decimal>,
    is_complete: bool,
}

/// Days without missing entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    pub first_day: Date,
    pub last_day: Date,
    /// Balance at the beginning of the first day.
    pub opening: Decimal,
    /// Rupees by which the opening balance differs from the balance at the end of the coverage before; zero for the first.
    pub difference: Decimal,
}

/// Ledgers of one account.
#[derive(Clone, Debug, Default)]
pub struct LedgerHistory {
    /// Sorted by first day.
    ledgers: Vec<LedgerPeriod>,
    pub days: BTreeMap<Date, LedgerDay>,
    /// Entries whose kind is not recognised, the latest ones of many.
    pub unknown_entries: Vec<UnknownEntry>,
}

impl LedgerHistory {
    /// Parses the response of the trade log.
    pub fn from_wire(response: wire::ListCapitalFlowsResponse) -> Result<BTreeMap<BrokerAccount, Self>, Error> {
        let mut accounts: BTreeMap<BrokerAccount, Self> = BTreeMap::new();
        let invalid = Error::InvalidTradeLog;
        let day = |text: &str| Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
        for ledger in response.ledgers {
            let account = parse_account(ledger.broker(), ledger.broker_account).ok_or(invalid("broker"))?;
            let (first_day, last_day) = day(&ledger.from).zip(day(&ledger.to)).ok_or(invalid("day"))?;
            let opening = Some(&ledger.opening_balance).filter(|text| !text.is_empty());
            let opening = opening.map(|text| parse_amount(text)).transpose()?;
            let period = LedgerPeriod { first_day, last_day, opening, is_complete: ledger.is_complete };
            accounts.entry(account).or_default().ledgers.push(period);
        }
        for flows in response.days {
            let account = parse_account(flows.broker(), flows.broker_account).ok_or(invalid("broker"))?;
            let changes = LedgerDay {
                deposits: parse_amount(&flows.deposits)?,
                withdrawals: parse_amount(&flows.withdrawals)?,
                other: parse_amount(&flows.other)?,
                transfers: parse_amount(&flows.transfers)?,
                balance: parse_amount(&flows.balance)?,
                unknown_entries: flows.unknown_entries,
                unknown_amount: parse_amount(&flows.unknown_amount)?,
            };
            accounts.entry(account).or_default().days.insert(day(&flows.day).ok_or(invalid("day"))?, changes);
        }
        for entry in response.unknown_entries {
            let account = parse_account(entry.broker(), entry.broker_account).ok_or(invalid("broker"))?;
            let (day, amount) = (day(&entry.day).ok_or(invalid("day"))?, -parse_amount(&entry.amount)?);
            let unknown = UnknownEntry { day, text: entry.particulars, amount };
            accounts.entry(account).or_default().unknown_entries.push(unknown);
        }
        for history in accounts.values_mut() {
            history.ledgers.sort_by_key(|ledger| (ledger.first_day, ledger.last_day));
        }
        Ok(accounts)
    }

    /// Returns whether a complete ledger without a stored balance was imported.
    pub fn has_unknown_balance(&self) -> bool {
        self.ledgers.iter().any(|ledger| ledger.is_complete && ledger.opening.is_none())
    }

    /// Returns the coverages in the order of time. A new one begins with a ledger whose opening balance does not follow
    /// from the entries before it.
    pub fn coverages(&self) -> Vec<Coverage> {
        let mut coverages: Vec<Coverage> = Vec::new();
        for ledger in &self.ledgers {
            let Some(opening) = ledger.opening else { continue };
            let first =
                Coverage { first_day: ledger.first_day, last_day: ledger.last_day, opening, difference: Decimal::ZERO };
            let Some(current) = coverages.last_mut() else {
                coverages.push(first);
                continue;
            };
            let difference = opening - self.balance_before(current, ledger.first_day);
            if difference.abs() <= ROUNDING {
                current.last_day = current.last_day.max(ledger.last_day);
            } else {
                coverages.push(Coverage { difference, ..first });
            }
        }
        coverages
    }

    /// Returns the gaps of more than seven days between ledgers of a coverage: first and last day. The balance is the same
    /// before and after.
    pub fn gaps(&self, coverage: &Coverage) -> Vec<(Date, Date)> {
        let ledgers = self.ledgers.iter().filter(|ledger| ledger.opening.is_some());
        let mut ledgers = ledgers.filter(|ledger| ledger.first_day >= coverage.first_day);
        let Some(mut last_day) = ledgers.next().map(|ledger| ledger.last_day) else { return Vec::new() };
        let mut gaps = Vec::new();
        for ledger in ledgers.take_while(|ledger| ledger.last_day <= coverage.last_day) {
            if let (Some(first), Some(last)) = (last_day.next_day(), ledger.first_day.previous_day())
                && (last - first).whole_days() + 1 >= MIN_GAP_DAYS
            {
                gaps.push((first, last));
            }
            last_day = last_day.max(ledger.last_day);
        }
        gaps
    }

    /// Returns the balance at the beginning of a day.
    fn balance_before(&self, coverage: &Coverage, day: Date) -> Decimal {
        let days = self.days.range(coverage.first_day..day.max(coverage.first_day));
        coverage.opening + days.map(|(_, changes)| changes.balance).sum::<Decimal>()
    }

    /// Returns whether the balance may lack margin that was blocked before the first day, or have money that the broker lent
    /// before: more comes back than was blocked since, or the days do not add up to nothing until a day on which no margin
    /// is needed.
    pub fn may_lack_blocked_margin(
        &self,
        coverage: &Coverage,
        is_free_at_start: bool,
        is_free: impl Fn(Date) -> bool,
    ) -> bool {
        let mut blocked = Decimal::ZERO;
        let mut is_checked = is_free_at_start;
        for (day, changes) in self.days.range(coverage.first_day..=coverage.last_day) {
            blocked -= changes.transfers;
            if blocked < -MAX_MARGIN_ROUNDING {
                return true;
            }
            if !is_checked && is_free(*day) {
                is_checked = true;
                if blocked > MAX_MARGIN_ROUNDING {
                    return true;
                }
            }
        }
        !is_checked
    }

    /// Returns whether it lists margin that was blocked or released.
    pub fn has_transfers(&self, coverage: &Coverage) -> bool {
        self.days.range(coverage.first_day..=coverage.last_day).any(|(_, changes)| !changes.transfers.is_zero())
    }

    /// Returns the cash at the end of a day: the balance without transfers within the account, which the trader still owns
    /// or owes.
    pub fn cash_after(&self, coverage: &Coverage, day: Date) -> Decimal {
        let days = self.days.range(coverage.first_day..).take_while(|(at, _)| **at <= day);
        coverage.opening + days.map(|(_, changes)| changes.balance - changes.transfers).sum::<Decimal>()
    }
}

fn parse_amount(text: &str) -> Result<Decimal, Error> {
    Decimal::from_str_exact(text).map_err(|_| Error::InvalidTradeLog("amount"))
}
