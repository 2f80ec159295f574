//! Lines of the income tax return compared with the tax pack. Amounts are in rupees.

use std::collections::BTreeMap;

use rust_decimal::RoundingStrategy;

use super::*;
use crate::adjustment::PricedShares;
use crate::tax::{BroughtForwardLoss, FinancialYear, TaxAccounts, TaxHead, TaxPack};

/// Trades of 2025-26 in each section, and an intraday loss of 2024-25.
const LEDGER: &str = "2023-01-02 09:15 zerodha NSE buy GOLDBEES 100 40
    2024-05-02 09:15 zerodha NSE buy INFY 100 1000
    2024-06-03 09:15 zerodha NSE buy SBIN 10 500
    2024-06-03 10:15 zerodha NSE sell SBIN 10 400
    2025-04-10 09:15 zerodha NSE buy ITC 100 400
    2025-06-10 09:15 zerodha NSE sell ITC 100 450
    2025-06-16 09:15 zerodha NSE buy GOLDBEES 10 70
    2025-06-20 09:15 zerodha NSE sell INFY 50 1500
    2025-08-01 09:15 zerodha NSE buy ITC 10 400
    2025-10-01 09:15 zerodha NSE sell ITC 10 300
    2025-12-20 09:15 zerodha NSE sell INFY 50 1600
    2026-03-20 09:15 zerodha NSE sell GOLDBEES 110 90
    2025-05-05 09:15 zerodha NSE buy SBIN 100 800
    2025-05-05 10:15 zerodha NSE sell SBIN 100 830
    2025-06-02 09:15 zerodha NSE buy NIFTY25JUNFUT 50 24000
    2025-06-02 10:15 zerodha NSE sell NIFTY25JUNFUT 50 23700";

fn pack(ledger: &str, year: i32, brought_forward: &[BroughtForwardLoss]) -> TaxPack {
    TaxPack::new(&analysis(ledger, &[]), FinancialYear(year), &TaxAccounts::default(), brought_forward, &[])
}

fn brought_forward(kind: TaxHead, year: i32, amount: &str) -> BroughtForwardLoss {
    let account = BrokerAccount::from_key("zerodha").unwrap();
    BroughtForwardLoss { account, kind, year: FinancialYear(year), amount: decimal(amount) }
}

/// Returns the form, and the amounts by schedule and line.
fn lines(pack: &TaxPack) -> (&'static str, BTreeMap<String, Decimal>) {
    let tax_return = pack.tax_return.as_ref().unwrap();
    let lines = tax_return.lines.iter().flatten();
    let amounts =
        lines.map(|line| (format!("{} {}", line.form_line.schedule, line.form_line.line), line.amount)).collect();
    (tax_return.form.name(), amounts)
}

fn rupees(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero)
}

