//! Tax and interest compared with amounts calculated by hand. Amounts are in rupees.

use proptest::prelude::*;
use time::macros::date;
use time::{Date, Month};

use super::advance_tax::Payment;
use super::income::{ByPeriod, GainsSection, SpecialGains};
use super::*;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Parses incomes such as `business 1600000 111A@20 500000:4`: kind, amount, and the period in which it arose, by default
/// the first. A kind may occur for several periods.
fn income(text: &str) -> Income {
    let mut income = Income::default();
    let fields: Vec<&str> = text.split_whitespace().collect();
    for pair in fields.chunks(2) {
        let (amount, period) = pair[1].split_once(':').unwrap_or((pair[1], "1"));
        let (amount, period) = (decimal(amount), period.parse::<usize>().unwrap() - 1);
        match pair[0] {
            "business" => income.business += amount,
            "other" => income.other += amount,
            "slab-gains" => income.slab_gains.0[period] += amount,
            "dividends" => income.dividends.0[period] += amount,
            "exempt" => income.exempt_gains.0[period] += amount,
            gains => {
                let (section, percent) = gains.split_once('@').unwrap();
                let section = match section {
                    "111A" => GainsSection::ShortTermEquity,
                    "112" => GainsSection::LongTermOther,
                    "112A" => GainsSection::LongTermEquity,
                    other => panic!("{other}"),
                };
                let mut amounts = ByPeriod::default();
                amounts.0[period] = amount;
                let percent = decimal(percent);
                let same = |gains: &&mut SpecialGains| gains.section == section && gains.percent == percent;
                match income.special_gains.iter_mut().find(same) {
                    Some(gains) => gains.amounts.0[period] += amount,
                    None => income.special_gains.push(SpecialGains { section, percent, amounts }),
                }
            }
        }
    }
    income
}

/// Parses a taxpayer such as `2025 new below-60`.
fn taxpayer(text: &str) -> (FinancialYear, Regime, AgeClass) {
    let fields: Vec<&str> = text.split(' ').collect();
    (FinancialYear(fields[0].parse().unwrap()), fields[1].parse().unwrap(), fields[2].parse().unwrap())
}

fn liability(who: &str, incomes: &str, payments: &Payments<'_>) -> Liability {
    let (year, regime, age) = taxpayer(who);
    Liability::new(year, regime, age, &income(incomes), payments).unwrap()
}

const UNPAID: Payments<'_> = Payments { deducted: Decimal::ZERO, advance: &[], rest_paid_on: date!(2027 - 07 - 31) };

/// Compares tax at slab rates, tax at special rates, rebate, surcharge and cess.
#[track_caller]
fn check(who: &str, incomes: &str, expected: [&str; 5]) {
    let tax = liability(who, incomes, &UNPAID).income_tax;
    let special: Decimal = tax.special.iter().map(|special| special.tax).sum();
    let parts = [tax.slab_tax, special, tax.rebate, tax.surcharge, tax.cess];
    assert_eq!(parts.map(|part| part.normalize().to_string()), expected, "{who}: {incomes}");
    assert_eq!(tax.total(), tax.slab_tax + special - tax.rebate + tax.surcharge + tax.cess, "{who}: {incomes}");
}

#[test]
fn slab_rates_of_the_old_regime_by_age() {
    check("2018 old below-60", "business 250000", ["0", "0", "0", "0", "0"]);
    // 5 % of 200,000; the rebate of 2018-19 ends at 350,000.
    check("2018 old 60-to-79", "business 500000", ["10000", "0", "0", "0", "400"]);
    // 12,500 + 20 % of 500,000 + 30 % of 500,000.
    check("2019 old below-60", "business 1500000", ["262500", "0", "0", "0", "10500"]);
    // 10,000 + 100,000.
    check("2019 old 60-to-79", "business 1000000", ["110000", "0", "0", "0", "4400"]);
    // 20 % of 500,000.
    check("2019 old from-80", "business 1000000", ["100000", "0", "0", "0", "4000"]);
    check("2026 old from-80", "business 1000000", ["100000", "0", "0", "0", "4000"]);
    // 12,500 + 100,000 + 30 % of 1,600,000, as before.
    check("2025 old below-60", "business 2600000", ["592500", "0", "0", "0", "23700"]);
}

