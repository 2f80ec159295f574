//! Charges of options that expire in the money.

use rust_decimal::Decimal;
use time::Date;

use super::lot_part::LotPart;
use crate::broker_terms::BrokerTerms;
use crate::charge_rates::{ChargeEvent, ChargeRates, Levy, LevyQuery};
use crate::fill::Side;
use crate::instrument::Class;

/// Day of an expiry, with the rates and terms that apply.
pub struct Expiry<'a> {
    pub day: Date,
    pub rates: &'a ChargeRates,
    pub terms: &'a BrokerTerms,
}

/// Charges of an option in the money: a share of its intrinsic value, and a fixed amount.
///
/// Not rounded: the rounding of STT and stamp duty depends on all trades of the day.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpiryCharges {
    pub of_intrinsic: Decimal,
    pub fixed: Decimal,
}

impl Expiry<'_> {
    /// Returns the charges of all lots of an option, given as one; `settled` are all that are settled with it, each with
    /// all its lots.
    ///
    /// Futures have none: those on indices are free, and those on shares depend on the settlement price.
    pub fn charges(&self, lot: &LotPart, settled: &[&LotPart]) -> ExpiryCharges {
        let Some(strike) = lot.instrument.strike.filter(|_| lot.instrument.is_option()) else {
            return ExpiryCharges::default();
        };
        let notional = strike * lot.quantity;
        if lot.instrument.is_settled_by_delivery(self.day) {
            return ExpiryCharges { of_intrinsic: Decimal::ZERO, fixed: self.delivery(lot, notional, settled) };
        }
        let brokerage = self.brokerage(lot, ChargeEvent::Exercise, notional);
        let side = if lot.long { Side::Buy } else { Side::Sell };
        let rate = |levy| self.rate(levy, lot, ChargeEvent::Exercise, side);
        let sebi = rate(&self.rates.sebi) * notional;
        ExpiryCharges {
            of_intrinsic: rate(&self.rates.stt),
            fixed: (brokerage + sebi) * (Decimal::ONE + rate(&self.rates.gst)),
        }
    }

    /// Returns whether the brokerage of a lot is known; true for shares and futures, which have no charges here.
    pub fn has_price(&self, lot: &LotPart) -> bool {
        let is_delivered = lot.instrument.is_settled_by_delivery(self.day);
        let event = if is_delivered { ChargeEvent::PhysicalSettlement } else { ChargeEvent::Exercise };
        !lot.instrument.is_option() || self.terms.price(self.rates, lot.account, self.day, event).is_some()
    }

    /// Returns the charges of the delivery of shares for an option.
    fn delivery(&self, lot: &LotPart, value: Decimal, settled: &[&LotPart]) -> Decimal {
        let netted = value * netted_share(lot, settled, self.day);
        let brokerage = self.brokerage(lot, ChargeEvent::PhysicalSettlement, value - netted)
            + self.brokerage(lot, ChargeEvent::NettedSettlement, netted);
        let side = if receives_shares(lot) { Side::Buy } else { Side::Sell };
        let rate = |levy| self.rate(levy, lot, ChargeEvent::PhysicalSettlement, side);
        let sebi = rate(&self.rates.sebi) * value;
        let taxes = (rate(&self.rates.stt) + rate(&self.rates.stamp_duty)) * value;
        taxes + (brokerage + sebi) * (Decimal::ONE + rate(&self.rates.gst))
    }

    /// Returns the broker's price for a value; zero if it is unknown.
    fn brokerage(&self, lot: &LotPart, event: ChargeEvent, value: Decimal) -> Decimal {
        let price = self.terms.price(self.rates, lot.account, self.day, event).filter(|_| !value.is_zero());
        price.map(|price| price.amount_for(value)).unwrap_or_default()
    }

    /// Returns the rate of a levy as a fraction; zero if it does not apply.
    fn rate(&self, levy: &Levy, lot: &LotPart, event: ChargeEvent, side: Side) -> Decimal {
        let instrument = &lot.instrument;
        let query = LevyQuery {
            day: self.day,
            exchange: lot.exchange,
            event,
            side,
            underlying: &instrument.underlying,
            security: instrument.security,
            series: &instrument.series,
            expiry: Some(self.day),
        };
        levy.find(&query).map(|rate| rate.percent * Decimal::new(1, 2)).unwrap_or_default()
    }
}

fn receives_shares(lot: &LotPart) -> bool {
    lot.long != (lot.instrument.class == Class::Put)
}

/// Returns the share of a lot's delivery that other contracts deliver in the opposite direction.
fn netted_share(lot: &LotPart, settled: &[&LotPart], day: Date) -> Decimal {
    let sum = |receives: bool| -> Decimal {
        let delivered = settled.iter().filter(|other| other.instrument.is_settled_by_delivery(day));
        delivered.filter(|other| receives_shares(other) == receives).map(|other| other.quantity).sum()
    };
    let (own, opposite) = (sum(receives_shares(lot)), sum(!receives_shares(lot)));
    own.min(opposite) / own
}
