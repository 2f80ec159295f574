//! Business income of a year.

use rust_decimal::Decimal;

use super::lines::TaxLine;

/// Business income of a year under one head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BusinessIncome {
    pub closed_trades: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    /// Sum of the absolute gross results; the sale value of delivered shares.
    pub turnover: Decimal,
    pub profits: Decimal,
    /// 0 or below.
    pub losses: Decimal,
}

impl BusinessIncome {
    /// Returns the sums of some lines.
    pub fn new(lines: &[TaxLine], is_included: impl Fn(&TaxLine) -> bool) -> Self {
        let mut sum = Self::default();
        for line in lines.iter().filter(|line| is_included(line)) {
            let gross = line.sell_value - line.buy_value;
            sum.closed_trades += 1;
            sum.gross += gross;
            sum.charges += line.stt + line.other_charges;
            sum.net += line.income;
            sum.turnover += if line.is_long_term.is_some() { line.sell_value } else { gross.abs() };
            sum.profits += gross.max(Decimal::ZERO);
            sum.losses += gross.min(Decimal::ZERO);
        }
        sum
    }
}
