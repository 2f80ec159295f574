//! To the wire.

use prost_types::Timestamp;
use rpc::analytics::v1 as wire;
use rpc::trades::v1 as trades;
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::adjustment::{Adjustment, Ratio, What};
use crate::analysis::Analysis;
use crate::charge_lines::ChargeLine;
use crate::charges::{Charges, Component};
use crate::closed_trade::{ClosedTrade, Notes};
use crate::figures::{Day, Drawdown, Figures, Interval, NamedResult, RiskFigures, divided};
use crate::fill::{Broker, Fill};
use crate::filter::Bounds;
use crate::group::{Group, Origin};
use crate::instrument::{Class, Expiry, Instrument};
use crate::matching::{Position, Slice};
use crate::overview::{Attention, Bucket, Cell, Curve, Scope};
use crate::tariff::Kind;
use crate::tax::{Business, FinancialYear, Gains, Head, TaxLine, TaxPack};

/// Legs of a closed trade, and things in a list of what is missing_cost_basis.
const LEGS: usize = 100;
const MOST: usize = 500;

pub fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

pub fn text(amount: Decimal) -> String {
    amount.round_dp(4).normalize().to_string()
}

fn optional(amount: Option<Decimal>) -> String {
    amount.map(text).unwrap_or_default()
}

fn day_text(day: Date) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), u8::from(day.month()), day.day())
}

fn optional_day(day: Option<Date>) -> String {
    day.map(day_text).unwrap_or_default()
}

/// The month alone where the day is not known.
fn expiry_text(Expiry { day, exact }: Expiry) -> String {
    if exact { day_text(day) } else { format!("{:04}-{:02}", day.year(), u8::from(day.month())) }
}

fn timestamp(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: 0 }
}

pub fn figures(figures: Figures) -> wire::Figures {
    wire::Figures {
        closed_trades: count(figures.closed_trades),
        wins: count(figures.wins),
        losses: count(figures.losses),
        gross: text(figures.gross),
        charges: text(figures.charges),
        net: text(figures.net),
        turnover: text(figures.turnover),
        win_rate: figures.win_rate.map(|Interval { rate, low, high }| wire::Interval {
            rate: text(rate),
            low: text(low),
            high: text(high),
        }),
        profit_factor: optional(figures.profit_factor),
        expectancy: optional(figures.expectancy),
        average_win: optional(figures.average_win),
        average_loss: optional(figures.average_loss),
        payoff: optional(figures.payoff),
        best: figures.best.map(named),
        worst: figures.worst.map(named),
        longest_win_streak: count(figures.longest_win_streak),
        longest_loss_streak: count(figures.longest_loss_streak),
        current_streak: figures.current_streak,
        drawdown: figures.drawdown.map(|Drawdown { amount, days, from, to, recovered }| wire::Drawdown {
            amount: text(amount),
            days,
            from: day_text(from),
            to: day_text(to),
            recovered: optional_day(recovered),
        }),
        holding_seconds: figures.holding_seconds,
        capital_used: text(figures.capital_used),
        too_few: figures.too_few,
        risk: figures.risk.map(|RiskFigures { closed_trades, average, best, worst, too_few }| wire::RiskFigures {
            closed_trades: count(closed_trades),
            average: text(average),
            best: text(best),
            worst: text(worst),
            too_few,
        }),
    }
}

fn named(NamedResult { id, symbol, net }: NamedResult) -> wire::NamedResult {
    wire::NamedResult { id, symbol, net: text(net) }
}

pub fn day(day: Day) -> wire::Day {
    wire::Day {
        date: day_text(day.date),
        closed_trades: count(day.closed_trades),
        gross: text(day.gross),
        charges: text(day.charges),
        net: text(day.net),
        equity: text(day.equity),
        drawdown: text(day.drawdown),
    }
}

pub fn bucket(Bucket { bounds: Bounds { from, to }, closed_trades }: Bucket) -> wire::Bucket {
    wire::Bucket { from: optional(from), to: optional(to), closed_trades: count(closed_trades) }
}

