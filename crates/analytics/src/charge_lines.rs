//! The charges of closed trades, each by its rule.

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use time::Date;

use crate::analysis::Analysis;
use crate::charges::{Charges, Component, levied};
use crate::closed_trade::ClosedTrade;
use crate::fill::{Broker, Exchange, Side, Source};
use crate::group::{Group, Origin};
use crate::instrument::Class;
use crate::matching::Slice;
use crate::tariff::{Kind, On};

/// A component of charges by one rule.
pub struct ChargeLine {
    pub component: Component,
    pub rule: String,
    pub from: Date,
    pub source: String,
    pub amount: Decimal,
}

impl Analysis {
    /// The charges of closed trades, by component and by rule.
    pub fn charges<'t>(&self, closed_trades: impl Iterator<Item = &'t ClosedTrade>) -> (Charges, Vec<ChargeLine>) {
        let mut sum = Charges::default();
        // What follows the same rules is added up first: there are few of those, and many slices.
        let mut alike: HashMap<RuleKey, (&Group, Slice, Charges)> = HashMap::new();
        for closed_trade in closed_trades {
            let Some(group) = self.group(closed_trade) else { continue };
            for slice in group.pieces(&closed_trade.pieces).iter().flat_map(|piece| [&piece.entry, &piece.exit]) {
                let Some(origin) = group.origin(slice) else { continue };
                let key = RuleKey::of(&origin);
                let (_, _, charges) = alike.entry(key).or_insert_with(|| (group, *slice, Charges::default()));
                charges.add(&origin.charges);
            }
        }
        // Two brokers may have the same rule, each by its own price list.
        let mut lines: BTreeMap<(Component, Date, String, String), ChargeLine> = BTreeMap::new();
        for (group, slice, charges) in alike.into_values() {
            sum.add(&charges);
            let Some(origin) = group.origin(&slice) else { continue };
            let rules = self.rules(&origin);
            for (component, amount) in charges.each().into_iter().filter(|(_, amount)| !amount.is_zero()) {
                let Some((_, rule)) = rules.iter().find(|(of, _)| *of == component) else { continue };
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
        (sum, lines.into_values().collect())
    }

    /// The rules that the charges of a part follow.
    fn rules(&self, origin: &Origin) -> Vec<(Component, Rule)> {
        let (fill, kind, tariff) = (origin.fill, origin.part.kind, self.tariff);
        let levies = [
            (Component::Stt, &tariff.stt),
            (Component::Exchange, &tariff.exchange),
            (Component::Sebi, &tariff.sebi),
            (Component::Ipft, &tariff.ipft),
            (Component::StampDuty, &tariff.stamp_duty),
        ];
        let mut rules: Vec<(Component, Rule)> = levies
            .into_iter()
            .filter_map(|(component, levy)| Some((component, levied(levy, fill, kind)?)))
            .map(|(component, rate)| {
                (component, Rule { text: rate.rule(), from: rate.from, source: rate.source.clone() })
            })
            .collect();
        if let Some(rate) = levied(&tariff.gst, fill, kind) {
            let text = format!("{} % of brokerage, exchange, SEBI, IPFT and depository charges", rate.percent);
            rules.push((Component::Gst, Rule { text, from: rate.from, source: rate.source.clone() }));
        }
        for (component, on) in [(Component::Brokerage, On::Trade(kind)), (Component::Dp, On::Dp)] {
            if let Some(price) = tariff.price(fill.broker, fill.day, on) {
                let source = price.source.clone();
                rules.push((component, Rule { text: price.rule(), from: price.from, source }));
            }
        }
        rules
    }
}

struct Rule {
    text: String,
    from: Date,
    source: String,
}

impl Rule {
    fn key(&self, component: Component) -> (Component, Date, String, String) {
        (component, self.from, self.text.clone(), self.source.clone())
    }
}

/// What rules depend on.
#[derive(PartialEq, Eq, Hash)]
struct RuleKey {
    day: Date,
    broker: Broker,
    exchange: Exchange,
    side: Side,
    kind: Kind,
    class: Class,
    settled: bool,
    /// Where it matters.
    underlying: Option<String>,
}

impl RuleKey {
    fn of(origin: &Origin) -> Self {
        let fill = origin.fill;
        Self {
            day: fill.day,
            broker: fill.broker,
            exchange: fill.exchange,
            side: fill.side,
            kind: origin.part.kind,
            class: fill.instrument.class,
            settled: fill.source == Source::Settled,
            underlying: (fill.exchange == Exchange::Bse && fill.instrument.is_contract())
                .then(|| fill.instrument.underlying.clone()),
        }
    }
}
