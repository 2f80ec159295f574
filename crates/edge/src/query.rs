//! The queries of `trades/…`: which trades, and in which order; which changes.

use axum::extract::Query as Pairs;
use http::Uri;
use prost_types::Timestamp;
use rpc::trades::v1::{Book, Filter, ListChangesRequest, QueryTradesRequest, SortKey};
use time::macros::{format_description, offset};
use time::{Date, Duration};

use crate::input::unknown;
use crate::problem::{FieldError, Problem};
use crate::words;

/// Trades on a page, unless told.
const PAGE: i32 = 100;
/// Trades on a page, at most.
const LONGEST_PAGE: i32 = 500;
/// Trades that are asked for at once where all of them are: a filter is worked out anew for each page.
const EXPORT_PAGE: i32 = 5_000;
/// Changes on a page, unless told; and at most.
const CHANGES: i32 = 50;
const MOST_CHANGES: i32 = 100;
/// Nobody traded before, nobody trades after.
const YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Query {
    /// The caller's own address, as the caller says.
    pub email: Option<String>,
    /// A page, or everything.
    pub page: Option<QueryTradesRequest>,
    /// The same for everybody who asks for the same.
    pub identity: String,
}

impl Query {
    /// Refuses what it does not know, what is said twice, and what makes no sense.
    pub fn parse(uri: &Uri) -> Result<Self, Problem> {
        let mut reading = Reading::default();
        let pairs = each(uri, |name, value| reading.take(name, value))?;
        reading.finish(pairs)
    }
}

/// How trades are written into a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Csv,
    Xlsx,
}

/// The query of `trades/export`: the format, and what to write unless it is everything.
pub(crate) fn export(uri: &Uri) -> Result<(Format, Option<QueryTradesRequest>), Problem> {
    let mut reading = Reading::default();
    let mut format = Format::default();
    let pairs = each(uri, |name, value| match (name, value) {
        ("format", "csv") => Some(None),
        ("format", "xlsx") => {
            format = Format::Xlsx;
            Some(None)
        }
        ("format", _) => Some(Some(FieldError::new("format", "invalid", "Say csv or xlsx."))),
        ("email" | "limit" | "cursor", _) => None,
        _ => reading.take(name, value),
    })?;
    let page = reading.finish(pairs)?.page.map(|page| QueryTradesRequest { limit: EXPORT_PAGE, ..page });
    Ok((format, page))
}

/// The query of `account/export`: whether everything is asked for, and not the trades alone.
pub(crate) fn whole_account(uri: &Uri) -> Result<bool, Problem> {
    let mut whole = true;
    each(uri, |name, value| {
        if name != "format" {
            return None;
        }
        whole = value == "json";
        let wrong = !whole && value != "csv";
        Some(wrong.then(|| FieldError::new("format", "invalid", "Say json or csv.")))
    })?;
    Ok(whole)
}

/// The query of a deletion: whether the other leg goes too.
pub(crate) fn pair(uri: &Uri) -> Result<bool, Problem> {
    let mut pair = false;
    each(uri, |name, value| {
        if name != "pair" {
            return None;
        }
        pair = value == "true";
        let wrong = !pair && value != "false";
        Some(wrong.then(|| FieldError::new("pair", "invalid", "Say true or false.")))
    })?;
    Ok(pair)
}

/// The query of `trades/symbols`.
pub(crate) fn part_of_symbol(uri: &Uri) -> Result<String, Problem> {
    let mut reading = Reading::default();
    each(uri, |name, value| (name == "q").then(|| reading.part_of_symbol(value)))?;
    Ok(reading.filter.symbol)
}

/// The query of `trades/changes`.
pub(crate) fn changes(uri: &Uri) -> Result<ListChangesRequest, Problem> {
    let mut reading = Reading::default();
    each(uri, |name, value| match name {
        "limit" => Some(reading.limit(value, MOST_CHANGES)),
        "broker" | "tradetype" | "cursor" => reading.take(name, value),
        _ => None,
    })?;
    let Filter { broker, segment, .. } = reading.filter;
    let missing = match (broker, segment) {
        (0, 1..) => Some("broker"),
        (1.., 0) => Some("tradetype"),
        _ => None,
    };
    if let Some(field) = missing {
        return Err(Problem::fields(vec![FieldError::new(field, "required", "A book has a broker and a trade type.")]));
    }
    let book = (broker != 0).then_some(Book { broker, segment });
    Ok(ListChangesRequest { book, limit: reading.limit.unwrap_or(CHANGES), cursor: reading.cursor })
}

