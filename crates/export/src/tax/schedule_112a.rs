//! Schedule 112A: the long-term gains of which a part is exempt.
//!
//! The sheet has a line for each sale and day of purchase; the file for the tax portal has one line for all shares bought
//! after January 2018, in whole rupees. Sources: two public programs that write and check the file (casparser, and a checker
//! whose author uploaded 33 lines). They differ on the column 1b after 2024-25, and the portal may change the columns.
//!
//! The price of 31 January 2018, which shares bought before February 2018 may count with, is empty unless the trader entered
//! it; the formulas of the sheet take it into account once it is filled.

use rpc::analytics::v1::{TaxHead, TaxLine};
use rust_decimal::{Decimal, RoundingStrategy};

use super::parse_amount;
use super::table::Table;
use crate::cell::Cell;
use crate::error::Error;

/// Columns of the sheet; those of the file are all but the last.
const HEADER: [&str; 15] = [
    "Share/Unit acquired(1a)",
    "ISIN Code(2)",
    "Name of the Share/Unit(3)",
    "No. of Shares/Units(4)",
    "Sale-price per Share/Unit(5)",
    "Full Value of Consideration(Total Sale Value)(6) = 4 * 5",
    "Cost of acquisition without indexation(7)",
    "Cost of acquisition(8)",
    "If the long term capital asset was acquired before 01.02.2018(9)",
    "Fair Market Value per share/unit as on 31st January 2018(10)",
    "Total Fair Market Value of capital asset as per section 55(2)(ac)(11) = 4 * 10",
    "Expenditure wholly and exclusively in connection with transfer(12)",
    "Total deductions(13) = 7 + 12",
    "Balance(14) = 6 - 13",
    "Open data issue",
];

/// Second column of the file for sales of 2024-25, whose rate changed within the year.
const TRANSFERRED: &str = "Share/Unit Transferred(1b)";

pub(super) const TABLE: Table<'static> = Table { header: &HEADER, totals: &[5, 6, 7, 8, 10, 11, 12, 13] };

/// Year in which sales before and after a day have different rates, and the first day with the later one.
const YEAR_OF_CHANGE: (i32, &str) = (2024, "2024-07-23");
/// ISIN and name of the line for all shares bought after January 2018.
const JOINED: (&str, &str) = ("INNOTREQUIRD", "CONSOLIDATED");
/// ISIN of a share without one in the log.
const WITHOUT_ISIN: &str = "INNOTAVAILAB";

/// Last day of purchase for which the price of that day may count.
const LAST_GRANDFATHERED_DAY: &str = "2018-01-31";

/// Returns true for a line of the schedule.
pub(super) fn is_listed(line: &TaxLine) -> bool {
    line.head() == TaxHead::LongTerm && line.has_exemption
}

/// Amounts of a line of the file.
#[derive(Clone, Copy, Default)]
struct Amounts {
    sale: Decimal,
    cost: Decimal,
    /// Value of the purchase.
    paid: Decimal,
    expenses: Decimal,
}

