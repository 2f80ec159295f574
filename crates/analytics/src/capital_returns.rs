//! Returns on the capital in accounts with brokers.
//!
//! The value of an account at the end of a day is the cash that its ledger states, the cash of trades that are not settled
//! yet, and the cost of open positions. At the end of the ledger, positions may count at prices that the trader states,
//! except those that were open at the start.
//! Futures have no cost: daily settlements pay their value, so a period must begin and end without open ones. Deposits and
//! withdrawals are those of the ledger, the rest of the change is the gain.
//!
//! Results of trades count on the day of the trade, and daily settlements of futures on the day of their prices. Where the
//! ledger and the trades differ, the difference counts on the day of the settlement. Differences that are larger than
//! estimated charges explain prevent returns, and so does everything else of which the value is unknown.

mod account_trades;
mod capital;
mod ledger_history;
mod settlement;
mod xirr;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rust_decimal::Decimal;
use time::{Date, Duration};

#[cfg(test)]
pub use self::account_trades::depository_charges;
use self::account_trades::{AccountTrades, HeldPosition};
pub use self::capital::{Capital, CapitalDay, PeriodReturnAbsence, RateAbsence, Returns, TimeWeightedAbsence};
use self::ledger_history::Coverage;
pub use self::ledger_history::{LedgerHistory, UnknownEntry};
use self::settlement::Settlements;
pub use self::settlement::UnexplainedSettlements;
use crate::analysis::Analysis;
use crate::fill::{Broker, BrokerAccount};

/// Time after the last day of a ledger in which prices of now count as prices of that day.
const MAX_PRICE_AGE: Duration = Duration::days(7);

/// Rupees up to which entries that are not recognised count as fees; more may be a payment.
const MAX_UNKNOWN_AMOUNT: Decimal = Decimal::ONE_HUNDRED;

/// Accounts, period and prices of a request.
#[derive(Clone, Debug, Default)]
pub struct CapitalQuery {
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub broker: Option<Broker>,
    pub account_number: Option<u8>,
    /// Prices of now by symbol.
    pub prices: HashMap<String, Decimal>,
}

/// Fact without which returns cannot be computed.
#[derive(Clone, Debug, PartialEq)]
pub enum MissingInput {
    Ledger,
    /// The ledger was imported before balances were stored.
    LedgerBalance,
    /// Entries after the first day and before the second one are missing; the balance changed by an amount.
    LedgerEntries {
        after: Date,
        before: Date,
        difference: Decimal,
    },
    /// The ledgers have no day of the period.
    LedgerOfPeriod {
        first_day: Date,
        last_day: Date,
    },
    /// Sales without a buy price.
    CostBasis {
        count: usize,
    },
    /// Contracts that expired without a settlement price.
    Settlements {
        count: usize,
    },
    /// Settlements of the ledger differ from the cash that follows from the trades.
    Trades(UnexplainedSettlements),
    /// Futures are open when the period begins or ends.
    OpenFutures {
        day: Date,
        /// Period without open futures at its ends, if there is one.
        period: Option<(Date, Date)>,
    },
    /// The ledger does not tell which of the trades before a day it has settled.
    UnsettledTrades {
        day: Date,
        /// True if the ledger has the days around it too, so that a longer one does not help.
        is_inside_ledger: bool,
    },
    /// Entries that may be payments or results.
    UnknownEntries {
        count: i64,
        /// Some of them.
        entries: Vec<UnknownEntry>,
    },
    /// Margin that was blocked before the first day of the ledger.
    BlockedMargin {
        first_day: Date,
    },
    /// Instruments whose cost a capital return, the cash part of a merger, or a contract adjustment reduced.
    ReducedCost {
        count: usize,
    },
}

