//! The tax pack of a financial year: what an accountant asks for.
//!
//! Shares bought and sold on one day are speculative business, futures and options business that is not; of both all
//! charges are expenses, and the turnover is the sum of all results without their signs. Shares that were held are
//! capital gains, short term up to twelve months, by the rate of the day of sale; STT is no expense there.

use rust_decimal::Decimal;
use time::{Date, Duration, Month};

use crate::analysis::Analysis;
use crate::charges::Charges;
use crate::closed_trade::ClosedTrade;
use crate::fill::Broker;
use crate::tariff::{GainsRate, Kind, Tariff};

/// From April to March, by the year in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FinancialYear(pub i32);

impl FinancialYear {
    pub fn of(day: Date) -> Self {
        Self(if day.month() < Month::April { day.year() - 1 } else { day.year() })
    }

    pub fn first(self) -> Date {
        Date::from_calendar_date(self.0, Month::April, 1).unwrap_or(Date::MIN)
    }

    pub fn last(self) -> Date {
        Date::from_calendar_date(self.0 + 1, Month::March, 31).unwrap_or(Date::MAX)
    }

    /// Such as `2025-26`.
    pub fn name(self) -> String {
        format!("{}-{:02}", self.0, (self.0 + 1).rem_euclid(100))
    }
}

/// What kind of income it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    Speculative,
    NonSpeculative,
    ShortTerm,
    LongTerm,
}

/// A closed trade, or of a delivery what was bought on one day.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxLine {
    pub head: Head,
    pub broker: Broker,
    pub symbol: String,
    pub quantity: Decimal,
    pub bought: Date,
    pub sold: Date,
    pub buy_value: Decimal,
    pub sell_value: Decimal,
    pub stt: Decimal,
    pub other_charges: Decimal,
    /// What counts.
    pub income: Decimal,
    /// Of capital gains.
    pub rate_percent: Option<Decimal>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Business {
    pub closed_trades: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    pub turnover: Decimal,
    pub profits: Decimal,
    pub losses: Decimal,
}

/// By one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Gains {
    pub from: Date,
    pub to: Date,
    pub rate_percent: Decimal,
    pub law: String,
    pub sales: usize,
    pub sale_value: Decimal,
    pub cost: Decimal,
    pub expenses: Decimal,
    pub gain: Decimal,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TaxPack {
    pub speculative: Business,
    pub non_speculative: Business,
    pub short_term: Vec<Gains>,
    pub long_term: Vec<Gains>,
    pub long_term_exempt: Option<Decimal>,
    pub business_turnover: Decimal,
    pub hints: Vec<String>,
}

/// Above it an audit is due where nearly all is paid by bank, as it is on an exchange.
const AUDIT_TURNOVER: i64 = 100_000_000;
/// Up to it income may be presumed, at 6 % of what is paid by bank.
const PRESUMED_TURNOVER: i64 = 30_000_000;

/// What the pack adds up, in the order of closing.
pub fn lines(analysis: &Analysis, tariff: &Tariff, year: FinancialYear) -> Vec<TaxLine> {
    let mut lines = Vec::new();
    for closed_trade in of_year(analysis, year) {
        match closed_trade.kind {
            Kind::Intraday => lines.push(business(closed_trade, Head::Speculative)),
            Kind::Futures | Kind::Options => lines.push(business(closed_trade, Head::NonSpeculative)),
            Kind::Delivery => lines.extend(delivered(analysis, tariff, closed_trade)),
        }
    }
    lines
}

fn of_year(analysis: &Analysis, year: FinancialYear) -> impl Iterator<Item = &ClosedTrade> {
    analysis.closed_trades().filter(move |closed_trade| FinancialYear::of(closed_trade.closed_day) == year)
}

