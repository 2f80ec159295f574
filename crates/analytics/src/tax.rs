//! Tax pack of a financial year: income by head, for the tax return or an accountant.
//!
//! - Intraday trades in shares are speculative business income, futures and options are non-speculative business
//!   income. All their charges are expenses. The turnover is the sum of the absolute gross results.
//! - Delivered shares are capital gains: short term if held for up to twelve months, otherwise long term, at the rate of
//!   the day of sale. STT is not an expense of capital gains. A buyback is exempt, a dividend or a sale, by its date.

use rust_decimal::Decimal;
use time::{Date, Duration};

use crate::analysis::Analysis;
use crate::buyback_rules::BuybackTreatment;
use crate::charge_rates::{CapitalGainsRate, ChargeRates};
use crate::charges::Charges;
use crate::closed_trade::ClosedTrade;
use crate::fill::{BrokerAccount, TradeKind};
pub use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;

/// Head of income.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaxHead {
    Speculative,
    NonSpeculative,
    ShortTerm,
    LongTerm,
}

/// Line of the tax pack: a closed trade, or for delivered shares the part that was bought on one day.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxLine {
    pub head: TaxHead,
    pub account: BrokerAccount,
    pub symbol: String,
    pub quantity: Decimal,
    pub bought: Date,
    pub sold: Date,
    pub buy_value: Decimal,
    pub sell_value: Decimal,
    pub stt: Decimal,
    pub other_charges: Decimal,
    /// Taxable result: net of all charges for business income, net of all charges except STT for capital gains.
    pub income: Decimal,
    /// Tax rate of capital gains; none for business income.
    pub rate_percent: Option<Decimal>,
    /// True if the answer to an open data issue may change it.
    pub open_issue: bool,
}

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

/// Capital gains of a year that are taxed at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct CapitalGains {
    /// First day of sale.
    pub from: Date,
    /// Last day of sale.
    pub to: Date,
    pub rate_percent: Decimal,
    pub law: String,
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

/// Accounts whose trades count in a tax pack; none for all. A tax return is that of one person, and one login may have
/// the accounts of several.
#[derive(Clone, Debug, Default)]
pub struct TaxAccounts(pub Vec<BrokerAccount>);

impl TaxAccounts {
    fn contain(&self, account: BrokerAccount) -> bool {
        self.0.is_empty() || self.0.contains(&account)
    }
}