#[test]
fn slab_rates_of_the_new_regime_by_year() {
    // 12,500 + 25,000 + 37,500 + 50,000 + 62,500.
    check("2020 new below-60", "other 1500000", ["187500", "0", "0", "0", "7500"]);
    check("2022 new from-80", "other 1500000", ["187500", "0", "0", "0", "7500"]);
    // 15,000 + 30,000 + 45,000 + 60,000.
    check("2023 new below-60", "other 1500000", ["150000", "0", "0", "0", "6000"]);
    // 20,000 + 30,000 + 30,000 + 60,000.
    check("2024 new below-60", "other 1500000", ["140000", "0", "0", "0", "5600"]);
    // 20,000 + 40,000 + 15 % of 300,000.
    check("2025 new below-60", "other 1500000", ["105000", "0", "0", "0", "4200"]);
    // 20,000 + 40,000 + 60,000 + 80,000 + 100,000 + 30 % of 100,000.
    check("2026 new below-60", "other 2500000", ["330000", "0", "0", "0", "13200"]);
}

#[test]
fn rebate_on_both_sides_of_its_limit() {
    // 5 % of 100,000 less 2,500; 4 % of 2,500.
    check("2018 old below-60", "other 350000", ["5000", "0", "2500", "0", "100"]);
    // 5 % of 100,010.
    check("2018 old below-60", "other 350010", ["5000.5", "0", "0", "0", "200.02"]);
    check("2019 old below-60", "other 500000", ["12500", "0", "12500", "0", "0"]);
    // 12,500 + 20 % of 10.
    check("2019 old below-60", "other 500010", ["12502", "0", "0", "0", "500.08"]);
    check("2022 new below-60", "other 500000", ["12500", "0", "12500", "0", "0"]);
    // 12,500 + 10 % of 10.
    check("2022 new below-60", "other 500010", ["12501", "0", "0", "0", "500.04"]);
    check("2026 old below-60", "other 500000", ["12500", "0", "12500", "0", "0"]);
    check("2026 old below-60", "other 500010", ["12502", "0", "0", "0", "500.08"]);
    // The age does not matter in the new regime: 60,000 + 15 % of 100,000.
    check("2026 new from-80", "other 1300000", ["75000", "0", "0", "0", "3000"]);
}

#[test]
fn marginal_relief_of_the_rebate() {
    // 15,000 + 10 % of 100,000.
    check("2023 new below-60", "other 700000", ["25000", "0", "25000", "0", "0"]);
    // 26,000, of which 10,000 remain.
    check("2023 new below-60", "other 710000", ["26000", "0", "16000", "0", "400"]);
    // 15,000 + 10 % of 127,770 = 27,777, of which 27,770 remain.
    check("2023 new below-60", "other 727770", ["27777", "0", "7", "0", "1110.8"]);
    // 27,778 is less than 27,780.
    check("2023 new below-60", "other 727780", ["27778", "0", "0", "0", "1111.12"]);
    // 5 % of 400,000.
    check("2024 new below-60", "other 700000", ["20000", "0", "20000", "0", "0"]);
    // 20,000 + 10 % of 22,220 = 22,222, of which 22,220 remain.
    check("2024 new below-60", "other 722220", ["22222", "0", "2", "0", "888.8"]);
    check("2024 new below-60", "other 722230", ["22223", "0", "0", "0", "888.92"]);
    check("2025 new below-60", "other 1200000", ["60000", "0", "60000", "0", "0"]);
    // 60,000 + 15 % of 10, of which 10 remain.
    check("2025 new below-60", "other 1200010", ["60001.5", "0", "59991.5", "0", "0.4"]);
    // 60,000 + 15 % of 70,580 = 70,587, of which 70,580 remain.
    check("2025 new below-60", "other 1270580", ["70587", "0", "7", "0", "2823.2"]);
    check("2026 new below-60", "other 1270580", ["70587", "0", "7", "0", "2823.2"]);
    // 70,588.50 is less than 70,590.
    check("2025 new below-60", "other 1270590", ["70588.5", "0", "0", "0", "2823.54"]);
}

