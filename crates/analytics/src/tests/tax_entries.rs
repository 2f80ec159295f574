//! Figures that the trader enters for a tax year: dividends, shares as business, and the comparison with AIS and reports.

use std::slice;

use super::*;
use crate::adjustment::PricedShares;
use crate::broker_terms::BrokerTerms;
use crate::tax::{
    FinancialYear, Regime, ReturnLine, TaxAccounts, TaxEntry, TaxEntryKind, TaxHead, TaxPack, TieOut, tax_lines,
};

/// Parses lines such as `2025 dividend zerodha 2150.50 2025-08-14 INFY`; day and name are optional.
fn entries(lines: &str) -> Vec<TaxEntry> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            TaxEntry {
                year: FinancialYear(fields[0].parse().unwrap()),
                kind: TaxEntryKind::from_name(fields[1]).unwrap(),
                account: BrokerAccount::from_key(fields[2]).unwrap(),
                day: fields.get(4).map(|text| day(text)),
                name: fields.get(5).copied().unwrap_or_default().to_owned(),
                amount: fields.get(3).map(|text| decimal(text)).unwrap_or_default(),
                tax_deducted: Decimal::ZERO,
            }
        })
        .collect()
}

fn pack_of(analysis: &Analysis, year: i32, accounts: &str, lines: &str) -> TaxPack {
    let keys = accounts.split(',').filter(|key| !key.is_empty());
    let accounts = TaxAccounts(keys.map(|key| BrokerAccount::from_key(key).unwrap()).collect());
    TaxPack::new(analysis, FinancialYear(year), &accounts, &[], &entries(lines))
}

#[test]
fn dividends_are_added_up_by_period_with_buybacks_that_count_as_dividends() {
    // Ten shares are bought back for 150 each on 10 December 2025: a dividend of 1,500.
    let opening =
        AdjustmentKind::Opening { account: account(Broker::Zerodha), quantity: decimal("10"), price: decimal("100") };
    let buyback = AdjustmentKind::Buyback(PricedShares {
        account: account(Broker::Zerodha),
        quantity: decimal("10"),
        price: decimal("150"),
    });
    let adjustments = [adjustment("X", "2023-01-02", opening), adjustment("X", "2025-12-10", buyback)];
    let analysis = analysis("", &adjustments);
    let lines = "2025 dividend zerodha 100 2025-06-15 A
                 2025 dividend zerodha 200 2025-06-16 B
                 2025 dividend groww 400 2026-03-16 C
                 2024 dividend zerodha 999 2025-03-31 D";
    let sums = |accounts: &str| {
        let dividends = pack_of(&analysis, 2025, accounts, lines).dividends;
        (dividends.total, dividends.buybacks, dividends.by_period.map(|sum| sum.normalize().to_string()).join(" "))
    };
    assert_eq!(sums(""), (decimal("2200"), decimal("1500"), "100 200 1500 0 400".to_owned()));
    assert_eq!(sums("groww"), (decimal("400"), decimal("0"), "0 0 0 0 400".to_owned()));
}

#[test]
fn an_exempt_dividend_between_purchase_and_sale_makes_a_loss_doubtful() {
    let ledger = "2019-06-03 09:15 zerodha NSE buy ITC 10 300
                  2019-08-05 09:15 zerodha NSE sell ITC 10 280
                  2020-06-03 09:15 zerodha NSE buy ITC 10 300
                  2020-08-05 09:15 zerodha NSE sell ITC 10 280";
    let analysis = analysis(ledger, &[]);
    let has_hint = |year, lines: &str| pack_of(&analysis, year, "", lines).hints.contains(&"dividend_stripping");
    assert!(has_hint(2019, "2019 dividend zerodha 50 2019-07-10 itc"));
    // Another share, a payment long before the purchase or after the sale, and a taxable dividend.
    assert!(!has_hint(2019, "2019 dividend zerodha 50 2019-07-10 INFY"));
    assert!(!has_hint(2019, "2019 dividend zerodha 50 2020-01-10 ITC"));
    assert!(!has_hint(2020, "2020 dividend zerodha 50 2020-07-10 ITC"));
}

