//! Set-off and carry-forward of losses compared with amounts computed by hand. Amounts are in rupees.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::broker_terms::BrokerTerms;
use crate::tax::{
    BroughtForwardLoss, FinancialYear, HeadResult, Losses, ScheduledLoss, SlabPlace, TaxAccounts, TaxHead, TaxPack,
    TaxRate, last_year_of_loss,
};

/// Parses lines such as `2024 short-term 15 -1000` (year, head, rate or `-`, result) to results by year.
fn results(lines: &str) -> BTreeMap<FinancialYear, Vec<HeadResult>> {
    let mut by_year: BTreeMap<FinancialYear, Vec<HeadResult>> = BTreeMap::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let results = by_year.entry(FinancialYear(fields[0].parse().unwrap())).or_default();
        results.push(HeadResult {
            head: TaxHead::from_name(fields[1]).unwrap(),
            rate: tax_rate(fields[1], fields[2]),
            result: decimal(fields[3]),
            set_off: Decimal::ZERO,
        });
    }
    by_year
}

/// Parses a rate such as `20`, `slab`, or `-` for business income. A part of long-term gains is exempt, except at a rate
/// such as `12.5-whole`.
fn tax_rate(head: &str, text: &str) -> Option<TaxRate> {
    match text {
        "-" => None,
        "slab" => Some(TaxRate::Slab),
        text => {
            let percent = text.trim_end_matches("-whole");
            let is_whole = head != "long-term" || percent != text;
            Some(TaxRate::Percent { percent: decimal(percent), is_whole })
        }
    }
}

/// Parses lines such as `2022 speculative 5000`, with an account such as `groww-2` at the end if it is not `zerodha`.
fn entered(lines: &str) -> Vec<BroughtForwardLoss> {
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        BroughtForwardLoss {
            account: BrokerAccount::from_key(fields.get(3).unwrap_or(&"zerodha")).unwrap(),
            year: FinancialYear(fields[0].parse().unwrap()),
            kind: TaxHead::from_name(fields[1]).unwrap(),
            amount: decimal(fields[2]),
        }
    };
    lines.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
}

/// Returns the losses of a year, given the results of the years up to it.
fn losses(year: i32, log: &str, brought_forward: &str) -> Losses {
    Losses::new(FinancialYear(year), results(log), &entered(brought_forward), &TaxAccounts::default(), SlabPlace::First)
}

fn set_offs(losses: &Losses) -> Vec<String> {
    let rate = |rate: Option<TaxRate>| {
        rate.map(|rate| rate.percent().map_or_else(|| " slab".to_owned(), |percent| format!(" {percent}")))
            .unwrap_or_default()
    };
    let describe = losses.set_offs.iter().map(|one| {
        let (loss, against) = (one.loss_kind.name(), one.against.name());
        format!("{} of {loss} {} against {against}{}", one.amount, one.loss_year.0, rate(one.rate))
    });
    describe.collect()
}

/// Describes the schedule: kind, year, opening, added, used, lapsed, carried forward.
fn schedule(losses: &Losses) -> Vec<String> {
    let describe = |loss: &ScheduledLoss| {
        let ScheduledLoss { opening, added, used, lapsed, carried_forward, .. } = loss;
        format!("{} {}: {opening} {added} {used} {lapsed} {carried_forward}", loss.kind.name(), loss.year.0)
    };
    losses.schedule.iter().map(describe).collect()
}

fn remaining(losses: &Losses) -> Vec<Decimal> {
    losses.results.iter().map(HeadResult::remaining).collect()
}

#[test]
fn a_speculative_loss_is_set_off_against_nothing_else() {
    // The loss of 10,000 stays whole beside 50,000 from F&O and 20,000 of short-term gains.
    let losses = losses(
        2025,
        "2025 speculative - -10000
         2025 non-speculative - 50000
         2025 short-term 20 20000",
        "",
    );
    assert_eq!(set_offs(&losses), [""; 0]);
    assert_eq!(schedule(&losses), ["speculative 2025: 0 10000 0 0 10000"]);
    assert_eq!(losses.schedule[0].last_year, Some(FinancialYear(2029)));
    assert_eq!(remaining(&losses), ["0", "50000", "20000"].map(decimal));
}

