//! Terms of accounts with brokers: their charges, compared with sums computed by hand.

use super::*;
use crate::broker_terms::BrokerTerms;
use crate::charges::Charges;

fn terms(accounts: Vec<wire::BrokerAccount>) -> Arc<BrokerTerms> {
    Arc::new(BrokerTerms::from_wire(accounts, Vec::new()).unwrap())
}

fn woman(broker: wire::Broker, broker_account: u32) -> wire::BrokerAccount {
    let settings = wire::BrokerAccountSettings { woman_first_holder: true, ..Default::default() };
    wire::BrokerAccount {
        broker: broker.into(),
        broker_account,
        settings: Some(settings),
        ..wire::BrokerAccount::default()
    }
}

fn charges(lines: &str, terms: Arc<BrokerTerms>) -> Charges {
    let analysis = Analysis::with_terms(ledger(lines), &[], ChargeRates::load().unwrap(), terms, TODAY);
    let (charges, rules) = analysis.charges(analysis.closed_trades());
    assert_eq!(charges.total(), rules.iter().map(|rule| rule.amount).sum());
    charges
}

#[test]
fn a_woman_as_first_holder_pays_less_to_the_depository() {
    let sale = |broker: &str, day: &str, price: u32| {
        format!("2024-09-27 09:15 {broker} NSE buy ITC 1 {price}\n{day} 09:15 {broker} NSE sell ITC 1 {price}")
    };
    let women = terms(vec![woman(wire::Broker::Zerodha, 0), woman(wire::Broker::Groww, 0)]);
    for (broker, day, price, general, of_woman) in [
        ("zerodha", "2024-09-30", 500, "13.5", "13.5"),
        ("zerodha", "2024-10-01", 500, "13", "12.75"),
        ("groww", "2024-09-30", 500, "13.5", "13.5"),
        ("groww", "2024-10-01", 500, "18.5", "18.25"),
        ("groww", "2024-10-01", 50, "3.5", "3.25"),
        ("groww", "2025-06-20", 500, "18.5", "18.25"),
        ("groww", "2025-06-21", 500, "20", "19.75"),
        ("groww", "2025-06-21", 50, "3.5", "3.25"),
    ] {
        let lines = sale(broker, day, price);
        assert_eq!(charges(&lines, Arc::default()).dp, decimal(general), "{broker} {day}");
        assert_eq!(charges(&lines, women.clone()).dp, decimal(of_woman), "{broker} {day}");
    }
    // The setting is that of one account.
    let second = sale("zerodha-2", "2026-06-01", 500);
    assert_eq!(charges(&second, women).dp, decimal("13"));
    assert_eq!(charges(&second, terms(vec![woman(wire::Broker::Zerodha, 2)])).dp, decimal("12.75"));
}

#[test]
fn agreed_brokerage_replaces_that_of_the_price_list_from_its_day() {
    let price = |from: &str, flat: &str, percent: &str, max: &str| wire::BrokeragePrice {
        kind: wire::BrokerageKind::Intraday.into(),
        from: from.to_owned(),
        flat: flat.to_owned(),
        percent: percent.to_owned(),
        max: max.to_owned(),
        ..wire::BrokeragePrice::default()
    };
    let brokerage = vec![price("", "", "0.01", ""), price("2026-06-02", "10", "", "")];
    let settings = wire::BrokerAccountSettings { brokerage, ..Default::default() };
    let account = wire::BrokerAccount {
        broker: wire::Broker::Zerodha.into(),
        settings: Some(settings),
        ..wire::BrokerAccount::default()
    };
    let terms = terms(vec![account]);
    // 10,00,000 bought and sold: 0.01 % without a limit is 100 each, from 2 June 10 each; Zerodha's price is 20 each.
    let brokerage = |day: &str, terms: &Arc<BrokerTerms>| {
        let lines =
            format!("{day} 09:15 zerodha NSE buy ITC 1000 1000 a\n{day} 10:15 zerodha NSE sell ITC 1000 1000 b");
        charges(&lines, terms.clone()).brokerage
    };
    assert_eq!(brokerage("2026-06-01", &terms), decimal("200"));
    assert_eq!(brokerage("2026-06-02", &terms), decimal("20"));
    assert_eq!(brokerage("2026-06-02", &Arc::default()), decimal("40"));
    // Delivery is not agreed and stays free.
    let delivery = "2026-06-01 09:15 zerodha NSE buy ITC 1000 1000\n2026-06-02 09:15 zerodha NSE sell ITC 1000 1000";
    assert_eq!(charges(delivery, terms).brokerage, decimal("0"));
}

#[test]
fn rejects_accounts_that_the_trade_log_should_not_send() {
    let unknown_broker = wire::BrokerAccount::default();
    let price = wire::BrokeragePrice { flat: "x".to_owned(), kind: 1, ..wire::BrokeragePrice::default() };
    let settings = wire::BrokerAccountSettings { brokerage: vec![price], ..Default::default() };
    let invalid_price =
        wire::BrokerAccount { broker: wire::Broker::Groww.into(), settings: Some(settings), ..Default::default() };
    for account in [unknown_broker, invalid_price] {
        assert!(BrokerTerms::from_wire(vec![account], Vec::new()).is_err());
    }
}
