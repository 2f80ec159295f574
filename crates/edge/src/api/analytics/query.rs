//! Parsers of the queries of `/analytics/…`. The core validates days, keys and symbols.

use http::Uri;
use http_server::problem::{FieldError, Problem};
use http_server::query::{ParameterResult, parse_limit, read_query};
use rpc::analytics::v1::{
    Direction, Filter, GroupBy, GroupKey, ListClosedTradesRequest, ListPositionsRequest, Outcome, PositionState, Range,
    SortKey, TradeKind, Unit,
};
use rpc::broker_account::parse_broker_account_key;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Broker, BrokerAccountKey, Segment};

use crate::broker_account::parse_account_number;
use crate::error_texts::{invalid_field, invalid_text};

/// Maximum length of the id of a strategy.
pub(crate) const MAX_STRATEGY_ID_BYTES: usize = 40;
/// Default number of closed trades on a page.
pub(crate) const DEFAULT_LIMIT: i32 = 50;
pub(crate) const MAX_LIMIT: i32 = 200;
/// Maximum length of a value; the limits of the core are lower.
pub(crate) const MAX_VALUE_CHARS: usize = 200;
/// Maximum length of a cursor.
pub(crate) const MAX_CURSOR_BYTES: usize = 20;
/// Maximum number of trades whose results are requested at once.
const MAX_TRADE_IDS: usize = 500;
/// Maximum number of positions that are requested by id.
const MAX_POSITION_IDS: usize = 200;
/// Maximum length of the id of a closed trade.
const MAX_CLOSED_TRADE_ID_BYTES: usize = 24;

/// Parses a query with the parameters of a filter only.
pub(crate) fn parse_filter(uri: &Uri) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    read_query(uri, |name, value| read_filter(&mut filter, name, value))?;
    Ok(filter)
}

/// Parses the query of `/analytics/contract-notes`: the conditions of a filter that notes have.
pub(crate) fn parse_note_filter(uri: &Uri) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    read_query(uri, |name, value| match name {
        "from" | "to" | "broker" | "brokerAccount" | "tradetype" => read_filter(&mut filter, name, value),
        _ => None,
    })?;
    Ok(filter)
}

/// Parses the query of `DELETE /analytics/adjustments/{id}`; 0 stands for no `lastId`.
pub(crate) fn parse_last_id(uri: &Uri) -> Result<i64, Problem> {
    let mut last_id = 0;
    read_query(uri, |name, value| match name {
        "lastId" => {
            let parsed = value.parse().ok().filter(|id: &i64| *id > 0);
            Some(set(parsed, |id| last_id = id, "lastId"))
        }
        _ => None,
    })?;
    Ok(last_id)
}

/// Parses the query of `/analytics/groups`.
pub(crate) fn parse_groups_query(uri: &Uri) -> Result<(Filter, GroupBy), Problem> {
    let (mut filter, mut by) = (Filter::default(), GroupBy::Unspecified);
    read_query(uri, |name, value| match name {
        "by" => Some(set(GroupBy::from_json_name(value), |parsed| by = parsed, "by")),
        "key" => None,
        _ => read_filter(&mut filter, name, value),
    })?;
    if by == GroupBy::Unspecified {
        return Err(Problem::from_field_errors(vec![FieldError::new(
            "by",
            "required",
            invalid_text("analytics", "by"),
        )]));
    }
    Ok((filter, by))
}

/// Parses the query of `/analytics/closed-trades`.
pub(crate) fn parse_closed_trades_query(uri: &Uri) -> Result<ListClosedTradesRequest, Problem> {
    let mut filter = Filter::default();
    let mut page = ListClosedTradesRequest { page_size: DEFAULT_LIMIT, ..ListClosedTradesRequest::default() };
    read_query(uri, |name, value| match name {
        "limit" => Some(parse_limit(value, MAX_LIMIT).map(|limit| page.page_size = limit).err()),
        "cursor" => {
            let cursor = Some(value).filter(|value| (1..=MAX_CURSOR_BYTES).contains(&value.len()));
            Some(set(cursor, |cursor| cursor.clone_into(&mut page.page_token), "cursor"))
        }
        "sort" => {
            let (key, ascending) = value.strip_prefix('-').map_or((value, true), |key| (key, false));
            page.ascending = ascending;
            Some(set(SortKey::from_json_name(key), |key| page.set_sort(key), "sort"))
        }
        "id" => Some(read_closed_trade_id(value, &mut page.id)),
        "unit" => None,
        _ => read_filter(&mut filter, name, value),
    })?;
    Ok(ListClosedTradesRequest { filter: Some(filter), ..page })
}

