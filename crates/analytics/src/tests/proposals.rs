//! Proposals of corporate actions, from the table of events and from the trades alone.

use super::*;
use crate::adjustment::Ratio;
use crate::proposals::{Certainty, Evidence, Proposal};

/// Two purchases and a sale over the split of January 2024 and the bonus of August 2025.
const NESTLE: &str = "2023-06-01 09:15 zerodha NSE buy NESTLEIND 10 20000
                      2024-03-01 09:15 zerodha NSE buy NESTLEIND 20 2500
                      2025-09-15 09:15 zerodha NSE sell NESTLEIND 240 1200";

/// Describes a proposal, such as `split NESTLEIND 2024-01-05 verified`.
fn summary(proposal: &Proposal) -> String {
    let Adjustment { symbol, day, kind, .. } = &proposal.adjustment;
    let certainty = format!("{:?}", proposal.certainty).to_lowercase();
    let ratio = kind.ratio().map(|Ratio { new, old }| format!(" {new}:{old}")).unwrap_or_default();
    format!("{}{ratio} {symbol} {day} {certainty}", kind.name())
}

fn summaries(analysis: &Analysis) -> Vec<String> {
    proposals(analysis).iter().map(summary).collect()
}

/// Returns an analysis whose trades have these ISINs; the last one applies to all further trades.
fn analysis_with_isins(lines: &str, isins: &[&str], adjustments: &[Adjustment]) -> Analysis {
    let mut fills = ledger(lines);
    for (index, fill) in fills.iter_mut().enumerate() {
        let isin = isins.get(index).or(isins.last()).unwrap();
        fill.instrument = Arc::new(Instrument::equity(&fill.instrument.symbol, isin));
    }
    Analysis::new(fills, adjustments, ChargeRates::load().unwrap(), TODAY)
}

#[test]
fn proposes_events_of_the_table_with_their_evidence() {
    let analysis = analysis_with_isins(NESTLE, &["INE239A01016", "INE239A01024"], &[]);
    let expected = ["bonus 1:1 NESTLEIND 2025-08-08 verified", "split 10:1 NESTLEIND 2024-01-05 verified"];
    assert_eq!(summaries(&analysis), expected);
    let [bonus, split] = proposals(&analysis).try_into().unwrap();
    let account = account(Broker::Zerodha);
    // Without the split, 30 shares were held on the day of the bonus, and 210 of the 240 sold have no purchase.
    let sold = Evidence::SoldMoreThanHeld { account, quantity: decimal("210") };
    let shares_held = |quantity: &str| Evidence::Held { account, quantity: decimal(quantity) };
    let price = |before: &str, after: &str| Evidence::PriceChanged { before: decimal(before), after: decimal(after) };
    assert_eq!(bonus.evidence, [shares_held("30"), price("2500", "1200"), sold.clone()]);
    let isins = Evidence::IsinChanged { before: "INE239A01016".to_owned(), after: "INE239A01024".to_owned() };
    assert_eq!(split.evidence, [shares_held("10"), isins, price("20000", "2500"), sold]);
}

#[test]
fn proposes_no_event_that_is_entered_or_dismissed() {
    let split = adjustment("NESTLEIND", "2024-01-08", AdjustmentKind::Split(Ratio { new: 10, old: 1 }));
    let with_split = analysis(NESTLE, std::slice::from_ref(&split));
    assert_eq!(summaries(&with_split), ["bonus 1:1 NESTLEIND 2025-08-08 verified"]);
    let dismissed = adjustment("NESTLEIND", "2025-08-08", AdjustmentKind::NoAction);
    assert_eq!(summaries(&analysis(NESTLE, &[split, dismissed])), [""; 0]);
}

#[test]
fn entering_all_proposals_leaves_none() {
    let mut analysis = analysis(NESTLE, &[]);
    let proposed: Vec<Adjustment> =
        (1..).zip(proposals(&analysis)).map(|(id, proposal)| Adjustment { id, ..proposal.adjustment }).collect();
    analysis.apply_adjustments(&proposed);
    assert_eq!(summaries(&analysis), [""; 0]);
    // 10 * 20,000 + 20 * 2,500 = 2,50,000; 240 * 1,200 = 2,88,000.
    let closed_trades: Vec<String> = analysis.closed_trades().map(describe).collect();
    assert_eq!(closed_trades, ["delivery long NESTLEIND 240: 250000 -> 288000 = 38000"]);
}

