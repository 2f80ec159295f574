//! Tax pack compared with sums computed by hand.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::property::any_ledger;
use super::*;
use crate::adjustment::Ratio;
use crate::matching::OpenPosition;
use crate::tax::{CapitalGains, FairValue, FinancialYear, TaxAccounts, TaxHead, TaxPack, YearCharges, tax_lines};

fn pack(ledger: &str, year: i32) -> TaxPack {
    TaxPack::new(&analysis(ledger, &[]), FinancialYear(year), &TaxAccounts::default(), &[], &[])
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
            .map(|row| {
                (row.from.to_string(), row.to.to_string(), row.rate.percent().unwrap(), row.sale_value, row.cost)
            })
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
fn stt_is_not_an_expense_of_capital_gains() {
    // Bought for 1,00,000 and sold for 1,10,000 in June 2026, as in the tests of charges: STT 100 + 110 = 210; other
    // charges are stamp 15, exchange 3.07 + 3.377, SEBI 0.21, IPFT 0.0002, DP 13, and GST of (3.1701 * 18 % = 0.5706) and
    // ((3.377 + 0.11 + 0.0001 + 13) * 18 % = 2.9677).
    let ledger = "2026-06-01 09:15 zerodha NSE buy INFY 100 1000
                  2026-06-02 10:15 zerodha NSE sell INFY 100 1100";
    let lines = tax_lines(&analysis(ledger, &[]), FinancialYear(2026), &TaxAccounts::default(), &[]);
    let other = ["15", "3.07", "3.377", "0.21", "0.0002", "13", "0.5706", "2.9677"].map(decimal);
    let other: Decimal = other.iter().sum();
    assert_eq!((lines[0].head, lines[0].stt, lines[0].other_charges), (TaxHead::ShortTerm, decimal("210"), other));
    assert_eq!(lines[0].income, decimal("10000") - other);
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

/// Returns each row of a term as `assets rate section: sale value - cost = gain before expenses`.
fn describe_gains(gains: &[CapitalGains]) -> Vec<String> {
    let describe = |row: &CapitalGains| {
        let rate = row.rate.percent().map_or_else(|| "slab".to_owned(), |percent| percent.to_string());
        let section = row.law.rsplit(", ").next().unwrap_or_default();
        let (sold, cost, gain) = (row.sale_value, row.cost, row.gain + row.expenses);
        format!("{} {rate} {section}: {} - {} = {}", row.assets, sold.normalize(), cost.normalize(), gain.normalize())
    };
    gains.iter().map(describe).collect()
}

#[test]
fn gains_of_gold_debt_and_foreign_funds_have_rates_of_their_own() {
    // All sold on 2 June 2025: what was bought on 31 May 2024 or earlier is long term, except debt funds.
    let ledger = "2024-05-31 09:15 zerodha NSE buy GOLDBEES 10 60
                  2024-06-03 09:15 zerodha NSE buy GOLDBEES 10 61
                  2024-05-31 09:15 zerodha NSE buy LIQUIDBEES 10 1000
                  2023-03-31 09:15 zerodha NSE buy MON100 10 90
                  2024-05-31 09:15 zerodha NSE buy INFY 10 1400
                  2025-06-02 10:15 zerodha NSE sell GOLDBEES 20 80
                  2025-06-02 10:15 zerodha NSE sell LIQUIDBEES 10 1001
                  2025-06-02 10:15 zerodha NSE sell MON100 10 150
                  2025-06-02 10:15 zerodha NSE sell INFY 10 1500";
    let pack = pack(ledger, 2025);
    let metal = "Gold, silver and international ETFs";
    assert_eq!(
        describe_gains(&pack.short_term),
        [
            format!("{metal} slab normal rates: 800 - 610 = 190"),
            "Debt and liquid ETFs slab section 50AA: 10010 - 10000 = 10".to_owned()
        ]
    );
    assert_eq!(
        describe_gains(&pack.long_term),
        [
            format!("{metal} 12.5 section 112: 2300 - 1500 = 800"),
            "Shares and equity ETFs 12.5 section 112A; Finance (No. 2) Act 2024: 15000 - 14000 = 1000".to_owned(),
        ]
    );
    assert!(pack.hints.contains(&"gains_at_slab_rate") && !pack.hints.contains(&"cost_not_indexed"));
    // Only the gain of INFY, less its expenses, is exempt: 1,25,000 is above it.
    let infy = pack.long_term[1].gain;
    assert_eq!(pack.long_term_exempt_used(), infy);
    let taxable = pack.losses.long_term_gains() - infy;
    assert_eq!(taxable, pack.long_term[0].gain);
}

#[test]
fn gold_sold_in_the_year_of_the_change_has_four_rates() {
    // Sold on 22 and 23 July 2024. Bought in January 2022: 31 months, so short, then long term. Bought in April 2023:
    // section 50AA on both days. Bought in January 2021: 42 months, 20 % of the gain
    // after indexation, 50 * 363 / 301 = 60.299; then 12.5 %.
    let buys = ["2021-01-04", "2022-01-03", "2023-04-03"];
    let lines = buys.map(|bought| format!("{bought} 09:15 zerodha NSE buy GOLDBEES 2 50"));
    // First in, first out: one unit of each purchase could not be sold, so each is of another account.
    let accounts = ["zerodha", "zerodha-2", "zerodha-3"];
    let mut ledger = String::new();
    for (line, account) in lines.iter().zip(accounts) {
        ledger += &format!("{}\n", line.replace(" zerodha ", &format!(" {account} ")));
        for sold in ["2024-07-22", "2024-07-23"] {
            ledger += &format!("{sold} 09:15 {account} NSE sell GOLDBEES 1 60\n");
        }
    }
    let pack = pack(&ledger, 2024);
    let metal = "Gold, silver and international ETFs";
    let mut short = describe_gains(&pack.short_term);
    short.sort();
    assert_eq!(
        short,
        [format!("{metal} slab normal rates: 60 - 50 = 10"), format!("{metal} slab section 50AA: 120 - 100 = 20")]
    );
    let mut long = describe_gains(&pack.long_term);
    long.sort();
    assert_eq!(
        long,
        [format!("{metal} 12.5 section 112: 120 - 100 = 20"), format!("{metal} 20 section 112: 60 - 60.299 = -0.299"),]
    );
    assert!(pack.hints.contains(&"cost_indexed") && !pack.hints.contains(&"cost_not_indexed"));
}

#[test]
fn a_loss_before_and_after_a_bonus_may_not_count() {
    let bonus =
        adjustment("GAMMA", "2024-06-28", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None });
    for (bought, sold, price, expected) in [
        ("2024-03-28", "2025-03-28", 90, true),
        ("2024-03-27", "2024-07-10", 90, false),
        ("2024-06-03", "2025-03-31", 90, false),
        ("2024-06-03", "2024-06-27", 90, false),
        ("2024-06-03", "2024-07-10", 110, false),
    ] {
        let ledger = format!(
            "{bought} 09:15 zerodha NSE buy GAMMA 10 100
             {sold} 09:15 zerodha NSE sell GAMMA 10 {price}"
        );
        let analysis = analysis(&ledger, std::slice::from_ref(&bonus));
        let year = FinancialYear::from_day(day(sold));
        let pack = TaxPack::new(&analysis, year, &TaxAccounts::default(), &[], &[]);
        assert_eq!(pack.hints.contains(&"bonus_stripping"), expected, "{bought} {sold} {price}");
    }
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
        "gains_at_slab_rate",
        "bonus_stripping",
        "fair_value_not_counted",
        "cost_indexed",
        "cost_not_indexed",
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
        let pack = TaxPack::new(&analysis, FinancialYear(2026), &accounts, &[], &[]);
        let lines = tax_lines(&analysis, FinancialYear(2026), &accounts, &[]).len();
        (pack.speculative.gross, lines, pack.hints.contains(&"missing_cost_basis"))
    };
    assert_eq!(pack(&[]), (decimal("400"), 2, true));
    assert_eq!(pack(&["zerodha"]), (decimal("100"), 1, false));
    assert_eq!(pack(&["zerodha-2", "groww"]), (decimal("300"), 1, true));
    assert_eq!(pack(&["groww-2"]), (decimal("0"), 0, false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_lines_of_all_years_add_up_to_the_log(fills in any_ledger()) {
        let analysis = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
        let years: BTreeSet<_> =
            analysis.closed_trades().map(|trade| FinancialYear::from_day(trade.closed_day)).collect();
        let accounts = TaxAccounts::default();
        let lines: Vec<_> = years.iter().flat_map(|year| tax_lines(&analysis, *year, &accounts, &[])).collect();
        let gross: Decimal = lines.iter().map(|line| line.sell_value - line.buy_value).sum();
        prop_assert_eq!(gross, analysis.closed_trades().map(|trade| trade.gross).sum::<Decimal>());
        // STT is an expense of business income only.
        let is_gain = |head| matches!(head, TaxHead::ShortTerm | TaxHead::LongTerm);
        let net: Decimal =
            lines.iter().map(|line| line.income - if is_gain(line.head) { line.stt } else { Decimal::ZERO }).sum();
        prop_assert_eq!(net, analysis.closed_trades().map(|trade| trade.net).sum::<Decimal>());
        // Every line of a gain is in a row of its pack.
        for year in years {
            let pack = TaxPack::new(&analysis, year, &accounts, &[], &[]);
            let rows = pack.short_term.iter().chain(&pack.long_term);
            let (sales, gain) = rows.fold((0, Decimal::ZERO), |(sales, gain), row| (sales + row.sales, gain + row.gain));
            let of_year = lines.iter().filter(|line| {
                FinancialYear::from_day(line.sold.max(line.bought)) == year && line.gains_rate().is_some()
            });
            let (count, income) =
                of_year.fold((0, Decimal::ZERO), |(count, income), line| (count + 1, income + line.income));
            prop_assert_eq!((sales, gain), (count, income));
        }
    }
}

/// Returns the positions open at the end of a day, such as `INFY 10 = 1000`.
fn open_on(analysis: &Analysis, on: &str) -> Vec<String> {
    let on_day = analysis.open_on(day(on), |_| true);
    let mut positions: Vec<String> = on_day
        .ledgers()
        .flat_map(InstrumentLedger::positions)
        .map(|(position, _)| {
            let sign = if position.long { "" } else { "-" };
            let (symbol, quantity) = (&position.instrument.symbol, position.quantity.normalize());
            let expired = if position.expired { " expired" } else { "" };
            format!("{symbol} {sign}{quantity} = {}{expired}", position.value.normalize())
        })
        .collect();
    positions.sort();
    positions
}

#[test]
fn positions_on_an_earlier_day_are_those_of_the_trades_and_corporate_actions_until_then() {
    let ledger = "2025-06-02 09:15 zerodha NSE buy SPLIT 10 100
                  2025-06-02 09:15 zerodha NSE buy LATER 10 100
                  2025-06-02 09:15 zerodha NSE buy OLDNAME 5 200
                  2025-06-02 09:15 zerodha NSE buy FLAT 10 100
                  2025-06-03 09:15 zerodha NSE sell FLAT 10 110
                  2026-03-31 09:15 zerodha NSE buy TODAY 1 50
                  2026-03-30 09:15 zerodha NFO sell NIFTY26APR22000PE 75 80
                  2026-04-01 09:15 zerodha NSE buy NEXT 1 50
                  2026-04-02 09:15 zerodha NSE sell SPLIT 20 60
                  2026-04-02 09:15 zerodha NSE sell TODAY 1 60
                  2026-04-02 09:15 zerodha NFO buy NIFTY26APR22000PE 75 20";
    let ratio = Ratio { new: 2, old: 1 };
    let adjustments = [
        adjustment("SPLIT", "2025-09-01", AdjustmentKind::Split(ratio)),
        Adjustment { id: 2, ..adjustment("LATER", "2026-04-10", AdjustmentKind::Split(ratio)) },
        Adjustment { id: 3, ..adjustment("OLDNAME", "2026-05-04", AdjustmentKind::Rename("NEWNAME".to_owned())) },
    ];
    let analysis = analysis(ledger, &adjustments);
    assert_eq!(
        open_on(&analysis, "2026-03-31"),
        ["LATER 10 = 1000", "NIFTY26APR22000PE -75 = 6000", "OLDNAME 5 = 1000", "SPLIT 20 = 1000", "TODAY 1 = 50"]
    );
    assert_eq!(open_on(&analysis, "2026-06-30"), ["LATER 20 = 1000", "NEWNAME 5 = 1000", "NEXT 1 = 50"]);
    assert_eq!(open_on(&analysis, "2025-06-01"), Vec::<String>::new());
}

proptest! {
    #[test]
    fn positions_on_a_day_are_those_of_the_trades_until_then(trades in any_ledger(), days in 0..5_i64, split in 0..5_i64) {
        let first = date!(2026 - 04 - 27);
        let on = first + time::Duration::days(days);
        let ratio = AdjustmentKind::Split(Ratio { new: 2, old: 1 });
        let symbols: BTreeSet<String> = trades.iter().map(|fill| fill.instrument.symbol.clone()).collect();
        let split_day = (first + time::Duration::days(split)).to_string();
        let adjustments: Vec<Adjustment> =
            symbols.iter().take(2).map(|symbol| adjustment(symbol, &split_day, ratio.clone())).collect();
        let until: Vec<Fill> = trades.iter().filter(|fill| fill.day <= on).cloned().collect();
        let made_until: Vec<Adjustment> = adjustments.iter().filter(|one| one.day <= on).cloned().collect();
        let rates = ChargeRates::load().unwrap();
        let open = |analysis: &Analysis| -> BTreeSet<String> {
            let positions = analysis.ledgers().flat_map(InstrumentLedger::positions);
            let describe = |(position, fill): (&OpenPosition, &Fill)| {
                format!("{:?} {} {} {}", fill.account, position.instrument.symbol, position.quantity, position.value)
            };
            positions.map(describe).collect()
        };
        let expected = Analysis::new(until, &made_until, rates, on.next_day().unwrap());
        let analysis = Analysis::new(trades, &adjustments, rates, TODAY);
        prop_assert_eq!(open(&analysis.open_on(on, |_| true)), open(&expected));
    }
}

#[test]
fn positions_on_an_earlier_day_count_deliveries_bonuses_of_underlyings_and_expiries() {
    // The call delivers 750 shares at 800 on 26 June 2025; 750 more are bought and 750 sold: 750 stay, at 850.
    let delivered = "2025-06-02 09:15 zerodha NFO buy SBIN25JUN800CE 750 20
                     2025-07-01 09:15 zerodha NSE buy SBIN 750 850
                     2025-07-02 09:15 zerodha NSE sell SBIN 750 860";
    let settled = [adjustment("SBIN25JUN800CE", "2025-06-26", AdjustmentKind::Settlement(decimal("50")))];
    let settled_analysis = analysis(delivered, &settled);
    assert_eq!(open_on(&settled_analysis, "2025-07-31"), ["SBIN 750 = 637500"]);
    assert_eq!(open_on(&settled_analysis, "2025-06-30"), ["SBIN 750 = 600000"]);
    // On the day of expiry the contract is settled.
    assert_eq!(open_on(&settled_analysis, "2025-06-26"), ["SBIN 750 = 600000"]);
    assert_eq!(open_on(&settled_analysis, "2025-06-25"), ["SBIN25JUN800CE 750 = 15000"]);

    // A bonus doubles the 500 units; 500 are sold.
    let futures = "2025-05-05 09:15 zerodha NFO buy ALPHA25JULFUT 500 100
                   2025-06-10 09:15 zerodha NFO sell ALPHA25JULFUT 500 60";
    let bonus = AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 1 }, allotted: None };
    let analysis = analysis(futures, &[adjustment("ALPHA", "2025-06-02", bonus)]);
    assert_eq!(open_on(&analysis, "2025-06-30"), ["ALPHA25JULFUT 500 = 25000"]);
}

