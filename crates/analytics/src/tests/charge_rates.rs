//! Rates on both sides of each change: the last day of the old rate and the first day of the new one.

use super::*;
use crate::charge_rates::{ChargeEvent, Levy, LevyQuery};
use crate::instrument::SecurityKind;

fn query<'a>(on: &str, exchange: Exchange, event: ChargeEvent, side: Side, underlying: &'a str) -> LevyQuery<'a> {
    let security = SecurityKind::Share;
    LevyQuery { day: day(on), exchange, event, side, underlying, security, series: "", expiry: None }
}

/// Returns the exact levy in rupees on one lakh.
#[track_caller]
fn rate(levy: &Levy, on: &str, exchange: Exchange, event: ChargeEvent, side: Side, underlying: &str) -> String {
    let rate = levy.find(&query(on, exchange, event, side, underlying));
    rate.map_or_else(|| "none".to_owned(), |rate| rate.amount_on(decimal("100000")).normalize().to_string())
}

#[test]
fn stt_by_date() {
    let stt = &ChargeRates::load().unwrap().stt;
    let trade = |kind, side, on: &str| rate(stt, on, Exchange::Nse, ChargeEvent::Trade(kind), side, "");
    for (on, futures, options, exercise) in [
        ("2018-03-31", "none", "none", "none"),
        ("2018-04-01", "10", "50", "none"),
        ("2019-08-31", "10", "50", "none"),
        ("2019-09-01", "10", "50", "125"),
        ("2023-03-31", "10", "50", "125"),
        ("2023-04-01", "12.5", "62.5", "125"),
        ("2024-09-30", "12.5", "62.5", "125"),
        ("2024-10-01", "20", "100", "125"),
        ("2026-03-31", "20", "100", "125"),
        ("2026-04-01", "50", "150", "150"),
    ] {
        assert_eq!(trade(TradeKind::Futures, Side::Sell, on), futures, "{on}");
        assert_eq!(trade(TradeKind::Options, Side::Sell, on), options, "{on}");
        assert_eq!(rate(stt, on, Exchange::Nse, ChargeEvent::Exercise, Side::Buy, ""), exercise, "{on}");
    }
    let on = "2026-06-01";
    assert_eq!(trade(TradeKind::Delivery, Side::Buy, on), "100");
    assert_eq!(trade(TradeKind::Delivery, Side::Sell, on), "100");
    assert_eq!(trade(TradeKind::Intraday, Side::Sell, on), "25");
    for kind in [TradeKind::Intraday, TradeKind::Futures, TradeKind::Options] {
        assert_eq!(trade(kind, Side::Buy, on), "none");
    }
}

#[test]
fn stt_of_funds_is_due_on_the_sale_of_equity_funds_only() {
    let stt = &ChargeRates::load().unwrap().stt;
    let find = |security, kind, side, on: &str| {
        let rate = stt.find(&LevyQuery { security, ..query(on, Exchange::Nse, ChargeEvent::Trade(kind), side, "") });
        rate.map(|rate| rate.percent.to_string())
    };
    for (security, buy, sell, intraday) in [
        (SecurityKind::Share, Some("0.1"), Some("0.1"), Some("0.025")),
        (SecurityKind::EquityFund, None, Some("0.001"), Some("0.025")),
        (SecurityKind::GoldFund, None, None, None),
        (SecurityKind::LiquidFund, None, None, None),
        (SecurityKind::DebtFund, None, None, None),
        (SecurityKind::Debenture, None, None, None),
        (SecurityKind::GoldBond, None, None, None),
        (SecurityKind::Reit, Some("0.1"), Some("0.1"), Some("0.025")),
        (SecurityKind::InvIt, Some("0.1"), Some("0.1"), Some("0.025")),
        (SecurityKind::RightsEntitlement, None, Some("0.15"), None),
        (SecurityKind::UnknownFund, None, None, None),
    ] {
        let percent = |kind, side| find(security, kind, side, "2026-06-01");
        assert_eq!(percent(TradeKind::Delivery, Side::Buy).as_deref(), buy, "{security:?}");
        assert_eq!(percent(TradeKind::Delivery, Side::Sell).as_deref(), sell, "{security:?}");
        assert_eq!(percent(TradeKind::Intraday, Side::Sell).as_deref(), intraday, "{security:?}");
        assert_eq!(percent(TradeKind::Intraday, Side::Buy), None, "{security:?}");
        assert_eq!(find(security, TradeKind::Delivery, Side::Sell, "2018-03-31"), None, "{security:?}");
    }
}

