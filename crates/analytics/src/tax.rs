//! Tax pack of a financial year: income by head, for the tax return or an accountant.
//!
//! - Intraday trades in shares are speculative business income, futures and options are non-speculative business
//!   income. All their charges are expenses. The turnover is the sum of the absolute gross results.
//! - Delivered securities are capital gains, short or long term by the rules about their kind (`rates/capital-gains.csv`),
//!   at the rate of the day of sale. STT is not an expense of capital gains. A buyback is exempt, a dividend or a sale, by
//!   its date.
//! - A trader can choose that the delivered shares of an account and year are non-speculative business. Their turnover is
//!   the sale value.

mod accounts;
mod bonus_stripping;
mod business;
mod charges;
mod cost_inflation;
mod dividends;
mod entries;
mod estimate;
mod fair_value;
mod gains_rules;
mod head;
mod liability;
mod lines;
mod loss_rules;
mod losses;
mod periods;
mod return_due;
mod return_figures;
mod return_form;
mod return_lines;
mod return_sums;
mod tie_out;

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use time::{Date, Duration};

use self::accounts::closed_in;
use self::bonus_stripping::may_be_stripped;
use self::dividends::{FIRST_YEAR_OF_TAXED_DIVIDENDS, income_from_other_sources};
use self::entries::{BusinessShares, entries_of};
use self::gains_rules::{GainsRate, GainsRule, yearly_exemption};
use self::lines::lines_of_closed_trade;
use self::losses::{YearResults, add_line, add_other_sources};
use self::return_form::ReturnForm;
use crate::adjustment::Adjustment;
use crate::adjustment_index::AdjustmentIndex;
use crate::analysis::Analysis;
use crate::buyback_rules::BuybackTreatment;
use crate::closed_trade::ClosedTrade;
use crate::data_issues::{DataIssue, IssueKind};
use crate::fill::TradeKind;
pub use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;
pub use accounts::TaxAccounts;
pub use business::BusinessIncome;
pub use charges::YearCharges;
pub use dividends::{DividendLine, Dividends, dividend_lines};
pub use entries::{TaxEntry, TaxEntryKind};
pub use estimate::TaxEstimate;
pub use fair_value::{FAIR_VALUE_DAY, FairValue};
pub use gains_rules::{TaxRate, gains_rule};
pub use head::TaxHead;
pub use liability::rules::Regime;
pub use lines::TaxLine;
pub use loss_rules::last_year_of_loss;
pub use losses::{BroughtForwardLoss, HeadResult, Losses, ScheduledLoss, SetOff, SlabPlace};
pub use periods::period_ends;
pub use return_lines::{ReturnLine, TaxReturn};
pub use tie_out::{TieOut, tie_outs};

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
    pub year: FinancialYear,
    pub speculative: BusinessIncome,
    /// Futures and options.
    pub non_speculative: BusinessIncome,
    /// Delivered shares that the trader counts as business.
    pub delivered_shares: BusinessIncome,
    pub dividends: Dividends,
    /// Taxed dividends, and what the trader entered as other income.
    pub other_sources: Decimal,
    pub short_term: Vec<CapitalGains>,
    pub long_term: Vec<CapitalGains>,
    pub long_term_exempt: Option<Decimal>,
    pub business_turnover: Decimal,
    pub losses: Losses,
    /// Comparison with totals that the trader entered.
    pub tie_outs: Vec<TieOut>,
    /// Estimated tax of the person; none for accounts of several people, and for years without rates.
    pub estimate: Option<TaxEstimate>,
    /// None if the accounts are known to belong to several people.
    pub tax_return: Option<TaxReturn>,
    /// Codes of hints for the trader.
    pub hints: Vec<&'static str>,
    /// Number of open data issues that may change it, by kind.
    pub open_issues: BTreeMap<IssueKind, usize>,
    /// Number of lines that they may change.
    pub doubtful_lines: usize,
}

/// Turnover in rupees above which a tax audit is due if nearly all payments are made by bank, as on an exchange.
pub(crate) const MAX_TURNOVER_WITHOUT_AUDIT: i64 = 100_000_000;
/// Turnover in rupees up to which presumptive taxation is possible, at [`PRESUMPTIVE_PROFIT_PERCENT`].
const MAX_PRESUMPTIVE_TURNOVER: i64 = 30_000_000;
/// Profit in percent of the turnover that presumptive taxation assumes for payments by bank.
pub(crate) const PRESUMPTIVE_PROFIT_PERCENT: i64 = 6;

/// Time before and after the record date within which a purchase and a sale make a loss doubtful: three months.
const MAX_STRIPPING_TIME: Duration = Duration::days(92);
/// Time from the record date to the payment of a dividend (Companies Act 2013, section 127: 30 days after the declaration).
const MAX_PAYMENT_TIME: Duration = Duration::days(45);