#[test]
fn charges_of_a_year_by_kind_add_up_to_those_of_its_lines() {
    let ledger = "2026-05-04 09:15 zerodha NSE buy NIFTY26MAYFUT 50 100
                  2026-05-04 10:15 zerodha NSE sell NIFTY26MAYFUT 50 110
                  2026-05-05 09:15 zerodha NSE buy INFY 10 1500
                  2026-05-05 10:15 zerodha NSE sell INFY 10 1490
                  2026-05-05 09:15 zerodha NSE buy TCS 10 3000
                  2026-05-06 10:15 zerodha NSE sell TCS 10 3100
                  2027-04-01 10:15 zerodha NSE sell ITC 10 400";
    let analysis = analysis(ledger, &[]);
    let charges = YearCharges::new(&analysis, FinancialYear(2026), &TaxAccounts::default(), &[]);
    let lines = tax_lines(&analysis, FinancialYear(2026), &TaxAccounts::default(), &[]);
    let sum = |head: TaxHead| -> Decimal {
        lines.iter().filter(|line| line.head == head).map(|line| line.stt + line.other_charges).sum()
    };
    assert_eq!(charges.speculative.total(), sum(TaxHead::Speculative));
    assert_eq!(charges.non_speculative.total(), sum(TaxHead::NonSpeculative));
    assert_eq!(charges.capital_gains.total(), sum(TaxHead::ShortTerm));
    assert!(
        [charges.speculative, charges.non_speculative, charges.capital_gains].iter().all(|sum| sum.stt > Decimal::ZERO)
    );
}