/// Delivered: short term +500 (sale value 2,500), long term -200 (800). Intraday +100. Futures +500.
const LEDGER: &str = "2025-05-05 09:15 zerodha NSE buy XYZ 10 200
                      2025-06-05 09:15 zerodha NSE sell XYZ 10 250
                      2023-01-02 09:15 zerodha NSE buy ABC 10 100
                      2025-07-07 09:15 zerodha NSE sell ABC 10 80
                      2025-08-04 09:15 zerodha NSE buy PQR 1 3000
                      2025-08-04 10:15 zerodha NSE sell PQR 1 3100
                      2025-08-05 09:15 zerodha NSE buy NIFTY25AUGFUT 50 100
                      2025-08-05 10:15 zerodha NSE sell NIFTY25AUGFUT 50 110";

#[test]
fn delivered_shares_can_count_as_business() {
    let analysis = analysis(LEDGER, &[]);
    let gains = pack_of(&analysis, 2025, "", "");
    let chosen = "2025 shares-as-business zerodha";
    let business = pack_of(&analysis, 2025, "", chosen);
    assert_eq!((gains.short_term.len(), gains.long_term.len(), gains.delivered_shares.closed_trades), (1, 1, 0));
    assert_eq!((business.short_term.len(), business.long_term.len()), (0, 0));
    let shares = &business.delivered_shares;
    // The turnover of delivered shares is the sale value. All charges are expenses.
    assert_eq!((shares.closed_trades, shares.gross, shares.turnover), (2, decimal("300"), decimal("3300")));
    let delivered = analysis.closed_trades().filter(|closed_trade| closed_trade.kind == TradeKind::Delivery);
    assert_eq!(shares.net, delivered.map(|closed_trade| closed_trade.net).sum::<Decimal>());
    assert_eq!(business.non_speculative, gains.non_speculative);
    assert_eq!(business.business_turnover, gains.business_turnover + decimal("3300"));
    assert_eq!(
        (business.hints.contains(&"shares_as_business"), gains.hints.contains(&"shares_as_business")),
        (true, false)
    );
    // One head in the set-off: futures and delivered shares.
    let of_head = |pack: &TaxPack| {
        let mut results = pack.losses.results.iter();
        results.find(|one| one.head == TaxHead::NonSpeculative).unwrap().result
    };
    assert_eq!(of_head(&business), of_head(&gains) + shares.net);
    let lines = tax_lines(&analysis, FinancialYear(2025), &TaxAccounts::default(), &entries(chosen));
    assert!(lines.iter().all(|line| line.gains_rate().is_none()));
    // The choice is about one account and year.
    for other in ["2024 shares-as-business zerodha", "2025 shares-as-business groww"] {
        assert_eq!(pack_of(&analysis, 2025, "", other).delivered_shares.closed_trades, 0, "{other}");
    }
}

#[test]
fn a_changed_choice_of_shares_as_business_is_named() {
    let ledger = "2023-05-05 09:15 zerodha NSE buy INFY 20 200
                  2023-06-05 09:15 zerodha NSE sell INFY 10 250
                  2025-06-05 09:15 zerodha NSE sell INFY 10 250";
    let analysis = analysis(ledger, &[]);
    let hint = |lines: &str| {
        let hints = pack_of(&analysis, 2025, "", lines).hints;
        hints.into_iter().find(|hint| hint.starts_with("shares_as_business"))
    };
    let both = "2023 shares-as-business zerodha
                2025 shares-as-business zerodha";
    assert_eq!(hint(""), None);
    assert_eq!(hint(both), Some("shares_as_business"));
    assert_eq!(hint("2025 shares-as-business zerodha"), Some("shares_as_business_changed"));
    assert_eq!(hint("2023 shares-as-business zerodha"), Some("shares_as_business_changed"));
}

/// Describes comparisons as lines such as `ais-dividends 100 90: ais_price, incomplete!`; `!` explains the whole difference.
fn describe_tie_outs(tie_outs: &[TieOut]) -> Vec<String> {
    let describe = |tie_out: &TieOut| {
        let causes =
            tie_out.causes.iter().map(|cause| format!("{}{}", cause.code, if cause.explains { "!" } else { "" }));
        let causes: Vec<String> = causes.collect();
        format!(
            "{} {} {}: {}",
            tie_out.kind.name(),
            tie_out.stated.normalize(),
            tie_out.ours.normalize(),
            causes.join(", ")
        )
    };
    tie_outs.iter().map(describe).collect()
}

