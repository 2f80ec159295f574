//! Charges that contract notes state instead of our estimates.

use super::*;
use crate::broker_terms::BrokerTerms;
use crate::charges::Charges;
use crate::filter::Filter;
use crate::instrument_ledger::InstrumentLedger;
use crate::note_comparison::NoteComparison;

/// Intraday trades of two shares, and a delivery sale of one, on one contract note.
const TRADES: &str = "2026-06-01 09:15 zerodha NSE buy INFY 10 1500
2026-06-01 09:30 zerodha NSE sell INFY 10 1520
2026-06-01 09:45 zerodha NSE buy TCS 7 3001
2026-06-01 10:00 zerodha NSE sell TCS 7 2990.55
2026-05-04 09:15 zerodha NSE buy ITC 30 400
2026-06-01 11:00 zerodha NSE sell ITC 30 410.10";

fn note(number: &str, turnover: &str, charges: [&str; 7]) -> wire::ContractNote {
    let [brokerage, stt, exchange, sebi, ipft, stamp_duty, gst] = charges.map(str::to_owned);
    wire::ContractNote {
        book: Some(wire::Book {
            broker: wire::Broker::Zerodha.into(),
            segment: wire::Segment::Equity.into(),
            ..wire::Book::default()
        }),
        number: number.to_owned(),
        date: "2026-06-01".to_owned(),
        turnover: turnover.to_owned(),
        brokerage,
        stt,
        exchange,
        sebi,
        ipft,
        stamp_duty,
        gst,
        from_tradebook: false,
    }
}

fn analysis(notes: Vec<wire::ContractNote>) -> Analysis {
    let terms = Arc::new(BrokerTerms::from_wire(Vec::new(), notes).unwrap());
    Analysis::with_terms(ledger(TRADES), &[], ChargeRates::load().unwrap(), terms, TODAY)
}

/// Returns the charges of the lots of 1 June.
fn charges_of_day(analysis: &Analysis) -> Charges {
    let mut sum = Charges::default();
    let details = analysis.ledgers().flat_map(InstrumentLedger::lot_details);
    details.filter(|detail| detail.fill.day == date!(2026 - 06 - 01)).for_each(|detail| sum.add(&detail.charges));
    sum
}

/// 15,000 + 15,200 + 21,007 + 20,933.85 + 12,303.
const TURNOVER: &str = "84443.85";
const CHARGES: [&str; 7] = ["20.03", "21", "2.61", "0.09", "0.01", "1", "4.11"];

#[test]
fn stated_charges_replace_the_estimates_and_are_distributed_to_the_paisa() {
    let (estimated, stated) = (analysis(Vec::new()), analysis(vec![note("CN1", TURNOVER, CHARGES)]));
    let (estimate, charges) = (charges_of_day(&estimated), charges_of_day(&stated));
    assert_eq!(
        [charges.brokerage, charges.stt, charges.exchange, charges.sebi, charges.ipft, charges.stamp_duty],
        ["20.03", "21", "2.61", "0.09", "0.01", "1"].map(decimal)
    );
    // The note does not state the charge of the depository participant; its GST is estimated too.
    assert_eq!((charges.dp, estimate.dp), (decimal("13"), decimal("13")));
    assert_eq!(charges.gst, decimal("4.11") + decimal("2.34"));
    assert_eq!(charges.stated, CHARGES.map(decimal).into_iter().sum::<Decimal>());
    assert_eq!(estimate.stated, Decimal::ZERO);
    // In proportion to the estimates: brokerage of INFY is 4.5 + 4.56 of 21.6423 rupees.
    let infy = stated.closed_trades().find(|closed_trade| closed_trade.instrument.symbol == "INFY").unwrap();
    let brokerage = stated.charges(std::iter::once(infy)).0.brokerage;
    assert!(
        (brokerage - decimal("20.03") * decimal("9.06") / decimal("21.6423")).abs() < decimal("0.001"),
        "{brokerage}"
    );
}

