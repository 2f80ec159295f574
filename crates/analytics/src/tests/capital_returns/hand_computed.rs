//! Accounts without charges, whose returns are computed by hand.

use super::*;
use crate::adjustment::Ratio;
use crate::instrument::Class;

/// Returns the outcome of the first account with Zerodha if nothing is charged.
fn outcome(trades: &str, adjustments: &[Adjustment], ledgers: &str, query: &CapitalQuery) -> Outcome {
    let analysis = Analysis::new(ledger(trades), adjustments, no_charges(), TODAY);
    let mut accounts = CapitalReturns::new(&analysis, &histories(ledgers), query).accounts;
    accounts.remove(&account(Broker::Zerodha)).unwrap()
}

fn with_prices(prices: &[(&str, &str)]) -> CapitalQuery {
    let prices = prices.iter().map(|(symbol, price)| ((*symbol).to_owned(), decimal(price))).collect();
    CapitalQuery { prices, ..CapitalQuery::default() }
}

const ONE_TO_ONE: Ratio = Ratio { new: 1, old: 1 };

#[test]
fn a_difference_counts_on_the_day_of_its_settlement() {
    // The settlement is 80 less than the profit of 1,000. Nearly all is withdrawn a day later.
    let ledgers = "
        zerodha ledger 2026-04-01 2026-04-30 opening=0
        zerodha 2026-04-01 deposits=100000
        zerodha 2026-04-07 settlement=920
        zerodha 2026-04-08 withdrawals=100400
        zerodha 2026-04-30 withdrawals=1";
    let account = outcome(TRADES, &[], ledgers, &CapitalQuery::default()).unwrap();
    assert_eq!((account.difference, account.capital.end_value()), (decimal("-80"), decimal("519")));
    assert_eq!(account.capital.days[&day("2026-04-07")].result, decimal("-80"));
    // 101,000 / 100,000 * 100,920 / 101,000; on the last day, 520 / 600 would make -12.5 % of it.
    assert_eq!(percent(account.capital.returns().time_weighted.unwrap()), 92);
}

#[test]
fn daily_settlements_of_futures_count_on_their_trading_days() {
    // 10,000, -11,000, 20,000 and 500 on 20 to 23 April, each settled a day later: 260 points of 75 units.
    let trades = "
        2026-04-20 10:00 zerodha NSE buy NIFTY26MAYFUT 75 26000
        2026-04-23 10:00 zerodha NSE sell NIFTY26MAYFUT 75 26260";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-04-30 opening=0
        zerodha 2026-04-01 deposits=100000
        zerodha 2026-04-21 settlement=10000
        zerodha 2026-04-22 deposits=101000 settlement=-11000
        zerodha 2026-04-23 withdrawals=100500 settlement=20000
        zerodha 2026-04-24 settlement=500
        zerodha 2026-04-30 withdrawals=1";
    let account = outcome(trades, &[], ledgers, &CapitalQuery::default()).unwrap();
    assert_eq!((account.difference, account.capital.end_value()), (Decimal::ZERO, decimal("119999")));
    let results =
        ["2026-04-20", "2026-04-21", "2026-04-22", "2026-04-23"].map(|on| account.capital.days[&day(on)].result);
    assert_eq!(results, ["10000", "-11000", "20000", "500"].map(decimal));
    // A deposit or withdrawal meets a value that only the daily settlement prices tell.
    assert_eq!(account.capital.returns().time_weighted, Err(TimeWeightedAbsence::UnknownValue));
    // Before the purchase and after the last settlement, the value is known: 19,500 of 1,00,000.
    let around = ledgers.replace("deposits=101000", "").replace("withdrawals=100500", "");
    let account = outcome(trades, &[], &around, &CapitalQuery::default()).unwrap();
    assert_eq!(percent(account.capital.returns().time_weighted.unwrap()), 1_950);
    // Only the sum of the daily settlements follows from the trades: 700 - 500.
    let missing = outcome(trades, &[], &ledgers.replace("=500", "=700"), &CapitalQuery::default()).unwrap_err();
    assert_eq!(missing, unexplained_settlements(day("2026-04-21"), day("2026-04-24"), decimal("200")));
}