#[test]
fn gains_at_the_slab_rate_and_without_exemption_are_reduced_first() {
    // 50,000: 20,000 at the slab rate, 10,000 at 20 %, then 15,000 of gold at 12.5 % and 5,000 of shares at 12.5 %.
    let losses = losses(
        2025,
        "2025 non-speculative - -50000
         2025 short-term slab 20000
         2025 short-term 20 10000
         2025 long-term 12.5 40000
         2025 long-term 12.5-whole 15000",
        "",
    );
    assert_eq!(
        set_offs(&losses),
        [
            "20000 of non-speculative 2025 against short-term slab",
            "10000 of non-speculative 2025 against short-term 20",
            "15000 of non-speculative 2025 against long-term 12.5",
            "5000 of non-speculative 2025 against long-term 12.5",
        ]
    );
    assert_eq!(losses.exemptible_gains(), decimal("35000"));
    assert_eq!(losses.long_term_gains(), decimal("35000"));
}

#[test]
fn the_slab_rate_can_be_placed_behind_a_fixed_rate() {
    let log = "2025 non-speculative - -100
               2025 short-term 20 60
               2025 short-term slab 50
               2025 long-term 12.5-whole 70";
    let of_place =
        |slab_place| Losses::new(FinancialYear(2025), results(log), &[], &TaxAccounts::default(), slab_place);
    let reduced = |slab_place| of_place(slab_place).set_offs.iter().map(|one| one.amount).collect::<Vec<_>>();
    let [behind_12_5, behind_20] = of_place(SlabPlace::First).other_slab_places()[..] else { panic!("two places") };
    assert_eq!(reduced(SlabPlace::First), ["50", "50"].map(decimal));
    // 60 at 20 %, then 40 at the slab rate.
    assert_eq!(reduced(behind_20), ["60", "40"].map(decimal));
    // 60 at 20 %, then 40 at 12.5 %.
    assert_eq!(of_place(behind_12_5).set_offs[1].against, TaxHead::LongTerm);
    assert_eq!(reduced(behind_12_5), ["60", "40"].map(decimal));
    assert!(losses(2025, "2025 short-term slab 50\n2025 short-term 20 60", "").other_slab_places().is_empty());
}

#[test]
fn a_business_loss_of_the_year_reduces_other_sources_but_one_of_an_earlier_year_does_not() {
    // 1,00,000: 30,000 at the slab rate, then 50,000 at 20 %. The rest of 20,000 reduces business income only.
    let log = "2024 non-speculative - -100000
               2024 other-sources slab 30000
               2024 short-term 20 50000
               2025 other-sources slab 40000
               2025 short-term 20 -5000
               2025 non-speculative - 8000";
    let of_2024 = losses(2024, log, "");
    assert_eq!(
        set_offs(&of_2024),
        [
            "30000 of non-speculative 2024 against other-sources slab",
            "50000 of non-speculative 2024 against short-term 20",
        ]
    );
    assert_eq!(schedule(&of_2024), ["non-speculative 2024: 0 100000 80000 0 20000"]);
    assert_eq!(of_2024.other_sources_set_off(), decimal("30000"));
    let of_2025 = losses(2025, log, "");
    assert_eq!(set_offs(&of_2025), ["8000 of non-speculative 2024 against non-speculative"]);
    // Income that no loss reduces is not among the results.
    assert_eq!(of_2025.other_sources_set_off(), decimal("0"));
    assert!(of_2025.results.iter().all(|one| one.head != TaxHead::OtherSources));
}

#[test]
fn a_loss_is_set_off_before_gains_are_exempt() {
    let losses = losses(
        2025,
        "2025 short-term 20 -30000
         2025 long-term 12.5 140000
         2025 long-term 12.5-whole 5000",
        "",
    );
    assert_eq!(losses.exemptible_gains(), decimal("115000"));
    // 1,40,000 would have been exempt up to 1,25,000; of the 1,15,000 that remain, all are.
    assert_eq!(losses.exempt_gains_set_off(decimal("125000")), decimal("10000"));
    assert_eq!(losses.exempt_gains_set_off(decimal("100000")), decimal("0"));
}