/// Returns the schedule of a financial year as the portal reads it: CSV without a byte order mark.
pub fn write_csv(lines: &[TaxLine], year: i32) -> Result<Vec<u8>, Error> {
    let (year_of_change, first_day) = YEAR_OF_CHANGE;
    let has_transferred = year == year_of_change;
    let [acquired, others @ .., _open_issue] = HEADER;
    let names = [acquired].into_iter().chain(has_transferred.then_some(TRANSFERRED)).chain(others);
    let mut rows = vec![names.map(str::to_owned).collect::<Vec<_>>()];
    let mut joined: [Option<Amounts>; 2] = [None, None];
    for line in lines.iter().filter(|line| is_listed(line)) {
        let is_later = line.sold.as_str() >= first_day;
        let amounts = Amounts {
            sale: parse_amount(&line.sell_value)?,
            cost: parse_amount(&line.buy_value)?,
            paid: parse_amount(&line.paid)?,
            expenses: parse_amount(&line.other_charges)?,
        };
        if !is_old(line) {
            if let Some(sums) = joined.get_mut(usize::from(is_later && has_transferred)) {
                let Amounts { sale, cost, paid, expenses } = sums.unwrap_or_default();
                *sums = Some(Amounts {
                    sale: sale + amounts.sale,
                    cost: cost + amounts.cost,
                    paid: paid + amounts.paid,
                    expenses: expenses + amounts.expenses,
                });
            }
            continue;
        }
        let quantity = parse_amount(&line.quantity)?;
        let price = amounts.sale.checked_div(quantity).unwrap_or_default().round_dp(4).normalize();
        let isin = if line.isin.is_empty() { WITHOUT_ISIN } else { &line.isin };
        let share = [isin.to_owned(), plain_name(&line.symbol), line.quantity.clone(), price.to_string()];
        // The portal multiplies the rounded price.
        let amounts = Amounts { sale: quantity * price, ..amounts };
        let fair_value = parse_fair_value(line)?.map(|total| FairValue::new(total, quantity));
        rows.push(file_row("BE", has_transferred.then_some(is_later), share, amounts, fair_value));
    }
    for (sums, is_later) in joined.into_iter().zip([false, true]) {
        let Some(sums) = sums else { continue };
        let (isin, name) = JOINED;
        let share = [isin.to_owned(), name.to_owned(), String::new(), String::new()];
        rows.push(file_row("AE", has_transferred.then_some(is_later), share, sums, None));
    }
    Ok(rows.iter().map(|row| format!("{}\r\n", row.join(","))).collect::<String>().into_bytes())
}

/// Value on 31 January 2018 of the shares of a line.
struct FairValue {
    per_share: Decimal,
    total: Decimal,
}

impl FairValue {
    fn new(total: Decimal, quantity: Decimal) -> Self {
        let per_share = total.checked_div(quantity).unwrap_or_default().round_dp(4).normalize();
        // The portal and the formulas of the sheet multiply the rounded price.
        Self { per_share, total: quantity * per_share }
    }
}

/// Returns the value of 31 January 2018; none if it is unknown or does not count.
fn parse_fair_value(line: &TaxLine) -> Result<Option<Decimal>, Error> {
    if line.fair_value.is_empty() { Ok(None) } else { parse_amount(&line.fair_value).map(Some) }
}

/// Returns a row of the file. `is_later` is whether the sale has the later rate, if the file says so.
fn file_row(
    acquired: &str,
    is_later: Option<bool>,
    share: [String; 4],
    amounts: Amounts,
    fair_value: Option<FairValue>,
) -> Vec<String> {
    let rupees = |amount: Decimal| amount.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
    let (sale, cost, expenses) = (rupees(amounts.sale), rupees(amounts.cost), rupees(amounts.expenses));
    let (paid, deductions) = (rupees(amounts.paid), cost + expenses);
    let mut row = vec![acquired.to_owned()];
    row.extend(is_later.map(|is_later| if is_later { "AE" } else { "BE" }.to_owned()));
    row.extend(share);
    row.extend([sale, cost, paid].map(|amount| amount.to_string()));
    // Columns 9 to 11 depend on the price of 31 January 2018.
    row.extend(fair_value.map_or_else(Default::default, |FairValue { per_share, total }| {
        [rupees(total.min(amounts.sale)), per_share, rupees(total)].map(|amount| amount.to_string())
    }));
    row.extend([expenses, deductions, sale - deductions].map(|amount| amount.to_string()));
    row
}

/// Returns a name without the characters that the portal rejects.
fn plain_name(symbol: &str) -> String {
    symbol.chars().filter(|c| c.is_ascii_alphanumeric() || *c == ' ').collect()
}

fn is_old(line: &TaxLine) -> bool {
    line.bought.as_str() <= LAST_GRANDFATHERED_DAY
}

