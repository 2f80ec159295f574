//! Returns of a capital with dated deposits and withdrawals.
//!
//! - XIRR is the money-weighted rate per year: it depends on when money came in and went out.
//! - The time-weighted return links the returns of the days, so that deposits and withdrawals do not affect it. Money
//!   comes in at the beginning of a day and leaves at its end. Days with less than 100 rupees, or 1 % of the highest
//!   capital, are left out.
//! - The return of the period is that of Modified Dietz: gain divided by the average capital, in which each deposit and
//!   withdrawal has the weight of the days that remain.

use std::collections::{BTreeMap, BTreeSet};

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
/// Part of the highest capital below which a capital is a rest: 1 %. A fee on it says nothing about the money that was there.
const MIN_PART_OF_HIGHEST: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// Part of the highest capital below which the average capital divides no gain: 10 %. If nearly all money left soon, the
/// average says little about the money that earned the gain.
const MIN_AVERAGE: f64 = 0.1;
/// Part of the mean capital of the days with a capital below which the average capital divides no gain: 50 %. Withdrawals
/// of profits lower the average, although the money was there.
const MIN_PART_OF_MEAN: f64 = 0.5;
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
    /// First and last days of times at whose beginnings open positions count at cost.
    pub at_cost: Vec<(Date, Date)>,
    /// First and last days of times at whose beginnings the value is not known: futures are open or not settled, or bonus
    /// shares count at no cost.
    pub unknown_values: Vec<(Date, Date)>,
}

/// Reason for which there is no annual rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateAbsence {
    NoCapital,
    /// Less than 90 days with a capital.
    ShortPeriod,
    NoSingleRate,
}

/// Reason for which there is no return of the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodReturnAbsence {
    /// The capital was never 100 rupees.
    NoCapital,
    /// The average capital is a small part of the highest one or of the mean, or not above zero.
    SmallAverage,
}

