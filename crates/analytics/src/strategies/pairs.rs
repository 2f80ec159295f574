//! Pairs: a future bought and one of another underlying sold at the same time, for about the same value.

use std::collections::HashSet;

use rust_decimal::Decimal;
use time::Duration;

use super::shape::Shape;
use super::strategy::Candidate;
use super::time_part::TimePart;
use crate::instrument::Class;

/// Largest ratio of the values of the two futures.
const MAX_VALUE_RATIO: Decimal = Decimal::from_parts(125, 0, 0, false, 2);

/// Two futures, and all possible pairs if there are several.
pub struct FuturePair {
    pub parts: [TimePart; 2],
    pub candidates: Vec<Candidate>,
}

/// Pairs the futures of the accounts that are grouped together that belong to no other strategy.
pub fn pair_futures<'p>(parts: impl Iterator<Item = &'p TimePart>, window: Duration) -> Vec<FuturePair> {
    let mut futures: Vec<&TimePart> = parts.filter(|part| part.leg.class == Class::Future && part.has_time).collect();
    futures.sort_by_key(|part| (part.opened_at, part.position));
    let (mut pairs, mut used) = (Vec::new(), HashSet::new());
    for (index, part) in futures.iter().enumerate() {
        if used.contains(&index) {
            continue;
        }
        let later = futures.iter().enumerate().skip(index + 1);
        let near = later.take_while(|(_, other)| other.opened_at - part.opened_at <= window);
        let mut matches: Vec<(usize, &TimePart)> = near
            .filter(|(other, future)| !used.contains(other) && is_pair(part, future))
            .map(|(other, future)| (other, *future))
            .collect();
        let shares_account = |(_, other): &(usize, &TimePart)| other.account() == part.account();
        if matches.iter().any(shares_account) {
            matches.retain(shares_account);
        }
        let Some((other, future)) = matches.first() else { continue };
        let candidate = |(_, other): &(usize, &TimePart)| Candidate::new(Shape::Pair, [*part, *other].into_iter());
        let candidates = if matches.len() < 2 { Vec::new() } else { matches.iter().map(candidate).collect() };
        used.extend([index, *other]);
        pairs.push(FuturePair { parts: [(*part).clone(), (*future).clone()], candidates });
    }
    pairs
}

fn is_pair(one: &TimePart, other: &TimePart) -> bool {
    let underlying = |part: &TimePart| part.lots.first().map(|lot| lot.instrument.underlying.clone());
    let value = |part: &TimePart| part.lots.iter().map(|lot| lot.entry_value).sum::<Decimal>();
    let (low, high) = (value(one).min(value(other)), value(one).max(value(other)));
    let is_open_together = |ended: Option<time::OffsetDateTime>| ended.is_none_or(|ended| ended > other.opened_at);
    one.leg.long != other.leg.long
        && underlying(one) != underlying(other)
        && high <= low * MAX_VALUE_RATIO
        && is_open_together(one.ended_at)
}
