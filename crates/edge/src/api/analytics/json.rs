//! JSON of the analytics.

use rpc::analytics::v1 as wire;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::api::analytics::json_names::{
    adjustment_kind_name, broker_number_name, component_name, direction_name, instrument_name, kind_name, note_name,
};
use crate::json::{JsonError, raw_decimal};
use crate::json_names::{book_names, broker_name};
use crate::timestamps::format_required_timestamp;

/// JSON number with the exact text of a decimal.
pub(crate) type Number = Box<RawValue>;

/// Declares a JSON struct and its conversion from a message. Each field has the function that converts the field of the
/// same name.
macro_rules! json_struct {
    ($(#[$doc:meta])* $name:ident of $wire:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $convert:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name { $($(#[$field_doc])* $field: $type),+ }

        impl TryFrom<wire::$wire> for $name {
            type Error = JsonError;

            fn try_from(message: wire::$wire) -> Result<Self, JsonError> {
                Ok(Self { $($field: $convert(message.$field)?),+ })
            }
        }
    };
}
pub(crate) use json_struct;

/// Keeps a field as it is.
pub(crate) fn same<T>(value: T) -> Result<T, JsonError> {
    Ok(value)
}

/// Converts a decimal; empty text to null.
pub(crate) fn optional_decimal(text: String) -> Result<Option<Number>, JsonError> {
    if text.is_empty() { Ok(None) } else { raw_decimal(text).map(Some) }
}

/// Converts empty text to null.
pub(crate) fn optional_text(text: String) -> Result<Option<String>, JsonError> {
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Converts a list.
pub(crate) fn each<M, J: TryFrom<M, Error = JsonError>>(messages: Vec<M>) -> Result<Vec<J>, JsonError> {
    messages.into_iter().map(J::try_from).collect()
}

/// Converts a message that may be absent.
pub(crate) fn optional<M, J: TryFrom<M, Error = JsonError>>(message: Option<M>) -> Result<Option<J>, JsonError> {
    message.map(J::try_from).transpose()
}

/// Converts a message that the core always sends.
pub(crate) fn required<M: Default, J: TryFrom<M, Error = JsonError>>(message: Option<M>) -> Result<J, JsonError> {
    J::try_from(message.unwrap_or_default())
}

json_struct!(OverviewJson of GetOverviewResponse {
    figures: FiguresJson = required,
    days: Vec<DayJson> = each,
    distribution: Vec<BucketJson> = each,
    risk_distribution: Vec<BucketJson> = each,
    grid: Vec<CellJson> = each,
    symbols: Vec<SymbolCurveJson> = each,
    scope: ScopeJson = required,
    attention: AttentionJson = required,
});

json_struct!(FiguresJson of Figures {
    closed_trades: i64 = same,
    wins: i64 = same,
    losses: i64 = same,
    gross: Number = raw_decimal,
    charges: Number = raw_decimal,
    net: Number = raw_decimal,
    turnover: Number = raw_decimal,
    win_rate: Option<IntervalJson> = optional,
    profit_factor: Option<Number> = optional_decimal,
    expectancy: Option<Number> = optional_decimal,
    average_win: Option<Number> = optional_decimal,
    average_loss: Option<Number> = optional_decimal,
    payoff: Option<Number> = optional_decimal,
    best: Option<NamedResultJson> = optional,
    worst: Option<NamedResultJson> = optional,
    longest_win_streak: i64 = same,
    longest_loss_streak: i64 = same,
    current_streak: i64 = same,
    drawdown: Option<DrawdownJson> = optional,
    holding_seconds: Option<i64> = same,
    capital_used: Number = raw_decimal,
    too_few: bool = same,
    risk: Option<RiskFiguresJson> = optional,
});

json_struct!(RiskFiguresJson of RiskFigures {
    closed_trades: i64 = same,
    average: Number = raw_decimal,
    best: Number = raw_decimal,
    worst: Number = raw_decimal,
    too_few: bool = same,
});

json_struct!(IntervalJson of Interval { rate: Number = raw_decimal, low: Number = raw_decimal, high: Number = raw_decimal });

json_struct!(NamedResultJson of NamedResult { id: String = same, symbol: String = same, net: Number = raw_decimal });

json_struct!(DrawdownJson of Drawdown {
    amount: Number = raw_decimal,
    days: i64 = same,
    from: String = same,
    to: String = same,
    recovered: Option<String> = optional_text,
});

json_struct!(DayJson of Day {
    date: String = same,
    closed_trades: i64 = same,
    gross: Number = raw_decimal,
    charges: Number = raw_decimal,
    net: Number = raw_decimal,
    equity: Number = raw_decimal,
    drawdown: Number = raw_decimal,
});

json_struct!(BucketJson of Bucket { from: Option<Number> = optional_decimal, to: Option<Number> = optional_decimal, closed_trades: i64 = same });

json_struct!(CellJson of Cell {
    weekday: i32 = same,
    hour: i32 = same,
    closed_trades: i64 = same,
    wins: i64 = same,
    net: Number = raw_decimal,
});

json_struct!(SymbolCurveJson of SymbolCurve {
    symbol: String = same,
    closed_trades: i64 = same,
    net: Number = raw_decimal,
    days: Vec<CurvePointJson> = each,
});

json_struct!(CurvePointJson of CurvePoint { date: String = same, net: Number = raw_decimal });

json_struct!(ScopeJson of Scope {
    trades: i64 = same,
    closed_trades: i64 = same,
    from: Option<String> = optional_text,
    to: Option<String> = optional_text,
    financial_years: Vec<String> = same,
    symbols: Vec<String> = same,
});

json_struct!(AttentionJson of Attention {
    missing_cost_basis: i64 = same,
    expired: i64 = same,
    open_positions: i64 = same,
    uncharged: i64 = same,
});

json_struct!(GroupsJson of ListGroupsResponse { groups: Vec<GroupJson> = each, total: i64 = same });

json_struct!(GroupJson of Group { key: String = same, figures: FiguresJson = required });

json_struct!(ClosedTradesJson of ListClosedTradesResponse {
    closed_trades: Vec<ClosedTradeJson> = each,
    total: i64 = same,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String> = optional_text,
});

/// Closed trade: one exit and the lots it closed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClosedTradeJson {
    id: String,
    symbol: String,
    underlying: String,
    instrument: &'static str,
    broker: &'static str,
    tradetype: &'static str,
    segment: &'static str,
    side: &'static str,
    quantity: Number,
    opened_at: String,
    closed_at: String,
    time_precision: &'static str,
    entry_price: Number,
    exit_price: Number,
    entry_value: Number,
    exit_value: Number,
    gross: Number,
    charges: Number,
    net: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_risk: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<Number>,
    holding_seconds: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    setup: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    psychology: String,
    notes: Vec<&'static str>,
    opened: Vec<LegJson>,
    closed: Vec<LegJson>,
}

impl TryFrom<wire::ClosedTrade> for ClosedTradeJson {
    type Error = JsonError;

    fn try_from(closed_trade: wire::ClosedTrade) -> Result<Self, JsonError> {
        let (broker, tradetype) = book_names(&closed_trade.book.unwrap_or_default())?;
        let notes: Result<_, JsonError> = closed_trade.notes().map(|note| Ok(note_name(note)?)).collect();
        Ok(Self {
            instrument: instrument_name(closed_trade.instrument)?,
            segment: kind_name(closed_trade.kind)?,
            side: direction_name(closed_trade.direction)?,
            notes: notes?,
            id: closed_trade.id,
            symbol: closed_trade.symbol,
            underlying: closed_trade.underlying,
            broker,
            tradetype,
            quantity: raw_decimal(closed_trade.quantity)?,
            opened_at: format_required_timestamp(closed_trade.opened_at.as_ref())?,
            closed_at: format_required_timestamp(closed_trade.closed_at.as_ref())?,
            time_precision: if closed_trade.timed { "second" } else { "day" },
            entry_price: raw_decimal(closed_trade.entry_price)?,
            exit_price: raw_decimal(closed_trade.exit_price)?,
            entry_value: raw_decimal(closed_trade.entry_value)?,
            exit_value: raw_decimal(closed_trade.exit_value)?,
            gross: raw_decimal(closed_trade.gross)?,
            charges: raw_decimal(closed_trade.charges)?,
            net: raw_decimal(closed_trade.net)?,
            initial_risk: optional_decimal(closed_trade.initial_risk)?,
            r: optional_decimal(closed_trade.r)?,
            holding_seconds: closed_trade.holding_seconds,
            setup: closed_trade.setup,
            psychology: closed_trade.psychology,
            opened: each(closed_trade.opened)?,
            closed: each(closed_trade.closed)?,
        })
    }
}

json_struct!(LegJson of Leg {
    trade_id: Option<String> = optional_trade_id,
    date: String = same,
    quantity: Number = raw_decimal,
    value: Number = raw_decimal,
});

fn optional_trade_id(id: i64) -> Result<Option<String>, JsonError> {
    Ok((id != 0).then(|| id.to_string()))
}

json_struct!(OpenPositionsJson of ListOpenPositionsResponse {
    sales: Vec<MissingCostBasisJson> = each,
    sales_total: i64 = same,
    expired: Vec<OpenPositionJson> = each,
    expired_total: i64 = same,
    open: Vec<OpenPositionJson> = each,
    open_total: i64 = same,
});

json_struct!(MissingCostBasisJson of MissingCostBasis {
    trade_id: Option<String> = optional_trade_id,
    broker: &'static str = broker_number_name,
    symbol: String = same,
    date: String = same,
    quantity: Number = raw_decimal,
    value: Number = raw_decimal,
});

/// Open position.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenPositionJson {
    symbol: String,
    instrument: &'static str,
    broker: &'static str,
    tradetype: &'static str,
    side: &'static str,
    quantity: Number,
    value: Number,
    since: String,
    expiry: Option<String>,
    taken_as_worthless: bool,
}