/// Returns the lines of the tax pack in the order of closing.
pub fn tax_lines(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
) -> Vec<TaxLine> {
    let (adjustments, business_shares) = (AdjustmentIndex::new(analysis.adjustments()), BusinessShares::new(entries));
    closed_in(analysis, year, accounts)
        .flat_map(|closed_trade| lines_of_closed_trade(analysis, &adjustments, &business_shares, closed_trade))
        .collect()
}

/// Returns the lines of the tax pack, and the results of all years up to it.
fn lines_and_results(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
) -> (Vec<TaxLine>, BTreeMap<FinancialYear, YearResults>) {
    let (mut lines, mut results) = (Vec::new(), BTreeMap::new());
    let (adjustments, business_shares) = (AdjustmentIndex::new(analysis.adjustments()), BusinessShares::new(entries));
    let year_of = |closed_trade: &ClosedTrade| FinancialYear::from_day(closed_trade.closed_day);
    let closed_trades = analysis.closed_trades().take_while(|closed_trade| year_of(closed_trade) <= year);
    for closed_trade in closed_trades.filter(|closed_trade| accounts.contain(closed_trade.account)) {
        let closed_in = year_of(closed_trade);
        let results: &mut YearResults = results.entry(closed_in).or_default();
        let new = lines_of_closed_trade(analysis, &adjustments, &business_shares, closed_trade);
        new.iter().for_each(|line| add_line(results, line));
        if closed_in == year {
            lines.extend(new);
        }
    }
    (lines, results)
}

impl TaxPack {
    /// Returns the pack of a year; `brought_forward` are the losses of the years before the log, `entries` the figures that
    /// the trader entered for all years.
    pub fn new(
        analysis: &Analysis,
        year: FinancialYear,
        accounts: &TaxAccounts,
        brought_forward: &[BroughtForwardLoss],
        entries: &[TaxEntry],
    ) -> Self {
        let (lines, mut results) = lines_and_results(analysis, year, accounts, entries);
        let business = |is_included: fn(&TaxLine) -> bool| BusinessIncome::new(&lines, is_included);
        let speculative = business(|line| line.head == TaxHead::Speculative);
        let non_speculative = business(|line| line.head == TaxHead::NonSpeculative && line.is_long_term.is_none());
        let delivered_shares = business(|line| line.head == TaxHead::NonSpeculative && line.is_long_term.is_some());
        let business_turnover = speculative.turnover + non_speculative.turnover + delivered_shares.turnover;
        let has_several_people = accounts.have_several_people(&analysis.terms.holders);
        for (year, results) in &mut results {
            if results.iter().any(|one| one.head == TaxHead::NonSpeculative && one.result < Decimal::ZERO) {
                let dividends = Dividends::new(analysis, *year, accounts, entries);
                add_other_sources(results, income_from_other_sources(&dividends, *year, accounts, entries));
            }
        }
        let losses_with = |slab_place| Losses::new(year, results.clone(), brought_forward, accounts, slab_place);
        let losses = if has_several_people { Losses::default() } else { losses_with(SlabPlace::default()) };
        // Earlier years count as far as their losses do.
        let first = losses.schedule.iter().map(|loss| loss.year).min().unwrap_or(year);
        let is_of_accounts = |issue: &&DataIssue| issue.account.is_none_or(|account| accounts.contain(account));
        let of_accounts = || analysis.issues().issues.iter().filter(is_of_accounts);
        let needs_fair_value =
            of_accounts().any(|issue| issue.kind == IssueKind::FairValue && issue.years.contains(&year));
        let mut open_issues = BTreeMap::new();
        for issue in of_accounts().filter(|issue| issue.years.iter().any(|one| (first..=year).contains(one))) {
            *open_issues.entry(issue.kind).or_default() += 1;
        }
        let dividends = Dividends::new(analysis, year, accounts, entries);
        let mut pack = Self {
            year,
            short_term: gains_by_rate(&lines, year, false),
            long_term: gains_by_rate(&lines, year, true),
            long_term_exempt: yearly_exemption(year),
            business_turnover,
            losses,
            tie_outs: tie_outs(analysis, year, accounts, entries, &lines),
            estimate: None,
            other_sources: income_from_other_sources(&dividends, year, accounts, entries),
            dividends,
            speculative,
            non_speculative,
            delivered_shares,
            tax_return: None,
            hints: Vec::new(),
            open_issues,
            doubtful_lines: lines.iter().filter(|line| line.open_issue).count(),
        };
        let several_people = has_several_people.then_some("losses_of_several_people");
        if !has_several_people {
            let of_year: Vec<&TaxEntry> = entries_of(entries, year, accounts).collect();
            let estimate = |pack: &Self| TaxEstimate::new(pack, &lines, &of_year, analysis.today());
            pack.estimate = estimate(&pack);
            for slab_place in pack.losses.other_slab_places() {
                let other = Self { losses: losses_with(slab_place), ..pack.clone() };
                pack = pack.with_less_tax(Self { estimate: estimate(&other), ..other });
            }
        }
        pack.tax_return = (!has_several_people).then(|| TaxReturn::new(&pack, &lines, year));
        let loss_hints = pack.losses.hints(year).chain(several_people);
        pack.hints = pack
            .business_hints()
            .chain(loss_hints)
            .chain(gains_hints(&lines, analysis.adjustments(), needs_fair_value))
            .chain(dividend_stripping_hint(&lines, year, accounts, entries))
            .chain(shares_hint(analysis, year, accounts, entries))
            .chain(data_hints(analysis, year, accounts))
            .collect();
        pack
    }

