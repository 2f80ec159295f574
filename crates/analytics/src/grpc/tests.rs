//! Invalid fields of requests, and their texts.

use rpc::analytics::v1 as wire;
use rpc::failure::{Failure as _, Violation};
use rpc::imports::v1::{ChargeLine, ProfitReport, ProfitRow};
use rpc::trades::v1::{Book, Broker, Contract, ContractKind, Segment};
use time::macros::date;

use super::losses::parse_brought_forward_losses;
use super::reconcile::parse_report;
use super::request::{parse_adjustment, parse_filter, parse_group_by, parse_issue_answers, parse_page, parse_year};
use super::values::to_contract;
use crate::error::Error;
use crate::exchange::Exchange;
use crate::instrument::Instrument;
use crate::trade_log::parse_contract;

/// Asserts the paths and reasons of a request's invalid fields, and that each has a text.
#[track_caller]
fn check_invalid<T>(result: Result<T, Error>, expected: &[(&str, &str)]) {
    let violations = result.err().map(|error| error.violations()).unwrap_or_default();
    let invalid_fields: Vec<_> =
        violations.iter().map(|violation| (violation.field.as_ref(), violation.reason)).collect();
    assert_eq!(invalid_fields, expected);
    for Violation { field, reason, params, .. } in &violations {
        let params = params.iter().map(|(name, value)| (format!("{field}:{name}"), value.clone())).collect();
        let text = texts::field_error("analytics", field, reason, &params);
        assert!(text.as_ref().is_some_and(|text| !text.contains('…')), "{field} {reason}: {text:?}");
    }
}

#[test]
fn names_the_invalid_fields_of_filters_and_pages() {
    let check = |filter: wire::Filter, field, reason| {
        check_invalid(parse_filter(Some(filter), String::new()), &[(field, reason)]);
    };
    let (day, earlier) = ("2026-03-31".to_owned(), "2026-03-30".to_owned());
    check(wire::Filter { from: "today".to_owned(), ..wire::Filter::default() }, "filter.from", "INVALID");
    check(wire::Filter { to: "today".to_owned(), ..wire::Filter::default() }, "filter.to", "INVALID");
    check(wire::Filter { from: day, to: earlier, ..wire::Filter::default() }, "filter.to", "BEFORE_FROM");
    check(wire::Filter { symbol: "A".repeat(65), ..wire::Filter::default() }, "filter.symbol", "INVALID");
    check(wire::Filter { net: Some(wire::Range::default()), ..wire::Filter::default() }, "filter.net", "INVALID");
    check(wire::Filter { r: Some(wire::Range::default()), ..wire::Filter::default() }, "filter.r", "INVALID");
    let group = |key: &str| wire::Filter {
        group: Some(wire::GroupKey { key: key.to_owned(), ..wire::GroupKey::default() }),
        ..wire::Filter::default()
    };
    check(group(""), "filter.group.key", "INVALID");
    check(group("09"), "filter.group.by", "INVALID");
    check_invalid(parse_group_by(wire::GroupBy::Unspecified, "by"), &[("by", "INVALID")]);
    check_invalid(parse_year(1999), &[("year", "INVALID")]);
    assert_eq!(parse_page(wire::ListClosedTradesRequest::default()).unwrap().page_size, 50);
    for page_size in [-1, 201] {
        let page = wire::ListClosedTradesRequest { page_size, ..Default::default() };
        check_invalid(parse_page(page), &[("page_size", "INVALID")]);
    }
    let page = wire::ListClosedTradesRequest { page_size: 1, page_token: "x".to_owned(), ..Default::default() };
    check_invalid(parse_page(page), &[("page_token", "INVALID")]);
}

#[test]
fn names_the_invalid_fields_of_losses() {
    let today = date!(2026 - 04 - 01);
    let loss = |change: fn(&mut wire::BroughtForwardLoss)| {
        let mut loss = wire::BroughtForwardLoss {
            kind: wire::TaxHead::ShortTerm.into(),
            year: "2025-26".to_owned(),
            broker: Broker::Zerodha.into(),
            broker_account: 0,
            amount: "99999999999.99".to_owned(),
        };
        change(&mut loss);
        loss
    };
    assert!(parse_brought_forward_losses(&[loss(|_| ())], today).is_ok());
    for (field, change) in [
        ("broker", (|loss| loss.broker = 0) as fn(&mut wire::BroughtForwardLoss)),
        ("broker", |loss| loss.broker_account = 21),
        ("kind", |loss| loss.kind = 0),
        // The year has not ended.
        ("year", |loss| loss.year = "2026-27".to_owned()),
        // Capital losses of before 2002-03 have no rule.
        ("year", |loss| loss.year = "2001-02".to_owned()),
        ("year", |loss| loss.year = "2025-27".to_owned()),
        ("amount", |loss| loss.amount = "0".to_owned()),
        ("amount", |loss| loss.amount = "0.001".to_owned()),
        ("amount", |loss| loss.amount = "100000000000".to_owned()),
    ] {
        let field = format!("losses[0].{field}");
        check_invalid(parse_brought_forward_losses(&[loss(change)], today), &[(&field, "INVALID")]);
    }
    let twice = [loss(|_| ()), loss(|loss| loss.broker_account = 1)];
    check_invalid(parse_brought_forward_losses(&twice, today), &[("losses[1].year", "DUPLICATE")]);
    check_invalid(parse_brought_forward_losses(&vec![loss(|_| ()); 101], today), &[("losses", "INVALID")]);
}