impl TryFrom<wire::OpenPosition> for OpenPositionJson {
    type Error = JsonError;

    fn try_from(position: wire::OpenPosition) -> Result<Self, JsonError> {
        let (broker, tradetype) = book_names(&position.book.unwrap_or_default())?;
        Ok(Self {
            symbol: position.symbol,
            instrument: instrument_name(position.instrument)?,
            broker,
            tradetype,
            side: direction_name(position.direction)?,
            quantity: raw_decimal(position.quantity)?,
            value: raw_decimal(position.value)?,
            since: position.since,
            expiry: optional_text(position.expiry)?,
            taken_as_worthless: position.taken_as_worthless,
        })
    }
}

json_struct!(ChargesJson of GetChargesResponse {
    total: Number = raw_decimal,
    components: Components = to_components,
    lines: Vec<ChargeLineJson> = each,
});

/// Sums by component.
type Components = std::collections::BTreeMap<&'static str, Number>;

fn to_components(sums: Vec<wire::ComponentSum>) -> Result<Components, JsonError> {
    sums.into_iter().map(|sum| Ok((component_name(sum.component)?, raw_decimal(sum.amount)?))).collect()
}

json_struct!(ChargeLineJson of ChargeLine {
    component: &'static str = component_name,
    rule: String = same,
    from: String = same,
    source: String = same,
    amount: Number = raw_decimal,
});

