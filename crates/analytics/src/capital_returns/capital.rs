//! Returns of a capital with dated deposits and withdrawals.
//!
//! - XIRR is the money-weighted rate per year: it depends on when money came in and went out.
//! - The time-weighted return links the returns of the days, so that deposits and withdrawals do not affect it. Money
//!   comes in at the beginning of a day and leaves at its end.
//! - The return of the period is that of Modified Dietz: gain divided by the average capital, in which each deposit and
//!   withdrawal has the weight of the days that remain.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use time::Date;

use super::xirr::xirr;

/// Days below which no annual rate is shown: it would multiply the result of a few days. Zerodha's Console hides XIRR for
/// less than a year, "less suited for short-term investments"
/// (support.zerodha.com/category/console/portfolio/holdings/articles/xirr-and-cagr-for-equity).
const MIN_DAYS_FOR_XIRR: i64 = 90;
/// Rupees below which money is no capital: a few rupees that stay in an account would give absurd rates.
const MIN_CAPITAL: Decimal = Decimal::ONE_HUNDRED;
/// Part of the highest capital below which the average capital divides no gain: 10 %. If nearly all money left soon, the
/// average says little about the money that earned the gain.
const MIN_AVERAGE: f64 = 0.1;
/// Days from which a time-weighted return is stated per year too: a good month says little about a year.
const MIN_DAYS_TO_ANNUALISE: i64 = 365;

/// Changes of a capital on one day, in rupees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CapitalDay {
    pub deposits: Decimal,
    pub withdrawals: Decimal,
    /// Shares that came without a payment from the account, less payments that went to a bank account.
    pub transfers: Decimal,
    /// Results of trades, and costs outside trades.
    pub result: Decimal,
}

impl CapitalDay {
    fn inflow(&self) -> Decimal {
        self.deposits + self.transfers.max(Decimal::ZERO)
    }

    fn outflow(&self) -> Decimal {
        self.withdrawals - self.transfers.min(Decimal::ZERO)
    }

    /// Returns the change of the value.
    pub fn change(&self) -> Decimal {
        self.inflow() - self.outflow() + self.result
    }
}

/// Capital in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Capital {
    /// First and last day.
    pub from: Date,
    pub to: Date,
    /// Value at the beginning of the first day.
    pub start_value: Decimal,
    pub days: BTreeMap<Date, CapitalDay>,
}

/// Reason for which there is no annual rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateAbsence {
    NoCapital,
    ShortPeriod,
    NoSingleRate,
}

/// Reason for which there is no return of the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodReturnAbsence {
    /// The average capital is not above zero, or the capital was never 100 rupees.
    NoCapital,
    /// The average capital is a small part of the highest one.
    SmallAverage,
}

/// Reason for which there is no time-weighted return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeWeightedAbsence {
    NoCapital,
    /// There was a result on a day without capital.
    ResultWithoutCapital,
    BelowZero,
}

/// Returns of a capital. Rates are fractions, such as 0.12.
#[derive(Clone, Debug, PartialEq)]
pub struct Returns {
    /// Days from the first capital to the end.
    pub days: i64,
    /// Return of the period (Modified Dietz).
    pub period: Result<f64, PeriodReturnAbsence>,
    pub xirr: Result<f64, RateAbsence>,
    /// Time-weighted return of the period.
    pub time_weighted: Result<f64, TimeWeightedAbsence>,
    /// The same per year, for at least a year with capital.
    pub time_weighted_annual: Option<f64>,
}

impl Capital {
    pub fn sum(&self, part: impl Fn(&CapitalDay) -> Decimal) -> Decimal {
        self.days.values().map(part).sum()
    }

    pub fn end_value(&self) -> Decimal {
        self.start_value + self.sum(CapitalDay::change)
    }

    /// Returns the result of the period: end value less start value and net deposits.
    pub fn gain(&self) -> Decimal {
        self.sum(|day| day.result)
    }