#[test]
fn the_lines_of_itr_3_are_the_sums_of_the_pack() {
    let earlier = [
        brought_forward(TaxHead::ShortTerm, 2022, "1000"),
        brought_forward(TaxHead::NonSpeculative, 2021, "700.60"),
        brought_forward(TaxHead::LongTerm, 2020, "2000.40"),
    ];
    let pack = pack(LEDGER, 2025, &earlier);
    let (form, lines) = lines(&pack);
    assert_eq!(form, "ITR-3");
    let amount = |line: &str| lines.get(line).copied().unwrap_or_default();
    let (intraday, fno) = (&pack.speculative, &pack.non_speculative);
    let shares = |gains: &[crate::tax::CapitalGains], assets: &str| {
        gains.iter().find(|gains| gains.assets.starts_with(assets)).cloned().unwrap()
    };
    let (short, short_gold) = (shares(&pack.short_term, "Shares"), shares(&pack.short_term, "Gold"));
    let (long, long_gold) = (shares(&pack.long_term, "Shares"), shares(&pack.long_term, "Gold"));
    let business_losses = pack.losses.schedule.iter().filter(|loss| loss.kind == TaxHead::NonSpeculative);
    let business_loss: Decimal = business_losses.map(|loss| loss.carried_forward).sum();
    for (line, expected) in [
        ("Part A-Trading Account 12a", intraday.turnover),
        ("Part A-Trading Account 12b", intraday.net),
        ("Part A-Trading Account 12c", fno.turnover),
        ("Part A-Trading Account 12d", fno.net),
        ("Part A-P&L, no books of account 65(ii)", intraday.gross),
        ("Part A-P&L, no books of account 65(iii)", intraday.charges),
        ("Schedule BP A37", fno.net),
        ("Schedule BP B42", intraday.net),
        ("Schedule BP E(i) col. 2", -fno.net),
        ("Schedule BP E(ii) col. 2", intraday.net),
        ("Schedule BP E(v) col. 2", -fno.net - intraday.net),
        ("Schedule CG A3ia", short.sale_value),
        ("Schedule CG A3ib(i)", short.cost),
        ("Schedule CG A3ib(iii)", short.expenses),
        ("Schedule CG A3ib(iv)", short.cost + short.expenses),
        ("Schedule CG A3ie", short.gain),
        ("Schedule CG A6a(ii)", short_gold.sale_value),
        ("Schedule CG A6g", short_gold.gain),
        ("Schedule CG A10", short.gain + short_gold.gain),
        ("Schedule CG B4a", long.gain),
        ("Schedule CG B9a(ii)", long_gold.sale_value),
        ("Schedule CG B9e", long_gold.gain),
        ("Schedule CG B13", long.gain + long_gold.gain),
        ("Schedule 112A Total, col. 6", long.sale_value),
        ("Schedule 112A Total, col. 14", long.gain),
        ("Schedule CYLA (i) col. 3", -fno.net - intraday.net),
        ("Schedule CYLA (xi) col. 1", long.gain + long_gold.gain),
        ("Schedule CFL (xii) col. 5c", decimal("0")),
        ("Schedule CFL (xiii) col. 5c", decimal("700.60")),
        ("Schedule CFL (xiv) col. 8", decimal("1000")),
        ("Schedule CFL (xii) col. 9", decimal("2000.40")),
        ("Schedule CFL (xvii) col. 9", decimal("2000.40")),
        ("Schedule CFL (xx) col. 5c", business_loss),
    ] {
        assert_eq!(amount(line), rupees(expected), "{line}");
    }
    // The intraday loss of 2024-25 is on its line, and no income is left against which it could be set off.
    assert!(amount("Schedule CFL (xvi) col. 6") > decimal("1000"));
    assert_eq!(amount("Schedule CFL (xvi) col. 6"), amount("Schedule CFL (xx) col. 6"));
}

#[test]
fn the_set_off_of_the_schedules_adds_up() {
    let pack = pack(LEDGER, 2025, &[brought_forward(TaxHead::LongTerm, 2020, "2000.40")]);
    let (_, lines) = lines(&pack);
    let amount = |line: String| lines.get(&line).copied().unwrap_or_default();
    for (cyla, bfla, row) in [("vii", "vi", 1), ("ix", "viii", 3), ("xi", "x", 5)] {
        let [income, business_loss, left] =
            [1, 3, 5].map(|column| amount(format!("Schedule CYLA ({cyla}) col. {column}")));
        let [earlier, remaining] = [2, 5].map(|column| amount(format!("Schedule BFLA ({bfla}) col. {column}")));
        let near = |one: Decimal, other: Decimal| (one - other).abs() <= Decimal::ONE;
        assert!(near(income - business_loss, left) && near(left - earlier, remaining), "{cyla} {bfla}");
        let columns =
            ["i", "ii", "iii", "iv", "v"].map(|column| amount(format!("Schedule CG, table F {row} col. ({column})")));
        assert!(columns.iter().all(|amount| *amount >= Decimal::ZERO));
        assert_eq!(columns.iter().sum::<Decimal>(), remaining, "table F has the rupees of Schedule BFLA");
    }
    // The business loss left over reduces the gains with the highest rates first.
    assert!(amount("Schedule CYLA (ix) col. 3".to_owned()) > Decimal::ZERO);
}

