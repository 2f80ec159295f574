//! Random accounts with true cash, whose ledgers are cut on any day: each part has the true returns, or none.

use std::collections::BTreeMap;

use proptest::prelude::*;
use time::Duration;

use super::*;
use crate::capital_returns::LedgerHistory;
use crate::expiry_calendar::next_trading_day;
use crate::fill::{Side, Source};
use crate::instrument::Class;

const FIRST: Date = date!(2025 - 04 - 01);
const DAYS: i64 = 150;

/// Random choices of a day.
#[derive(Clone, Debug)]
struct Choice {
    day: i64,
    kind: u8,
    quantity: i64,
    price: i64,
    open_days: i64,
}

fn choices(max_kind: u8) -> impl Strategy<Value = Vec<Choice>> {
    let choice = (0..DAYS, 0..max_kind, 1_i64..20, 500_i64..2_000, 0_i64..30)
        .prop_map(|(day, kind, quantity, price, open_days)| Choice { day, kind, quantity, price, open_days });
    prop::collection::vec(choice, 1..25)
}

fn trading_day(day: Date) -> Date {
    next_trading_day(day.previous_day().unwrap())
}

/// Account with its true cash.
#[derive(Default)]
struct Account {
    trades: String,
    /// Entries of the ledger by day.
    entries: BTreeMap<Date, LedgerLine>,
    /// Cash that was earned or spent, on the day of the trade.
    earned: BTreeMap<Date, Decimal>,
    /// Percent by which the charges exceed the estimate.
    charge_error: i64,
    /// Days, cost and whether it is a future, of lots.
    lots: Vec<(Date, Option<Date>, Decimal, bool)>,
}

#[derive(Clone, Copy, Default)]
struct LedgerLine {
    deposits: Decimal,
    withdrawals: Decimal,
    other: Decimal,
    settlement: Decimal,
}

impl LedgerLine {
    fn balance(&self) -> Decimal {
        self.deposits - self.withdrawals + self.other + self.settlement
    }
}

/// Returns the day on which a trade is settled.
fn settled_on(day: Date, lag: u8) -> Date {
    (0..lag).fold(day, |day, _| next_trading_day(day))
}

impl Account {
    /// Simulates trades with such lags between trades and settlements of shares and contracts.
    fn simulate(choices: &[Choice], (shares, contracts): (u8, u8), charge_error: i64) -> (Self, Analysis) {
        let mut account = Self { charge_error, ..Self::default() };
        account.entries.entry(FIRST).or_default().deposits += Decimal::from(200_000);
        for (index, choice) in choices.iter().enumerate() {
            account.add_choice(index, choice);
        }
        let analysis = analysis(&account.trades, &[]);
        account.settle(&analysis, shares, contracts);
        (account, analysis)
    }

    fn add_choice(&mut self, index: usize, choice: &Choice) {
        let day = FIRST + Duration::days(choice.day);
        let amount = Decimal::from(choice.price * choice.quantity);
        let own = self.entries.entry(day).or_default();
        match choice.kind {
            0 => own.deposits += amount,
            1 => own.withdrawals += amount,
            2 => own.other -= Decimal::new(choice.price, 1),
            kind => {
                let opened = trading_day(day);
                let closed = trading_day(opened + Duration::days(choice.open_days));
                let (symbol, quantity, side, other) = match kind {
                    3 | 4 => (format!("SHARE{}", index % 4), choice.quantity, "buy", "sell"),
                    5 => ("NIFTY26NOV26000CE".to_owned(), choice.quantity * 75, "sell", "buy"),
                    6 => ("NIFTY26DEC26000PE".to_owned(), choice.quantity * 75, "buy", "sell"),
                    _ => ("NIFTY26NOVFUT".to_owned(), 75, "buy", "sell"),
                };
                let exit = choice.price + choice.quantity * 7 - 60;
                let (price, exit) =
                    if kind < 5 { (choice.price, exit) } else { (choice.price / 10, (exit / 10).max(1)) };
                self.add_trade(opened, "10:00", side, &symbol, quantity, price);
                if closed < TODAY {
                    self.add_trade(closed, "14:00", other, &symbol, quantity, exit);
                }
            }
        }
    }

    fn add_trade(&mut self, day: Date, time: &str, side: &str, symbol: &str, quantity: i64, price: i64) {
        self.trades += &format!("{day} {time} zerodha NSE {side} {symbol} {quantity} {price}\n");
    }

