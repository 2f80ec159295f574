//! Tax pack of a financial year: income by head, for the tax return or an accountant.
//!
//! - Intraday trades in shares are speculative business income, futures and options are non-speculative business
//!   income. All their charges are expenses. The turnover is the sum of the absolute gross results.
//! - Delivered securities are capital gains, short or long term by the rules about their kind (`rates/capital-gains.csv`),
//!   at the rate of the day of sale. STT is not an expense of capital gains. A buyback is exempt, a dividend or a sale, by
//!   its date.

mod accounts;
mod bonus_stripping;
mod charges;
mod cost_inflation;
mod fair_value;
mod gains_rules;
mod head;
mod lines;
mod loss_rules;
mod losses;
mod return_figures;
mod return_lines;
mod return_sums;

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use time::Date;

use self::bonus_stripping::may_be_stripped;
use self::gains_rules::{GainsRate, GainsRule, yearly_exemption};
use self::lines::lines_of_closed_trade;
use self::losses::{YearResults, add_line};
use crate::adjustment::Adjustment;
use crate::adjustment_index::AdjustmentIndex;
use crate::analysis::Analysis;
use crate::buyback_rules::BuybackTreatment;
use crate::closed_trade::ClosedTrade;
use crate::data_issues::{DataIssue, IssueKind};
pub use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;
pub use accounts::TaxAccounts;
pub use charges::YearCharges;
pub use fair_value::{FAIR_VALUE_DAY, FairValue};
pub use gains_rules::TaxRate;
pub use head::TaxHead;
pub use lines::TaxLine;
pub use loss_rules::last_year_of_loss;
pub use losses::{BroughtForwardLoss, HeadResult, Losses, ScheduledLoss, SetOff};
pub use return_lines::{ReturnLine, TaxReturn};

/// Business income of a year under one head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BusinessIncome {
    pub closed_trades: usize,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    /// Sum of the absolute gross results.
    pub turnover: Decimal,
    pub profits: Decimal,
    /// 0 or below.
    pub losses: Decimal,
}

/// Capital gains of a year from some kinds of securities that are taxed at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct CapitalGains {
    /// Name of the kinds for the trader.
    pub assets: &'static str,
    /// First day of sale.
    pub from: Date,
    /// Last day of sale.
    pub to: Date,
    pub rate: TaxRate,
    pub law: &'static str,
    pub sales: usize,
    pub sale_value: Decimal,
    pub cost: Decimal,
    /// Charges except STT.
    pub expenses: Decimal,
    pub gain: Decimal,
}

/// Income of a financial year by head.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxPack {
    pub speculative: BusinessIncome,
    pub non_speculative: BusinessIncome,
    pub short_term: Vec<CapitalGains>,
    pub long_term: Vec<CapitalGains>,
    pub long_term_exempt: Option<Decimal>,
    pub business_turnover: Decimal,
    pub losses: Losses,
    /// None if the accounts are known to belong to several people.
    pub tax_return: Option<TaxReturn>,
    /// Codes of hints for the trader.
    pub hints: Vec<&'static str>,
    /// Number of open data issues that may change it.
    pub open_issues: usize,
    /// Number of lines that they may change.
    pub doubtful_lines: usize,
}

/// Turnover in rupees above which a tax audit is due if nearly all payments are made by bank, as on an exchange.
pub(crate) const MAX_TURNOVER_WITHOUT_AUDIT: i64 = 100_000_000;
/// Turnover in rupees up to which presumptive taxation is possible, at [`PRESUMPTIVE_PROFIT_PERCENT`].
const MAX_PRESUMPTIVE_TURNOVER: i64 = 30_000_000;
/// Profit in percent of the turnover that presumptive taxation assumes for payments by bank.
pub(crate) const PRESUMPTIVE_PROFIT_PERCENT: i64 = 6;

/// Returns the lines of the tax pack in the order of closing.
pub fn tax_lines(analysis: &Analysis, year: FinancialYear, accounts: &TaxAccounts) -> Vec<TaxLine> {
    let adjustments = AdjustmentIndex::new(analysis.adjustments());
    closed_in(analysis, year, accounts)
        .flat_map(|closed_trade| lines_of_closed_trade(analysis, &adjustments, closed_trade))
        .collect()
}