#[test]
fn the_cash_part_of_a_merger_prevents_returns() {
    // 10 shares at 1,500; the merger pays 100 rupees each to the bank account, and the new shares cost 14,000.
    let trades = "2026-03-02 09:30 zerodha NSE buy INFY 10 1500";
    let ledgers = "zerodha ledger 2026-04-01 2026-05-04 opening=1000\nzerodha 2026-05-04 other=-5";
    let merger = |cash: &str| {
        let kind = AdjustmentKind::Merger { into: "TCS".to_owned(), ratio: ONE_TO_ONE, cash: decimal(cash) };
        outcome(trades, &[adjustment("INFY", "2026-04-15", kind)], ledgers, &CapitalQuery::default())
    };
    assert_eq!(merger("100").unwrap_err(), MissingInput::ReducedCost { count: 1 });
    assert_eq!(merger("0").unwrap().capital.start_value, decimal("16000"));
}

#[test]
fn positions_that_were_open_at_the_start_count_at_cost_at_the_end_too() {
    let trades = "
        2026-04-06 09:30 zerodha NSE buy INFY 10 1500
        2026-11-04 09:30 zerodha NSE buy INFY 1 1550
        2026-11-04 09:30 zerodha NSE buy TCS 1 1000";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-11-13 opening=0
        zerodha 2026-04-01 deposits=20000
        zerodha 2026-04-07 settlement=-15000
        zerodha 2026-11-05 settlement=-2550
        zerodha 2026-11-13 withdrawals=1";
    let prices = with_prices(&[("INFY", "1650"), ("TCS", "1100")]);
    let later = CapitalQuery { from: Some(day("2026-11-03")), ..prices.clone() };
    // 5,000 and shares of 15,000. Only the position that was opened later counts at its price: 1,100 less 1,000.
    let account = outcome(trades, &[], ledgers, &later).unwrap();
    assert_eq!((account.capital.start_value, account.capital.gain()), (decimal("20000"), decimal("100")));
    assert_eq!((account.open_positions, account.positions_at_cost, account.is_start_at_cost), (2, 1, true));
    // A price of these shares changes nothing, so none is requested.
    let without = CapitalQuery { prices: HashMap::new(), ..later };
    let symbols = outcome(trades, &[], ledgers, &without).unwrap().symbols_without_price;
    assert_eq!(symbols.into_iter().collect::<Vec<_>>(), ["TCS"]);
    // From the beginning, all count at prices: 10 * 150 + 100 + 100.
    assert_eq!(outcome(trades, &[], ledgers, &prices).unwrap().capital.gain(), decimal("1700"));
}

#[test]
fn prices_apply_to_shares_of_demergers_and_mergers_and_to_fractions() {
    let value = |symbol: &str, settlement: &str, price: &str, action: Adjustment, prices: &[(&str, &str)]| {
        let trades = format!("2026-04-06 09:30 zerodha NSE buy {symbol} 10 {price}");
        let ledgers = format!(
            "zerodha ledger 2026-04-01 2026-11-13 opening=0
            zerodha 2026-04-01 deposits=20000
            zerodha 2026-04-07 settlement={settlement}
            zerodha 2026-11-13 withdrawals=1"
        );
        let account = outcome(&trades, &[action], &ledgers, &with_prices(prices)).unwrap();
        (account.capital.gain(), account.open_positions, account.positions_at_cost)
    };
    // 10 * 2,100 + 10 * 250 less 20,000.
    let (new_symbol, cost_percent) = ("VAML".to_owned(), decimal("5"));
    let kind = AdjustmentKind::Demerger { new_symbol, ratio: ONE_TO_ONE, cost_percent };
    let demerger = adjustment("VEDL", "2026-05-04", kind);
    let prices = [("VEDL", "2100"), ("VAML", "250")];
    assert_eq!(value("VEDL", "-20000", "2000", demerger.clone(), &prices), (decimal("3500"), 2, 0));
    // The cost of the new shares is 5 % of 20,000: 21,000 + 1,000 less 20,000.
    assert_eq!(value("VEDL", "-20000", "2000", demerger, &prices[..1]), (decimal("2000"), 2, 1));
    // 2.5 new shares, of which the half awaits its payment: 2.5 * 1,300 less 3,000.
    let kind = AdjustmentKind::Merger { into: "TCS".to_owned(), ratio: Ratio { new: 1, old: 4 }, cash: Decimal::ZERO };
    let merger = adjustment("INFY", "2026-05-04", kind);
    assert_eq!(value("INFY", "-3000", "300", merger, &[("TCS", "1300")]), (decimal("250"), 1, 0));
}

