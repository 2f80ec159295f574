//! JSON of the responses of `/analytics/…`.

use rpc::analytics::v1 as wire;
use serde::Serialize;

use crate::api::analytics::json_names::{
    adjustment_kind_name, broker_number_name, component_name, direction_name, instrument_name, kind_name, note_name,
};
use crate::api::analytics::json_struct::{
    Number, convert_list, convert_optional, convert_required, copy_value, json_struct, optional_decimal, optional_text,
};
use crate::json::{JsonError, raw_decimal};
use crate::json_names::{book_names, broker_name};
use crate::timestamps::format_required_timestamp;

json_struct!(OverviewJson from GetOverviewResponse {
    figures: FiguresJson = convert_required,
    days: Vec<DayJson> = convert_list,
    distribution: Vec<BucketJson> = convert_list,
    risk_distribution: Vec<BucketJson> = convert_list,
    grid: Vec<CellJson> = convert_list,
    symbols: Vec<SymbolCurveJson> = convert_list,
    scope: ScopeJson = convert_required,
    attention: AttentionJson = convert_required,
});

json_struct!(FiguresJson from Figures {
    closed_trades: i64 = copy_value,
    wins: i64 = copy_value,
    losses: i64 = copy_value,
    gross: Number = raw_decimal,
    charges: Number = raw_decimal,
    net: Number = raw_decimal,
    turnover: Number = raw_decimal,
    win_rate: Option<IntervalJson> = convert_optional,
    profit_factor: Option<Number> = optional_decimal,
    expectancy: Option<Number> = optional_decimal,
    average_win: Option<Number> = optional_decimal,
    average_loss: Option<Number> = optional_decimal,
    payoff: Option<Number> = optional_decimal,
    best: Option<NamedResultJson> = convert_optional,
    worst: Option<NamedResultJson> = convert_optional,
    longest_win_streak: i64 = copy_value,
    longest_loss_streak: i64 = copy_value,
    current_streak: i64 = copy_value,
    drawdown: Option<DrawdownJson> = convert_optional,
    holding_seconds: Option<i64> = copy_value,
    capital_used: Number = raw_decimal,
    too_few: bool = copy_value,
    risk: Option<RiskFiguresJson> = convert_optional,
});

json_struct!(RiskFiguresJson from RiskFigures {
    closed_trades: i64 = copy_value,
    average: Number = raw_decimal,
    best: Number = raw_decimal,
    worst: Number = raw_decimal,
    too_few: bool = copy_value,
});

json_struct!(IntervalJson from Interval { rate: Number = raw_decimal, low: Number = raw_decimal, high: Number = raw_decimal });

json_struct!(NamedResultJson from NamedResult { id: String = copy_value, symbol: String = copy_value, net: Number = raw_decimal });

json_struct!(DrawdownJson from Drawdown {
    amount: Number = raw_decimal,
    days: i64 = copy_value,
    from: String = copy_value,
    to: String = copy_value,
    recovered: Option<String> = optional_text,
});

json_struct!(DayJson from Day {
    date: String = copy_value,
    closed_trades: i64 = copy_value,
    gross: Number = raw_decimal,
    charges: Number = raw_decimal,
    net: Number = raw_decimal,
    equity: Number = raw_decimal,
    drawdown: Number = raw_decimal,
});

json_struct!(BucketJson from Bucket { from: Option<Number> = optional_decimal, to: Option<Number> = optional_decimal, closed_trades: i64 = copy_value });

json_struct!(CellJson from Cell {
    weekday: i32 = copy_value,
    hour: i32 = copy_value,
    closed_trades: i64 = copy_value,
    wins: i64 = copy_value,
    net: Number = raw_decimal,
});

json_struct!(SymbolCurveJson from SymbolCurve {
    symbol: String = copy_value,
    closed_trades: i64 = copy_value,
    net: Number = raw_decimal,
    days: Vec<CurvePointJson> = convert_list,
});

json_struct!(CurvePointJson from CurvePoint { date: String = copy_value, net: Number = raw_decimal });

json_struct!(ScopeJson from Scope {
    trades: i64 = copy_value,
    closed_trades: i64 = copy_value,
    from: Option<String> = optional_text,
    to: Option<String> = optional_text,
    financial_years: Vec<String> = copy_value,
    symbols: Vec<String> = copy_value,
});

json_struct!(AttentionJson from Attention {
    missing_cost_basis: i64 = copy_value,
    expired: i64 = copy_value,
    open_positions: i64 = copy_value,
    uncharged: i64 = copy_value,
});

