//! The log against a model of it: whatever two clients write at the same moment, the books hold what one of the two
//! orders gives.

mod account;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use sqlx::PgPool;
use tokio::runtime::Handle;
use uuid::Uuid;

use super::*;
use account::Model;

const BOOKS: [wire::Book; 2] = [ZERODHA_EQUITY, GROWW_EQUITY];

/// A write as it is drawn: what it concerns is picked from what there is when its turn comes.
#[derive(Clone, Debug)]
enum Draw {
    Add { n: i64, pair: Option<u8> },
    Replace { from: i64, count: i64 },
    Import { from: i64, count: i64, corrected: bool },
    Preview { from: i64, count: i64, corrected: bool, others: wire::Resolution },
    Edit { trade: Index, n: i64 },
    Delete { trade: Index, pair: bool },
    Undo { change: Index, told: bool },
}

fn draw() -> impl Strategy<Value = (usize, usize, Draw)> {
    let write = prop_oneof![
        3 => (0..9_i64, prop::option::of(0..2_u8)).prop_map(|(n, pair)| Draw::Add { n, pair }),
        1 => (0..9_i64, 1..5_i64).prop_map(|(from, count)| Draw::Replace { from, count }),
        3 => (0..12_i64, 0..8_i64, any::<bool>())
            .prop_map(|(from, count, corrected)| Draw::Import { from, count, corrected }),
        3 => (0..12_i64, 0..8_i64, any::<bool>(), resolution())
            .prop_map(|(from, count, corrected, others)| Draw::Preview { from, count, corrected, others }),
        2 => (any::<Index>(), 0..4_i64).prop_map(|(trade, n)| Draw::Edit { trade, n }),
        2 => (any::<Index>(), any::<bool>()).prop_map(|(trade, pair)| Draw::Delete { trade, pair }),
        3 => (any::<Index>(), prop::bool::weighted(0.9)).prop_map(|(change, told)| Draw::Undo { change, told }),
    ];
    // Mostly one account, so that the two get into each other's way.
    (prop::sample::select(vec![0, 0, 0, 1]), 0..BOOKS.len(), write)
}

fn resolution() -> impl Strategy<Value = wire::Resolution> {
    prop::sample::select(vec![wire::Resolution::Unspecified, wire::Resolution::Keep, wire::Resolution::Take])
}

/// Fills, or as the broker tells them once it has corrected every other one.
fn told(range: std::ops::Range<i64>, corrected: bool) -> Vec<wire::ImportedTrade> {
    let mut fills = fills(range);
    if corrected {
        fills.iter_mut().step_by(2).for_each(|fill| fill.price = "77.7".to_owned());
    }
    fills
}

/// A write as it is sent.
#[derive(Clone, Debug)]
enum Call {
    Add(usize, wire::NewTrade),
    Replace(usize, Vec<wire::NewTrade>),
    Import(usize, Vec<wire::ImportedTrade>),
    Preview(usize, Vec<wire::ImportedTrade>, wire::Resolution),
    Edit(i64, wire::NewTrade),
    Delete(i64, bool),
    Undo(i64, i64),
}

/// What is answered: the change or how many were undone, trades added, trades taken away or corrected, the head's total
/// and version, and conflicts that were left; or the reason of a refusal.
type Outcome = Result<[i64; 6], String>;

fn done(change: i64, added: i64, removed: i64, head: Option<wire::TradesHead>) -> [i64; 6] {
    let head = head.unwrap();
    [change, added, removed, head.total, head.version, 0]
}

fn imported(answer: wire::ImportTradesResponse) -> [i64; 6] {
    let head = answer.head.unwrap();
    [answer.change_id, answer.added, answer.corrected, head.total, head.version, answer.conflicts]
}

/// Shows what an import would do and does it, as often as the book changes in between.
async fn preview_and_commit(
    client: &mut Client,
    book: wire::Book,
    fills: &[wire::ImportedTrade],
    others: wire::Resolution,
) -> Result<wire::ImportTradesResponse, Status> {
    let mut shown = preview(client, book, fills).await;
    loop {
        match commit(client, all_of(&shown, others)).await? {
            Ok(committed) => {
                let result = committed.result.unwrap();
                assert_eq!((shown.added, shown.duplicates), (result.added, result.duplicates));
                return Ok(result);
            }
            Err(changed) => shown = *changed,
        }
    }
}

async fn perform(mut client: Client, call: Call) -> Outcome {
    let client = &mut client;
    let answer = match call {
        Call::Add(book, trade) => {
            add_keyed(client, BOOKS[book], trade, "").await.map(|a| done(a.change_id, 1, 0, a.head))
        }
        Call::Replace(book, trades) => send_replacement(client, replacement(BOOKS[book], &trades, ""))
            .await
            .map(|a| done(a.change_id, a.added, a.removed, a.head)),
        Call::Import(book, fills) => {
            let count = i64::try_from(fills.len()).unwrap();
            let parts = vec![head(BOOKS[book]), batch(fills), end(count)];
            send(client, parts).await.map(imported)
        }
        Call::Preview(book, fills, others) => {
            preview_and_commit(client, BOOKS[book], &fills, others).await.map(imported)
        }
        Call::Edit(id, trade) => edit(client, id, trade).await.map(|a| done(a.change_id, 0, 0, a.head)),
        Call::Delete(id, pair) => delete(client, id, pair).await.map(|a| done(a.change_id, 0, a.deleted, a.head)),
        Call::Undo(id, newer) => undo(client, id, newer).await.map(|a| done(a.undone, 0, a.removed, a.head)),
    };
    answer.map_err(|refused| reason_of(&refused))
}

