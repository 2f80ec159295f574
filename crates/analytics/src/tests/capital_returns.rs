//! Returns on capital of accounts, from ledgers and trades.

use std::collections::{BTreeMap, HashMap};

use super::*;
use crate::capital_returns::{AccountReturns, CapitalQuery, CapitalReturns, LedgerHistory, MissingInput, RateAbsence};

type Outcome = Result<AccountReturns, MissingInput>;

/// Returns the ledgers of lines such as `zerodha ledger 2026-04-01 2026-06-30 opening=0` and
/// `zerodha 2026-04-01 deposits=1000 balance=1000`. A balance that is left out follows from the other changes.
fn histories(lines: &str) -> BTreeMap<BrokerAccount, LedgerHistory> {
    let mut response = wire::ListCapitalFlowsResponse::default();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let account = BrokerAccount::from_key(fields[0]).unwrap();
        let (broker, broker_account) = (account.broker.to_wire().into(), account.number.into());
        let value = |name: &str| {
            fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default().to_owned()
        };
        let amount = |name: &str| Some(value(name)).filter(|text| !text.is_empty()).unwrap_or_else(|| "0".to_owned());
        if fields[1] == "ledger" {
            response.ledgers.push(wire::LedgerPeriodOfAccount {
                broker,
                broker_account,
                from: fields[2].to_owned(),
                to: fields[3].to_owned(),
                opening_balance: value("opening"),
                is_complete: !fields.contains(&"other-debits"),
            });
            continue;
        }
        let [deposits, withdrawals, other, transfers] = ["deposits", "withdrawals", "other", "transfers"].map(amount);
        let settlement = decimal(&amount("settlement"));
        let balance = decimal(&deposits) - decimal(&withdrawals) + decimal(&other) + decimal(&transfers) + settlement;
        response.days.push(wire::CapitalFlowDay {
            broker,
            broker_account,
            day: fields[1].to_owned(),
            deposits,
            withdrawals,
            other,
            transfers,
            balance: balance.to_string(),
        });
    }
    LedgerHistory::from_wire(response).unwrap()
}

fn returns(trades: &str, ledgers: &str, query: &CapitalQuery) -> CapitalReturns {
    CapitalReturns::new(&analysis(trades, &[]), &histories(ledgers), query)
}

fn zerodha(trades: &str, ledgers: &str, query: &CapitalQuery) -> Outcome {
    returns(trades, ledgers, query).accounts.remove(&account(Broker::Zerodha)).unwrap()
}

fn period(from: &str, to: &str) -> CapitalQuery {
    let parse = |text: &str| (!text.is_empty()).then(|| day(text));
    CapitalQuery { from: parse(from), to: parse(to), ..CapitalQuery::default() }
}

fn with_price(symbol: &str, price: &str) -> CapitalQuery {
    CapitalQuery { prices: HashMap::from([(symbol.to_owned(), decimal(price))]), ..CapitalQuery::default() }
}

/// Returns a rate in hundredths of a percent.
fn percent(rate: f64) -> i64 {
    (rate * 10_000.0).round() as i64
}

/// A profit of 1,000 before charges, whose settlement is posted on the next day.
const TRADES: &str = "
    2026-04-06 09:30 zerodha NSE buy INFY 10 1500
    2026-04-06 14:30 zerodha NSE sell INFY 10 1600";
const LEDGER: &str = "
    zerodha ledger 2026-04-01 2026-05-04 opening=0
    zerodha 2026-04-01 deposits=100000
    zerodha 2026-04-07 settlement=984
    zerodha 2026-05-04 other=-88.5";

#[test]
fn the_value_is_the_deposit_the_results_and_the_costs() {
    let account = zerodha(TRADES, LEDGER, &CapitalQuery::default()).unwrap();
    let net = account.capital.days[&day("2026-04-06")].result;
    assert!(net > decimal("950") && net < decimal("1000"), "{net}");
    assert_eq!(account.capital.start_value, Decimal::ZERO);
    assert_eq!(account.capital.sum(|day| day.deposits), decimal("100000"));
    assert_eq!(account.capital.end_value(), decimal("100000") + net - decimal("88.5"));
    assert_eq!((account.ledger_cash, account.ledger_to), (decimal("100895.5"), day("2026-05-04")));
    // No trade is later than the ledger, so the value is that of today.
    assert_eq!((account.capital.to, account.open_positions, account.is_approximate), (TODAY, 0, false));
}

