//! Bounds of an underlying's price at expiry, from the trader's own trades on the day of expiry.
//!
//! A call is worth at least the price of the underlying less the strike, so strike plus premium is an upper bound; a put
//! gives a lower bound in the same way. Until the close the underlying may still move, which a margin allows for. The
//! result supports a proposed answer; it never settles a contract by itself.

use std::collections::HashMap;

use rust_decimal::Decimal;
use time::Date;
use time::macros::time;

use super::issue::Ledgers;
use crate::fill::{Fill, INDIA};
use crate::instrument::{Class, Instrument};

/// Relative movement of the underlying until the close that is allowed for after 14:30.
const LATE_MARGIN: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// Relative movement that is allowed for earlier on the day.
const DAY_MARGIN: Decimal = Decimal::from_parts(3, 0, 0, false, 2);
/// Premium in rupees up to which an option on the day of expiry counts as out of the money.
const MAX_WORTHLESS_PREMIUM: Decimal = Decimal::ONE;

/// Evidence on an option at its expiry: a code, with the price that supports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moneyness {
    In(&'static str, Decimal),
    Out(&'static str, Decimal),
}

#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    lower: Option<Decimal>,
    upper: Option<Decimal>,
}

/// Bounds by underlying and day, and the last premiums of contracts on their days of expiry.
#[derive(Debug, Default)]
pub struct UnderlyingBounds {
    bounds: HashMap<(String, Date), Bounds>,
    last_premiums: HashMap<String, Decimal>,
}

impl UnderlyingBounds {
    /// Collects the bounds on the days of expiry of these contracts.
    pub fn new<'a>(ledgers: Ledgers, expired: impl Iterator<Item = &'a Instrument>) -> Self {
        let key = |instrument: &Instrument, day| (instrument.underlying.to_uppercase(), day);
        let mut collected = Self::default();
        for instrument in expired {
            if let Some(expiry) = instrument.expiry.filter(|expiry| expiry.exact) {
                collected.bounds.insert(key(instrument, expiry.day), Bounds::default());
            }
        }
        let days: Vec<(String, Date)> = collected.bounds.keys().cloned().collect();
        for ledger in ledgers {
            let Some(first) = ledger.fills().next().filter(|fill| fill.instrument.is_option()) else { continue };
            let underlying = first.instrument.underlying.to_uppercase();
            for (_, day) in days.iter().filter(|(other, _)| *other == underlying) {
                for fill in ledger.lots_on(*day).iter().filter_map(|(_, lot)| ledger.fill_of_lot(*lot)) {
                    collected.add(&underlying, fill);
                }
            }
        }
        collected
    }

    fn add(&mut self, underlying: &str, fill: &Fill) {
        let instrument = &fill.instrument;
        let premium = fill.value.checked_div(fill.quantity).unwrap_or_default();
        if instrument.expiry.is_some_and(|expiry| expiry.day == fill.day) {
            // The fills of a ledger are in the order of time.
            self.last_premiums.insert(instrument.symbol.to_uppercase(), premium);
        }
        let Some(bounds) = self.bounds.get_mut(&(underlying.to_owned(), fill.day)) else { return };
        let Some(strike) = instrument.strike else { return };
        let is_late = fill.has_time && fill.executed_at.to_offset(INDIA).time() >= time!(14:30);
        let margin = if is_late { LATE_MARGIN } else { DAY_MARGIN };
        match instrument.class {
            Class::Call => {
                let upper = (strike + premium) * (Decimal::ONE + margin);
                bounds.upper = Some(bounds.upper.map_or(upper, |other| other.min(upper)));
            }
            Class::Put => {
                let lower = (strike - premium) * (Decimal::ONE - margin);
                bounds.lower = Some(bounds.lower.map_or(lower, |other| other.max(lower)));
            }
            Class::Equity | Class::Future => {}
        }
    }

    /// Returns the evidence on an option; none if there is none or it is contradictory.
    pub fn moneyness(&self, instrument: &Instrument) -> Option<Moneyness> {
        let expiry = instrument.expiry.filter(|expiry| expiry.exact && instrument.is_option())?;
        let Bounds { lower, upper } = self.bounds.get(&(instrument.underlying.to_uppercase(), expiry.day)).copied()?;
        if lower.zip(upper).is_some_and(|(lower, upper)| lower > upper) {
            return None;
        }
        let is_call = instrument.class == Class::Call;
        let (above, below) = (
            lower.zip(instrument.strike).filter(|(lower, strike)| lower >= strike).map(|(lower, _)| lower),
            upper.zip(instrument.strike).filter(|(upper, strike)| upper <= strike).map(|(upper, _)| upper),
        );
        if let Some(upper) = below {
            return Some(if is_call { Moneyness::Out("below", upper) } else { Moneyness::In("below", upper) });
        }
        if let Some(lower) = above {
            return Some(if is_call { Moneyness::In("above", lower) } else { Moneyness::Out("above", lower) });
        }
        let premium = self.last_premiums.get(&instrument.symbol.to_uppercase()).copied();
        premium.filter(|premium| *premium <= MAX_WORTHLESS_PREMIUM).map(|premium| Moneyness::Out("premium", premium))
    }
}