#[test]
fn exchange_charges_by_date() {
    let levy = &ChargeRates::load().unwrap().exchange;
    for (on, shares, futures, options) in [
        ("2018-03-31", "none", "none", "none"),
        ("2018-04-01", "3.25", "1.9", "50"),
        ("2020-12-31", "3.25", "1.9", "50"),
        ("2021-01-01", "3.45", "2", "53"),
        ("2023-03-31", "3.45", "2", "53"),
        ("2023-04-01", "3.25", "1.9", "50"),
        ("2024-03-31", "3.25", "1.9", "50"),
        ("2024-04-01", "3.22", "1.83", "49.5"),
        ("2024-09-30", "3.22", "1.83", "49.5"),
        ("2024-10-01", "2.97", "1.73", "35.03"),
        ("2026-02-28", "2.97", "1.73", "35.03"),
        ("2026-03-01", "3.07", "1.83", "35.5299"),
    ] {
        let nse = |kind| rate(levy, on, Exchange::Nse, ChargeEvent::Trade(kind), Side::Buy, "NIFTY");
        assert_eq!(
            (nse(TradeKind::Delivery), nse(TradeKind::Intraday)),
            (shares.to_owned(), shares.to_owned()),
            "{on}"
        );
        assert_eq!(
            (nse(TradeKind::Futures), nse(TradeKind::Options)),
            (futures.to_owned(), options.to_owned()),
            "{on}"
        );
    }
    let bse =
        |kind, underlying| rate(levy, "2024-10-01", Exchange::Bse, ChargeEvent::Trade(kind), Side::Sell, underlying);
    assert_eq!(
        (bse(TradeKind::Delivery, "ITC"), bse(TradeKind::Futures, "SENSEX")),
        ("3.75".to_owned(), "0".to_owned())
    );
    assert_eq!(
        (bse(TradeKind::Options, "SENSEX"), bse(TradeKind::Options, "BANKEX")),
        ("32.5".to_owned(), "32.5".to_owned())
    );
    assert_eq!(bse(TradeKind::Options, "SENSEX50"), "5");
}

#[test]
fn exchange_charges_of_bse_by_date() {
    let levy = &ChargeRates::load().unwrap().exchange;
    let bse =
        |on: &str, kind, underlying| rate(levy, on, Exchange::Bse, ChargeEvent::Trade(kind), Side::Sell, underlying);
    for (on, shares) in [("2022-11-30", "none"), ("2022-12-01", "3.75"), ("2024-09-30", "3.75"), ("2024-10-01", "3.75")]
    {
        for kind in [TradeKind::Delivery, TradeKind::Intraday] {
            assert_eq!(bse(on, kind, "ITC"), shares, "{on}");
        }
    }
    for (on, index, other) in [
        ("2023-05-14", "none", "none"),
        ("2023-05-15", "5", "5"),
        ("2024-05-12", "5", "5"),
        ("2024-05-13", "49.5", "5"),
        ("2024-09-30", "49.5", "5"),
        ("2024-10-01", "32.5", "5"),
    ] {
        for underlying in ["SENSEX", "BANKEX"] {
            assert_eq!(bse(on, TradeKind::Options, underlying), index, "{on} {underlying}");
        }
        assert_eq!(bse(on, TradeKind::Options, "SENSEX50"), other, "{on}");
    }
    // From November 2023 to May 2024 the nearest expiry had its own rate.
    let in_days = |on: &str, underlying, days: Option<i64>| {
        let query = query(on, Exchange::Bse, ChargeEvent::Trade(TradeKind::Options), Side::Buy, underlying);
        let expiry = days.map(|days| query.day + time::Duration::days(days));
        let rate = levy.find(&LevyQuery { expiry, ..query }).unwrap();
        rate.percent.normalize().to_string()
    };
    for (on, underlying, days, percent) in [
        ("2023-10-31", "SENSEX", Some(0), "0.005"),
        ("2023-11-01", "SENSEX", Some(0), "0.0375"),
        ("2023-11-01", "SENSEX", Some(6), "0.0375"),
        ("2023-11-01", "SENSEX", Some(7), "0.005"),
        ("2023-11-01", "SENSEX", None, "0.005"),
        ("2023-11-01", "BANKEX", Some(0), "0.005"),
        ("2024-05-12", "SENSEX", Some(6), "0.0375"),
        ("2024-05-13", "SENSEX", Some(7), "0.0495"),
    ] {
        assert_eq!(in_days(on, underlying, days), percent, "{on} {underlying} {days:?}");
    }
}