fn business(closed_trade: &ClosedTrade, head: Head) -> TaxLine {
    let (opened, closed) =
        ((closed_trade.opened_day, closed_trade.entry_value), (closed_trade.closed_day, closed_trade.exit_value));
    let ((bought, buy_value), (sold, sell_value)) = if closed_trade.long { (opened, closed) } else { (closed, opened) };
    TaxLine {
        head,
        broker: closed_trade.broker,
        symbol: closed_trade.instrument.symbol.clone(),
        quantity: closed_trade.quantity,
        bought,
        sold,
        buy_value,
        sell_value,
        stt: closed_trade.stt,
        other_charges: closed_trade.charges - closed_trade.stt,
        income: closed_trade.net,
        rate_percent: None,
    }
}

/// One line for each day on which what is sold was bought.
fn delivered(analysis: &Analysis, tariff: &Tariff, closed_trade: &ClosedTrade) -> Vec<TaxLine> {
    let mut lines: Vec<TaxLine> = Vec::new();
    let Some(group) = analysis.group(closed_trade) else { return lines };
    for piece in group.pieces(&closed_trade.pieces) {
        let (Some(entry), Some(exit)) = (group.origin(&piece.entry), group.origin(&piece.exit)) else {
            continue;
        };
        let mut charges: Charges = entry.charges;
        charges.add(&exit.charges);
        let other_charges = charges.total() - charges.stt;
        let income = exit.value - entry.value - other_charges;
        match lines.last_mut().filter(|line| line.bought == entry.fill.day) {
            Some(line) => {
                line.quantity += piece.exit.quantity();
                line.buy_value += entry.value;
                line.sell_value += exit.value;
                line.stt += charges.stt;
                line.other_charges += other_charges;
                line.income += income;
            }
            None => {
                let long = is_long(entry.fill.day, exit.fill.day);
                lines.push(TaxLine {
                    head: if long { Head::LongTerm } else { Head::ShortTerm },
                    broker: closed_trade.broker,
                    symbol: closed_trade.instrument.symbol.clone(),
                    quantity: piece.exit.quantity(),
                    bought: entry.fill.day,
                    sold: exit.fill.day,
                    buy_value: entry.value,
                    sell_value: exit.value,
                    stt: charges.stt,
                    other_charges,
                    income,
                    rate_percent: tariff.gains(exit.fill.day, long).map(|rate| rate.percent),
                });
            }
        }
    }
    lines
}

/// Held for more than twelve months: bought on 15 January, the first such day of sale is 16 January a year later.
fn is_long(bought: Date, sold: Date) -> bool {
    // Of 29 February the year ends on the 28th.
    let year_later =
        bought.replace_year(bought.year() + 1).unwrap_or_else(|_| bought.saturating_add(Duration::days(365)));
    sold > year_later
}

impl TaxPack {
    pub fn of(analysis: &Analysis, tariff: &Tariff, year: FinancialYear) -> Self {
        let lines = lines(analysis, tariff, year);
        let (speculative, non_speculative) =
            (Business::of(&lines, Head::Speculative), Business::of(&lines, Head::NonSpeculative));
        let business_turnover = speculative.turnover + non_speculative.turnover;
        let mut pack = Self {
            short_term: gains(&lines, tariff, year, false),
            long_term: gains(&lines, tariff, year, true),
            long_term_exempt: tariff.gains(year.last(), true).and_then(|rate| rate.exempt),
            business_turnover,
            speculative,
            non_speculative,
            hints: Vec::new(),
        };
        pack.hints = pack.hints(analysis, year);
        pack
    }