#[test]
fn closed_trades_and_figures_tell_stated_from_estimated_charges() {
    let stated = analysis(vec![note("CN1", TURNOVER, CHARGES)]);
    let itc = stated.closed_trades().find(|closed_trade| closed_trade.instrument.symbol == "ITC").unwrap();
    assert!(itc.stated_charges > Decimal::ZERO && itc.stated_charges < itc.charges, "bought on a day without a note");
    let figures = crate::figures::Figures::new(stated.closed_trades());
    assert_eq!(figures.stated_charges, CHARGES.map(decimal).into_iter().sum::<Decimal>());
    let (charges, lines) = stated.charges(stated.closed_trades());
    assert_eq!(charges.total(), lines.iter().map(|line| line.amount).sum());
    let stated_lines: Decimal = lines.iter().filter(|line| line.from.is_none()).map(|line| line.amount).sum();
    assert_eq!(stated_lines, figures.stated_charges);
}

#[test]
fn two_notes_of_a_day_add_up() {
    let halves = ["42221.925", "42221.925"].iter().enumerate();
    let notes = halves.map(|(number, turnover)| note(&number.to_string(), turnover, CHARGES)).collect();
    assert_eq!(charges_of_day(&analysis(notes)).brokerage, decimal("40.06"));
}

#[test]
fn charges_of_a_tradebook_count_unless_a_contract_note_has_the_trades_of_the_log() {
    let of_tradebook = wire::ContractNote {
        from_tradebook: true,
        ..note("", TURNOVER, ["30", "21", "2.61", "0.09", "0.01", "1", "5.90"])
    };
    let brokerage = |notes: &[wire::ContractNote]| charges_of_day(&analysis(notes.to_vec())).brokerage;
    assert_eq!(brokerage(std::slice::from_ref(&of_tradebook)), decimal("30"));
    let of_note = note("CN1", TURNOVER, CHARGES);
    assert_eq!(brokerage(&[of_tradebook.clone(), of_note.clone()]), decimal("20.03"));
    assert_eq!(brokerage(&[of_note, of_tradebook.clone()]), decimal("20.03"));
    let halves = ["CN1", "CN2"].map(|number| note(number, "42221.925", CHARGES));
    let [first, second] = &halves;
    // One of two notes does not have the trades of the log, but the tradebook has.
    assert_eq!(brokerage(&[first.clone(), of_tradebook.clone()]), decimal("30"));
    let both = [first.clone(), of_tradebook, second.clone()];
    assert_eq!(brokerage(&both), decimal("40.06"));
    let compared = NoteComparison::new(&analysis(both.to_vec()), &Filter::default());
    assert_eq!(compared.notes.iter().map(|note| note.from_tradebook).collect::<Vec<_>>(), [false]);
}

#[test]
fn of_a_tradebook_the_newest_version_with_the_trades_of_the_log_counts() {
    let version = |turnover: &str, brokerage: &str| {
        let mut charges = CHARGES;
        charges[0] = brokerage;
        wire::ContractNote { from_tradebook: true, ..note("", turnover, charges) }
    };
    let brokerage = |notes: &[wire::ContractNote]| charges_of_day(&analysis(notes.to_vec())).brokerage;
    let (half, whole, older, doubled) =
        (version("42000", "9"), version(TURNOVER, "30"), version(TURNOVER, "31"), version("168887.70", "60"));
    for notes in [vec![half.clone(), whole.clone(), older.clone()], vec![doubled, whole, half, older]] {
        assert_eq!(brokerage(&notes), decimal("30"));
        let compared = NoteComparison::new(&analysis(notes), &Filter::default());
        assert_eq!(
            compared.notes.iter().map(|note| (note.is_used, note.stated.brokerage)).collect::<Vec<_>>(),
            [(true, decimal("30"))]
        );
    }
}

#[test]
fn a_note_with_other_trades_than_the_log_does_not_apply() {
    let estimated = charges_of_day(&analysis(Vec::new()));
    // 0.1 % of 84,359.50 is 84.36, and the difference is 84.35.
    for (turnover, applies) in [("84359.50", true), ("84359.40", false), ("84000", false), ("0", false)] {
        let charges = charges_of_day(&analysis(vec![note("CN1", turnover, CHARGES)]));
        assert_eq!(charges != estimated, applies, "{turnover}");
    }
}

#[test]
fn a_note_without_charges_leaves_the_charge_of_the_depository_participant() {
    let charges = charges_of_day(&analysis(vec![note("CN1", TURNOVER, ["0"; 7])]));
    assert_eq!((charges.total(), charges.stated), (decimal("13") + decimal("2.34"), Decimal::ZERO));
}