/// The query of a journal: how many entries, and before which one; 0 for the newest.
pub(crate) fn entries(uri: &Uri) -> Result<(i32, i64), Problem> {
    let mut reading = Reading::default();
    let mut before = 0;
    each(uri, |name, value| match name {
        "limit" => Some(reading.limit(value, LONGEST_PAGE)),
        "cursor" => {
            before = value.parse().ok().filter(|before| *before > 0).unwrap_or_default();
            let wrong = before == 0;
            Some(wrong.then(|| FieldError::new("cursor", "invalid", "Say the nextCursor of the page before.")))
        }
        _ => None,
    })?;
    Ok((reading.limit.unwrap_or(LONGEST_PAGE), before))
}

/// Hands each parameter to `take`, which says what is wrong with it, or `None` where there is no such.
pub(crate) fn each(
    uri: &Uri,
    mut take: impl FnMut(&str, &str) -> Option<Option<FieldError>>,
) -> Result<Vec<(String, String)>, Problem> {
    let Pairs(pairs) = Pairs::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| Problem::malformed("The query cannot be read."))?;
    let mut errors = Vec::new();
    let mut seen = Vec::new();
    for (name, value) in &pairs {
        if seen.contains(&name) {
            errors.push(FieldError { code: "repeated".into(), ..unknown(name.clone()) });
        } else {
            errors.extend(take(name, value).unwrap_or_else(|| Some(unknown(name.clone()))));
        }
        seen.push(name);
    }
    if errors.is_empty() { Ok(pairs) } else { Err(Problem::fields(errors)) }
}

/// What was understood so far.
#[derive(Default)]
struct Reading {
    email: Option<String>,
    filter: Filter,
    sort: SortKey,
    ascending: bool,
    limit: Option<i32>,
    cursor: String,
    /// One of the paging parameters was there.
    paged: bool,
}

impl Reading {
    /// Takes one parameter, and says what is wrong with it; `None` where there is no such.
    fn take(&mut self, name: &str, value: &str) -> Option<Option<FieldError>> {
        if name == "email" {
            self.email = Some(value.to_owned());
            return Some(None);
        }
        self.paged = true;
        let wrong = match name {
            "limit" => self.limit(value, LONGEST_PAGE),
            "cursor" => self.cursor(value),
            "sort" => self.sort(value),
            "q" => self.part_of_symbol(value),
            "type" => self.set("type", words::side(value), "Say buy or sell.", rpc::trades::v1::Filter::set_side),
            "broker" => self.set("broker", words::broker(value), "Say zerodha or groww.", |filter, broker| {
                filter.set_broker(broker);
            }),
            "tradetype" => self.set("tradetype", words::segment(value), "Say equity or fno.", |filter, segment| {
                filter.set_segment(segment);
            }),
            "manual" => self.set("manual", truth(value), "Say true or false.", |filter, manual| filter.manual = manual),
            "from" => self.set("from", day(value, 0), DAY, |filter, at| filter.from = Some(at)),
            "to" => self.set("to", day(value, 1), DAY, |filter, at| filter.to = Some(at)),
            _ => return None,
        };
        Some(wrong)
    }

    fn set<T>(
        &mut self,
        name: &'static str,
        value: Option<T>,
        message: &'static str,
        set: impl FnOnce(&mut Filter, T),
    ) -> Option<FieldError> {
        match value {
            Some(value) => {
                set(&mut self.filter, value);
                None
            }
            None => Some(FieldError::new(name, "invalid", message)),
        }
    }

    fn limit(&mut self, value: &str, most: i32) -> Option<FieldError> {
        let digits = !value.is_empty() && value.len() <= 4 && value.bytes().all(|byte| byte.is_ascii_digit());
        let limit = value.parse().ok().filter(|limit| digits && (1..=most).contains(limit));
        self.limit = limit;
        let message = format!("Say a number from 1 to {most}.").into();
        limit.is_none().then(|| FieldError { message, ..FieldError::new("limit", "invalid", "") })
    }

    fn cursor(&mut self, value: &str) -> Option<FieldError> {
        value.clone_into(&mut self.cursor);
        let wrong = value.is_empty() || value.len() > 400 || !value.is_ascii();
        wrong.then(|| FieldError::new("cursor", "invalid", "Say the nextCursor of the page before."))
    }

    fn sort(&mut self, value: &str) -> Option<FieldError> {
        let (key, ascending) = value.strip_prefix('-').map_or((value, true), |key| (key, false));
        self.ascending = ascending;
        self.sort = match key {
            "timestamp" => SortKey::Time,
            "symbol" => SortKey::Symbol,
            "quantity" => SortKey::Quantity,
            "price" => SortKey::Price,
            "type" => SortKey::Side,
            "broker" => SortKey::Broker,
            _ => {
                let message = "Say timestamp, symbol, quantity, price, type or broker, with or without a minus.";
                return Some(FieldError::new("sort", "invalid", message));
            }
        };
        None
    }

