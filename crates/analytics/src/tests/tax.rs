//! Tax pack compared with sums computed by hand.

use super::*;
use crate::tax::{CapitalGains, FinancialYear, TaxAccounts, TaxHead, TaxPack, tax_lines};

fn pack(ledger: &str, year: i32) -> TaxPack {
    TaxPack::new(
        &analysis(ledger, &[]),
        ChargeRates::load().unwrap(),
        FinancialYear(year),
        &TaxAccounts::default(),
        &[],
    )
}

#[test]
fn financial_years_run_from_april_to_march() {
    assert_eq!(FinancialYear::from_day(date!(2026 - 03 - 31)).name(), "2025-26");
    assert_eq!(FinancialYear::from_day(date!(2026 - 04 - 01)).name(), "2026-27");
    assert_eq!(FinancialYear(2099).name(), "2099-00");
}

#[test]
fn the_business_turnover_is_the_sum_of_the_absolute_results() {
    // Futures: +500 and -300: turnover 800, gross 200. Intraday: -100: turnover 100. Together 900.
    let ledger = "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 50 100
                  2026-05-04 10:15 zerodha NSE sell NIFTY26MAYFUT 50 110
                  2026-05-05 09:15 zerodha NSE buy NIFTY26MAYFUT 50 100
                  2026-05-05 10:15 zerodha NSE sell NIFTY26MAYFUT 50 94
                  2026-05-05 09:15 zerodha NSE buy INFY 10 1500
                  2026-05-05 10:15 zerodha NSE sell INFY 10 1490";
    let pack = pack(ledger, 2026);
    let futures = &pack.non_speculative;
    assert_eq!((futures.closed_trades, futures.turnover, futures.gross), (2, decimal("800"), decimal("200")));
    assert_eq!((futures.profits, futures.losses), (decimal("500"), decimal("-300")));
    assert_eq!(futures.net, futures.gross - futures.charges);
    assert_eq!((pack.speculative.turnover, pack.speculative.gross), (decimal("100"), decimal("-100")));
    assert_eq!(pack.business_turnover, decimal("900"));
    assert!(pack.hints.contains(&"intraday_loss"), "{:?}", pack.hints);
}

#[test]
fn capital_gains_use_the_rate_of_the_day_of_sale() {
    // All sold within 2024-25. Short term: sold on 22 July 2024 at 15 %, on 23 July at 20 %. Long term (bought in
    // January 2023): on 22 July 10 %, on 23 July 12.5 %. 1,25,000 of the year are exempt.
    let ledger = "2023-01-02 09:15 zerodha NSE buy OLD 20 100
                  2024-05-02 09:15 zerodha NSE buy NEW 20 100
                  2024-07-22 09:15 zerodha NSE sell OLD 10 150
                  2024-07-22 09:15 zerodha NSE sell NEW 10 120
                  2024-07-23 09:15 zerodha NSE sell OLD 10 160
                  2024-07-23 09:15 zerodha NSE sell NEW 10 90";
    let pack = pack(ledger, 2024);
    let rows = |gains: &[CapitalGains]| -> Vec<(String, String, Decimal, Decimal, Decimal)> {
        let gains = gains.iter();
        gains
            .map(|row| (row.from.to_string(), row.to.to_string(), row.rate_percent, row.sale_value, row.cost))
            .collect()
    };
    let row = |from: &str, to: &str, rate: &str, sold: &str| {
        (from.to_owned(), to.to_owned(), decimal(rate), decimal(sold), decimal("1000"))
    };
    assert_eq!(
        rows(&pack.short_term),
        [row("2024-04-01", "2024-07-22", "15", "1200"), row("2024-07-23", "2025-03-31", "20", "900")]
    );
    assert_eq!(
        rows(&pack.long_term),
        [row("2024-04-01", "2024-07-22", "10", "1500"), row("2024-07-23", "2025-03-31", "12.5", "1600")]
    );
    assert_eq!(pack.long_term_exempt, Some(decimal("125000")));
    // STT is not an expense: 1 + 1 on the 22nd is excluded. Purchases before the first rate have no charges.
    for gains in pack.short_term.iter().chain(&pack.long_term) {
        assert_eq!(gains.gain, gains.sale_value - gains.cost - gains.expenses);
    }
}

#[test]
fn short_term_gains_have_a_rate_from_april_2008_and_long_term_gains_from_april_2018() {
    let rates = ChargeRates::load().unwrap();
    let percent = |day, long| rates.capital_gains(day, long).map(|rate| rate.percent);
    assert_eq!(percent(date!(2008 - 03 - 31), false), None);
    assert_eq!(percent(date!(2008 - 04 - 01), false), Some(decimal("15")));
    assert_eq!(percent(date!(2018 - 03 - 31), true), None);
    assert_eq!(percent(date!(2018 - 04 - 01), true), Some(decimal("10")));
}