#[test]
fn an_fno_loss_reduces_intraday_profit_then_the_gains_with_the_highest_rate() {
    // 1,00,000 - 30,000 (intraday) = 70,000; - 25,000 (20 %) = 45,000; - 20,000 (15 %) = 25,000; of 40,000 at 12.5 %
    // 25,000 are used and 15,000 remain; 5,000 at 10 % remain.
    let losses = losses(
        2024,
        "2024 speculative - 30000
         2024 non-speculative - -100000
         2024 short-term 15 20000
         2024 short-term 20 25000
         2024 long-term 10 5000
         2024 long-term 12.5 40000",
        "",
    );
    assert_eq!(
        set_offs(&losses),
        [
            "30000 of non-speculative 2024 against speculative",
            "25000 of non-speculative 2024 against short-term 20",
            "20000 of non-speculative 2024 against short-term 15",
            "25000 of non-speculative 2024 against long-term 12.5",
        ]
    );
    assert_eq!(schedule(&losses), ["non-speculative 2024: 0 100000 100000 0 0"]);
    assert_eq!(remaining(&losses), ["0", "0", "0", "0", "15000", "5000"].map(decimal));
    assert_eq!(losses.set_offs[0].law, "Income-tax Act 1961, sections 70(1) and 71(2)");
}

#[test]
fn a_short_term_loss_before_23_july_2024_reduces_the_gains_after_it_first() {
    // Lost 12,000 at 15 %: - 5,000 at 20 % = 7,000; - 6,000 at 12.5 % = 1,000; - 1,000 of 4,000 at 10 %.
    let losses = losses(
        2024,
        "2024 short-term 15 -12000
         2024 short-term 20 5000
         2024 long-term 10 4000
         2024 long-term 12.5 6000",
        "",
    );
    assert_eq!(
        set_offs(&losses),
        [
            "5000 of short-term 2024 against short-term 20",
            "6000 of short-term 2024 against long-term 12.5",
            "1000 of short-term 2024 against long-term 10",
        ]
    );
    assert_eq!(losses.long_term_gains(), decimal("3000"));
    let hints: Vec<_> = losses.hints(FinancialYear(2024)).collect();
    assert_eq!(hints, ["losses_highest_rate"]);
}

#[test]
fn a_long_term_loss_is_set_off_against_long_term_gains_alone() {
    // 50,000 - 8,000 = 42,000, in spite of 30,000 of short-term gains and 9,000 of intraday profit.
    let losses = losses(
        2024,
        "2024 speculative - 9000
         2024 short-term 20 30000
         2024 long-term 10 8000
         2024 long-term 12.5 -50000",
        "",
    );
    assert_eq!(set_offs(&losses), ["8000 of long-term 2024 against long-term 10"]);
    assert_eq!(schedule(&losses), ["long-term 2024: 0 50000 8000 0 42000"]);
    assert_eq!(losses.schedule[0].last_year, Some(FinancialYear(2032)));
}

#[test]
fn a_long_term_loss_is_set_off_before_a_short_term_loss() {
    // 10,000 at 12.5 % - 8,000 (long) = 2,000; - 2,000 (short). The short-term loss keeps 5,000, which later short-term
    // gains can use; the other order would keep 5,000 of the long-term loss.
    let losses = losses(
        2024,
        "2024 long-term 10 -8000
         2024 long-term 12.5 10000
         2024 short-term 20 -7000",
        "",
    );
    assert_eq!(schedule(&losses), ["short-term 2024: 0 7000 2000 0 5000", "long-term 2024: 0 8000 8000 0 0"]);
}

#[test]
fn capital_losses_do_not_reduce_business_income() {
    let losses = losses(
        2025,
        "2025 speculative - 40000
         2025 non-speculative - 60000
         2025 short-term 20 -5000
         2025 long-term 12.5 -6000",
        "2024 short-term 700\n2024 long-term 800",
    );
    assert_eq!(set_offs(&losses), [""; 0]);
    assert_eq!(
        schedule(&losses),
        [
            "short-term 2024: 700 0 0 0 700",
            "short-term 2025: 0 5000 0 0 5000",
            "long-term 2024: 800 0 0 0 800",
            "long-term 2025: 0 6000 0 0 6000",
        ]
    );
}

