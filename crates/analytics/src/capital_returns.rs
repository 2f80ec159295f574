//! Returns on the capital in accounts with brokers.
//!
//! The ledger of an account states deposits, withdrawals and costs outside trades; the trade log states the results of
//! trades. Results count on the day of the trade, as in all other figures, because ledgers post settlements on later days
//! and mark futures to market each day. So the value of an account is its first balance, the cost of the positions that
//! were open then, and all flows and results since. Open positions count at cost; those at the end at the price that the
//! trader stated, if there is one. The ledger's balance is the check: if it differs by more than unsettled trades and
//! estimated charges explain, nothing is computed.

mod account_trades;
mod capital;
mod ledger_history;
mod xirr;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rust_decimal::Decimal;
use time::{Date, Duration};

use self::account_trades::AccountTrades;
pub use self::capital::{Capital, CapitalDay, RateAbsence, Returns};
use self::ledger_history::Coverage;
pub use self::ledger_history::LedgerHistory;
use crate::analysis::Analysis;
use crate::fill::{Broker, BrokerAccount};

/// Days after a trade in which its settlement is posted, over weekends and holidays.
const SETTLEMENT_DAYS: Duration = Duration::days(7);
/// Rupees by which cash and balance may differ for no reason.
const MIN_TOLERANCE: Decimal = Decimal::ONE_HUNDRED;
/// Part of the cost of open positions that their charges may be: 0.5 %.
const OPEN_CHARGES: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

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
    /// The balance of the ledger differs from the cash that follows from the trades.
    Trades {
        difference: Decimal,
    },
}

/// Returns of one account.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountReturns {
    pub capital: Capital,
    /// Days of the ledgers.
    pub ledger_from: Date,
    pub ledger_to: Date,
    /// Cash that the ledger states at the end of the last day; settlements of the last trades may be missing in it.
    pub ledger_cash: Decimal,
    /// Last trade after the ledger.
    pub trade_after_ledger: Option<Date>,
    /// Positions that were open at the end, and those of them that count at cost.
    pub open_positions: usize,
    pub positions_at_cost: usize,
    /// Symbols of open positions that need a price.
    pub symbols_without_price: BTreeSet<String>,
    /// True if positions were open at the beginning of the period, which count at cost.
    pub is_start_at_cost: bool,
    /// True if positions were open at a deposit or withdrawal, which count at cost.
    pub is_approximate: bool,
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
            (account, account_returns(trades, ledger, query, analysis.today()))
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
    trades: &AccountTrades,
    ledger: &LedgerHistory,
    query: &CapitalQuery,
    today: Date,
) -> Result<AccountReturns, MissingInput> {
    let limit = query.to.map_or(today, |to| to.min(today));
    let (coverage, is_followed) = find_coverage(ledger, query.from, limit)?;
    let covers_all = trades.last_trade.is_none_or(|day| day <= coverage.last_day.saturating_add(SETTLEMENT_DAYS));
    let to = if covers_all && !is_followed { limit } else { limit.min(coverage.last_day) };
    let from = query.from.map_or(coverage.first_day, |from| from.max(coverage.first_day));
    if from > to {
        let (first_day, last_day) = (coverage.first_day, coverage.last_day);
        return Err(MissingInput::LedgerOfPeriod { first_day, last_day });
    }
    check_trades(trades, ledger, &coverage, to)?;

    let mut days = capital_days(trades, ledger, coverage.first_day, to);
    let (cost_before, _) = trades.open_before(coverage.first_day);
    let later = days.split_off(&from);
    let start_value = coverage.opening + cost_before + days.values().map(CapitalDay::change).sum::<Decimal>();
    let mut capital = Capital { from, to, start_value, days: later };
    let valuation = value_positions(trades, query, to, today);
    if !valuation.result.is_zero() {
        capital.days.entry(to).or_default().result += valuation.result;
    }
    Ok(AccountReturns {
        ledger_from: coverage.first_day,
        ledger_to: coverage.last_day,
        ledger_cash: ledger.cash_on(&coverage, to),
        trade_after_ledger: trades.last_trade.filter(|day| *day > coverage.last_day),
        open_positions: valuation.count,
        positions_at_cost: valuation.at_cost,
        symbols_without_price: valuation.symbols_without_price,
        is_start_at_cost: trades.count_open_before(from) > 0,
        is_approximate: trades.is_open_before_any(&days_of_flows(&capital)),
        capital,
    })
}