/// Returns the settlement of a share that is bought on 1 June 2026 among options with high charges, and a function from the
/// ledger line of that settlement to the outcome.
fn purchase_among_high_charges(other_trades: &str) -> (Decimal, impl Fn(&str) -> Outcome) {
    let mut trades = format!("{other_trades}\n");
    for index in 0..40 {
        let on = day("2026-01-05") + time::Duration::days(index);
        trades += &format!("{on} 09:30 zerodha NSE buy NIFTY26NOV26000CE 7500 200\n");
        trades += &format!("{on} 10:30 zerodha NSE sell NIFTY26NOV26000CE 7500 200\n");
    }
    trades += "2026-06-01 09:30 zerodha NSE buy INFY 1 1500";
    let analysis = analysis(&trades, &[]);
    // Settlements with the estimated charges, each on the next trading day; that of the share is given.
    let mut settlements: BTreeMap<Date, Decimal> = BTreeMap::new();
    let mut of_share = Decimal::ZERO;
    for detail in analysis.ledgers().flat_map(InstrumentLedger::lot_details) {
        let value = match detail.fill.side {
            _ if detail.fill.instrument.class == Class::Future => Decimal::ZERO,
            Side::Buy => -detail.value,
            Side::Sell => detail.value,
        };
        let net = value - detail.charges.total();
        if detail.fill.instrument.symbol == "INFY" {
            of_share = net;
        } else {
            *settlements.entry(crate::expiry_calendar::next_trading_day(detail.fill.day)).or_default() += net;
        }
    }
    let outcome = move |share: &str| {
        let mut ledgers = format!("zerodha ledger 2026-01-01 2026-10-30 opening=9000000\n{share}\n");
        for (on, amount) in &settlements {
            ledgers += &format!("zerodha {on} settlement={amount}\n");
        }
        ledgers += "zerodha 2026-10-30 other=-1";
        let mut accounts = CapitalReturns::new(&analysis, &histories(&ledgers), &CapitalQuery::default()).accounts;
        accounts.remove(&account(Broker::Zerodha)).unwrap()
    };
    (of_share, outcome)
}

#[test]
fn a_missing_settlement_prevents_returns_in_a_long_ledger_with_high_charges() {
    // A fifth of the estimated charges of the options is more than the settlement of the share, 1,500 rupees.
    let (of_share, outcome) = purchase_among_high_charges("");
    // On the day after the trade, or a day later because of a bank holiday.
    for on in ["2026-06-02", "2026-06-03"] {
        assert_eq!(outcome(&format!("zerodha {on} settlement={of_share}")).unwrap().difference, Decimal::ZERO);
    }
    let on = day("2026-06-02");
    assert_eq!(outcome("").unwrap_err(), unexplained_settlements(on, on, -of_share));
}

#[test]
fn a_missing_settlement_prevents_returns_while_a_future_is_held() {
    // Bought and sold at the same price.
    let future = "
        2026-01-05 09:30 zerodha NSE buy NIFTY26JUNFUT 75 26000
        2026-06-15 09:30 zerodha NSE sell NIFTY26JUNFUT 75 26000";
    let (of_share, outcome) = purchase_among_high_charges(future);
    assert_eq!(outcome(&format!("zerodha 2026-06-02 settlement={of_share}")).unwrap().difference, Decimal::ZERO);
    let missing = outcome("").unwrap_err();
    assert_eq!(missing, unexplained_settlements(day("2026-01-06"), day("2026-06-16"), -of_share));
}