#[test]
fn the_oldest_loss_is_used_first() {
    // Profit 6,000 - 5,000 (2022-23) = 1,000; - 1,000 of 4,000 (2023-24), of which 3,000 remain.
    let losses = losses(2024, "2024 speculative - 6000", "2023 speculative 4000\n2022 speculative 5000");
    assert_eq!(
        set_offs(&losses),
        ["5000 of speculative 2022 against speculative", "1000 of speculative 2023 against speculative"]
    );
    assert_eq!(schedule(&losses), ["speculative 2022: 5000 0 5000 0 0", "speculative 2023: 4000 0 1000 0 3000"]);
    assert!(losses.schedule.iter().all(|loss| loss.entered));
}

#[test]
fn a_brought_forward_business_loss_does_not_reduce_capital_gains() {
    // Only 3,000 from F&O and 2,000 of intraday profit absorb the loss of 50,000: 45,000 remain.
    let losses = losses(
        2025,
        "2025 speculative - 2000
         2025 non-speculative - 3000
         2025 short-term 20 80000",
        "2023 non-speculative 50000",
    );
    assert_eq!(
        set_offs(&losses),
        ["3000 of non-speculative 2023 against non-speculative", "2000 of non-speculative 2023 against speculative"]
    );
    assert_eq!(schedule(&losses), ["non-speculative 2023: 50000 0 5000 0 45000"]);
    assert_eq!(losses.set_offs[0].law, "Income-tax Act 1961, section 72(1)");
}

#[test]
fn a_brought_forward_speculative_loss_reduces_intraday_profit_alone() {
    // 4,000 of 9,000 are used; the F&O profit of 70,000 is untouched. The F&O loss of before gets none of the 4,000.
    let losses = losses(
        2025,
        "2025 speculative - 4000
         2025 non-speculative - 70000",
        "2024 speculative 9000",
    );
    assert_eq!(schedule(&losses), ["speculative 2024: 9000 0 4000 0 5000"]);
    assert_eq!(remaining(&losses), ["0", "70000"].map(decimal));
}

#[test]
fn brought_forward_capital_losses_are_used_by_kind() {
    // The long-term loss of 9,000 finds 2,000 of long-term gains. The short-term loss of 15,000 reduces 12,000 of
    // short-term gains and finds no long-term gains any more: 3,000 remain.
    let losses = losses(
        2026,
        "2026 short-term 20 12000
         2026 long-term 12.5 2000",
        "2022 long-term 9000\n2021 short-term 15000",
    );
    assert_eq!(
        set_offs(&losses),
        ["2000 of long-term 2022 against long-term 12.5", "12000 of short-term 2021 against short-term 20"]
    );
    assert_eq!(schedule(&losses), ["short-term 2021: 15000 0 12000 0 3000", "long-term 2022: 9000 0 2000 0 7000"]);
    // Losses of before April 2026 too, by the law of the year.
    assert_eq!(losses.set_offs[0].law, "Income-tax Act 2025, section 111(2)(a)");
    // Without long-term losses, the short-term loss of 15,000 reduces both: 12,000 + 2,000.
    let both = self::losses(2026, "2026 short-term 20 12000\n2026 long-term 12.5 2000", "2021 short-term 15000");
    assert_eq!(schedule(&both), ["short-term 2021: 15000 0 14000 0 1000"]);
}

#[test]
fn losses_of_the_year_come_before_earlier_ones() {
    // The F&O loss of 5,000 takes the intraday profit of 3,000 first, then 2,000 of the gains. The speculative loss of
    // 2023-24 finds nothing; the short-term loss of 2023-24 finds 10,000 - 2,000 = 8,000.
    let losses = losses(
        2025,
        "2025 speculative - 3000
         2025 non-speculative - -5000
         2025 short-term 20 10000",
        "2023 speculative 1000\n2023 short-term 20000",
    );
    assert_eq!(
        schedule(&losses),
        [
            "speculative 2023: 1000 0 0 0 1000",
            "non-speculative 2025: 0 5000 5000 0 0",
            "short-term 2023: 20000 0 8000 0 12000",
        ]
    );
}

