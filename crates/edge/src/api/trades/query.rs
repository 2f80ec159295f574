//! Parsers of the queries of `/trades/…`: filter, sort order and page of the trades and of the changes.

use http::Uri;
use http_server::problem::{FieldError, Problem};
use http_server::query::{ParameterResult, parse_limit, read_query};
use prost_types::Timestamp;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Book, Broker, Filter, ListChangesRequest, ListTradesRequest, Segment, Side, SortKey};
use time::macros::{format_description, offset};
use time::{Date, Duration};

use crate::broker_account::parse_account_number;
use crate::error_texts::{field_text, invalid_field, invalid_flag};

/// Default number of trades on a page.
const DEFAULT_LIMIT: i32 = 100;
/// Maximum number of trades on a page.
const MAX_LIMIT: i32 = 500;
/// Number of trades per call of an export; large, because the core evaluates the filter again for each page.
const EXPORT_LIMIT: i32 = 5_000;
/// Default number of changes on a page.
const DEFAULT_CHANGES_LIMIT: i32 = 50;
/// Maximum number of changes on a page.
const MAX_CHANGES_LIMIT: i32 = 100;
/// Maximum length of a cursor.
const MAX_CURSOR_BYTES: usize = 400;
/// Maximum length of a part of a symbol.
const MAX_SYMBOL_CHARS: usize = 64;
/// Maximum length of a search.
const MAX_SEARCH_CHARS: usize = 100;
/// Years that the days of a filter may have.
const VALID_YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;

/// Query of the client record.
#[derive(Debug)]
pub(crate) struct TradesQuery {
    /// Email address of the trader, as sent by the client.
    pub email: Option<String>,
    /// Page of trades; `None` for all trades.
    pub page: Option<ListTradesRequest>,
    /// Canonical text of the query without the email address, for the entity tag.
    pub identity: String,
}

impl TradesQuery {
    /// Parses the query of `/trades/client`.
    pub fn parse(uri: &Uri) -> Result<Self, Problem> {
        let mut reader = QueryReader::default();
        let pairs = read_query(uri, |name, value| reader.read(name, value))?;
        reader.finish(pairs)
    }
}

/// Format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Csv,
    Xlsx,
}

/// Parses the query of `/trades/export`: the format, and the page query unless all trades are exported.
pub(crate) fn parse_export_query(uri: &Uri) -> Result<(Format, Option<ListTradesRequest>), Problem> {
    let mut reader = QueryReader::default();
    let mut format = Format::default();
    let pairs = read_query(uri, |name, value| match (name, value) {
        ("format", "csv") => Some(None),
        ("format", "xlsx") => {
            format = Format::Xlsx;
            Some(None)
        }
        ("format", _) => Some(Some(invalid_field("edge", "format"))),
        ("email" | "limit" | "cursor", _) => None,
        _ => reader.read(name, value),
    })?;
    let page = reader.finish(pairs)?.page.map(|page| ListTradesRequest { page_size: EXPORT_LIMIT, ..page });
    Ok((format, page))
}

/// Parses the query of `DELETE /trades/{id}`: returns true if the other leg of the pair is to be deleted, too.
pub(crate) fn parse_delete_query(uri: &Uri) -> Result<bool, Problem> {
    let mut pair = false;
    read_query(uri, |name, value| {
        if name != "pair" {
            return None;
        }
        pair = value == "true";
        let is_invalid = !pair && value != "false";
        Some(is_invalid.then(|| invalid_flag("pair")))
    })?;
    Ok(pair)
}

/// Parses the query of `/trades/symbols`: a part of a symbol.
pub(crate) fn parse_symbol_query(uri: &Uri) -> Result<String, Problem> {
    let mut reader = QueryReader::default();
    read_query(uri, |name, value| (name == "q").then(|| reader.read_symbol(value)))?;
    Ok(reader.filter.symbol)
}

/// Parses the query of `/trades/changes`.
pub(crate) fn parse_changes_query(uri: &Uri) -> Result<ListChangesRequest, Problem> {
    let mut reader = QueryReader::default();
    read_query(uri, |name, value| match name {
        "limit" => Some(reader.read_limit(value, MAX_CHANGES_LIMIT)),
        "broker" | "brokerAccount" | "tradetype" | "cursor" => reader.read(name, value),
        _ => None,
    })?;
    let Filter { broker, segment, broker_account, .. } = reader.filter;
    let missing = match (broker, segment) {
        (0, 1..) => Some("broker"),
        (0, 0) if broker_account != 0 => Some("broker"),
        (1.., 0) => Some("tradetype"),
        _ => None,
    };
    if let Some(field) = missing {
        return Err(Problem::from_field_errors(vec![FieldError::new(
            field,
            "required",
            field_text("edge", "book", "REQUIRED", &[]),
        )]));
    }
    let book = (broker != 0).then_some(Book { broker, segment, broker_account });
    Ok(ListChangesRequest { book, page_size: reader.limit.unwrap_or(DEFAULT_CHANGES_LIMIT), page_token: reader.cursor })
}