/// Returns the lines of the tax pack in the order of closing.
pub fn tax_lines(
    analysis: &Analysis,
    rates: &ChargeRates,
    year: FinancialYear,
    accounts: &TaxAccounts,
) -> Vec<TaxLine> {
    let mut lines = Vec::new();
    for closed_trade in closed_in(analysis, year, accounts) {
        let first = lines.len();
        match closed_trade.kind {
            TradeKind::Intraday => lines.push(business_line(closed_trade, TaxHead::Speculative)),
            TradeKind::Futures | TradeKind::Options => lines.push(business_line(closed_trade, TaxHead::NonSpeculative)),
            TradeKind::Delivery if closed_trade.flags.bought_back => {
                let treatment = BuybackTreatment::on(closed_trade.closed_day);
                lines.extend(delivery_lines(analysis, rates, closed_trade).into_iter().filter_map(
                    |line| match treatment {
                        BuybackTreatment::CapitalGains => Some(line),
                        BuybackTreatment::Exempt => None,
                        BuybackTreatment::Dividend => {
                            Some(TaxLine { income: line.income - line.sell_value, sell_value: Decimal::ZERO, ..line })
                        }
                    },
                ));
            }
            TradeKind::Delivery => lines.extend(delivery_lines(analysis, rates, closed_trade)),
        }
        let open_issue = analysis.is_doubtful(closed_trade);
        lines.iter_mut().skip(first).for_each(|line| line.open_issue = open_issue);
    }
    lines
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

fn business_line(closed_trade: &ClosedTrade, head: TaxHead) -> TaxLine {
    let (entry, exit) =
        ((closed_trade.opened_day, closed_trade.entry_value), (closed_trade.closed_day, closed_trade.exit_value));
    let ((bought, buy_value), (sold, sell_value)) = if closed_trade.long { (entry, exit) } else { (exit, entry) };
    TaxLine {
        head,
        account: closed_trade.account,
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
        open_issue: false,
    }
}

/// Returns one line for each day on which the sold shares were bought.
fn delivery_lines(analysis: &Analysis, rates: &ChargeRates, closed_trade: &ClosedTrade) -> Vec<TaxLine> {
    let mut lines: Vec<TaxLine> = Vec::new();
    let Some(ledger) = analysis.ledger(closed_trade) else { return lines };
    for lot_match in ledger.lot_matches(&closed_trade.lot_matches) {
        let (Some(entry), Some(exit)) = (ledger.range_detail(&lot_match.entry), ledger.range_detail(&lot_match.exit))
        else {
            continue;
        };
        let mut charges: Charges = entry.charges;
        charges.add(&exit.charges);
        let other_charges = charges.total() - charges.stt;
        let income = exit.value - entry.value - other_charges;
        match lines.last_mut().filter(|line| line.bought == entry.fill.day) {
            Some(line) => {
                line.quantity += lot_match.exit.quantity();
                line.buy_value += entry.value;
                line.sell_value += exit.value;
                line.stt += charges.stt;
                line.other_charges += other_charges;
                line.income += income;
            }
            None => {
                let long = is_long_term(entry.fill.day, exit.fill.day);
                lines.push(TaxLine {
                    head: if long { TaxHead::LongTerm } else { TaxHead::ShortTerm },
                    account: closed_trade.account,
                    symbol: closed_trade.instrument.symbol.clone(),
                    quantity: lot_match.exit.quantity(),
                    bought: entry.fill.day,
                    sold: exit.fill.day,
                    buy_value: entry.value,
                    sell_value: exit.value,
                    stt: charges.stt,
                    other_charges,
                    income,
                    rate_percent: rates.capital_gains(exit.fill.day, long).map(|rate| rate.percent),
                    open_issue: false,
                });
            }
        }
    }
    lines
}

/// Returns whether the shares were held for more than twelve months. Shares bought on 15 January are long term from
/// 16 January of the next year.
fn is_long_term(bought: Date, sold: Date) -> bool {
    // The year after 29 February ends on 28 February.
    let year_later =
        bought.replace_year(bought.year() + 1).unwrap_or_else(|_| bought.saturating_add(Duration::days(365)));
    sold > year_later
}

impl TaxPack {
    pub fn new(analysis: &Analysis, rates: &ChargeRates, year: FinancialYear, accounts: &TaxAccounts) -> Self {
        let lines = tax_lines(analysis, rates, year, accounts);
        let (speculative, non_speculative) =
            (BusinessIncome::new(&lines, TaxHead::Speculative), BusinessIncome::new(&lines, TaxHead::NonSpeculative));
        let business_turnover = speculative.turnover + non_speculative.turnover;
        let open_issues = (analysis.issues().issues.iter()).filter(|issue| {
            issue.years.contains(&year) && issue.account.is_none_or(|account| accounts.contain(account))
        });
        let mut pack = Self {
            short_term: gains_by_rate(&lines, rates, year, false),
            long_term: gains_by_rate(&lines, rates, year, true),
            long_term_exempt: rates.capital_gains(year.last_day(), true).and_then(|rate| rate.exempt),
            business_turnover,
            speculative,
            non_speculative,
            hints: Vec::new(),
            open_issues: open_issues.count(),
            doubtful_lines: lines.iter().filter(|line| line.open_issue).count(),
        };
        pack.hints = pack.business_hints().chain(data_hints(analysis, year, accounts)).collect();
        pack
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

/// Returns hints about trades whose costs or values may be incomplete.
fn data_hints(analysis: &Analysis, year: FinancialYear, accounts: &TaxAccounts) -> impl Iterator<Item = &'static str> {
    let closed_trades = || closed_in(analysis, year, accounts);
    let grandfathered = closed_trades()
        .filter(|closed_trade| closed_trade.kind == TradeKind::Delivery)
        .any(|closed_trade| closed_trade.opened_day <= time::macros::date!(2018 - 01 - 31));
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
        (grandfathered, "bought_before_2018"),
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

/// Returns the gains of one term, by the rate of their day of sale.
fn gains_by_rate(lines: &[TaxLine], rates: &ChargeRates, year: FinancialYear, long: bool) -> Vec<CapitalGains> {
    let head = if long { TaxHead::LongTerm } else { TaxHead::ShortTerm };
    let mut by_rate: Vec<CapitalGains> = Vec::new();
    for line in lines.iter().filter(|line| line.head == head) {
        let Some(rate) = rates.capital_gains(line.sold, long) else { continue };
        let from = rate.from.max(year.first_day());
        let index = by_rate.iter().position(|gains| gains.from == from).unwrap_or_else(|| {
            by_rate.push(CapitalGains::empty(rate, from, last_day_of_rate(rates, rate, year)));
            by_rate.len() - 1
        });
        if let Some(gains) = by_rate.get_mut(index) {
            gains.sales += 1;
            gains.sale_value += line.sell_value;
            gains.cost += line.buy_value;
            gains.expenses += line.other_charges;
            gains.gain += line.income;
        }
    }
    by_rate
}

/// Returns the last day of the year on which this rate applies.
fn last_day_of_rate(rates: &ChargeRates, rate: &CapitalGainsRate, year: FinancialYear) -> Date {
    let mut day = year.last_day();
    while let Some(later) = rates.capital_gains(day, rate.long).filter(|later| later.from > rate.from) {
        day = later.from.previous_day().unwrap_or(day);
    }
    day
}

impl CapitalGains {
    fn empty(rate: &CapitalGainsRate, from: Date, to: Date) -> Self {
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
