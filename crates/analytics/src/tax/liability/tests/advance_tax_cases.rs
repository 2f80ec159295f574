//! Advance tax, and interest for paying it late.

use super::*;

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
    // Partly paid in December, ahead of the gains: 62,560 above 93,600, and 72,640 in March.
    check(LATE_GAINS, "12-15:62560 03-15:72640", [0; 4], None);
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