#[test]
fn stt_is_not_an_expense_of_capital_gains() {
    // Bought for 1,00,000 and sold for 1,10,000 in June 2026, as in the tests of charges: STT 100 + 110 = 210; other
    // charges are stamp 15, exchange 3.07 + 3.377, SEBI 0.21, IPFT 0.0002, DP 13, and GST of (3.1701 * 18 % = 0.5706) and
    // ((3.377 + 0.11 + 0.0001 + 13) * 18 % = 2.9677).
    let ledger = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000
                  2026-06-02 10:15 zerodha NSE sell INFY 100 1100";
    let lines =
        tax_lines(&analysis(ledger, &[]), ChargeRates::load().unwrap(), FinancialYear(2026), &TaxAccounts::default());
    let other = ["15", "3.07", "3.377", "0.21", "0.0002", "13", "0.5706", "2.9677"].map(decimal);
    let other: Decimal = other.iter().sum();
    assert_eq!((lines[0].head, lines[0].stt, lines[0].other_charges), (TaxHead::ShortTerm, decimal("210"), other));
    assert_eq!(lines[0].income, decimal("10000") - other);
}

#[test]
fn shares_are_long_term_after_twelve_months() {
    for (sold, long) in [("2025-01-14", false), ("2025-01-15", false), ("2025-01-16", true)] {
        let ledger = format!("2024-01-15 09:15 zerodha NSE buy A 10 100\n{sold} 09:15 zerodha NSE sell A 10 110");
        let pack = pack(&ledger, 2024);
        assert_eq!((pack.short_term.len(), pack.long_term.len()), (usize::from(!long), usize::from(long)), "{sold}");
    }
    let ledger = "2024-02-29 09:15 zerodha NSE buy A 10 100\n2025-03-01 09:15 zerodha NSE sell A 10 110";
    assert_eq!(pack(ledger, 2024).long_term.len(), 1);
}

#[test]
fn a_sale_of_old_and_new_shares_is_split_by_term() {
    // 10 bought in 2024 and 5 bought in 2026 are sold at once: 10 * 120 and 5 * 120.
    let ledger = "2024-01-15 09:15 zerodha NSE buy A 10 100
                  2026-05-15 09:15 zerodha NSE buy A 10 110
                  2026-06-15 09:15 zerodha NSE sell A 15 120";
    let pack = pack(ledger, 2026);
    assert_eq!((pack.long_term[0].sale_value, pack.long_term[0].cost), (decimal("1200"), decimal("1000")));
    assert_eq!((pack.short_term[0].sale_value, pack.short_term[0].cost), (decimal("600"), decimal("550")));
    assert_eq!(pack.long_term[0].law, "Income-tax Act 2025, section 198");
}

#[test]
fn a_year_without_trades_is_empty() {
    let pack = pack("", 2025);
    assert_eq!((pack.business_turnover, pack.hints.len()), (Decimal::ZERO, 0));
    assert!(pack.short_term.is_empty() && pack.long_term.is_empty());
}

#[test]
fn every_hint_has_a_text() {
    for hint in [
        "audit_due",
        "below_presumptive_profit",
        "intraday_loss",
        "fno_loss",
        "losses_carried_forward",
        "losses_highest_rate",
        "losses_in_log",
        "losses_of_log_assumed",
        "losses_of_several_people",
        "awaiting_settlement",
        "charges_unknown",
        "bought_before_2018",
        "missing_cost_basis",
        "opening_holdings",
        "buyback_exempt",
        "buyback_dividend",
    ] {
        assert!(texts::text("analytics", &format!("hint.{hint}"), &texts::Params::new()).is_some(), "{hint}");
    }
}

#[test]
fn the_texts_of_the_limits_have_their_values() {
    for (hint, value) in [
        ("audit_due", format!("₹{} crore", crate::tax::MAX_TURNOVER_WITHOUT_AUDIT / 10_000_000)),
        ("below_presumptive_profit", format!("{} %", crate::tax::PRESUMPTIVE_PROFIT_PERCENT)),
    ] {
        let text = texts::text("analytics", &format!("hint.{hint}"), &texts::Params::new()).unwrap();
        assert!(text.contains(&value), "{text}");
    }
}

#[test]
fn a_tax_pack_counts_the_trades_of_the_chosen_accounts_alone() {
    let ledger = "2026-05-04 09:15 zerodha NSE buy ITC 10 400
                  2026-05-04 10:15 zerodha NSE sell ITC 10 410
                  2026-05-04 09:15 zerodha-2 NSE buy ITC 10 400
                  2026-05-04 10:15 zerodha-2 NSE sell ITC 10 430
                  2026-05-04 09:15 groww NSE sell INFY 5 1500
                  2026-05-05 09:15 groww NSE buy INFY 5 1400";
    let analysis = analysis(ledger, &[]);
    let pack = |accounts: &[&str]| {
        let accounts = TaxAccounts(accounts.iter().map(|key| BrokerAccount::from_key(key).unwrap()).collect());
        let rates = ChargeRates::load().unwrap();
        let pack = TaxPack::new(&analysis, rates, FinancialYear(2026), &accounts, &[]);
        let lines = tax_lines(&analysis, rates, FinancialYear(2026), &accounts).len();
        (pack.speculative.gross, lines, pack.hints.contains(&"missing_cost_basis"))
    };
    assert_eq!(pack(&[]), (decimal("400"), 2, true));
    assert_eq!(pack(&["zerodha"]), (decimal("100"), 1, false));
    assert_eq!(pack(&["zerodha-2", "groww"]), (decimal("300"), 1, true));
    assert_eq!(pack(&["groww-2"]), (decimal("0"), 0, false));
}
