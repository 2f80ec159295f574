//! Charges of closed trades by the rate or price from which they were computed.

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::charge_rates::ChargeEvent;
use crate::charges::{Charges, Component, charge_event, levy_rate};
use crate::closed_trade::ClosedTrade;
use crate::exchange::Exchange;
use crate::fill::{BrokerAccount, Side, Source, TradeKind};
use crate::instrument::{Class, SecurityKind};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::matching::LotRange;

/// Amount of one component that was computed by one rule.
pub struct ChargeLine {
    pub component: Component,
    pub rule: String,
    /// First day on which the rule applies; none if the charges are stated.
    pub from: Option<Date>,
    pub source: String,
    pub amount: Decimal,
}

impl Analysis {
    /// Returns the charges of closed trades, in total and by rule.
    pub fn charges<'t>(&self, closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> (Charges, Vec<ChargeLine>) {
        let mut closed_trades: Vec<_> = closed_trades.collect();
        // In the order of the lots, so that the ranges of a lot follow each other.
        closed_trades.sort_unstable_by_key(|trade| (trade.ledger, trade.lot_matches.start));
        let lot_matches = closed_trades.iter().flat_map(|trade| {
            let lot_matches = self.ledger_at(trade.ledger).map(|ledger| ledger.lot_matches(&trade.lot_matches));
            lot_matches.unwrap_or_default().iter().map(|lot_match| (trade.ledger, lot_match))
        });
        let entries = lot_matches.clone().map(|(ledger, lot_match)| (ledger, lot_match.entry));
        let exits = lot_matches.map(|(ledger, lot_match)| (ledger, lot_match.exit));
        self.charges_of_ranges(join_ranges(entries).chain(join_ranges(exits)))
    }

    /// Returns the charges of lot ranges, each with the index of its ledger, in total and by rule.
    pub fn charges_of_ranges(&self, ranges: impl Iterator<Item = (usize, LotRange)>) -> (Charges, Vec<ChargeLine>) {
        let mut total = Charges::default();
        // Sums up lot ranges with the same rules first, because there are many ranges and few rules.
        let mut by_key: HashMap<RuleKey, (&InstrumentLedger, LotRange, Charges)> = HashMap::new();
        for (ledger, range) in ranges {
            let Some(ledger) = self.ledger_at(ledger) else { continue };
            let Some(detail) = ledger.range_detail(&range) else { continue };
            let key = RuleKey::new(&detail);
            let (_, _, charges) = by_key.entry(key).or_insert_with(|| (ledger, range, Charges::default()));
            charges.add(&detail.charges);
        }
        // Two brokers may have the same rule from different price lists.
        let mut lines: BTreeMap<(Component, Option<Date>, String, String), ChargeLine> = BTreeMap::new();
        for (ledger, range, charges) in by_key.into_values() {
            total.add(&charges);
            let Some(detail) = ledger.range_detail(&range) else { continue };
            let rules = self.rules(&detail);
            for (component, amount) in charges.components().into_iter().filter(|(_, amount)| !amount.is_zero()) {
                let is_gst = component == Component::Gst && detail.is_stated;
                let estimated = if is_gst { charges.estimated_gst() } else { Decimal::ZERO };
                let of_component = rules.iter().filter(|(other, _)| *other == component).map(|(_, rule)| rule);
                for (rule, amount) in of_component.zip([amount - estimated, estimated]) {
                    if amount.is_zero() {
                        continue;
                    }
                    let line = lines.entry(rule.key(component)).or_insert_with(|| ChargeLine {
                        component,
                        rule: rule.text.clone(),
                        from: rule.from,
                        source: rule.source.clone(),
                        amount: Decimal::ZERO,
                    });
                    line.amount += amount;
                }
            }
        }
        (total, lines.into_values().collect())
    }

    /// Returns the rules by which the charges of a lot range were computed. If they are stated, GST has a second rule, for
    /// the part on the charge of the depository participant.
    fn rules(&self, detail: &RangeDetail) -> Vec<(Component, Rule)> {
        let (fill, kind, rates) = (detail.fill, detail.lot.kind, self.rates);
        let levies = [
            (Component::Stt, &rates.stt),
            (Component::Exchange, &rates.exchange),
            (Component::Sebi, &rates.sebi),
            (Component::Ipft, &rates.ipft),
            (Component::StampDuty, &rates.stamp_duty),
        ];
        let mut rules: Vec<(Component, Rule)> = levies
            .into_iter()
            .filter_map(|(component, levy)| Some((component, levy_rate(levy, fill, kind)?)))
            .map(|(component, rate)| {
                (component, Rule { text: rate.describe(), from: Some(rate.from), source: rate.source.clone() })
            })
            .collect();
        if let Some(rate) = levy_rate(&rates.gst, fill, kind) {
            let text = format!("{} % of brokerage, exchange, SEBI, IPFT and depository charges", rate.percent);
            rules.push((Component::Gst, Rule { text, from: Some(rate.from), source: rate.source.clone() }));
        }
        if detail.is_stated {
            // Contract notes state all charges but that of the depository participant, on which GST is due, too.
            rules.retain(|(component, _)| *component == Component::Gst);
            rules = Component::STATED.map(|component| (component, Rule::stated())).into_iter().chain(rules).collect();
        }
        let brokerage_event = charge_event(fill, kind).unwrap_or(ChargeEvent::Trade(kind));
        for (component, event) in [(Component::Brokerage, brokerage_event), (Component::Dp, ChargeEvent::DpDebit)] {
            if rules.iter().any(|(other, _)| *other == component) {
                continue;
            }
            if let Some(price) = self.terms.price(rates, fill.account, fill.day, event) {
                let source = price.source.clone();
                rules.push((component, Rule { text: price.describe(), from: Some(price.from), source }));
            }
        }
        rules
    }
}