#[test]
fn exchange_charges_of_bse_depend_on_the_group() {
    let levy = &ChargeRates::load().unwrap().exchange;
    let in_group = |on: &str, kind, series| {
        let query = query(on, Exchange::Bse, ChargeEvent::Trade(kind), Side::Sell, "ITC");
        levy.find(&LevyQuery { series, ..query }).map(|rate| rate.percent.normalize().to_string())
    };
    for on in ["2022-12-01", "2024-09-30", "2024-10-01", "2026-06-01"] {
        for kind in [TradeKind::Delivery, TradeKind::Intraday] {
            for (groups, percent) in [
                (&["X", "XT", "Z", "ZP"][..], "0.1"),
                (&["SS", "ST"], "1"),
                (&["M", "MT", "TS", "MS"], "0.00275"),
                (&["A", "B", "T", "E", ""], "0.00375"),
            ] {
                for group in groups {
                    assert_eq!(in_group(on, kind, group).as_deref(), Some(percent), "{on} {group}");
                }
            }
        }
    }
    assert_eq!(in_group("2022-11-30", TradeKind::Delivery, "XT").as_deref(), Some("0.1"));
    assert_eq!(in_group("2022-11-30", TradeKind::Delivery, "ST"), None);
}

#[test]
fn stt_of_rights_entitlements_is_that_of_a_sold_option() {
    let stt = &ChargeRates::load().unwrap().stt;
    for (on, percent) in [
        ("2019-12-31", None),
        ("2020-01-01", Some("0.05")),
        ("2023-03-31", Some("0.05")),
        ("2023-04-01", Some("0.0625")),
        ("2024-09-30", Some("0.0625")),
        ("2024-10-01", Some("0.1")),
        ("2026-03-31", Some("0.1")),
        ("2026-04-01", Some("0.15")),
    ] {
        let query = query(on, Exchange::Nse, ChargeEvent::Trade(TradeKind::Delivery), Side::Sell, "");
        let rate = stt.find(&LevyQuery { security: SecurityKind::RightsEntitlement, ..query });
        assert_eq!(rate.map(|rate| rate.percent.to_string()).as_deref(), percent, "{on}");
    }
}