#[test]
fn losses_lapse_after_four_and_eight_years() {
    // A speculative loss of 2020-21 may be used until 2024-25, the others of 2016-17 until 2024-25.
    for (kind, year, last) in [
        ("speculative", 2020, 2024),
        ("non-speculative", 2016, 2024),
        ("short-term", 2016, 2024),
        ("long-term", 2016, 2024),
    ] {
        let rate = if kind.ends_with("-term") { "12.5" } else { "-" };
        let brought_forward = format!("{year} {kind} 1000");
        let before = losses(last - 1, "", &brought_forward);
        assert_eq!(schedule(&before), [format!("{kind} {year}: 1000 0 0 0 1000")], "{kind}");
        // In the last year, 400 are used and 600 lapse.
        let at_last = losses(last, &format!("{last} {kind} {rate} 400"), &brought_forward);
        assert_eq!(schedule(&at_last), [format!("{kind} {year}: 1000 0 400 600 0")], "{kind}");
        let after = losses(last + 1, &format!("{} {kind} {rate} 400", last + 1), &brought_forward);
        assert_eq!((schedule(&after), remaining(&after)), (Vec::new(), vec![decimal("400")]), "{kind}");
    }
}

#[test]
fn losses_of_the_log_are_carried_year_by_year() {
    let log = "2021 speculative - -9000
               2021 short-term 15 -4000
               2022 speculative - 2500
               2022 non-speculative - -6000
               2024 speculative - 3000
               2024 short-term 15 1000
               2024 short-term 20 500
               2025 speculative - 1000
               2025 non-speculative - 8000
               2026 speculative - 100";
    let of = |year: i32| schedule(&losses(year, &results_until(log, year), "2019 speculative 700"));
    assert_eq!(
        of(2021),
        ["speculative 2019: 700 0 0 0 700", "speculative 2021: 0 9000 0 0 9000", "short-term 2021: 0 4000 0 0 4000",]
    );
    // The F&O loss of 6,000 takes the 2,500 first. The loss of 2019-20 may be used until 2023-24.
    assert_eq!(
        of(2022),
        [
            "speculative 2019: 700 0 0 0 700",
            "speculative 2021: 9000 0 0 0 9000",
            "non-speculative 2022: 0 6000 2500 0 3500",
            "short-term 2021: 4000 0 0 0 4000",
        ]
    );
    assert_eq!(of(2023)[0], "speculative 2019: 700 0 0 700 0");
    // 9,000 - 3,000; 4,000 - 500 (20 %) - 1,000 (15 %).
    assert_eq!(
        of(2024),
        [
            "speculative 2021: 9000 0 3000 0 6000",
            "non-speculative 2022: 3500 0 0 0 3500",
            "short-term 2021: 4000 0 1500 0 2500",
        ]
    );
    // The speculative loss of 2021-22 lapses after 2025-26: 6,000 - 1,000 = 5,000.
    assert_eq!(
        of(2025),
        [
            "speculative 2021: 6000 0 1000 5000 0",
            "non-speculative 2022: 3500 0 3500 0 0",
            "short-term 2021: 2500 0 0 0 2500",
        ]
    );
    assert_eq!(of(2026), ["short-term 2021: 2500 0 0 0 2500"]);
}

/// Returns the lines of the years up to `year`.
fn results_until(log: &str, year: i32) -> String {
    let is_until =
        |line: &&str| line.split_whitespace().next().is_some_and(|first| first.parse::<i32>().unwrap() <= year);
    log.lines().filter(is_until).map(|line| format!("{line}\n")).collect()
}

#[test]
fn entered_losses_of_logged_years_and_other_people_are_not_used() {
    let log = "2022 speculative - 100\n2024 speculative - 10000";
    let brought_forward = "2021 speculative 1000\n2022 speculative 2000\n2021 speculative 4000 groww-2";
    let of = |accounts: &[&str]| {
        let accounts = TaxAccounts(accounts.iter().map(|key| BrokerAccount::from_key(key).unwrap()).collect());
        let losses =
            Losses::new(FinancialYear(2024), results(log), &entered(brought_forward), &accounts, SlabPlace::First);
        (schedule(&losses), losses.hints(FinancialYear(2024)).collect::<Vec<_>>())
    };
    // 100 are used in 2022-23.
    assert_eq!(of(&["zerodha"]), (vec!["speculative 2021: 900 0 900 0 0".to_owned()], vec!["losses_in_log"]));
    assert_eq!(of(&["groww-2"]), (vec!["speculative 2021: 3900 0 3900 0 0".to_owned()], Vec::new()));
    assert_eq!(of(&[]).0, ["speculative 2021: 4900 0 4900 0 0"]);
}

