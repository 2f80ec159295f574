//! Dividends of a tax year: those that the trader entered, and buybacks that the law treats as dividends.

use rust_decimal::Decimal;
use time::Date;

use super::accounts::{TaxAccounts, closed_in};
use super::entries::{TaxEntry, TaxEntryKind, entries_of};
use super::periods::{TAX_PERIODS, tax_period};
use crate::analysis::Analysis;
use crate::buyback_rules::BuybackTreatment;
use crate::closed_trade::ClosedTrade;
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;

/// First year in which dividends of companies are taxed (Finance Act 2020).
pub const FIRST_YEAR_OF_TAXED_DIVIDENDS: FinancialYear = FinancialYear(2020);

/// Dividends of a year.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dividends {
    pub total: Decimal,
    /// Part that companies paid for shares that they bought back.
    pub buybacks: Decimal,
    pub tax_deducted: Decimal,
    /// Sums by the periods of advance tax.
    pub by_period: [Decimal; TAX_PERIODS],
}

/// Dividend, or payment for shares that a company bought back which the law treats as a dividend.
#[derive(Clone, Debug, PartialEq)]
pub struct DividendLine {
    pub day: Date,
    /// Payer: as the trader entered it, or the symbol of the share.
    pub name: String,
    pub account: BrokerAccount,
    /// Before tax was deducted.
    pub amount: Decimal,
    pub tax_deducted: Decimal,
    pub is_buyback: bool,
}

/// Returns the dividends of a year in the order of their days.
pub fn dividend_lines(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
) -> Vec<DividendLine> {
    let entered = entries_of(entries, year, accounts).filter(|entry| entry.kind == TaxEntryKind::Dividend);
    let entered = entered.map(|entry| DividendLine {
        day: entry.day.unwrap_or(year.last_day()),
        name: entry.name.clone(),
        account: entry.account,
        amount: entry.amount,
        tax_deducted: entry.tax_deducted,
        is_buyback: false,
    });
    let is_dividend = |closed_trade: &&ClosedTrade| {
        closed_trade.flags.bought_back && BuybackTreatment::on(closed_trade.closed_day) == BuybackTreatment::Dividend
    };
    let buybacks = closed_in(analysis, year, accounts).filter(is_dividend).map(|closed_trade| DividendLine {
        day: closed_trade.closed_day,
        name: closed_trade.instrument.symbol.clone(),
        account: closed_trade.account,
        amount: closed_trade.exit_value,
        tax_deducted: Decimal::ZERO,
        is_buyback: true,
    });
    let mut lines: Vec<DividendLine> = entered.chain(buybacks).collect();
    lines.sort_by_key(|line| line.day);
    lines
}

/// Returns the income from other sources of a year: taxed dividends, and what the trader entered as other income.
pub fn income_from_other_sources(
    dividends: &Dividends,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
) -> Decimal {
    let other = entries_of(entries, year, accounts).filter(|entry| entry.kind == TaxEntryKind::OtherIncome);
    dividends.taxed(year) + other.map(|entry| entry.amount).sum::<Decimal>()
}

impl Dividends {
    /// Returns the part that is taxed in the year.
    pub fn taxed(&self, year: FinancialYear) -> Decimal {
        if year >= FIRST_YEAR_OF_TAXED_DIVIDENDS { self.total } else { Decimal::ZERO }
    }

    pub fn new(analysis: &Analysis, year: FinancialYear, accounts: &TaxAccounts, entries: &[TaxEntry]) -> Self {
        let mut sum = Self::default();
        for line in dividend_lines(analysis, year, accounts, entries) {
            sum.total += line.amount;
            sum.tax_deducted += line.tax_deducted;
            if line.is_buyback {
                sum.buybacks += line.amount;
            }
            if let Some(of_period) = sum.by_period.get_mut(tax_period(line.day)) {
                *of_period += line.amount;
            }
        }
        sum
    }
}
