//! Shapes of strategies, recognised from the class, strike, expiry, side and quantity of their legs.

use rust_decimal::Decimal;
use time::Date;

use crate::instrument::Class;

/// Shape of a strategy. Spreads are named after the market view and the options: a bear call spread sells the lower call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    IronCondor,
    IronButterfly,
    Butterfly,
    Collar,
    CoveredCall,
    ProtectivePut,
    FutureAndOption,
    LongStraddle,
    ShortStraddle,
    LongStrangle,
    ShortStrangle,
    Synthetic,
    BullCallSpread,
    BearCallSpread,
    BullPutSpread,
    BearPutSpread,
    Ratio,
    Calendar,
    Diagonal,
    Pair,
    LongCall,
    ShortCall,
    LongPut,
    ShortPut,
    /// Legs of a confirmed strategy that form no known shape.
    Custom,
}

impl Shape {
    pub const ALL: [Self; 25] = [
        Self::IronCondor,
        Self::IronButterfly,
        Self::Butterfly,
        Self::Collar,
        Self::CoveredCall,
        Self::ProtectivePut,
        Self::FutureAndOption,
        Self::LongStraddle,
        Self::ShortStraddle,
        Self::LongStrangle,
        Self::ShortStrangle,
        Self::Synthetic,
        Self::BullCallSpread,
        Self::BearCallSpread,
        Self::BullPutSpread,
        Self::BearPutSpread,
        Self::Ratio,
        Self::Calendar,
        Self::Diagonal,
        Self::Pair,
        Self::LongCall,
        Self::ShortCall,
        Self::LongPut,
        Self::ShortPut,
        Self::Custom,
    ];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// Returns the name in the tables and in keys of groups.
    pub fn name(self) -> &'static str {
        match self {
            Self::IronCondor => "ironCondor",
            Self::IronButterfly => "ironButterfly",
            Self::Butterfly => "butterfly",
            Self::Collar => "collar",
            Self::CoveredCall => "coveredCall",
            Self::ProtectivePut => "protectivePut",
            Self::FutureAndOption => "futureAndOption",
            Self::LongStraddle => "longStraddle",
            Self::ShortStraddle => "shortStraddle",
            Self::LongStrangle => "longStrangle",
            Self::ShortStrangle => "shortStrangle",
            Self::Synthetic => "synthetic",
            Self::BullCallSpread => "bullCallSpread",
            Self::BearCallSpread => "bearCallSpread",
            Self::BullPutSpread => "bullPutSpread",
            Self::BearPutSpread => "bearPutSpread",
            Self::Ratio => "ratio",
            Self::Calendar => "calendar",
            Self::Diagonal => "diagonal",
            Self::Pair => "pair",
            Self::LongCall => "longCall",
            Self::ShortCall => "shortCall",
            Self::LongPut => "longPut",
            Self::ShortPut => "shortPut",
            Self::Custom => "custom",
        }
    }
}

/// Contract or share of a strategy with its quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeLeg {
    pub class: Class,
    pub long: bool,
    pub strike: Decimal,
    pub expiry: Option<Date>,
    pub quantity: Decimal,
}

impl ShapeLeg {
    pub fn is_option(&self) -> bool {
        matches!(self.class, Class::Call | Class::Put)
    }

    /// Returns whether it gains when the underlying rises.
    fn is_bullish(&self) -> bool {
        self.long != (self.class == Class::Put)
    }

    /// Returns whether one limits the risk of the other: an option of the other side and the same class, or a share or
    /// future against an option that gains when it loses.
    pub fn hedges(&self, other: &Self) -> bool {
        if self.is_option() && other.is_option() {
            self.class == other.class && self.long != other.long
        } else {
            self.is_option() != other.is_option() && self.is_bullish() != other.is_bullish()
        }
    }
}

/// Returns the shape of legs, of which no two are of the same contract; none if they form no known one.
pub fn classify(legs: &[ShapeLeg]) -> Option<Shape> {
    let mut sorted = legs.to_vec();
    sorted.sort_by_key(|leg| (leg.class, leg.strike, leg.expiry));
    match sorted.as_slice() {
        [leg] => classify_single(leg),
        [one, other] if one.is_option() && other.is_option() => classify_options(one, other),
        [one, other] if one.class == Class::Future && other.class == Class::Future => {
            let is_calendar = one.long != other.long && one.expiry != other.expiry && one.quantity == other.quantity;
            is_calendar.then_some(Shape::Calendar)
        }
        [base, option] if option.is_option() => classify_hedged(base, option),
        [one, two, three] if one.is_option() => classify_butterfly(one, two, three),
        [base, call, put] => classify_collar(base, call, put),
        [low_call, high_call, low_put, high_put] => classify_iron(low_call, high_call, low_put, high_put),
        _ => None,
    }
}