#[test]
fn an_entered_loss_is_used_although_older_years_are_in_the_log() {
    // The log has one sale of 2019-20 and the trades from 2024-25 on; the loss of 2022-23 is in neither.
    let losses = losses(2024, "2019 short-term 15 10\n2024 non-speculative - 8000", "2022 non-speculative 5000");
    assert_eq!(schedule(&losses), ["non-speculative 2022: 5000 0 5000 0 0"]);
    assert_eq!(losses.ignored, 0);
}

#[test]
fn says_what_is_assumed_about_losses_of_logged_years() {
    let hints = |brought_forward: &str, log: &str| {
        losses(2025, log, brought_forward).hints(FinancialYear(2025)).collect::<Vec<_>>()
    };
    let profit = "2025 non-speculative - 100";
    assert_eq!(hints("2024 non-speculative 50", profit), [] as [&str; 0]);
    assert_eq!(hints("", &format!("2024 non-speculative - -50\n{profit}")), ["losses_of_log_assumed"]);
}

#[test]
fn a_long_term_loss_leaves_no_choice_of_rates() {
    let gains = "2025 short-term 20 100\n2025 long-term 12.5 100";
    let hints = |entered: &str| losses(2025, gains, entered).hints(FinancialYear(2025)).collect::<Vec<_>>();
    assert_eq!(hints("2024 long-term 50"), [] as [&str; 0]);
    assert_eq!(hints("2024 short-term 50"), ["losses_highest_rate"]);
}

#[test]
fn losses_of_one_person_reduce_no_income_of_another() {
    let ledger = "2024-05-02 09:15 zerodha NSE buy NIFTY24MAY22000CE 25 100
                  2024-05-02 10:15 zerodha NSE sell NIFTY24MAY22000CE 25 50
                  2024-05-02 09:15 zerodha-2 NSE buy NIFTY24MAY22000CE 25 100
                  2024-05-02 10:15 zerodha-2 NSE sell NIFTY24MAY22000CE 25 50";
    let account = |number, holder: &str| wire::BrokerAccount {
        broker: wire::Broker::Zerodha.into(),
        broker_account: number,
        holder: holder.to_owned(),
        ..wire::BrokerAccount::default()
    };
    let pack = |mother: &str, accounts: &TaxAccounts| {
        let accounts_of_log = vec![account(0, "Asha Rao"), account(2, mother)];
        let terms = Arc::new(BrokerTerms::from_wire(accounts_of_log, Vec::new()).unwrap());
        let rates = ChargeRates::load().unwrap();
        let analysis = Analysis::with_terms(super::ledger(ledger), &[], rates, terms, TODAY);
        TaxPack::new(&analysis, FinancialYear(2024), accounts, &[], &[])
    };
    let (all, one) = (TaxAccounts::default(), TaxAccounts(vec![BrokerAccount::from_key("zerodha").unwrap()]));
    for (mother, accounts, has_losses) in
        [("Lata Rao", &all, false), ("Lata Rao", &one, true), ("asha  rao", &all, true), ("", &all, true)]
    {
        let pack = pack(mother, accounts);
        assert_eq!(!pack.losses.schedule.is_empty(), has_losses, "{mother}");
        assert_eq!(!pack.hints.contains(&"losses_of_several_people"), has_losses, "{mother}");
    }
}

fn pack(ledger: &str, year: i32, brought_forward: &str) -> TaxPack {
    let accounts = TaxAccounts::default();
    TaxPack::new(&analysis(ledger, &[]), FinancialYear(year), &accounts, &entered(brought_forward), &[])
}