    fn hints(&self, analysis: &Analysis, year: FinancialYear) -> Vec<String> {
        let mut hints = Vec::new();
        let mut say = |applies: bool, hint: &str| {
            if applies {
                hints.push(hint.to_owned());
            }
        };
        let turnover = self.business_turnover;
        let business = self.speculative.net + self.non_speculative.net;
        let small = turnover * Decimal::new(6, 2);
        say(
            turnover > Decimal::from(AUDIT_TURNOVER),
            "A tax audit is due: the turnover is above ₹10 crore, the limit where nearly all is paid by bank.",
        );
        say(
            turnover > Decimal::ZERO && turnover <= Decimal::from(PRESUMED_TURNOVER) && business < small,
            "The profit is below 6 % of the turnover. An audit may be due if you left presumptive taxation in the last five years and your income is above the exempt sum.",
        );
        say(
            self.speculative.net < Decimal::ZERO,
            "An intraday loss is set off against intraday profits alone, and carried forward for four years if the return is filed in time.",
        );
        say(
            self.non_speculative.net < Decimal::ZERO,
            "A loss in futures and options is set off against any income but salary, and carried forward for eight years if the return is filed in time.",
        );
        let closed_trades = || of_year(analysis, year);
        say(
            closed_trades().any(|closed_trade| closed_trade.notes.worthless),
            "Options that expired are taken as worthless where no settlement was entered.",
        );
        say(
            closed_trades().any(|closed_trade| closed_trade.notes.uncharged),
            "Some charges of this year are not known, so that the expenses are too low.",
        );
        let grandfathered = closed_trades()
            .filter(|closed_trade| closed_trade.kind == Kind::Delivery)
            .any(|closed_trade| closed_trade.opened_day <= time::macros::date!(2018 - 01 - 31));
        say(
            grandfathered,
            "Shares bought before February 2018 may count with their price of 31 January 2018. That is not done here.",
        );
        let missing_cost_basis =
            analysis.groups().flat_map(|group| group.missing_cost_basis().iter().filter_map(|of| group.origin(of)));
        let missing_cost_basis = missing_cost_basis.filter(|origin| FinancialYear::of(origin.fill.day) == year).count();
        say(missing_cost_basis > 0, "Sales without a purchase are not in these sums. Enter what the shares cost.");
        let openings = closed_trades().any(|closed_trade| closed_trade.notes.opening);
        say(openings, "Some purchases are as you entered them, without the charges of buying.");
        hints
    }
}

impl Business {
    fn of(lines: &[TaxLine], head: Head) -> Self {
        let mut sum = Self::default();
        for line in lines.iter().filter(|line| line.head == head) {
            let gross = line.sell_value - line.buy_value;
            sum.closed_trades += 1;
            sum.gross += gross;
            sum.charges += line.stt + line.other_charges;
            sum.net += line.income;
            sum.turnover += gross.abs();
            sum.profits += gross.max(Decimal::ZERO);
            sum.losses += gross.min(Decimal::ZERO);
        }
        sum
    }
}

/// The gains of one term, by the rates of their days of sale.
fn gains(lines: &[TaxLine], tariff: &Tariff, year: FinancialYear, long: bool) -> Vec<Gains> {
    let head = if long { Head::LongTerm } else { Head::ShortTerm };
    let mut found: Vec<Gains> = Vec::new();
    for line in lines.iter().filter(|line| line.head == head) {
        let Some(rate) = tariff.gains(line.sold, long) else { continue };
        let from = rate.from.max(year.first());
        let place = found.iter().position(|gains| gains.from == from).unwrap_or_else(|| {
            found.push(Gains::none(rate, from, until(tariff, rate, year)));
            found.len() - 1
        });
        if let Some(gains) = found.get_mut(place) {
            gains.sales += 1;
            gains.sale_value += line.sell_value;
            gains.cost += line.buy_value;
            gains.expenses += line.other_charges;
            gains.gain += line.income;
        }
    }
    found
}

/// The last day of the year on which that rate holds.
fn until(tariff: &Tariff, rate: &GainsRate, year: FinancialYear) -> Date {
    let mut day = year.last();
    while let Some(later) = tariff.gains(day, rate.long).filter(|later| later.from > rate.from) {
        day = later.from.previous_day().unwrap_or(day);
    }
    day
}

impl Gains {
    fn none(rate: &GainsRate, from: Date, to: Date) -> Self {
        Self {
            from,
            to,
            rate_percent: rate.percent,
            law: rate.law.clone(),
            sales: 0,
            sale_value: Decimal::ZERO,
            cost: Decimal::ZERO,
            expenses: Decimal::ZERO,
            gain: Decimal::ZERO,
        }
    }
}
