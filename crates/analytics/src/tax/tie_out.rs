//! Comparison of the tax pack with totals that the trader entered: of the Annual Information Statement (AIS) of the tax
//! department, and of a broker's tax report.
//!
//! AIS is one statement of all accounts of a person. Depositories estimate the sale value at a price of the day, such as
//! the closing price, and match shares by account, first in, first out.

use rust_decimal::Decimal;

use super::accounts::{TaxAccounts, closed_in};
use super::dividends::Dividends;
use super::entries::{TaxEntry, TaxEntryKind, entries_of};
use super::head::TaxHead;
use super::lines::TaxLine;
use crate::analysis::Analysis;
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;

/// Difference in rupees below which two totals agree: both statements round.
const ROUNDING: Decimal = Decimal::ONE;
/// Difference in percent that a sale value estimated at a price of the day may explain.
const AIS_ESTIMATE_PERCENT: i64 = 5;

/// Comparison of one total.
#[derive(Clone, Debug, PartialEq)]
pub struct TieOut {
    pub kind: TaxEntryKind,
    /// Account of a broker's report; none for AIS.
    pub account: Option<BrokerAccount>,
    pub stated: Decimal,
    pub ours: Decimal,
    /// Empty if the totals agree.
    pub causes: Vec<TieOutCause>,
}

/// Possible cause of a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieOutCause {
    /// Code whose sentence the edge writes.
    pub code: &'static str,
    /// Amount of it in rupees, if it is known.
    pub amount: Option<Decimal>,
    /// True if it is the whole difference.
    pub explains: bool,
}

impl TieOut {
    pub fn difference(&self) -> Decimal {
        self.stated - self.ours
    }

    pub fn agrees(&self) -> bool {
        self.difference().abs() < ROUNDING
    }
}

/// Totals of the accounts and the year that are compared.
struct Totals<'a> {
    analysis: &'a Analysis,
    year: FinancialYear,
    lines: Vec<&'a TaxLine>,
    entries: &'a [TaxEntry],
    accounts: &'a TaxAccounts,
}

/// Compares each total that the trader entered with that of the pack.
pub fn tie_outs(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
    lines: &[TaxLine],
) -> Vec<TieOut> {
    let of_year: Vec<&TaxEntry> = entries_of(entries, year, accounts).collect();
    let mut tie_outs: Vec<TieOut> = Vec::new();
    for kind in TaxEntryKind::ALL.into_iter().filter(|kind| is_ais(*kind) || is_report(*kind)) {
        let of_kind = || of_year.iter().filter(move |entry| entry.kind == kind);
        let mut compare = |compared: &TaxAccounts, account: Option<BrokerAccount>, stated: Decimal| {
            let totals = Totals {
                analysis,
                year,
                lines: lines.iter().filter(|line| compared.contain(line.account)).collect(),
                entries,
                accounts: compared,
            };
            let ours = totals.ours(kind);
            let mut tie_out = TieOut { kind, account, stated, ours, causes: Vec::new() };
            if !tie_out.agrees() {
                tie_out.causes = totals.causes(&tie_out);
            }
            tie_outs.push(tie_out);
        };
        if is_report(kind) {
            for entry in of_kind() {
                compare(&TaxAccounts(vec![entry.account]), Some(entry.account), entry.amount);
            }
        } else if of_kind().next().is_some() {
            compare(accounts, None, of_kind().map(|entry| entry.amount).sum());
        }
    }
    explain_holding_periods(&mut tie_outs);
    for tie_out in tie_outs.iter_mut().filter(|tie_out| !tie_out.agrees() && tie_out.causes.is_empty()) {
        tie_out.causes.push(TieOutCause { code: "unknown", amount: None, explains: false });
    }
    tie_outs
}

fn is_ais(kind: TaxEntryKind) -> bool {
    use TaxEntryKind::{AisDividends, AisLongTermSales, AisShortTermSales};
    matches!(kind, AisShortTermSales | AisLongTermSales | AisDividends)
}

fn is_report(kind: TaxEntryKind) -> bool {
    use TaxEntryKind::{ReportDividends, ReportLongTerm, ReportNonSpeculative, ReportShortTerm, ReportSpeculative};
    matches!(kind, ReportSpeculative | ReportNonSpeculative | ReportShortTerm | ReportLongTerm | ReportDividends)
}

/// Explains opposite differences in the short and the long term: the statement counts another holding period.
fn explain_holding_periods(tie_outs: &mut [TieOut]) {
    for (short, long) in [
        (TaxEntryKind::AisShortTermSales, TaxEntryKind::AisLongTermSales),
        (TaxEntryKind::ReportShortTerm, TaxEntryKind::ReportLongTerm),
    ] {
        let differences: Vec<_> = tie_outs
            .iter()
            .filter(|tie_out| tie_out.kind == long && !tie_out.agrees())
            .map(|tie_out| (tie_out.account, tie_out.difference()))
            .collect();
        for (account, of_long) in differences {
            let is_opposite = |tie_out: &TieOut| (tie_out.difference() + of_long).abs() < ROUNDING;
            let is_pair = |tie_out: &&TieOut| tie_out.account == account && tie_out.kind == short;
            if !tie_outs.iter().filter(is_pair).any(is_opposite) {
                continue;
            }
            let is_of_pair =
                |tie_out: &&mut TieOut| tie_out.account == account && [short, long].contains(&tie_out.kind);
            for tie_out in tie_outs.iter_mut().filter(is_of_pair) {
                tie_out.causes.insert(0, TieOutCause { code: "holding_period", amount: None, explains: true });
            }
        }
    }
}