#[test]
fn other_levies_by_date() {
    let rates = ChargeRates::load().unwrap();
    let ipft = |on, exchange, kind| rate(&rates.ipft, on, exchange, ChargeEvent::Trade(kind), Side::Buy, "");
    assert_eq!(ipft("2026-02-28", Exchange::Nse, TradeKind::Delivery), "0.1");
    assert_eq!(ipft("2026-02-28", Exchange::Nse, TradeKind::Options), "0.5");
    assert_eq!(ipft("2026-03-01", Exchange::Nse, TradeKind::Options), "0.0001");
    assert_eq!(ipft("2026-03-01", Exchange::Bse, TradeKind::Options), "none");
    let sebi = |on| rate(&rates.sebi, on, Exchange::Nse, ChargeEvent::Trade(TradeKind::Futures), Side::Sell, "");
    for (on, fee) in [
        ("2019-03-31", "none"),
        ("2019-04-01", "0.1"),
        ("2020-05-31", "0.1"),
        ("2020-06-01", "0.05"),
        ("2021-03-31", "0.05"),
        ("2021-04-01", "0.1"),
    ] {
        assert_eq!(sebi(on), fee, "{on}");
    }
    let stamp = |kind, side| rate(&rates.stamp_duty, "2026-03-01", Exchange::Nse, ChargeEvent::Trade(kind), side, "");
    assert_eq!(
        (stamp(TradeKind::Delivery, Side::Buy), stamp(TradeKind::Intraday, Side::Buy)),
        ("15".to_owned(), "3".to_owned())
    );
    assert_eq!(
        (stamp(TradeKind::Futures, Side::Buy), stamp(TradeKind::Options, Side::Buy)),
        ("2".to_owned(), "3".to_owned())
    );
    assert_eq!(stamp(TradeKind::Delivery, Side::Sell), "none");
    assert_eq!(
        rate(&rates.sebi, "2026-03-01", Exchange::Bse, ChargeEvent::Trade(TradeKind::Futures), Side::Sell, ""),
        "0.1"
    );
    assert_eq!(
        rate(&rates.gst, "2026-03-01", Exchange::Bse, ChargeEvent::Trade(TradeKind::Futures), Side::Sell, ""),
        "18000"
    );
}

#[test]
fn broker_prices_by_date() {
    let rates = ChargeRates::load().unwrap();
    let price = |broker, on: &str, event, value: &str| {
        rates
            .broker_price(broker, day(on), event)
            .map_or(Decimal::NEGATIVE_ONE, |price| price.amount_for(decimal(value)).normalize())
    };
    for (broker, on, amount) in [
        (Broker::Zerodha, "2019-12-31", "-1"),
        (Broker::Zerodha, "2020-01-01", "13.5"),
        (Broker::Zerodha, "2024-09-30", "13.5"),
        (Broker::Zerodha, "2024-10-01", "13"),
        (Broker::Groww, "2023-03-31", "-1"),
        (Broker::Groww, "2023-04-01", "13.5"),
        (Broker::Groww, "2024-09-30", "13.5"),
        (Broker::Groww, "2024-10-01", "18.5"),
        (Broker::Groww, "2025-06-20", "18.5"),
        (Broker::Groww, "2025-06-21", "20"),
    ] {
        assert_eq!(price(broker, on, ChargeEvent::DpDebit, "1000"), decimal(amount), "{broker:?} {on}");
    }
    for (on, intraday) in [("2018-03-31", "-1"), ("2018-04-01", "1"), ("2019-12-31", "1"), ("2020-01-01", "3")] {
        for kind in [TradeKind::Intraday, TradeKind::Futures] {
            assert_eq!(price(Broker::Zerodha, on, ChargeEvent::Trade(kind), "10000"), decimal(intraday), "{on}");
        }
    }
    for (on, delivered, netted) in [("2023-03-31", "-1", "-1"), ("2023-04-01", "2500", "1000")] {
        let settlement = |event| price(Broker::Zerodha, on, event, "1000000");
        assert_eq!(settlement(ChargeEvent::PhysicalSettlement), decimal(delivered), "{on}");
        assert_eq!(settlement(ChargeEvent::NettedSettlement), decimal(netted), "{on}");
    }
    let zerodha = |kind, value| price(Broker::Zerodha, "2026-06-01", ChargeEvent::Trade(kind), value);
    assert_eq!(zerodha(TradeKind::Delivery, "100000"), decimal("0"));
    assert_eq!(
        (zerodha(TradeKind::Intraday, "10000"), zerodha(TradeKind::Intraday, "100000")),
        (decimal("3"), decimal("20"))
    );
    assert_eq!(
        (zerodha(TradeKind::Futures, "10000"), zerodha(TradeKind::Options, "10")),
        (decimal("3"), decimal("20"))
    );
    assert_eq!(price(Broker::Groww, "2026-06-01", ChargeEvent::Trade(TradeKind::Futures), "10"), decimal("20"));
}
