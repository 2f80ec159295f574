//! From the wire.

use rpc::analytics::v1 as wire;
use rpc::failure::Violation;
use rpc::trades::v1::{Broker as WireBroker, Segment};
use rust_decimal::Decimal;
use time::macros::{date, format_description};
use time::{Date, OffsetDateTime};

use crate::adjustment::{Adjustment, Ratio, What};
use crate::closed_trade::ClosedTrade;
use crate::error::{Error, violation};
use crate::fill::INDIA;
use crate::filter::{Bounds, Filter, GroupBy};
use crate::log::read_broker;
use crate::tariff::Kind;
use crate::tax::FinancialYear;

const LONGEST_SYMBOL: usize = 64;
const LONGEST_KEY: usize = 100;
const LONGEST_PAGE: i32 = 200;
const MOST_SHARES: i32 = 10_000;

/// A page of closed trades.
pub struct Page {
    pub filter: Filter,
    pub order: Order,
    pub limit: usize,
    pub skip: usize,
}

/// How closed trades are ordered.
pub struct Order {
    key: wire::SortKey,
    ascending: bool,
}

impl Order {
    /// Sorts what is in the order of closing. What is equal stays in it, or in the reverse of it.
    pub fn sort(&self, closed_trades: &mut [&ClosedTrade]) {
        match self.key {
            wire::SortKey::Unspecified | wire::SortKey::Closed => {}
            wire::SortKey::Net => closed_trades.sort_by_key(|closed_trade| closed_trade.net),
            wire::SortKey::Gross => closed_trades.sort_by_key(|closed_trade| closed_trade.gross),
            wire::SortKey::Charges => closed_trades.sort_by_key(|closed_trade| closed_trade.charges),
            wire::SortKey::Symbol => {
                closed_trades.sort_by(|one, other| one.instrument.symbol.cmp(&other.instrument.symbol))
            }
        }
        if !self.ascending {
            closed_trades.reverse();
        }
    }
}

pub fn read_page(request: wire::ListClosedTradesRequest) -> Result<Page, Error> {
    let order = Order { key: request.sort(), ascending: request.ascending };
    let limit = usize::try_from(request.limit).ok().filter(|_| (1..=LONGEST_PAGE).contains(&request.limit));
    let limit = limit.ok_or_else(|| Error::field("limit", "Say a number from 1 to 200."))?;
    let skip = if request.cursor.is_empty() { Some(0) } else { request.cursor.parse().ok() };
    let skip = skip.ok_or_else(|| Error::field("cursor", "Say the nextCursor of the page before."))?;
    Ok(Page { filter: read_filter(request.filter, request.id)?, order, limit, skip })
}

/// A filter, for one closed trade alone where `id` names it.
pub fn read_filter(filter: Option<wire::Filter>, id: String) -> Result<Filter, Error> {
    let filter = filter.unwrap_or_default();
    let day = |text: &str, field| if text.is_empty() { Ok(None) } else { read_day(text, field).map(Some) };
    let (from, to) = (day(&filter.from, "from")?, day(&filter.to, "to")?);
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Error::field("to", "The last day is before the first."));
    }
    if filter.symbol.chars().count() > LONGEST_SYMBOL {
        return Err(Error::field("symbol", "A symbol has at most 64 characters."));
    }
    let group = match &filter.group {
        None => None,
        Some(group) if group.key.is_empty() || group.key.chars().count() > LONGEST_KEY => {
            return Err(Error::field("key", "Say the key of a group."));
        }
        Some(group) => Some((read_group_by(group.by())?, group.key.clone())),
    };
    Ok(Filter {
        from,
        to,
        broker: read_broker(filter.broker()),
        contracts: match filter.segment() {
            Segment::Unspecified => None,
            Segment::Equity => Some(false),
            Segment::Fno => Some(true),
        },
        kind: match filter.kind() {
            wire::Kind::Unspecified => None,
            wire::Kind::Intraday => Some(Kind::Intraday),
            wire::Kind::Delivery => Some(Kind::Delivery),
            wire::Kind::Futures => Some(Kind::Futures),
            wire::Kind::Options => Some(Kind::Options),
        },
        long: match filter.direction() {
            wire::Direction::Unspecified => None,
            wire::Direction::Long => Some(true),
            wire::Direction::Short => Some(false),
        },
        won: match filter.outcome() {
            wire::Outcome::Unspecified => None,
            wire::Outcome::Win => Some(true),
            wire::Outcome::Loss => Some(false),
        },
        net: filter.net.map(|range| read_bounds(&range, "net")).transpose()?,
        r: filter.r.map(|range| read_bounds(&range, "r")).transpose()?,
        symbol: Some(filter.symbol).filter(|symbol| !symbol.is_empty()),
        group,
        id: Some(id).filter(|id| !id.is_empty()),
    })
}