fn classify_single(leg: &ShapeLeg) -> Option<Shape> {
    match (leg.class, leg.long) {
        (Class::Call, true) => Some(Shape::LongCall),
        (Class::Call, false) => Some(Shape::ShortCall),
        (Class::Put, true) => Some(Shape::LongPut),
        (Class::Put, false) => Some(Shape::ShortPut),
        (Class::Equity | Class::Future, _) => None,
    }
}

/// Classifies two options; the first is a call if the classes differ, otherwise it has the lower strike.
fn classify_options(one: &ShapeLeg, other: &ShapeLeg) -> Option<Shape> {
    let (same_strike, same_expiry) = (one.strike == other.strike, one.expiry == other.expiry);
    if one.class == other.class {
        return match (one.long != other.long, one.quantity == other.quantity, same_expiry) {
            (false, _, _) | (_, false, false) => None,
            (true, true, false) => Some(if same_strike { Shape::Calendar } else { Shape::Diagonal }),
            (true, false, true) => Some(Shape::Ratio),
            (true, true, true) => Some(match (one.class == Class::Call, one.long) {
                (true, true) => Shape::BullCallSpread,
                (true, false) => Shape::BearCallSpread,
                (false, true) => Shape::BullPutSpread,
                (false, false) => Shape::BearPutSpread,
            }),
        };
    }
    if !same_expiry || one.quantity != other.quantity {
        return None;
    }
    match (one.long, other.long, same_strike) {
        (true, true, true) => Some(Shape::LongStraddle),
        (true, true, false) => Some(Shape::LongStrangle),
        (false, false, true) => Some(Shape::ShortStraddle),
        (false, false, false) => Some(Shape::ShortStrangle),
        (_, _, true) => Some(Shape::Synthetic),
        (_, _, false) => None,
    }
}

/// Classifies a share or future with an option that it hedges or that hedges it.
fn classify_hedged(base: &ShapeLeg, option: &ShapeLeg) -> Option<Shape> {
    if base.quantity != option.quantity || !option.hedges(base) {
        return None;
    }
    match (base.class, option.class, base.long) {
        (Class::Future, _, _) => Some(Shape::FutureAndOption),
        (_, Class::Call, true) => Some(Shape::CoveredCall),
        (_, Class::Put, true) => Some(Shape::ProtectivePut),
        (_, _, _) => None,
    }
}

/// Classifies three options in the order of their strikes.
fn classify_butterfly(one: &ShapeLeg, two: &ShapeLeg, three: &ShapeLeg) -> Option<Shape> {
    let is_one_class = one.class == two.class && two.class == three.class;
    let is_one_expiry = one.expiry == two.expiry && two.expiry == three.expiry;
    let has_sides = one.long == three.long && one.long != two.long;
    let has_quantities = one.quantity == three.quantity && two.quantity == one.quantity + three.quantity;
    (is_one_class && is_one_expiry && has_sides && has_quantities).then_some(Shape::Butterfly)
}

fn classify_collar(base: &ShapeLeg, call: &ShapeLeg, put: &ShapeLeg) -> Option<Shape> {
    let has_classes = !base.is_option() && call.class == Class::Call && put.class == Class::Put;
    let has_sides = call.long != base.long && put.long == base.long;
    let has_quantities = base.quantity == call.quantity && base.quantity == put.quantity;
    (has_classes && has_sides && has_quantities && call.expiry == put.expiry).then_some(Shape::Collar)
}

fn classify_iron(low_call: &ShapeLeg, high_call: &ShapeLeg, low_put: &ShapeLeg, high_put: &ShapeLeg) -> Option<Shape> {
    let legs = [low_call, high_call, low_put, high_put];
    let classes = [Class::Call, Class::Call, Class::Put, Class::Put];
    let is_uniform = legs
        .iter()
        .zip(classes)
        .all(|(leg, class)| leg.class == class && leg.expiry == low_call.expiry && leg.quantity == low_call.quantity);
    let (inner, outer) = ([low_call, high_put], [high_call, low_put]);
    let has_sides =
        inner.iter().all(|leg| leg.long == low_call.long) && outer.iter().all(|leg| leg.long != low_call.long);
    let has_strikes = high_put.strike <= low_call.strike && low_put.strike < high_put.strike;
    if !is_uniform || !has_sides || !has_strikes || low_call.strike >= high_call.strike {
        return None;
    }
    Some(if high_put.strike == low_call.strike { Shape::IronButterfly } else { Shape::IronCondor })
}