#[test]
fn rebate_and_special_rates() {
    // 20 % of 500,000 less the unused exemption of 300,000: 35,000 with 15 % of 100,000, of which 10,000 remain.
    check("2024 new below-60", "111A@15 100000 111A@20 400000", ["0", "35000", "25000", "0", "400"]);
    // 10 % of 500,000 less 300,000; section 112A has no rebate.
    check("2023 new below-60", "112A@10 500000 exempt 100000", ["0", "20000", "0", "0", "800"]);
    // The exempt gains make the total income 700,000; one rupee more and 750,000 follow.
    check("2023 new below-60", "other 600000 exempt 100000", ["15000", "0", "15000", "0", "0"]);
    // 15,000 + 5,000 is less than the 50,000 above the limit.
    check("2023 new below-60", "other 600000 exempt 100000 112A@10 50000", ["15000", "5000", "0", "0", "800"]);
    // 15 % of 400,000; at most 25,000 at and above the limit.
    check("2023 new below-60", "other 300000 111A@15 400000", ["0", "60000", "25000", "0", "1400"]);
    check("2023 new below-60", "other 300000 111A@15 400010", ["0", "60001.5", "25000", "0", "1400.06"]);
    // From 2025-26 on only the tax at slab rates: 20,000 + 10 % of 380,000 = 58,000.
    check("2025 new below-60", "other 1180000 111A@20 20000", ["58000", "4000", "58000", "0", "160"]);
    // 64,000, of which the 10,000 above the limit remain.
    check("2025 new below-60", "other 1180000 111A@20 30000", ["58000", "6000", "54000", "0", "400"]);
    check("2025 new below-60", "111A@20 500000", ["0", "20000", "0", "0", "800"]);
    check("2024 new below-60", "112@12.5 500000", ["0", "25000", "25000", "0", "0"]);
    // The old regime keeps the rebate against section 111A, but not 112A.
    check("2025 old below-60", "other 450000 111A@20 50000", ["10000", "10000", "12500", "0", "300"]);
    check("2026 old below-60", "other 400000 112A@12.5 100000", ["7500", "12500", "7500", "0", "500"]);
}

#[test]
fn unused_basic_exemption_reduces_the_gains_with_the_highest_rate() {
    // 300,000 are unused: 200,000 at 20 % and 100,000 at 12.5 %; 12.5 % of 200,000 remain.
    let incomes = "other 100000 112A@12.5 300000 exempt 125000 111A@20 200000";
    check("2026 new below-60", incomes, ["0", "25000", "0", "0", "1000"]);
    let tax = liability("2026 new below-60", incomes, &UNPAID).income_tax;
    let unused =
        |index: usize| (tax.special[index].percent.to_string(), tax.special[index].unused_exemption.to_string());
    assert_eq!(
        [unused(0), unused(1)],
        [("20", "200000"), ("12.5", "100000")].map(|(one, two)| (one.into(), two.into()))
    );
    assert_eq!(tax.total_income.to_string(), "725000");
    // At the same rate, gains of section 112A, which have no rebate: 10 % of 150,000, all of it reduced.
    check("2023 new below-60", "112@10 150000 112A@10 300000", ["0", "15000", "15000", "0", "0"]);
    // 300,000 at 60: 200,000 are unused; 20 % of 100,000 less 12,500.
    check("2025 old 60-to-79", "other 100000 111A@20 300000", ["0", "20000", "12500", "0", "300"]);
    // Income at slab rates that uses the exemption leaves nothing: 20 % of 10,000.
    check(
        "2026 new below-60",
        "other 390000 slab-gains 6000 dividends 4000 111A@20 10000",
        ["0", "2000", "0", "0", "80"],
    );
}