fn read_bounds(range: &wire::Range, field: &'static str) -> Result<Bounds, Error> {
    let bound = |text: &str| match text {
        "" => Ok(None),
        _ => Decimal::from_str_exact(text).map(Some),
    };
    match (bound(&range.from), bound(&range.to)) {
        (Ok(from), Ok(to)) if from.is_some() || to.is_some() => Ok(Bounds { from, to }),
        _ => Err(Error::field(field, "Say two numbers such as -500..1000; one of them may be left out.")),
    }
}

pub fn read_group_by(by: wire::GroupBy) -> Result<GroupBy, Error> {
    Ok(match by {
        wire::GroupBy::Unspecified => return Err(Error::field("by", "Say what to group by.")),
        wire::GroupBy::Weekday => GroupBy::Weekday,
        wire::GroupBy::Hour => GroupBy::Hour,
        wire::GroupBy::WeekdayHour => GroupBy::WeekdayHour,
        wire::GroupBy::Month => GroupBy::Month,
        wire::GroupBy::Symbol => GroupBy::Symbol,
        wire::GroupBy::Side => GroupBy::Side,
        wire::GroupBy::Segment => GroupBy::Segment,
        wire::GroupBy::Holding => GroupBy::Holding,
        wire::GroupBy::DaysToExpiry => GroupBy::DaysToExpiry,
        wire::GroupBy::ExpiryDay => GroupBy::ExpiryDay,
        wire::GroupBy::Instrument => GroupBy::Instrument,
        wire::GroupBy::Setup => GroupBy::Setup,
        wire::GroupBy::Psychology => GroupBy::Psychology,
    })
}

pub fn read_year(year: i32) -> Result<FinancialYear, Error> {
    let year = Some(year).filter(|year| (2000..2100).contains(year)).map(FinancialYear);
    year.ok_or_else(|| Error::field("year", "Say a financial year such as 2025-26."))
}

pub fn read_day(text: &str, field: &'static str) -> Result<Date, Error> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok().filter(|_| text.len() == 10);
    day.ok_or_else(|| Error::field(field, "Say a day such as 2026-03-31."))
}

/// What a trader enters, or every rule that it breaks.
pub fn read_adjustment(entered: wire::Adjustment) -> Result<Adjustment, Error> {
    let mut broken = Vec::new();
    let symbol = read_symbol(&entered.symbol, "symbol", &mut broken);
    let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
    let day = read_day(&entered.date, "date").ok().filter(|day| (date!(1990 - 01 - 01)..=today).contains(day));
    if day.is_none() {
        broken.push(violation("date", "Say a day from 1990 to today, such as 2026-03-31."));
    }
    let what = read_what(entered, &symbol, &mut broken);
    match (what, day) {
        (Some(what), Some(day)) if broken.is_empty() => Ok(Adjustment { id: 0, symbol, day, what }),
        _ => Err(Error::Invalid(broken)),
    }
}