    /// Posts the settlements of all trades, and marks futures to market each day at random prices.
    fn settle(&mut self, analysis: &Analysis, shares: u8, contracts: u8) {
        for ledger in analysis.ledgers() {
            for detail in ledger.lot_details() {
                assert_eq!(detail.fill.source, Source::Trade);
                let class = detail.fill.instrument.class;
                let value = if detail.fill.side == Side::Buy { -detail.value } else { detail.value };
                let dp = crate::capital_returns::depository_charges(&detail.charges, false);
                let value = if class == Class::Future { Decimal::ZERO } else { value };
                let charges = detail.charges.total() - dp;
                let net = value - charges * (Decimal::ONE + Decimal::new(self.charge_error, 2));
                let day = detail.fill.day;
                let lag = if class == Class::Equity { shares } else { contracts };
                self.post(day, settled_on(day, lag), net);
                self.entries.entry(settled_on(day, 1)).or_default().other -= dp;
            }
            for trade in &ledger.closed_trades {
                if trade.instrument.class == Class::Future {
                    self.mark_to_market(trade.opened_day, trade.closed_day, trade.gross, contracts);
                }
                for one in ledger.lot_matches(&trade.lot_matches) {
                    let detail = ledger.range_detail(&one.entry).unwrap();
                    self.add_lot(&detail, Some(trade.closed_day));
                }
            }
            for position in ledger.open_positions() {
                for range in &position.lots {
                    self.add_lot(&ledger.range_detail(range).unwrap(), None);
                }
            }
        }
    }

    fn add_lot(&mut self, detail: &crate::instrument_ledger::RangeDetail, closed: Option<Date>) {
        let is_future = detail.fill.instrument.class == Class::Future;
        let cost = if detail.fill.side == Side::Buy { detail.value } else { -detail.value };
        self.lots.push((detail.fill.day, closed, if is_future { Decimal::ZERO } else { cost }, is_future));
    }

    fn post(&mut self, earned: Date, settled: Date, amount: Decimal) {
        *self.earned.entry(earned).or_default() += amount;
        self.entries.entry(settled).or_default().settlement += amount;
    }

    fn mark_to_market(&mut self, opened: Date, closed: Date, gross: Decimal, lag: u8) {
        let (mut day, mut marked) = (opened, Decimal::ZERO);
        while day < closed {
            let change = Decimal::from(i64::from(day.ordinal()) * 37 % 401 - 200) * Decimal::TEN;
            self.post(day, settled_on(day, lag), change);
            marked += change;
            day = next_trading_day(day);
        }
        self.post(closed, settled_on(closed, lag), gross - marked);
    }

    /// Returns the true value at the end of a day; none while a future is open.
    fn value_after(&self, day: Date) -> Option<Decimal> {
        let open = |lot: &&(Date, Option<Date>, Decimal, bool)| lot.0 <= day && lot.1.is_none_or(|closed| closed > day);
        if self.lots.iter().filter(open).any(|lot| lot.3) {
            return None;
        }
        let flows = self.entries.range(..=day).map(|(_, line)| line.balance() - line.settlement);
        let earned = self.earned.range(..=day).map(|(_, amount)| *amount);
        Some(flows.chain(earned).chain(self.lots.iter().filter(open).map(|lot| lot.2)).sum())
    }

    /// Returns the ledger of some days, from the first to the last entry in them.
    fn cut(&self, from: Date, to: Date) -> Option<(Date, Date, BTreeMap<BrokerAccount, LedgerHistory>)> {
        let lines = || self.entries.range(from..=to).filter(|(_, line)| !line.balance().is_zero());
        let (first, last) = (*lines().next()?.0, *lines().next_back()?.0);
        let opening: Decimal = self.entries.range(..first).map(|(_, line)| line.balance()).sum();
        let mut text = format!("zerodha ledger {first} {last} opening={opening}\n");
        for (day, LedgerLine { deposits, withdrawals, other, settlement }) in self.entries.range(first..=last) {
            text += &format!(
                "zerodha {day} deposits={deposits} withdrawals={withdrawals} other={other} settlement={settlement}\n"
            );
        }
        Some((first, last, histories(&text)))
    }

    /// Returns true if no trade or future is near a boundary.
    fn is_clean_after(&self, day: Date) -> bool {
        let near = |other: Date| (day - Duration::days(10)..=day + Duration::days(10)).contains(&other);
        !self.earned.keys().any(|day| near(*day))
            && !self.lots.iter().any(|lot| lot.3 && lot.0 <= day && lot.1.is_none_or(|closed| closed > day))
    }

    /// Returns the error of a money-weighted rate: a step of Newton's method from it to the root of the true flows.
    fn true_rate_error(&self, first: Date, last: Date, rate: f64) -> Option<f64> {
        let start = self.value_after(first.previous_day().unwrap())?;
        let end = self.value_after(last)?;
        let years = |day: Date| (day - first).whole_days() as f64 / 365.0 + 1.0 / 365.0;
        let number = |amount: Decimal| amount.to_string().parse::<f64>().unwrap();
        let mut flows = vec![(0.0, -number(start)), (years(last), number(end))];
        flows.extend(
            self.entries.range(first..=last).map(|(day, line)| (years(*day), number(line.withdrawals - line.deposits))),
        );
        let value: f64 = flows.iter().map(|(at, amount)| amount * (1.0 + rate).powf(-at)).sum();
        let slope: f64 = flows.iter().map(|(at, amount)| -at * amount * (1.0 + rate).powf(-at - 1.0)).sum();
        Some((value / slope).abs())
    }
}

/// Counts of the results of cuts.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    clean: usize,
    rates: usize,
    reasons: BTreeMap<String, usize>,
}