/// Reason for which there is no time-weighted return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeWeightedAbsence {
    NoCapital,
    /// There was a result on a day without capital.
    ResultWithoutCapital,
    BelowZero,
    /// Money came in or went out on a day on which the value is not known.
    UnknownValue,
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
    /// True if there is a time-weighted return, and positions counted at cost at a deposit or withdrawal.
    pub is_approximate: bool,
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
    /// Money that leaves one of them on the day on which it comes into another one moves within the joint capital.
    pub fn join(capitals: &[&Self]) -> Option<Self> {
        let from = capitals.iter().map(|capital| capital.from).min()?;
        let to = capitals.iter().map(|capital| capital.to).max()?;
        let at_cost = capitals.iter().flat_map(|capital| capital.at_cost.iter().copied()).collect();
        let unknown_values = capitals.iter().flat_map(|capital| capital.unknown_values.iter().copied()).collect();
        let mut joined = Self { from, to, start_value: Decimal::ZERO, days: BTreeMap::new(), at_cost, unknown_values };
        let all_days: BTreeSet<Date> = capitals.iter().flat_map(|capital| capital.days.keys().copied()).collect();
        for day in all_days {
            let moved = moved_between(capitals.iter().filter_map(|capital| capital.days.get(&day)));
            let sum = joined.days.entry(day).or_default();
            sum.deposits -= moved;
            sum.withdrawals -= moved;
        }
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
        let flow_days = self.days_of_flows();
        let is_unknown = contains_any(&self.unknown_values, &flow_days);
        let time_weighted = self
            .time_weighted()
            .and_then(|rate| if is_unknown { Err(TimeWeightedAbsence::UnknownValue) } else { Ok(rate) });
        let days_with_capital = days - self.count_days_without_capital(first);
        let years = days_with_capital as f64 / 365.0;
        let annual = time_weighted.ok().filter(|_| days_with_capital >= MIN_DAYS_TO_ANNUALISE);
        Returns {
            days,
            period: self.modified_dietz(),
            xirr: self.annual_rate(&all, days, days_with_capital),
            time_weighted,
            time_weighted_annual: annual.map(|rate| (1.0 + rate).powf(1.0 / years) - 1.0),
            is_approximate: time_weighted.is_ok() && contains_any(&self.at_cost, &flow_days),
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

    /// Returns the days before which a deposit came in or a withdrawal went out, after the start.
    fn days_of_flows(&self) -> BTreeSet<Date> {
        let mut days = BTreeSet::new();
        for (day, change) in &self.days {
            if !change.inflow().is_zero() {
                days.insert(*day);
            }
            if !change.outflow().is_zero() {
                days.extend(day.next_day());
            }
        }
        days.retain(|day| (self.from..=self.to).contains(day));
        days
    }

    fn annual_rate(
        &self,
        flows: &BTreeMap<Date, Decimal>,
        days: i64,
        days_with_capital: i64,
    ) -> Result<f64, RateAbsence> {
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
        let rate = xirr(&flows.iter().map(|(day, amount)| (*day, to_f64(*amount))).collect());
        let rate = rate.ok_or(RateAbsence::NoSingleRate)?;
        if days_with_capital < MIN_DAYS_FOR_XIRR { Err(RateAbsence::ShortPeriod) } else { Ok(rate) }
    }

    /// Returns the gain divided by the average capital from the first to the last day with capital.
    fn modified_dietz(&self) -> Result<f64, PeriodReturnAbsence> {
        let capitals = self.capitals();
        let min_capital = self.min_capital();
        let mut with_capital = capitals.iter().filter(|(_, capital)| *capital >= min_capital);
        let Some(((first, end), _)) = with_capital.next() else { return Err(PeriodReturnAbsence::NoCapital) };
        let last = with_capital.next_back().map_or(end, |((_, end), _)| end);
        let mean = mean_of_days_with_capital(&capitals, min_capital);
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
            average if average < (highest * MIN_AVERAGE).max(mean * MIN_PART_OF_MEAN) => {
                Err(PeriodReturnAbsence::SmallAverage)
            }
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

    /// Returns the capital below which money is a rest.
    fn min_capital(&self) -> Decimal {
        let highest = self.capitals().into_iter().map(|(_, capital)| capital).max().unwrap_or_default();
        MIN_CAPITAL.max(highest * MIN_PART_OF_HIGHEST)
    }

    /// Returns the number of days from a day on without a capital.
    fn count_days_without_capital(&self, from: Date) -> i64 {
        let min_capital = self.min_capital();
        let periods = self.capitals().into_iter().filter(|(_, capital)| *capital < min_capital);
        periods.map(|((first, last), _)| ((last - first.max(from)).whole_days() + 1).max(0)).sum()
    }

    fn time_weighted(&self) -> Result<f64, TimeWeightedAbsence> {
        let min_capital = self.min_capital();
        let (mut value, mut growth, mut has_capital) = (self.start_value, 1.0, self.start_value >= min_capital);
        let mut ignored = Decimal::ZERO;
        for day in self.days.values() {
            let capital = value + day.inflow();
            let end = capital + day.result;
            if capital >= min_capital {
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
            has_capital |= capital >= min_capital;
            value = end - day.outflow();
        }
        if has_capital { Ok(growth - 1.0) } else { Err(TimeWeightedAbsence::NoCapital) }
    }
}

/// Returns the money that moves from one account to another one on a day: of deposits and withdrawals, the largest part that
/// pairs each rupee that comes in with one that leaves another account.
fn moved_between<'a>(accounts: impl Iterator<Item = &'a CapitalDay> + Clone) -> Decimal {
    let deposits: Decimal = accounts.clone().map(|day| day.deposits).sum();
    let withdrawals: Decimal = accounts.clone().map(|day| day.withdrawals).sum();
    let of_others = accounts.map(|day| deposits - day.deposits + withdrawals - day.withdrawals);
    of_others.fold(deposits.min(withdrawals), Decimal::min)
}

/// Returns whether one of the times, given by first and last day, has one of the days.
fn contains_any(times: &[(Date, Date)], days: &BTreeSet<Date>) -> bool {
    times.iter().any(|(first, last)| first <= last && days.range(first..=last).next().is_some())
}

/// Returns the mean capital of the days with at least `min_capital`.
fn mean_of_days_with_capital(capitals: &[((Date, Date), Decimal)], min_capital: Decimal) -> f64 {
    let with_capital = capitals.iter().filter(|(_, capital)| *capital >= min_capital);
    let (sum, days) = with_capital.fold((0.0, 0.0), |(sum, days), ((first, last), capital)| {
        let length = ((*last - *first).whole_days() + 1) as f64;
        (length.mul_add(to_f64(*capital), sum), days + length)
    });
    if days > 0.0 { sum / days } else { 0.0 }
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
        Capital { from, to, start_value: start.into(), days, at_cost: Vec::new(), unknown_values: Vec::new() }
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
        assert_eq!((returns.xirr, percent(returns.time_weighted.unwrap())), (Err(RateAbsence::ShortPeriod), -9_990));
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
        // 10,00,000 for a day, of which 20,000 stay: the average is 10,00,000 - 9,81,000 * 364 / 365 = 21,688.
        let returns = capital(FROM, TO, 0, "2025-04-01 +1000000 -981000 =1000").returns();
        assert_eq!(returns.period, Err(PeriodReturnAbsence::SmallAverage));
        // A rest of 1,000 is less than 1 % of the highest capital, so the period ends before it: 1,000 of 10,00,000.
        for lines in ["2025-04-01 +1000000 -1000000 =1000", "2025-04-01 +1000000\n2025-05-07 -1000000 =1000"] {
            assert_eq!(percent(capital(FROM, TO, 0, lines).returns().period.unwrap()), 10);
        }
    }

    #[test]
    fn profits_that_are_withdrawn_leave_no_average() {
        // 1,00,000, of which a profit of each week is withdrawn on its day.
        let weekly = |profit: i64| {
            let mut lines = "2025-04-01 +100000".to_owned();
            for week in 1..=52 {
                let day = FROM + time::Duration::days(week * 7 - 1);
                lines += &format!("\n{day} -{profit} ={profit}");
            }
            capital(FROM, TO, 0, &lines).returns()
        };
        // Withdrawals of 500 with 9,334 remaining days: 26,000 / (1,00,000 - 500 * 9,334 / 365) = 29.81 %.
        assert_eq!(percent(weekly(500).period.unwrap()), 2_981);
        // 3 % a week: 1.03 ^ 52 = 4.6509. The average is 23,282, and the gain 670 % of it.
        assert_eq!(percent(weekly(3_000).time_weighted.unwrap()), 36_509);
        assert_eq!(weekly(3_000).period, Err(PeriodReturnAbsence::SmallAverage));
        // The average is below zero.
        assert_eq!(weekly(5_000).period, Err(PeriodReturnAbsence::SmallAverage));
    }

    #[test]
    fn days_without_capital_do_not_count_for_the_xirr() {
        // 1,00,000 for a week; the ledger is five months longer.
        let returns =
            capital(FROM, date!(2025 - 09 - 08), 0, "2025-04-01 +100000\n2025-04-08 -110000 =10000").returns();
        assert_eq!((returns.xirr, percent(returns.period.unwrap())), (Err(RateAbsence::ShortPeriod), 1_000));
        // Less than 1 % of the highest capital is none either: 900 of 1,00,000.
        let rest = capital(FROM, date!(2025 - 09 - 08), 0, "2025-04-01 +100000\n2025-04-08 -109100 =10000").returns();
        assert_eq!(rest.xirr, Err(RateAbsence::ShortPeriod));
        // 90 days with capital of 139.
        let lines = |last: &str| format!("2025-04-01 +100000\n{last} -110000 =10000\n2025-08-18 =1");
        let returns = |last: &str| capital(FROM, date!(2025 - 08 - 18), 0, &lines(last)).returns().xirr;
        assert!(returns("2025-06-30").is_ok() && returns("2025-06-28") == Err(RateAbsence::ShortPeriod));
    }

    #[test]
    fn a_small_rest_is_not_linked() {
        // 10 %, of which 200 rupees stay; an annual fee; then 1,00,000 come back and 10 % are earned.
        let lines = "2025-04-01 +100000\n2025-05-01 -109800 =10000\n2025-06-02 =-88.5\n2025-07-01 +100000
            2025-08-01 =10011.15";
        let returns = capital(FROM, TO, 0, lines).returns();
        assert_eq!(percent(returns.time_weighted.unwrap()), 2_100);
        // More than 100 rupees cannot be left out.
        let returns = capital(FROM, TO, 0, &lines.replace("=-88.5", "=-100.5")).returns();
        assert_eq!(returns.time_weighted, Err(TimeWeightedAbsence::ResultWithoutCapital));
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
    fn joins_flows_that_move_between_accounts() {
        let joined = |first: &str, second: &str, third: &str| {
            let one = |line: &str| capital(FROM, TO, 1_000, &format!("2025-06-02 {line}"));
            let (first, second, third) = (one(first), one(second), one(third));
            let joined = Capital::join(&[&first, &second, &third]).unwrap();
            let day = joined.days[&date!(2025 - 06 - 02)];
            (day.deposits, day.withdrawals)
        };
        let amounts = |deposits: i64, withdrawals: i64| (deposits.into(), withdrawals.into());
        // 500 of the 700 that leave come into two other accounts.
        assert_eq!(joined("-700", "+300", "+200"), amounts(0, 200));
        // Money that comes into the account that it leaves does not move between accounts.
        assert_eq!(joined("+300 -700", "=1", "=1"), amounts(300, 700));
        assert_eq!(joined("+300 -700", "+100", "=1"), amounts(300, 600));
        assert_eq!(joined("+300 -700", "-300", "=1"), amounts(0, 700));
    }

    #[test]
    fn a_flow_at_an_unknown_value_has_no_time_weighted_return() {
        let with = |lines: &str| {
            let times = vec![(date!(2025 - 06 - 02), date!(2025 - 06 - 05))];
            let capital = capital(FROM, TO, 1_000, lines);
            let unknown = Capital { unknown_values: times.clone(), ..capital.clone() };
            let at_cost = Capital { at_cost: times, ..capital };
            (unknown.returns().time_weighted.is_ok(), at_cost.returns().is_approximate)
        };
        // A deposit comes in at the beginning of a day, a withdrawal goes out at the end.
        for (line, is_known) in [
            ("2025-06-01 +500", true),
            ("2025-06-02 +500", false),
            ("2025-06-05 +500", false),
            ("2025-06-06 +500", true),
            ("2025-05-31 -500", true),
            ("2025-06-01 -500", false),
            ("2025-06-04 -500", false),
            ("2025-06-05 -500", true),
        ] {
            assert_eq!(with(line), (is_known, !is_known), "{line}");
        }
        let both = Capital::join(&[
            &capital(FROM, TO, 1_000, "2025-06-03 +500"),
            &Capital {
                unknown_values: vec![(date!(2025 - 06 - 02), date!(2025 - 06 - 05))],
                ..capital(FROM, TO, 1_000, "")
            },
        ]);
        assert_eq!(both.unwrap().returns().time_weighted, Err(TimeWeightedAbsence::UnknownValue));
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
