//! Physical settlement of stock derivatives, compared with sums computed by hand.

use super::*;
use crate::analysis::TradeChanges;

fn settled(symbol: &str, price: &str) -> Adjustment {
    adjustment(symbol, "2026-06-30", AdjustmentKind::Settlement(decimal(price)))
}

/// Returns the open shares: symbol, quantity and cost.
fn open_shares(analysis: &Analysis) -> Vec<(String, Decimal, Decimal)> {
    let positions = analysis.ledgers().flat_map(InstrumentLedger::positions);
    positions
        .map(|(position, fill)| (fill.instrument.symbol.clone(), position.quantity, position.value.normalize()))
        .collect()
}

/// Returns brokerage, STT, stamp duty, SEBI fee and GST of the shares that contracts delivered.
fn charges_of_delivery(analysis: &Analysis) -> [Decimal; 5] {
    let mut sums = [Decimal::ZERO; 5];
    for ledger in analysis.ledgers() {
        for lot in ledger.lot_details().filter(|lot| lot.fill.source == Source::Delivered) {
            let charges = lot.charges;
            let parts = [charges.brokerage, charges.stt, charges.stamp_duty, charges.sebi, charges.gst];
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            assert!(charges.exchange.is_zero() && charges.ipft.is_zero() && charges.dp.is_zero());
        }
    }
    sums.map(|sum| sum.normalize())
}

#[test]
fn a_stock_option_in_the_money_delivers_shares_at_the_strike() {
    // 500 calls of strike 1,400 bought at 20; the share settles at 1,450 on 30 June 2026, so the call at 50. The option is
    // worth nothing, and 500 shares cost 7,00,000. STT 0.1 % = 700, stamp 0.015 % = 105, Zerodha 0.25 % = 1,750, SEBI
    // 0.0001 % = 0.7, GST (1,750 + 0.7) * 18 % = 315.126. Sold at 1,450 on 2 July, they bring 25,000.
    let bought = "2026-06-15 09:15 zerodha NSE buy TCS26JUN1400CE 500 20";
    let lines = format!("{bought}\n2026-07-02 09:15 zerodha NSE sell TCS 500 1450");
    let calls = [settled("TCS26JUN1400CE", "50")];
    let analysis = check(
        &lines,
        &calls,
        &["options long TCS26JUN1400CE 500: 10000 -> 0 = -10000", "delivery long TCS 500: 700000 -> 725000 = 25000"],
    );
    assert_eq!(charges_of_delivery(&analysis), ["1750", "700", "105", "0.7", "315.126"].map(decimal));
    assert_eq!(open_shares(&analysis), []);
    let shares = analysis.closed_trades().nth(1).unwrap();
    assert_eq!((shares.opened_day, shares.flags.rates_missing), (date!(2026 - 06 - 30), false));
    // A writer of a put receives the shares too, and keeps the premium.
    let written = "2026-06-15 09:15 zerodha NSE sell TCS26JUN1400PE 500 20";
    let puts = [settled("TCS26JUN1400PE", "50")];
    let analysis = check(written, &puts, &["options short TCS26JUN1400PE 500: 10000 -> 0 = 10000"]);
    assert_eq!(open_shares(&analysis), [("TCS".to_owned(), decimal("500"), decimal("700000"))]);
    assert_eq!(charges_of_delivery(&analysis), ["1750", "700", "105", "0.7", "315.126"].map(decimal));
}

#[test]
fn a_written_call_and_a_put_take_the_shares_from_the_holding() {
    // 500 bought at 1,300 leave at the strike of 1,400: 50,000. STT 700, brokerage 1,750, no stamp duty on a sale.
    for (option, side, premium) in [("TCS26JUN1400CE", "sell", "10000"), ("TCS26JUN1400PE", "buy", "-10000")] {
        let direction = if side == "sell" { "short" } else { "long" };
        let lines = format!(
            "2026-05-04 09:15 zerodha NSE buy TCS 500 1300
             2026-06-15 09:15 zerodha NSE {side} {option} 500 20"
        );
        let analysis = analysis(&lines, &[settled(option, "50")]);
        let mut closed: Vec<String> = analysis.closed_trades().map(describe).collect();
        closed.sort();
        let expected = [
            "delivery long TCS 500: 650000 -> 700000 = 50000".to_owned(),
            format!("options {direction} {option} 500: 10000 -> 0 = {premium}"),
        ];
        assert_eq!(closed, expected);
        assert_eq!(charges_of_delivery(&analysis), ["1750", "700", "0", "0.7", "315.126"].map(decimal));
        let ids: Vec<String> = analysis.closed_trades().map(ClosedTrade::id).collect();
        assert!(ids.contains(&"2s".to_owned()) && ids.contains(&"2x".to_owned()), "{ids:?}");
    }
    // Without shares, the sale has no cost.
    let analysis =
        analysis("2026-06-15 09:15 zerodha NSE sell TCS26JUN1400CE 500 20", &[settled("TCS26JUN1400CE", "50")]);
    assert_eq!(missing_cost_basis(&analysis), [(1, decimal("700000"))]);
}

