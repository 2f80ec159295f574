//! Figures of a tax pack that go into an income tax return, and their codes in `rates/return-lines.csv`.

use rust_decimal::Decimal;
use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, Error};
use time::Date;
use time::macros::format_description;

use super::business::BusinessIncome;
use super::gains_rules::{GainsRule, TaxRate};
use super::head::TaxHead;
use super::lines::TaxLine;
use super::periods::TAX_PERIODS;
use super::return_sums::{ReturnSums, Sales, round};
use crate::financial_year::FinancialYear;

/// Figure of a tax pack.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    Business(TaxHead, BusinessFigure),
    /// Sales of a section that were made on some days.
    Gains(Section, Days, GainsFigure),
    /// Loss of one term on shares that the company bought back for a dividend; 0 or below.
    BuybackLoss(TaxHead),
    /// All capital gains of one term before any set-off.
    TermTotal(TaxHead),
    /// All capital gains after the set-off of capital losses of the year.
    CapitalGains,
    Income(IncomeClass, IncomeFigure),
    /// Income after all set-off that arose in a period of advance tax, from 0 to 4.
    IncomeOfPeriod(IncomeClass, usize),
    /// Long-term gains after set-off of which a part is exempt.
    ExemptibleGains,
    Losses(TaxHead, LossFigure),
    /// Loss of an earlier year.
    BroughtForward(TaxHead, FinancialYear),
    /// Payments for shares that the company bought back, where they are a dividend.
    Dividend,
    DividendOfPeriod(usize),
    /// Dividends that the trader entered.
    EnteredDividend,
    EnteredDividendOfPeriod(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BusinessFigure {
    Turnover,
    Gross,
    Charges,
    Net,
}

/// Kind of sales that a return lists together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Section {
    /// Short-term gains of shares and units with a rate of their own.
    #[serde(rename = "111A")]
    Short111A,
    #[serde(rename = "short-other")]
    ShortOther,
    /// Long-term gains of listed securities other than units.
    #[serde(rename = "112")]
    Listed112,
    #[serde(rename = "112A")]
    Long112A,
    #[serde(rename = "long-other")]
    LongOther,
    /// Shares that the company bought back for a dividend.
    #[serde(rename = "buyback")]
    Buyback,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GainsFigure {
    SaleValue,
    Cost,
    Expenses,
    /// Cost and expenses.
    Deductions,
    Gain,
}

/// Days of sale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Days {
    from: Date,
    until: Date,
}