    /// Joins capitals. One that begins later comes in on its first day; one that ends earlier is taken out on its last day.
    pub fn join(capitals: &[&Self]) -> Option<Self> {
        let from = capitals.iter().map(|capital| capital.from).min()?;
        let to = capitals.iter().map(|capital| capital.to).max()?;
        let mut joined = Self { from, to, start_value: Decimal::ZERO, days: BTreeMap::new() };
        for capital in capitals {
            for (day, change) in &capital.days {
                let sum = joined.days.entry(*day).or_default();
                sum.deposits += change.inflow();
                sum.withdrawals += change.outflow();
                sum.result += change.result;
            }
            if capital.from == from {
                joined.start_value += capital.start_value;
            } else {
                joined.days.entry(capital.from).or_default().deposits += capital.start_value;
            }
            if capital.to < to {
                joined.days.entry(capital.to).or_default().withdrawals += capital.end_value();
            }
        }
        Some(joined)
    }

    pub fn returns(&self) -> Returns {
        let flows = self.flows();
        let end_value = self.end_value();
        let mut all = flows.clone();
        *all.entry(self.to).or_default() += end_value;
        let all = without_small_amounts(all, self.to);
        let is_in = |(day, amount): (&Date, &Decimal)| (*amount < Decimal::ZERO).then_some(*day);
        // Money that comes in and leaves on the last day was there, too.
        let first = all.iter().find_map(is_in).or_else(|| flows.iter().find_map(is_in)).unwrap_or(self.to);
        let days = (self.to - first).whole_days();
        let time_weighted = self.time_weighted();
        let days_with_capital = days - self.count_days_without_capital(first);
        let years = days_with_capital as f64 / 365.0;
        let annual = time_weighted.ok().filter(|_| days_with_capital >= MIN_DAYS_TO_ANNUALISE);
        Returns {
            days,
            period: self.modified_dietz(),
            xirr: self.annual_rate(&all, days),
            time_weighted,
            time_weighted_annual: annual.map(|rate| (1.0 + rate).powf(1.0 / years) - 1.0),
        }
    }

    /// Returns the money that went to the trader less the money that came in, by day. The start value is that of the end of
    /// the day before.
    fn flows(&self) -> BTreeMap<Date, Decimal> {
        let mut flows: BTreeMap<Date, Decimal> = BTreeMap::new();
        *flows.entry(self.from.previous_day().unwrap_or(self.from)).or_default() -= self.start_value;
        for (day, change) in &self.days {
            *flows.entry(*day).or_default() += change.outflow() - change.inflow();
        }
        flows
    }

    fn annual_rate(&self, flows: &BTreeMap<Date, Decimal>, days: i64) -> Result<f64, RateAbsence> {
        let has_capital = self.start_value >= MIN_CAPITAL || self.sum(CapitalDay::inflow) >= MIN_CAPITAL;
        if !has_capital {
            return Err(RateAbsence::NoCapital);
        }
        if days < MIN_DAYS_FOR_XIRR {
            return Err(RateAbsence::ShortPeriod);
        }
        // Nothing came back: everything is lost.
        if self.end_value().is_zero() && flows.values().all(|amount| *amount <= Decimal::ZERO) {
            return Ok(-1.0);
        }
        xirr(&flows.iter().map(|(day, amount)| (*day, to_f64(*amount))).collect()).ok_or(RateAbsence::NoSingleRate)
    }

    /// Returns the gain divided by the average capital from the first to the last day with capital.
    fn modified_dietz(&self) -> Result<f64, PeriodReturnAbsence> {
        let capitals = self.capitals();
        let mut with_capital = capitals.iter().filter(|(_, capital)| *capital >= MIN_CAPITAL);
        let Some(((first, end), _)) = with_capital.next() else { return Err(PeriodReturnAbsence::NoCapital) };
        let last = with_capital.next_back().map_or(end, |((_, end), _)| end);
        let highest = capitals.iter().map(|(_, capital)| to_f64(*capital)).fold(0.0, f64::max);
        let length = (*last - *first).whole_days() + 1;
        // Small flows before the first day count in full, those after the last day do not count.
        let weight = |days: i64| days.clamp(0, length) as f64 / length as f64;
        let mut average = to_f64(self.start_value);
        for (day, change) in &self.days {
            let remaining = (*last - *day).whole_days();
            average += to_f64(change.inflow()) * weight(remaining + 1) - to_f64(change.outflow()) * weight(remaining);
        }
        match average {
            average if average <= 0.0 => Err(PeriodReturnAbsence::NoCapital),
            average if average < highest * MIN_AVERAGE => Err(PeriodReturnAbsence::SmallAverage),
            average => Ok(to_f64(self.gain()) / average),
        }
    }