#[test]
fn totals_of_ais_and_of_a_report_are_compared_and_differences_named() {
    // Sold without a purchase: 5 at 1,500 = 7,500.
    let with_unknown = format!("{LEDGER}\n2025-09-01 09:15 zerodha NSE sell GHI 5 1500");
    let complete = analysis(LEDGER, &[]);
    let incomplete = analysis(&with_unknown, &[]);
    // The report deducts all charges, or all but STT.
    let [after_charges, after_expenses] = {
        let lines = tax_lines(&complete, FinancialYear(2025), &TaxAccounts::default(), &[]);
        let short_term = lines.iter().find(|line| line.is_long_term == Some(false)).unwrap();
        let expenses = short_term.other_charges;
        [short_term.stt + expenses, expenses].map(|sum| (decimal("500") - sum).round_dp(2).normalize())
    };
    assert!(after_expenses - after_charges > decimal("1"), "STT makes a difference");
    let report = |stated: Decimal| format!("2025 report-short-term zerodha {stated}");
    let (report_after_charges, report_after_expenses) = (report(after_charges), report(after_expenses));
    for (analysis, lines, expected) in [
        (
            &complete,
            "2025 ais-short-term-sales zerodha 2500.99",
            vec!["ais-short-term-sales 2500.99 2500: ".to_owned()],
        ),
        // Less than 5 % away: an estimated price may be the reason.
        (
            &complete,
            "2025 ais-short-term-sales zerodha 2460",
            vec!["ais-short-term-sales 2460 2500: ais_price".to_owned()],
        ),
        (
            &complete,
            "2025 ais-short-term-sales zerodha 9000",
            vec!["ais-short-term-sales 9000 2500: unknown".to_owned()],
        ),
        // Some of the short-term sales are long term in AIS.
        (
            &complete,
            "2025 ais-short-term-sales zerodha 2000
             2025 ais-long-term-sales zerodha 1300",
            vec![
                "ais-short-term-sales 2000 2500: holding_period!".to_owned(),
                "ais-long-term-sales 1300 800: holding_period!".to_owned(),
            ],
        ),
        (
            &incomplete,
            "2025 ais-short-term-sales zerodha 10000",
            vec!["ais-short-term-sales 10000 2500: missing_cost!".to_owned()],
        ),
        (
            &complete,
            "2025 report-speculative zerodha 100
             2025 report-non-speculative zerodha 500
             2025 report-long-term zerodha -200
             2025 report-short-term groww 7",
            vec![
                "report-speculative 100 100: ".to_owned(),
                "report-non-speculative 500 500: ".to_owned(),
                "report-short-term 7 0: unknown".to_owned(),
                "report-long-term -200 -200: ".to_owned(),
            ],
        ),
        (&complete, &report_after_charges, vec![format!("report-short-term {after_charges} 500: after_charges!")]),
        (&complete, &report_after_expenses, vec![format!("report-short-term {after_expenses} 500: after_charges!")]),
        (
            &complete,
            "2025 dividend zerodha 100 2025-06-15 A
             2025 ais-dividends zerodha 100
             2025 report-dividends zerodha 90",
            vec!["ais-dividends 100 100: ".to_owned(), "report-dividends 90 100: unknown".to_owned()],
        ),
        // Figures of another year.
        (&complete, "2024 ais-dividends zerodha 100", vec![]),
    ] {
        assert_eq!(describe_tie_outs(&pack_of(analysis, 2025, "", lines).tie_outs), expected, "{lines}");
    }
}

