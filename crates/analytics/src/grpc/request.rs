//! Parsing and validation of requests.

mod adjustments;

use std::collections::HashSet;

use rpc::analytics::v1 as wire;
use rpc::broker_account::{MAX_BROKER_ACCOUNTS, parse_account_number};
use rpc::failure::Violation;
use rpc::trades::v1::{BrokerAccountKey, Segment};
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

pub use self::adjustments::{parse_adjustment, parse_issue_answers};
use crate::closed_trade::ClosedTrade;
use crate::error::{Error, INVALID};
use crate::fill::{Broker, TradeKind};
use crate::fill_key::FillKey;
use crate::filter::{Bounds, Filter, GroupBy, Unit};
use crate::tax::{FinancialYear, TaxAccounts};
use crate::trade_log::parse_account;

/// Characters of a symbol.
pub const MAX_SYMBOL_CHARS: usize = 64;
/// Characters of the key of a group.
const MAX_KEY_CHARS: usize = 100;
/// Closed trades per page.
const MAX_PAGE_SIZE: i32 = 200;
const DEFAULT_PAGE_SIZE: i32 = 50;
/// Positions whose figures are requested at once.
const MAX_FIGURE_POSITIONS: usize = 20_000;
/// Groups of positions whose figures are requested at once.
const MAX_FIGURE_GROUPS: usize = 200;

/// Requested page of closed trades.
pub struct Page {
    pub filter: Filter,
    pub order: SortOrder,
    pub page_size: usize,
    pub skip: usize,
}

/// Sort order of closed trades.
pub struct SortOrder {
    key: wire::SortKey,
    ascending: bool,
}

impl SortOrder {
    /// Sorts closed trades that are in the order of their closing. Equal ones keep that order, or reverse it if the sort
    /// is descending.
    pub fn sort(&self, closed_trades: &mut [&ClosedTrade]) {
        match self.key {
            wire::SortKey::Unspecified | wire::SortKey::Closed => {}
            wire::SortKey::Net => closed_trades.sort_by_key(|closed_trade| closed_trade.net),
            wire::SortKey::Gross => closed_trades.sort_by_key(|closed_trade| closed_trade.gross),
            wire::SortKey::Charges => closed_trades.sort_by_key(|closed_trade| closed_trade.charges),
            wire::SortKey::Symbol => {
                closed_trades.sort_by(|one, other| one.instrument.symbol.cmp(&other.instrument.symbol));
            }
        }
        if !self.ascending {
            closed_trades.reverse();
        }
    }
}

/// Query for a page of positions.
pub struct PositionQuery {
    pub filter: Filter,
    /// True for open positions only, false for closed ones only.
    pub open: Option<bool>,
    pub awaiting_settlement: bool,
    pub order: SortOrder,
    pub page_size: usize,
    pub skip: usize,
    /// Keys of positions; empty for all that match the filter.
    pub keys: HashSet<FillKey>,
}

/// Positions that one page names by their ids.
const MAX_POSITION_IDS: usize = 1_000;

pub fn parse_position_query(request: wire::ListPositionsRequest) -> Result<PositionQuery, Error> {
    let order = SortOrder { key: request.sort(), ascending: request.ascending };
    let state = request.state();
    let keys = parse_position_ids(&request.ids, MAX_POSITION_IDS)?.into_iter().collect();
    Ok(PositionQuery {
        open: match state {
            wire::PositionState::Unspecified => None,
            wire::PositionState::Open | wire::PositionState::AwaitingSettlement => Some(true),
            wire::PositionState::Closed => Some(false),
        },
        awaiting_settlement: state == wire::PositionState::AwaitingSettlement,
        page_size: parse_page_size(request.page_size)?,
        skip: parse_page_token(&request.page_token)?,
        filter: Filter { unit: Unit::Positions, ..parse_filter(request.filter, String::new())? },
        order,
        keys,
    })
}

/// Parses the ids of positions, and groups of indices of them. An id that is none of a position remains without one.
pub fn parse_position_groups(
    request: &wire::GetPositionFiguresRequest,
) -> Result<(Vec<FillKey>, Vec<Vec<usize>>), Error> {
    if request.ids.len() > MAX_FIGURE_POSITIONS {
        return Err(Violation::new("ids", INVALID).with("max", MAX_FIGURE_POSITIONS).into());
    }
    if request.groups.len() > MAX_FIGURE_GROUPS {
        return Err(Violation::new("groups", INVALID).with("max", MAX_FIGURE_GROUPS).into());
    }
    let keys: Vec<Option<FillKey>> = request.ids.iter().map(|id| FillKey::parse(id)).collect();
    // Indices of the valid keys, by index of the id.
    let mut valid_count = 0_usize..;
    let indices: Vec<Option<usize>> = keys.iter().map(|key| key.and_then(|_| valid_count.next())).collect();
    let to_index = |index: &u32| usize::try_from(*index).ok().and_then(|index| indices.get(index).copied().flatten());
    let groups = request.groups.iter().map(|group| group.indices.iter().filter_map(to_index).collect());
    Ok((keys.iter().copied().flatten().collect(), groups.collect()))
}

fn parse_position_ids(ids: &[String], max: usize) -> Result<Vec<FillKey>, Error> {
    if ids.len() > max {
        return Err(Violation::new("ids", INVALID).with("max", max).into());
    }
    let keys = ids.iter().map(|id| FillKey::parse(id));
    keys.collect::<Option<_>>().ok_or_else(|| Violation::new("ids", INVALID).with("max", max).into())
}