#[test]
fn a_note_that_arrives_later_gives_the_same_as_one_that_was_there() {
    let terms = Arc::new(BrokerTerms::from_wire(Vec::new(), vec![note("CN1", TURNOVER, CHARGES)]).unwrap());
    let before = analysis(Vec::new());
    let rates = ChargeRates::load().unwrap();
    let after = Analysis::with_terms(before.to_trades(), &[], rates, terms, TODAY);
    assert_eq!(charges_of_day(&after), charges_of_day(&analysis(vec![note("CN1", TURNOVER, CHARGES)])));
    assert!(!before.is_made_with(&after.terms, TODAY));
}

#[test]
fn a_delivery_on_the_day_of_a_note_keeps_its_estimates() {
    // 500 shares come from an exercised call on the day of an intraday trade: brokerage 1,750, SEBI 0.70, GST 315.126;
    // STT of the day, 700 + 2.525, is rounded to 703, of which 700.4733, and stamp duty, 105 + 0.30, to 105, of which
    // 104.7009.
    let lines = "2026-06-15 10:00 zerodha NSE buy TCS26JUN1400CE 500 20
                 2026-06-30 10:00 zerodha NSE buy INFY 10 1000
                 2026-06-30 11:00 zerodha NSE sell INFY 10 1010";
    let settled = adjustment("TCS26JUN1400CE", "2026-06-30", AdjustmentKind::Settlement(decimal("50")));
    let charges = |notes: Vec<wire::ContractNote>| {
        let terms = Arc::new(BrokerTerms::from_wire(Vec::new(), notes).unwrap());
        let (rates, adjustments) = (ChargeRates::load().unwrap(), std::slice::from_ref(&settled));
        let analysis = Analysis::with_terms(ledger(lines), adjustments, rates, terms, TODAY);
        let details = analysis.ledgers().flat_map(InstrumentLedger::lot_details);
        let of_day =
            details.filter(|detail| detail.fill.day == date!(2026 - 06 - 30) && !detail.fill.instrument.is_contract());
        let mut sums = [Charges::default(), Charges::default()];
        of_day.for_each(|detail| sums[usize::from(detail.fill.source == Source::Trade)].add(&detail.charges));
        sums
    };
    let stated = wire::ContractNote { date: "2026-06-30".to_owned(), ..note("CN1", "20100", CHARGES) };
    let ([delivery, _], [unchanged, trades]) = (charges(Vec::new()), charges(vec![stated]));
    assert_eq!(delivery.total(), decimal("2871.0002"));
    assert_eq!(delivery, unchanged);
    assert_eq!((trades.total(), trades.stated), (trades.stated, CHARGES.map(decimal).into_iter().sum::<Decimal>()));
}

#[test]
fn a_note_without_trades_does_not_apply() {
    let charges = charges_of_day(&analysis(vec![note("CN1", "0", CHARGES)]));
    assert_eq!(charges, charges_of_day(&analysis(Vec::new())));
}

/// Two orders of options and one of a future on each of `days` days, at one price of each option and 1.95 for the future.
fn notes_of_a_plan(days: usize, price: &str) -> (Vec<Fill>, Vec<wire::ContractNote>) {
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    for day in 1..=days {
        let day = format!("2026-06-{day:02}");
        for (number, [side, symbol]) in
            [["buy", "NIFTY26DEC25000CE"], ["sell", "NIFTY26DEC25000CE"], ["buy", "NIFTY26DECFUT"]].iter().enumerate()
        {
            lines.push(format!("{day} 10:0{number} zerodha NSE {side} {symbol} 65 100 {day}-{number}"));
        }
        let brokerage = (decimal(price) * decimal("2") + decimal("1.95")).to_string();
        let mut of_day = note("CN", "19500", [&brokerage, "0", "0", "0", "0", "0", "0"]);
        of_day.book.as_mut().unwrap().segment = wire::Segment::Fno.into();
        notes.push(wire::ContractNote { date: day, ..of_day });
    }
    (ledger(&lines.join("\n")), notes)
}

