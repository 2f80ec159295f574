//! The queries of `analytics/…`. What days, keys and symbols must be, the core knows.

use http::Uri;
use rpc::analytics::v1::{
    Direction, Filter, GroupBy, GroupKey, Kind, ListClosedTradesRequest, Outcome, Range, SortKey,
};

use crate::problem::{FieldError, Problem};
use crate::query::each;
use crate::words;

/// Closed trades on a page, unless told.
const PAGE: i32 = 50;
/// Characters of a value; the core takes shorter ones.
const LONGEST: usize = 200;

/// A filter and nothing else.
pub(super) fn filter(uri: &Uri) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    each(uri, |name, value| take(&mut filter, name, value))?;
    Ok(filter)
}

/// What is grouped, and by what.
pub(super) fn groups(uri: &Uri) -> Result<(Filter, GroupBy), Problem> {
    let (mut filter, mut by) = (Filter::default(), GroupBy::Unspecified);
    each(uri, |name, value| match name {
        "by" => Some(set(group_by(value), |found| by = found, "by", BY)),
        "key" => None,
        _ => take(&mut filter, name, value),
    })?;
    if by == GroupBy::Unspecified {
        return Err(Problem::fields(vec![FieldError::new("by", "required", BY)]));
    }
    Ok((filter, by))
}

/// A page of closed trades.
pub(super) fn closed_trades(uri: &Uri) -> Result<ListClosedTradesRequest, Problem> {
    let mut filter = Filter::default();
    let mut page = ListClosedTradesRequest { limit: PAGE, ..ListClosedTradesRequest::default() };
    each(uri, |name, value| match name {
        "limit" => Some(set(number(value), |limit| page.limit = limit, "limit", "Say a number from 1 to 200.")),
        "cursor" => {
            let cursor = Some(value).filter(|value| (1..=20).contains(&value.len()));
            let message = "Say the nextCursor of the page before.";
            Some(set(cursor, |cursor| cursor.clone_into(&mut page.cursor), "cursor", message))
        }
        "sort" => {
            let (key, ascending) = value.strip_prefix('-').map_or((value, true), |key| (key, false));
            page.ascending = ascending;
            let message = "Say closed, net, gross, charges or symbol, with or without a minus.";
            Some(set(sort_key(key), |key| page.set_sort(key), "sort", message))
        }
        "id" => Some(closed_trade_id(value, &mut page.id)),
        _ => take(&mut filter, name, value),
    })?;
    Ok(ListClosedTradesRequest { filter: Some(filter), ..page })
}

/// A filter, or one closed trade.
pub(super) fn charges(uri: &Uri) -> Result<(Filter, String), Problem> {
    let (mut filter, mut id) = (Filter::default(), String::new());
    each(uri, |name, value| match name {
        "id" => Some(closed_trade_id(value, &mut id)),
        _ => take(&mut filter, name, value),
    })?;
    Ok((filter, id))
}

fn closed_trade_id(value: &str, id: &mut String) -> Option<FieldError> {
    let known = Some(value).filter(|value| (1..=24).contains(&value.len()));
    set(known, |known| known.clone_into(id), "id", "Say the id of a closed trade.")
}

/// The year in which a financial year begins, and whether a workbook is asked for.
pub(super) fn tax(uri: &Uri, takes_format: bool) -> Result<(i32, bool), Problem> {
    const YEAR: &str = "Say a financial year such as 2025-26.";
    let (mut year, mut workbook) = (None, false);
    each(uri, |name, value| match name {
        "year" => {
            year = financial_year(value);
            Some(year.is_none().then(|| FieldError::new("year", "invalid", YEAR)))
        }
        "format" if takes_format => {
            workbook = value == "xlsx";
            Some((!workbook && value != "csv").then(|| FieldError::new("format", "invalid", "Say csv or xlsx.")))
        }
        _ => None,
    })?;
    let year = year.ok_or_else(|| Problem::fields(vec![FieldError::new("year", "required", YEAR)]))?;
    Ok((year, workbook))
}

fn financial_year(text: &str) -> Option<i32> {
    let (first, second) = text.split_once('-')?;
    let digits = |text: &str, len| text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit());
    let year: i32 = first.parse().ok().filter(|_| digits(first, 4) && digits(second, 2))?;
    ((2000..2100).contains(&year) && second.parse() == Ok((year + 1) % 100)).then_some(year)
}

const BY: &str = "Say weekday, hour, weekdayHour, month, symbol, side, segment, holding, daysToExpiry, expiryDay, instrument, setup or psychology.";

/// Takes one parameter of a filter, and says what is wrong with it; `None` where there is no such.
fn take(filter: &mut Filter, name: &str, value: &str) -> Option<Option<FieldError>> {
    let text = || Some(value).filter(|value| !value.is_empty() && value.chars().count() <= LONGEST);
    Some(match name {
        "from" => set(text(), |day| day.clone_into(&mut filter.from), "from", DAY),
        "to" => set(text(), |day| day.clone_into(&mut filter.to), "to", DAY),
        "broker" => set(words::broker(value), |found| filter.set_broker(found), "broker", "Say zerodha or groww."),
        "tradetype" => set(words::segment(value), |found| filter.set_segment(found), "tradetype", "Say equity or fno."),
        "segment" => {
            let message = "Say intraday, delivery, futures or options.";
            set(kind(value), |found| filter.set_kind(found), "segment", message)
        }
        "symbol" => set(text(), |symbol| symbol.clone_into(&mut filter.symbol), "symbol", "Say a symbol."),
        "side" => set(direction(value), |found| filter.set_direction(found), "side", "Say long or short."),
        "result" => set(outcome(value), |found| filter.set_outcome(found), "result", "Say win or loss."),
        "net" => set(range(value), |found| filter.net = Some(found), "net", RANGE),
        "r" => set(range(value), |found| filter.r = Some(found), "r", RANGE),
        "by" => set(group_by(value), |found| group(filter).set_by(found), "by", BY),
        "key" => set(text(), |key| key.clone_into(&mut group(filter).key), "key", "Say the key of a group."),
        _ => return None,
    })
}