impl Totals<'_> {
    /// Returns the total of the pack that a figure is compared with.
    fn ours(&self, kind: TaxEntryKind) -> Decimal {
        let sales = |line: &TaxLine| line.sell_value;
        match kind {
            TaxEntryKind::AisShortTermSales | TaxEntryKind::AisLongTermSales => self.sum(kind, sales),
            TaxEntryKind::AisDividends | TaxEntryKind::ReportDividends => self.dividends().total,
            _ => self.sum(kind, |line| line.sell_value - line.paid),
        }
    }

    fn dividends(&self) -> Dividends {
        Dividends::new(self.analysis, self.year, self.accounts, self.entries)
    }

    /// Returns a sum over the lines that a figure is about.
    fn sum(&self, kind: TaxEntryKind, amount: impl Fn(&TaxLine) -> Decimal) -> Decimal {
        let is_of_kind = |line: &&&TaxLine| match kind {
            TaxEntryKind::AisShortTermSales | TaxEntryKind::ReportShortTerm => line.is_long_term == Some(false),
            TaxEntryKind::AisLongTermSales | TaxEntryKind::ReportLongTerm => line.is_long_term == Some(true),
            TaxEntryKind::ReportSpeculative => line.head == TaxHead::Speculative,
            TaxEntryKind::ReportNonSpeculative => line.head == TaxHead::NonSpeculative && line.is_long_term.is_none(),
            _ => false,
        };
        self.lines.iter().filter(is_of_kind).map(|line| amount(line)).sum()
    }

    /// Returns the possible causes of a difference, those that explain it first.
    fn causes(&self, tie_out: &TieOut) -> Vec<TieOutCause> {
        let (kind, difference) = (tie_out.kind, tie_out.difference());
        let equals = |amount: Decimal| (difference - amount).abs() < ROUNDING;
        let mut causes = Vec::new();
        let mut add = |code, amount: Option<Decimal>, explains| causes.push(TieOutCause { code, amount, explains });
        if matches!(kind, TaxEntryKind::AisDividends | TaxEntryKind::ReportDividends) {
            let buybacks = self.dividends().buybacks;
            if !buybacks.is_zero() {
                add("buyback_dividends", Some(buybacks), equals(-buybacks));
            }
        } else if is_ais(kind) {
            let (missing, buybacks) = (self.sales_without_cost(), self.buybacks());
            for (code, amount) in [("missing_cost", missing), ("buybacks", buybacks)] {
                if !amount.is_zero() {
                    add(code, Some(amount), equals(amount));
                }
            }
            let tolerance = tie_out.ours.max(tie_out.stated) * Decimal::new(AIS_ESTIMATE_PERCENT, 2);
            if difference.abs() <= tolerance {
                add("ais_price", None, false);
            }
        } else {
            let before_charges = |line: &TaxLine| line.sell_value - line.paid;
            let after_charges = self.sum(kind, |line| before_charges(line) - line.stt - line.other_charges);
            // STT is no expense of capital gains.
            let after_expenses = self.sum(kind, |line| before_charges(line) - line.other_charges);
            let with_raised_cost = self.sum(kind, |line| line.sell_value - line.buy_value);
            let totals = [
                ("after_charges", after_charges),
                ("after_charges", after_expenses),
                ("raised_cost", with_raised_cost),
            ];
            let is_stated = |total: Decimal| total != tie_out.ours && equals(total - tie_out.ours);
            if let Some((code, total)) = totals.into_iter().find(|(_, total)| is_stated(*total)) {
                add(code, Some((total - tie_out.ours).abs()), true);
            }
            let missing = self.sales_without_cost();
            if !missing.is_zero() && kind != TaxEntryKind::ReportNonSpeculative {
                add("missing_cost", Some(missing), false);
            }
        }
        if self.lines.iter().any(|line| line.open_issue) {
            add("open_issues", None, false);
        }
        if is_ais(kind) && self.leaves_accounts_out() {
            add("other_accounts", None, false);
        }
        causes.sort_by_key(|cause| !cause.explains);
        causes
    }

    /// Returns the value of sales in the year whose purchase is missing, so that no line has them.
    fn sales_without_cost(&self) -> Decimal {
        let ranges = self
            .analysis
            .ledgers()
            .flat_map(|ledger| ledger.missing_cost_basis().iter().filter_map(move |range| ledger.range_detail(range)));
        ranges
            .filter(|sale| {
                FinancialYear::from_day(sale.fill.day) == self.year && self.accounts.contain(sale.fill.account)
            })
            .map(|sale| sale.value)
            .sum()
    }

    /// Returns the payments for shares that companies bought back in the year.
    fn buybacks(&self) -> Decimal {
        closed_in(self.analysis, self.year, self.accounts)
            .filter(|closed_trade| closed_trade.flags.bought_back)
            .map(|closed_trade| closed_trade.exit_value)
            .sum()
    }

    /// Returns true if accounts that may be of the same person had sales in the year and are not compared.
    fn leaves_accounts_out(&self) -> bool {
        let holders = &self.analysis.terms.holders;
        let compared: Vec<_> =
            holders.iter().filter(|(account, _)| self.accounts.contain(**account)).map(|(_, name)| name).collect();
        let all = TaxAccounts::default();
        closed_in(self.analysis, self.year, &all).map(|closed_trade| closed_trade.account).any(|account| {
            let is_of_other_person =
                holders.get(&account).is_some_and(|name| !compared.is_empty() && !compared.contains(&name));
            !self.accounts.contain(account) && !is_of_other_person
        })
    }
}
