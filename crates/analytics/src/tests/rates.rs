//! Each day on which a rate changed: the last of the old one and the first of the new one.

use super::*;
use crate::tariff::{Kind, Levy, On};

/// A levy in rupees on one lakh, exactly.
#[track_caller]
fn rate(levy: &Levy, on: &str, exchange: Exchange, what: On, side: Side, underlying: &str) -> String {
    let rate = levy.find(day(on), exchange, what, side, underlying);
    rate.map_or_else(|| "none".to_owned(), |rate| rate.of(decimal("100000")).normalize().to_string())
}

#[test]
fn stt_by_its_dates() {
    let stt = &Tariff::of_files().unwrap().stt;
    let trade = |kind, side, on: &str| rate(stt, on, Exchange::Nse, On::Trade(kind), side, "");
    for (on, futures, options, exercise) in [
        ("2023-03-31", "none", "none", "none"),
        ("2023-04-01", "12.5", "62.5", "125"),
        ("2024-09-30", "12.5", "62.5", "125"),
        ("2024-10-01", "20", "100", "125"),
        ("2026-03-31", "20", "100", "125"),
        ("2026-04-01", "50", "150", "150"),
    ] {
        assert_eq!(trade(Kind::Futures, Side::Sell, on), futures, "{on}");
        assert_eq!(trade(Kind::Options, Side::Sell, on), options, "{on}");
        assert_eq!(rate(stt, on, Exchange::Nse, On::Exercise, Side::Buy, ""), exercise, "{on}");
    }
    let on = "2026-06-01";
    assert_eq!(trade(Kind::Delivery, Side::Buy, on), "100");
    assert_eq!(trade(Kind::Delivery, Side::Sell, on), "100");
    assert_eq!(trade(Kind::Intraday, Side::Sell, on), "25");
    for kind in [Kind::Intraday, Kind::Futures, Kind::Options] {
        assert_eq!(trade(kind, Side::Buy, on), "none");
    }
}

#[test]
fn exchange_charges_by_their_dates() {
    let levy = &Tariff::of_files().unwrap().exchange;
    for (on, shares, futures, options) in [
        ("2023-04-01", "3.25", "1.9", "50"),
        ("2024-03-31", "3.25", "1.9", "50"),
        ("2024-04-01", "3.22", "1.83", "49.5"),
        ("2024-09-30", "3.22", "1.83", "49.5"),
        ("2024-10-01", "2.97", "1.73", "35.03"),
        ("2026-02-28", "2.97", "1.73", "35.03"),
        ("2026-03-01", "3.07", "1.83", "35.5299"),
    ] {
        let found = |kind| rate(levy, on, Exchange::Nse, On::Trade(kind), Side::Buy, "NIFTY");
        assert_eq!((found(Kind::Delivery), found(Kind::Intraday)), (shares.to_owned(), shares.to_owned()), "{on}");
        assert_eq!((found(Kind::Futures), found(Kind::Options)), (futures.to_owned(), options.to_owned()), "{on}");
    }
    let bse = |kind, underlying| rate(levy, "2024-10-01", Exchange::Bse, On::Trade(kind), Side::Sell, underlying);
    assert_eq!((bse(Kind::Delivery, "ITC"), bse(Kind::Futures, "SENSEX")), ("3.75".to_owned(), "0".to_owned()));
    assert_eq!((bse(Kind::Options, "SENSEX"), bse(Kind::Options, "BANKEX")), ("32.5".to_owned(), "32.5".to_owned()));
    assert_eq!(bse(Kind::Options, "SENSEX50"), "5");
}

#[test]
fn the_smaller_levies_by_their_dates() {
    let tariff = Tariff::of_files().unwrap();
    let ipft = |on, exchange, kind| rate(&tariff.ipft, on, exchange, On::Trade(kind), Side::Buy, "");
    assert_eq!(ipft("2026-02-28", Exchange::Nse, Kind::Delivery), "0.1");
    assert_eq!(ipft("2026-02-28", Exchange::Nse, Kind::Options), "0.5");
    assert_eq!(ipft("2026-03-01", Exchange::Nse, Kind::Options), "0.0001");
    assert_eq!(ipft("2026-03-01", Exchange::Bse, Kind::Options), "none");
    let stamp = |kind, side| rate(&tariff.stamp_duty, "2026-03-01", Exchange::Nse, On::Trade(kind), side, "");
    assert_eq!((stamp(Kind::Delivery, Side::Buy), stamp(Kind::Intraday, Side::Buy)), ("15".to_owned(), "3".to_owned()));
    assert_eq!((stamp(Kind::Futures, Side::Buy), stamp(Kind::Options, Side::Buy)), ("2".to_owned(), "3".to_owned()));
    assert_eq!(stamp(Kind::Delivery, Side::Sell), "none");
    assert_eq!(rate(&tariff.sebi, "2026-03-01", Exchange::Bse, On::Trade(Kind::Futures), Side::Sell, ""), "0.1");
    assert_eq!(rate(&tariff.gst, "2026-03-01", Exchange::Bse, On::Trade(Kind::Futures), Side::Sell, ""), "18000");
}

#[test]
fn brokers_by_their_dates() {
    let tariff = Tariff::of_files().unwrap();
    let price = |broker, on: &str, what, value: &str| {
        tariff.price(broker, day(on), what).map_or(Decimal::NEGATIVE_ONE, |price| price.of(decimal(value)).normalize())
    };
    for (broker, on, amount) in [
        (Broker::Zerodha, "2024-09-30", "13.5"),
        (Broker::Zerodha, "2024-10-01", "13"),
        (Broker::Groww, "2025-06-20", "18.5"),
        (Broker::Groww, "2025-06-21", "20"),
    ] {
        assert_eq!(price(broker, on, On::Dp, "1"), decimal(amount), "{broker:?} {on}");
    }
    let zerodha = |kind, value| price(Broker::Zerodha, "2026-06-01", On::Trade(kind), value);
    assert_eq!(zerodha(Kind::Delivery, "100000"), decimal("0"));
    assert_eq!((zerodha(Kind::Intraday, "10000"), zerodha(Kind::Intraday, "100000")), (decimal("3"), decimal("20")));
    assert_eq!((zerodha(Kind::Futures, "10000"), zerodha(Kind::Options, "10")), (decimal("3"), decimal("20")));
    assert_eq!(price(Broker::Groww, "2026-06-01", On::Trade(Kind::Futures), "10"), decimal("20"));
}