/// Returns the cells of a line in this row.
pub(super) fn cells(line: &TaxLine, row: u32) -> Result<[Cell<'_>; 15], Error> {
    let is_old = is_old(line);
    let (quantity, sale) = (parse_amount(&line.quantity)?, parse_amount(&line.sell_value)?);
    let (cost, expenses) = (parse_amount(&line.buy_value)?, parse_amount(&line.other_charges)?);
    let price = sale.checked_div(quantity).unwrap_or_default().round_dp(4);
    let fair_value = parse_fair_value(line)?.map(|total| FairValue::new(total, quantity));
    let total = fair_value.as_ref().map(|value| value.total).unwrap_or_default();
    let zero_or = |formula: String, value: Decimal| {
        if is_old { Cell::Formula(formula, value) } else { Cell::Decimal(Decimal::ZERO) }
    };
    let per_share = match fair_value {
        Some(FairValue { per_share, .. }) => Cell::Decimal(per_share),
        None if is_old => Cell::Text("".into()),
        None => Cell::Decimal(Decimal::ZERO),
    };
    Ok([
        Cell::Text(if is_old { "BE" } else { "AE" }.into()),
        Cell::Text((&line.isin).into()),
        Cell::Text((&line.symbol).into()),
        Cell::number(&line.quantity)?,
        Cell::Decimal(price),
        Cell::number(&line.sell_value)?,
        if is_old { Cell::Formula(format!("=MAX(H{row},I{row})"), cost) } else { Cell::Decimal(cost) },
        Cell::number(&line.paid)?,
        zero_or(format!("=MIN(F{row},K{row})"), total.min(sale)),
        per_share,
        zero_or(format!("=D{row}*J{row}"), total),
        Cell::number(&line.other_charges)?,
        Cell::Formula(format!("=G{row}+L{row}"), cost + expenses),
        Cell::Formula(format!("=F{row}-M{row}"), sale - cost - expenses),
        Cell::Text(if line.open_issue { "may change" } else { "" }.into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_portal_joins_shares_bought_after_january_2018() {
        let amount = |text: &str| text.to_owned();
        let sale = TaxLine {
            head: TaxHead::LongTerm.into(),
            symbol: amount("M&M"),
            isin: amount("INE101A01026"),
            bought: amount("2018-02-01"),
            sold: amount("2024-07-22"),
            quantity: amount("3"),
            sell_value: amount("1000.25"),
            buy_value: amount("700.5"),
            paid: amount("700.5"),
            other_charges: amount("12.25"),
            has_exemption: true,
            ..TaxLine::default()
        };
        let later = TaxLine { sold: amount("2024-07-23"), ..sale.clone() };
        let old = TaxLine { bought: amount("2018-01-31"), ..sale.clone() };
        // 3 × 300 = 900, which is more than 700.50 and less than 1,000.25.
        let valued = TaxLine { buy_value: amount("900"), fair_value: amount("900"), ..old.clone() };
        let gold = TaxLine { has_exemption: false, ..sale.clone() };
        let short = TaxLine { head: TaxHead::ShortTerm.into(), ..sale.clone() };
        let lines = [sale.clone(), later, old, valued, sale, gold, short];
        let rows = |year| {
            let csv = String::from_utf8(write_csv(&lines, year).unwrap()).unwrap();
            csv.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let changed = rows(2024);
        assert!(changed[0].starts_with("Share/Unit acquired(1a),Share/Unit Transferred(1b),ISIN Code(2),"));
        assert_eq!(
            changed[1..],
            [
                // 3 × 333.4167 = 1,000.25.
                "BE,BE,INE101A01026,MM,3,333.4167,1000,701,701,,,,12,713,287",
                "BE,BE,INE101A01026,MM,3,333.4167,1000,900,701,900,300,900,12,912,88",
                // Two sales: 2,000.50, 1,401 and 24.50.
                "AE,BE,INNOTREQUIRD,CONSOLIDATED,,,2001,1401,1401,,,,25,1426,575",
                "AE,AE,INNOTREQUIRD,CONSOLIDATED,,,1000,701,701,,,,12,713,287",
            ]
        );
        let other = rows(2025);
        assert!(other[0].starts_with("Share/Unit acquired(1a),ISIN Code(2),"));
        assert_eq!(other.len(), 4);
        // Three sales: 3,000.75, 2,101.50 and 36.75.
        assert_eq!(other[3], "AE,INNOTREQUIRD,CONSOLIDATED,,,3001,2102,2102,,,,37,2139,862");
        assert!(changed.iter().all(|row| row.matches(',').count() == 14));
        assert!(other.iter().all(|row| row.matches(',').count() == 13));
    }
}