    fn part_of_symbol(&mut self, value: &str) -> Option<FieldError> {
        value.clone_into(&mut self.filter.symbol);
        let wrong = value.chars().count() > 64 || value.contains(char::is_control);
        wrong.then(|| FieldError::new("q", "invalid", "Say at most 64 characters of a symbol."))
    }

    fn finish(self, mut pairs: Vec<(String, String)>) -> Result<Query, Problem> {
        if let (Some(from), Some(to)) = (&self.filter.from, &self.filter.to)
            && from.seconds >= to.seconds
        {
            let error = FieldError::new("to", "before_from", "The last day is before the first.");
            return Err(Problem::fields(vec![error]));
        }
        pairs.retain(|(name, _)| name != "email");
        pairs.sort();
        let page = self.paged.then(|| QueryTradesRequest {
            filter: Some(self.filter),
            // Newest first, like the whole list.
            sort: if self.sort == SortKey::Unspecified { SortKey::Time } else { self.sort }.into(),
            ascending: self.ascending,
            limit: self.limit.unwrap_or(PAGE),
            cursor: self.cursor,
            known_version: None,
        });
        Ok(Query { email: self.email, page, identity: format!("{pairs:?}") })
    }
}

fn truth(word: &str) -> Option<bool> {
    match word {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

const DAY: &str = "Say a day such as 2026-03-31.";

/// Midnight in India at the beginning of a day, or of one that is `later` days after it.
fn day(text: &str, later: i64) -> Option<Timestamp> {
    let date = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let date = date.filter(|date| text.len() == 10 && YEARS.contains(&date.year()))?;
    let midnight = date.checked_add(Duration::days(later))?.midnight().assume_offset(offset!(+5:30));
    Some(Timestamp { seconds: midnight.unix_timestamp(), nanos: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<Query, Problem> {
        Query::parse(&format!("/trades/client?{query}").parse().unwrap())
    }

    #[test]
    fn without_a_paging_parameter_everything_is_asked_for() {
        assert!(parse("").unwrap().page.is_none());
        let query = parse("email=a%40b.example").unwrap();
        assert_eq!((query.email.as_deref(), query.page.is_none()), (Some("a@b.example"), true));
    }

    #[test]
    fn each_paging_parameter_asks_for_a_page() {
        for one in [
            "limit=1",
            "cursor=x",
            "sort=price",
            "q=INF",
            "type=buy",
            "broker=groww",
            "tradetype=fno",
            "from=2026-01-01",
            "manual=true",
        ] {
            assert!(parse(one).unwrap().page.is_some(), "{one}");
        }
        let page = parse("limit=500").unwrap().page.unwrap();
        assert_eq!((page.limit, page.sort(), page.ascending), (500, SortKey::Time, false));
        let page = parse("sort=-price").unwrap().page.unwrap();
        assert_eq!((page.limit, page.sort(), page.ascending), (100, SortKey::Price, false));
        assert!(parse("sort=timestamp").unwrap().page.unwrap().ascending);
    }

    #[test]
    fn days_are_days_in_india() {
        let filter = parse("from=2026-04-01&to=2026-04-01").unwrap().page.unwrap().filter.unwrap();
        // 2026-03-31T18:30:00Z to 2026-04-01T18:30:00Z.
        assert_eq!(filter.from.unwrap().seconds, 1_774_981_800);
        assert_eq!(filter.to.unwrap().seconds, 1_774_981_800 + 86_400);
    }

    #[test]
    fn what_is_wrong_is_refused_by_name() {
        for wrong in [
            "limit=0",
            "limit=501",
            "limit=+5",
            "limit=",
            "limit=1e2",
            "cursor=",
            "sort=",
            "sort=--price",
            "sort=value",
            "type=BUY",
            "type=hold",
            "broker=",
            "broker=upstox",
            "tradetype=stock",
            "from=2026-02-30",
            "from=yesterday",
            "to=2026-4-01",
            "to=%2B2026-04-01",
            "from=1900-01-01",
            "from=2026-04-02&to=2026-04-01",
            "limit=5&limit=5",
            "page=2",
            "q=a%00b",
        ] {
            let problem = parse(wrong).unwrap_err();
            assert_eq!(problem.status(), 422, "{wrong}");
        }
        assert!(parse(&format!("q={}", "A".repeat(64))).is_ok());
        assert!(parse(&format!("q={}", "A".repeat(65))).is_err());
        assert!(parse(&format!("cursor={}", "A".repeat(401))).is_err());
    }

    #[test]
    fn the_same_question_has_one_identity() {
        let identity = |query| parse(query).unwrap().identity;
        assert_eq!(identity("limit=5&q=A"), identity("q=A&limit=5&email=x@y"));
        assert_ne!(identity("limit=5&q=A"), identity("limit=5&q=B"));
    }
}