    /// Returns the capital of each day, as periods of equal capital. Money that comes in on a day is in it, and so is money
    /// that goes out on the day.
    fn capitals(&self) -> Vec<((Date, Date), Decimal)> {
        let (mut next, mut value, mut capitals) = (self.from, self.start_value, Vec::new());
        for (day, change) in &self.days {
            if let Some(before) = day.previous_day().filter(|before| *before >= next) {
                capitals.push(((next, before), value));
            }
            capitals.push(((*day, *day), value + change.inflow()));
            value += change.change();
            next = day.next_day().unwrap_or(*day);
        }
        if next <= self.to {
            capitals.push(((next, self.to), value));
        }
        capitals
    }

    /// Returns the number of days from a day on without a capital.
    fn count_days_without_capital(&self, from: Date) -> i64 {
        let periods = self.capitals().into_iter().filter(|(_, capital)| *capital < MIN_CAPITAL);
        periods.map(|((first, last), _)| ((last - first.max(from)).whole_days() + 1).max(0)).sum()
    }

    fn time_weighted(&self) -> Result<f64, TimeWeightedAbsence> {
        let (mut value, mut growth, mut has_capital) = (self.start_value, 1.0, self.start_value >= MIN_CAPITAL);
        let mut ignored = Decimal::ZERO;
        for day in self.days.values() {
            let capital = value + day.inflow();
            let end = capital + day.result;
            if capital >= MIN_CAPITAL {
                if end < Decimal::ZERO {
                    return Err(TimeWeightedAbsence::BelowZero);
                }
                growth *= to_f64(end) / to_f64(capital);
            } else {
                ignored += day.result.abs();
            }
            if ignored > MIN_CAPITAL {
                let is_negative = capital < Decimal::ZERO || end < Decimal::ZERO;
                let without = TimeWeightedAbsence::ResultWithoutCapital;
                return Err(if is_negative { TimeWeightedAbsence::BelowZero } else { without });
            }
            has_capital |= capital >= MIN_CAPITAL;
            value = end - day.outflow();
        }
        if has_capital { Ok(growth - 1.0) } else { Err(TimeWeightedAbsence::NoCapital) }
    }
}

/// Removes amounts below the smallest capital, which make second rates and absurd ones. The end value on the last day stays.
/// All stay if the small ones add up to a capital, or if money would go in one direction only.
fn without_small_amounts(flows: BTreeMap<Date, Decimal>, last_day: Date) -> BTreeMap<Date, Decimal> {
    let is_small = |(day, amount): &(&Date, &Decimal)| amount.abs() < MIN_CAPITAL && **day < last_day;
    let (small, large): (Vec<_>, Vec<_>) = flows.iter().partition(is_small);
    let sum: Decimal = small.iter().map(|(_, amount)| amount.abs()).sum();
    let has_sign = |is_wanted: fn(&Decimal) -> bool| large.iter().any(|(_, amount)| is_wanted(amount));
    if sum > MIN_CAPITAL || !has_sign(Decimal::is_sign_negative) || !has_sign(Decimal::is_sign_positive) {
        return flows;
    }
    large.into_iter().map(|(day, amount)| (*day, *amount)).collect()
}

