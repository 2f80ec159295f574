//! Comparison of contract notes with the trades and with the estimate of their charges.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::broker_terms::{BrokerTerms, StatedCharges};
use crate::brokerage_plan::{OrderPrice, Orders};
use crate::charges::{Charges, ContractNote, NoteLine, find_stated_charges, trade_estimate};
use crate::fill::BrokerAccount;
use crate::filter::Filter;

/// Days with the same price of an order by which a plan is proposed.
const MIN_PLAN_DAYS: usize = 3;
/// Difference from rounding: one paisa.
const PAISA: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Comparison of the contract notes of a day.
#[derive(Debug)]
pub struct ComparedNote {
    pub note: ContractNote,
    /// Sum of the values of the trades in the note and in the log.
    pub stated_turnover: Decimal,
    pub log_turnover: Decimal,
    /// True if the charges of the note count. They do not if its trades are others than those of the log.
    pub is_used: bool,
    /// True if a tradebook states the charges.
    pub from_tradebook: bool,
    pub stated: Charges,
    /// Estimate for the trades of the log.
    pub estimate: Charges,
}

/// Brokerage plan by which the notes of an account agree.
#[derive(Debug, PartialEq, Eq)]
pub struct NotePlan {
    pub account: BrokerAccount,
    pub contracts: bool,
    pub prices: Vec<OrderPrice>,
    /// Days with notes of this plan that differ from the estimate.
    pub days: usize,
    /// Day of the newest note, until which the prices are known.
    pub last_day: Date,
}

/// Comparison of contract notes.
#[derive(Debug)]
pub struct NoteComparison {
    /// The newest first.
    pub notes: Vec<ComparedNote>,
    /// Sums of the notes that are used.
    pub stated: Charges,
    pub estimate: Charges,
    pub plans: Vec<NotePlan>,
}

impl NoteComparison {
    /// Compares the notes of the filter. Plans follow from all notes of its accounts, because they hold until today.
    pub fn new(analysis: &Analysis, filter: &Filter) -> Self {
        let of_accounts = analysis.terms.notes.iter().filter(|(note, _)| filter.matches_book_of_note(note));
        let mut of_accounts: Vec<(ContractNote, &[StatedCharges])> =
            of_accounts.map(|(note, stated)| (*note, stated.as_slice())).collect();
        of_accounts.sort_by_key(|(note, _)| (Reverse(note.day), note.account, note.contracts));
        let is_stated =
            |note: &ContractNote| filter.matches_book_of_note(note) && analysis.terms.notes.contains_key(note);
        let unstated = BrokerTerms { notes: HashMap::new(), ..BrokerTerms::clone(&analysis.terms) };
        let lines = analysis.charge_notes_with(is_stated, &unstated);
        let mut result =
            Self { notes: Vec::new(), stated: Charges::default(), estimate: Charges::default(), plans: Vec::new() };
        let mut by_book: BTreeMap<(BrokerAccount, bool), Vec<BrokerageOfDay>> = BTreeMap::new();
        for (note, versions) in of_accounts {
            let lines = lines.get(&note).map(Vec::as_slice).unwrap_or_default();
            let used = find_stated_charges(lines, &analysis.terms);
            let Some(stated) = used.or(versions.first()) else { continue };
            let compared = ComparedNote::new(note, stated, lines, used.is_some());
            // A total of a day, as Dhan's report has, is not one order.
            if compared.is_used && !(stated.from_tradebook && has_unknown_orders(lines)) {
                let of_day = BrokerageOfDay { note, stated: stated.charges.brokerage, orders: orders(lines) };
                by_book.entry((note.account, note.contracts)).or_default().push(of_day);
            }
            if filter.matches_day_of_note(&note) {
                if compared.is_used {
                    result.stated.add(&compared.stated);
                    result.estimate.add(&compared.estimate);
                }
                result.notes.push(compared);
            }
        }
        result.plans = by_book.values().filter_map(|days| find_plan(days)).collect();
        result
    }
}

impl ComparedNote {
    fn new(note: ContractNote, stated: &StatedCharges, lines: &[NoteLine], is_used: bool) -> Self {
        let mut compared = Self {
            note,
            stated_turnover: stated.turnover,
            log_turnover: Decimal::ZERO,
            is_used,
            from_tradebook: stated.from_tradebook,
            stated: stated.charges,
            estimate: Charges::default(),
        };
        for line in lines.iter().filter(|line| line.is_trade()) {
            compared.log_turnover += line.lot.value;
            compared.estimate.add(&trade_estimate(&line.lot_charges.charges));
        }
        compared
    }
}

/// Brokerage of the orders of a day.
struct BrokerageOfDay<'a> {
    note: ContractNote,
    stated: Decimal,
    orders: Orders<'a>,
}

impl BrokerageOfDay<'_> {
    fn is_close_to(&self, brokerage: Decimal) -> bool {
        (self.stated - brokerage).abs() <= PAISA
    }
}

fn has_unknown_orders(lines: &[NoteLine]) -> bool {
    lines.iter().any(|line| line.is_trade() && line.fill.order_id.is_none())
}

fn orders<'a>(lines: &[NoteLine<'a>]) -> Orders<'a> {
    let mut orders = Orders::default();
    for line in lines.iter().filter(|line| line.is_trade()) {
        orders.add(line.fill, line.lot.kind, line.lot_charges.charges.brokerage);
    }
    orders
}

/// Returns the plan of the newest days of an account; none if the estimate agrees, if the price is not repeated, or if
/// several plans would do. `days` begin with the newest one.
fn find_plan(days: &[BrokerageOfDay]) -> Option<NotePlan> {
    let newest = days.iter().find(|day| !day.is_close_to(day.orders.brokerage()))?;
    let mut plans = newest.orders.plans(newest.stated).into_iter().filter_map(|plan| {
        let of_plan = days.iter().take_while(|day| day.is_close_to(day.orders.brokerage_of(&plan)));
        // Other days have no order of this price.
        let of_plan: Vec<_> = of_plan.filter(|day| !day.is_close_to(day.orders.brokerage())).collect();
        let oldest = of_plan.last().filter(|_| of_plan.len() >= MIN_PLAN_DAYS)?.note;
        Some(NotePlan {
            account: oldest.account,
            contracts: oldest.contracts,
            prices: plan.prices(oldest.day),
            days: of_plan.len(),
            last_day: days.first()?.note.day,
        })
    });
    plans.next().filter(|_| plans.next().is_none())
}
