//! Search of the log by words and tags.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

fn noted(n: i64, symbol: &str, notes: wire::Notes) -> wire::NewTrade {
    wire::NewTrade { symbol: symbol.to_owned(), notes: Some(notes), ..manual_trade(n) }
}

/// Adds trades with the numbers 1 to 6.
async fn add_examples(client: &mut Client) {
    let notes = |text: &str| wire::Notes { notes: text.to_owned(), ..wire::Notes::default() };
    let calm = wire::Notes { psychology: "Calm, a 50% plan_ \\ done".to_owned(), ..wire::Notes::default() };
    let gap = wire::Notes {
        stock_name: "Index option".to_owned(),
        market_outlook: "Gap up".to_owned(),
        ..wire::Notes::default()
    };
    let trades = [
        noted(1, "ITC", notes("Chased the open.\n#fomo #late-entry")),
        noted(2, "M&M", notes("Waited, half size (#FOMO-2)")),
        noted(3, "INFY", calm),
        noted(4, "NIFTY25JUN24000CE", gap),
        noted(5, "TCS", wire::Notes::default()),
        noted(6, "BAJAJ-AUTO", notes("हुआ घाटा। Éclair")),
    ];
    for trade in trades {
        add(client, ZERODHA_EQUITY, trade).await;
    }
}

fn search_for(text: &str) -> wire::ListTradesRequest {
    let filter = Some(wire::Filter { search: text.to_owned(), ..wire::Filter::default() });
    wire::ListTradesRequest { filter, ascending: true, ..page_of(100) }
}

/// Returns the numbers of the trades found, oldest first.
async fn search(client: &mut Client, text: &str) -> Vec<i64> {
    let page = query(client, search_for(text)).await;
    assert_eq!(page.head.unwrap().total, i64::try_from(page.trades.len()).unwrap(), "{text:?}");
    page.trades.iter().map(|trade| trade.id).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn finds_trades_of_the_own_account_by_symbol_text_and_tag(pool: PgPool) {
    let (mut asha, mut ravi) = (client_as(&pool, Uuid::from_u128(1)), client_as(&pool, Uuid::from_u128(2)));
    add_examples(&mut asha).await;
    add_examples(&mut ravi).await;
    add(
        &mut ravi,
        ZERODHA_EQUITY,
        noted(7, "SECRET", wire::Notes { notes: "secret".to_owned(), ..Default::default() }),
    )
    .await;
    let cases: [(&str, &[i64]); 25] = [
        ("", &[1, 2, 3, 4, 5, 6]),
        ("  ", &[1, 2, 3, 4, 5, 6]),
        ("tc", &[1, 5]),
        ("chas", &[1]),
        ("hased", &[]),
        ("OPEN chased itc", &[1]),
        ("chased calm", &[]),
        ("fomo", &[1, 2]),
        ("#fomo", &[1]),
        ("#Late-Entry", &[1]),
        ("#late", &[]),
        ("#fomo-2)", &[2]),
        ("#fomo infy", &[]),
        ("calm 50%", &[3]),
        ("nifty AND gap", &[4]),
        ("24000ce", &[4]),
        ("gap-up", &[4]),
        ("opti", &[4]),
        ("m&m", &[2]),
        ("bajaj-auto", &[6]),
        ("घाट", &[6]),
        ("ाटा", &[]),
        ("éCLAIR", &[6]),
        ("secret", &[]),
        ("it tc", &[1]),
    ];
    for (text, expected) in cases {
        assert_eq!(search(&mut asha, text).await, expected, "{text:?}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn punctuation_is_literal(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    add_examples(&mut client).await;
    for nothing in ["%_%", "##", ".*", "[^x", "*", "a{1000}", "'", "\u{ffff}", "😀", "(?z)"] {
        assert_eq!(search(&mut client, nothing).await, [0; 0], "{nothing:?}");
    }
    assert_eq!(search(&mut client, "&").await, [2]);
    assert_eq!(search(&mut client, "-").await, [1, 2, 6]);
    for of_calm in ["%", "_", "\\", "50% plan_ \\ done"] {
        assert_eq!(search(&mut client, of_calm).await, [3], "{of_calm:?}");
    }
    assert_eq!(search(&mut client, "#").await, [1, 2]);
    assert_eq!(search(&mut client, "size (").await, [2]);
    // Fifty words.
    assert_eq!(search(&mut client, &["i"; 50].join(" ")).await, [1, 3, 4]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_a_long_search_and_control_characters(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    for invalid in ["a\0", "a\nb", &"a".repeat(101)] {
        let status = client.list_trades(search_for(invalid)).await.unwrap_err();
        assert_eq!(field_of(&status), "filter.search");
    }
    assert_eq!(search(&mut client, &"ठ".repeat(100)).await, [0; 0]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_search_combines_with_filters_orders_and_pages(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let notes = || wire::Notes { notes: "Same words #tag".to_owned(), ..wire::Notes::default() };
    for n in 0..12 {
        add(&mut client, ZERODHA_EQUITY, noted(n, ["ITC", "LT"][usize::try_from(n % 2).unwrap()], notes())).await;
        add(&mut client, ZERODHA_FNO, noted(n, "ITC", wire::Notes::default())).await;
    }
    // The first finds trades by their texts only, the second also by their symbols.
    for (text, total) in [("#tag", 12), ("itc", 18)] {
        for sort in [wire::SortKey::Time, wire::SortKey::Price] {
            for ascending in [true, false] {
                let mut request = wire::ListTradesRequest { sort: sort.into(), ascending, ..search_for(text) };
                request.page_size = 5;
                let mut ids = std::collections::BTreeSet::new();
                loop {
                    let page = query(&mut client, request.clone()).await;
                    assert_eq!(page.head.unwrap().total, total);
                    ids.extend(page.trades.iter().map(|trade| trade.id));
                    request.page_token = page.next_page_token;
                    if request.page_token.is_empty() {
                        break;
                    }
                }
                assert_eq!(ids.len(), usize::try_from(total).unwrap(), "{text} {sort:?} {ascending}");
            }
        }
    }
    let count = async |filter: wire::Filter| {
        let page = query(&mut client.clone(), wire::ListTradesRequest { filter: Some(filter), ..page_of(1) }).await;
        page.head.unwrap().total
    };
    let tag = || wire::Filter { search: "#tag".to_owned(), ..wire::Filter::default() };
    assert_eq!(count(wire::Filter { side: wire::Side::Sell.into(), ..tag() }).await, 6);
    assert_eq!(count(wire::Filter { symbol: "lt".to_owned(), ..tag() }).await, 6);
    assert_eq!(count(wire::Filter { segment: wire::Segment::Fno.into(), ..tag() }).await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn finds_notes_that_were_edited_or_restored(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let notes = wire::Notes { notes: "#fomo".to_owned(), ..wire::Notes::default() };
    let edited = wire::Trade { id: 2, notes: Some(notes), ..wire::Trade::default() };
    update(&mut client, edited, &["notes.notes"]).await.unwrap();
    assert_eq!(search(&mut client, "#fomo").await, [2]);
    let deleted = delete(&mut client, 2, false).await.unwrap();
    assert_eq!(search(&mut client, "#fomo").await, [0; 0]);
    undo(&mut client, deleted.change_id, 0).await.unwrap();
    assert_eq!(search(&mut client, "#fomo").await, [2]);
}