    /// Returns the pack of the two with the lower estimated tax; this one if there is no estimate, or if other losses would
    /// be carried forward: the packs of later years do not know the choice.
    fn with_less_tax(self, other: Self) -> Self {
        let tax = |pack: &Self| pack.estimate.as_ref().map(|estimate| estimate.liability.income_tax.total());
        let is_better = tax(&other) < tax(&self) && other.losses.carries_forward_as(&self.losses);
        if is_better { other } else { self }
    }

    /// Returns the form for the trades and losses: intraday trades, futures and options are a business, and only ITR-3
    /// carries its losses forward.
    fn return_form(&self) -> ReturnForm {
        let business = [&self.speculative, &self.non_speculative, &self.delivered_shares];
        let trades: usize = business.iter().map(|income| income.closed_trades).sum();
        let has_business = trades > 0 || self.losses.schedule.iter().any(|loss| loss.kind.is_business());
        if has_business { ReturnForm::Itr3 } else { ReturnForm::Itr2 }
    }

    /// Returns the part of the long-term gains that is exempt, after the set-off of losses.
    pub fn long_term_exempt_used(&self) -> Decimal {
        self.losses.exemptible_gains().min(self.long_term_exempt.unwrap_or_default())
    }

    /// Returns the part of the set-off that reduced gains that would have been exempt: losses come before the exemption.
    pub fn exempt_gains_set_off(&self) -> Decimal {
        self.losses.exempt_gains_set_off(self.long_term_exempt.unwrap_or_default())
    }

    /// Returns hints about audits and set-off of losses.
    fn business_hints(&self) -> impl Iterator<Item = &'static str> {
        let turnover = self.business_turnover;
        let business = self.speculative.net + self.non_speculative.net + self.delivered_shares.net;
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

/// Returns a hint if a loss may not count because an exempt dividend was paid between purchase and sale (section 94(7)).
fn dividend_stripping_hint(
    lines: &[TaxLine],
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
) -> Option<&'static str> {
    let dividends: Vec<_> = entries_of(entries, year, accounts)
        .filter(|entry| entry.kind == TaxEntryKind::Dividend)
        .filter_map(|entry| entry.day.map(|day| (entry.name.as_str(), day)))
        .collect();
    let is_between = |line: &TaxLine, day: Date| {
        let (before, after) = (day - line.bought, line.sold - day);
        before <= MAX_STRIPPING_TIME + MAX_PAYMENT_TIME && after >= -MAX_PAYMENT_TIME && after <= MAX_STRIPPING_TIME
    };
    let is_stripped = |line: &&TaxLine| {
        let mut dividends = dividends.iter().filter(|(name, _)| name.eq_ignore_ascii_case(&line.symbol));
        line.is_long_term.is_some() && line.income < Decimal::ZERO && dividends.any(|(_, day)| is_between(line, *day))
    };
    (year < FIRST_YEAR_OF_TAXED_DIVIDENDS && lines.iter().any(|line| is_stripped(&line)))
        .then_some("dividend_stripping")
}

/// Returns a hint about the trader's choice that delivered shares are business.
fn shares_hint(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
) -> Option<&'static str> {
    let business_shares = BusinessShares::new(entries);
    let is_business = |account, year| business_shares.contain(account, year);
    let mut delivered = analysis.closed_trades().filter(|closed_trade| closed_trade.kind == TradeKind::Delivery);
    let chosen = delivered.clone().any(|closed_trade| {
        let sold_in = FinancialYear::from_day(closed_trade.closed_day);
        sold_in == year && accounts.contain(closed_trade.account) && is_business(closed_trade.account, year)
    });
    let is_changed = delivered.any(|closed_trade| {
        let (account, sold_in) = (closed_trade.account, FinancialYear::from_day(closed_trade.closed_day));
        accounts.contain(account) && sold_in < year && is_business(account, sold_in) != is_business(account, year)
    });
    match (chosen, is_changed) {
        (_, true) => Some("shares_as_business_changed"),
        (true, false) => Some("shares_as_business"),
        (false, false) => None,
    }
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
