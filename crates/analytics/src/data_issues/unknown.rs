//! Instruments whose properties are unknown, and closed trades with missing charge rates.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;

use super::answer::ProposedAnswer;
use super::issue::{DataIssue, IssueKind, Ledgers, Scope};
use crate::fill::{BrokerAccount, TradeKind};
use crate::financial_year::FinancialYear;
use crate::instrument::SecurityKind;
use crate::instrument_ledger::InstrumentLedger;
use crate::remark::Remark;

/// Returns contracts whose symbol cannot be parsed, which never expire, and funds of unknown kind.
pub fn find_instruments(ledgers: Ledgers) -> Vec<DataIssue> {
    let issue = |(index, ledger): (usize, &Arc<InstrumentLedger>)| {
        let fill = ledger.fills().next()?;
        let instrument = &fill.instrument;
        let code = if instrument.is_contract() && instrument.expiry.is_none() {
            "unknown_contract"
        } else if instrument.security == SecurityKind::UnknownFund {
            "unknown_fund"
        } else {
            return None;
        };
        let details = Remark::new(code).with("count", ledger.trade_count);
        Some(DataIssue {
            instrument: Some(instrument.clone()),
            day: Some(fill.day),
            trade_id: fill.trade_id,
            answers: vec![ProposedAnswer::dismiss("keep_as_is")],
            ledgers: vec![index],
            ..DataIssue::new(IssueKind::UnknownInstrument, Some(fill.account), &instrument.symbol, details)
        })
    };
    ledgers.iter().enumerate().filter_map(issue).collect()
}

/// Closed trades of one account, kind and year with missing charge rates.
struct RatesMissing {
    ledgers: Vec<usize>,
    closed_trades: usize,
    first_day: Date,
}

/// Returns one issue for each account, kind of trade and year with missing charge rates, apart from funds of unknown
/// kind, which are issues of their own.
pub fn find_rates(ledgers: Ledgers) -> Vec<DataIssue> {
    let mut groups: BTreeMap<(BrokerAccount, TradeKind, FinancialYear), RatesMissing> = BTreeMap::new();
    for (index, ledger) in ledgers.iter().enumerate() {
        for closed_trade in ledger.closed_trades.iter().filter(|closed_trade| {
            closed_trade.flags.rates_missing && closed_trade.instrument.security != SecurityKind::UnknownFund
        }) {
            let year = FinancialYear::from_day(closed_trade.closed_day);
            let group = groups.entry((closed_trade.account, closed_trade.kind, year)).or_insert(RatesMissing {
                ledgers: Vec::new(),
                closed_trades: 0,
                first_day: closed_trade.closed_day,
            });
            if group.ledgers.last() != Some(&index) {
                group.ledgers.push(index);
            }
            group.closed_trades += 1;
            group.first_day = group.first_day.min(closed_trade.closed_day);
        }
    }
    groups.into_iter().map(|((account, kind, year), group)| rates_issue(account, kind, year, group)).collect()
}

fn rates_issue(account: BrokerAccount, kind: TradeKind, year: FinancialYear, group: RatesMissing) -> DataIssue {
    let details = Remark::new("unknown_rates")
        .with("count", group.closed_trades)
        .with("trade_kind", kind.name())
        .with("year", year.name());
    let subject = format!("{}:{}", kind.name(), year.name());
    DataIssue {
        day: Some(group.first_day),
        answers: vec![ProposedAnswer::dismiss("keep_as_is")],
        ledgers: group.ledgers,
        scope: Scope::RatesMissing(kind, year),
        ..DataIssue::new(IssueKind::UnknownRates, Some(account), &subject, details)
    }
}
