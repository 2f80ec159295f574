//! What the core says of the trades, as JSON has it.

use rpc::analytics::v1 as wire;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::record::{self, Unwritable, raw_number};
use crate::words::of_broker;

use super::words::{broker, component, direction, instrument, kind, of_adjustment, of_note};

pub(super) type Number = Box<RawValue>;

/// Declares the JSON of a message: each field with what makes it of the message's field of the same name.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident of $wire:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $make:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name { $($(#[$field_doc])* $field: $type),+ }

        impl TryFrom<wire::$wire> for $name {
            type Error = Unwritable;

            fn try_from(wire: wire::$wire) -> Result<Self, Unwritable> {
                Ok(Self { $($field: $make(wire.$field)?),+ })
            }
        }
    };
}
pub(super) use record as json_record;

pub(super) fn same<T>(value: T) -> Result<T, Unwritable> {
    Ok(value)
}

/// A number, or null where there is none.
pub(super) fn optional(text: String) -> Result<Option<Number>, Unwritable> {
    if text.is_empty() { Ok(None) } else { raw_number(text).map(Some) }
}

pub(super) fn text(text: String) -> Result<Option<String>, Unwritable> {
    Ok(Some(text).filter(|text| !text.is_empty()))
}

pub(super) fn each<W, R: TryFrom<W, Error = Unwritable>>(all: Vec<W>) -> Result<Vec<R>, Unwritable> {
    all.into_iter().map(R::try_from).collect()
}

pub(super) fn maybe<W, R: TryFrom<W, Error = Unwritable>>(one: Option<W>) -> Result<Option<R>, Unwritable> {
    one.map(R::try_from).transpose()
}

/// What the core always sends.
pub(super) fn one<W: Default, R: TryFrom<W, Error = Unwritable>>(one: Option<W>) -> Result<R, Unwritable> {
    R::try_from(one.unwrap_or_default())
}

record!(Overview of GetOverviewResponse {
    figures: Figures = one,
    days: Vec<Day> = each,
    distribution: Vec<Bucket> = each,
    risk_distribution: Vec<Bucket> = each,
    grid: Vec<Cell> = each,
    symbols: Vec<SymbolCurve> = each,
    scope: Scope = one,
    attention: Attention = one,
});

record!(Figures of Figures {
    closed_trades: i64 = same,
    wins: i64 = same,
    losses: i64 = same,
    gross: Number = raw_number,
    charges: Number = raw_number,
    net: Number = raw_number,
    turnover: Number = raw_number,
    win_rate: Option<Interval> = maybe,
    profit_factor: Option<Number> = optional,
    expectancy: Option<Number> = optional,
    average_win: Option<Number> = optional,
    average_loss: Option<Number> = optional,
    payoff: Option<Number> = optional,
    best: Option<NamedResult> = maybe,
    worst: Option<NamedResult> = maybe,
    longest_win_streak: i64 = same,
    longest_loss_streak: i64 = same,
    current_streak: i64 = same,
    drawdown: Option<Drawdown> = maybe,
    holding_seconds: Option<i64> = same,
    capital_used: Number = raw_number,
    too_few: bool = same,
    risk: Option<RiskFigures> = maybe,
});

record!(RiskFigures of RiskFigures {
    closed_trades: i64 = same,
    average: Number = raw_number,
    best: Number = raw_number,
    worst: Number = raw_number,
    too_few: bool = same,
});

record!(Interval of Interval { rate: Number = raw_number, low: Number = raw_number, high: Number = raw_number });

record!(NamedResult of NamedResult { id: String = same, symbol: String = same, net: Number = raw_number });

record!(Drawdown of Drawdown {
    amount: Number = raw_number,
    days: i64 = same,
    from: String = same,
    to: String = same,
    recovered: Option<String> = text,
});

record!(Day of Day {
    date: String = same,
    closed_trades: i64 = same,
    gross: Number = raw_number,
    charges: Number = raw_number,
    net: Number = raw_number,
    equity: Number = raw_number,
    drawdown: Number = raw_number,
});

record!(Bucket of Bucket { from: Option<Number> = optional, to: Option<Number> = optional, closed_trades: i64 = same });

record!(Cell of Cell {
    weekday: i32 = same,
    hour: i32 = same,
    closed_trades: i64 = same,
    wins: i64 = same,
    net: Number = raw_number,
});

record!(SymbolCurve of SymbolCurve {
    symbol: String = same,
    closed_trades: i64 = same,
    net: Number = raw_number,
    days: Vec<CurvePoint> = each,
});

record!(CurvePoint of CurvePoint { date: String = same, net: Number = raw_number });

record!(Scope of Scope {
    trades: i64 = same,
    closed_trades: i64 = same,
    from: Option<String> = text,
    to: Option<String> = text,
    financial_years: Vec<String> = same,
    symbols: Vec<String> = same,
});

record!(Attention of Attention {
    missing_cost_basis: i64 = same,
    expired: i64 = same,
    open_positions: i64 = same,
    uncharged: i64 = same,
});

record!(Groups of ListGroupsResponse { groups: Vec<Group> = each, total: i64 = same });

record!(Group of Group { key: String = same, figures: Figures = one });

record!(ClosedTrades of ListClosedTradesResponse {
    closed_trades: Vec<ClosedTrade> = each,
    total: i64 = same,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String> = text,
});

/// What one closing order closed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClosedTrade {
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
    opened: Vec<Leg>,
    closed: Vec<Leg>,
}

impl TryFrom<wire::ClosedTrade> for ClosedTrade {
    type Error = Unwritable;