#[test]
fn the_form_is_itr_3_with_business_income_or_its_losses_only() {
    let delivery = "2025-04-10 09:15 zerodha NSE buy ITC 100 400
                    2025-06-10 09:15 zerodha NSE sell ITC 100 450";
    let (form, lines_of_form) = lines(&pack(delivery, 2025, &[]));
    assert_eq!((form, lines_of_form["Schedule CG A2a"]), ("ITR-2", decimal("45000")));
    assert!(lines_of_form.keys().all(|line| !line.contains("BP") && !line.contains("Trading Account")));
    assert!(lines_of_form.contains_key("Schedule BFLA (iii) col. 3"));
    let capital_loss = [brought_forward(TaxHead::ShortTerm, 2022, "100")];
    assert_eq!(lines(&pack(delivery, 2025, &capital_loss)).0, "ITR-2");
    let business_loss = [brought_forward(TaxHead::NonSpeculative, 2022, "100")];
    assert_eq!(lines(&pack(delivery, 2025, &business_loss)).0, "ITR-3");
    let intraday =
        format!("{delivery}\n2025-06-11 09:15 zerodha NSE buy ITC 1 400\n2025-06-11 10:15 zerodha NSE sell ITC 1 401");
    assert_eq!(lines(&pack(&intraday, 2025, &[])).0, "ITR-3");
}

#[test]
fn the_numbers_of_the_lines_change_with_the_year() {
    let ledger = "2023-01-02 09:15 zerodha NSE buy INFY 20 1000
                  2024-07-22 09:15 zerodha NSE sell INFY 10 1500
                  2024-07-23 09:15 zerodha NSE sell INFY 5 1600
                  2025-07-23 09:15 zerodha NSE sell INFY 2 1600
                  2026-07-23 09:15 zerodha NSE sell INFY 2 1600";
    let before = pack(ledger, 2024, &[]);
    let of_2024 = before.tax_return.unwrap().lines.unwrap();
    let amounts: Vec<_> =
        of_2024.iter().map(|line| (line.form_line.line.as_str(), line.form_line.is_verified)).collect();
    assert_eq!(amounts, [("B4", false), ("B4", false)]);
    let (old, new) = (&before.long_term[0], &before.long_term[1]);
    assert_eq!([of_2024[0].amount, of_2024[1].amount], [rupees(old.gain), rupees(new.gain)]);
    let (_, of_2025) = lines(&pack(ledger, 2025, &[]));
    assert!(of_2025.contains_key("Schedule CG B3a") && !of_2025.contains_key("Schedule CG B4"));
    // No form of these years was read.
    for year in [2023, 2026] {
        assert_eq!(pack(ledger, year, &[]).tax_return.unwrap().lines, None, "{year}");
    }
}

#[test]
fn a_buyback_that_is_a_dividend_has_lines_of_its_own() {
    let opening =
        AdjustmentKind::Opening { account: account(Broker::Zerodha), quantity: decimal("10"), price: decimal("100") };
    let buyback = AdjustmentKind::Buyback(PricedShares {
        account: account(Broker::Zerodha),
        quantity: decimal("10"),
        price: decimal("150"),
    });
    let adjustments = [adjustment("X", "2023-01-02", opening), adjustment("X", "2026-03-31", buyback)];
    let pack = TaxPack::new(&analysis("", &adjustments), FinancialYear(2025), &TaxAccounts::default(), &[], &[]);
    let (_, lines) = lines(&pack);
    for (line, expected) in [
        ("Schedule OS 1a(iii)", "1500"),
        ("Schedule OS 10, row 3(b) col. (v)", "1500"),
        ("Schedule CG B(A)", "-1000"),
        ("Schedule CG B12", "-1000"),
        ("Schedule CG, table E (i) col. 6", "1000"),
        ("Schedule CFL (xi)", "1000"),
    ] {
        assert_eq!(lines.get(line).copied(), Some(decimal(expected)), "{line}");
    }
    assert!(!lines.contains_key("Schedule CG B3a") && !lines.contains_key("Schedule OS 10, row 3(b) col. (iv)"));
}