/// Parses the query of `/analytics/positions`.
pub(crate) fn parse_positions_query(uri: &Uri) -> Result<ListPositionsRequest, Problem> {
    let mut filter = Filter::default();
    let mut page = ListPositionsRequest { page_size: DEFAULT_LIMIT, ..ListPositionsRequest::default() };
    read_query(uri, |name, value| match name {
        "limit" => Some(parse_limit(value, MAX_LIMIT).map(|limit| page.page_size = limit).err()),
        "cursor" => {
            let cursor = Some(value).filter(|value| (1..=MAX_CURSOR_BYTES).contains(&value.len()));
            Some(set(cursor, |cursor| cursor.clone_into(&mut page.page_token), "cursor"))
        }
        "sort" => {
            let (key, ascending) = value.strip_prefix('-').map_or((value, true), |key| (key, false));
            page.ascending = ascending;
            Some(set(SortKey::from_json_name(key), |key| page.set_sort(key), "sort"))
        }
        "ids" => {
            let ids: Vec<_> = value.split(',').map(str::to_owned).collect();
            let is_valid = ids.len() <= MAX_POSITION_IDS;
            Some(set(is_valid.then_some(ids), |ids| page.ids = ids, "ids"))
        }
        "state" => Some(set(PositionState::from_json_name(value), |state| page.set_state(state), "state")),
        "unit" => None,
        _ => read_filter(&mut filter, name, value),
    })?;
    Ok(ListPositionsRequest { filter: Some(filter), ..page })
}

/// Parses the query of `/analytics/trade-results`: numbers of trades.
pub(crate) fn parse_trade_ids(uri: &Uri) -> Result<Vec<i64>, Problem> {
    let mut ids = Vec::new();
    read_query(uri, |name, value| match name {
        "ids" => {
            let parsed = value.split(',').take(MAX_TRADE_IDS + 1).map(|id| id.parse().ok().filter(|id| *id > 0));
            let parsed = parsed.collect::<Option<Vec<i64>>>().filter(|parsed| parsed.len() <= MAX_TRADE_IDS);
            Some(set(parsed, |parsed| ids = parsed, "ids"))
        }
        _ => None,
    })?;
    if ids.is_empty() {
        return Err(Problem::from_field_errors(vec![FieldError::new(
            "ids",
            "required",
            invalid_text("analytics", "ids"),
        )]));
    }
    Ok(ids)
}

/// Parses the query of `/analytics/charges`: a filter, or the id of a closed trade.
pub(crate) fn parse_charges_query(uri: &Uri) -> Result<(Filter, String), Problem> {
    let (mut filter, mut id) = (Filter::default(), String::new());
    read_query(uri, |name, value| match name {
        "id" => Some(read_closed_trade_id(value, &mut id)),
        _ => read_filter(&mut filter, name, value),
    })?;
    Ok((filter, id))
}

fn read_closed_trade_id(value: &str, id: &mut String) -> Option<FieldError> {
    let valid_id = Some(value).filter(|value| (1..=MAX_CLOSED_TRADE_ID_BYTES).contains(&value.len()));
    set(valid_id, |valid_id| valid_id.clone_into(id), "id")
}

/// Maximum number of accounts in a tax pack.
const MAX_TAX_ACCOUNTS: usize = 40;

/// Query of the tax pack and its export.
#[derive(Debug, PartialEq)]
pub(crate) struct TaxQuery {
    pub year: i32,
    /// Accounts whose trades count; empty for all.
    pub accounts: Vec<BrokerAccountKey>,
    pub format: TaxFormat,
}

/// File with a tax pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TaxFormat {
    #[default]
    Csv,
    Workbook,
    /// Schedule 112A of the return, as the tax portal reads it.
    Schedule112A,
}