const DAY: &str = "Say a day such as 2026-03-31.";
const RANGE: &str = "Say two numbers such as -500..1000; one of them may be left out.";

fn range(value: &str) -> Option<Range> {
    let (from, to) = value.split_once("..")?;
    let fits = [from, to].iter().all(|bound| bound.is_empty() || is_amount(bound)) && value != "..";
    fits.then(|| Range { from: from.to_owned(), to: to.to_owned() })
}

/// Up to 12 digits and 4 decimals.
fn is_amount(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole, 12) && digits(decimals, 4)
}

fn group(filter: &mut Filter) -> &mut GroupKey {
    filter.group.get_or_insert_default()
}

fn set<T>(value: Option<T>, set: impl FnOnce(T), name: &'static str, message: &'static str) -> Option<FieldError> {
    match value {
        Some(value) => {
            set(value);
            None
        }
        None => Some(FieldError::new(name, "invalid", message)),
    }
}

fn number(text: &str) -> Option<i32> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

fn sort_key(word: &str) -> Option<SortKey> {
    Some(match word {
        "closed" => SortKey::Closed,
        "net" => SortKey::Net,
        "gross" => SortKey::Gross,
        "charges" => SortKey::Charges,
        "symbol" => SortKey::Symbol,
        _ => return None,
    })
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "intraday" => Kind::Intraday,
        "delivery" => Kind::Delivery,
        "futures" => Kind::Futures,
        "options" => Kind::Options,
        _ => return None,
    })
}

fn direction(word: &str) -> Option<Direction> {
    Some(match word {
        "long" => Direction::Long,
        "short" => Direction::Short,
        _ => return None,
    })
}

fn outcome(word: &str) -> Option<Outcome> {
    Some(match word {
        "win" => Outcome::Win,
        "loss" => Outcome::Loss,
        _ => return None,
    })
}

fn group_by(word: &str) -> Option<GroupBy> {
    Some(match word {
        "weekday" => GroupBy::Weekday,
        "hour" => GroupBy::Hour,
        "weekdayHour" => GroupBy::WeekdayHour,
        "month" => GroupBy::Month,
        "symbol" => GroupBy::Symbol,
        "side" => GroupBy::Side,
        "segment" => GroupBy::Segment,
        "holding" => GroupBy::Holding,
        "daysToExpiry" => GroupBy::DaysToExpiry,
        "expiryDay" => GroupBy::ExpiryDay,
        "instrument" => GroupBy::Instrument,
        "setup" => GroupBy::Setup,
        "psychology" => GroupBy::Psychology,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(query: &str) -> Uri {
        format!("/analytics/overview?{query}").parse().unwrap()
    }

    #[test]
    fn a_filter_is_read_word_by_word() {
        let read = filter(&uri("from=2026-04-01&segment=options&side=short&result=win&by=hour&key=09")).unwrap();
        let group = read.group.clone().unwrap();
        assert_eq!(
            (read.from.as_str(), read.kind(), read.direction()),
            ("2026-04-01", Kind::Options, Direction::Short)
        );
        assert_eq!((read.outcome(), group.by(), group.key.as_str()), (Outcome::Win, GroupBy::Hour, "09"));
        let read = filter(&uri("net=-500..1000.5&r=..-1")).unwrap();
        let (net, r) = (read.net.unwrap(), read.r.unwrap());
        assert_eq!([&*net.from, &net.to, &r.from, &r.to], ["-500", "1000.5", "", "-1"]);
    }

    #[test]
    fn what_is_wrong_is_refused_by_name() {
        for wrong in [
            "from=",
            "segment=equity",
            "side=buy",
            "result=flat",
            "by=moon",
            "net=..",
            "net=5",
            "r=1_0..",
            "r=1..+2",
            "x=1",
            "side=long&side=long",
        ] {
            assert_eq!(filter(&uri(wrong)).unwrap_err().status(), 422, "{wrong}");
        }
        for wrong in ["", "by=", "by=hour&key=09"] {
            assert_eq!(groups(&uri(wrong)).unwrap_err().status(), 422, "{wrong}");
        }
        for wrong in ["limit=x", "limit=", "id=", "cursor=", "sort=value", "sort=--net"] {
            assert_eq!(closed_trades(&uri(wrong)).unwrap_err().status(), 422, "{wrong}");
        }
        for wrong in ["", "year=2025", "year=2025-27", "year=25-26", "year=2025-26&format=pdf"] {
            assert_eq!(tax(&uri(wrong), true).unwrap_err().status(), 422, "{wrong}");
        }
        assert_eq!(tax(&uri("year=2099-00"), true).unwrap(), (2099, false));
        assert_eq!(tax(&uri("year=2025-26&format=xlsx"), true).unwrap(), (2025, true));
    }
}