#[test]
fn a_settlement_that_is_posted_late_or_early_counts_with_its_trade() {
    // 50 shares at 1,000 are sold at cost. 31 March is a holiday, so the settlement is due on 1 April.
    let trades = "
        2026-01-12 09:30 zerodha NSE buy INFY 50 1000
        2026-03-30 09:30 zerodha NSE sell INFY 50 1000";
    let rate = |days: &str| {
        let ledgers = format!(
            "zerodha ledger 2026-01-05 2026-04-30 opening=0
            zerodha 2026-01-05 deposits=60000
            zerodha 2026-01-13 settlement=-50000
            {days}"
        );
        let account = outcome(trades, &[], &ledgers, &CapitalQuery::default()).unwrap();
        assert_eq!((account.capital.gain(), account.difference), (Decimal::ZERO, Decimal::ZERO));
        percent(account.capital.returns().time_weighted.unwrap())
    };
    assert_eq!(rate("zerodha 2026-04-01 deposits=40000 settlement=50000"), 0);
    assert_eq!(rate("zerodha 2026-04-02 deposits=40000 settlement=50000"), 0);
    assert_eq!(rate("zerodha 2026-03-30 withdrawals=55000 settlement=50000"), 0);
    // 200 rupees are missing on the day, and 120 of them come a day later.
    let rest = "zerodha 2026-04-01 settlement=49800\nzerodha 2026-04-02 deposits=40000 settlement=120";
    let ledgers = format!(
        "zerodha ledger 2026-01-05 2026-04-30 opening=0
        zerodha 2026-01-05 deposits=60000
        zerodha 2026-01-13 settlement=-50000
        {rest}"
    );
    let account = outcome(trades, &[], &ledgers, &CapitalQuery::default()).unwrap();
    assert_eq!(account.capital.days[&day("2026-04-02")].result, decimal("-80"));
    // 99,920 of 1,00,000.
    assert_eq!(percent(account.capital.returns().time_weighted.unwrap()), -8);
}

#[test]
fn futures_have_no_results_before_they_are_bought() {
    // 10,000, 2,000 and 3,000 on 20 to 22 April, each posted on its day: 200 points of 75 units.
    let trades = "
        2026-04-20 10:00 zerodha NSE buy NIFTY26MAYFUT 75 26000
        2026-04-22 10:00 zerodha NSE sell NIFTY26MAYFUT 75 26200";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-04-30 opening=0
        zerodha 2026-04-01 deposits=100000
        zerodha 2026-04-20 deposits=100000 settlement=10000
        zerodha 2026-04-21 settlement=2000
        zerodha 2026-04-22 settlement=3000";
    let account = outcome(trades, &[], ledgers, &CapitalQuery::default()).unwrap();
    // 15,000 of 2,00,000; before the deposit, 10,000 would be 10 % of 1,00,000.
    assert_eq!(percent(account.capital.returns().time_weighted.unwrap()), 750);
}

#[test]
fn names_bonus_shares_without_a_cost() {
    // 10 at 100; a bonus of 1:1, after which the 10 older ones are sold at 50. The 10 new ones are worth 500 and count 0, so
    // the gain is -500 and not 0.
    let trades = "
        2026-04-06 09:30 zerodha NSE buy WIPRO 10 100
        2026-06-08 09:30 zerodha NSE sell WIPRO 10 50";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-11-13 opening=0
        zerodha 2026-04-01 deposits=20000
        zerodha 2026-04-07 settlement=-1000
        zerodha 2026-06-09 settlement=500
        zerodha 2026-11-13 withdrawals=1";
    let bonus = |ex_date: &str, allotted: &str| {
        let kind = AdjustmentKind::Bonus { ratio: ONE_TO_ONE, allotted: Some(day(allotted)) };
        adjustment("WIPRO", ex_date, kind)
    };
    let symbols = |bonus: Adjustment, query: &CapitalQuery| {
        let account = outcome(trades, &[bonus], ledgers, query).unwrap();
        (account.capital.gain(), account.bonus_without_cost.into_iter().collect::<Vec<_>>())
    };
    let named = vec!["WIPRO".to_owned()];
    let all = CapitalQuery::default();
    let on = bonus("2026-06-01", "2026-06-01");
    assert_eq!(symbols(on.clone(), &all), (decimal("-500"), named.clone()));
    // Sold between the ex-date and the allotment.
    assert_eq!(symbols(bonus("2026-06-08", "2026-06-10"), &all), (decimal("-500"), named.clone()));
    assert_eq!(symbols(bonus("2026-06-08", "2026-06-10"), &period("", "2026-06-09")), (decimal("-500"), named.clone()));
    // At a price of 50, nothing is missing, nor before the sale.
    assert_eq!(symbols(on.clone(), &with_prices(&[("WIPRO", "50")])), (Decimal::ZERO, Vec::new()));
    assert_eq!(symbols(on.clone(), &period("", "2026-06-05")), (Decimal::ZERO, Vec::new()));
    // At the start of a later period.
    assert_eq!(symbols(on, &period("2026-07-01", "")), (Decimal::ZERO, named));
    // A bonus on the shares that a sale left has its cost.
    let half = trades.replace("sell WIPRO 10", "sell WIPRO 5");
    let settled = ledgers.replace("=500", "=250");
    let account = outcome(&half, &[bonus("2026-06-15", "2026-06-15")], &settled, &all).unwrap();
    assert_eq!((account.capital.gain(), account.bonus_without_cost.len()), (decimal("-250"), 0));
}