/// Parameters that have been read.
#[derive(Default)]
struct QueryReader {
    email: Option<String>,
    filter: Filter,
    sort: SortKey,
    ascending: bool,
    limit: Option<i32>,
    cursor: String,
    /// True if a parameter other than `email` was sent.
    is_paged: bool,
}

impl QueryReader {
    fn read(&mut self, name: &str, value: &str) -> ParameterResult {
        if name == "email" {
            self.email = Some(value.to_owned());
            return Some(None);
        }
        self.is_paged = true;
        let error = match name {
            "limit" => self.read_limit(value, MAX_LIMIT),
            "cursor" => self.read_cursor(value),
            "sort" => self.read_sort(value),
            "q" => self.read_symbol(value),
            "search" => self.read_search(value),
            "type" => self.set("type", Side::from_json_name(value), Filter::set_side),
            "broker" => self.set("broker", Broker::from_json_name(value), |filter, broker| {
                filter.set_broker(broker);
            }),
            "brokerAccount" => self.set("brokerAccount", parse_account_number(value), |filter, number| {
                filter.broker_account = number;
            }),
            "tradetype" => self.set("tradetype", Segment::from_json_name(value), |filter, segment| {
                filter.set_segment(segment);
            }),
            "manual" => self.set_flag("manual", value, |filter, manual| filter.manual_only = manual),
            "noted" => self.set_flag("noted", value, |filter, noted| filter.noted_only = noted),
            "from" => self.set("from", parse_day(value, 0), |filter, at| filter.from = Some(at)),
            "to" => self.set("to", parse_day(value, 1), |filter, at| filter.to = Some(at)),
            _ => return None,
        };
        Some(error)
    }

    fn set<T>(&mut self, name: &'static str, value: Option<T>, set: impl FnOnce(&mut Filter, T)) -> Option<FieldError> {
        match value {
            Some(value) => {
                set(&mut self.filter, value);
                None
            }
            None => Some(invalid_field("edge", name)),
        }
    }

    fn set_flag(&mut self, name: &'static str, value: &str, set: impl FnOnce(&mut Filter, bool)) -> Option<FieldError> {
        match parse_bool(value) {
            flag @ Some(_) => self.set(name, flag, set),
            None => Some(invalid_flag(name)),
        }
    }

    fn read_limit(&mut self, value: &str, max: i32) -> Option<FieldError> {
        match parse_limit(value, max) {
            Ok(limit) => {
                self.limit = Some(limit);
                None
            }
            Err(error) => Some(error),
        }
    }

    fn read_cursor(&mut self, value: &str) -> Option<FieldError> {
        value.clone_into(&mut self.cursor);
        let is_invalid = value.is_empty() || value.len() > MAX_CURSOR_BYTES || !value.is_ascii();
        is_invalid.then(|| invalid_field("edge", "cursor"))
    }

    fn read_sort(&mut self, value: &str) -> Option<FieldError> {
        let (key, ascending) = value.strip_prefix('-').map_or((value, true), |key| (key, false));
        self.ascending = ascending;
        self.sort = SortKey::from_json_name(key).unwrap_or_default();
        let is_invalid = self.sort == SortKey::Unspecified;
        is_invalid.then(|| invalid_field("edge", "sort"))
    }

    fn read_symbol(&mut self, value: &str) -> Option<FieldError> {
        value.clone_into(&mut self.filter.symbol);
        let is_invalid = value.chars().count() > MAX_SYMBOL_CHARS || value.contains(char::is_control);
        is_invalid.then(|| {
            FieldError::new(
                "q",
                "invalid",
                field_text("edge", "q", "INVALID", &[("max_chars", MAX_SYMBOL_CHARS as u64)]),
            )
        })
    }

    fn read_search(&mut self, value: &str) -> Option<FieldError> {
        value.clone_into(&mut self.filter.search);
        let is_invalid = value.chars().count() > MAX_SEARCH_CHARS || value.contains(char::is_control);
        let max_chars = [("max_chars", MAX_SEARCH_CHARS as u64)];
        is_invalid.then(|| FieldError::new("search", "invalid", field_text("edge", "search", "INVALID", &max_chars)))
    }