impl TaxFormat {
    /// Returns the format with this name in requests.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "csv" => Some(Self::Csv),
            "xlsx" => Some(Self::Workbook),
            "112a" => Some(Self::Schedule112A),
            _ => None,
        }
    }
}

/// Parses the query of `/analytics/tax`, and of `/analytics/tax/export` if `allows_format`.
pub(crate) fn parse_tax_query(uri: &Uri, allows_format: bool) -> Result<TaxQuery, Problem> {
    let (mut year, mut format, mut accounts) = (None, TaxFormat::default(), Vec::new());
    read_query(uri, |name, value| match name {
        "year" => {
            year = parse_financial_year(value);
            Some(year.is_none().then(|| invalid_field("analytics", "year")))
        }
        "accounts" => Some(match parse_accounts(value) {
            Some(parsed) => {
                accounts = parsed;
                None
            }
            None => Some(invalid_field("edge", "accounts")),
        }),
        "format" if allows_format => {
            let parsed = TaxFormat::from_name(value);
            format = parsed.unwrap_or_default();
            Some(parsed.is_none().then(|| invalid_field("analytics", "format")))
        }
        _ => None,
    })?;
    let year = year.ok_or_else(|| {
        Problem::from_field_errors(vec![FieldError::new("year", "required", invalid_text("analytics", "year"))])
    })?;
    Ok(TaxQuery { year, accounts, format })
}

/// Parses accounts such as `zerodha,groww-2`.
pub(crate) fn parse_accounts(text: &str) -> Option<Vec<BrokerAccountKey>> {
    let parse_key = |key| {
        let (broker, number) = parse_broker_account_key(key)?;
        let broker = Broker::from_json_name(broker)?.into();
        Some(BrokerAccountKey { broker, broker_account: number.into() })
    };
    let keys = text.split(',').take(MAX_TAX_ACCOUNTS + 1).map(parse_key).collect::<Option<Vec<_>>>()?;
    (keys.len() <= MAX_TAX_ACCOUNTS).then_some(keys)
}

pub(crate) fn parse_financial_year(text: &str) -> Option<i32> {
    let (first, second) = text.split_once('-')?;
    let has_digits = |text: &str, len| text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit());
    let year: i32 = first.parse().ok().filter(|_| has_digits(first, 4) && has_digits(second, 2))?;
    ((2000..2100).contains(&year) && second.parse() == Ok((year + 1) % 100)).then_some(year)
}

/// Reads one parameter of a filter; returns `None` for other parameters.
pub(crate) fn read_filter(filter: &mut Filter, name: &str, value: &str) -> ParameterResult {
    let text = || Some(value).filter(|value| !value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS);
    Some(match name {
        "from" => set(text(), |day| day.clone_into(&mut filter.from), "from"),
        "to" => set(text(), |day| day.clone_into(&mut filter.to), "to"),
        "broker" => set(Broker::from_json_name(value), |parsed| filter.set_broker(parsed), "broker"),
        "brokerAccount" => set(parse_account_number(value), |number| filter.broker_account = number, "brokerAccount"),
        "tradetype" => set(Segment::from_json_name(value), |parsed| filter.set_segment(parsed), "tradetype"),
        "segment" => set(TradeKind::from_json_name(value), |parsed| filter.set_kind(parsed), "segment"),
        "symbol" => set(text(), |symbol| symbol.clone_into(&mut filter.symbol), "symbol"),
        "side" => set(Direction::from_json_name(value), |parsed| filter.set_direction(parsed), "side"),
        "result" => set(Outcome::from_json_name(value), |parsed| filter.set_outcome(parsed), "result"),
        "net" => set(parse_range(value), |parsed| filter.net = Some(parsed), "net"),
        "r" => set(parse_range(value), |parsed| filter.r = Some(parsed), "r"),
        "by" => set(GroupBy::from_json_name(value), |parsed| group_key(filter).set_by(parsed), "by"),
        "key" => set(text(), |key| key.clone_into(&mut group_key(filter).key), "key"),
        "unit" => set(Unit::from_json_name(value), |unit| filter.set_unit(unit), "unit"),
        _ => return None,
    })
}