#[test]
fn a_late_settlement_at_a_boundary_needs_a_longer_ledger_or_another_period() {
    // The purchase of 1 June is settled on 3 June instead of 2 June, as after a bank holiday.
    let trades = "
        2026-04-06 09:30 zerodha NSE buy TCS 10 3000
        2026-06-01 09:30 zerodha NSE buy INFY 10 1500";
    let missing = |last_day: &str| {
        let ledgers = format!(
            "zerodha ledger 2026-04-01 {last_day} opening=0
            zerodha 2026-04-01 deposits=50000
            zerodha 2026-04-07 settlement=-30000
            zerodha 2026-06-03 settlement=-15000
            zerodha {last_day} withdrawals=1"
        );
        outcome(trades, &[], &ledgers, &period("", "2026-06-01")).unwrap_err()
    };
    let on = day("2026-06-01");
    assert_eq!(missing("2026-06-06"), MissingInput::UnsettledTrades { day: on, is_inside_ledger: false });
    assert_eq!(missing("2026-06-07"), MissingInput::UnsettledTrades { day: on, is_inside_ledger: true });
}

#[test]
fn no_price_applies_to_bonus_shares_of_a_position_that_was_open_at_the_start() {
    // 100 at 100 before the period; a bonus of 1:1, after which the older shares are sold at 300.
    let trades = "
        2026-01-12 09:30 zerodha NSE buy WIPRO 100 100
        2026-07-01 09:30 zerodha NSE sell WIPRO 100 300";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-11-13 opening=20000
        zerodha 2026-07-02 settlement=30000";
    let bonus = adjustment("WIPRO", "2026-06-01", AdjustmentKind::Bonus { ratio: ONE_TO_ONE, allotted: None });
    let account = outcome(trades, &[bonus], ledgers, &with_prices(&[("WIPRO", "300")])).unwrap();
    // The value of 30,000 of the bonus shares is what the older ones had gained before.
    assert_eq!((account.capital.gain(), account.positions_at_cost), (decimal("20000"), 1));
    assert!(account.bonus_without_cost.contains("WIPRO") && account.symbols_without_price.is_empty());
}

#[test]
fn no_price_applies_to_shares_that_were_split_after_the_ledger() {
    let trades = "2026-04-06 09:30 zerodha NSE buy INFY 10 1500";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-11-13 opening=20000
        zerodha 2026-04-07 settlement=-15000";
    let value = |ex_date: &str| {
        let split = adjustment("INFY", ex_date, AdjustmentKind::Split(Ratio { new: 10, old: 1 }));
        let account = outcome(trades, &[split], ledgers, &with_prices(&[("INFY", "165")])).unwrap();
        (account.capital.gain(), account.positions_at_cost, account.symbols_without_price.len())
    };
    // 100 shares at 165 less 15,000.
    assert_eq!(value("2026-11-13"), (decimal("1500"), 0, 0));
    // On 13 November there were 10, with a price ten times as high.
    assert_eq!(value("2026-11-16"), (Decimal::ZERO, 1, 0));
}

#[test]
fn a_flow_while_bonus_shares_lack_their_cost_has_no_time_weighted_return() {
    // 100 at 100, then 200 at 50: nothing is gained. Between the sales, the bonus shares count 0.
    let trades = "
        2026-04-06 09:30 zerodha NSE buy WIPRO 100 100
        2026-06-08 09:30 zerodha NSE sell WIPRO 100 50
        2026-06-22 09:30 zerodha NSE sell WIPRO 100 50";
    let bonus = |ex_date: &str, allotted: &str| {
        let kind = AdjustmentKind::Bonus { ratio: ONE_TO_ONE, allotted: Some(day(allotted)) };
        adjustment("WIPRO", ex_date, kind)
    };
    let returns = |deposited_on: &str, bonus: Adjustment| {
        let ledgers = format!(
            "zerodha ledger 2026-04-01 2026-11-13 opening=20000
            zerodha 2026-04-07 settlement=-10000
            zerodha 2026-06-09 settlement=5000
            zerodha 2026-06-23 settlement=5000
            zerodha {deposited_on} deposits=20000"
        );
        let account = outcome(trades, &[bonus], &ledgers, &CapitalQuery::default()).unwrap();
        assert_eq!(account.capital.gain(), Decimal::ZERO);
        account.capital.returns().time_weighted
    };
    for on in ["2026-06-10", "2026-06-22"] {
        let unknown = Err(TimeWeightedAbsence::UnknownValue);
        assert_eq!(returns(on, bonus("2026-06-01", "2026-06-01")), unknown, "{on}");
        // Sold between the ex-date and the allotment.
        assert_eq!(returns(on, bonus("2026-06-05", "2026-06-12")), unknown, "{on}");
    }
    // Before the first sale or after the last one, nothing is missing.
    for on in ["2026-06-08", "2026-06-24"] {
        assert_eq!(percent(returns(on, bonus("2026-06-01", "2026-06-01")).unwrap()), 0, "{on}");
    }
}