/// Tax pack of a financial year.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaxPackJson {
    pub year: String,
    #[serde(flatten)]
    pub sums: TaxSumsJson,
}

json_struct!(TaxSumsJson of GetTaxPackResponse {
    speculative: BusinessJson = required,
    non_speculative: BusinessJson = required,
    short_term: Vec<GainsJson> = each,
    long_term: Vec<GainsJson> = each,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_term_exempt: Option<Number> = optional_decimal,
    business_turnover: Number = raw_decimal,
    hints: Vec<String> = same,
});

json_struct!(BusinessJson of BusinessIncome {
    closed_trades: i64 = same,
    gross: Number = raw_decimal,
    charges: Number = raw_decimal,
    net: Number = raw_decimal,
    turnover: Number = raw_decimal,
    profits: Number = raw_decimal,
    losses: Number = raw_decimal,
});

json_struct!(GainsJson of CapitalGains {
    from: String = same,
    to: String = same,
    rate_percent: Number = raw_decimal,
    law: String = same,
    sales: i64 = same,
    sale_value: Number = raw_decimal,
    cost: Number = raw_decimal,
    expenses: Number = raw_decimal,
    gain: Number = raw_decimal,
});

/// Corporate action, settlement or opening holding that the trader adjustment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdjustmentJson {
    id: String,
    kind: &'static str,
    symbol: String,
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    broker: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_shares: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_shares: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Number>,
}

impl TryFrom<wire::Adjustment> for AdjustmentJson {
    type Error = JsonError;

    fn try_from(adjustment: wire::Adjustment) -> Result<Self, JsonError> {
        let shares = |shares: i32| Some(shares).filter(|shares| *shares != 0);
        Ok(Self {
            kind: adjustment_kind_name(adjustment.kind())?,
            broker: (adjustment.broker != 0).then(|| broker_name(adjustment.broker())).transpose()?,
            id: adjustment.id.to_string(),
            symbol: adjustment.symbol,
            date: adjustment.date,
            new_shares: shares(adjustment.new_shares),
            old_shares: shares(adjustment.old_shares),
            new_symbol: optional_text(adjustment.new_symbol)?,
            quantity: optional_decimal(adjustment.quantity)?,
            price: optional_decimal(adjustment.price)?,
        })
    }
}
