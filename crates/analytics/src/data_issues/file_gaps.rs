//! Periods without trades between periods with many: a file between two others may be missing.

use std::collections::BTreeMap;

use time::{Date, Duration};

use super::answer::ProposedAnswer;
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::fill::{BrokerAccount, Source};
use crate::financial_year::FinancialYear;
use crate::remark::Remark;

/// Shortest period without trades that is asked about: a quarter, the shortest period of most traders' files.
const MIN_GAP: Duration = Duration::days(90);
/// Days with trades, within [`MIN_GAP`] before and again after a gap, above which a pause is unusual. Whoever buys a share
/// now and then is not asked.
const MIN_TRADING_DAYS: usize = 10;

/// Trades of one account and segment, each of which has files of its own.
#[derive(Default)]
struct Segment {
    /// Sorted, without repetition.
    days: Vec<Date>,
    ledgers: Vec<usize>,
}

/// Last and next day with trades around a gap, and the number of trading days near it.
struct Gap {
    last: Date,
    next: Date,
    days_before: usize,
    days_after: usize,
}

pub fn find(ledgers: Ledgers) -> Vec<DataIssue> {
    let mut segments: BTreeMap<(BrokerAccount, bool), Segment> = BTreeMap::new();
    for (index, ledger) in ledgers.iter().enumerate() {
        let mut trades = ledger.fills().filter(|fill| fill.source == Source::Trade).peekable();
        let Some(first) = trades.peek() else { continue };
        let segment = segments.entry((first.account, first.instrument.is_contract())).or_default();
        segment.ledgers.push(index);
        for fill in trades {
            if segment.days.last() != Some(&fill.day) {
                segment.days.push(fill.day);
            }
        }
    }
    let of_segment = |((account, is_contracts), mut segment): ((BrokerAccount, bool), Segment)| {
        segment.days.sort_unstable();
        segment.days.dedup();
        let issue = |gap: Gap| gap_issue(account, is_contracts, &segment.ledgers, &gap);
        find_gaps(&segment.days).into_iter().map(issue).collect::<Vec<_>>()
    };
    segments.into_iter().flat_map(of_segment).collect()
}

fn find_gaps(days: &[Date]) -> Vec<Gap> {
    let pairs = days.iter().zip(days.iter().skip(1)).enumerate();
    let long = pairs.filter(|(_, (last, next))| **next - **last > MIN_GAP);
    let gaps = long.map(|(index, (last, next))| {
        let before = days.iter().take(index + 1).rev().take_while(|day| *last - **day <= MIN_GAP);
        let after = days.iter().skip(index + 1).take_while(|day| **day - *next <= MIN_GAP);
        Gap { last: *last, next: *next, days_before: before.count(), days_after: after.count() }
    });
    gaps.filter(|gap| gap.days_before >= MIN_TRADING_DAYS && gap.days_after >= MIN_TRADING_DAYS).collect()
}

fn gap_issue(account: BrokerAccount, is_contracts: bool, ledgers: &[usize], gap: &Gap) -> DataIssue {
    let Gap { last, next, days_before, days_after } = gap;
    let (from, until) = (last.next_day().unwrap_or(*last), next.previous_day().unwrap_or(*next));
    let (code, segment) = if is_contracts { ("gap_in_contracts", "fno") } else { ("gap_in_shares", "equity") };
    let details = Remark::new(code)
        .with("from", from)
        .with("until", until)
        .with("days_before", days_before)
        .with("days_after", days_after);
    let years = FinancialYear::from_day(from).0..=FinancialYear::from_day(until).0;
    DataIssue {
        day: Some(until),
        answers: vec![ProposedAnswer::dismiss("no_trades")],
        ledgers: ledgers.to_vec(),
        scope: Scope::OpenOn(*next),
        years: years.map(FinancialYear).collect(),
        ..DataIssue::new(IssueKind::FileGap, Some(account), &format!("{segment}:{from}"), details)
    }
}