    fn finish(self, mut pairs: Vec<(String, String)>) -> Result<TradesQuery, Problem> {
        if let (Some(from), Some(to)) = (&self.filter.from, &self.filter.to)
            && from.seconds >= to.seconds
        {
            let error = FieldError::new("to", "before_from", field_text("edge", "to", "BEFORE_FROM", &[]));
            return Err(Problem::from_field_errors(vec![error]));
        }
        pairs.retain(|(name, _)| name != "email");
        pairs.sort();
        let page = self.is_paged.then(|| ListTradesRequest {
            filter: Some(self.filter),
            // Newest first, like the whole list.
            sort: if self.sort == SortKey::Unspecified { SortKey::Time } else { self.sort }.into(),
            ascending: self.ascending,
            page_size: self.limit.unwrap_or(DEFAULT_LIMIT),
            page_token: self.cursor,
            known_version: None,
        });
        Ok(TradesQuery { email: self.email, page, identity: format!("{pairs:?}") })
    }
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Parses a day, adds `days`, and returns the midnight in India at which that day begins.
fn parse_day(text: &str, days: i64) -> Option<Timestamp> {
    let date = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    let date = date.filter(|date| text.len() == 10 && VALID_YEARS.contains(&date.year()))?;
    let midnight = date.checked_add(Duration::days(days))?.midnight().assume_offset(offset!(+5:30));
    Some(Timestamp { seconds: midnight.unix_timestamp(), nanos: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<TradesQuery, Problem> {
        TradesQuery::parse(&format!("/trades/client?{query}").parse().unwrap())
    }

    #[test]
    fn requests_all_trades_without_parameters() {
        assert!(parse("").unwrap().page.is_none());
        let query = parse("email=a%40b.example").unwrap();
        assert_eq!((query.email.as_deref(), query.page.is_none()), (Some("a@b.example"), true));
    }

    #[test]
    fn requests_a_page_with_each_parameter() {
        for query in [
            "limit=1",
            "cursor=x",
            "sort=price",
            "q=INF",
            "search=gap",
            "type=buy",
            "broker=groww",
            "tradetype=fno",
            "from=2026-01-01",
            "manual=true",
            "noted=true",
        ] {
            assert!(parse(query).unwrap().page.is_some(), "{query}");
        }
        let page = parse("limit=500").unwrap().page.unwrap();
        assert_eq!((page.page_size, page.sort(), page.ascending), (500, SortKey::Time, false));
        let page = parse("sort=-price").unwrap().page.unwrap();
        assert_eq!((page.page_size, page.sort(), page.ascending), (100, SortKey::Price, false));
        assert!(parse("sort=timestamp").unwrap().page.unwrap().ascending);
    }

    #[test]
    fn parses_days_as_days_in_india() {
        let filter = parse("from=2026-04-01&to=2026-04-01").unwrap().page.unwrap().filter.unwrap();
        // 2026-03-31T18:30:00Z to 2026-04-01T18:30:00Z.
        assert_eq!(filter.from.unwrap().seconds, 1_774_981_800);
        assert_eq!(filter.to.unwrap().seconds, 1_774_981_800 + 86_400);
    }

    #[test]
    fn rejects_invalid_parameters() {
        for query in [
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
            "broker=other",
            "tradetype=stock",
            "from=2026-02-30",
            "from=yesterday",
            "to=2026-4-01",
            "to=%2B2026-04-01",
            "from=1900-01-01",
            "from=2026-04-02&to=2026-04-01",
            "limit=5&limit=5",
            "page=2",
            "noted=yes",
            "q=a%00b",
            "search=a%00b",
            "search=a%0Ab",
        ] {
            let problem = parse(query).unwrap_err();
            assert_eq!(problem.status(), 422, "{query}");
        }
        assert!(parse(&format!("q={}", "A".repeat(64))).is_ok());
        assert!(parse(&format!("q={}", "A".repeat(65))).is_err());
        assert!(parse(&format!("search={}", "A".repeat(100))).is_ok());
        assert!(parse(&format!("search={}", "A".repeat(101))).is_err());
        assert!(parse(&format!("cursor={}", "A".repeat(401))).is_err());
    }

    #[test]
    fn equal_queries_have_the_same_identity() {
        let identity = |query| parse(query).unwrap().identity;
        assert_eq!(identity("limit=5&q=A"), identity("q=A&limit=5&email=x@y"));
        assert_ne!(identity("limit=5&q=A"), identity("limit=5&q=B"));
    }
}