pub fn cell(((weekday, hour), cell): ((u8, u8), Cell)) -> wire::Cell {
    wire::Cell {
        weekday: weekday.into(),
        hour: hour.into(),
        closed_trades: count(cell.closed_trades),
        wins: count(cell.wins),
        net: text(cell.net),
    }
}

pub fn curve(Curve { symbol, closed_trades, net, days }: Curve) -> wire::SymbolCurve {
    let days = days.into_iter().map(|(day, net)| wire::CurvePoint { date: day_text(day), net: text(net) });
    wire::SymbolCurve { symbol, closed_trades: count(closed_trades), net: text(net), days: days.collect() }
}

pub fn scope(scope: Scope, analysis: &Analysis) -> wire::Scope {
    wire::Scope {
        trades: count(analysis.trades),
        closed_trades: count(analysis.closed_trades().count()),
        from: optional_day(scope.from),
        to: optional_day(scope.to),
        financial_years: scope.years.into_iter().map(FinancialYear::name).collect(),
        symbols: scope.symbols,
    }
}

pub fn attention(attention: Attention) -> wire::Attention {
    wire::Attention {
        missing_cost_basis: count(attention.missing_cost_basis),
        expired: count(attention.expired),
        open_positions: count(attention.open_positions),
        uncharged: count(attention.uncharged),
    }
}

pub fn closed_trade(analysis: &Analysis, closed_trade: &ClosedTrade) -> wire::ClosedTrade {
    let group = analysis.group(closed_trade);
    let pieces = || group.into_iter().flat_map(|group| group.pieces(&closed_trade.pieces));
    wire::ClosedTrade {
        id: closed_trade.id(),
        symbol: closed_trade.instrument.symbol.clone(),
        underlying: closed_trade.instrument.underlying.clone(),
        instrument: class(closed_trade.instrument.class).into(),
        book: Some(book(closed_trade.broker, &closed_trade.instrument)),
        kind: kind(closed_trade.kind).into(),
        direction: direction(closed_trade.long).into(),
        quantity: text(closed_trade.quantity),
        opened_at: Some(timestamp(closed_trade.opened)),
        closed_at: Some(timestamp(closed_trade.closed)),
        timed: closed_trade.timed,
        entry_value: text(closed_trade.entry_value),
        exit_value: text(closed_trade.exit_value),
        entry_price: optional(divided(closed_trade.entry_value, closed_trade.quantity)),
        exit_price: optional(divided(closed_trade.exit_value, closed_trade.quantity)),
        gross: text(closed_trade.gross),
        charges: text(closed_trade.charges),
        net: text(closed_trade.net),
        holding_seconds: closed_trade.holding_seconds(),
        setup: closed_trade.words.as_ref().map(|words| words.setup.clone()).unwrap_or_default(),
        psychology: closed_trade.words.as_ref().map(|words| words.psychology.clone()).unwrap_or_default(),
        initial_risk: optional(closed_trade.risk),
        r: optional(closed_trade.r()),
        notes: notes(closed_trade.notes),
        opened: legs(group, pieces().map(|piece| &piece.entry)),
        closed: legs(group, pieces().map(|piece| &piece.exit)),
    }
}

/// The trades behind slices, each once.
fn legs<'a>(group: Option<&Group>, slices: impl Iterator<Item = &'a Slice>) -> Vec<wire::Leg> {
    let mut legs: Vec<(usize, &Fill, Decimal, Decimal)> = Vec::new();
    for slice in slices {
        let Some(origin) = group.and_then(|group| group.origin(slice)) else { continue };
        match legs.last_mut().filter(|(part, ..)| *part == slice.part) {
            Some((_, _, quantity, value)) => {
                *quantity += slice.quantity();
                *value += origin.value;
            }
            None => legs.push((slice.part, origin.fill, slice.quantity(), origin.value)),
        }
    }
    let leg = |(_, fill, quantity, value): (_, &Fill, _, _)| wire::Leg {
        trade_id: fill.trade_id,
        date: day_text(fill.day),
        quantity: text(quantity),
        value: text(value),
    };
    legs.into_iter().take(LEGS).map(leg).collect()
}

