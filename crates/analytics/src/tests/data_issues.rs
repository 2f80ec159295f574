//! Data issues, their answers and what they mark.

use std::collections::HashSet;

use proptest::prelude::*;

use super::changes::all_responses;
use super::property::any_ledger;
use super::*;
use crate::adjustment::Ratio;
use crate::data_issues::{AnswerValues, DataIssue, IssueAnswer, IssueKind, answers_to_adjustments};
use crate::error::Error;
use crate::financial_year::FinancialYear;
use crate::issue_effects;
use crate::tax::{FairValue, TaxAccounts, TaxPack, tax_lines};

/// Formats an issue, such as `settlement:all:X expired_option settled, worthless*`. The likely answer has a star.
fn format_issue(issue: &DataIssue) -> String {
    let answers = issue.answers.iter().map(|answer| format!("{}{}", answer.code, if answer.likely { "*" } else { "" }));
    format!("{} {} {}", issue.id, issue.details.code, answers.collect::<Vec<_>>().join(", "))
}

fn issues(lines: &str) -> Vec<String> {
    let analysis = analysis(lines, &[]);
    let issues = &analysis.issues().issues;
    issues.iter().for_each(check_texts);
    issues.iter().map(format_issue).collect()
}

/// Asserts that the sentences of an issue and its answers exist and have all their values.
#[track_caller]
fn check_texts(issue: &DataIssue) {
    let params = |params: &[(&'static str, String)]| -> texts::Params {
        // The edge adds the name of the instrument.
        let name = ("name", "INFY".to_owned());
        params.iter().cloned().chain([name]).map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let code = issue.details.code;
    let details = ["issue", "issue_evidence"].map(|kind| (format!("{kind}.{code}"), params(&issue.details.params)));
    let answers = issue.answers.iter().map(|answer| (format!("answer.{}", answer.code), params(&answer.params)));
    for (key, params) in details.into_iter().chain(answers) {
        let text = texts::text("analytics", &key, &params);
        assert!(text.as_ref().is_some_and(|text| !text.contains('…')), "{key}: {text:?}");
    }
}

fn param(issue: &DataIssue, name: &str) -> String {
    issue.details.params.iter().find(|(other, _)| *other == name).unwrap().1.clone()
}

fn answer(issue: &str, answer: &str, [date, price, quantity]: [&str; 3]) -> IssueAnswer {
    let values = AnswerValues {
        day: (!date.is_empty()).then(|| day(date)),
        price: (!price.is_empty()).then(|| decimal(price)),
        quantity: (!quantity.is_empty()).then(|| decimal(quantity)),
    };
    IssueAnswer { issue_id: issue.to_owned(), answer: answer.to_owned(), values }
}

/// Returns the analysis after answers, or the paths and reasons of the invalid fields.
fn after(analysis: &Analysis, answers: &[IssueAnswer]) -> Result<Analysis, String> {
    let added = answers_to_adjustments(&analysis.issues().issues, answers, &HashSet::new());
    let added = added.map_err(|error| match error {
        Error::Invalid(violations) => {
            violations.iter().map(|violation| format!("{} {}", violation.field, violation.reason)).collect()
        }
        other => other.to_string(),
    })?;
    let adjustments = analysis.adjustments().iter().cloned().chain(added.into_iter().map(|new| new.adjustment));
    Ok(analysis.with_adjustments(&adjustments.collect::<Vec<_>>()))
}

/// Sells of shares that were bought before the first file, in two accounts, and an own purchase that is sold later.
const MISSING_COST: &str = "2025-06-02 09:20 zerodha NSE sell WIPRO 10 250
    2025-06-02 09:21 zerodha NSE sell WIPRO 20 251
    2026-04-06 09:20 zerodha NSE sell WIPRO 5 260
    2026-04-07 09:20 zerodha NSE buy WIPRO 5 255
    2026-04-09 09:20 zerodha NSE sell WIPRO 5 270
    2025-06-02 09:20 zerodha-2 NSE sell WIPRO 1 250";

const WIPRO: &str = "missingCost:zerodha:WIPRO";

#[test]
fn missing_cost_is_one_issue_for_each_share_and_account() {
    let analysis = analysis(MISSING_COST, &[]);
    let issues = &analysis.issues().issues;
    assert_eq!(
        issues.iter().map(format_issue).collect::<Vec<_>>(),
        ["missingCost:zerodha-2:WIPRO missing_cost bought", "missingCost:zerodha:WIPRO missing_cost bought"]
    );
    let first = &issues[1];
    check_texts(first);
    assert_eq!([param(first, "count"), param(first, "quantity"), param(first, "value")], ["3", "35", "8820"]);
    assert_eq!(first.day, Some(day("2025-06-02")));
    // The purchase may be older than the own one, so that the later sale may have sold it instead.
    assert_eq!(first.closed_trades, 1);
    assert_eq!(first.years.iter().copied().collect::<Vec<_>>(), [FinancialYear(2025), FinancialYear(2026)]);
    assert_eq!(issues[0].closed_trades, 0);
}

#[test]
fn a_purchase_of_all_shares_answers_a_missing_cost_and_a_part_leaves_the_rest() {
    let analysis = analysis(MISSING_COST, &[]);
    let bought = |date, quantity| answer(WIPRO, "bought", [date, "200", quantity]);
    let all = after(&analysis, &[bought("2025-01-10", "")]).unwrap();
    assert_eq!(
        all.issues().issues.iter().map(|issue| issue.id.as_str()).collect::<Vec<_>>(),
        ["missingCost:zerodha-2:WIPRO"]
    );
    // 30 and 5 shares at 200, then the own 5 at 255.
    let gross: Vec<String> = all.closed_trades().map(|trade| trade.gross.normalize().to_string()).collect();
    assert_eq!(gross, ["500", "1020", "300", "75"]);

    let part = after(&analysis, &[bought("2025-01-10", "30")]).unwrap();
    let rest = part.issues().issues.iter().find(|issue| issue.id == WIPRO).unwrap();
    assert_eq!((param(rest, "quantity"), rest.day), ("5".to_owned(), Some(day("2026-04-06"))));
}

#[test]
fn rejects_answers_without_a_day_after_the_sale_or_above_the_sold_quantity() {
    let analysis = analysis(MISSING_COST, &[]);
    let result = |values| after(&analysis, &[answer(WIPRO, "bought", values)]).unwrap_err();
    assert_eq!(result(["", "", ""]), "issue_answers[0].date REQUIREDissue_answers[0].price REQUIRED");
    assert_eq!(result(["2025-06-03", "200", ""]), "issue_answers[0].date AFTER_SALE");
    assert_eq!(result(["2025-06-01", "200", "36"]), "issue_answers[0].quantity ABOVE_SOLD");
    // The day of the sale is possible: bought and sold on one day in two accounts, for instance.
    assert!(after(&analysis, &[answer(WIPRO, "bought", ["2025-06-02", "200", ""])]).is_ok());
    let unknown = after(&analysis, &[answer("missingCost:groww:WIPRO", "bought", ["2025-06-01", "1", ""])]);
    assert_eq!(unknown.unwrap_err(), "data issue not found");
    let invalid = after(&analysis, &[answer(WIPRO, "worthless", ["", "", ""])]);
    assert_eq!(invalid.unwrap_err(), "issue_answers[0].answer INVALID");
}

#[test]
fn an_answer_to_an_issue_that_has_one_is_skipped() {
    let analysis = after(&analysis(MISSING_COST, &[]), &[answer(WIPRO, "bought", ["2025-01-10", "200", ""])]).unwrap();
    let stored = HashSet::from([WIPRO.to_owned()]);
    let again = [answer(WIPRO, "bought", ["2025-01-10", "200", ""])];
    assert!(answers_to_adjustments(&analysis.issues().issues, &again, &stored).unwrap().is_empty());
}

#[test]
fn worthless_is_likely_only_if_trades_of_the_day_of_expiry_support_it() {
    // 5 May 2026 is the day of expiry. Without trades of that day nothing is likely.
    let call = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10\n";
    assert_eq!(issues(call), ["settlement:all:NIFTY2650523000CE expired_option worthless, settled"]);

    // A call of 22,500 sold for 20 in the afternoon: NIFTY was below 22,520, and 1 % more is 22,745.2.
    let below = "2026-05-05 15:00 zerodha NSE buy NIFTY2650522500CE 75 30
                 2026-05-05 15:10 zerodha NSE sell NIFTY2650522500CE 75 20\n";
    let expected = "settlement:all:NIFTY2650523000CE expired_option worthless*, settled";
    assert_eq!(issues(&[call, below].concat()), [expected]);
    // In the morning 3 % are allowed for: 23,195.6 is above the strike.
    let morning = below.replace("15:", "09:");
    assert_eq!(
        issues(&[call, &morning].concat()),
        ["settlement:all:NIFTY2650523000CE expired_option worthless, settled"]
    );

    // A put of 23,600 sold for 100: NIFTY was above 23,500, and 1 % less is 23,265: the call is in the money.
    let above = "2026-05-05 15:00 zerodha NSE sell NIFTY2650523600PE 75 100
                 2026-05-05 15:10 zerodha NSE buy NIFTY2650523600PE 75 101\n";
    let analysis = analysis(&[call, above].concat(), &[]);
    let issue = &analysis.issues().issues[0];
    check_texts(issue);
    assert_eq!(format_issue(issue), "settlement:all:NIFTY2650523000CE expired_option settled, worthless");
    assert_eq!([param(issue, "evidence"), param(issue, "bound")], ["above", "23265"]);

    // A part sold for 0.40 on the day of expiry.
    let premium = "2026-05-05 15:20 zerodha NSE sell NIFTY2650523000CE 25 0.40\n";
    assert_eq!(issues(&[call, premium].concat()), [expected]);
}

#[test]
fn a_future_is_never_settled_by_a_likely_answer_and_a_contract_of_two_accounts_is_one_issue() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10
                 2026-05-04 09:15 groww NSE buy NIFTY2650523000CE 75 12
                 2026-03-04 09:15 groww NSE buy NIFTY26MARFUT 75 23000";
    assert_eq!(
        issues(lines),
        [
            "settlement:all:NIFTY2650523000CE expired_option worthless, settled",
            "settlement:all:NIFTY26MARFUT expired_future settled"
        ]
    );
    let analysis = analysis(lines, &[]);
    let answers = [answer("settlement:all:NIFTY2650523000CE", "settled", ["", "20", ""])];
    let settled = after(&analysis, &answers).unwrap();
    let gross: Decimal = settled.closed_trades().map(|trade| trade.gross).sum();
    assert_eq!(gross, decimal("1350"));
}

#[test]
fn a_price_far_from_the_others_of_the_day_is_an_issue_until_it_is_dismissed() {
    let lines = "2026-05-04 09:15 zerodha NSE buy INFY 10 1500
                 2026-05-04 09:20 zerodha NSE buy INFY 10 150
                 2026-05-04 09:25 zerodha NSE buy INFY 10 1510
                 2026-05-05 09:25 zerodha NSE sell INFY 30 1520";
    let analysis = analysis(lines, &[]);
    let [issue] = analysis.issues().issues.as_slice() else { panic!() };
    check_texts(issue);
    assert_eq!(format_issue(issue), "oddPrice:zerodha:2 odd_price price_is_right");
    assert_eq!((issue.trade_id, issue.closed_trades, param(issue, "typical")), (2, 1, "1500".to_owned()));
    let dismissed = after(&analysis, &[answer(&issue.id, "price_is_right", [""; 3])]).unwrap();
    assert!(dismissed.issues().issues.is_empty());
    assert_eq!(dismissed.net(), analysis.net());
}

#[test]
fn unknown_rates_contracts_and_funds_are_issues_of_their_own() {
    let lines = "2016-06-06 09:20 zerodha NSE buy D 10 100
                 2016-06-06 09:24 zerodha NSE sell D 10 110
                 2016-06-07 09:20 zerodha NSE buy E 10 100
                 2016-06-07 09:24 zerodha NSE sell E 10 110
                 2026-06-01 09:24 zerodha NSE buy ABCFUT 10 110";
    assert_eq!(
        issues(lines),
        [
            "unknownInstrument:zerodha:ABCFUT unknown_contract keep_as_is",
            "unknownRates:zerodha:intraday:2016-17 unknown_rates keep_as_is"
        ]
    );
    let fund = Fill {
        instrument: Arc::new(Instrument::equity("NEWFUND", "INF000K01234")),
        ..fill(1, "2026-06-01 09:24 zerodha NSE buy X 10 110")
    };
    let analysis = Analysis::new(vec![fund], &[], ChargeRates::load().unwrap(), TODAY);
    assert_eq!(
        analysis.issues().issues.iter().map(format_issue).collect::<Vec<_>>(),
        ["unknownInstrument:zerodha:NEWFUND unknown_fund keep_as_is"]
    );
}

#[test]
fn a_long_pause_between_busy_months_may_be_a_missing_file() {
    /// Returns a day trade on each of some days from a day on.
    fn busy(first: &str, days: i64, symbol: &str) -> String {
        let trade = |offset| {
            let day = day(first) + time::Duration::days(offset);
            format!(
                "{day} 09:20 zerodha NSE buy {symbol} 10 100
                 {day} 09:24 zerodha NSE sell {symbol} 10 101
"
            )
        };
        (0..days).map(trade).collect()
    }
    // The last trade before the pause is on 10 May, the first after it on 9 August: 91 days, and 90 in the second case.
    let before = busy("2025-05-01", 10, "A");
    let after = |first: &str, days| format!("{before}{}", busy(first, days, "B"));
    let ids = |lines: &str| issues(lines).into_iter().filter(|issue| issue.starts_with("fileGap")).collect::<Vec<_>>();
    assert_eq!(ids(&after("2025-08-09", 10)), ["fileGap:zerodha:equity:2025-05-11 gap_in_shares no_trades"]);
    assert!(ids(&after("2025-08-08", 10)).is_empty());
    assert!(ids(&after("2025-08-09", 9)).is_empty());
    // Trades of another segment fill no gap, and are no evidence.
    let futures = after("2025-08-09", 10).replace(" A ", " NIFTY25MAYFUT ");
    assert!(ids(&futures).is_empty());

    // A trade that was open in between may be wrong, and the tax pack of the year is marked.
    let open = format!(
        "2025-04-28 09:15 zerodha NSE buy C 5 100
{}2025-09-01 09:15 zerodha NSE sell C 5 120
",
        after("2025-08-09", 10)
    );
    let analysis = analysis(&open, &[]);
    let doubtful: Vec<_> = analysis.closed_trades().filter(|trade| analysis.is_doubtful(trade)).collect();
    assert_eq!(doubtful.iter().map(|trade| &*trade.instrument.symbol).collect::<Vec<_>>(), ["C"]);
    let pack = TaxPack::new(&analysis, FinancialYear(2025), &TaxAccounts::default(), &[], &[]);
    assert_eq!(pack.open_issues, [(IssueKind::FileGap, 1)].into());
}

#[test]
fn marks_the_closed_trades_and_tax_lines_that_an_answer_may_change() {
    let analysis = analysis(MISSING_COST, &[]);
    let doubtful = |analysis: &Analysis| analysis.closed_trades().filter(|trade| analysis.is_doubtful(trade)).count();
    assert_eq!(doubtful(&analysis), 1);
    let accounts = TaxAccounts::default();
    let pack = |analysis, year| TaxPack::new(analysis, FinancialYear(year), &accounts, &[], &[]);
    // The sale of 5 shares in April 2026; in 2025-26 sales of two accounts are in no line.
    let (earlier, later) = (pack(&analysis, 2025), pack(&analysis, 2026));
    let number = |pack: &TaxPack| pack.open_issues.values().sum::<usize>();
    assert_eq!([number(&earlier), earlier.doubtful_lines], [2, 0]);
    assert_eq!(earlier.open_issues, [(IssueKind::MissingCost, 2)].into());
    assert_eq!([number(&later), later.doubtful_lines], [1, 1]);
    let own = TaxAccounts(vec![BrokerAccount { broker: Broker::Zerodha, number: 2 }]);
    assert_eq!(number(&TaxPack::new(&analysis, FinancialYear(2025), &own, &[], &[])), 1);
    assert!(tax_lines(&analysis, FinancialYear(2026), &accounts, &[]).iter().all(|line| line.open_issue));

    let complete = after(&analysis, &[answer(WIPRO, "bought", ["2025-01-10", "200", ""])]).unwrap();
    assert_eq!(doubtful(&complete), 0);
    assert_eq!(number(&pack(&complete, 2026)), 0);
}

#[test]
fn the_effects_of_likely_answers_are_those_of_applying_them() {
    // Two calls that expired out of the money.
    let lines = "2026-05-04 09:15 zerodha NSE buy NIFTY2650523000CE 75 10
                 2026-05-04 09:16 zerodha NSE sell NIFTY2650523200CE 75 7
                 2026-05-05 15:00 zerodha NSE buy NIFTY2650522500CE 75 30
                 2026-05-05 15:10 zerodha NSE sell NIFTY2650522500CE 75 20";
    let analysis = analysis(lines, &[]);
    let issues = &analysis.issues().issues;
    let likely: Vec<IssueAnswer> = issues.iter().map(|issue| answer(&issue.id, "worthless", [""; 3])).collect();
    let effects = issue_effects::effects(&analysis);
    let change = |answers: &[IssueAnswer]| after(&analysis, answers).unwrap().net() - analysis.net();
    assert_eq!(effects.single, [Some(change(&likely[..1])), Some(change(&likely[1..]))]);
    assert_eq!(effects.together, Some(change(&likely)));
    // The premium of the short call less that of the long one is -225 before charges.
    assert!(effects.together.unwrap() < decimal("-225"));
}

#[test]
fn likely_corporate_actions_replace_the_missing_cost_that_they_explain() {
    // Held over the split of January 2024 and the bonus of August 2025: 10 * 10 + 20 = 120, twice 120 are sold.
    let lines = "2023-06-01 09:15 zerodha NSE buy NESTLEIND 10 20000
                 2024-03-01 09:15 zerodha NSE buy NESTLEIND 20 2500
                 2025-09-15 09:15 zerodha NSE sell NESTLEIND 240 1200";
    assert_eq!(
        issues(lines),
        [
            "corporateAction:all:NESTLEIND:bonus:2025-08-08 bonus enter_bonus*, no_action",
            "corporateAction:all:NESTLEIND:split:2024-01-05 split enter_split*, no_action"
        ]
    );
    let analysis = analysis(lines, &[]);
    let issue = &analysis.issues().issues[0];
    assert_eq!([param(issue, "sign"), param(issue, "before"), param(issue, "held")], ["sold", "210", "shares"]);
    assert_eq!(issue.closed_trades, 1);
    let likely = |issue: &DataIssue| answer(&issue.id, issue.likely_answer().unwrap().code, [""; 3]);
    let answers: Vec<IssueAnswer> = analysis.issues().issues.iter().map(likely).collect();
    let applied = after(&analysis, &answers).unwrap();
    assert!(applied.issues().issues.is_empty());
    // 240 * 1,200 less 10 * 20,000 and 20 * 2,500.
    assert_eq!(applied.closed_trades().map(|trade| trade.gross).sum::<Decimal>(), decimal("38000"));
    assert_eq!(issue_effects::effects(&analysis).together, Some(applied.net() - analysis.net()));

    // Without the events, the sold shares have another purchase.
    let dismissed = analysis.issues().issues.iter().map(|issue| answer(&issue.id, "no_action", [""; 3]));
    let dismissed = after(&analysis, &dismissed.collect::<Vec<_>>()).unwrap();
    let rest: Vec<String> = dismissed.issues().issues.iter().map(format_issue).collect();
    assert_eq!(rest, ["missingCost:zerodha:NESTLEIND missing_cost bought"]);
}

/// Returns adjustments of every kind, some of them connected by renames.
fn any_adjustments() -> impl Strategy<Value = Vec<Adjustment>> {
    let one = (0..8_u8, 27..31_u8).prop_map(|(kind, on)| {
        let on = format!("2026-04-{on}");
        let opening = |quantity| AdjustmentKind::Opening {
            account: account(Broker::Zerodha),
            quantity: decimal(quantity),
            price: decimal("90"),
        };
        match kind {
            0 => adjustment("INFY", &on, AdjustmentKind::Split(Ratio { new: 3, old: 1 })),
            1 => adjustment("ITC", &on, AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 2 }, allotted: None }),
            2 => adjustment("ITC", "2026-01-01", opening("50")),
            3 => adjustment("INFY", "2026-01-01", opening("500")),
            4 => adjustment("INFY", &on, AdjustmentKind::Rename("ITC".to_owned())),
            5 => adjustment("ITC", &on, AdjustmentKind::Rename("ITCNEW".to_owned())),
            6 => adjustment("NIFTY26MAYFUT", "2026-05-26", AdjustmentKind::Settlement(decimal("250.5"))),
            _ => adjustment("NIFTY2650523000CE", "2026-05-05", AdjustmentKind::Settlement(decimal("0"))),
        }
    });
    proptest::collection::vec(one, 0..6).prop_map(|mut list| {
        list.sort_by_key(|one| (one.symbol.clone(), one.day, one.kind.name()));
        list.dedup_by_key(|one| (one.symbol.clone(), one.day, one.kind.name()));
        (1..).zip(list).map(|(id, one)| Adjustment { id, ..one }).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn other_adjustments_give_the_same_result_as_a_new_analysis(
        fills in any_ledger(),
        lists in proptest::collection::vec(any_adjustments(), 1..5),
    ) {
        let rates = ChargeRates::load().unwrap();
        let mut analysis = Analysis::new(fills.clone(), &[], rates, TODAY);
        for adjustments in lists {
            analysis = analysis.with_adjustments(&adjustments);
            let fresh = Analysis::new(fills.clone(), &adjustments, rates, TODAY);
            prop_assert_eq!(all_responses(&analysis), all_responses(&fresh));
        }
    }

    #[test]
    fn undoing_any_sequence_of_answers_restores_the_figures(
        fills in any_ledger(),
        choices in proptest::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..8),
    ) {
        let start = Analysis::new(fills, &[], ChargeRates::load().unwrap(), TODAY);
        let mut states = vec![start];
        for (issue, proposed) in choices {
            let current = states.last().unwrap();
            let issues = &current.issues().issues;
            if issues.is_empty() {
                break;
            }
            let issue = &issues[issue.index(issues.len())];
            let code = issue.answers[proposed.index(issue.answers.len())].code;
            // A fraction is paid after the purchase, other shares were bought before their sale.
            let on = if code == "paid" { "2026-06-01" } else { "2026-04-01" };
            let given = answer(&issue.id, code, [on, "90", ""]);
            states.push(after(current, &[given]).unwrap());
        }
        let mut current = states.pop().unwrap();
        while let Some(before) = states.pop() {
            // An undo removes the adjustments of one answer, in any order of the answers.
            current = current.with_adjustments(before.adjustments());
            prop_assert_eq!(all_responses(&current), all_responses(&before));
        }
    }
}

