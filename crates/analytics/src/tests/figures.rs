//! Figures, groups and filters compared with sums computed by hand.

use super::*;
use crate::figures::{Drawdown, Figures, Interval, days};
use crate::filter::{Filter, GroupBy};
use crate::overview::{Bucket, DataIssues, Scope, distribution, group_figures, symbol_curves, weekday_hour_grid};

/// In 2016 the rates contain no charges.
const WEEK: &str = "2016-06-06 09:20 zerodha NSE buy A 10 100
                    2016-06-06 09:24 zerodha NSE sell A 10 110
                    2016-06-07 10:20 zerodha NSE buy A 10 100
                    2016-06-07 12:20 zerodha NSE sell A 10 80
                    2016-06-08 10:30 zerodha NSE sell B 10 100
                    2016-06-08 10:40 zerodha NSE buy B 10 105
                    2016-06-10 - zerodha NSE buy C 10 100
                    2016-06-10 - zerodha NSE sell C 10 130
                    2016-06-13 09:20 groww NSE buy A 10 100
                    2016-06-14 09:20 groww NSE sell A 10 115";

fn rounded(amount: Option<Decimal>) -> Option<Decimal> {
    amount.map(|amount| amount.round_dp(1).normalize())
}

#[test]
fn figures_of_five_closed_trades() {
    // +100, -200, -50, +300, +150: gross 300; wins 550 / 3 = 183.3; losses -250 / 2 = -125; factor 550 / 250 = 2.2.
    let analysis = analysis(WEEK, &[]);
    let figures = Figures::new(analysis.closed_trades());
    assert_eq!((figures.closed_trades, figures.wins, figures.losses), (5, 3, 2));
    assert_eq!((figures.gross, figures.net), (decimal("300"), figures.gross - figures.charges));
    assert_eq!(figures.turnover, decimal("10400"));
    assert_eq!(rounded(figures.average_win), Some(decimal("183.3")));
    assert_eq!(rounded(figures.average_loss), Some(decimal("-125")));
    assert_eq!(rounded(figures.profit_factor), Some(decimal("2.2")));
    assert_eq!(rounded(figures.payoff), Some(decimal("1.5")));
    assert_eq!(rounded(figures.expectancy), Some(decimal("60")));
    // Wilson for 3 of 5 at 95 %: 0.2307 to 0.8824.
    let interval = Interval { rate: decimal("0.6"), low: decimal("0.2307"), high: decimal("0.8824") };
    assert_eq!(figures.win_rate, Some(interval));
    assert_eq!((figures.longest_win_streak, figures.longest_loss_streak, figures.current_streak), (2, 2, 2));
    assert_eq!((&*figures.best.unwrap().instrument.symbol, &*figures.worst.unwrap().instrument.symbol), ("C", "A"));
    // The equity is 100, -100, -150, 150, 300: it falls by 250 from the 6th to the 8th and recovers on the 10th.
    let drawdown = figures.drawdown.unwrap();
    assert_eq!(drawdown.amount.round_dp(1).normalize(), decimal("-250"));
    let (from, to, recovered) = (date!(2016 - 06 - 06), date!(2016 - 06 - 08), date!(2016 - 06 - 10));
    assert_eq!(drawdown, Drawdown { amount: drawdown.amount, days: 4, from, to, recovered: Some(recovered) });
    // 4, 120 and 10 minutes and a day: (240 + 7200 + 600 + 86400) / 4. The trade without a time is not counted.
    assert_eq!(figures.holding_seconds, Some(23_610));
    assert_eq!((figures.max_entry_value, figures.sample_too_small), (decimal("1000"), true));
}

#[test]
fn days_form_an_equity_curve() {
    let analysis = analysis(WEEK, &[]);
    let days = days(analysis.closed_trades());
    let gross: Vec<Decimal> = days.iter().map(|day| day.gross).collect();
    assert_eq!(gross, ["100", "-200", "-50", "300", "150"].map(decimal));
    let last = days.last().unwrap();
    assert_eq!(last.equity, days.iter().map(|day| day.net).sum::<Decimal>());
    assert_eq!((last.drawdown, days[1].drawdown), (Decimal::ZERO, days[1].net));
}

#[test]
fn figures_without_closed_trades_are_empty() {
    let figures = Figures::new([].iter());
    let empty = Figures { sample_too_small: true, ..Figures::default() };
    assert_eq!(figures, empty);
    assert!(distribution([].iter()).is_empty() && symbol_curves([].iter()).is_empty());
}

#[test]
fn max_entry_value_is_the_maximum_entry_value_open_at_the_same_time() {
    // 1,000 and 2,000 at the same time; the third is opened when the first is closed.
    let analysis = analysis(
        "2026-06-01 09:15 zerodha NSE buy A 10 100
         2026-06-01 09:20 zerodha NSE buy B 10 200
         2026-06-01 09:30 zerodha NSE sell A 10 110
         2026-06-01 09:30 zerodha NSE buy C 10 100
         2026-06-01 09:40 zerodha NSE sell B 10 210
         2026-06-01 09:40 zerodha NSE sell C 10 110",
        &[],
    );
    assert_eq!(Figures::new(analysis.closed_trades()).max_entry_value, decimal("3000"));
}