/// Returns of one account.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountReturns {
    pub capital: Capital,
    /// Days of the ledgers.
    pub ledger_from: Date,
    pub ledger_to: Date,
    /// Days of the period, more than seven at a time, that no ledger covers; the balance is the same before and after.
    pub gaps: Vec<(Date, Date)>,
    /// Cash that the ledger states at the end of the last day; settlements of the last trades may be missing in it.
    pub ledger_cash: Decimal,
    /// Settlements of the ledger in the period less those that follow from the trades; a part of the gain.
    pub difference: Decimal,
    /// Last trade after the ledger.
    pub trade_after_ledger: Option<Date>,
    /// Positions that were open at the end, and those of them that count at cost.
    pub open_positions: usize,
    pub positions_at_cost: usize,
    /// Symbols of open positions that need a price.
    pub symbols_without_price: BTreeSet<String>,
    /// True if positions were open at the beginning of the period, which count at cost, at the end too.
    pub is_start_at_cost: bool,
    /// Symbols of positions at the start or the end with bonus shares that count at no cost, because older shares were sold.
    pub bonus_without_cost: BTreeSet<String>,
}

/// Returns of accounts, each with the facts that are missing if there are no returns.
pub struct CapitalReturns {
    pub accounts: BTreeMap<BrokerAccount, Result<AccountReturns, MissingInput>>,
}

impl CapitalReturns {
    pub fn new(analysis: &Analysis, ledgers: &BTreeMap<BrokerAccount, LedgerHistory>, query: &CapitalQuery) -> Self {
        let is_wanted = |account: BrokerAccount| {
            query.broker.is_none_or(|broker| broker == account.broker)
                && query.account_number.is_none_or(|number| number == account.number)
        };
        let trades = AccountTrades::collect(analysis, is_wanted);
        let accounts: BTreeSet<BrokerAccount> =
            trades.keys().chain(ledgers.keys()).copied().filter(|account| is_wanted(*account)).collect();
        let (no_trades, no_ledgers) = (AccountTrades::default(), LedgerHistory::default());
        let returns = |account: BrokerAccount| {
            let (trades, ledger) =
                (trades.get(&account).unwrap_or(&no_trades), ledgers.get(&account).unwrap_or(&no_ledgers));
            (account, account_returns(account.broker, trades, ledger, query, analysis.today()))
        };
        Self { accounts: accounts.into_iter().map(returns).collect() }
    }

    /// Returns the joint capital of the accounts that have returns.
    pub fn total(&self) -> Option<Capital> {
        let capitals: Vec<&Capital> = self.accounts.values().flatten().map(|account| &account.capital).collect();
        Capital::join(&capitals)
    }
}