#[test]
fn surcharge_by_income_with_marginal_relief() {
    // 112,500 + 30 % of 4,000,000.
    check("2018 old below-60", "business 5000000", ["1312500", "0", "0", "0", "52500"]);
    // 10 % of 1,342,500 would make 1,476,750; at most 1,312,500 + 100,000.
    check("2018 old below-60", "business 5100000", ["1342500", "0", "0", "70000", "56500"]);
    // 1,372,500 + 137,250 is less than 1,512,500.
    check("2018 old below-60", "business 5200000", ["1372500", "0", "0", "137250", "60390"]);
    check("2018 old below-60", "business 10000000", ["2812500", "0", "0", "281250", "123750"]);
    // At most 3,093,750 + 100,000.
    check("2018 old below-60", "business 10100000", ["2842500", "0", "0", "351250", "127750"]);
    // 15 % until 2018-19, then 25 % above 20,000,000.
    check("2018 old below-60", "business 30000000", ["8812500", "0", "0", "1321875", "405375"]);
    check("2019 old below-60", "business 30000000", ["8812500", "0", "0", "2203125", "440625"]);
    // At most 5,812,500 with 15 % and 100,000: 6,784,375.
    check("2019 old below-60", "business 20100000", ["5842500", "0", "0", "941875", "271375"]);
    // 37 % above 50,000,000; in the new regime until 2022-23 only.
    check("2019 old below-60", "business 60000000", ["17812500", "0", "0", "6590625", "976125"]);
    check("2022 new below-60", "business 60000000", ["17737500", "0", "0", "6562875", "972015"]);
    check("2023 new below-60", "business 60000000", ["17700000", "0", "0", "4425000", "885000"]);
    check("2026 old below-60", "business 60000000", ["17812500", "0", "0", "6590625", "976125"]);
    // 300,000 + 30 % of 57,600,000.
    check("2026 new below-60", "business 60000000", ["17580000", "0", "0", "4395000", "879000"]);
    // Exempt gains count: 5,025,000; at most 300,000 + 30 % of 2,475,000 + 25,000.
    check("2025 new below-60", "business 4900000 exempt 125000", ["1050000", "0", "0", "17500", "42700"]);
    // 20 % of 4,700,000; at most 20 % of 4,600,000 + 100,000.
    check("2025 new below-60", "111A@20 5100000", ["0", "940000", "0", "80000", "40800"]);
}

#[test]
fn surcharge_on_gains_and_dividends_is_at_most_15_percent() {
    // Without the gains, the income is 10,000,000: 15 % of all.
    check("2019 old below-60", "business 10000000 111A@15 20000000", ["2812500", "3000000", "0", "871875", "267375"]);
    // 25 % of 7,312,500 and 15 % of 1,500,000.
    check("2019 old below-60", "business 25000000 111A@15 10000000", ["7312500", "1500000", "0", "2053125", "434625"]);
    // Section 112 since 2022-23: 25 % of 5,812,500, then 15 %.
    check("2021 old below-60", "business 10000000 112@20 15000000", ["2812500", "3000000", "0", "1453125", "290625"]);
    check("2022 old below-60", "business 10000000 112@20 15000000", ["2812500", "3000000", "0", "871875", "267375"]);
    // Dividends since 2020-21: 25 % of 7,312,500, then 15 %.
    check("2019 old below-60", "business 10000000 dividends 15000000", ["7312500", "0", "0", "1828125", "365625"]);
    check("2020 old below-60", "business 10000000 dividends 15000000", ["7312500", "0", "0", "1096875", "336375"]);
    // Half of 14,812,500 at 25 % and half at 15 %.
    check("2020 old below-60", "business 25000000 dividends 25000000", ["14812500", "0", "0", "2962500", "711000"]);
    // Below 20,000,000 the cap does not matter: 10 % of 1,312,500 + 125,000.
    check("2026 old below-60", "business 5000000 112A@12.5 1000000", ["1312500", "125000", "0", "143750", "63250"]);
    // One rupee from 25 %: at most 15 % of the tax on 20,000,000 with the gains, and 100.
    // Tax 5,812,530 + 1,250,000 with 15 % of 7,062,500 = 1,059,375, and 100 of which 30 are tax.
    check(
        "2026 old below-60",
        "business 20000100 112A@12.5 10000000",
        ["5812530", "1250000", "0", "1059445", "324879"],
    );
}

#[test]
fn total_income_is_rounded_to_ten_rupees() {
    // 120,000 + 20 % of 12,340 and of 12,350.
    check("2025 new below-60", "business 1612344.99", ["122468", "0", "0", "0", "4898.72"]);
    check("2025 new below-60", "business 1612345", ["122470", "0", "0", "0", "4898.8"]);
    // 1,200,004.99 does not exceed the limit of the rebate.
    check("2025 new below-60", "business 1200004.99", ["60000", "0", "60000", "0", "0"]);
    // Without income at slab rates, the gains are rounded down: 20 % of 600,000.
    check("2025 new below-60", "111A@20 1000004", ["0", "120000", "0", "0", "4800"]);
    let tax = liability("2025 new below-60", "business 1612344.99", &UNPAID).income_tax;
    assert_eq!(tax.total_income, decimal("1612340"));
}