#[test]
fn ais_covers_accounts_that_are_not_chosen() {
    let ledger =
        format!("{LEDGER}\n2025-05-05 09:15 groww NSE buy DEF 10 700\n2025-06-05 09:15 groww NSE sell DEF 10 710");
    let analysis = analysis(&ledger, &[]);
    let lines = "2025 ais-short-term-sales zerodha 9600";
    let expected = |causes: &str| vec![format!("ais-short-term-sales 9600 2500: {causes}")];
    assert_eq!(describe_tie_outs(&pack_of(&analysis, 2025, "zerodha", lines).tie_outs), expected("other_accounts"));
    let all = describe_tie_outs(&pack_of(&analysis, 2025, "", lines).tie_outs);
    assert_eq!(all, ["ais-short-term-sales 9600 9600: "]);
    // The other account is of another person.
    let holder = |broker: wire::Broker, holder: &str| wire::BrokerAccount {
        broker: broker.into(),
        holder: holder.to_owned(),
        ..wire::BrokerAccount::default()
    };
    let accounts = vec![holder(wire::Broker::Zerodha, "Asha"), holder(wire::Broker::Groww, "Ravi")];
    let terms = Arc::new(BrokerTerms::from_wire(accounts, Vec::new()).unwrap());
    let of_two = Analysis::with_terms(super::ledger(&ledger), &[], ChargeRates::load().unwrap(), terms, TODAY);
    assert_eq!(describe_tie_outs(&pack_of(&of_two, 2025, "zerodha", lines).tie_outs), expected("unknown"));
}

#[test]
fn the_tax_of_a_year_is_estimated_with_the_income_and_payments_that_were_entered() {
    // Ten shares bought for 10,000 each are sold for 20,000 each on 5 June: a gain of 1,00,000 at 20 %.
    let ledger = "2025-05-05 09:15 zerodha NSE buy XYZ 10 10000
                  2025-06-05 09:15 zerodha NSE sell XYZ 10 20000";
    let without_charges = Analysis::new(super::ledger(ledger), &[], no_charges(), TODAY);
    let lines = "2025 other-income zerodha 2000000
                 2025 tax-deducted zerodha 150000
                 2025 advance-tax zerodha 40000 2025-09-10";
    let pack = pack_of(&without_charges, 2025, "", lines);
    let estimate = pack.estimate.unwrap();
    let (tax, advance) = (&estimate.liability.income_tax, &estimate.liability.advance_tax);
    // New regime: 5 % of 4 lakh, 10 %, 15 % and 20 % of 4 lakh each: 2,00,000. Gain: 20,000. Cess: 4 % of 2,20,000.
    assert_eq!((tax.slab_tax, tax.cess, tax.total()), (decimal("200000"), decimal("8800"), decimal("228800")));
    assert_eq!((estimate.regime, estimate.rest_paid_on), (Regime::New, day("2026-07-31")));
    // Due: 78,800 after 1,50,000 of TDS. 15 June: 11,820, nothing paid. 15 September: 35,460, 40,000 paid.
    // 15 December: 59,100, 19,100 missing. 15 March: 38,800 missing. 1 % a month of full hundreds.
    let interest: Vec<Decimal> = advance.instalments.iter().map(|instalment| instalment.interest).collect();
    assert_eq!(interest, ["354", "0", "573", "388"].map(decimal));
    // April to July: four months on 38,800.
    assert_eq!(advance.default_interest.as_ref().unwrap().interest, decimal("1552"));
    // 78,800 + 2,867 - 40,000 = 41,667, rounded to ten.
    assert_eq!(estimate.payable(), decimal("41670"));
    let paid = format!("{lines}\n2025 tax-paid-later zerodha 41000");
    assert_eq!(pack_of(&without_charges, 2025, "", &paid).estimate.unwrap().payable(), decimal("670"));

    // Old regime, 60 years old: 20 % of 5 lakh and 30 % of 10 lakh, 5 % of the 2 lakh above 3 lakh.
    let old = format!("{lines}\n2025 old-regime zerodha\n2025 age-60 zerodha");
    let estimate = pack_of(&without_charges, 2025, "", &old).estimate.unwrap();
    assert_eq!((estimate.regime, estimate.liability.income_tax.slab_tax), (Regime::Old, decimal("410000")));
    // No business, so that a person of 60 pays no advance tax.
    assert!(estimate.liability.advance_tax.instalments.is_empty());
}

