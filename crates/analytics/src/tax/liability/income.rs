//! Income of a year by the way in which it is taxed.

use rust_decimal::Decimal;

use crate::tax::periods::TAX_PERIODS;

/// Income that arose in each period of advance tax. A loss of a period is negative; the year is not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByPeriod(pub [Decimal; TAX_PERIODS]);

impl ByPeriod {
    /// Returns the income of the first `periods`, as far as it is left at the end of the year.
    fn first(self, periods: usize) -> Decimal {
        let sum: Decimal = self.0.iter().take(periods).sum();
        sum.min(self.0.iter().sum()).max(Decimal::ZERO)
    }
}

/// Section of gains at a special rate; it decides about the rebate and the surcharge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainsSection {
    /// Short-term gains from shares and equity funds: section 111A, from April 2026 on section 196.
    ShortTermEquity,
    /// Other long-term gains: section 112, from April 2026 on section 197.
    LongTermOther,
    /// Long-term gains from shares and equity funds: section 112A, from April 2026 on section 198.
    LongTermEquity,
}

/// Gains of one section at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialGains {
    pub section: GainsSection,
    pub percent: Decimal,
    /// Gains after the set-off of losses and without [`Income::exempt_gains`].
    pub amounts: ByPeriod,
}

/// Income of a resident in a year, after the set-off of losses and after deductions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Income {
    /// Profits of business, such as intraday trades, futures and options.
    pub business: Decimal,
    /// Other income at slab rates, such as salary and interest.
    pub other: Decimal,
    /// Capital gains at slab rates.
    pub slab_gains: ByPeriod,
    /// Dividends, which are taxed at slab rates; until 2019-20 without those of Indian companies, which were exempt.
    pub dividends: ByPeriod,
    pub special_gains: Vec<SpecialGains>,
    /// Gains of section 112A or 198 up to the yearly exemption. They are not taxed, but belong to the total income.
    pub exempt_gains: ByPeriod,
}

/// Part of the year in which gains and dividends arose.
#[derive(Clone, Copy, Debug)]
pub struct Arisen {
    pub gains_periods: usize,
    pub dividend_periods: usize,
}

impl Arisen {
    pub const YEAR: Self = Self { gains_periods: TAX_PERIODS, dividend_periods: TAX_PERIODS };
}

/// Gains of one section at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialAmount {
    pub section: GainsSection,
    pub percent: Decimal,
    pub amount: Decimal,
}

/// Amounts on which the tax is calculated. No amount is negative.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxableIncome {
    /// Income at slab rates without dividends.
    pub slab: Decimal,
    pub dividends: Decimal,
    /// The highest rate first; gains of section 112A before others at the same rate.
    pub special: Vec<SpecialAmount>,
    pub exempt_gains: Decimal,
}

impl TaxableIncome {
    /// Returns the amounts that had arisen, with the total rounded to ten rupees (section 288A; from April 2026 on
    /// section 516). The difference belongs to the income at slab rates, as in the return.
    pub fn new(income: &Income, arisen: Arisen) -> Self {
        let mut special: Vec<_> = income
            .special_gains
            .iter()
            .map(|gains| SpecialAmount {
                section: gains.section,
                percent: gains.percent,
                amount: gains.amounts.first(arisen.gains_periods),
            })
            .collect();
        special.sort_by_key(|gains| (-gains.percent, gains.section != GainsSection::LongTermEquity));
        let mut exact = Self {
            slab: income.business.max(Decimal::ZERO)
                + income.other.max(Decimal::ZERO)
                + income.slab_gains.first(arisen.gains_periods),
            dividends: income.dividends.first(arisen.dividend_periods),
            special,
            exempt_gains: income.exempt_gains.first(arisen.gains_periods),
        };
        let difference = round_to_ten(exact.total()) - exact.total();
        if difference.is_sign_negative() {
            return exact.reduce(-difference, |_| false, false);
        }
        exact.slab += difference;
        exact
    }

    pub fn slab_income(&self) -> Decimal {
        self.slab + self.dividends
    }

    pub fn total(&self) -> Decimal {
        let special: Decimal = self.special.iter().map(|gains| gains.amount).sum();
        self.slab_income() + special + self.exempt_gains
    }

    /// Returns the income without `amount` rupees. Income at slab rates is removed first, then gains and dividends
    /// whose surcharge is not limited, the highest rate first, then the others.
    pub fn reduce(
        mut self,
        amount: Decimal,
        is_capped: impl Fn(GainsSection) -> bool,
        dividends_are_capped: bool,
    ) -> Self {
        let mut rest = amount;
        let mut remove = |from: &mut Decimal| {
            let part = rest.min(*from);
            *from -= part;
            rest -= part;
        };
        remove(&mut self.slab);
        for capped in [false, true] {
            if dividends_are_capped == capped {
                remove(&mut self.dividends);
            }
            let special = self.special.iter_mut().filter(|gains| is_capped(gains.section) == capped);
            special.for_each(|gains| remove(&mut gains.amount));
        }
        remove(&mut self.exempt_gains);
        self
    }
}

/// Ignores paise and rounds to the nearest ten rupees, 5 up.
pub fn round_to_ten(amount: Decimal) -> Decimal {
    use rust_decimal::RoundingStrategy::MidpointAwayFromZero;
    let tens = amount.trunc() / Decimal::TEN;
    (tens.round_dp_with_strategy(0, MidpointAwayFromZero) * Decimal::TEN).normalize()
}