json_struct!(GroupsJson from ListGroupsResponse { groups: Vec<GroupJson> = convert_list, total: i64 = copy_value });

json_struct!(GroupJson from Group { key: String = copy_value, figures: FiguresJson = convert_required });

json_struct!(ClosedTradesJson from ListClosedTradesResponse {
    closed_trades: Vec<ClosedTradeJson> = convert_list,
    total: i64 = copy_value,
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
            opened: convert_list(closed_trade.opened)?,
            closed: convert_list(closed_trade.closed)?,
        })
    }
}

json_struct!(LegJson from Leg {
    trade_id: Option<String> = optional_trade_id,
    date: String = copy_value,
    quantity: Number = raw_decimal,
    value: Number = raw_decimal,
});

/// Converts trade id 0, which means no trade, to null.
fn optional_trade_id(id: i64) -> Result<Option<String>, JsonError> {
    Ok((id != 0).then(|| id.to_string()))
}

json_struct!(OpenPositionsJson from ListOpenPositionsResponse {
    sales: Vec<MissingCostBasisJson> = convert_list,
    sales_total: i64 = copy_value,
    expired: Vec<OpenPositionJson> = convert_list,
    expired_total: i64 = copy_value,
    open: Vec<OpenPositionJson> = convert_list,
    open_total: i64 = copy_value,
});

json_struct!(MissingCostBasisJson from MissingCostBasis {
    trade_id: Option<String> = optional_trade_id,
    broker: &'static str = broker_number_name,
    symbol: String = copy_value,
    date: String = copy_value,
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

json_struct!(ChargesJson from GetChargesResponse {
    total: Number = raw_decimal,
    components: Components = to_components,
    lines: Vec<ChargeLineJson> = convert_list,
});

/// Charges by component.
type Components = std::collections::BTreeMap<&'static str, Number>;

fn to_components(sums: Vec<wire::ComponentSum>) -> Result<Components, JsonError> {
    sums.into_iter().map(|sum| Ok((component_name(sum.component)?, raw_decimal(sum.amount)?))).collect()
}

json_struct!(ChargeLineJson from ChargeLine {
    component: &'static str = component_name,
    rule: String = copy_value,
    from: String = copy_value,
    source: String = copy_value,
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

json_struct!(TaxSumsJson from GetTaxPackResponse {
    speculative: BusinessJson = convert_required,
    non_speculative: BusinessJson = convert_required,
    short_term: Vec<GainsJson> = convert_list,
    long_term: Vec<GainsJson> = convert_list,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_term_exempt: Option<Number> = optional_decimal,
    business_turnover: Number = raw_decimal,
    hints: Vec<String> = hint_texts,
});

fn hint_texts(codes: Vec<String>) -> Result<Vec<String>, JsonError> {
    Ok(tax_hints(&codes))
}

/// Returns the sentences of a tax pack's hints.
pub(crate) fn tax_hints(codes: &[String]) -> Vec<String> {
    let text = |code: &String| texts::text("analytics", &format!("hint.{code}"), &texts::Params::new());
    codes.iter().filter_map(text).collect()
}

json_struct!(BusinessJson from BusinessIncome {
    closed_trades: i64 = copy_value,
    gross: Number = raw_decimal,
    charges: Number = raw_decimal,
    net: Number = raw_decimal,
    turnover: Number = raw_decimal,
    profits: Number = raw_decimal,
    losses: Number = raw_decimal,
});

json_struct!(GainsJson from CapitalGains {
    from: String = copy_value,
    to: String = copy_value,
    rate_percent: Number = raw_decimal,
    law: String = copy_value,
    sales: i64 = copy_value,
    sale_value: Number = raw_decimal,
    cost: Number = raw_decimal,
    expenses: Number = raw_decimal,
    gain: Number = raw_decimal,
});

/// Corporate action, settlement or opening holding that the trader entered.
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
        let optional_shares = |shares: i32| Some(shares).filter(|shares| *shares != 0);
        Ok(Self {
            kind: adjustment_kind_name(adjustment.kind())?,
            broker: (adjustment.broker != 0).then(|| broker_name(adjustment.broker())).transpose()?,
            id: adjustment.id.to_string(),
            symbol: adjustment.symbol,
            date: adjustment.date,
            new_shares: optional_shares(adjustment.new_shares),
            old_shares: optional_shares(adjustment.old_shares),
            new_symbol: optional_text(adjustment.new_symbol)?,
            quantity: optional_decimal(adjustment.quantity)?,
            price: optional_decimal(adjustment.price)?,
        })
    }
}