    fn try_from(closed_trade: wire::ClosedTrade) -> Result<Self, Unwritable> {
        let (broker, tradetype) = record::book_words(&closed_trade.book.unwrap_or_default())?;
        let notes: Result<_, Unwritable> = closed_trade.notes().map(|note| Ok(of_note(note)?)).collect();
        Ok(Self {
            instrument: instrument(closed_trade.instrument)?,
            segment: kind(closed_trade.kind)?,
            side: direction(closed_trade.direction)?,
            notes: notes?,
            id: closed_trade.id,
            symbol: closed_trade.symbol,
            underlying: closed_trade.underlying,
            broker,
            tradetype,
            quantity: raw_number(closed_trade.quantity)?,
            opened_at: record::time_of(closed_trade.opened_at.as_ref())?,
            closed_at: record::time_of(closed_trade.closed_at.as_ref())?,
            time_precision: if closed_trade.timed { "second" } else { "day" },
            entry_price: raw_number(closed_trade.entry_price)?,
            exit_price: raw_number(closed_trade.exit_price)?,
            entry_value: raw_number(closed_trade.entry_value)?,
            exit_value: raw_number(closed_trade.exit_value)?,
            gross: raw_number(closed_trade.gross)?,
            charges: raw_number(closed_trade.charges)?,
            net: raw_number(closed_trade.net)?,
            initial_risk: optional(closed_trade.initial_risk)?,
            r: optional(closed_trade.r)?,
            holding_seconds: closed_trade.holding_seconds,
            setup: closed_trade.setup,
            psychology: closed_trade.psychology,
            opened: each(closed_trade.opened)?,
            closed: each(closed_trade.closed)?,
        })
    }
}

record!(Leg of Leg {
    trade_id: Option<String> = trade_id,
    date: String = same,
    quantity: Number = raw_number,
    value: Number = raw_number,
});

fn trade_id(id: i64) -> Result<Option<String>, Unwritable> {
    Ok((id != 0).then(|| id.to_string()))
}

record!(OpenPositions of ListOpenPositionsResponse {
    sales: Vec<MissingCostBasis> = each,
    sales_total: i64 = same,
    expired: Vec<OpenPosition> = each,
    expired_total: i64 = same,
    open: Vec<OpenPosition> = each,
    open_total: i64 = same,
});

record!(MissingCostBasis of MissingCostBasis {
    trade_id: Option<String> = trade_id,
    broker: &'static str = broker,
    symbol: String = same,
    date: String = same,
    quantity: Number = raw_number,
    value: Number = raw_number,
});

/// What is open.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenPosition {
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

impl TryFrom<wire::OpenPosition> for OpenPosition {
    type Error = Unwritable;

    fn try_from(position: wire::OpenPosition) -> Result<Self, Unwritable> {
        let (broker, tradetype) = record::book_words(&position.book.unwrap_or_default())?;
        Ok(Self {
            symbol: position.symbol,
            instrument: instrument(position.instrument)?,
            broker,
            tradetype,
            side: direction(position.direction)?,
            quantity: raw_number(position.quantity)?,
            value: raw_number(position.value)?,
            since: position.since,
            expiry: text(position.expiry)?,
            taken_as_worthless: position.taken_as_worthless,
        })
    }
}

record!(Charges of GetChargesResponse {
    total: Number = raw_number,
    components: Components = components,
    lines: Vec<ChargeLine> = each,
});

/// The sums by the names of their components.
type Components = std::collections::BTreeMap<&'static str, Number>;

fn components(sums: Vec<wire::ComponentSum>) -> Result<Components, Unwritable> {
    sums.into_iter().map(|sum| Ok((component(sum.component)?, raw_number(sum.amount)?))).collect()
}

record!(ChargeLine of ChargeLine {
    component: &'static str = component,
    rule: String = same,
    from: String = same,
    source: String = same,
    amount: Number = raw_number,
});

/// The sums of a financial year.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaxPack {
    pub year: String,
    #[serde(flatten)]
    pub sums: TaxSums,
}

record!(TaxSums of GetTaxPackResponse {
    speculative: Business = one,
    non_speculative: Business = one,
    short_term: Vec<Gains> = each,
    long_term: Vec<Gains> = each,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_term_exempt: Option<Number> = optional,
    business_turnover: Number = raw_number,
    hints: Vec<String> = same,
});

record!(Business of BusinessIncome {
    closed_trades: i64 = same,
    gross: Number = raw_number,
    charges: Number = raw_number,
    net: Number = raw_number,
    turnover: Number = raw_number,
    profits: Number = raw_number,
    losses: Number = raw_number,
});

record!(Gains of CapitalGains {
    from: String = same,
    to: String = same,
    rate_percent: Number = raw_number,
    law: String = same,
    sales: i64 = same,
    sale_value: Number = raw_number,
    cost: Number = raw_number,
    expenses: Number = raw_number,
    gain: Number = raw_number,
});

/// What a trader entered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdjustmentRecord {
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

impl TryFrom<wire::Adjustment> for AdjustmentRecord {
    type Error = Unwritable;

    fn try_from(entered: wire::Adjustment) -> Result<Self, Unwritable> {
        let shares = |shares: i32| Some(shares).filter(|shares| *shares != 0);
        Ok(Self {
            kind: of_adjustment(entered.kind())?,
            broker: (entered.broker != 0).then(|| of_broker(entered.broker())).transpose()?,
            id: entered.id.to_string(),
            symbol: entered.symbol,
            date: entered.date,
            new_shares: shares(entered.new_shares),
            old_shares: shares(entered.old_shares),
            new_symbol: text(entered.new_symbol)?,
            quantity: optional(entered.quantity)?,
            price: optional(entered.price)?,
        })
    }
}