/// The models after the writes in one of the two orders: in the one that gives these outcomes.
fn explain(models: &[Model; 2], writes: &[(usize, Call); 2], outcomes: &[Outcome; 2]) -> Option<[Model; 2]> {
    [[0, 1], [1, 0]].into_iter().find_map(|order| {
        let mut models = models.clone();
        let fits = order.iter().all(|which| {
            let (account, call) = &writes[*which];
            models[*account].apply(call) == outcomes[*which]
        });
        fits.then_some(models)
    })
}

async fn run(pool: PgPool, steps: Vec<[(usize, usize, Draw); 2]>) -> Result<(), TestCaseError> {
    let accounts = [Uuid::new_v4(), Uuid::new_v4()];
    let clients = accounts.map(|account_id| client_of(&pool, account_id));
    let mut models = [Model::default(), Model::default()];
    // What somebody read at first, and what after the step before, who asks for what changed alone.
    let mut held = [Held::default(), Held::default()];
    for step in steps {
        let writes = step.map(|(account, book, draw)| (account, models[account].resolve(book, draw)));
        let [one, two] = &writes;
        let (one, two) = tokio::join!(
            perform(clients[one.0].clone(), one.1.clone()),
            perform(clients[two.0].clone(), two.1.clone())
        );
        let outcomes = [one, two];
        let Some(after) = explain(&models, &writes, &outcomes) else {
            return Err(TestCaseError::fail(format!("{writes:#?} came to {outcomes:?} from {models:#?}")));
        };
        models = after;
        for ((client, model), held) in clients.iter().zip(&models).zip(&mut held) {
            let client = &mut client.clone();
            let (head, trades) = list(client, None).await;
            prop_assert_eq!(&trades, &model.trades());
            prop_assert_eq!((head.version, head.total), (model.version, i64::try_from(trades.len()).unwrap()));
            for (book, count) in books(client).await {
                let held = trades.iter().filter(|trade| trade.book == Some(book)).count();
                prop_assert_eq!(count, i64::try_from(held).unwrap());
            }
            for (version, before) in [&held.first, &held.last] {
                prop_assert_eq!(&changed_since(client, *version, before.clone()).await, &trades);
            }
            held.last = (head.version, trades);
            if held.first.0 == 0 {
                held.first = held.last.clone();
            }
        }
    }
    everything_goes(&pool, accounts[0], &clients[0], &models[0]).await
}

/// Versions with the trades of then.
#[derive(Default)]
struct Held {
    first: (i64, Vec<wire::Trade>),
    last: (i64, Vec<wire::Trade>),
}

/// `held` with what changed about it since that version, newest first.
async fn changed_since(client: &mut Client, since: i64, mut held: Vec<wire::Trade>) -> Vec<wire::Trade> {
    let changed = list_changed(client, since).await;
    assert!(!changed.everything);
    let is_touched = |id| changed.gone.contains(&id) || changed.trades.iter().any(|trade| trade.id == id);
    held.retain(|trade| !is_touched(trade.id));
    held.extend(changed.trades.iter().cloned());
    held.sort_by_key(|trade| std::cmp::Reverse((trade.executed_at.unwrap().seconds, trade.id)));
    held
}

/// With the first change of each book goes all that followed from it.
async fn everything_goes(pool: &PgPool, account_id: Uuid, client: &Client, model: &Model) -> Result<(), TestCaseError> {
    let client = &mut client.clone();
    for book in 0..BOOKS.len() {
        let Some(oldest) = model.changes.iter().find(|change| change.book == book && !change.undone) else { continue };
        undo(client, oldest.id, model.newer(oldest)).await.unwrap();
    }
    prop_assert_eq!(list(client, None).await.1.len(), 0);
    let left = sqlx::query_scalar::<_, i64>(
        "select (select count(*) from trades.kept_trade where account_id = $1)
              + (select count(*) from trades.deleted_source where account_id = $1)
              + (select coalesce(sum(trade_count), 0) from trades.book where account_id = $1)::bigint",
    );
    prop_assert_eq!(left.bind(account_id).fetch_one(pool).await.unwrap(), 0);
    Ok(())
}

/// `PROPTEST_CASES` says how many; each has accounts of its own.
#[sqlx::test(migrations = "../../migrations")]
async fn whatever_is_written_the_books_hold_what_a_model_says(pool: PgPool) {
    let handle = Handle::current();
    let cases = tokio::task::spawn_blocking(move || {
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        let steps = prop::collection::vec([draw(), draw()], 1..10);
        runner.run(&steps, |steps| handle.block_on(run(pool.clone(), steps)))
    });
    if let Err(broken) = cases.await.unwrap() {
        panic!("{broken}");
    }
}