#[test]
fn a_loss_of_futures_reduces_dividends_and_other_income_but_not_salary() {
    // Loss: 2,50,000. Interest of 1,50,000 is used up first, then 1,00,000 of the dividends, the earliest first.
    let ledger = "2025-08-05 09:15 zerodha NSE buy NIFTY25AUGFUT 250 2000
                  2025-08-05 10:15 zerodha NSE sell NIFTY25AUGFUT 250 1000";
    let without_charges = Analysis::new(super::ledger(ledger), &[], no_charges(), TODAY);
    let lines = "2025 salary zerodha 2000000
                 2025 other-income zerodha 150000
                 2025 dividend zerodha 60000.40 2025-05-05 ITC
                 2025 dividend zerodha 89999.60 2025-12-20 INFY";
    let pack = pack_of(&without_charges, 2025, "", lines);
    assert_eq!(pack.losses.other_sources_set_off(), decimal("250000"));
    assert!(pack.losses.schedule[0].carried_forward.is_zero());
    let estimate = pack.estimate.as_ref().unwrap();
    assert_eq!(estimate.liability.income_tax.total_income, decimal("2050000"));
    // 2,00,000 until 20 lakh, 25 % of 50,000, and cess of 4 %.
    assert_eq!(estimate.liability.income_tax.total(), decimal("221000"));
    // A business without an audit has time until the end of August.
    assert_eq!(estimate.rest_paid_on, day("2026-08-31"));
    let amount = |title| {
        let mut lines = pack.tax_return.as_ref().unwrap().lines.iter().flatten();
        lines.find(|line| line.form_line.title == title).map(|line| line.amount)
    };
    for (title, expected) in [
        ("Dividend income other than buybacks", "150000"),
        ("Dividend in 1a(i), up to 15 June", "60000"),
        ("Dividend in 1a(i), 16 December to 15 March", "90000"),
        ("Income from other sources of the year", "300000"),
        ("Income from other sources, business loss set off", "250000"),
        ("Income from other sources, remaining", "50000"),
        ("Business loss to be set off", "250000"),
    ] {
        assert_eq!(amount(title), Some(decimal(expected)), "{title}");
    }
    // Without a loss, the form has the whole income.
    let without_loss = pack_of(&super::analysis("", &[]), 2025, "", "2025 other-income zerodha 150000");
    let lines: Vec<_> = without_loss.tax_return.unwrap().lines.unwrap();
    let of_line = |line: &ReturnLine| (line.form_line.schedule.as_str(), line.amount);
    let expected = ["Schedule CYLA", "Schedule BFLA"].map(|schedule| (schedule, decimal("150000")));
    assert_eq!(lines.iter().map(of_line).collect::<Vec<_>>(), expected);
    // Salary alone is not reduced, and the loss is carried forward.
    let pack = pack_of(&without_charges, 2025, "", "2025 salary zerodha 2000000");
    assert_eq!(pack.losses.schedule[0].carried_forward, decimal("250000"));
    assert_eq!(pack.estimate.unwrap().liability.income_tax.total_income, decimal("2000000"));
}

#[test]
fn losses_reduce_the_incomes_in_the_order_with_the_least_tax() {
    // Interest of 1,00,000, a gain of 1,00,000 at 20 %, a loss of 1,00,000.
    let ledger = "2025-05-05 09:15 zerodha NSE buy XYZ 10 10000
                  2025-06-05 09:15 zerodha NSE sell XYZ 10 20000
                  2025-08-05 09:15 zerodha NSE buy NIFTY25AUGFUT 100 2000
                  2025-08-05 10:15 zerodha NSE sell NIFTY25AUGFUT 100 1000";
    let analysis = Analysis::new(super::ledger(ledger), &[], no_charges(), TODAY);
    let reduced = |salary: &str| {
        let lines = format!("2025 salary zerodha {salary}\n2025 other-income zerodha 100000");
        let pack = pack_of(&analysis, 2025, "", &lines);
        let [set_off] = &pack.losses.set_offs[..] else { panic!("one set-off") };
        (set_off.against, pack.estimate.unwrap().liability.income_tax.total())
    };
    // Slab rate of 5 to 10 %: 9,00,000 + 1,00,000 is below the limit of the rebate. The other way 20 % of the gain is left.
    assert_eq!(reduced("900000"), (TaxHead::ShortTerm, decimal("0")));
    // A short-term loss of an earlier year would be left for later years, whose packs do not know the choice.
    let account = BrokerAccount::from_key("zerodha").unwrap();
    let earlier = crate::tax::BroughtForwardLoss {
        account,
        kind: TaxHead::ShortTerm,
        year: FinancialYear(2024),
        amount: decimal("50000"),
    };
    let of_year = |year| {
        let entered = entries("2025 salary zerodha 900000\n2025 other-income zerodha 100000");
        TaxPack::new(&analysis, FinancialYear(year), &TaxAccounts::default(), slice::from_ref(&earlier), &entered)
    };
    let (of_2025, of_2026) = (of_year(2025), of_year(2026));
    let carried: Decimal = of_2025.losses.schedule.iter().map(|loss| loss.carried_forward).sum();
    assert_eq!(carried, of_2026.losses.schedule.iter().map(|loss| loss.opening).sum::<Decimal>());
    assert_eq!(of_2025.losses.set_offs[0].against, TaxHead::OtherSources);
    // 25 %: 24 lakh + 1 lakh at 30 %. 3,00,000 + 20,000 and cess, where reducing the gain leaves 3,30,000 and cess.
    assert_eq!(reduced("2400000"), (TaxHead::OtherSources, decimal("332800")));
}

