//! Income tax.

use super::*;

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
