//! Responses of the overview and of groups.

use rpc::analytics::v1 as wire;

use crate::analysis::Analysis;
use crate::figures::{Day, Drawdown, Figures, Interval, NamedResult, RiskFigures};
use crate::filter::Bounds;
use crate::grpc::values::{format_day, format_decimal, format_optional, format_optional_day, to_contract, to_count};
use crate::overview::{Bucket, Cell, DataIssues, Scope, SymbolCurve};
use crate::tax::FinancialYear;

pub fn to_figures(figures: Figures) -> wire::Figures {
    wire::Figures {
        closed_trades: to_count(figures.closed_trades),
        wins: to_count(figures.wins),
        losses: to_count(figures.losses),
        gross: format_decimal(figures.gross),
        charges: format_decimal(figures.charges),
        stated_charges: format_decimal(figures.stated_charges),
        net: format_decimal(figures.net),
        partial_net: format_decimal(figures.partial_net),
        turnover: format_decimal(figures.turnover),
        win_rate: figures.win_rate.map(to_interval),
        profit_factor: format_optional(figures.profit_factor),
        expectancy: format_optional(figures.expectancy),
        average_win: format_optional(figures.average_win),
        average_loss: format_optional(figures.average_loss),
        payoff: format_optional(figures.payoff),
        best: figures.best.map(to_named_result),
        worst: figures.worst.map(to_named_result),
        longest_win_streak: to_count(figures.longest_win_streak),
        longest_loss_streak: to_count(figures.longest_loss_streak),
        current_streak: figures.current_streak,
        drawdown: figures.drawdown.map(|Drawdown { amount, days, from, to, recovered }| wire::Drawdown {
            amount: format_decimal(amount),
            days,
            from: format_day(from),
            to: format_day(to),
            recovered: format_optional_day(recovered),
        }),
        holding_seconds: figures.holding_seconds,
        max_entry_value: format_decimal(figures.max_entry_value),
        sample_too_small: figures.sample_too_small,
        // Known only with the analysis; see `with_doubtful`.
        doubtful_closed_trades: 0,
        risk: figures.risk.map(|RiskFigures { closed_trades, average, best, worst, sample_too_small }| {
            wire::RiskFigures {
                closed_trades: to_count(closed_trades),
                average: format_decimal(average),
                best: format_decimal(best),
                worst: format_decimal(worst),
                sample_too_small,
            }
        }),
    }
}

pub fn to_interval(Interval { rate, low, high }: Interval) -> wire::Interval {
    wire::Interval { rate: format_decimal(rate), low: format_decimal(low), high: format_decimal(high) }
}

/// Adds the number of closed trades that the answer to an open issue may change.
pub fn with_doubtful(figures: wire::Figures, doubtful_closed_trades: usize) -> wire::Figures {
    wire::Figures { doubtful_closed_trades: to_count(doubtful_closed_trades), ..figures }
}

fn to_named_result(NamedResult { id, is_strategy, instrument, net }: NamedResult) -> wire::NamedResult {
    let symbol = instrument.symbol.clone();
    wire::NamedResult { id, symbol, contract: to_contract(&instrument), net: format_decimal(net), is_strategy }
}

pub fn to_day(day: Day) -> wire::Day {
    wire::Day {
        date: format_day(day.date),
        closed_trades: to_count(day.closed_trades),
        gross: format_decimal(day.gross),
        charges: format_decimal(day.charges),
        net: format_decimal(day.net),
        equity: format_decimal(day.equity),
        drawdown: format_decimal(day.drawdown),
    }
}

pub fn to_bucket(Bucket { bounds: Bounds { from, to }, closed_trades }: Bucket) -> wire::Bucket {
    wire::Bucket { from: format_optional(from), to: format_optional(to), closed_trades: to_count(closed_trades) }
}

pub fn to_cell(((weekday, hour), cell): ((u8, u8), Cell)) -> wire::Cell {
    wire::Cell {
        weekday: weekday.into(),
        hour: hour.into(),
        closed_trades: to_count(cell.closed_trades),
        wins: to_count(cell.wins),
        net: format_decimal(cell.net),
    }
}

pub fn to_symbol_curve(SymbolCurve { symbol, closed_trades, net, days }: SymbolCurve) -> wire::SymbolCurve {
    let days = days.into_iter().map(|(day, net)| wire::CurvePoint { date: format_day(day), net: format_decimal(net) });
    wire::SymbolCurve { symbol, closed_trades: to_count(closed_trades), net: format_decimal(net), days: days.collect() }
}

pub fn to_scope(scope: Scope, analysis: &Analysis) -> wire::Scope {
    wire::Scope {
        trades: to_count(analysis.trade_count),
        closed_trades: to_count(analysis.closed_trades().count()),
        from: format_optional_day(scope.from),
        to: format_optional_day(scope.to),
        financial_years: scope.years.into_iter().map(FinancialYear::name).collect(),
        symbols: scope.symbols,
    }
}

pub fn to_data_issues(issues: DataIssues) -> wire::DataIssues {
    wire::DataIssues {
        missing_cost_basis: to_count(issues.missing_cost_basis),
        expired: to_count(issues.expired),
        open_positions: to_count(issues.open_positions),
        rates_missing: to_count(issues.rates_missing),
        outside_filter: to_count(issues.outside_filter),
        open: to_count(issues.open),
    }
}