/// Returns the coverage of the last day of a period, and whether other ledgers follow after a gap.
fn find_coverage(ledger: &LedgerHistory, from: Option<Date>, limit: Date) -> Result<(Coverage, bool), MissingInput> {
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
    Ok((*coverage, index + 1 < coverages.len()))
}

/// Checks that results of trades are complete: each sale has a cost, each expiry a settlement, and the cash that follows
/// from the trades is the balance of the ledger.
fn check_trades(
    trades: &AccountTrades,
    ledger: &LedgerHistory,
    coverage: &Coverage,
    to: Date,
) -> Result<(), MissingInput> {
    let count = |days: &[Date]| days.iter().filter(|day| (coverage.first_day..=to).contains(*day)).count();
    let (sales, expired) = (count(&trades.missing_cost), count(&trades.awaiting_settlement));
    if sales > 0 {
        return Err(MissingInput::CostBasis { count: sales });
    }
    if expired > 0 {
        return Err(MissingInput::Settlements { count: expired });
    }
    let (first, last) = (coverage.first_day, coverage.last_day);
    let next = last.next_day().unwrap_or(last);
    let ((cost_before, futures_before), (cost_after, futures_after)) =
        (trades.open_before(first), trades.open_before(next));
    // Their daily settlements are in the balance, and in no result until they are closed.
    if futures_before || futures_after {
        return Ok(());
    }
    let changes: Decimal = capital_days(trades, ledger, first, last).values().map(CapitalDay::change).sum();
    let cash = coverage.opening + changes - (cost_after - cost_before);
    let difference = ledger.cash_on(coverage, last) - cash;
    let unsettled = trades.sum(first - SETTLEMENT_DAYS, first, |day| day.unsettled)
        + trades.sum(last - SETTLEMENT_DAYS, last, |day| day.unsettled);
    let other = trades.sum(first, last, |day| day.charges + day.corporate_actions);
    let open_charges = (cost_after.abs() + cost_before.abs()) * OPEN_CHARGES;
    if difference.abs() > MIN_TOLERANCE + unsettled + other + open_charges {
        return Err(MissingInput::Trades { difference });
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
        own.result += changes.result;
    }
    days.retain(|_, day| *day != CapitalDay::default());
    days
}

/// Returns the days before which a deposit came in or a withdrawal went out, after the start.
fn days_of_flows(capital: &Capital) -> Vec<Date> {
    let mut days = BTreeSet::new();
    for (day, change) in &capital.days {
        if !change.deposits.is_zero() || change.transfers > Decimal::ZERO {
            days.insert(*day);
        }
        if !change.withdrawals.is_zero() || change.transfers < Decimal::ZERO {
            days.extend(day.next_day());
        }
    }
    days.into_iter().filter(|day| (capital.from..=capital.to).contains(day)).collect()
}

/// Values of the positions that are open at the end of a period.
#[derive(Default)]
struct PositionValues {
    count: usize,
    at_cost: usize,
    symbols_without_price: BTreeSet<String>,
    /// Result if they were closed at the prices, before charges.
    result: Decimal,
}

/// Values positions at the prices of now. At the end of an earlier period, all count at cost.
fn value_positions(trades: &AccountTrades, query: &CapitalQuery, to: Date, today: Date) -> PositionValues {
    if to < today {
        let count = to.next_day().map_or(0, |next| trades.count_open_before(next));
        return PositionValues { count, at_cost: count, ..PositionValues::default() };
    }
    let mut values = PositionValues { count: trades.positions.len(), ..PositionValues::default() };
    for position in &trades.positions {
        let value = query.prices.get(&position.symbol).and_then(|price| price.checked_mul(position.quantity));
        if let Some(value) = value {
            let gain = value.round_dp(2) - position.value;
            values.result += if position.long { gain } else { -gain };
        } else {
            values.at_cost += 1;
            values.symbols_without_price.insert(position.symbol.clone());
        }
    }
    values
}