/// Income of one head at one tax rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncomeClass {
    pub(super) head: TaxHead,
    /// None for business income, and for gains at the rate of the trader's other income.
    percent: Option<Decimal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IncomeFigure {
    /// Result of the year; 0 for a loss.
    Profit,
    /// Loss of the year; 0 for a profit.
    Loss,
    /// Losses of the year that are set off against it: business losses against business income, capital losses against
    /// capital gains.
    SameHeadSetOff,
    AfterSameHead,
    /// Loss of the year that is left after the set-off against business income.
    LossAfterSameHead,
    /// Business losses of the year that are set off against capital gains.
    OtherHeadSetOff,
    AfterYear,
    EarlierSetOff,
    Remaining,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossFigure {
    /// All losses of earlier years.
    BroughtForward,
    /// Losses of earlier years that are set off.
    Used,
    /// Loss of the year that is not set off.
    OfYear,
    CarriedForward,
}

fn parse<'a, T: Deserialize<'a>>(word: &'a str) -> Option<T> {
    T::deserialize(BorrowedStrDeserializer::<Error>::new(word)).ok()
}

impl Figure {
    /// Parses a code such as `gains 111A sale-value` or `income short-term 20 profit`.
    pub fn from_code(code: &str) -> Option<Self> {
        let parts: Vec<&str> = code.split(' ').collect();
        Some(match parts.as_slice() {
            ["business", head, figure] => Self::Business(TaxHead::from_name(head)?, parse(figure)?),
            ["gains", section, figure] => Self::Gains(parse(section)?, Days::ALL, parse(figure)?),
            ["gains", section, figure, days] => Self::Gains(parse(section)?, Days::from_code(days)?, parse(figure)?),
            ["buyback-loss", head] => Self::BuybackLoss(TaxHead::from_name(head)?),
            ["term-total", head] => Self::TermTotal(TaxHead::from_name(head)?),
            ["capital-gains"] => Self::CapitalGains,
            ["income", head, rate, figure] => Self::Income(IncomeClass::from_names(head, rate)?, parse(figure)?),
            ["income", head, rate, "period", number] => {
                Self::IncomeOfPeriod(IncomeClass::from_names(head, rate)?, parse_period(number)?)
            }
            ["exemptible-gains"] => Self::ExemptibleGains,
            ["losses", head, figure] => Self::Losses(TaxHead::from_name(head)?, parse(figure)?),
            ["brought-forward", head, year] => {
                Self::BroughtForward(TaxHead::from_name(head)?, FinancialYear::from_name(year)?)
            }
            ["dividend"] => Self::Dividend,
            ["dividend", "period", number] => Self::DividendOfPeriod(parse_period(number)?),
            ["entered-dividend"] => Self::EnteredDividend,
            ["entered-dividend", "period", number] => Self::EnteredDividendOfPeriod(parse_period(number)?),
            _ => return None,
        })
    }

    /// Returns the amount in whole rupees.
    pub fn amount(&self, sums: &ReturnSums<'_>) -> Decimal {
        let losses = &sums.losses;
        round(match self {
            Self::Business(head, figure) => figure.amount(sums.business(*head)),
            Self::Gains(section, days, figure) => sums
                .of(|key| key.section == *section && days.from <= key.sold && key.sold <= days.until)
                .map(|sales| figure.amount(sales))
                .sum(),
            Self::BuybackLoss(head) => sums.gain(|key| key.head == *head && key.section == Section::Buyback),
            Self::TermTotal(head) => sums.gain(|key| key.head == *head),
            Self::CapitalGains => {
                let of_gains = losses.results.iter().filter(|one| one.head.is_gain());
                let gains: Decimal = of_gains.map(|one| one.result.max(Decimal::ZERO)).sum();
                gains
                    - sums.set_off(|one| one.against.is_gain() && one.loss_kind.is_gain() && one.loss_year == sums.year)
            }
            Self::Income(class, figure) => sums.income(*class, *figure),
            Self::IncomeOfPeriod(class, period) => {
                sums.income_by_period(*class).get(*period).copied().unwrap_or_default()
            }
            Self::ExemptibleGains => losses.exemptible_gains(),
            Self::Losses(head, figure) => sums.losses(*head, *figure),
            Self::BroughtForward(head, year) => {
                let of_year = losses.schedule.iter().filter(|loss| (loss.kind, loss.year) == (*head, *year));
                of_year.map(|loss| loss.opening).sum()
            }
            Self::Dividend => sums.buybacks(|_| true),
            Self::DividendOfPeriod(period) => return sums.buybacks_of_period(*period),
            Self::EnteredDividend => sums.dividends.total - sums.buybacks(|_| true),
            Self::EnteredDividendOfPeriod(period) => return sums.entered_dividends_of_period(*period),
        })
    }
}

/// Parses the number of a period, from 1 to 5.
fn parse_period(number: &str) -> Option<usize> {
    let index = number.parse::<usize>().ok()?.checked_sub(1)?;
    (index < TAX_PERIODS).then_some(index)
}

impl Days {
    const ALL: Self = Self { from: Date::MIN, until: Date::MAX };

    /// Parses days such as `until:2024-07-22` or `from:2024-07-23`.
    fn from_code(code: &str) -> Option<Self> {
        let (word, day) = code.split_once(':')?;
        let day = Date::parse(day, format_description!("[year]-[month]-[day]")).ok()?;
        match word {
            "from" => Some(Self { from: day, ..Self::ALL }),
            "until" => Some(Self { until: day, ..Self::ALL }),
            _ => None,
        }
    }
}

impl IncomeClass {
    fn from_names(head: &str, rate: &str) -> Option<Self> {
        let percent = if matches!(rate, "slab" | "-") { None } else { Some(rate.parse().ok()?) };
        Some(Self { head: TaxHead::from_name(head)?, percent })
    }

    pub(super) fn contains(self, head: TaxHead, rate: Option<TaxRate>) -> bool {
        self.head == head && self.percent == rate.and_then(TaxRate::percent)
    }
}

impl BusinessFigure {
    fn amount(self, business: &BusinessIncome) -> Decimal {
        match self {
            Self::Turnover => business.turnover,
            Self::Gross => business.gross,
            Self::Charges => business.charges,
            Self::Net => business.net,
        }
    }
}

impl GainsFigure {
    fn amount(self, sales: &Sales) -> Decimal {
        match self {
            Self::SaleValue => sales.value,
            Self::Cost => sales.cost,
            Self::Expenses => sales.expenses,
            Self::Deductions => sales.cost + sales.expenses,
            Self::Gain => sales.gain,
        }
    }
}

impl Section {
    pub(super) fn new(line: &TaxLine, rate: TaxRate) -> Self {
        if !line.dividend.is_zero() {
            return Self::Buyback;
        }
        match (line.head == TaxHead::LongTerm, rate) {
            (false, TaxRate::Percent { .. }) => Self::Short111A,
            (false, TaxRate::Slab) => Self::ShortOther,
            (true, rate) if rate.has_exemption() => Self::Long112A,
            (true, _) if line.rule.is_some_and(GainsRule::is_of_units) => Self::LongOther,
            (true, _) => Self::Listed112,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_codes_of_unknown_figures() {
        for code in
            ["", "gains", "gains 111B gain", "income short-term x profit", "dividend period 6", "dividend period 0"]
        {
            assert_eq!(Figure::from_code(code), None, "{code}");
        }
    }
}