#[test]
fn the_price_of_31_january_2018_follows_renames_and_splits_and_not_demergers() {
    let ledger = "2015-06-01 09:15 zerodha NSE buy OLD 10 100
                  2025-06-02 09:15 zerodha NSE sell NEW 100 50";
    let price = |symbol: &str| adjustment(symbol, "2018-01-31", AdjustmentKind::FairValue(decimal("30")));
    let rename = Adjustment { id: 2, ..adjustment("OLD", "2016-06-01", AdjustmentKind::Rename("NEW".to_owned())) };
    let ten = Ratio { new: 10, old: 1 };
    let split = |on: &str| Adjustment { id: 3, ..adjustment("NEW", on, AdjustmentKind::Split(ten)) };
    let cost = |adjustments: &[Adjustment]| {
        let lines = tax_lines(&analysis(ledger, adjustments), FinancialYear(2025), &TaxAccounts::default(), &[]);
        (lines[0].buy_value.normalize(), lines[0].fair_value)
    };
    // 10 shares became 100 before that day: 100 * 30. Split later, the 10 shares of that day are worth 300.
    for symbol in ["OLD", "NEW"] {
        let before = cost(&[rename.clone(), split("2017-06-01"), price(symbol)]);
        assert_eq!(before, (decimal("3000"), FairValue::Known(decimal("3000"))), "{symbol}");
    }
    let after = cost(&[rename.clone(), split("2019-06-03"), price("NEW")]);
    assert_eq!(after, (decimal("1000"), FairValue::Known(decimal("300"))));
    assert_eq!(cost(&[rename.clone(), split("2017-06-01")]), (decimal("1000"), FairValue::Unknown));
    for (on, expected) in [("2018-01-31", FairValue::Known(decimal("3000"))), ("2018-02-01", FairValue::Excluded)] {
        let paid_back = Adjustment { id: 4, ..adjustment("NEW", on, AdjustmentKind::CapitalReturn(decimal("1"))) };
        let value = cost(&[rename.clone(), split("2017-06-01"), price("NEW"), paid_back]).1;
        assert_eq!(value, expected, "{on}");
    }
}
