//! What holds for every ledger.

use proptest::prelude::*;

use super::*;
use crate::adjustment::Ratio;
use crate::fill::Words;

const SYMBOLS: [&str; 4] = ["INFY", "ITC", "NIFTY26MAYFUT", "NIFTY2650523000CE"];

/// Some trades of a few days in a few instruments, of orders that share numbers; some with a stop loss, some with a tag.
pub fn any_ledger() -> impl Strategy<Value = Vec<Fill>> {
    let trade = (0..6_u8, 0..360_u16, any::<bool>(), any::<bool>(), 0..4_usize, 1..300_u32, 1..90_000_u32, 0..4_u8);
    proptest::collection::vec(trade, 0..40).prop_map(|trades| {
        let mut fills = Vec::new();
        for (place, (day, minute, zerodha, buys, symbol, quantity, paise, order)) in (1..).zip(trades) {
            let (broker, side) = (if zerodha { "zerodha" } else { "groww" }, if buys { "buy" } else { "sell" });
            let (hour, minute) = (9 + minute / 60, minute % 60);
            let order = if order == 0 { String::new() } else { format!("{symbol}{side}{order}") };
            let (day, symbol, rupees, paise) = (27 + day.min(3), SYMBOLS[symbol], paise / 100, paise % 100);
            let stop = match (quantity % 3, buys) {
                (0, true) => format!("stop={}", rupees / 2 + 1),
                (0, false) => format!("stop={}", rupees * 2 + 1),
                _ => String::new(),
            };
            let line = format!(
                "2026-04-{day:02} {hour:02}:{minute:02} {broker} NSE {side} {symbol} {quantity} {rupees}.{paise:02} {order} {stop}"
            );
            let (setup, psychology) = (format!("tag{}", quantity % 2), String::new());
            let words = (quantity % 5 == 0).then(|| Arc::new(Words { setup, psychology }));
            fills.push(Fill { words, ..fill(place, &line) });
        }
        fills
    })
}

fn analysed(fills: Vec<Fill>, adjustments: &[Adjustment]) -> Analysis {
    Analysis::of(fills, adjustments, Tariff::of_files().unwrap(), TODAY)
}

/// Splits that make whole shares of every holding, and a bonus.
fn actions() -> Vec<Adjustment> {
    vec![
        entered("INFY", "2026-04-29", What::Split(Ratio { new: 3, old: 1 })),
        entered("ITC", "2026-04-30", What::Bonus(Ratio { new: 1, old: 2 })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_split_of_lots_makes_what_a_split_of_their_sum_would(
        lots in proptest::collection::vec(1..300_u32, 1..20),
        new in 1..30_i32,
        old in 1..30_i32,
    ) {
        let bought = |(place, quantity): (usize, &u32)| {
            format!("2026-04-{:02} 09:15 zerodha NSE buy INFY {quantity} 100\n", place + 1)
        };
        let lines: String = lots.iter().enumerate().map(bought).collect();
        let split = entered("INFY", "2026-05-01", What::Split(Ratio { new, old }));
        let analysis = analysed(ledger(&lines), &[split]);
        let held: Vec<Decimal> =
            analysis.groups().flat_map(Group::positions).map(|(position, _)| position.quantity).collect();
        let sum = Decimal::from(lots.iter().sum::<u32>());
        prop_assert_eq!(held, [(sum * Decimal::from(new) / Decimal::from(old)).round_dp(6)]);
    }

    #[test]
    fn gross_is_what_was_sold_less_what_was_bought_and_is_not_open(fills in any_ledger(), acted in any::<bool>()) {
        let sum = |side| fills.iter().filter(|fill| fill.side == side).map(|fill| fill.value).sum::<Decimal>();
        let (bought, sold) = (sum(Side::Buy), sum(Side::Sell));
        let analysis = analysed(fills, &if acted { actions() } else { Vec::new() });
        let gross: Decimal = analysis.closed_trades().map(|closed_trade| closed_trade.gross).sum();
        let open: Decimal = analysis
            .groups()
            .flat_map(Group::positions)
            .map(|(position, _)| position)
            .filter(|position| !position.worthless)
            .map(|position| if position.long { position.value } else { -position.value })
            .sum();
        let missing_cost_basis: Decimal = missing_cost_basis(&analysis).iter().map(|(_, value)| value).sum();
        prop_assert_eq!(gross, sold - bought + open - missing_cost_basis);
    }

    #[test]
    fn charges_are_never_negative_and_a_net_result_is_the_gross_less_them(fills in any_ledger()) {
        let analysis = analysed(fills, &actions());
        for closed_trade in analysis.closed_trades() {
            let (sum, _) = analysis.charges([closed_trade].into_iter());
            for (component, amount) in sum.each() {
                prop_assert!(amount >= Decimal::ZERO, "{component:?} {amount}");
            }
            prop_assert_eq!(closed_trade.net, closed_trade.gross - closed_trade.charges);
            prop_assert_eq!(closed_trade.charges, sum.total());
        }
        let (sum, lines) = analysis.charges(analysis.closed_trades());
        prop_assert_eq!(sum.total(), lines.iter().map(|line| line.amount).sum::<Decimal>());
    }

    #[test]
    fn the_order_of_import_does_not_matter(fills in any_ledger(), seed in any::<u64>()) {
        let mut shuffled = fills.clone();
        let mut random = seed;
        for place in (1..shuffled.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(place, usize::try_from(random >> 33).unwrap() % (place + 1));
        }
        for (number, fill) in (1..).zip(&mut shuffled) {
            fill.trade_id = number;
        }
        let known = |fills| {
            let analysis = analysed(fills, &actions());
            let closed_trades: Vec<_> =
                analysis.closed_trades().map(|closed_trade| (said(closed_trade), closed_trade.charges, closed_trade.opened, closed_trade.closed)).collect();
            (closed_trades, analysis.groups().flat_map(Group::positions).count(), missing_cost_basis(&analysis).len())
        };
        prop_assert_eq!(known(fills), known(shuffled));
    }

    #[test]
    fn every_closed_trade_has_its_own_id(fills in any_ledger()) {
        let analysis = analysed(fills, &[]);
        let mut ids: Vec<String> = analysis.closed_trades().map(ClosedTrade::id).collect();
        let all = ids.len();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), all);
    }
}