#[test]
fn years_and_regimes_without_rules() {
    for (who, exists) in [
        ("2017 old below-60", false),
        ("2018 old below-60", true),
        ("2019 new below-60", false),
        ("2020 new below-60", true),
        ("2026 new below-60", true),
    ] {
        let (year, regime, age) = taxpayer(who);
        let liability = Liability::new(year, regime, age, &Income::default(), &UNPAID);
        assert_eq!(liability.is_some(), exists, "{who}");
        assert!(liability.is_none_or(|liability| liability.payable().is_zero()));
    }
}

/// Parses payments such as `06-15:18720 03-31:100` of the year 2025-26. Month 4 of the next year is `n04`.
fn advance(text: &str) -> Vec<Payment> {
    let payment = |text: &str| {
        let (day, amount) = text.split_once(':').unwrap();
        let (month, day) = day.split_once('-').unwrap();
        let (month, next) = month.strip_prefix('n').map_or((month, false), |month| (month, true));
        let month = Month::try_from(month.parse::<u8>().unwrap()).unwrap();
        let year = if next || month < Month::April { 2026 } else { 2025 };
        Payment { day: Date::from_calendar_date(year, month, day.parse().unwrap()).unwrap(), amount: decimal(amount) }
    };
    text.split_whitespace().map(payment).collect()
}

/// Compares the interest of each instalment, and the interest for the time after the year, on tax paid on a day.
#[track_caller]
fn check_interest(who: &str, incomes: &str, paid: &str, rest_paid_on: Date, instalments: &[u32], default: Option<u32>) {
    let payments = Payments { deducted: Decimal::ZERO, advance: &advance(paid), rest_paid_on };
    let advance_tax = liability(who, incomes, &payments).advance_tax;
    let interest: Vec<Decimal> = advance_tax.instalments.iter().map(|instalment| instalment.interest).collect();
    let expected: Vec<Decimal> = instalments.iter().copied().map(Decimal::from).collect();
    assert_eq!(interest, expected, "{incomes}, {paid}");
    let interest = advance_tax.default_interest.as_ref().map(|default| default.interest);
    assert_eq!(interest, default.map(Decimal::from), "{incomes}, {paid}, {rest_paid_on}");
}

/// Tax of 124,800: 20,000 + 40,000 + 60,000, and 4 %. Due are 18,720, 56,160, 93,600 and 124,800.
const BUSINESS: &str = "business 1600000";
const TRADER: &str = "2025 new below-60";
const LATER: Date = date!(2026 - 07 - 31);

#[test]
fn interest_of_a_year_without_payments() {
    // 3 % of 18,700, 56,100 and 93,600, 1 % of 124,800; 4 months of 1 % of 124,800.
    check_interest(TRADER, BUSINESS, "", LATER, &[561, 1683, 2808, 1248], Some(4992));
    let liability = liability(TRADER, BUSINESS, &Payments { rest_paid_on: LATER, ..UNPAID });
    // 124,800 + 6,300 + 4,992 = 136,092.
    assert_eq!(liability.payable(), decimal("136090"));
    let first = &liability.advance_tax.instalments[0];
    assert_eq!((first.due, first.shortfall, first.months), (decimal("18720"), decimal("18720"), 3));
    assert_eq!(first.due_day, date!(2025 - 06 - 15));
    assert_eq!(liability.advance_tax.instalments[3].due_day, date!(2026 - 03 - 15));
}

#[test]
fn tolerances_of_the_first_two_instalments() {
    let rest = "12-15:93600 03-15:124800";
    let check = |paid: &str, interest: [u32; 2]| {
        let paid = format!("{paid} {rest}");
        check_interest(TRADER, BUSINESS, &paid, LATER, &[interest[0], interest[1], 0, 0], None);
    };
    // 12 % are 14,976; 36 % are 44,928.
    check("06-15:14976 09-15:29952", [0, 0]);
    // 18,720 - 14,975 = 3,745.
    check("06-15:14975 09-15:29953", [111, 0]);
    // 56,160 - 44,927 = 11,233.
    check("06-15:14976 09-15:29951", [0, 336]);
    // One day late.
    check("06-16:18720 09-16:37440", [561, 1122]);
}