fn read_what(entered: wire::Adjustment, symbol: &str, broken: &mut Vec<Violation>) -> Option<What> {
    let kind = entered.kind();
    let takes = |field| match kind {
        wire::AdjustmentKind::Split | wire::AdjustmentKind::Bonus => ["newShares", "oldShares"].contains(&field),
        wire::AdjustmentKind::Rename => field == "newSymbol",
        wire::AdjustmentKind::Settlement => field == "price",
        wire::AdjustmentKind::Opening => ["broker", "quantity", "price"].contains(&field),
        wire::AdjustmentKind::Unspecified => true,
    };
    let sent = [
        ("newShares", entered.new_shares != 0),
        ("oldShares", entered.old_shares != 0),
        ("newSymbol", !entered.new_symbol.is_empty()),
        ("broker", entered.broker() != WireBroker::Unspecified),
        ("quantity", !entered.quantity.is_empty()),
        ("price", !entered.price.is_empty()),
    ];
    for (field, sent) in sent {
        if sent && !takes(field) {
            broken.push(violation(field, "This kind does not take this field."));
        }
    }
    match kind {
        wire::AdjustmentKind::Unspecified => {
            broken.push(violation("kind", "Say split, bonus, rename, settlement or opening."));
            None
        }
        wire::AdjustmentKind::Split => read_ratio(&entered, broken).map(What::Split),
        wire::AdjustmentKind::Bonus => read_ratio(&entered, broken).map(What::Bonus),
        wire::AdjustmentKind::Rename => {
            let to = read_symbol(&entered.new_symbol, "newSymbol", broken);
            if to == symbol {
                broken.push(violation("newSymbol", "The new symbol is the old one."));
            }
            Some(What::Rename(to))
        }
        wire::AdjustmentKind::Settlement => read_price(&entered.price, broken).map(What::Settlement),
        wire::AdjustmentKind::Opening => {
            let broker = read_broker(entered.broker());
            if broker.is_none() {
                broken.push(violation("broker", "Say zerodha or groww."));
            }
            let quantity = Decimal::from_str_exact(&entered.quantity).ok().filter(|quantity| {
                *quantity > Decimal::ZERO && *quantity < Decimal::from(1_000_000_000) && quantity.fract().is_zero()
            });
            if quantity.is_none() {
                broken.push(violation("quantity", "Say a whole number above 0."));
            }
            let price = read_price(&entered.price, broken);
            Some(What::Opening { broker: broker?, quantity: quantity?.normalize(), price: price? })
        }
    }
}

fn read_ratio(entered: &wire::Adjustment, broken: &mut Vec<Violation>) -> Option<Ratio> {
    let mut fits = true;
    for (field, shares) in [("newShares", entered.new_shares), ("oldShares", entered.old_shares)] {
        if !(1..=MOST_SHARES).contains(&shares) {
            broken.push(violation(field, "Say a number from 1 to 10,000."));
            fits = false;
        }
    }
    fits.then_some(Ratio { new: entered.new_shares, old: entered.old_shares })
}

fn read_price(text: &str, broken: &mut Vec<Violation>) -> Option<Decimal> {
    let price = Decimal::from_str_exact(text).ok().filter(|price| {
        *price >= Decimal::ZERO && *price < Decimal::from(100_000_000_000_u64) && price.normalize().scale() <= 4
    });
    if price.is_none() {
        broken.push(violation("price", "Say rupees from 0 on, with at most 4 decimals."));
    }
    price.map(|price| price.normalize())
}

/// In capitals, as the symbols of the log are.
fn read_symbol(text: &str, field: &'static str, broken: &mut Vec<Violation>) -> String {
    let symbol = text.trim().to_uppercase();
    if symbol.is_empty() || symbol.chars().count() > LONGEST_SYMBOL || symbol.chars().any(char::is_control) {
        broken.push(violation(field, "A symbol has 1 to 64 characters."));
    }
    symbol
}
