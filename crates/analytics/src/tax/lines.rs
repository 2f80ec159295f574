//! Lines of the tax pack.

use rust_decimal::Decimal;
use time::Date;

use super::cost_inflation::indexed_cost;
use super::entries::BusinessShares;
use super::fair_value::FairValue;
use super::gains_rules::{GainsRate, GainsRule, TaxRate, gains_rule};
use super::head::TaxHead;
use crate::adjustment_index::AdjustmentIndex;
use crate::analysis::Analysis;
use crate::buyback_rules::BuybackTreatment;
use crate::charges::Charges;
use crate::closed_trade::ClosedTrade;
use crate::fill::{BrokerAccount, TradeKind};
use crate::financial_year::FinancialYear;
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::LotMatch;

/// Line of the tax pack: a closed trade, or for delivered shares the part that was bought on one day.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxLine {
    pub head: TaxHead,
    pub account: BrokerAccount,
    pub symbol: String,
    /// Empty if unknown, and for contracts.
    pub isin: String,
    pub quantity: Decimal,
    pub bought: Date,
    pub sold: Date,
    /// Cost: that of the purchase, raised by inflation where the law says so, or the value on 31 January 2018.
    pub buy_value: Decimal,
    /// Value of the purchase.
    pub paid: Decimal,
    /// Value on 31 January 2018.
    pub fair_value: FairValue,
    /// True if `buy_value` is raised by the cost inflation index.
    pub is_indexed: bool,
    pub sell_value: Decimal,
    /// Payment of a buyback that the law counts as a dividend; then `sell_value` is 0.
    pub dividend: Decimal,
    pub stt: Decimal,
    pub other_charges: Decimal,
    /// Taxable result: net of all charges for business income, net of all charges except STT for capital gains.
    pub income: Decimal,
    /// Rule about capital gains; none for business income, and before they were taxed.
    pub rule: Option<&'static GainsRule>,
    /// True for delivered shares that were held for the long term; none for other trades.
    pub is_long_term: Option<bool>,
    /// True if the answer to an open data issue may change it.
    pub open_issue: bool,
}

impl TaxLine {
    /// Returns the rate and section of capital gains; none for business income, and if the gain is not taxed.
    pub fn gains_rate(&self) -> Option<&'static GainsRate> {
        self.rule?.rate(self.head == TaxHead::LongTerm)
    }

    /// Returns true if the law raises the cost by an index that is not known.
    pub fn needs_unknown_index(&self) -> bool {
        !self.is_indexed && self.gains_rate().is_some_and(|rate| rate.is_indexed)
    }

    /// Makes delivered shares business income: at what was paid for them, and with STT as an expense.
    fn count_as_business(&mut self) {
        self.head = TaxHead::NonSpeculative;
        self.buy_value = self.paid;
        self.fair_value = FairValue::NotConcerned;
        self.is_indexed = false;
        self.income = self.sell_value - self.paid - self.stt - self.other_charges;
        self.rule = None;
    }

    /// Adds shares that were bought and sold on the same days.
    fn join(&mut self, other: &Self) {
        self.quantity += other.quantity;
        self.buy_value += other.buy_value;
        self.paid += other.paid;
        self.sell_value += other.sell_value;
        self.stt += other.stt;
        self.other_charges += other.other_charges;
        self.income += other.income;
    }

    /// Returns the tax rate of capital gains; none for business income, and if the gain is not taxed.
    pub fn rate(&self) -> Option<TaxRate> {
        self.gains_rate().map(|rate| rate.rate)
    }
}

/// Returns the lines of a closed trade.
pub fn lines_of_closed_trade(
    analysis: &Analysis,
    adjustments: &AdjustmentIndex,
    business_shares: &BusinessShares,
    closed_trade: &ClosedTrade,
) -> Vec<TaxLine> {
    let mut lines = match closed_trade.kind {
        TradeKind::Intraday => vec![business_line(closed_trade, TaxHead::Speculative)],
        TradeKind::Futures | TradeKind::Options => vec![business_line(closed_trade, TaxHead::NonSpeculative)],
        TradeKind::Delivery => delivery_lines(analysis, adjustments, closed_trade),
    };
    if closed_trade.kind == TradeKind::Delivery && closed_trade.flags.bought_back {
        match BuybackTreatment::on(closed_trade.closed_day) {
            BuybackTreatment::CapitalGains => {}
            BuybackTreatment::Exempt => lines.clear(),
            BuybackTreatment::Dividend => {
                for line in &mut lines {
                    line.income -= line.sell_value;
                    line.dividend = std::mem::take(&mut line.sell_value);
                }
            }
        }
    }
    if business_shares.contain(closed_trade.account, FinancialYear::from_day(closed_trade.closed_day)) {
        lines.iter_mut().filter(|line| line.is_long_term.is_some()).for_each(TaxLine::count_as_business);
    }
    let open_issue = analysis.is_doubtful(closed_trade);
    lines.iter_mut().for_each(|line| line.open_issue = open_issue);
    lines
}