#[test]
fn money_that_moves_between_accounts_is_no_flow_of_the_total() {
    // 10 lakh leave the first account and come into the second one, which earns 1 lakh on that day.
    let trades = "
        2026-04-06 09:30 groww NSE buy INFY 1000 500
        2026-04-06 14:30 groww NSE sell INFY 1000 600";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-04-30 opening=1000000
        zerodha 2026-04-06 withdrawals=1000000
        groww ledger 2026-04-01 2026-04-30 opening=0
        groww 2026-04-06 deposits=1000000
        groww 2026-04-07 settlement=100000";
    let total = |ledgers: &str| {
        let analysis = Analysis::new(ledger(trades), &[], no_charges(), TODAY);
        CapitalReturns::new(&analysis, &histories(ledgers), &CapitalQuery::default()).total().unwrap()
    };
    let moved = total(ledgers);
    assert_eq!(percent(moved.returns().time_weighted.unwrap()), 1_000);
    assert_eq!(moved.end_value(), decimal("1100000"));
    // A deposit and a withdrawal of the same account stay: 1 lakh of 10 + 10.
    let same = ledgers
        .replace("groww 2026-04-06 deposits=1000000", "")
        .replace("zerodha 2026-04-06 withdrawals=1000000", "zerodha 2026-04-06 withdrawals=1000000 deposits=1000000");
    assert_eq!(percent(total(&same).returns().time_weighted.unwrap()), 500);
}

#[test]
fn a_flow_of_one_account_meets_the_positions_of_another() {
    let trades = "2026-04-02 09:30 zerodha NSE buy TCS 10 3000";
    let ledgers = "
        zerodha ledger 2026-04-01 2026-04-30 opening=100000
        zerodha 2026-04-06 settlement=-30000
        groww ledger 2026-04-01 2026-04-30 opening=0
        groww 2026-04-07 deposits=50000";
    let analysis = Analysis::new(ledger(trades), &[], no_charges(), TODAY);
    let all = CapitalReturns::new(&analysis, &histories(ledgers), &CapitalQuery::default());
    for account in all.accounts.values() {
        assert!(!account.as_ref().unwrap().capital.returns().is_approximate);
    }
    assert!(all.total().unwrap().returns().is_approximate);
}

#[test]
fn a_settlement_that_is_posted_after_a_future_is_bought_counts_with_its_trade() {
    // The settlement of the sale is due on 1 April. The future gains 5,000 and 2,500: 100 points of 75 units.
    let trades = "
        2026-01-12 09:30 zerodha NSE buy INFY 50 1000
        2026-03-30 09:30 zerodha NSE sell INFY 50 1000
        2026-04-02 10:00 zerodha NSE buy NIFTY26APRFUT 75 26000
        2026-04-06 10:00 zerodha NSE sell NIFTY26APRFUT 75 26100";
    let ledgers = "
        zerodha ledger 2026-01-05 2026-04-30 opening=0
        zerodha 2026-01-05 deposits=60000
        zerodha 2026-01-13 settlement=-50000
        zerodha 2026-04-02 deposits=40000 settlement=50000
        zerodha 2026-04-06 settlement=5000
        zerodha 2026-04-07 settlement=2500";
    let account = outcome(trades, &[], ledgers, &CapitalQuery::default()).unwrap();
    // 7,500 of 1,00,000.
    assert_eq!((account.capital.gain(), account.difference), (decimal("7500"), Decimal::ZERO));
    assert_eq!(percent(account.capital.returns().time_weighted.unwrap()), 750);
}
