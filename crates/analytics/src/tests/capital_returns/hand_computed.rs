//! Accounts without charges, whose returns are computed by hand.

use super::*;
use crate::adjustment::Ratio;

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
    // 110 / 100 * 99 / 110 * 220 / 200 * 220.5 / 220 = 1.091475.
    assert_eq!(percent(account.capital.returns().time_weighted.unwrap()), 915);
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

#[test]
fn a_missing_settlement_prevents_returns_in_a_long_ledger_with_high_charges() {
    // A fifth of the estimated charges of the options is more than the settlement of the share, 1,500 rupees.
    let mut trades = String::new();
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
        let value = if detail.fill.side == Side::Buy { -detail.value } else { detail.value };
        let net = value - detail.charges.total();
        if detail.fill.instrument.symbol == "INFY" {
            of_share = net;
        } else {
            *settlements.entry(crate::expiry_calendar::next_trading_day(detail.fill.day)).or_default() += net;
        }
    }
    let outcome = |share: &str| {
        let mut ledgers = format!("zerodha ledger 2026-01-01 2026-10-30 opening=9000000\n{share}\n");
        for (on, amount) in &settlements {
            ledgers += &format!("zerodha {on} settlement={amount}\n");
        }
        ledgers += "zerodha 2026-10-30 other=-1";
        let mut accounts = CapitalReturns::new(&analysis, &histories(&ledgers), &CapitalQuery::default()).accounts;
        accounts.remove(&account(Broker::Zerodha)).unwrap()
    };
    // On the day after the trade, or a day later because of a bank holiday.
    for on in ["2026-06-02", "2026-06-03"] {
        assert_eq!(outcome(&format!("zerodha {on} settlement={of_share}")).unwrap().difference, Decimal::ZERO);
    }
    let on = day("2026-06-02");
    assert_eq!(outcome("").unwrap_err(), unexplained_settlements(on, on, -of_share));
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