#[test]
fn the_last_two_instalments_have_no_tolerance_but_hundreds() {
    let paid = "06-15:18720 09-15:37440";
    let check = |rest: &str, interest: [u32; 2]| {
        let paid = format!("{paid} {rest}");
        check_interest(TRADER, BUSINESS, &paid, LATER, &[0, 0, interest[0], interest[1]], None);
    };
    check("12-15:37440 03-15:31200", [0, 0]);
    // 99 and 100 less in December.
    check("12-15:37341 03-15:31299", [0, 0]);
    check("12-15:37340 03-15:31300", [3, 0]);
    // 99 and 100 less in March.
    check("12-15:37440 03-15:31101", [0, 0]);
    check("12-15:37440 03-15:31100", [0, 1]);
    // Paid after 15 March.
    check("12-15:37440 03-16:31200", [0, 312]);
}

#[test]
fn interest_after_the_year_below_90_percent() {
    let check = |paid: &str, day: Date, default: Option<u32>| {
        let payments = Payments { deducted: Decimal::ZERO, advance: &advance(paid), rest_paid_on: day };
        let default_interest = liability(TRADER, BUSINESS, &payments).advance_tax.default_interest;
        let interest = default_interest.map(|default| default.interest);
        assert_eq!(interest, default.map(Decimal::from), "{paid} {day}");
    };
    // 90 % are 112,320; 1 % of 12,400 a month.
    check("03-31:112320", LATER, None);
    check("03-31:112319", date!(2026 - 04 - 01), Some(124));
    check("03-31:112319", date!(2026 - 04 - 30), Some(124));
    check("03-31:112319", date!(2026 - 05 - 01), Some(248));
    check("03-31:112319", date!(2026 - 12 - 31), Some(9 * 124));
    check("03-31:112319", date!(2027 - 01 - 01), Some(10 * 124));
    // Payments from 1 April on are no advance tax.
    check("n04-01:124800", date!(2026 - 04 - 01), Some(1248));
    // Within the year, the rest is advance tax.
    check("", date!(2026 - 03 - 31), None);
}

#[test]
fn the_rest_can_be_paid_within_the_year() {
    check_interest(TRADER, BUSINESS, "", date!(2025 - 11 - 01), &[561, 1683, 0, 0], None);
    let liability = liability(TRADER, BUSINESS, &Payments { rest_paid_on: date!(2025 - 11 - 01), ..UNPAID });
    // 124,800 + 2,244 = 127,044.
    assert_eq!((liability.payable(), liability.advance_tax.paid), (decimal("127040"), Decimal::ZERO));
}

#[test]
fn no_advance_tax_below_10000_rupees_or_for_seniors_without_business() {
    let count = |who: &str, incomes: &str, deducted: &str| {
        let payments = Payments { deducted: decimal(deducted), ..UNPAID };
        let liability = liability(who, incomes, &payments);
        let interest = liability.advance_tax.interest();
        assert_eq!(liability.advance_tax.instalments.is_empty(), interest.is_zero());
        liability.advance_tax.instalments.len()
    };
    // 124,800 less 114,801 and 114,800.
    assert_eq!(count(TRADER, BUSINESS, "114801"), 0);
    assert_eq!(count(TRADER, BUSINESS, "114800"), 4);
    assert_eq!(count("2025 new below-60", "other 1600000", "0"), 4);
    assert_eq!(count("2025 new 60-to-79", "other 1600000", "0"), 0);
    assert_eq!(count("2025 new 60-to-79", "other 1599990 business 10", "0"), 4);
    assert_eq!(count("2026 old from-80", "111A@20 1600000", "0"), 0);
}

#[test]
fn tax_deducted_at_source_reduces_what_is_due() {
    let payments = |deducted| Payments { deducted: decimal(deducted), rest_paid_on: LATER, ..UNPAID };
    // 100,000 remain: 450 + 1,350 + 2,250 + 1,000; 4 % of 100,000.
    let liability = |deducted| liability(TRADER, BUSINESS, &payments(deducted));
    assert_eq!(liability("24800").advance_tax.interest(), decimal("9050"));
    assert_eq!(liability("24800").payable(), decimal("109050"));
    assert_eq!(liability("130004.99").payable(), decimal("-5200"));
    assert_eq!(liability("130005").payable(), decimal("-5210"));
}

/// Business and gains of 500,000 in January, taxed with 104,000.
const LATE_GAINS: &str = "business 1600000 111A@20 500000:4";