fn to_f64(amount: Decimal) -> f64 {
    amount.to_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::{date, format_description};

    use super::*;

    /// Returns a capital of lines such as `2025-04-01 +1000 -0 =50`: deposits, withdrawals and result of a day.
    fn capital(from: Date, to: Date, start: i64, lines: &str) -> Capital {
        let parse = |line: &str| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let amount = |sign: char| {
                let field = fields.iter().skip(1).find_map(|field| field.strip_prefix(sign));
                field.map(|field| field.parse().unwrap()).unwrap_or_default()
            };
            let day = Date::parse(fields[0], format_description!("[year]-[month]-[day]")).unwrap();
            let (deposits, withdrawals, result) = (amount('+'), amount('-'), amount('='));
            (day, CapitalDay { deposits, withdrawals, transfers: Decimal::ZERO, result })
        };
        let days = lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(parse).collect();
        Capital { from, to, start_value: start.into(), days }
    }

    const FROM: Date = date!(2025 - 04 - 01);
    const TO: Date = date!(2026 - 03 - 31);

    fn percent(rate: f64) -> i64 {
        (rate * 10_000.0).round() as i64
    }

    #[test]
    fn a_single_deposit_has_its_gain_as_every_return() {
        let returns = capital(FROM, date!(2026 - 04 - 01), 0, "2025-04-01 +100000\n2025-09-01 =12000").returns();
        assert_eq!((returns.days, percent(returns.period.unwrap())), (365, 1_200));
        assert_eq!((percent(returns.xirr.unwrap()), percent(returns.time_weighted.unwrap())), (1_200, 1_200));
        assert_eq!(percent(returns.time_weighted_annual.unwrap()), 1_200);
    }

    #[test]
    fn a_start_value_counts_from_the_day_before() {
        let returns = capital(FROM, TO, 100_000, "2025-09-01 =12000").returns();
        assert_eq!((returns.days, percent(returns.xirr.unwrap())), (365, 1_200));
    }

    #[test]
    fn time_weighted_returns_ignore_the_size_of_deposits() {
        // 10 % on 1,00,000; then 9,00,000 come in, and 10 % of 10,10,000 are lost: 1.1 * 0.9 = 0.99.
        let returns =
            capital(FROM, TO, 0, "2025-04-01 +100000\n2025-06-02 =10000\n2025-07-01 +900000\n2025-08-01 =-101000")
                .returns();
        assert_eq!(percent(returns.time_weighted.unwrap()), -100);
        // The money-weighted returns are far lower: most money was there for the loss. Gain -91,000; average capital
        // 1,00,000 + 9,00,000 * 274 / 365 = 7,75,616.
        assert_eq!(percent(returns.period.unwrap()), -1_173);
        assert_eq!(returns.time_weighted_annual, None);
        // A withdrawal leaves at the end of its day: 1.5 * 0.5.
        let returns = capital(FROM, TO, 1_000, "2025-05-01 -500 =500\n2025-06-01 =-500").returns();
        assert_eq!(percent(returns.time_weighted.unwrap()), -2_500);
        // A deposit and a withdrawal of one day: capital 1,000 + 1,000, result 100, then 600 leave; 5 % of 1,500.
        let returns = capital(FROM, TO, 1_000, "2025-05-01 +1000 -600 =100\n2025-06-01 =75").returns();
        assert_eq!(percent(returns.time_weighted.unwrap()), 1_025);
    }

    #[test]
    fn flows_on_the_first_and_the_last_day_count() {
        let lines = "2025-04-01 +1000\n2026-03-31 +500 -250 =25";
        let with_flows = capital(FROM, TO, 1_000, lines);
        assert_eq!(with_flows.end_value(), 2_275.into());
        let returns = with_flows.returns();
        // Average capital 1,000 + 1,000 + 500 / 365.
        assert_eq!((percent(returns.time_weighted.unwrap()), percent(returns.period.unwrap())), (100, 125));
        // -1,000 on 31 March 2025, -1,000 on 1 April, and -500 + 250 + 2,275 a year later.
        assert_eq!(percent(returns.xirr.unwrap()), 125);
    }

    #[test]
    fn a_total_loss_is_minus_100_percent() {
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-05-01 =-1000").returns();
        assert_eq!((returns.xirr, returns.time_weighted, returns.period), (Ok(-1.0), Ok(-1.0), Ok(-1.0)));
        // One rupee less, and something is left.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-05-01 =-999").returns();
        assert!(returns.xirr.unwrap() > -1.0 && percent(returns.time_weighted.unwrap()) == -9_990);
        // Money that comes in after a total loss does not undo it.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-05-01 =-1000\n2025-06-01 +1000 =500").returns();
        assert_eq!(returns.time_weighted, Ok(-1.0));
    }

    #[test]
    fn everything_withdrawn_has_returns() {
        let all = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-10-01 -1100 =100");
        let returns = all.returns();
        assert_eq!((all.end_value(), percent(returns.time_weighted.unwrap())), (Decimal::ZERO, 1_000));
        // 1.1 to the power of 365 / 183.
        assert_eq!(percent(returns.xirr.unwrap()), 2_094);
        // The money was there until 1 October: 100 of 1,000.
        assert_eq!(percent(returns.period.unwrap()), 1_000);
        // A payment of 50 rupees after that has no capital. 150 of 1,000.
        let paid = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-10-01 -1100 =100\n2025-12-01 =50").returns();
        assert_eq!(percent(paid.period.unwrap()), 1_500);
    }

    #[test]
    fn a_small_part_of_the_highest_capital_is_no_average() {
        // 10,00,000 for a day, of which 1,000 of profit stay: the average is 10,00,000 / 365 = 2,740.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000000 -1000000 =1000").returns();
        assert_eq!(returns.period, Err(PeriodReturnAbsence::SmallAverage));
        // 37 of 365 days are more than a tenth: 1,000 / (10,00,000 * 37 / 365) = 0.99 %.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000000\n2025-05-07 -1000000 =1000").returns();
        assert_eq!(percent(returns.period.unwrap()), 99);
        // 36 days are less.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000000\n2025-05-06 -1000000 =1000").returns();
        assert_eq!(returns.period, Err(PeriodReturnAbsence::SmallAverage));
    }

    #[test]
    fn a_small_end_value_counts_in_the_xirr() {
        // -1,000 + 1,050 / 1.2190^(183 / 365) + 60 / 1.2190^(364 / 365) = 0. Without the 60, it would be 10.22 %.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-10-01 -1050 =110").returns();
        assert_eq!(percent(returns.xirr.unwrap()), 2_190);
    }

    #[test]
    fn an_annual_time_weighted_return_counts_days_with_capital() {
        // 10 % in each of two half years, with a year between: 1.1 * 1.1 in 183 + 182 days.
        let lines = "2024-04-01 +1000\n2024-10-01 -1100 =100\n2025-10-01 +1000\n2026-03-31 =100";
        let returns = capital(date!(2024 - 04 - 01), TO, 0, lines).returns();
        assert_eq!((returns.days, percent(returns.time_weighted.unwrap())), (729, 2_100));
        assert_eq!(percent(returns.time_weighted_annual.unwrap()), 2_100);
        // A day less is no year.
        let returns = capital(date!(2024 - 04 - 01), TO, 0, &lines.replace("2024-10-01", "2024-09-30")).returns();
        assert_eq!(returns.time_weighted_annual, None);
    }

    #[test]
    fn a_value_below_zero_has_no_time_weighted_return() {
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000\n2025-05-01 =-1500").returns();
        assert_eq!(
            (returns.time_weighted, returns.xirr),
            (Err(TimeWeightedAbsence::BelowZero), Err(RateAbsence::NoSingleRate))
        );
        // A cost without any capital.
        let returns = capital(FROM, TO, 0, "2025-04-01 =-188\n2025-05-01 +1000").returns();
        assert_eq!(returns.time_weighted, Err(TimeWeightedAbsence::BelowZero));
        // A result without any capital, for instance interest.
        let returns = capital(FROM, TO, 0, "2025-04-01 =188\n2025-05-01 +1000").returns();
        assert_eq!(returns.time_weighted, Err(TimeWeightedAbsence::ResultWithoutCapital));
        // A zero balance without a result is none.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000 -1000\n2025-05-01 +1000\n2025-06-01 =100").returns();
        assert_eq!(percent(returns.time_weighted.unwrap()), 1_000);
    }

    #[test]
    fn less_than_90_days_have_no_annual_rate() {
        let until = |day: Date| capital(FROM, day, 0, "2025-04-01 +1000\n2025-04-02 =30").returns();
        let (short, long) = (until(date!(2025 - 06 - 29)), until(date!(2025 - 06 - 30)));
        assert_eq!((short.days, short.xirr), (89, Err(RateAbsence::ShortPeriod)));
        assert_eq!((long.days, percent(long.xirr.unwrap())), (90, 1_274));
        assert_eq!((percent(short.period.unwrap()), percent(long.period.unwrap())), (300, 300));
        // The period begins with the first deposit.
        let later = capital(date!(2025 - 01 - 01), date!(2025 - 06 - 29), 0, "2025-04-01 +1000\n2025-04-02 =30");
        assert_eq!(later.returns(), short);
    }

    #[test]
    fn a_period_without_capital_has_no_returns() {
        for lines in ["", "2025-04-01 +0"] {
            let returns = capital(FROM, TO, 0, lines).returns();
            assert_eq!(
                (returns.xirr, returns.time_weighted, returns.period),
                (Err(RateAbsence::NoCapital), Err(TimeWeightedAbsence::NoCapital), Err(PeriodReturnAbsence::NoCapital))
            );
        }
    }

    #[test]
    fn amounts_below_100_rupees_make_neither_rates_nor_links() {
        // Half a rupee stays in the account for months; then a capital comes in.
        let tiny = capital(FROM, TO, 0, "2025-04-01 +0.5\n2026-03-01 +100000\n2026-03-02 =1000").returns();
        let clean = capital(FROM, TO, 0, "2026-03-01 +100000\n2026-03-02 =1000").returns();
        assert_eq!((tiny.days, tiny.xirr), (clean.days, Err(RateAbsence::ShortPeriod)));
        // A withdrawal of a few rupees before the deposit makes a second root.
        let two = capital(FROM, TO, 0, "2025-04-01 -1 =1\n2025-04-02 +100000\n2025-09-01 =12000").returns();
        let one = capital(FROM, TO, 0, "2025-04-02 +100000\n2025-09-01 =12000").returns();
        assert_eq!((two.days, percent(two.xirr.unwrap())), (one.days, percent(one.xirr.unwrap())));
        // A fee of 88 rupees on a balance of 90 is no loss of 98 %.
        let fee = capital(FROM, TO, 90, "2025-04-01 =-88\n2025-05-01 +100000\n2025-09-01 =10000").returns();
        assert_eq!(percent(fee.time_weighted.unwrap()), 1_000);
        // Small deposits that add up count.
        let lines: String = (1..=5).map(|month| format!("2025-{:02}-01 +80\n", month + 3)).collect();
        let small = capital(FROM, TO, 0, &format!("{lines}2025-09-01 =40")).returns();
        assert!((0.10..0.20).contains(&small.xirr.unwrap()), "{small:?}");
    }

    #[test]
    fn joins_accounts_of_different_periods() {
        let first = capital(FROM, TO, 1_000, "2025-06-01 =100");
        let second = capital(date!(2025 - 07 - 01), date!(2025 - 12 - 31), 1_100, "2025-08-01 -100 =220");
        let joined = Capital::join(&[&first, &second]).unwrap();
        assert_eq!((joined.gain(), joined.end_value()), (320.into(), 1_100.into()));
        // 1.1, then 220 of 2,200.
        assert_eq!(percent(joined.returns().time_weighted.unwrap()), 2_100);
        assert_eq!(Capital::join(&[&first]).unwrap(), first);
        assert_eq!(Capital::join(&[]), None);
    }

    #[test]
    fn shares_that_come_and_payments_that_leave_are_flows() {
        let mut with_shares = capital(FROM, TO, 1_000, "2025-06-01 =110");
        with_shares.days.entry(FROM).or_default().transfers = 100.into();
        with_shares.days.entry(TO).or_default().transfers = (-210).into();
        assert_eq!((with_shares.gain(), with_shares.end_value()), (110.into(), 1_000.into()));
        assert_eq!(percent(with_shares.returns().time_weighted.unwrap()), 1_000);
    }
}