/// Checks the figures of a period, if there are any.
fn check_figures(account: &Account, outcome: &Outcome, (first, last): (Date, Date), counts: &mut Counts) {
    let before = first.previous_day().unwrap();
    let is_clean = account.is_clean_after(before) && account.is_clean_after(last);
    counts.all += 1;
    counts.clean += usize::from(is_clean);
    let context = || format!("{first} {last}\n{}", account.trades);
    let returns = match outcome {
        Ok(returns) => returns,
        Err(missing) => {
            assert!(!is_clean, "{missing:?} {}", context());
            let kind = format!("{missing:?}").split(' ').next().unwrap().to_owned();
            *counts.reasons.entry(kind).or_default() += 1;
            return;
        }
    };
    let capital = &returns.capital;
    assert_eq!((capital.from, capital.to), (first, last));
    let error = |value: Decimal, day| (value - account.value_after(day).unwrap()).abs();
    let error = error(capital.start_value, before).max(error(capital.end_value(), last));
    if account.charge_error != 0 {
        // That of the trades that are not settled; the others have the charges of the ledger.
        assert!(error < Decimal::ONE_HUNDRED && (!is_clean || error.is_zero()), "{error} {}", context());
        return;
    }
    assert_eq!((error, returns.difference), (Decimal::ZERO, Decimal::ZERO), "{}", context());
    if let Ok(rate) = capital.returns().xirr
        && capital.start_value.abs() > Decimal::ONE_HUNDRED
    {
        counts.rates += 1;
        let error = account.true_rate_error(first, last, rate).unwrap();
        assert!(error < 1e-9 * (1.0 + rate.abs()), "{error} {rate} {}", context());
    }
}

fn check_cuts(choices: &[Choice], lags: (u8, u8), charge_error: i64, counts: &mut Counts) {
    let (account, analysis) = Account::simulate(choices, lags, charge_error);
    let outcome = |histories: &BTreeMap<BrokerAccount, LedgerHistory>, query: &CapitalQuery| {
        let mut returns = CapitalReturns::new(&analysis, histories, query);
        returns.accounts.remove(&super::account(Broker::Zerodha)).unwrap()
    };
    let (.., whole) = account.cut(FIRST, Date::MAX).unwrap();
    for from in (0..DAYS).step_by(4) {
        for to in (from..DAYS + 10).step_by(11).chain([from + 1, from + 2]) {
            let (from, to) = (FIRST + Duration::days(from), FIRST + Duration::days(to));
            let Some((first, last, histories)) = account.cut(from, to) else { continue };
            check_figures(&account, &outcome(&histories, &CapitalQuery::default()), (first, last), counts);
            // The same days of a longer ledger.
            let period = CapitalQuery { from: Some(first), to: Some(last), ..CapitalQuery::default() };
            check_figures(&account, &outcome(&whole, &period), (first, last), counts);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn each_cut_of_a_ledger_has_the_true_returns_or_a_reason(
        choices in choices(9),
        shares in 0_u8..=2,
        contracts in 0_u8..=1,
        charge_error in prop::sample::select(vec![0, 0, -10, 10]),
    ) {
        check_cuts(&choices, (shares, contracts), charge_error, &mut Counts::default());
    }
}

#[test]
fn cuts_without_trades_nearby_always_have_returns_and_most_others_too() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut counts = Counts::default();
    for index in 0..24_u8 {
        // The first accounts trade no futures.
        let choices = choices(if index < 12 { 7 } else { 9 }).new_tree(&mut runner).unwrap().current();
        check_cuts(&choices, (1, 1), 0, &mut counts);
    }
    // A clean cut without returns fails in the check.
    let without: usize = counts.reasons.values().sum();
    assert!(counts.clean > 500 && counts.rates > 500 && without * 3 < counts.all, "{counts:?}");
}

#[test]
fn a_missing_settlement_near_the_end_is_not_hidden_by_the_charges_of_a_long_ledger() {
    let option = |index: i64| Choice { day: index * 4, kind: 6, quantity: 19, price: 1_999, open_days: 0 };
    let share = Choice { day: 139, kind: 3, quantity: 1, price: 1_500, open_days: 20 };
    let deposit = Choice { day: 145, kind: 0, quantity: 1, price: 1_000, open_days: 0 };
    let choices: Vec<Choice> = (0..30_i64).map(option).chain([share, deposit]).collect();
    let (mut account, analysis) = Account::simulate(&choices, (1, 1), 0);
    let outcome = |account: &Account| {
        let (.., histories) = account.cut(FIRST, FIRST + Duration::days(145)).unwrap();
        let mut returns = CapitalReturns::new(&analysis, &histories, &CapitalQuery::default());
        returns.accounts.remove(&super::account(Broker::Zerodha)).unwrap()
    };
    assert_eq!(outcome(&account).unwrap().difference, Decimal::ZERO);
    let settled = settled_on(trading_day(FIRST + Duration::days(139)), 1);
    let settlement = &mut account.entries.get_mut(&settled).unwrap().settlement;
    assert!(*settlement < Decimal::from(-1_500), "{settlement}");
    *settlement = Decimal::ZERO;
    let missing = outcome(&account).unwrap_err();
    assert!(matches!(missing, MissingInput::Trades(one) if one.last_day == settled), "{missing:?}");
}
