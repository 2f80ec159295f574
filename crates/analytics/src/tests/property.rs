//! Properties of random ledgers.

use proptest::prelude::*;

use super::*;
use crate::adjustment::Ratio;
use crate::fill::Labels;

const SYMBOLS: [&str; 5] = ["INFY", "ITC", "NIFTY26MAYFUT", "NIFTY2650523000CE", "ITC26MAY300CE"];

/// Generates trades of a few days in a few instruments. Some share an order, some have a stop loss or a label.
pub fn any_ledger() -> impl Strategy<Value = Vec<Fill>> {
    let trade =
        (0..6_u8, 0..360_u16, any::<bool>(), any::<bool>(), 0..SYMBOLS.len(), 1..300_u32, 1..90_000_u32, 0..4_u8);
    proptest::collection::vec(trade, 0..40).prop_map(|trades| {
        let mut fills = Vec::new();
        for (trade_id, (day, minute, zerodha, buys, symbol, quantity, paise, order)) in (1..).zip(trades) {
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
            let labels = (quantity % 5 == 0).then(|| Arc::new(Labels { setup, psychology }));
            fills.push(Fill { labels, ..fill(trade_id, &line) });
        }
        fills
    })
}

fn analyse(fills: Vec<Fill>, adjustments: &[Adjustment]) -> Analysis {
    Analysis::new(fills, adjustments, ChargeRates::load().unwrap(), TODAY)
}

/// Returns a split, which leaves no fractions of a share, and a bonus.
fn corporate_actions() -> Vec<Adjustment> {
    vec![
        adjustment("INFY", "2026-04-29", AdjustmentKind::Split(Ratio { new: 3, old: 1 })),
        adjustment("ITC", "2026-04-30", AdjustmentKind::Bonus { ratio: Ratio { new: 1, old: 2 }, allotted: None }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_split_of_lots_equals_a_split_of_their_sum(
        lots in proptest::collection::vec(1..300_u32, 1..20),
        new in 1..30_i32,
        old in 1..30_i32,
    ) {
        let buy = |(index, quantity): (usize, &u32)| {
            format!("2026-04-{:02} 09:15 zerodha NSE buy INFY {quantity} 100\n", index + 1)
        };
        let lines: String = lots.iter().enumerate().map(buy).collect();
        let split = adjustment("INFY", "2026-05-01", AdjustmentKind::Split(Ratio { new, old }));
        let analysis = analyse(ledger(&lines), &[split]);
        let positions = || analysis.ledgers().flat_map(InstrumentLedger::positions).map(|(position, _)| position);
        let quantity: Decimal = positions().map(|position| position.quantity).sum();
        let sum = Decimal::from(lots.iter().sum::<u32>());
        prop_assert_eq!(quantity, (sum * Decimal::from(new) / Decimal::from(old)).round_dp(6));
        // The fraction of a share is a position of its own.
        prop_assert!(positions().all(|position| position.fraction == (position.quantity < Decimal::ONE)));
        let value: Decimal = positions().map(|position| position.value).sum();
        prop_assert_eq!(value, sum * Decimal::ONE_HUNDRED);
    }

    #[test]
    fn gross_is_sales_less_purchases_and_open_positions(
        fills in any_ledger(),
        with_actions in any::<bool>(),
    ) {
        let sum = |side| fills.iter().filter(|fill| fill.side == side).map(|fill| fill.value).sum::<Decimal>();
        let (bought, sold) = (sum(Side::Buy), sum(Side::Sell));
        let analysis = analyse(fills, &if with_actions { corporate_actions() } else { Vec::new() });
        let gross: Decimal = analysis.closed_trades().map(|closed_trade| closed_trade.gross).sum();
        let open: Decimal = analysis
            .ledgers()
            .flat_map(InstrumentLedger::positions)
            .map(|(position, _)| position)
            .map(|position| if position.long { position.value } else { -position.value })
            .sum();
        let missing_cost_basis: Decimal = missing_cost_basis(&analysis).iter().map(|(_, value)| value).sum();
        prop_assert_eq!(gross, sold - bought + open - missing_cost_basis);
    }

    #[test]
    fn charges_are_not_negative_and_net_is_gross_less_charges(fills in any_ledger()) {
        let analysis = analyse(fills, &corporate_actions());
        for closed_trade in analysis.closed_trades() {
            let (total, _) = analysis.charges([closed_trade].into_iter());
            for (component, amount) in total.components() {
                prop_assert!(amount >= Decimal::ZERO, "{component:?} {amount}");
            }
            prop_assert_eq!(closed_trade.net, closed_trade.gross - closed_trade.charges);
            prop_assert_eq!(closed_trade.charges, total.total());
        }
        let (total, lines) = analysis.charges(analysis.closed_trades());
        prop_assert_eq!(total.total(), lines.iter().map(|line| line.amount).sum::<Decimal>());
    }

    #[test]
    fn the_order_of_import_does_not_matter(fills in any_ledger(), seed in any::<u64>()) {
        let mut shuffled = fills.clone();
        let mut random = seed;
        for index in (1..shuffled.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(index, usize::try_from(random >> 33).unwrap() % (index + 1));
        }
        for (number, fill) in (1..).zip(&mut shuffled) {
            fill.trade_id = number;
        }
        let summary = |fills| {
            let analysis = analyse(fills, &corporate_actions());
            let closed_trades: Vec<_> = analysis
                .closed_trades()
                .map(|trade| (describe(trade), trade.charges, trade.opened_at, trade.closed_at))
                .collect();
            let positions = analysis.ledgers().flat_map(InstrumentLedger::positions).count();
            (closed_trades, positions, missing_cost_basis(&analysis).len())
        };
        prop_assert_eq!(summary(fills), summary(shuffled));
    }

    #[test]
    fn ids_of_closed_trades_are_unique(fills in any_ledger()) {
        let analysis = analyse(fills, &[]);
        let mut ids: Vec<String> = analysis.closed_trades().map(ClosedTrade::id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), count);
    }
}