#[test]
fn the_exemption_and_losses_reduce_the_earliest_gains_of_the_estimate() {
    // Long-term gains of 3,00,000 before 15 June and 1,00,000 in January; 1,25,000 are exempt, a loss of the year takes
    // 75,000: 2,00,000 remain at 12.5 %, half of them in the first period.
    let ledger = "2023-05-05 09:15 zerodha NSE buy XYZ 40 10000
                  2025-06-05 09:15 zerodha NSE sell XYZ 30 20000
                  2026-01-05 09:15 zerodha NSE sell XYZ 10 20000
                  2025-05-05 09:15 zerodha NSE buy PQR 10 10000
                  2025-06-05 09:15 zerodha NSE sell PQR 10 2500";
    let analysis = Analysis::new(super::ledger(ledger), &[], no_charges(), TODAY);
    let estimate = pack_of(&analysis, 2025, "", "2025 other-income zerodha 2400000").estimate.unwrap();
    let [special] = &estimate.liability.income_tax.special[..] else { panic!("one rate") };
    assert_eq!((special.percent, special.amount, special.tax), (decimal("12.5"), decimal("200000"), decimal("25000")));
    // The exempt part belongs to the total income.
    assert_eq!(estimate.liability.income_tax.total_income, decimal("2725000"));
    // 3,00,000 at slab rates, 25,000, and cess: 3,38,000. On 15 June, the tax without the gain of January was
    // 3,00,000 + 12.5 % of 1,00,000 and cess: 3,25,000. Nothing was paid later, so all of it counts.
    let tax: Vec<Decimal> =
        estimate.liability.advance_tax.instalments.iter().map(|instalment| instalment.tax).collect();
    assert_eq!(tax, ["338000"; 4].map(decimal));
    let paid = "2025 other-income zerodha 2400000\n2025 advance-tax zerodha 325000 2025-06-10\n2025 advance-tax zerodha 13000 2026-03-10";
    let estimate = pack_of(&analysis, 2025, "", paid).estimate.unwrap();
    assert_eq!(estimate.liability.advance_tax.interest(), decimal("0"));
    assert_eq!(estimate.liability.advance_tax.instalments[0].tax, decimal("325000"));
}

#[test]
fn accounts_of_several_people_and_years_without_rates_have_no_estimate() {
    let pack = |year| pack_of(&analysis(LEDGER, &[]), year, "", "");
    assert!(pack(2018).estimate.is_some_and(|estimate| estimate.regime == Regime::Old));
    assert!(pack(2022).estimate.is_some_and(|estimate| estimate.regime == Regime::Old));
    assert!(pack(2023).estimate.is_some_and(|estimate| estimate.regime == Regime::New));
    assert!(pack(2017).estimate.is_none());
    let accounts = [(wire::Broker::Zerodha, "Asha"), (wire::Broker::Groww, "Ravi")].map(|(broker, holder)| {
        wire::BrokerAccount { broker: broker.into(), holder: holder.to_owned(), ..wire::BrokerAccount::default() }
    });
    let terms = Arc::new(BrokerTerms::from_wire(accounts.into(), Vec::new()).unwrap());
    let of_two = Analysis::with_terms(super::ledger(LEDGER), &[], ChargeRates::load().unwrap(), terms, TODAY);
    assert!(pack_of(&of_two, 2025, "", "").estimate.is_none());
    assert!(pack_of(&of_two, 2025, "zerodha", "").estimate.is_some());
}