pub fn parse_page_size(page_size: i32) -> Result<usize, Error> {
    // 0 is the default (AIP-158).
    let page_size = if page_size == 0 { DEFAULT_PAGE_SIZE } else { page_size };
    let valid = usize::try_from(page_size).ok().filter(|_| (1..=MAX_PAGE_SIZE).contains(&page_size));
    valid.ok_or_else(|| Violation::new("page_size", INVALID).with("max", MAX_PAGE_SIZE).into())
}

pub fn parse_page_token(token: &str) -> Result<usize, Error> {
    let skip = if token.is_empty() { Some(0) } else { token.parse().ok() };
    skip.ok_or_else(|| Error::invalid("page_token"))
}

pub fn parse_page(request: wire::ListClosedTradesRequest) -> Result<Page, Error> {
    let order = SortOrder { key: request.sort(), ascending: request.ascending };
    let (page_size, skip) = (parse_page_size(request.page_size)?, parse_page_token(&request.page_token)?);
    let filter = Filter { unit: Unit::ClosedTrades, ..parse_filter(request.filter, request.id)? };
    Ok(Page { filter, order, page_size, skip })
}

/// Parses the number of an account with its broker; none for all accounts.
pub fn parse_account_filter(number: u32) -> Result<Option<u8>, Error> {
    if number == 0 {
        return Ok(None);
    }
    let invalid = || Violation::new("filter.broker_account", INVALID).with("max", MAX_BROKER_ACCOUNTS);
    Ok(Some(parse_account_number(number).ok_or_else(invalid)?))
}

/// Parses a filter; a non-empty `id` limits it to one closed trade.
pub fn parse_filter(filter: Option<wire::Filter>, id: String) -> Result<Filter, Error> {
    let filter = filter.unwrap_or_default();
    let day = |text: &str, field| if text.is_empty() { Ok(None) } else { parse_day(text, field).map(Some) };
    let (from, to) = (day(&filter.from, "filter.from")?, day(&filter.to, "filter.to")?);
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Violation::new("filter.to", "BEFORE_FROM").into());
    }
    if filter.symbol.chars().count() > MAX_SYMBOL_CHARS {
        return Err(Violation::new("filter.symbol", INVALID).with("max_chars", MAX_SYMBOL_CHARS).into());
    }
    let group = match &filter.group {
        None => None,
        Some(group) if group.key.is_empty() || group.key.chars().count() > MAX_KEY_CHARS => {
            return Err(Error::invalid("filter.group.key"));
        }
        Some(group) => Some((parse_group_by(group.by(), "filter.group.by")?, group.key.clone())),
    };
    let account_number = parse_account_filter(filter.broker_account)?;
    Ok(Filter {
        unit: match filter.unit() {
            // A single closed trade is no position or strategy.
            _ if !id.is_empty() => Unit::ClosedTrades,
            wire::Unit::Positions => Unit::Positions,
            wire::Unit::Strategies => Unit::Strategies,
            wire::Unit::ClosedTrades | wire::Unit::Unspecified => Unit::ClosedTrades,
        },
        from,
        to,
        broker: Broker::from_wire(filter.broker()),
        account_number,
        contracts: match filter.segment() {
            Segment::Unspecified => None,
            Segment::Equity => Some(false),
            Segment::Fno => Some(true),
        },
        kind: match filter.kind() {
            wire::TradeKind::Unspecified => None,
            wire::TradeKind::Intraday => Some(TradeKind::Intraday),
            wire::TradeKind::Delivery => Some(TradeKind::Delivery),
            wire::TradeKind::Futures => Some(TradeKind::Futures),
            wire::TradeKind::Options => Some(TradeKind::Options),
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
        net: filter.net.map(|range| parse_bounds(&range, "filter.net")).transpose()?,
        r: filter.r.map(|range| parse_bounds(&range, "filter.r")).transpose()?,
        symbol: Some(filter.symbol).filter(|symbol| !symbol.is_empty()),
        group,
        id: Some(id).filter(|id| !id.is_empty()),
    })
}

fn parse_bounds(range: &wire::Range, field: &'static str) -> Result<Bounds, Error> {
    let bound = |text: &str| match text {
        "" => Ok(None),
        _ => Decimal::from_str_exact(text).map(Some),
    };
    match (bound(&range.from), bound(&range.to)) {
        (Ok(from), Ok(to)) if from.is_some() || to.is_some() => Ok(Bounds { from, to }),
        _ => Err(Error::invalid(field)),
    }
}

pub fn parse_group_by(by: wire::GroupBy, field: &'static str) -> Result<GroupBy, Error> {
    Ok(match by {
        wire::GroupBy::Unspecified => return Err(Error::invalid(field)),
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

/// Maximum number of accounts in a tax pack.
const MAX_TAX_ACCOUNTS: usize = 40;

pub fn parse_tax_accounts(keys: &[BrokerAccountKey]) -> Result<TaxAccounts, Error> {
    if keys.len() > MAX_TAX_ACCOUNTS {
        return Err(Error::invalid("accounts"));
    }
    let accounts = keys.iter().map(|key| parse_account(key.broker(), key.broker_account));
    accounts.collect::<Option<_>>().map(TaxAccounts).ok_or_else(|| Error::invalid("accounts"))
}

pub fn parse_year(year: i32) -> Result<FinancialYear, Error> {
    let year = Some(year).filter(|year| (2000..2100).contains(year)).map(FinancialYear);
    year.ok_or_else(|| Error::invalid("year"))
}

pub fn parse_day(text: &str, field: &'static str) -> Result<Date, Error> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok().filter(|_| text.len() == 10);
    day.ok_or_else(|| Error::invalid(field))
}
