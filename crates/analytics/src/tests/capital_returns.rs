//! Returns on capital of accounts, from ledgers and trades.

use std::collections::{BTreeMap, HashMap};

mod cut_ledgers;
mod hand_computed;

use super::*;
use crate::capital_returns::{
    AccountReturns, CapitalQuery, CapitalReturns, LedgerHistory, MissingInput, PeriodReturnAbsence, RateAbsence,
    TimeWeightedAbsence, UnexplainedSettlements,
};

type Outcome = Result<AccountReturns, MissingInput>;

/// Returns the ledgers of lines such as `zerodha ledger 2026-04-01 2026-06-30 opening=0` and
/// `zerodha 2026-04-01 deposits=1000 settlement=-500`. An entry of unknown kind is `zerodha unknown 2026-04-01 -500`.
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
        if fields[1] == "unknown" {
            let (on, change) = (fields[2], decimal(fields[3]));
            let (amount, text) = ((-change).to_string(), "Fund transfer".to_owned());
            let entry = wire::LedgerEntry {
                broker,
                broker_account,
                day: on.to_owned(),
                amount,
                particulars: text,
                ..Default::default()
            };
            response.unknown_entries.push(entry);
            response.days.push(wire::CapitalFlowDay {
                broker,
                broker_account,
                day: on.to_owned(),
                deposits: "0".to_owned(),
                withdrawals: "0".to_owned(),
                other: change.to_string(),
                transfers: "0".to_owned(),
                balance: change.to_string(),
                unknown_entries: 1,
                unknown_amount: change.abs().to_string(),
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
            unknown_entries: 0,
            unknown_amount: "0".to_owned(),
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

fn unexplained_settlements(first_day: Date, last_day: Date, difference: Decimal) -> MissingInput {
    MissingInput::Trades(UnexplainedSettlements { first_day, last_day, difference })
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
    // The charges were not those of the estimate.
    assert_eq!(account.difference, decimal("984") - net);
    assert_eq!((account.capital.end_value(), account.ledger_cash), (decimal("100895.5"), decimal("100895.5")));
    // The period ends with the ledger, not today.
    let last_day = day("2026-05-04");
    assert_eq!(
        (account.capital.to, account.ledger_to, account.capital.returns().is_approximate),
        (last_day, last_day, false)
    );
    let later = zerodha(TRADES, LEDGER, &period("", "2026-11-01")).unwrap();
    assert_eq!(later.capital.to, last_day);
}

#[test]
fn a_period_begins_with_the_value_of_the_day_before() {
    let all = zerodha(TRADES, LEDGER, &CapitalQuery::default()).unwrap();
    let net = all.capital.days[&day("2026-04-06")].result;
    // The settlement of 7 April is not in the ledger yet.
    let account = zerodha(TRADES, LEDGER, &period("2026-04-07", "2026-05-03")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000") + net, decimal("984") - net));
    let account = zerodha(TRADES, LEDGER, &period("2026-04-08", "2026-05-03")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100984"), Decimal::ZERO));
    let account = zerodha(TRADES, LEDGER, &period("2026-04-06", "2026-05-04")).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000"), decimal("895.5")));
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
    let ledgers = |last: &str| {
        format!(
            "zerodha ledger 2026-04-01 {last} opening=0
            zerodha 2026-04-01 deposits=20000
            zerodha 2026-04-07 settlement=-15020
            zerodha {last} deposits=5000"
        )
    };
    let fresh = ledgers("2026-11-13");
    let at_cost = zerodha(trades, &fresh, &CapitalQuery::default()).unwrap();
    // Cash of 9,980 and shares of 15,000.
    assert_eq!(at_cost.capital.end_value(), decimal("24980"));
    assert_eq!((at_cost.open_positions, at_cost.positions_at_cost), (1, 1));
    assert!(at_cost.symbols_without_price.contains("INFY") && at_cost.capital.returns().is_approximate);
    let priced = zerodha(trades, &fresh, &with_price("INFY", "1650.55")).unwrap();
    assert_eq!(priced.capital.end_value(), decimal("26485.5"));
    assert_eq!((priced.open_positions, priced.positions_at_cost, priced.symbols_without_price.len()), (1, 0, 0));
    // Prices of now say nothing about the end of an older ledger, of an earlier period, or after later trades.
    let sold = format!("{trades}\n2026-11-16 09:30 zerodha NSE sell INFY 5 1600");
    for (trades, last, to) in
        [(trades, "2026-11-12", None), (trades, "2026-11-13", Some(day("2026-11-12"))), (&sold, "2026-11-13", None)]
    {
        let earlier = zerodha(trades, &ledgers(last), &CapitalQuery { to, ..with_price("INFY", "1650.55") }).unwrap();
        let deposit = if to.is_some() { 5_000 } else { 0 };
        assert_eq!(earlier.capital.end_value(), decimal("24980") - Decimal::from(deposit), "{last}");
        assert_eq!((earlier.positions_at_cost, earlier.symbols_without_price.len()), (1, 0));
    }
    assert_eq!(zerodha(trades, &fresh, &period("", "2026-04-05")).unwrap().open_positions, 0);
    // The deposit of 1 November is before the period.
    let ledgers = ledgers("2026-11-13").replace("2026-11-13 deposits", "2026-11-02 deposits");
    let later = zerodha(trades, &ledgers, &period("2026-11-03", "")).unwrap();
    assert!(later.is_start_at_cost && !later.capital.returns().is_approximate);
    assert_eq!(later.capital.start_value, decimal("24980"));
}

#[test]
fn a_sold_option_is_cash_and_a_debt() {
    let ledgers = "
        zerodha ledger 2026-11-02 2026-11-12 opening=100000
        zerodha 2026-11-11 settlement=7470
        zerodha 2026-11-12 transfers=-60000";
    // Its price halves; 10 November is a holiday, and the trade is on the day before.
    let trades = "2026-11-09 10:00 zerodha NSE sell NIFTY26NOV26000CE 75 100";
    let account =
        zerodha(trades, ledgers, &CapitalQuery { to: Some(day("2026-11-12")), ..Default::default() }).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("100000"), decimal("-30")));
    // Blocked margin still belongs to the trader.
    assert_eq!(account.ledger_cash, decimal("107470"));
    let ledgers = format!("{ledgers}\nzerodha ledger 2026-11-13 2026-11-16 opening=47470");
    let account = zerodha(trades, &ledgers, &with_price("NIFTY26NOV26000CE", "50")).unwrap();
    assert_eq!(account.capital.gain(), decimal("3720"));
}

/// Trades on the day before a ledger, which it settles on its first days.
#[test]
fn trades_that_are_not_settled_at_the_start_count_once() {
    let charges = |trades: &str| {
        let ledgers = "zerodha ledger 2026-03-01 2026-05-04 opening=0\nzerodha 2026-03-02 deposits=100000";
        match zerodha(trades, ledgers, &CapitalQuery::default()) {
            Err(MissingInput::Trades(settlements)) => settlements.difference,
            other => panic!("{other:?}"),
        }
    };
    for (trades, last_day, cost) in [
        ("2026-03-31 09:30 zerodha NSE buy INFY 10 1500", "2026-04-20", "15000"),
        (
            "2026-03-31 09:30 zerodha NSE buy INFY 10 1500\n2026-03-31 09:31 zerodha NSE buy TCS 1 3000",
            "2026-04-20",
            "18000",
        ),
    ] {
        let paid = charges(trades);
        let rest = format!("zerodha {last_day} other=-88.5");
        // Settled on 1 April, a day after the trade: before, the cash is there and the shares, too.
        let settled = format!(
            "zerodha ledger 2026-04-01 {last_day} opening=100000\nzerodha 2026-04-01 settlement={}\n{rest}",
            -paid
        );
        let account = zerodha(trades, &settled, &CapitalQuery::default()).unwrap();
        assert_eq!(account.capital.start_value, decimal("100000") - paid + decimal(cost));
        assert_eq!(account.capital.gain(), decimal("-88.5"));
        // The ledger posts trades on their day, so the opening balance has the payment.
        let posted = format!(
            "zerodha ledger 2026-04-01 {last_day} opening={}\nzerodha 2026-04-01 withdrawals=1\n{rest}",
            decimal("100000") - paid
        );
        let account = zerodha(trades, &posted, &CapitalQuery::default()).unwrap();
        assert_eq!(account.capital.start_value, decimal("100000") - paid + decimal(cost));
        assert_eq!(account.capital.gain(), decimal("-88.5"));
        // The settlement of a day without trades in the log.
        let unexplained = settled.replace("2026-04-01 settlement", "2026-04-08 settlement");
        let missing = zerodha(trades, &unexplained, &CapitalQuery::default()).unwrap_err();
        assert_eq!(missing, unexplained_settlements(day("2026-04-08"), day("2026-04-08"), -paid));
    }
}

#[test]
fn trades_that_are_not_settled_at_the_end_count_once() {
    let trades = format!("{TRADES}\n2026-05-04 09:30 zerodha NSE buy TCS 10 3000");
    let account = zerodha(&trades, LEDGER, &CapitalQuery::default()).unwrap();
    // The shares and the debt; the charges of the purchase are some 40 rupees.
    let loss = decimal("100895.5") - account.capital.end_value();
    assert!(loss > decimal("20") && loss < decimal("60"), "{loss}");
    // Two days before 2023, so both days of trades are unsettled.
    let trades = "
        2022-06-01 09:30 zerodha NSE buy INFY 10 1500
        2022-06-14 09:30 zerodha NSE buy INFY 10 1500
        2022-06-15 09:30 zerodha NSE buy TCS 10 3000";
    let ledgers = "
        zerodha ledger 2022-05-02 2022-06-15 opening=0
        zerodha 2022-05-02 deposits=100000
        zerodha 2022-06-03 settlement=-15017.8
        zerodha 2022-06-15 other=-88.5";
    let account = zerodha(trades, ledgers, &CapitalQuery::default()).unwrap();
    let gain = account.capital.gain();
    assert!(gain > decimal("-220") && gain < decimal("-150"), "{gain}");
    // A week later, both have to be in the ledger.
    let late = format!("{ledgers}\nzerodha ledger 2022-06-16 2022-06-24 opening=84893.7");
    assert!(matches!(zerodha(trades, &late, &CapitalQuery::default()), Err(MissingInput::Trades(_))));
}

#[test]
fn futures_at_the_ends_of_a_period_prevent_returns() {
    // Bought before the ledger; the daily settlements since are in its balance.
    let trades = "
        2026-04-01 10:00 zerodha NSE buy NIFTY26APRFUT 75 26000
        2026-04-15 10:00 zerodha NSE sell NIFTY26APRFUT 75 26100";
    let ledgers = "
        zerodha ledger 2026-04-09 2026-05-29 opening=106000
        zerodha 2026-04-10 settlement=5000
        zerodha 2026-04-16 settlement=-4000
        zerodha 2026-05-29 other=-88.5";
    let missing = zerodha(trades, ledgers, &CapitalQuery::default()).unwrap_err();
    let period_without = (day("2026-04-17"), day("2026-05-29"));
    assert_eq!(missing, MissingInput::OpenFutures { day: day("2026-04-08"), period: Some(period_without) });
    let after = zerodha(trades, ledgers, &period("2026-04-17", "")).unwrap();
    assert_eq!((after.capital.start_value, after.capital.gain()), (decimal("107000"), decimal("-88.5")));
    // Open when the ledger ends.
    let open = format!("{TRADES}\n2026-04-29 10:00 zerodha NSE buy NIFTY26NOVFUT 75 26000");
    let missing = zerodha(&open, LEDGER, &CapitalQuery::default()).unwrap_err();
    let period_without = Some((day("2026-04-01"), day("2026-04-28")));
    assert_eq!(missing, MissingInput::OpenFutures { day: day("2026-05-04"), period: period_without });
    // An open future does not switch off the check of other trades.
    let unexplained = format!("{LEDGER}\nzerodha 2026-04-20 settlement=5000");
    let missing = zerodha(&open, &unexplained, &period("", "2026-04-28")).unwrap_err();
    assert!(matches!(missing, MissingInput::Trades(_)), "{missing:?}");
    // A future of one day is settled in cash.
    let intraday = "
        2026-04-06 10:00 zerodha NSE buy NIFTY26APRFUT 75 26000
        2026-04-06 14:00 zerodha NSE sell NIFTY26APRFUT 75 26020";
    assert!(zerodha(intraday, LEDGER, &CapitalQuery::default()).is_err());
    let settled = LEDGER.replace("=984", "=350");
    let account = zerodha(intraday, &settled, &CapitalQuery::default()).unwrap_or_else(|missing| panic!("{missing:?}"));
    assert_eq!(account.capital.end_value(), decimal("100261.5"));
}

#[test]
fn large_entries_of_an_unknown_kind_prevent_returns() {
    for (amount, is_large) in [("-100", false), ("100", false), ("-100.01", true), ("100.01", true)] {
        let ledgers = format!("{LEDGER}\nzerodha unknown 2026-04-20 {amount}");
        let outcome = zerodha(TRADES, &ledgers, &CapitalQuery::default());
        if is_large {
            let Err(MissingInput::UnknownEntries { count: 1, entries }) = outcome else { panic!("{outcome:?}") };
            assert_eq!((entries[0].amount, &*entries[0].text), (decimal(amount), "Fund transfer"));
            assert_eq!(entries[0].day, day("2026-04-20"));
            // Of other days.
            assert!(zerodha(TRADES, &ledgers, &period("2026-04-21", "")).is_ok());
        } else {
            assert_eq!(outcome.unwrap().capital.end_value(), decimal("100895.5") + decimal(amount));
        }
    }
}

#[test]
fn small_entries_of_an_unknown_kind_that_add_up_prevent_returns() {
    let ledgers =
        |second: &str| format!("{LEDGER}\nzerodha unknown 2026-04-20 -60\nzerodha unknown 2026-04-22 {second}");
    // Their signs do not cancel out.
    for second in ["-40.01", "40.01"] {
        let outcome = zerodha(TRADES, &ledgers(second), &CapitalQuery::default());
        assert!(matches!(outcome, Err(MissingInput::UnknownEntries { count: 2, .. })), "{outcome:?}");
        assert!(zerodha(TRADES, &ledgers(second), &period("", "2026-04-21")).is_ok());
    }
    assert!(zerodha(TRADES, &ledgers("-40"), &CapitalQuery::default()).is_ok());
}

#[test]
fn margin_that_was_blocked_before_the_ledger_prevents_returns() {
    let ledgers = |days: &str| format!("groww ledger 2026-04-01 2026-05-04 opening=50000\n{days}");
    let groww = |trades: &str, days: &str| {
        returns(trades, &ledgers(days), &CapitalQuery::default()).accounts.remove(&account(Broker::Groww)).unwrap()
    };
    let blocked = MissingInput::BlockedMargin { first_day: day("2026-04-01") };
    // Released without having been blocked.
    assert_eq!(groww("", "groww 2026-04-07 transfers=20000").unwrap_err(), blocked);
    // Blocked and released.
    let both = "groww 2026-04-07 transfers=-20000\ngroww 2026-04-08 transfers=20000";
    assert_eq!(groww("", both).unwrap().capital.end_value(), decimal("50000"));
    // A sold option that was open when the ledger began, and is still open.
    let option = "2026-03-02 10:00 groww NSE sell NIFTY26NOV26000CE 75 100";
    assert_eq!(groww(option, both).unwrap_err(), blocked);
    assert_eq!(groww(option, "groww 2026-04-07 other=-10").unwrap_err(), blocked);
    // Shares need no margin.
    let shares = "2026-03-02 10:00 groww NSE buy INFY 10 1500";
    assert_eq!(groww(shares, "groww 2026-04-07 other=-10").unwrap().capital.start_value, decimal("65000"));
}

#[test]
fn expired_contracts_without_a_settlement_are_not_open() {
    let trades = format!("{TRADES}\n2026-04-20 09:30 zerodha NSE buy NIFTY26APR26000CE 75 10");
    let missing = zerodha(&trades, LEDGER, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, MissingInput::Settlements { count: 1 });
    // Before the expiry it is open; after it, the ledger has its settlement.
    let with_purchase = format!("{LEDGER}\nzerodha 2026-04-21 settlement=-773");
    let before = zerodha(&trades, &with_purchase, &period("", "2026-04-24"));
    assert_eq!(before.unwrap().open_positions, 1);
    let late = "zerodha ledger 2026-06-01 2026-09-30 opening=1000\nzerodha 2026-09-30 other=-5";
    let later = zerodha(&trades, late, &CapitalQuery::default()).unwrap();
    assert_eq!((later.open_positions, later.capital.start_value), (0, decimal("1000")));
}

#[test]
fn a_reduced_cost_prevents_returns() {
    let trades = "2026-03-02 09:30 zerodha NSE buy INFY 10 1500";
    let ledgers = "zerodha ledger 2026-04-01 2026-05-04 opening=1000\nzerodha 2026-05-04 other=-5";
    let returned = adjustment("INFY", "2026-04-15", AdjustmentKind::CapitalReturn(decimal("100")));
    let analysis = analysis(trades, &[returned]);
    let mut all = CapitalReturns::new(&analysis, &histories(ledgers), &CapitalQuery::default()).accounts;
    let outcome = all.remove(&account(Broker::Zerodha)).unwrap();
    assert_eq!(outcome.unwrap_err(), MissingInput::ReducedCost { count: 1 });
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
    assert!(account.is_start_at_cost && account.capital.returns().is_approximate);
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
fn names_gaps_of_more_than_seven_days_between_ledgers() {
    let gaps = |first_day: &str, query: &CapitalQuery| {
        let ledgers = format!(
            "zerodha ledger 2026-04-01 2026-04-30 opening=0
            zerodha ledger 2026-04-05 2026-04-10 opening=1000
            zerodha ledger {first_day} 2026-06-30 opening=1000
            zerodha 2026-04-01 deposits=1000
            zerodha 2026-06-30 withdrawals=500"
        );
        zerodha("", &ledgers, query).unwrap().gaps
    };
    let all = CapitalQuery::default();
    // 1 to 7 May are seven days.
    assert_eq!(gaps("2026-05-08", &all), []);
    let gap = (day("2026-05-01"), day("2026-05-08"));
    assert_eq!(gaps("2026-05-09", &all), [gap]);
    assert_eq!(gaps("2026-05-09", &period("2026-05-08", "")), [gap]);
    assert_eq!(gaps("2026-05-09", &period("2026-05-09", "")), []);
    assert_eq!(gaps("2026-05-09", &period("", "2026-04-30")), []);
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
    let late = format!("{TRADES}\n{}", trade_on("2026-05-12"));
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
    // A fifth of the estimated charges, which are some 16 rupees, may be wrong, and 100 rupees more.
    let difference = outcome("900").unwrap().difference;
    assert!(difference > decimal("-90") && difference < decimal("-80"), "{difference}");
    assert!(matches!(outcome("870").unwrap_err(), MissingInput::Trades(one) if one.difference < decimal("-100")));
    // A ledger without trades is only a ledger.
    let missing = zerodha("", LEDGER, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, unexplained_settlements(day("2026-04-07"), day("2026-04-07"), decimal("984")));
    // Large trades of the days before the end, which the turnover of a week would hide.
    let bought = format!("{TRADES}\n2026-04-27 09:30 zerodha NSE buy TCS 10 3000");
    assert!(matches!(zerodha(&bought, LEDGER, &CapitalQuery::default()), Err(MissingInput::Trades(_))));
}

#[test]
fn missing_costs_prevent_returns() {
    let sale = format!("{TRADES}\n2026-04-20 09:30 zerodha NSE sell TCS 10 3000");
    let missing = zerodha(&sale, LEDGER, &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, MissingInput::CostBasis { count: 1 });
    // The shares were there in an earlier period, and in the time between it and the end of the ledger.
    for to in ["2026-04-19", "2026-04-20"] {
        assert_eq!(zerodha(&sale, LEDGER, &period("", to)).unwrap_err(), missing, "{to}");
    }
    // A later period has only the cash.
    let settled = format!("{LEDGER}\nzerodha 2026-04-21 settlement=29950");
    assert!(zerodha(&sale, &settled, &period("2026-04-28", "")).is_ok());
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
    // The ledger of the first account ends before; its value is taken out.
    assert_eq!((total.end_value(), total.from), (decimal("49739.5"), day("2026-04-01")));
    let first = all.accounts[&account(Broker::Zerodha)].as_ref().unwrap();
    assert_eq!(total.days[&day("2026-05-04")].withdrawals, first.capital.end_value());
    let second = BrokerAccount { broker: Broker::Zerodha, number: 2 };
    let negative = all.accounts[&second].as_ref().unwrap().capital.returns();
    assert_eq!(
        (negative.time_weighted, negative.period),
        (Err(TimeWeightedAbsence::NoCapital), Err(PeriodReturnAbsence::NoCapital))
    );
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