#[test]
fn gains_need_not_be_foreseen_if_the_tax_is_paid_later() {
    let regular = "06-15:18720 09-15:37440 12-15:37440";
    let check = |incomes: &str, rest: &str, interest: [u32; 4], default| {
        check_interest(TRADER, incomes, &format!("{regular} {rest}"), LATER, &interest, default);
    };
    check(LATE_GAINS, "03-15:135200", [0; 4], None);
    // By 31 March, the tax on gains of January is late for March: 1 % of 104,000.
    check(LATE_GAINS, "03-15:31200 03-31:104000", [0, 0, 0, 1040], None);
    let last_days = "business 1600000 111A@20 500000:5";
    check(last_days, "03-15:31200 03-31:104000", [0; 4], None);
    check("business 1600000 slab-gains 400000:5", "03-15:31200 03-31:83200", [0; 4], None);
    // Not paid in the year. Payments after 15 June are above 104,000, those after 15 September below:
    // 3 % of 102,900 - 56,160 and of 171,600 - 93,600, 1 % of 104,000; 4 % of 104,000.
    check(LATE_GAINS, "03-15:31200", [0, 1404, 2340, 1040], Some(4160));
    // Gains of October count from December on: 3 % of 78,000 and 1 % of 104,000 are late.
    check("business 1600000 111A@20 500000:3", "03-15:31200 03-31:104000", [0, 0, 2340, 1040], None);
    // Gains of April count from June on: 3 % of 15,600, 46,800 and 78,000.
    check("business 1600000 111A@20 500000:1", "03-15:135200", [468, 1404, 2340, 0], None);
}

#[test]
fn gains_that_a_later_loss_reduces_count_as_far_as_they_are_left() {
    // 100,000 are left of 300,000: tax of 20,800, of 145,600 in all; 15 % and 45 % of it.
    let incomes = "business 1600000 111A@20 300000:1 111A@20 -200000:3";
    let tax = liability(TRADER, incomes, &UNPAID).advance_tax.instalments[0].tax;
    assert_eq!(tax, decimal("145600"));
    check_interest(TRADER, incomes, "06-15:21840 09-15:43680 12-15:43680 03-15:36400", LATER, &[0; 4], None);
}

#[test]
fn dividends_need_not_be_foreseen_since_2020() {
    // 273,000 on the business and 156,000 on the dividends; paid as due on the business, with the dividends in March.
    let check = |year: i32, expected: [u32; 4]| {
        let day = |month, day| Date::from_calendar_date(if month < Month::April { year + 1 } else { year }, month, day);
        let payment = |month, amount: u32| Payment { day: day(month, 15).unwrap(), amount: amount.into() };
        let advance = [
            payment(Month::June, 40_950),
            payment(Month::September, 81_900),
            payment(Month::December, 81_900),
            payment(Month::March, 224_250),
        ];
        let payments = Payments { advance: &advance, ..UNPAID };
        let who = format!("{year} old below-60");
        let advance_tax = liability(&who, "business 1500000 dividends 500000:4", &payments).advance_tax;
        let interest: Vec<Decimal> = advance_tax.instalments.iter().map(|instalment| instalment.interest).collect();
        assert_eq!(interest, expected.map(Decimal::from), "{year}");
    };
    // 3 % of 64,350 - 40,950, 193,050 - 122,850 and 321,750 - 204,750.
    check(2019, [702, 2106, 3510, 0]);
    check(2020, [0; 4]);
    check(2026, [0; 4]);
}

/// Amounts on both sides of every limit.
fn any_amount() -> impl Strategy<Value = u32> {
    let limits = [350_000, 500_000, 700_000, 1_200_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000];
    let near = (proptest::sample::select(limits.to_vec()), 0..400_000_u32);
    prop_oneof![
        Just(0),
        0..2_000_000_u32,
        0..80_000_000_u32,
        near.prop_map(|(limit, distance)| limit - 200_000 + distance)
    ]
}

fn any_taxpayer() -> impl Strategy<Value = (FinancialYear, Regime, AgeClass)> {
    let ages = proptest::sample::select(vec![AgeClass::Below60, AgeClass::From60To79, AgeClass::From80]);
    let old = (2018..=2026).prop_map(|year| (year, Regime::Old));
    let new = (2020..=2026).prop_map(|year| (year, Regime::New));
    (prop_oneof![old, new], ages).prop_map(|((year, regime), age)| (FinancialYear(year), regime, age))
}

