//! Contracts parsed from symbols of futures and options.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

/// Describes the contract of a trade, such as `NIFTY 2025-07-03 CALL 25500`.
fn describe_contract(trade: &wire::Trade) -> Option<String> {
    let contract = trade.contract.as_ref()?;
    let kind = contract.kind().as_str_name().trim_start_matches("CONTRACT_KIND_");
    Some(format!("{} {} {kind} {}", contract.underlying, contract.expiry, contract.strike))
}

/// Returns a trade of 27 June 2025.
fn trade_of(symbol: &str) -> wire::NewTrade {
    wire::NewTrade { symbol: symbol.to_owned(), ..manual_trade(0) }
}

const OPTION: &str = "NIFTY 2025-07-03 CALL 25500";

#[sqlx::test(migrations = "../../migrations")]
async fn a_trade_without_a_contract_gets_the_contract_of_its_symbol(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let cases = [
        ("nifty2570325500ce", Some(OPTION)),
        ("NIFTY 03 JUL 25 25500 Call", Some(OPTION)),
        ("BANKNIFTY25JULFUT", Some("BANKNIFTY 2025-07 FUTURE ")),
        // The contract expired before the trade.
        ("NIFTY25MAY25500CE", None),
        ("NIFTY", None),
    ];
    for (symbol, expected) in cases {
        let added = add(&mut client, ZERODHA_FNO, trade_of(symbol)).await.trade.unwrap();
        assert_eq!(describe_contract(&added).as_deref(), expected, "{symbol}");
    }
    // An equity symbol may look like a contract.
    assert_eq!(
        describe_contract(&add(&mut client, ZERODHA_EQUITY, trade_of("NIFTY2570325500CE")).await.trade.unwrap()),
        None
    );

    replace(&mut client, ZERODHA_FNO, &cases.map(|(symbol, _)| trade_of(symbol))).await;
    let expected = cases.map(|(_, contract)| contract.map(str::to_owned));
    let log = async |client: &mut Client, book: wire::Book| -> Vec<Option<String>> {
        let mut trades = list(client, None).await.1;
        trades.retain(|trade| trade.book == Some(book));
        trades.sort_by_key(|trade| trade.id);
        trades.iter().map(describe_contract).collect()
    };
    assert_eq!(log(&mut client, ZERODHA_FNO).await, expected);

    let groww = wire::Book { broker: wire::Broker::Groww.into(), ..ZERODHA_FNO };
    let file: Vec<_> =
        (0..).zip(cases).map(|(n, (symbol, _))| wire::ImportedTrade { symbol: symbol.to_owned(), ..fill(n) }).collect();
    let shown = preview(&mut client, groww, &file).await;
    assert_eq!(shown.sample[0].trade.as_ref().unwrap().contract.as_ref().unwrap().underlying, "NIFTY");
    commit(&mut client, commit_request(&shown, wire::Resolution::Unspecified)).await.unwrap().unwrap();
    assert_eq!(log(&mut client, groww).await, expected);
    import(&mut client, groww, &[wire::ImportedTrade { symbol: cases[0].0.to_owned(), ..fill(9) }]).await;
    assert_eq!(log(&mut client, groww).await.last().unwrap().as_deref(), Some(OPTION));
}

#[sqlx::test(migrations = "../../migrations")]
async fn editing_the_symbol_or_day_parses_the_contract_again(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let first = add(&mut client, ZERODHA_FNO, trade_of("NIFTY2570325500C")).await.trade.unwrap();
    assert_eq!(describe_contract(&first), None);
    let corrected = edit(&mut client, first.id, trade_of("NIFTY2570325500CE")).await.unwrap();
    assert_eq!(describe_contract(&corrected.trade.unwrap()).as_deref(), Some(OPTION));
    assert_eq!(describe_contract(&list(&mut client, None).await.1[0]).as_deref(), Some(OPTION));
    let other = edit(&mut client, first.id, trade_of("NIFTY25MAYFUT")).await.unwrap();
    assert_eq!(describe_contract(&other.trade.unwrap()), None);
    // The trade moves to May.
    let day = Some(prost_types::Timestamp { seconds: 1_747_000_000, nanos: 0 });
    let earlier = wire::NewTrade { executed_at: day, ..trade_of("NIFTY25MAYFUT") };
    let future = "NIFTY 2025-05 FUTURE ";
    assert_eq!(
        describe_contract(&edit(&mut client, first.id, earlier).await.unwrap().trade.unwrap()).as_deref(),
        Some(future)
    );
    undo(&mut client, corrected.change_id, 2).await.unwrap();
    assert_eq!(list(&mut client, None).await.1, [first]);
}