/// Returns the lines of the tax pack, and the results of all years up to it.
fn lines_and_results(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
) -> (Vec<TaxLine>, BTreeMap<FinancialYear, YearResults>) {
    let (mut lines, mut results) = (Vec::new(), BTreeMap::new());
    let adjustments = AdjustmentIndex::new(analysis.adjustments());
    let year_of = |closed_trade: &ClosedTrade| FinancialYear::from_day(closed_trade.closed_day);
    let closed_trades = analysis.closed_trades().take_while(|closed_trade| year_of(closed_trade) <= year);
    for closed_trade in closed_trades.filter(|closed_trade| accounts.contain(closed_trade.account)) {
        let closed_in = year_of(closed_trade);
        let results: &mut YearResults = results.entry(closed_in).or_default();
        let new = lines_of_closed_trade(analysis, &adjustments, closed_trade);
        new.iter().for_each(|line| add_line(results, line));
        if closed_in == year {
            lines.extend(new);
        }
    }
    (lines, results)
}

fn closed_in<'a>(
    analysis: &'a Analysis,
    year: FinancialYear,
    accounts: &'a TaxAccounts,
) -> impl Iterator<Item = &'a ClosedTrade> {
    let is_closed_in_year = move |closed_trade: &ClosedTrade| FinancialYear::from_day(closed_trade.closed_day) == year;
    analysis
        .closed_trades()
        .filter(move |closed_trade| is_closed_in_year(closed_trade) && accounts.contain(closed_trade.account))
}

impl TaxPack {
    /// Returns the pack of a year; `brought_forward` are the losses of the years before the log.
    pub fn new(
        analysis: &Analysis,
        year: FinancialYear,
        accounts: &TaxAccounts,
        brought_forward: &[BroughtForwardLoss],
    ) -> Self {
        let (lines, results) = lines_and_results(analysis, year, accounts);
        let (speculative, non_speculative) =
            (BusinessIncome::new(&lines, TaxHead::Speculative), BusinessIncome::new(&lines, TaxHead::NonSpeculative));
        let business_turnover = speculative.turnover + non_speculative.turnover;
        let has_several_people = accounts.have_several_people(&analysis.terms.holders);
        let losses =
            if has_several_people { Losses::default() } else { Losses::new(year, results, brought_forward, accounts) };
        // Earlier years count as far as their losses do.
        let first = losses.schedule.iter().map(|loss| loss.year).min().unwrap_or(year);
        let is_of_accounts = |issue: &&DataIssue| issue.account.is_none_or(|account| accounts.contain(account));
        let of_accounts = || analysis.issues().issues.iter().filter(is_of_accounts);
        let needs_fair_value =
            of_accounts().any(|issue| issue.kind == IssueKind::FairValue && issue.years.contains(&year));
        let open_issues =
            of_accounts().filter(|issue| issue.years.iter().any(|of_issue| (first..=year).contains(of_issue)));
        let mut pack = Self {
            short_term: gains_by_rate(&lines, year, false),
            long_term: gains_by_rate(&lines, year, true),
            long_term_exempt: yearly_exemption(year),
            business_turnover,
            losses,
            speculative,
            non_speculative,
            tax_return: None,
            hints: Vec::new(),
            open_issues: open_issues.count(),
            doubtful_lines: lines.iter().filter(|line| line.open_issue).count(),
        };
        let several_people = has_several_people.then_some("losses_of_several_people");
        pack.tax_return = (!has_several_people).then(|| TaxReturn::new(&pack, &lines, year));
        let loss_hints = pack.losses.hints(year).chain(several_people);
        pack.hints = pack
            .business_hints()
            .chain(loss_hints)
            .chain(gains_hints(&lines, analysis.adjustments(), needs_fair_value))
            .chain(data_hints(analysis, year, accounts))
            .collect();
        pack
    }

    /// Returns the part of the long-term gains that is exempt, after the set-off of losses.
    pub fn long_term_exempt_used(&self) -> Decimal {
        self.losses.exemptible_gains().min(self.long_term_exempt.unwrap_or_default())
    }

    /// Returns hints about audits and set-off of losses.
    fn business_hints(&self) -> impl Iterator<Item = &'static str> {
        let turnover = self.business_turnover;
        let business = self.speculative.net + self.non_speculative.net;
        let presumed = turnover * Decimal::new(PRESUMPTIVE_PROFIT_PERCENT, 2);
        let hints = [
            (turnover > Decimal::from(MAX_TURNOVER_WITHOUT_AUDIT), "audit_due"),
            (
                turnover > Decimal::ZERO && turnover <= Decimal::from(MAX_PRESUMPTIVE_TURNOVER) && business < presumed,
                "below_presumptive_profit",
            ),
            (self.speculative.net < Decimal::ZERO, "intraday_loss"),
            (self.non_speculative.net < Decimal::ZERO, "fno_loss"),
        ];
        hints.into_iter().filter_map(|(applies, hint)| applies.then_some(hint))
    }
}