#[test]
fn proposes_events_only_for_what_was_held() {
    // Sold before the ex-date, bought on it, and held over it.
    for (lines, expected) in [
        (
            "2023-06-01 09:15 zerodha NSE buy NESTLEIND 10 20000
             2024-01-04 09:15 zerodha NSE sell NESTLEIND 10 27000",
            vec![],
        ),
        ("2024-01-05 09:15 zerodha NSE buy NESTLEIND 10 2700", vec!["bonus 1:1 NESTLEIND 2025-08-08 verified"]),
        ("2023-06-01 09:15 zerodha NSE buy HDFC 10 2600", vec!["merger 42:25 HDFC 2023-07-13 verified"]),
        (
            "2023-06-01 09:15 zerodha NSE buy TATAMOTORS 10 500",
            vec!["rename TATAMOTORS 2025-10-24 recalled", "demerger 1:1 TATAMOTORS 2025-10-14 verified"],
        ),
        // A future that is open over the bonus, and one that expired before.
        ("2024-10-25 09:15 zerodha NSE buy RELIANCE24NOVFUT 250 2700", vec!["bonus 1:1 RELIANCE 2024-10-28 verified"]),
        ("2024-08-20 09:15 zerodha NSE buy RELIANCE24AUGFUT 250 2700", vec![]),
    ] {
        assert_eq!(summaries(&analysis(lines, &[])), expected, "{lines}");
    }
}

#[test]
fn joins_the_evidence_of_all_accounts() {
    let analysis = analysis(
        "2023-06-01 09:15 zerodha NSE buy HDFC 10 2600
         2023-06-01 09:15 groww NSE buy HDFC 20 2600",
        &[],
    );
    let [merger] = proposals(&analysis).try_into().unwrap();
    let shares_held = |broker, quantity| Evidence::Held { account: account(broker), quantity: decimal(quantity) };
    assert_eq!(merger.evidence, [shares_held(Broker::Zerodha, "10"), shares_held(Broker::Groww, "20")]);
}

#[test]
fn suspects_an_event_that_only_the_trades_show() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NEWCO 10 1000
                 2026-05-20 09:15 zerodha NSE sell NEWCO 50 210";
    // 50 sold of 10, at about a fifth of the price: 1:5 by a split or, if the ISIN is the same, a bonus of 4:1.
    for (isins, expected) in [
        (["", ""], "split 5:1 NEWCO 2026-05-20 suspected"),
        (["INE000A01011", "INE000A01029"], "split 5:1 NEWCO 2026-05-20 suspected"),
        (["INE000A01011", "INE000A01011"], "bonus 4:1 NEWCO 2026-05-20 suspected"),
    ] {
        assert_eq!(summaries(&analysis_with_isins(lines, &isins, &[])), [expected]);
    }
    assert!(proposals(&analysis(lines, &[])).iter().all(Proposal::is_likely));
    // Sold only in part: the price alone suggests it.
    let part = "2026-05-04 09:15 zerodha NSE buy NEWCO 10 1000
                2026-05-20 09:15 zerodha NSE sell NEWCO 10 510";
    assert_eq!(summaries(&analysis(part, &[])), ["bonus 1:1 NEWCO 2026-05-20 suspected"]);
    // Twice as many, after a year in which the adjusted price rose by half.
    let year = "2025-05-04 09:15 zerodha NSE buy NEWCO 10 1000
                2026-05-20 09:15 zerodha NSE sell NEWCO 20 750";
    let analysis = analysis(year, &[]);
    let [suspected] = proposals(&analysis).try_into().unwrap();
    assert_eq!(
        (summary(&suspected).as_str(), suspected.certainty),
        ("bonus 1:1 NEWCO 2026-05-20 suspected", Certainty::Suspected)
    );
    assert!(suspected.source.is_empty() && !suspected.is_likely());
}

#[test]
fn suspects_nothing_without_clear_evidence() {
    for lines in [
        // An older purchase is missing: nothing was held, or the price did not change.
        "2026-05-20 09:15 zerodha NSE sell NEWCO 20 500",
        "2026-05-04 09:15 zerodha NSE buy NEWCO 10 1000
         2026-05-20 09:15 zerodha NSE sell NEWCO 20 1010",
        // A fall of a third in two weeks, and of three quarters in two years.
        "2026-05-04 09:15 zerodha NSE buy NEWCO 10 1000
         2026-05-20 09:15 zerodha NSE sell NEWCO 10 670",
        "2024-05-04 09:15 zerodha NSE buy NEWCO 10 1000
         2026-05-20 09:15 zerodha NSE sell NEWCO 10 250",
        // Nothing was held between the two prices.
        "2026-05-04 09:15 zerodha NSE buy NEWCO 10 1000
         2026-05-05 09:15 zerodha NSE sell NEWCO 10 1000
         2026-05-20 09:15 zerodha NSE buy NEWCO 10 200",
        // Options lose their value.
        "2026-05-04 09:15 zerodha NSE buy NIFTY26MAY25000CE 75 100
         2026-05-20 09:15 zerodha NSE sell NIFTY26MAY25000CE 75 20",
    ] {
        assert_eq!(summaries(&analysis(lines, &[])), [""; 0], "{lines}");
    }
}

#[test]
fn suspects_no_event_that_is_entered_or_dismissed() {
    let lines = "2026-05-04 09:15 zerodha NSE buy NEWCO 10 1000
                 2026-05-20 09:15 zerodha NSE sell NEWCO 50 210";
    for kind in [AdjustmentKind::Split(Ratio { new: 5, old: 1 }), AdjustmentKind::NoAction] {
        assert_eq!(summaries(&analysis(lines, &[adjustment("NEWCO", "2026-05-18", kind)])), [""; 0]);
    }
}