/// Kinds of income whose amounts are in [`any_income`].
const KINDS: [&str; 8] = ["business", "other", "slab-gains", "dividends", "111A@20", "112@12.5", "112A@12.5", "exempt"];

/// Generates amounts for the kinds, most of them 0, with the period of each.
fn any_income() -> impl Strategy<Value = Vec<(u32, u8)>> {
    let amount = (prop_oneof![2 => Just(0), 1 => any_amount()], 1..=5_u8);
    proptest::collection::vec(amount, KINDS.len())
}

fn income_of(amounts: &[(u32, u8)]) -> Income {
    let parts = KINDS.iter().zip(amounts).map(|(kind, (amount, period))| format!("{kind} {amount}:{period} "));
    income(&parts.collect::<String>())
}

fn tax_of((year, regime, age): (FinancialYear, Regime, AgeClass), income: &Income) -> IncomeTax {
    Liability::new(year, regime, age, income, &UNPAID).unwrap().income_tax
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn tax_never_falls_when_an_income_rises(who in any_taxpayer(), amounts in any_income(), kind in 0..KINDS.len()) {
        let tax = |added| {
            let mut amounts = amounts.clone();
            amounts[kind].0 += added;
            tax_of(who, &income_of(&amounts)).total()
        };
        prop_assert!(tax(10) >= tax(0));
        // A rupee of dividends or gains that the rounding of the total income hides replaces one of other income.
        let tolerance = if kind < 3 { Decimal::ZERO } else { decimal("1.04") };
        prop_assert!(tax(1) >= tax(0) - tolerance);
        // A rupee of income never costs more than a rupee and the cess, except at the limit of a rebate without relief.
        let has_relief = who.1 == Regime::New && who.0 >= FinancialYear(2023);
        prop_assert!(!has_relief || tax(10) <= tax(0) + decimal("10.41"), "{} {}", tax(0), tax(10));
    }

    #[test]
    fn the_parts_equal_the_total(who in any_taxpayer(), amounts in any_income()) {
        let tax = tax_of(who, &income_of(&amounts));
        let special: Decimal = tax.special.iter().map(|special| special.tax).sum();
        let before_cess = tax.slab_tax + special - tax.rebate + tax.surcharge;
        prop_assert_eq!(tax.total(), before_cess + tax.cess);
        prop_assert_eq!(tax.cess, (before_cess * decimal("0.04")).round_dp(2));
        prop_assert!([tax.rebate, tax.surcharge, before_cess].iter().all(|part| !part.is_sign_negative()));
        let gains: Decimal = tax.special.iter().map(|special| special.amount).sum();
        prop_assert!(tax.total_income >= tax.slab_income + gains);
        let sum: u32 = amounts.iter().map(|(amount, _)| amount).sum();
        prop_assert_eq!(tax.total_income, round_to_ten(sum.into()));
    }

    #[test]
    fn no_interest_if_everything_was_paid_in_time(who in any_taxpayer(), amounts in any_income(), deducted in any_amount()) {
        let (year, regime, age) = who;
        let income = income_of(&amounts);
        let assessed = tax_of(who, &income).total() - Decimal::from(deducted);
        let (mut advance, mut paid) = (Vec::new(), Decimal::ZERO);
        for (month, percent) in [(Month::June, 15), (Month::September, 45), (Month::December, 75), (Month::March, 100)] {
            let calendar_year = if month == Month::March { year.0 + 1 } else { year.0 };
            let day = Date::from_calendar_date(calendar_year, month, 15).unwrap();
            let due = (assessed.max(Decimal::ZERO) * Decimal::new(percent, 2)).ceil();
            advance.push(Payment { day, amount: due - paid });
            paid = due;
        }
        let payments = |advance| Payments { deducted: deducted.into(), advance, rest_paid_on: date!(2030 - 01 - 01) };
        let liability = |advance| Liability::new(year, regime, age, &income, &payments(advance)).unwrap();
        let in_time = liability(&advance);
        prop_assert_eq!(in_time.advance_tax.interest(), Decimal::ZERO);
        prop_assert!(in_time.advance_tax.default_interest.is_none());
        // Without payments, interest is due whenever advance tax is.
        let unpaid = liability(&[]);
        prop_assert_eq!(unpaid.advance_tax.interest().is_zero(), unpaid.advance_tax.instalments.is_empty());
    }
}