/// Returns hints about gains whose tax depends on facts outside the log.
fn gains_hints(
    lines: &[TaxLine],
    adjustments: &[Adjustment],
    needs_fair_value: bool,
) -> impl Iterator<Item = &'static str> {
    let of_rate = |matches: fn(&GainsRate) -> bool| lines.iter().filter_map(TaxLine::gains_rate).any(matches);
    let hints = [
        (of_rate(|rate| rate.rate == TaxRate::Slab), "gains_at_slab_rate"),
        (lines.iter().any(|line| line.is_indexed), "cost_indexed"),
        (lines.iter().any(|line| may_be_stripped(line, adjustments)), "bonus_stripping"),
        (lines.iter().any(TaxLine::needs_unknown_index), "cost_not_indexed"),
        (needs_fair_value, "bought_before_2018"),
        (lines.iter().any(|line| line.fair_value == FairValue::Excluded), "fair_value_not_counted"),
    ];
    hints.into_iter().filter_map(|(applies, hint)| applies.then_some(hint))
}

/// Returns hints about trades whose costs or values may be incomplete.
fn data_hints(analysis: &Analysis, year: FinancialYear, accounts: &TaxAccounts) -> impl Iterator<Item = &'static str> {
    let closed_trades = || closed_in(analysis, year, accounts);
    let mut missing_cost_basis = analysis
        .ledgers()
        .flat_map(|ledger| ledger.missing_cost_basis().iter().filter_map(|range| ledger.range_detail(range)));
    let awaiting_settlement = analysis.ledgers().flat_map(InstrumentLedger::positions).any(|(position, fill)| {
        let expiry = fill.instrument.expiry.filter(|_| position.expired && accounts.contain(fill.account));
        expiry.is_some_and(|expiry| FinancialYear::from_day(expiry.day) == year)
    });
    let bought_back = |treatment| {
        let mut buybacks = closed_trades().filter(|closed_trade| closed_trade.flags.bought_back);
        buybacks.any(|closed_trade| BuybackTreatment::on(closed_trade.closed_day) == treatment)
    };
    let hints = [
        (awaiting_settlement, "awaiting_settlement"),
        (closed_trades().any(|closed_trade| closed_trade.flags.rates_missing), "charges_unknown"),
        (
            missing_cost_basis
                .any(|sale| FinancialYear::from_day(sale.fill.day) == year && accounts.contain(sale.fill.account)),
            "missing_cost_basis",
        ),
        (closed_trades().any(|closed_trade| closed_trade.flags.opening), "opening_holdings"),
        (bought_back(BuybackTreatment::Exempt), "buyback_exempt"),
        (bought_back(BuybackTreatment::Dividend), "buyback_dividend"),
    ];
    hints.into_iter().filter_map(|(applies, hint)| applies.then_some(hint))
}

impl BusinessIncome {
    fn new(lines: &[TaxLine], head: TaxHead) -> Self {
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

/// Returns the gains of one term, by kinds of securities, rate and section.
fn gains_by_rate(lines: &[TaxLine], year: FinancialYear, long: bool) -> Vec<CapitalGains> {
    let head = if long { TaxHead::LongTerm } else { TaxHead::ShortTerm };
    let mut by_rate: Vec<CapitalGains> = Vec::new();
    for line in lines.iter().filter(|line| line.head == head) {
        let Some((rule, rate)) = line.rule.zip(line.gains_rate()) else { continue };
        let key = (rule.assets.as_str(), rate.rate, rate.law.as_str());
        let is_same = |gains: &CapitalGains| (gains.assets, gains.rate, gains.law) == key;
        let index = by_rate.iter().position(is_same).unwrap_or_else(|| {
            by_rate.push(CapitalGains::empty(rule, rate, long, year));
            by_rate.len() - 1
        });
        if let Some(gains) = by_rate.get_mut(index) {
            gains.from = gains.from.min(rule.from.max(year.first_day()));
            gains.to = gains.to.max(rule.last_day(long, year));
            gains.sales += 1;
            gains.sale_value += line.sell_value;
            gains.cost += line.buy_value;
            gains.expenses += line.other_charges;
            gains.gain += line.income;
        }
    }
    by_rate
}

impl CapitalGains {
    fn empty(rule: &'static GainsRule, rate: &'static GainsRate, long: bool, year: FinancialYear) -> Self {
        Self {
            assets: &rule.assets,
            from: rule.from.max(year.first_day()),
            to: rule.last_day(long, year),
            rate: rate.rate,
            law: &rate.law,
            sales: 0,
            sale_value: Decimal::ZERO,
            cost: Decimal::ZERO,
            expenses: Decimal::ZERO,
            gain: Decimal::ZERO,
        }
    }
}