fn notes(notes: Notes) -> Vec<i32> {
    let all = [
        (notes.worthless, wire::Note::Worthless),
        (notes.settled, wire::Note::Settled),
        (notes.marks.split, wire::Note::Split),
        (notes.bonus, wire::Note::Bonus),
        (notes.marks.renamed, wire::Note::Renamed),
        (notes.opening, wire::Note::Opening),
        (notes.uncharged, wire::Note::Uncharged),
    ];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note.into()).collect()
}

pub fn missing_cost_basis(analysis: &Analysis) -> wire::ListOpenPositionsResponse {
    let of_group = |group| {
        let group: &Group = group;
        group.missing_cost_basis().iter().filter_map(move |slice| Some((slice, group.origin(slice)?)))
    };
    let mut sales: Vec<(&Slice, Origin)> = analysis.groups().flat_map(of_group).collect();
    sales.sort_by(|(_, one), (_, other)| other.fill.order(one.fill));
    let mut positions: Vec<(&Position, &Fill)> = analysis.groups().flat_map(Group::positions).collect();
    positions.sort_by(|(_, one), (_, other)| other.order(one));
    let (expired, open): (Vec<_>, Vec<_>) = positions.into_iter().partition(|(position, _)| position.expired);
    let first =
        |positions: &[(&Position, &Fill)]| positions.iter().take(MOST).map(|of| open_position(of.0, of.1)).collect();
    wire::ListOpenPositionsResponse {
        sales_total: count(sales.len()),
        sales: sales
            .iter()
            .take(MOST)
            .map(|(slice, origin)| wire::MissingCostBasis {
                trade_id: origin.fill.trade_id,
                broker: broker(origin.fill.broker).into(),
                symbol: origin.fill.instrument.symbol.clone(),
                date: day_text(origin.fill.day),
                quantity: text(slice.quantity()),
                value: text(origin.value),
            })
            .collect(),
        expired: first(&expired),
        expired_total: count(expired.len()),
        open: first(&open),
        open_total: count(open.len()),
    }
}

fn open_position(position: &Position, fill: &Fill) -> wire::OpenPosition {
    wire::OpenPosition {
        symbol: fill.instrument.symbol.clone(),
        instrument: class(fill.instrument.class).into(),
        book: Some(book(fill.broker, &fill.instrument)),
        direction: direction(position.long).into(),
        quantity: text(position.quantity),
        value: text(position.value),
        since: day_text(fill.day),
        expiry: fill.instrument.expiry.map(expiry_text).unwrap_or_default(),
        taken_as_worthless: position.worthless,
    }
}

pub fn charges((sum, lines): (Charges, Vec<ChargeLine>)) -> wire::GetChargesResponse {
    let components =
        sum.each().map(|(of, amount)| wire::ComponentSum { component: component(of).into(), amount: text(amount) });
    let line = |line: ChargeLine| wire::ChargeLine {
        component: component(line.component).into(),
        rule: line.rule,
        from: day_text(line.from),
        source: line.source,
        amount: text(line.amount),
    };
    wire::GetChargesResponse {
        total: text(sum.total()),
        components: components.into(),
        lines: lines.into_iter().map(line).collect(),
    }
}

fn component(component: Component) -> wire::Component {
    match component {
        Component::Brokerage => wire::Component::Brokerage,
        Component::Stt => wire::Component::Stt,
        Component::Exchange => wire::Component::Exchange,
        Component::Sebi => wire::Component::Sebi,
        Component::Ipft => wire::Component::Ipft,
        Component::StampDuty => wire::Component::StampDuty,
        Component::Gst => wire::Component::Gst,
        Component::Dp => wire::Component::Dp,
    }
}

pub fn tax_pack(pack: TaxPack) -> wire::GetTaxPackResponse {
    wire::GetTaxPackResponse {
        speculative: Some(business(pack.speculative)),
        non_speculative: Some(business(pack.non_speculative)),
        short_term: pack.short_term.into_iter().map(gains).collect(),
        long_term: pack.long_term.into_iter().map(gains).collect(),
        long_term_exempt: optional(pack.long_term_exempt),
        business_turnover: text(pack.business_turnover),
        hints: pack.hints,
    }
}