#[test]
fn a_stock_future_delivers_shares_at_the_settlement_price() {
    // 500 bought at 1,400 and settled at 1,450: 25,000. The shares cost 7,25,000: STT 725, stamp 108.75, rounded to 109,
    // Zerodha 0.25 % = 1,812.5, SEBI 0.725, GST 1,813.225 * 18 % = 326.3805.
    let lines = "2026-06-15 09:15 zerodha NSE buy TCS26JUNFUT 500 1400";
    let analysis =
        check(lines, &[settled("TCS26JUNFUT", "1450")], &["futures long TCS26JUNFUT 500: 700000 -> 725000 = 25000"]);
    assert_eq!(open_shares(&analysis), [("TCS".to_owned(), decimal("500"), decimal("725000"))]);
    assert_eq!(charges_of_delivery(&analysis), ["1812.5", "725", "109", "0.725", "326.3805"].map(decimal));
    // A short future takes the shares.
    let short = lines.replace("buy", "sell");
    let analysis = self::analysis(&short, &[settled("TCS26JUNFUT", "1450")]);
    assert_eq!(missing_cost_basis(&analysis), [(1, decimal("725000"))]);
}

#[test]
fn contracts_on_an_index_and_worthless_options_deliver_nothing() {
    for (symbol, price) in
        [("NIFTY26JUN23000CE", "180"), ("NIFTY26JUNFUT", "23100"), ("TCS26JUN1400CE", "0"), ("TCS", "1400")]
    {
        let lines = format!("2026-06-15 09:15 zerodha NSE buy {symbol} 500 20");
        let mut fills = ledger(&lines);
        if symbol == "TCS" {
            // A contract whose symbol states no expiry.
            fills[0].instrument = Arc::new(Instrument::from_unparsed_symbol(symbol));
        }
        let analysis = Analysis::new(fills, &[settled(symbol, price)], ChargeRates::load().unwrap(), TODAY);
        assert_eq!(charges_of_delivery(&analysis), [Decimal::ZERO; 5], "{symbol}");
        assert_eq!(open_shares(&analysis), [], "{symbol}");
    }
    // Stock derivatives were settled in cash before October 2019.
    let settlement = |day: &str, symbol: &str| {
        let adjustments = [adjustment(symbol, day, AdjustmentKind::Settlement(decimal("50")))];
        let lines = format!("{}-02 09:15 zerodha NSE buy {symbol} 500 20", &day[..7]);
        open_shares(&analysis(&lines, &adjustments)).len()
    };
    assert_eq!(settlement("2019-09-26", "TCS19SEP1200CE"), 0);
    assert_eq!(settlement("2019-10-31", "TCS19OCT1200CE"), 1);
}

#[test]
fn two_contracts_of_one_expiry_receive_and_deliver_the_difference() {
    // Bought at 1,400 and delivered at 1,450: 25,000. Zerodha charges 0.1 % of netted positions: 700 and 725.
    let analysis = check(
        "2026-06-15 09:15 zerodha NSE buy TCS26JUN1400CE 500 60
         2026-06-15 09:16 zerodha NSE sell TCS26JUN1450CE 500 30",
        &[settled("TCS26JUN1400CE", "100"), Adjustment { id: 2, ..settled("TCS26JUN1450CE", "50") }],
        &[
            "options long TCS26JUN1400CE 500: 30000 -> 0 = -30000",
            "options short TCS26JUN1450CE 500: 15000 -> 0 = 15000",
            "futures long TCS 500: 700000 -> 725000 = 25000",
        ],
    );
    assert_eq!(charges_of_delivery(&analysis)[0], decimal("1425"));
    // The levies of netted positions are not certain.
    assert!(analysis.closed_trades().last().unwrap().flags.rates_missing);
    assert_eq!(open_shares(&analysis), []);
}

#[test]
fn delivered_shares_are_not_netted_with_trades_of_the_day() {
    // On the day of expiry 500 are received at 1,400 and 500 of the holding are sold at 1,450.
    let lines = "2026-05-04 09:15 zerodha NSE buy TCS 500 1300
                 2026-06-15 09:15 zerodha NSE buy TCS26JUN1400CE 500 20
                 2026-06-30 10:15 zerodha NSE sell TCS 500 1450";
    let analysis = analysis(lines, &[settled("TCS26JUN1400CE", "50")]);
    let closed: Vec<String> = analysis.closed_trades().map(describe).collect();
    assert!(closed.contains(&"delivery long TCS 500: 650000 -> 725000 = 75000".to_owned()), "{closed:?}");
    assert_eq!(open_shares(&analysis), [("TCS".to_owned(), decimal("500"), decimal("700000"))]);
}

#[test]
fn a_changed_trade_of_a_contract_changes_the_delivered_shares() {
    let lines = "2026-06-15 09:15 zerodha NSE buy TCS26JUN1400CE 500 20
                 2026-06-16 09:15 zerodha NSE sell TCS26JUN1400CE 200 25
                 2026-07-02 09:15 zerodha NSE sell TCS 300 1450";
    let mut analysis = analysis(lines, &[settled("TCS26JUN1400CE", "50")]);
    assert_eq!((open_shares(&analysis), missing_cost_basis(&analysis)), (vec![], vec![]));
    // Without the sale of 200, 500 shares are received and 200 stay.
    analysis.apply(TradeChanges { ids: [2].into(), trades: Vec::new() });
    assert_eq!(open_shares(&analysis), [("TCS".to_owned(), decimal("200"), decimal("280000"))]);
    // Without the purchase none is received, and the sale of the shares has no cost.
    analysis.apply(TradeChanges { ids: [1].into(), trades: Vec::new() });
    assert_eq!((open_shares(&analysis), missing_cost_basis(&analysis)), (vec![], vec![(3, decimal("435000"))]));
}