fn account_returns(
    broker: Broker,
    trades: &AccountTrades,
    ledger: &LedgerHistory,
    query: &CapitalQuery,
    today: Date,
) -> Result<AccountReturns, MissingInput> {
    let limit = query.to.map_or(today, |to| to.min(today));
    let coverage = find_coverage(ledger, query.from, limit)?;
    let to = limit.min(coverage.last_day);
    let from = query.from.map_or(coverage.first_day, |from| from.max(coverage.first_day));
    let (Some(before), Some(after)) = (from.previous_day(), to.next_day()) else { return Err(MissingInput::Ledger) };
    if from > to {
        let (first_day, last_day) = (coverage.first_day, coverage.last_day);
        return Err(MissingInput::LedgerOfPeriod { first_day, last_day });
    }
    check_entries(trades, ledger, from, to)?;
    let settlements = Settlements::new(trades, ledger, coverage);
    for day in [before, to] {
        if settlements.has_futures_after(day) {
            return Err(MissingInput::OpenFutures { day, period: settlements.find_period_without_futures(from, to) });
        }
    }
    check_margin(broker, &settlements, ledger, &coverage)?;
    let unsettled = |day| {
        let is_inside_ledger = settlements.covers_days_around(day);
        settlements.unsettled_after(day).ok_or(MissingInput::UnsettledTrades { day, is_inside_ledger })
    };
    let differences = settlements.differences(from, to).map_err(MissingInput::Trades)?;
    let start_value = ledger.cash_after(&coverage, before) + unsettled(before)? + trades.cost_before(from);
    unsettled(to)?;

    let mut days = capital_days(trades, ledger, from, to);
    let valuation = value_positions(trades, query, &coverage, (from, to), today);
    for (day, result) in differences.iter().map(|(day, amount)| (*day, *amount)).chain([(to, valuation.result)]) {
        days.entry(day).or_default().result += result;
    }
    days.retain(|_, day| *day != CapitalDay::default());
    let unknown_values = settlements.unsettled_futures().chain(trades.periods_of_bonus_without_cost()).collect();
    let capital = Capital { from, to, start_value, days, at_cost: trades.open_periods(), unknown_values };
    let bonus_at_start = trades.bonus_without_cost_before(from).into_iter();
    let bonus_at_end = trades.bonus_without_cost_before(after).into_iter();
    let bonus_at_end = bonus_at_end.filter(|position| !valuation.at_price.contains(position));
    Ok(AccountReturns {
        ledger_from: coverage.first_day,
        ledger_to: coverage.last_day,
        gaps: ledger.gaps(&coverage).into_iter().filter(|(first, last)| *first <= to && *last >= from).collect(),
        ledger_cash: ledger.cash_after(&coverage, to),
        difference: differences.values().sum(),
        trade_after_ledger: trades.last_trade.filter(|day| *day > coverage.last_day),
        open_positions: trades.count_open_before(after),
        positions_at_cost: trades.count_open_before(after).saturating_sub(valuation.at_price.len()),
        bonus_without_cost: bonus_at_start.chain(bonus_at_end).map(|(_, symbol)| symbol.to_owned()).collect(),
        symbols_without_price: valuation.symbols_without_price,
        is_start_at_cost: trades.count_open_before(from) > 0,
        capital,
    })
}

/// Returns the coverage of the last day of a period.
fn find_coverage(ledger: &LedgerHistory, from: Option<Date>, limit: Date) -> Result<Coverage, MissingInput> {
    let coverages = ledger.coverages();
    let (Some(first), Some(last)) = (coverages.first(), coverages.last()) else {
        return Err(if ledger.has_unknown_balance() { MissingInput::LedgerBalance } else { MissingInput::Ledger });
    };
    let index = coverages.partition_point(|coverage| coverage.first_day <= limit).checked_sub(1);
    let is_over = from.is_some_and(|from| from > limit);
    let Some((index, coverage)) = index.filter(|_| !is_over).and_then(|index| Some((index, coverages.get(index)?)))
    else {
        return Err(MissingInput::LedgerOfPeriod { first_day: first.first_day, last_day: last.last_day });
    };
    let before = index.checked_sub(1).and_then(|index| coverages.get(index));
    if let Some(before) = before
        && from.is_none_or(|from| from < coverage.first_day)
    {
        let difference = coverage.difference;
        return Err(MissingInput::LedgerEntries { after: before.last_day, before: coverage.first_day, difference });
    }
    Ok(*coverage)
}

/// Checks that the cost of each sale, each settlement of an expiry and the kinds of entries are known.
fn check_entries(trades: &AccountTrades, ledger: &LedgerHistory, from: Date, to: Date) -> Result<(), MissingInput> {
    let period = from..=to;
    let entries = ledger.unknown_entries.iter().filter(|entry| period.contains(&entry.day));
    let entries: Vec<UnknownEntry> = entries.cloned().collect();
    let days = || ledger.days.range(from..=to).map(|(_, day)| day);
    let unknown_amount: Decimal = days().map(|day| day.unknown_amount).sum();
    let (sales, expired, reduced) = (
        trades.count_missing_costs(from),
        trades.count_missing_settlements(from, to),
        trades.count_reduced_costs(from, to),
    );
    match () {
        () if unknown_amount > MAX_UNKNOWN_AMOUNT => {
            Err(MissingInput::UnknownEntries { count: days().map(|day| day.unknown_entries).sum(), entries })
        }
        () if sales > 0 => Err(MissingInput::CostBasis { count: sales }),
        () if expired > 0 => Err(MissingInput::Settlements { count: expired }),
        () if reduced > 0 => Err(MissingInput::ReducedCost { count: reduced }),
        () => Ok(()),
    }
}