#[test]
fn the_exemption_applies_after_the_set_off() {
    // A long-term gain of about 3,00,000 less 50,000 of a short-term loss of 2023-24; of the rest 1,25,000 are exempt.
    let ledger = "2023-05-02 09:15 zerodha NSE buy INFY 1000 1200
                  2025-06-02 09:15 zerodha NSE sell INFY 1000 1500";
    let pack_of_2025 = pack(ledger, 2025, "2023 short-term 50000");
    let gain = pack_of_2025.long_term[0].gain;
    assert!(gain > decimal("299000") && gain < decimal("300000"), "{gain}");
    assert_eq!(pack_of_2025.losses.long_term_gains(), gain - decimal("50000"));
    assert_eq!(pack_of_2025.long_term_exempt_used(), decimal("125000"));
    // With 2,50,000 of losses less than 1,25,000 remain, and all of it is exempt.
    let exempt = pack(ledger, 2025, "2023 short-term 250000");
    assert_eq!(exempt.long_term_exempt_used(), gain - decimal("250000"));
    // A loss is used although the exemption would have covered the gain: 3,00,000 - 2,90,000.
    assert_eq!(set_offs(&pack(ledger, 2025, "2023 short-term 290000").losses).len(), 1);
}

#[test]
fn the_log_has_the_losses_of_its_earlier_years() {
    // Intraday: 2024-25 lost 1,000 and 2026-27 won 3,000, before charges. F&O: 2025-26 lost 2,000 before charges.
    let ledger = "2024-06-03 09:15 zerodha NSE buy INFY 100 1500
                  2024-06-03 10:15 zerodha NSE sell INFY 100 1490
                  2025-06-02 09:15 zerodha NSE buy NIFTY25JUNFUT 50 24000
                  2025-06-02 10:15 zerodha NSE sell NIFTY25JUNFUT 50 23960
                  2026-06-01 09:15 zerodha NSE buy INFY 100 1500
                  2026-06-01 10:15 zerodha NSE sell INFY 100 1530";
    let net = |year: i32| pack(ledger, year, "").speculative.net + pack(ledger, year, "").non_speculative.net;
    let losses = pack(ledger, 2026, "2023 speculative 50").losses;
    let describe: Vec<_> = losses.schedule.iter().map(|loss| (loss.year.0, loss.opening, loss.used)).collect();
    let left = net(2026) - decimal("50") + net(2024);
    assert!(net(2024) < decimal("-1000") && left > Decimal::ZERO && left < -net(2025));
    assert_eq!(
        describe,
        [(2023, decimal("50"), decimal("50")), (2024, -net(2024), -net(2024)), (2025, -net(2025), left)]
    );
    assert_eq!(losses.results[0].set_off, net(2026));
    assert!(pack(ledger, 2025, "").hints.contains(&"losses_carried_forward"));
}