fn compare(fills: Vec<Fill>, notes: Vec<wire::ContractNote>) -> NoteComparison {
    let terms = Arc::new(BrokerTerms::from_wire(Vec::new(), notes).unwrap());
    let analysis = Analysis::with_terms(fills, &[], ChargeRates::load().unwrap(), terms, TODAY);
    NoteComparison::new(&analysis, &Filter::default())
}

#[test]
fn compares_a_note_with_the_trades_and_the_estimate() {
    let estimate = charges_of_day(&analysis(Vec::new()));
    let comparison = compare(ledger(TRADES), vec![note("CN1", TURNOVER, CHARGES)]);
    let [compared] = comparison.notes.as_slice() else { panic!("{comparison:?}") };
    assert!(compared.is_used);
    assert_eq!([compared.stated_turnover, compared.log_turnover], [decimal(TURNOVER); 2]);
    assert_eq!(compared.stated.total(), CHARGES.map(decimal).into_iter().sum::<Decimal>());
    // No note states the charge of the depository participant, and its GST of 18 %: 15.34 for ITC.
    assert_eq!(compared.estimate.dp, Decimal::ZERO);
    let difference = estimate.total() - compared.estimate.total();
    assert_eq!(difference.round_dp(2), decimal("15.34"));
    assert_eq!(comparison.estimate.total(), compared.estimate.total());
    assert_eq!(comparison.plans, []);
}

#[test]
fn a_note_with_other_trades_is_listed_but_not_summed() {
    let comparison = compare(ledger(TRADES), vec![note("CN1", "90000", CHARGES)]);
    assert!(!comparison.notes[0].is_used);
    assert_eq!((comparison.stated.total(), comparison.estimate.total()), (Decimal::ZERO, Decimal::ZERO));
    // Only the note of a day whose tradebook was not imported.
    let comparison = compare(Vec::new(), vec![note("CN1", TURNOVER, CHARGES)]);
    assert_eq!((comparison.notes[0].is_used, comparison.notes[0].log_turnover), (false, Decimal::ZERO));
}

#[test]
fn a_price_that_notes_repeat_on_three_days_is_proposed_as_a_plan() {
    // The future of 6,500 costs 0.03 %, 1.95.
    let (fills, notes) = notes_of_a_plan(3, "15");
    let comparison = compare(fills, notes);
    let [plan] = comparison.plans.as_slice() else { panic!("{comparison:?}") };
    assert_eq!((plan.days, plan.contracts), (3, true));
    let [price] = plan.prices.as_slice() else { panic!("{plan:?}") };
    assert_eq!((price.kind, price.from, price.flat), (TradeKind::Options, date!(2026 - 06 - 01), decimal("15")));
    let days: Vec<_> = comparison.notes.iter().map(|compared| compared.note.day.day()).collect();
    assert_eq!(days, [3, 2, 1]);

    let (fills, notes) = notes_of_a_plan(2, "15");
    assert_eq!(compare(fills, notes).plans, [], "two days may be a coincidence");
    let (fills, notes) = notes_of_a_plan(4, "20");
    assert_eq!(compare(fills, notes).plans, [], "the estimate agrees");
    let (fills, mut notes) = notes_of_a_plan(5, "15");
    notes[1].brokerage = "41.95".to_owned();
    assert_eq!(compare(fills, notes).plans[0].prices[0].from, date!(2026 - 06 - 03), "the plan began after 2 June");
}

#[test]
fn a_plan_follows_from_all_notes_whatever_the_period_of_the_filter() {
    let (fills, mut notes) = notes_of_a_plan(6, "15");
    let terms = |notes| Arc::new(BrokerTerms::from_wire(Vec::new(), notes).unwrap());
    let compare = |notes, to| {
        let analysis = Analysis::with_terms(fills.clone(), &[], ChargeRates::load().unwrap(), terms(notes), TODAY);
        NoteComparison::new(&analysis, &Filter { to: Some(to), ..Filter::default() })
    };
    let comparison = compare(notes.clone(), date!(2026 - 06 - 03));
    assert_eq!((comparison.notes.len(), comparison.plans[0].days), (3, 6));
    assert_eq!(comparison.plans[0].last_day, date!(2026 - 06 - 06));
    // The newest note states the price list again.
    notes[5].brokerage = "41.95".to_owned();
    assert_eq!(compare(notes, date!(2026 - 06 - 03)).plans, []);
}
