//! Tax and interest compared with amounts calculated by hand. Amounts are in rupees.

mod advance_tax_cases;
mod income_tax_cases;

use proptest::prelude::*;
use time::macros::date;
use time::{Date, Month};

use super::advance_tax::Payment;
use super::income::{ByPeriod, GainsSection, SpecialGains};
use super::*;

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Parses incomes such as `business 1600000 111A@20 500000:4`: kind, amount, and the period in which it arose, by
/// default the first. A kind may occur for several periods.
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
        let tolerance = if kind < 3 { Decimal::ZERO } else { decimal("1.1") };
        prop_assert!(tax(1) >= tax(0) - tolerance);
        // Ten rupees cost at most ten, and the tax by which they exceed the ten that they displace at a limit; with
        // surcharge and cess. The rebates before 2023-24 have no relief.
        let has_relief = who.1 == Regime::New && who.0 >= FinancialYear(2023);
        prop_assert!(!has_relief || tax(10) <= tax(0) + decimal("12.8"), "{} {}", tax(0), tax(10));
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