#[test]
fn long_term_losses_of_before_april_2018_do_not_count_because_the_gains_were_exempt() {
    let ledger = "2016-01-04 09:15 zerodha NSE buy OLD 10 200
                  2018-03-01 09:15 zerodha NSE sell OLD 10 150
                  2018-01-02 09:15 zerodha NSE buy NEW 10 200
                  2018-03-01 09:15 zerodha NSE sell NEW 10 150
                  2016-01-04 09:15 zerodha NSE buy LATE 10 200
                  2018-04-02 09:15 zerodha NSE sell LATE 10 150";
    let kinds = |year| {
        let losses = pack(ledger, year, "").losses;
        losses.schedule.iter().map(|loss| (loss.kind, loss.year.0)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(2017), [(TaxHead::ShortTerm, 2017)]);
    assert_eq!(kinds(2018), [(TaxHead::ShortTerm, 2017), (TaxHead::LongTerm, 2018)]);
}

/// Generates results of the years from 2015 on.
fn any_results() -> impl Strategy<Value = BTreeMap<FinancialYear, Vec<HeadResult>>> {
    let result = (2015..2027_i32, 0..9_usize, -1_000_000..1_000_000_i64);
    proptest::collection::vec(result, 0..40).prop_map(|rows| {
        let mut by_year: BTreeMap<FinancialYear, Vec<HeadResult>> = BTreeMap::new();
        for (year, bucket, paise) in rows {
            let (head, rate) = [
                (TaxHead::Speculative, "-"),
                (TaxHead::NonSpeculative, "-"),
                (TaxHead::ShortTerm, "15"),
                (TaxHead::ShortTerm, "20"),
                (TaxHead::ShortTerm, "slab"),
                (TaxHead::LongTerm, "10"),
                (TaxHead::LongTerm, "12.5"),
                (TaxHead::LongTerm, "12.5-whole"),
                (TaxHead::OtherSources, "slab"),
            ][bucket];
            // Nobody enters a loss from other sources.
            let paise = if head == TaxHead::OtherSources { paise.abs() } else { paise };
            let (rate, result) = (tax_rate(head.name(), rate), Decimal::new(paise, 2));
            let results = by_year.entry(FinancialYear(year)).or_default();
            match results.iter_mut().find(|one| (one.head, one.rate) == (head, rate)) {
                Some(one) => one.result += result,
                None => results.push(HeadResult { head, rate, result, set_off: Decimal::ZERO }),
            }
        }
        by_year
    })
}

fn any_entered() -> impl Strategy<Value = Vec<BroughtForwardLoss>> {
    let loss = (2005..2020_i32, 0..4_usize, 1..1_000_000_i64).prop_map(|(year, kind, paise)| BroughtForwardLoss {
        account: account(Broker::Zerodha),
        kind: TaxHead::WITH_LOSSES[kind],
        year: FinancialYear(year),
        amount: Decimal::new(paise, 2),
    });
    proptest::collection::vec(loss, 0..10)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_rupee_of_a_loss_is_used_once(results in any_results(), entered in any_entered()) {
        let zero = Decimal::ZERO;
        let accounts = TaxAccounts::default();
        let mut carried: Vec<(TaxHead, FinancialYear, Decimal)> = Vec::new();
        for year in (2015..2040).map(FinancialYear) {
            let until: BTreeMap<_, _> = results.range(..=year).map(|(year, results)| (*year, results.clone())).collect();
            let losses = Losses::new(year, until, &entered, &accounts, SlabPlace::First);
            let gains = losses.results.iter().map(|one| one.result.max(zero)).sum::<Decimal>();
            let set_off = losses.set_offs.iter().map(|one| one.amount).sum::<Decimal>();
            prop_assert_eq!(gains, set_off + remaining(&losses).into_iter().sum::<Decimal>());
            prop_assert!(remaining(&losses).iter().all(|left| *left >= zero));
            prop_assert_eq!(set_off, losses.schedule.iter().map(|loss| loss.used).sum::<Decimal>());
            for one in &losses.results {
                let against = losses.set_offs.iter().filter(|set_off| {
                    (set_off.against, set_off.rate) == (one.head, one.rate)
                });
                prop_assert_eq!(one.set_off, against.map(|set_off| set_off.amount).sum::<Decimal>());
            }
            for set_off in &losses.set_offs {
                prop_assert!(set_off.amount > zero && !set_off.law.is_empty());
                let (loss, against) = (set_off.loss_kind, set_off.against);
                let is_allowed = match loss {
                    TaxHead::Speculative => against == TaxHead::Speculative,
                    TaxHead::NonSpeculative => against.is_business() || set_off.loss_year == year,
                    TaxHead::ShortTerm => against.is_gain(),
                    TaxHead::LongTerm => against == TaxHead::LongTerm,
                    TaxHead::OtherSources => false,
                };
                prop_assert!(is_allowed, "{:?}", set_off);
                prop_assert!(last_year_of_loss(loss, set_off.loss_year).unwrap() >= year);
            }
            for loss in &losses.schedule {
                let sums = [loss.used, loss.lapsed, loss.carried_forward];
                prop_assert_eq!(loss.opening + loss.added, sums.into_iter().sum::<Decimal>());
                prop_assert!(sums.into_iter().all(|sum| sum >= zero));
                // What one year carries forward, the next one opens with.
                let before = carried.iter().find(|one| (one.0, one.1) == (loss.kind, loss.year)).map_or(zero, |one| one.2);
                let is_new = loss.entered && (loss.year.next() == year || year.0 == 2015);
                prop_assert!(loss.opening == before || is_new, "{:?} {}", loss, before);
            }
            carried = losses.schedule.iter().map(|loss| (loss.kind, loss.year, loss.carried_forward)).collect();
        }
    }
}