fn business_line(closed_trade: &ClosedTrade, head: TaxHead) -> TaxLine {
    let (entry, exit) =
        ((closed_trade.opened_day, closed_trade.entry_value), (closed_trade.closed_day, closed_trade.exit_value));
    let ((bought, buy_value), (sold, sell_value)) = if closed_trade.long { (entry, exit) } else { (exit, entry) };
    TaxLine {
        head,
        account: closed_trade.account,
        symbol: closed_trade.instrument.symbol.clone(),
        isin: closed_trade.instrument.isin.clone(),
        quantity: closed_trade.quantity,
        bought,
        sold,
        buy_value,
        paid: buy_value,
        fair_value: FairValue::NotConcerned,
        is_indexed: false,
        sell_value,
        dividend: Decimal::ZERO,
        stt: closed_trade.stt,
        other_charges: closed_trade.charges - closed_trade.stt,
        income: closed_trade.net,
        rule: None,
        is_long_term: None,
        open_issue: false,
    }
}

/// Returns one line for each day on which the sold shares were bought; several lines for shares with a value of 31 January
/// 2018, because those with different costs have different values that count.
fn delivery_lines(analysis: &Analysis, adjustments: &AdjustmentIndex, closed_trade: &ClosedTrade) -> Vec<TaxLine> {
    let mut lines: Vec<TaxLine> = Vec::new();
    let Some(ledger) = analysis.ledger(closed_trade) else { return lines };
    for lot_match in ledger.lot_matches(&closed_trade.lot_matches) {
        let Some(line) = match_line(ledger, adjustments, closed_trade, lot_match) else { continue };
        let has_value = line.fair_value.amount().is_some();
        let is_joined =
            |last: &&mut TaxLine| last.bought == line.bought && last.fair_value == line.fair_value && !has_value;
        match lines.last_mut().filter(is_joined) {
            Some(last) => last.join(&line),
            None => lines.push(line),
        }
    }
    lines
}

/// Returns the line of shares that were bought with one fill and sold with another.
fn match_line(
    ledger: &InstrumentLedger,
    adjustments: &AdjustmentIndex,
    closed_trade: &ClosedTrade,
    lot_match: &LotMatch,
) -> Option<TaxLine> {
    let (entry, exit) = (ledger.range_detail(&lot_match.entry)?, ledger.range_detail(&lot_match.exit)?);
    let (bought, sold) = (entry.fill.day, exit.fill.day);
    let mut charges: Charges = entry.charges;
    charges.add(&exit.charges);
    let other_charges = charges.total() - charges.stt;
    let instrument = &closed_trade.instrument;
    let rule = gains_rule(instrument.security, bought, sold);
    let long = rule.is_some_and(|rule| rule.is_long_term(bought, sold));
    let index_applies = rule.and_then(|rule| rule.rate(long)).is_some_and(|rate| rate.is_indexed);
    let indexed = if index_applies { indexed_cost(entry.value, bought, sold) } else { None };
    let fair_value = FairValue::new(entry.fill, lot_match.entry.quantity(), sold, adjustments);
    let counting = fair_value.amount().map(|value| value.min(exit.value));
    let cost = indexed.or(counting.filter(|value| *value > entry.value)).unwrap_or(entry.value);
    Some(TaxLine {
        head: if long { TaxHead::LongTerm } else { TaxHead::ShortTerm },
        account: closed_trade.account,
        symbol: instrument.symbol.clone(),
        isin: instrument.isin.clone(),
        quantity: lot_match.exit.quantity(),
        bought,
        sold,
        buy_value: cost,
        paid: entry.value,
        fair_value,
        is_indexed: indexed.is_some(),
        sell_value: exit.value,
        dividend: Decimal::ZERO,
        stt: charges.stt,
        other_charges,
        income: exit.value - cost - other_charges,
        rule,
        is_long_term: Some(long),
        open_issue: false,
    })
}