#[test]
fn the_price_of_31_january_2018_is_asked_once_for_each_share_and_changes_the_tax_pack_only() {
    let ledger = "2017-06-01 09:15 zerodha NSE buy ALPHA 10 100
                  2018-01-31 09:15 groww NSE buy ALPHA 5 120
                  2018-02-01 09:15 zerodha NSE buy BETA 10 100
                  2017-06-01 09:15 zerodha NSE buy GAMMA 10 100
                  2018-03-28 09:15 zerodha NSE sell GAMMA 10 150
                  2024-06-03 09:15 zerodha NSE sell ALPHA 10 250
                  2025-06-03 09:15 groww NSE sell ALPHA 5 250
                  2025-06-03 09:15 zerodha NSE sell BETA 10 250";
    let is_fair_value = |issue: &&DataIssue| issue.id.starts_with("fairValue");
    let before = analysis(ledger, &[]);
    let fair_values: Vec<&DataIssue> = before.issues().issues.iter().filter(is_fair_value).collect();
    let [issue] = fair_values.as_slice() else { panic!("{fair_values:#?}") };
    check_texts(issue);
    assert_eq!(format_issue(issue), "fairValue:all:ALPHA fair_value fair_value, cost_is_higher");
    assert_eq!((param(issue, "quantity"), issue.closed_trades), ("15".to_owned(), 0));
    assert_eq!(issue.years.iter().copied().collect::<Vec<_>>(), [FinancialYear(2024), FinancialYear(2025)]);
    let pack =
        |analysis: &Analysis, year| TaxPack::new(analysis, FinancialYear(year), &TaxAccounts::default(), &[], &[]);
    assert!(pack(&before, 2024).hints.contains(&"bought_before_2018"));

    let after = after(&before, &[answer("fairValue:all:ALPHA", "fair_value", ["", "180", ""])]).unwrap();
    assert!(after.issues().issues.iter().all(|issue| !is_fair_value(&issue)));
    let number = |analysis| pack(analysis, 2024).open_issues.values().sum::<usize>();
    assert_eq!(number(&after), number(&before) - 1);
    assert_eq!(after.net(), before.net());
    assert_eq!(pack(&after, 2024).long_term[0].cost, decimal("1800"));
    assert!(!pack(&after, 2024).hints.contains(&"bought_before_2018"));
    // 5 × 180 = 900, and 10 × 100 of the other share.
    assert_eq!(pack(&after, 2025).long_term[0].cost, decimal("1900"));
    let lines = tax_lines(&after, FinancialYear(2024), &TaxAccounts::default(), &[]);
    assert_eq!((lines[0].paid, lines[0].fair_value), (decimal("1000"), FairValue::Known(decimal("1800"))));
}