fn business(business: Business) -> wire::BusinessIncome {
    wire::BusinessIncome {
        closed_trades: count(business.closed_trades),
        gross: text(business.gross),
        charges: text(business.charges),
        net: text(business.net),
        turnover: text(business.turnover),
        profits: text(business.profits),
        losses: text(business.losses),
    }
}

fn gains(gains: Gains) -> wire::CapitalGains {
    wire::CapitalGains {
        from: day_text(gains.from),
        to: day_text(gains.to),
        rate_percent: text(gains.rate_percent),
        law: gains.law,
        sales: count(gains.sales),
        sale_value: text(gains.sale_value),
        cost: text(gains.cost),
        expenses: text(gains.expenses),
        gain: text(gains.gain),
    }
}

pub fn tax_line(line: TaxLine) -> wire::TaxLine {
    let head = match line.head {
        Head::Speculative => wire::TaxHead::Speculative,
        Head::NonSpeculative => wire::TaxHead::NonSpeculative,
        Head::ShortTerm => wire::TaxHead::ShortTerm,
        Head::LongTerm => wire::TaxHead::LongTerm,
    };
    wire::TaxLine {
        head: head.into(),
        broker: broker(line.broker).into(),
        symbol: line.symbol,
        quantity: text(line.quantity),
        bought: day_text(line.bought),
        sold: day_text(line.sold),
        buy_value: text(line.buy_value),
        sell_value: text(line.sell_value),
        stt: text(line.stt),
        other_charges: text(line.other_charges),
        income: text(line.income),
        rate_percent: optional(line.rate_percent),
        gross: text(line.sell_value - line.buy_value),
    }
}

pub fn adjustment(adjustment: Adjustment) -> wire::Adjustment {
    let mut entered = wire::Adjustment {
        id: adjustment.id,
        symbol: adjustment.symbol,
        date: day_text(adjustment.day),
        ..wire::Adjustment::default()
    };
    let kind = match adjustment.what {
        What::Split(Ratio { new, old }) => {
            (entered.new_shares, entered.old_shares) = (new, old);
            wire::AdjustmentKind::Split
        }
        What::Bonus(Ratio { new, old }) => {
            (entered.new_shares, entered.old_shares) = (new, old);
            wire::AdjustmentKind::Bonus
        }
        What::Rename(to) => {
            entered.new_symbol = to;
            wire::AdjustmentKind::Rename
        }
        What::Settlement(price) => {
            entered.price = text(price);
            wire::AdjustmentKind::Settlement
        }
        What::Opening { broker: with, quantity, price } => {
            entered.set_broker(broker(with));
            (entered.quantity, entered.price) = (text(quantity), text(price));
            wire::AdjustmentKind::Opening
        }
    };
    entered.set_kind(kind);
    entered
}

fn broker(broker: Broker) -> trades::Broker {
    match broker {
        Broker::Zerodha => trades::Broker::Zerodha,
        Broker::Groww => trades::Broker::Groww,
    }
}

fn book(of: Broker, instrument: &Instrument) -> trades::Book {
    let segment = if instrument.is_contract() { trades::Segment::Fno } else { trades::Segment::Equity };
    trades::Book { broker: broker(of).into(), segment: segment.into() }
}

fn class(class: Class) -> wire::Instrument {
    match class {
        Class::Equity => wire::Instrument::Equity,
        Class::Future => wire::Instrument::Future,
        Class::Call => wire::Instrument::Call,
        Class::Put => wire::Instrument::Put,
    }
}

fn kind(kind: Kind) -> wire::Kind {
    match kind {
        Kind::Intraday => wire::Kind::Intraday,
        Kind::Delivery => wire::Kind::Delivery,
        Kind::Futures => wire::Kind::Futures,
        Kind::Options => wire::Kind::Options,
    }
}

fn direction(long: bool) -> wire::Direction {
    if long { wire::Direction::Long } else { wire::Direction::Short }
}