#[test]
fn groups_closed_trades_by_every_property() {
    let analysis = analysis(WEEK, &[]);
    let grouped = |by| -> Vec<(String, usize)> {
        let (groups, total) = group_figures(by, analysis.closed_trades());
        assert_eq!(groups.len(), total);
        // Filtering by a group returns the closed trades of its figures.
        for (key, figures) in &groups {
            let filter = Filter { group: Some((by, key.clone())), ..Filter::default() };
            assert_eq!(filter.apply(&analysis).count(), figures.closed_trades, "{by:?} {key}");
        }
        groups.into_iter().map(|(key, figures)| (key, figures.closed_trades)).collect()
    };
    let expected = |pairs: &[(&str, usize)]| -> Vec<(String, usize)> {
        pairs.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect()
    };
    assert_eq!(grouped(GroupBy::Weekday), expected(&[("1", 1), ("2", 1), ("3", 1), ("5", 1)]));
    assert_eq!(grouped(GroupBy::Hour), expected(&[("09", 1), ("10", 2)]));
    assert_eq!(grouped(GroupBy::WeekdayHour), expected(&[("1-09", 1), ("2-10", 1), ("3-10", 1)]));
    assert_eq!(grouped(GroupBy::Month), expected(&[("2016-06", 5)]));
    // Sorted by size: 300, 50, -50.
    assert_eq!(grouped(GroupBy::Symbol), expected(&[("C", 1), ("A", 3), ("B", 1)]));
    assert_eq!(grouped(GroupBy::Side), expected(&[("long", 4), ("short", 1)]));
    assert_eq!(grouped(GroupBy::Segment), expected(&[("intraday", 4), ("delivery", 1)]));
    assert_eq!(grouped(GroupBy::Holding), expected(&[("minutes", 1), ("hour", 1), ("day", 2), ("week", 1)]));
    assert_eq!(grouped(GroupBy::Instrument), expected(&[("equity", 5)]));
    for none in [GroupBy::DaysToExpiry, GroupBy::ExpiryDay, GroupBy::Setup, GroupBy::Psychology] {
        assert_eq!(grouped(none), []);
    }
}

#[test]
fn groups_contracts_by_underlying_and_expiry() {
    let analysis = analysis(
        "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10
         2026-05-04 10:15 zerodha NSE sell NIFTY2650523000CE 75 12
         2026-05-05 09:15 zerodha NSE buy NIFTY2650523000PE 75 10
         2026-05-05 10:15 zerodha NSE sell NIFTY2650523000PE 75 9
         2026-05-05 09:15 zerodha NSE buy NIFTY26MAYFUT 75 100
         2026-05-05 10:15 zerodha NSE sell NIFTY26MAYFUT 75 101",
        &[],
    );
    let keys =
        |by| -> Vec<String> { group_figures(by, analysis.closed_trades()).0.into_iter().map(|(key, _)| key).collect() };
    assert_eq!(keys(GroupBy::Symbol), ["NIFTY"]);
    assert_eq!(keys(GroupBy::Instrument), ["future", "CE", "PE"]);
    // The future expires on 26 May.
    assert_eq!(keys(GroupBy::DaysToExpiry), ["0", "1", "8-30"]);
    assert_eq!(keys(GroupBy::ExpiryDay), ["yes", "no"]);
    assert_eq!(keys(GroupBy::Segment), ["futures", "options"]);
}

#[test]
fn filters_by_every_condition() {
    let analysis = analysis(WEEK, &[]);
    let count = |filter: Filter| filter.apply(&analysis).count();
    assert_eq!(count(Filter { from: Some(day("2016-06-07")), to: Some(day("2016-06-10")), ..Filter::default() }), 3);
    assert_eq!(count(Filter { broker: Some(Broker::Groww), ..Filter::default() }), 1);
    assert_eq!(count(Filter { contracts: Some(true), ..Filter::default() }), 0);
    assert_eq!(count(Filter { kind: Some(TradeKind::Delivery), ..Filter::default() }), 1);
    assert_eq!(count(Filter { symbol: Some("a".to_owned()), ..Filter::default() }), 3);
    assert_eq!(count(Filter { long: Some(false), ..Filter::default() }), 1);
    assert_eq!(count(Filter { won: Some(true), ..Filter::default() }), 3);
    assert_eq!(count(Filter { won: Some(false), ..Filter::default() }), 2);
}

#[test]
fn distributes_results_in_equal_buckets() {
    // The largest of five is 300: a width of 30 is rounded up to 50. Charges move -200 just below -200.
    let analysis = analysis(WEEK, &[]);
    let buckets = distribution(analysis.closed_trades());
    let not_empty: Vec<(Decimal, usize)> = buckets
        .iter()
        .filter(|bucket| bucket.closed_trades > 0)
        .map(|bucket| (bucket.bounds.from.unwrap(), bucket.closed_trades))
        .collect();
    let expected = [("-200", 1), ("-50", 1), ("100", 1), ("150", 1), ("300", 1)];
    assert_eq!(not_empty, expected.map(|(from, count)| (decimal(from), count)));
    assert!(buckets.windows(2).all(|pair| pair[0].bounds.to == pair[1].bounds.from));
    // Filtering by the bounds of a bucket returns the closed trades that it counts.
    for Bucket { bounds, closed_trades } in buckets {
        let filter = Filter { net: Some(bounds), ..Filter::default() };
        assert_eq!(filter.apply(&analysis).count(), closed_trades, "{bounds:?}");
    }
}