/// Joins each range with the following ones that continue it. The charges of most lots need not be divided then.
fn join_ranges(ranges: impl Iterator<Item = (usize, LotRange)>) -> impl Iterator<Item = (usize, LotRange)> {
    let mut ranges = ranges.peekable();
    std::iter::from_fn(move || {
        let (ledger, range) = ranges.next()?;
        let mut to = range.to;
        let continues = |next: &(usize, LotRange), to| next.0 == ledger && next.1.lot == range.lot && next.1.from == to;
        while let Some((_, next)) = ranges.next_if(|next| continues(next, to)) {
            to = next.to;
        }
        // The cost of a range is not that of the joined ones; charges do not depend on it.
        Some((ledger, LotRange { to, cost: None, ..range }))
    })
}

/// Description of a rate or price.
struct Rule {
    text: String,
    /// First day; none if the charges are stated.
    from: Option<Date>,
    source: String,
}

impl Rule {
    /// Returns the rule of charges that a contract note or a tradebook states.
    fn stated() -> Self {
        Self { text: "as stated by your broker".to_owned(), from: None, source: "your broker’s files".to_owned() }
    }

    fn key(&self, component: Component) -> (Component, Option<Date>, String, String) {
        (component, self.from, self.text.clone(), self.source.clone())
    }
}

/// Facts on which the rules of a lot range depend.
#[derive(PartialEq, Eq, Hash)]
struct RuleKey {
    day: Date,
    account: BrokerAccount,
    exchange: Exchange,
    side: Side,
    kind: TradeKind,
    class: Class,
    security: SecurityKind,
    source: Source,
    is_stated: bool,
    /// Underlying of a BSE contract or group of a BSE share; only BSE has rates that depend on them.
    underlying_or_group: Option<String>,
    /// Expiry of a BSE contract; the rates of its nearest expiry differ.
    expiry: Option<Date>,
}

impl RuleKey {
    fn new(detail: &RangeDetail) -> Self {
        let fill = detail.fill;
        Self {
            day: fill.day,
            account: fill.account,
            exchange: fill.exchange,
            side: fill.side,
            kind: detail.lot.kind,
            class: fill.instrument.class,
            security: fill.instrument.security,
            source: fill.source,
            is_stated: detail.is_stated,
            underlying_or_group: (fill.exchange == Exchange::Bse).then(|| {
                let is_contract = fill.instrument.is_contract();
                if is_contract { fill.instrument.underlying.clone() } else { fill.instrument.series.clone() }
            }),
            expiry: fill.instrument.expiry.filter(|_| fill.exchange == Exchange::Bse).map(|expiry| expiry.day),
        }
    }
}