#[test]
fn a_period_begins_with_the_value_of_the_day_before() {
    let all = zerodha(TRADES, LEDGER, &CapitalQuery::default()).unwrap();
    let net = all.capital.days[&day("2026-04-06")].result;
    let account = zerodha(TRADES, LEDGER, &period("2026-04-07", "2026-05-03")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000") + net, Decimal::ZERO));
    let account = zerodha(TRADES, LEDGER, &period("2026-04-06", "2026-05-04")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000"), net - decimal("88.5")));
    assert_eq!(account.capital.returns().xirr, Err(RateAbsence::ShortPeriod));
    // On the day of the deposit, and before the ledger.
    for from in ["2026-04-01", "2025-04-01"] {
        let account = zerodha(TRADES, LEDGER, &period(from, "2026-04-05")).unwrap();
        assert_eq!((account.capital.start_value, account.capital.from), (Decimal::ZERO, day("2026-04-01")));
    }
    for (from, to) in [("2026-03-01", "2026-03-31"), ("2026-11-21", "")] {
        let missing = zerodha(TRADES, LEDGER, &period(from, to)).unwrap_err();
        let (first_day, last_day) = (day("2026-04-01"), day("2026-05-04"));
        assert_eq!(missing, MissingInput::LedgerOfPeriod { first_day, last_day });
    }
}

#[test]
fn open_positions_count_at_the_price_or_at_cost() {
    let trades = "2026-04-06 09:30 zerodha NSE buy INFY 10 1500";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-06-01 opening=0
        zerodha 2026-04-01 deposits=20000
        zerodha 2026-04-07 settlement=-15020
        zerodha 2026-06-01 deposits=5000";
    let at_cost = zerodha(trades, ledgers, &CapitalQuery::default()).unwrap();
    assert_eq!(at_cost.capital.end_value(), decimal("25000"));
    assert_eq!((at_cost.open_positions, at_cost.positions_at_cost), (1, 1));
    assert!(at_cost.symbols_without_price.contains("INFY") && at_cost.is_approximate);
    let priced = zerodha(trades, ledgers, &with_price("INFY", "1650.55")).unwrap();
    assert_eq!(priced.capital.end_value(), decimal("26505.5"));
    assert_eq!((priced.open_positions, priced.positions_at_cost, priced.symbols_without_price.len()), (1, 0, 0));
    // Prices of now say nothing about an earlier day, nor about the day before the purchase.
    let earlier =
        zerodha(trades, ledgers, &CapitalQuery { to: Some(day("2026-06-01")), ..with_price("INFY", "1650.55") });
    let earlier = earlier.unwrap();
    assert_eq!((earlier.capital.end_value(), earlier.positions_at_cost), (decimal("25000"), 1));
    assert_eq!(zerodha(trades, ledgers, &period("", "2026-04-05")).unwrap().open_positions, 0);
    // The deposit of 1 June is before the period.
    let later = zerodha(trades, ledgers, &period("2026-06-02", "")).unwrap();
    assert!(later.is_start_at_cost && !later.is_approximate);
    assert_eq!(later.capital.start_value, decimal("25000"));
}

#[test]
fn short_options_and_futures_have_their_own_cost() {
    let ledgers = "
        zerodha ledger 2026-11-02 2026-11-12 opening=100000
        zerodha 2026-11-10 settlement=7400
        zerodha 2026-11-12 transfers=-60000";
    // A sold option: its premium is cash and a debt. Its price halves.
    let trades = "2026-11-10 10:00 zerodha NSE sell NIFTY26NOV26000CE 75 100";
    let symbol = "NIFTY26NOV26000CE";
    let account = zerodha(trades, ledgers, &with_price(symbol, "50")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000"), decimal("3750")));
    // Blocked margin still belongs to the trader.
    assert_eq!(account.ledger_cash, decimal("107400"));
    // A future that was open before the ledger has no cost.
    let trades = "2026-10-30 10:00 zerodha NSE buy NIFTY26NOVFUT 75 26000";
    let account = zerodha(trades, ledgers, &with_price("NIFTY26NOVFUT", "26100")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000"), decimal("7500")));
    assert!(account.is_start_at_cost);
}

#[test]
fn positions_before_the_ledger_are_a_part_of_the_start() {
    let trades = "
        2026-03-02 09:30 zerodha NSE buy INFY 10 1500
        2026-06-01 09:30 zerodha NSE sell INFY 10 1800";
    let ledgers = "
        zerodha ledger 2026-04-10 2026-06-02 opening=5000
        zerodha 2026-04-10 withdrawals=1000
        zerodha 2026-06-02 settlement=17960";
    let account = zerodha(trades, ledgers, &CapitalQuery::default()).unwrap();
    assert_eq!(account.capital.start_value, decimal("20000"));
    assert!(account.capital.gain() > decimal("2900") && account.capital.gain() < decimal("3000"));
    assert!(account.is_start_at_cost && account.is_approximate);
}

#[test]
fn ledgers_in_parts_join_and_a_gap_is_named() {
    let parts = |opening: &str| {
        format!(
            "
            zerodha ledger 2026-04-01 2026-05-31 opening=0
            zerodha ledger 2026-06-01 2026-06-30 opening={opening}
            zerodha 2026-04-01 deposits=100000
            zerodha 2026-05-31 withdrawals=20000
            zerodha 2026-06-01 deposits=1000
            zerodha 2026-06-30 withdrawals=500"
        )
    };
    let account = zerodha("", &parts("80000"), &CapitalQuery::default()).unwrap();
    assert_eq!((account.capital.end_value(), account.ledger_from), (decimal("80500"), day("2026-04-01")));
    // Fractions of a paisa are no gap; six paise are.
    assert!(zerodha("", &parts("80000.05"), &CapitalQuery::default()).is_ok());
    let missing = zerodha("", &parts("80000.06"), &CapitalQuery::default()).unwrap_err();
    let (after, before) = (day("2026-05-31"), day("2026-06-01"));
    assert_eq!(missing, MissingInput::LedgerEntries { after, before, difference: decimal("0.06") });
    // Periods on one side of the gap have returns.
    let after_gap = zerodha("", &parts("70000"), &period("2026-06-01", "")).unwrap();
    assert_eq!((after_gap.capital.start_value, after_gap.capital.end_value()), (decimal("70000"), decimal("70500")));
    let before_gap = zerodha("", &parts("70000"), &period("", "2026-05-31")).unwrap();
    assert_eq!((before_gap.capital.end_value(), before_gap.capital.to), (decimal("80000"), day("2026-05-31")));
    let across = zerodha("", &parts("70000"), &period("2026-05-31", "")).unwrap_err();
    assert!(matches!(across, MissingInput::LedgerEntries { .. }));
}

#[test]
fn accounts_without_a_usable_ledger_say_so() {
    let missing = |ledgers: &str| zerodha(TRADES, ledgers, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing(""), MissingInput::Ledger);
    assert_eq!(missing("groww ledger 2026-04-01 2026-04-30 opening=0"), MissingInput::Ledger);
    assert_eq!(missing("zerodha ledger 2026-04-01 2026-04-30 other-debits"), MissingInput::Ledger);
    assert_eq!(missing("zerodha ledger 2026-04-01 2026-04-30"), MissingInput::LedgerBalance);
}

#[test]
fn a_ledger_that_ends_before_the_trades_ends_the_period() {
    let (soon, late) =
        (format!("{TRADES}\n{}", trade_on("2026-05-11")), format!("{TRADES}\n{}", trade_on("2026-05-12")));
    let account = zerodha(&soon, LEDGER, &CapitalQuery::default()).unwrap();
    assert_eq!((account.capital.to, account.trade_after_ledger), (TODAY, Some(day("2026-05-11"))));
    let account = zerodha(&late, LEDGER, &CapitalQuery::default()).unwrap();
    assert_eq!((account.capital.to, account.trade_after_ledger), (day("2026-05-04"), Some(day("2026-05-12"))));
    assert_eq!((account.open_positions, account.capital.days.range(day("2026-05-05")..).count()), (0, 0));
}

fn trade_on(day: &str) -> String {
    format!("{day} 09:30 zerodha NSE buy TCS 1 3000")
}

#[test]
fn settlements_that_no_trade_explains_prevent_returns() {
    let with_settlement = |amount: &str| LEDGER.replace("=984", &format!("={amount}"));
    let outcome = |amount: &str| zerodha(TRADES, &with_settlement(amount), &CapitalQuery::default());
    // Estimated charges, which are some 50 rupees, may be wrong by as much, and by 100 rupees more.
    assert!(outcome("900").is_ok());
    assert!(matches!(outcome("700").unwrap_err(), MissingInput::Trades { difference } if difference < decimal("-200")));
    // A ledger without trades is only a ledger.
    let missing = zerodha("", LEDGER, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, MissingInput::Trades { difference: decimal("984") });
    // A purchase that is not settled yet.
    let bought = format!("{TRADES}\n2026-05-04 09:30 zerodha NSE buy TCS 10 3000");
    assert!(zerodha(&bought, LEDGER, &CapitalQuery::default()).is_ok());
    let long_ago = bought.replace("2026-05-04 ", "2026-04-20 ");
    assert!(matches!(zerodha(&long_ago, LEDGER, &CapitalQuery::default()), Err(MissingInput::Trades { .. })));
}

#[test]
fn missing_costs_and_settlements_prevent_returns_of_their_period() {
    let sale = format!("{TRADES}\n2026-04-20 09:30 zerodha NSE sell TCS 10 3000");
    let missing = zerodha(&sale, LEDGER, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, MissingInput::CostBasis { count: 1 });
    // Both sides of the day of the sale.
    assert!(zerodha(&sale, LEDGER, &period("", "2026-04-19")).is_ok());
    assert_eq!(zerodha(&sale, LEDGER, &period("", "2026-04-20")).unwrap_err(), missing);
    let expired = format!("{TRADES}\n2026-04-20 09:30 zerodha NSE buy NIFTY26APR26000CE 75 10");
    let missing = zerodha(&expired, LEDGER, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, MissingInput::Settlements { count: 1 });
}

#[test]
fn accounts_are_joined_and_filtered() {
    let ledgers = format!(
        "{LEDGER}
        groww ledger 2026-06-01 2026-06-01 opening=0
        groww 2026-06-01 deposits=50000
        zerodha-2 ledger 2026-06-01 2026-06-01 opening=-250.5
        zerodha-2 2026-06-01 other=-10"
    );
    let all = returns(TRADES, &ledgers, &CapitalQuery::default());
    assert_eq!(all.accounts.len(), 3);
    let total = all.total().unwrap();
    let sum: Decimal = all.accounts.values().map(|account| account.as_ref().unwrap().capital.end_value()).sum();
    assert_eq!((total.end_value(), total.from), (sum, day("2026-04-01")));
    let second = BrokerAccount { broker: Broker::Zerodha, number: 2 };
    let negative = all.accounts[&second].as_ref().unwrap().capital.returns();
    assert_eq!((negative.time_weighted, negative.period), (None, None));
    for (broker, number, count) in
        [(Some(Broker::Zerodha), None, 2), (Some(Broker::Zerodha), Some(2), 1), (Some(Broker::Dhan), None, 0)]
    {
        let query = CapitalQuery { broker, account_number: number, ..CapitalQuery::default() };
        let some = returns(TRADES, &ledgers, &query);
        assert_eq!((some.accounts.len(), some.total().is_some()), (count, count > 0));
    }
}

#[test]
fn xirr_and_time_weighted_returns_are_those_of_a_spreadsheet() {
    // Sold options without stated charges would cost an estimate; a cost of the ledger is exact.
    let ledgers = "
        zerodha ledger 2024-04-01 2025-11-28 opening=0
        zerodha 2024-04-01 deposits=100000
        zerodha 2024-07-15 deposits=50000
        zerodha 2025-01-10 withdrawals=30000
        zerodha 2025-06-20 deposits=20000
        zerodha 2025-11-28 other=15000.55";
    let account = zerodha("", ledgers, &period("", "2025-11-28")).unwrap();
    let returns = account.capital.returns();
    // LibreOffice: =XIRR of -100000, -50000, 30000, -20000 and 155000.55.
    assert_eq!(percent(returns.xirr.unwrap()), 677);
    // 15,000.55 of 1,40,000 on the last day.
    assert_eq!(percent(returns.time_weighted.unwrap()), 1_071);
    // 1.10715 to the power of 365 / 606.
    assert_eq!(percent(returns.time_weighted_annual.unwrap()), 632);
}
