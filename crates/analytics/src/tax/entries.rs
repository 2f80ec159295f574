//! Figures of a tax year that the trader enters because the log does not have them.

use std::collections::HashSet;

use rust_decimal::Decimal;
use time::Date;

use super::accounts::TaxAccounts;
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;

/// Kind of a figure of a tax year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaxEntryKind {
    /// Dividend before tax was deducted, with the day of payment and who paid it.
    Dividend,
    /// Sale value of shares sold in the short term, as the Annual Information Statement (AIS) has it.
    AisShortTermSales,
    AisLongTermSales,
    AisDividends,
    /// Result of intraday trades before charges in the tax report of the broker.
    ReportSpeculative,
    ReportNonSpeculative,
    ReportShortTerm,
    ReportLongTerm,
    ReportDividends,
    /// Choice that the delivered shares of an account are business and not capital gains. Has no amount.
    SharesAsBusiness,
    /// Salary or pension after the standard deduction, which no loss reduces.
    Salary,
    /// Taxable income outside the log except salary and dividends, such as interest and rent.
    OtherIncome,
    /// Tax that others deducted or collected, except from dividends.
    TaxDeducted,
    /// Advance tax with the day of payment.
    AdvanceTax,
    /// Tax paid after the year, such as self-assessment tax.
    TaxPaidLater,
    /// Choice of the old tax regime. Has no amount.
    OldRegime,
    /// The person is 60 to 79 years old. Has no amount.
    Age60,
    /// The person is 80 or older. Has no amount.
    Age80,
}

impl TaxEntryKind {
    pub const ALL: [Self; 18] = [
        Self::Dividend,
        Self::AisShortTermSales,
        Self::AisLongTermSales,
        Self::AisDividends,
        Self::ReportSpeculative,
        Self::ReportNonSpeculative,
        Self::ReportShortTerm,
        Self::ReportLongTerm,
        Self::ReportDividends,
        Self::SharesAsBusiness,
        Self::Salary,
        Self::OtherIncome,
        Self::TaxDeducted,
        Self::AdvanceTax,
        Self::TaxPaidLater,
        Self::OldRegime,
        Self::Age60,
        Self::Age80,
    ];

    /// Returns the name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dividend => "dividend",
            Self::AisShortTermSales => "ais-short-term-sales",
            Self::AisLongTermSales => "ais-long-term-sales",
            Self::AisDividends => "ais-dividends",
            Self::ReportSpeculative => "report-speculative",
            Self::ReportNonSpeculative => "report-non-speculative",
            Self::ReportShortTerm => "report-short-term",
            Self::ReportLongTerm => "report-long-term",
            Self::ReportDividends => "report-dividends",
            Self::SharesAsBusiness => "shares-as-business",
            Self::Salary => "salary",
            Self::OtherIncome => "other-income",
            Self::TaxDeducted => "tax-deducted",
            Self::AdvanceTax => "advance-tax",
            Self::TaxPaidLater => "tax-paid-later",
            Self::OldRegime => "old-regime",
            Self::Age60 => "age-60",
            Self::Age80 => "age-80",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns true for payments on a day, of which a year may have several.
    pub fn has_day(self) -> bool {
        matches!(self, Self::Dividend | Self::AdvanceTax)
    }

    /// Returns true for a choice, which has no amount.
    pub fn is_choice(self) -> bool {
        matches!(self, Self::SharesAsBusiness | Self::OldRegime | Self::Age60 | Self::Age80)
    }

    /// Returns true for results, which may be losses.
    pub fn may_be_negative(self) -> bool {
        matches!(
            self,
            Self::ReportSpeculative | Self::ReportNonSpeculative | Self::ReportShortTerm | Self::ReportLongTerm
        )
    }
}

/// Figure of a tax year that the trader entered.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxEntry {
    pub year: FinancialYear,
    pub kind: TaxEntryKind,
    /// Account that it is about. Figures of a person have any account of the person.
    pub account: BrokerAccount,
    /// Day of a payment, which lies in the year.
    pub day: Option<Date>,
    /// Payer of a dividend; empty if unknown.
    pub name: String,
    /// 0 for a choice.
    pub amount: Decimal,
    /// Tax deducted from a dividend.
    pub tax_deducted: Decimal,
}

/// Figures of some accounts and a year.
pub fn entries_of<'a>(
    entries: &'a [TaxEntry],
    year: FinancialYear,
    accounts: &'a TaxAccounts,
) -> impl Iterator<Item = &'a TaxEntry> {
    entries.iter().filter(move |entry| entry.year == year && accounts.contain(entry.account))
}

/// Accounts and years whose delivered shares the trader counts as business.
pub struct BusinessShares(HashSet<(BrokerAccount, FinancialYear)>);

impl BusinessShares {
    pub fn new(entries: &[TaxEntry]) -> Self {
        let chosen = entries.iter().filter(|entry| entry.kind == TaxEntryKind::SharesAsBusiness);
        Self(chosen.map(|entry| (entry.account, entry.year)).collect())
    }

    pub fn contain(&self, account: BrokerAccount, year: FinancialYear) -> bool {
        self.0.contains(&(account, year))
    }
}