#[test]
fn names_the_invalid_fields_of_answers() {
    let answer = |change: fn(&mut wire::IssueAnswer)| {
        let mut answer = wire::IssueAnswer {
            issue_id: "missingCost:zerodha:INFY".to_owned(),
            answer: "bought".to_owned(),
            ..wire::IssueAnswer::default()
        };
        change(&mut answer);
        answer
    };
    assert!(parse_issue_answers(vec![answer(|_| ())]).is_ok());
    check_invalid(parse_issue_answers(Vec::new()), &[("issue_answers", "INVALID")]);
    check_invalid(parse_issue_answers(vec![answer(|_| ()); 501]), &[("issue_answers", "INVALID")]);
    for (field, change) in [
        ("issue_id", (|answer| answer.issue_id = "x".repeat(201)) as fn(&mut wire::IssueAnswer)),
        ("answer", |answer| answer.answer.clear()),
        ("date", |answer| answer.date = "2126-01-01".to_owned()),
        ("price", |answer| answer.price = "-1".to_owned()),
        ("quantity", |answer| answer.quantity = "0.5".to_owned()),
    ] {
        let path = format!("issue_answers[1].{field}");
        let answers = vec![answer(|_| ()), answer(change)];
        check_invalid(parse_issue_answers(answers), &[(path.as_str(), "INVALID")]);
    }
}

#[test]
fn names_all_invalid_fields_of_an_adjustment() {
    let adjustment = |kind: wire::AdjustmentKind| wire::Adjustment {
        kind: kind.into(),
        symbol: "INFY".to_owned(),
        date: "2026-03-31".to_owned(),
        ..wire::Adjustment::default()
    };
    check_invalid(
        parse_adjustment(wire::Adjustment::default()),
        &[("adjustment.symbol", "INVALID"), ("adjustment.date", "INVALID"), ("adjustment.kind", "INVALID")],
    );
    let ratio = [("adjustment.new_shares", "INVALID"), ("adjustment.old_shares", "INVALID")];
    check_invalid(parse_adjustment(adjustment(wire::AdjustmentKind::Split)), &ratio);
    check_invalid(parse_adjustment(adjustment(wire::AdjustmentKind::Rename)), &[("adjustment.new_symbol", "INVALID")]);
    let renamed = wire::Adjustment { new_symbol: "infy".to_owned(), ..adjustment(wire::AdjustmentKind::Rename) };
    check_invalid(parse_adjustment(renamed), &[("adjustment.new_symbol", "UNCHANGED")]);
    check_invalid(
        parse_adjustment(adjustment(wire::AdjustmentKind::Opening)),
        &[("adjustment.broker", "INVALID"), ("adjustment.quantity", "INVALID"), ("adjustment.price", "INVALID")],
    );
    let settlement =
        wire::Adjustment { new_shares: 1, price: "1".to_owned(), ..adjustment(wire::AdjustmentKind::Settlement) };
    check_invalid(parse_adjustment(settlement), &[("adjustment.new_shares", "NOT_ALLOWED")]);
}

#[test]
fn names_the_invalid_part_of_a_report() {
    let check = |report, field, reason| check_invalid(parse_report(report), &[(field, reason)]);
    let book =
        |broker: Broker| Some(Book { broker: broker.into(), segment: Segment::Equity.into(), ..Book::default() });
    let (day, earlier) = ("2026-03-31".to_owned(), "2026-03-30".to_owned());
    let report = ProfitReport { book: book(Broker::Zerodha), from: day.clone(), to: day, ..ProfitReport::default() };
    let row = ProfitRow {
        quantity: "1".to_owned(),
        buy_value: "1".to_owned(),
        sell_value: "1".to_owned(),
        realised: "0".to_owned(),
        ..ProfitRow::default()
    };
    check(None, "report", "REQUIRED");
    check(Some(ProfitReport::default()), "report", "SEGMENT_REQUIRED");
    check(Some(ProfitReport { book: book(Broker::Unspecified), ..report.clone() }), "report", "BROKER_REQUIRED");
    check(Some(ProfitReport { from: String::new(), ..report.clone() }), "report.from", "INVALID");
    check(Some(ProfitReport { to: String::new(), ..report.clone() }), "report.to", "INVALID");
    check(Some(ProfitReport { to: earlier, ..report.clone() }), "report.to", "BEFORE_FROM");
    check(Some(ProfitReport { rows: vec![row.clone(); 5_001], ..report.clone() }), "report", "TOO_LARGE");
    check(Some(ProfitReport { realised: "x".to_owned(), ..report.clone() }), "report", "AMOUNT_INVALID");
    check(Some(ProfitReport { rows: vec![row], ..report.clone() }), "report", "NAME_INVALID");
    let charges = vec![ChargeLine::default()];
    check(Some(ProfitReport { charges, ..report }), "report", "CHARGE_KIND_REQUIRED");
}

#[test]
fn returns_the_contract_as_the_trade_log_sends_it_and_none_for_other_symbols() {
    for (expiry, kind, strike) in [
        ("2026-06-02", ContractKind::Call, "25000"),
        // The holidays of 2027 are not known, so neither are its days of expiry.
        ("2027-06", ContractKind::Put, "12.5"),
        ("2027-06", ContractKind::Future, ""),
    ] {
        let contract =
            Contract { underlying: "NIFTY".into(), expiry: expiry.into(), kind: kind.into(), strike: strike.into() };
        let instrument = parse_contract(Exchange::Nse, "SYMBOL", &contract).unwrap();
        assert_eq!(to_contract(&instrument), Some(contract));
    }
    assert_eq!(to_contract(&Instrument::equity("INFY", "")), None);
    assert_eq!(to_contract(&Instrument::from_unparsed_symbol("NIFTY 25000 CE")), None);
}