#[test]
fn returns_the_grid_scope_and_data_issues() {
    let analysis = analysis(WEEK, &[]);
    let grid = weekday_hour_grid(analysis.closed_trades());
    assert_eq!(grid.keys().copied().collect::<Vec<_>>(), [(1, 9), (2, 10), (3, 10)]);
    assert_eq!((grid[&(1, 9)].closed_trades, grid[&(1, 9)].wins), (1, 1));
    let scope = Scope::new(&analysis);
    assert_eq!((scope.from, scope.to), (Some(date!(2016 - 06 - 06)), Some(date!(2016 - 06 - 14))));
    assert_eq!(
        (scope.years[0].name(), scope.symbols),
        ("2016-17".to_owned(), ["A", "B", "C"].map(str::to_owned).into())
    );
    assert_eq!(
        DataIssues::new(&analysis, &Filter::default()),
        DataIssues { rates_missing: 5, open: 2, ..DataIssues::default() }
    );
    let curve = &symbol_curves(analysis.closed_trades())[1];
    assert_eq!((curve.symbol.as_str(), curve.days.len()), ("A", 3));
}

#[test]
fn t7_weekday_and_hour_count_intraday_and_contracts_but_no_delivery_trade() {
    // Opened on Monday at 9: intraday, an option held for a day, and shares held for a year.
    let analysis = analysis(
        "2025-06-02 09:20 zerodha NSE buy A 10 100
         2025-06-02 11:20 zerodha NSE sell A 10 110
         2025-06-02 09:30 zerodha NFO buy NIFTY25JUN25000CE 75 100
         2025-06-03 10:30 zerodha NFO sell NIFTY25JUN25000CE 75 90
         2025-06-02 09:40 zerodha NSE buy B 10 100
         2026-06-08 09:40 zerodha NSE sell B 10 300",
        &[],
    );
    let grid = weekday_hour_grid(analysis.closed_trades());
    assert_eq!(grid.iter().map(|(slot, cell)| (*slot, cell.closed_trades)).collect::<Vec<_>>(), [((1, 9), 2)]);
    // Every cell and heading of the map opens the closed trades that it counts.
    for (by, key) in [(GroupBy::Weekday, "1"), (GroupBy::Hour, "09"), (GroupBy::WeekdayHour, "1-09")] {
        let (groups, _) = group_figures(by, analysis.closed_trades());
        assert_eq!(groups.iter().map(|(key, figures)| (&**key, figures.closed_trades)).collect::<Vec<_>>(), [(key, 2)]);
        let filter = Filter { group: Some((by, key.to_owned())), ..Filter::default() };
        assert_eq!(filter.apply(&analysis).count(), 2, "{by:?}");
    }
}

#[test]
fn t9_data_issues_are_counted_within_the_filter() {
    let analysis = analysis(
        "2025-06-02 09:20 zerodha NSE sell A 10 100
         2025-07-02 09:20 groww NSE sell B 10 100
         2025-06-03 09:30 zerodha NFO buy NIFTY2560525000CE 75 100
         2025-06-03 09:40 zerodha NSE buy C 10 100
         2016-06-06 09:20 zerodha NSE buy D 10 100
         2016-06-06 09:24 zerodha NSE sell D 10 110",
        &[],
    );
    let count = |filter: Filter| {
        let issues = DataIssues::new(&analysis, &filter);
        let DataIssues { missing_cost_basis, expired, open_positions, rates_missing, outside_filter, open: _ } = issues;
        [missing_cost_basis, expired, open_positions, rates_missing, outside_filter]
    };
    assert_eq!(count(Filter::default()), [2, 1, 1, 1, 0]);
    assert_eq!(count(Filter { broker: Some(Broker::Groww), ..Filter::default() }), [1, 0, 0, 0, 3]);
    assert_eq!(count(Filter { contracts: Some(true), ..Filter::default() }), [0, 1, 0, 0, 3]);
    assert_eq!(count(Filter { symbol: Some("a".to_owned()), ..Filter::default() }), [1, 0, 0, 0, 3]);
    assert_eq!(count(Filter { kind: Some(TradeKind::Intraday), ..Filter::default() }), [0, 0, 0, 1, 3]);
    assert_eq!(count(Filter { long: Some(false), ..Filter::default() }), [0, 0, 0, 0, 4]);
    // The position that is still open has not ended, so it belongs to every period.
    let june = Filter { from: Some(date!(2025 - 06 - 01)), to: Some(date!(2025 - 06 - 30)), ..Filter::default() };
    assert_eq!(count(june), [1, 1, 1, 0, 2]);
}