/// Checks that no margin was blocked before the first day of a ledger that lists margin as entries, as Groww's do.
fn check_margin(
    broker: Broker,
    settlements: &Settlements,
    ledger: &LedgerHistory,
    coverage: &Coverage,
) -> Result<(), MissingInput> {
    if broker != Broker::Groww && !ledger.has_transfers(coverage) {
        return Ok(());
    }
    let is_free = |day| settlements.needs_no_margin_after(day);
    let is_free_at_start = coverage.first_day.previous_day().is_some_and(is_free);
    if ledger.may_lack_blocked_margin(coverage, is_free_at_start, is_free) {
        return Err(MissingInput::BlockedMargin { first_day: coverage.first_day });
    }
    Ok(())
}

/// Returns flows and results by day.
fn capital_days(trades: &AccountTrades, ledger: &LedgerHistory, from: Date, to: Date) -> BTreeMap<Date, CapitalDay> {
    let mut days: BTreeMap<Date, CapitalDay> = BTreeMap::new();
    if to < from {
        return days;
    }
    for (day, changes) in ledger.days.range(from..=to) {
        let own = days.entry(*day).or_default();
        own.deposits += changes.deposits;
        own.withdrawals += changes.withdrawals;
        own.result += changes.other;
    }
    for (day, changes) in trades.days.range(from..=to) {
        let own = days.entry(*day).or_default();
        own.transfers += changes.transfers;
        own.result += changes.shares.net + changes.contracts.net + changes.cost - changes.transfers;
    }
    days
}

/// Values of the positions that are open at the end of a period.
#[derive(Default)]
struct PositionValues<'a> {
    /// Positions that count at a price: number of the ledger and symbol.
    at_price: BTreeSet<(usize, &'a str)>,
    symbols_without_price: BTreeSet<String>,
    /// Result if they were closed at the prices, before charges.
    result: Decimal,
}

/// Values positions at the prices of now if the period ends with a ledger that is a few days old, and with the positions of
/// now. Otherwise, all count at cost, and so do those of which a lot, or the share of a bonus, was open at the start: prices
/// of that day are not known, so a price at the end would count what it had gained before. After a later split or bonus, the
/// number of shares does not match a price of the end.
fn value_positions<'a>(
    trades: &'a AccountTrades,
    query: &CapitalQuery,
    coverage: &Coverage,
    (from, to): (Date, Date),
    today: Date,
) -> PositionValues<'a> {
    let mut values = PositionValues::default();
    let has_later_trade = trades.last_trade.is_some_and(|day| day > to);
    let Some(after) = to.next_day().filter(|_| to == coverage.last_day && !has_later_trade) else { return values };
    if to.saturating_add(MAX_PRICE_AGE) < today {
        return values;
    }
    let is_new = |position: &&HeldPosition| {
        position.opened_on >= from && !trades.has_bonus_on_lots_before(from, position.ledger)
    };
    for position in trades.positions.iter().filter(is_new) {
        let is_same = trades.has_same_lots_before(after, position.ledger)
            && position.last_action.is_none_or(|action| action <= to);
        let price = query.prices.get(&position.symbol).filter(|_| is_same);
        if let Some(value) = price.and_then(|price| price.checked_mul(position.quantity)) {
            let value = if position.long { value.round_dp(2) } else { -value.round_dp(2) };
            values.result += value - position.cost;
            values.at_price.insert((position.ledger, &position.symbol));
        } else if is_same && position.quantity >= Decimal::ONE {
            values.symbols_without_price.insert(position.symbol.clone());
        }
    }
    values
}