fn parse_range(value: &str) -> Option<Range> {
    let (from, to) = value.split_once("..")?;
    let is_valid = [from, to].iter().all(|bound| bound.is_empty() || is_amount(bound)) && value != "..";
    is_valid.then(|| Range { from: from.to_owned(), to: to.to_owned() })
}

/// Returns true for a decimal with up to 12 digits before and 4 digits after the decimal point.
fn is_amount(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let has_digits =
        |text: &str, max| (1..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    has_digits(whole, 12) && has_digits(decimals, 4)
}

fn group_key(filter: &mut Filter) -> &mut GroupKey {
    filter.group.get_or_insert_default()
}

/// Passes a valid value to `set`, or returns an error.
pub(crate) fn set<T>(value: Option<T>, set: impl FnOnce(T), name: &'static str) -> Option<FieldError> {
    match value {
        Some(value) => {
            set(value);
            None
        }
        None => Some(invalid_field("analytics", name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(query: &str) -> Uri {
        format!("/analytics/overview?{query}").parse().unwrap()
    }

    #[test]
    fn parses_every_parameter_of_a_filter() {
        let parsed =
            parse_filter(&uri("from=2026-04-01&segment=options&side=short&result=win&by=hour&key=09")).unwrap();
        let group = parsed.group.clone().unwrap();
        assert_eq!(
            (parsed.from.as_str(), parsed.kind(), parsed.direction()),
            ("2026-04-01", TradeKind::Options, Direction::Short)
        );
        assert_eq!((parsed.outcome(), group.by(), group.key.as_str()), (Outcome::Win, GroupBy::Hour, "09"));
        let parsed = parse_filter(&uri("net=-500..1000.5&r=..-1")).unwrap();
        let (net, r) = (parsed.net.unwrap(), parsed.r.unwrap());
        assert_eq!([&*net.from, &net.to, &r.from, &r.to], ["-500", "1000.5", "", "-1"]);
    }

    #[test]
    fn rejects_invalid_parameters() {
        for query in [
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
            assert_eq!(parse_filter(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        for query in ["", "by=", "by=hour&key=09"] {
            assert_eq!(parse_groups_query(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        for query in ["limit=x", "limit=", "id=", "cursor=", "sort=value", "sort=--net"] {
            assert_eq!(parse_closed_trades_query(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        for query in ["limit=x", "cursor=", "sort=value", "state=flat", "unit=positions", "moon=full"] {
            assert_eq!(parse_positions_query(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        for query in ["", "ids=", "ids=0", "ids=1,,2", "ids=x", &format!("ids={}", vec!["1"; 501].join(","))] {
            assert_eq!(parse_trade_ids(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        assert_eq!(parse_trade_ids(&uri("ids=3,12")).unwrap(), [3, 12]);
        for query in ["", "year=2025", "year=2025-27", "year=25-26", "year=2025-26&format=pdf"] {
            assert_eq!(parse_tax_query(&uri(query), true).unwrap_err().status(), 422, "{query}");
        }
        let query = |year, format| TaxQuery { year, accounts: Vec::new(), format };
        assert_eq!(parse_tax_query(&uri("year=2099-00"), true).unwrap(), query(2099, TaxFormat::Csv));
        for (format, expected) in [("xlsx", TaxFormat::Workbook), ("112a", TaxFormat::Schedule112A)] {
            let parsed = parse_tax_query(&uri(&format!("year=2025-26&format={format}")), true).unwrap();
            assert_eq!(parsed, query(2025, expected));
        }
        let key = |broker: Broker, broker_account| BrokerAccountKey { broker: broker.into(), broker_account };
        let accounts = parse_tax_query(&uri("year=2025-26&accounts=zerodha,groww-2"), false).unwrap().accounts;
        assert_eq!(accounts, [key(Broker::Zerodha, 1), key(Broker::Groww, 2)]);
        for accounts in ["", "zerodha,", "zerodha-1", "zerodha-21", "other", "zerodha%20", &"groww,".repeat(41)] {
            let query = format!("year=2025-26&accounts={accounts}");
            assert_eq!(parse_tax_query(&uri(&query), false).unwrap_err().status(), 422, "{query}");
        }
    }
}
