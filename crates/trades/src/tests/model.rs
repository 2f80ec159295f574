//! Model test: after two concurrent writes, the books are as after one of the two orders in the model.

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

/// Generated write. The trade or change that it concerns is selected when the write runs.
#[derive(Clone, Debug)]
enum GeneratedWrite {
    Add { n: i64, pair: Option<u8> },
    Replace { from: i64, count: i64 },
    Import { from: i64, count: i64, corrected: bool },
    Preview { from: i64, count: i64, corrected: bool, others: wire::Resolution },
    Edit { trade: Index, n: i64 },
    Delete { trade: Index, pair: bool },
    Undo { change: Index, expected: bool },
}

fn generate_write() -> impl Strategy<Value = (usize, usize, GeneratedWrite)> {
    let write = prop_oneof![
        3 => (0..9_i64, prop::option::of(0..2_u8)).prop_map(|(n, pair)| GeneratedWrite::Add { n, pair }),
        1 => (0..9_i64, 1..5_i64).prop_map(|(from, count)| GeneratedWrite::Replace { from, count }),
        3 => (0..12_i64, 0..8_i64, any::<bool>())
            .prop_map(|(from, count, corrected)| GeneratedWrite::Import { from, count, corrected }),
        3 => (0..12_i64, 0..8_i64, any::<bool>(), generate_resolution())
            .prop_map(|(from, count, corrected, others)| GeneratedWrite::Preview { from, count, corrected, others }),
        2 => (any::<Index>(), 0..4_i64).prop_map(|(trade, n)| GeneratedWrite::Edit { trade, n }),
        2 => (any::<Index>(), any::<bool>()).prop_map(|(trade, pair)| GeneratedWrite::Delete { trade, pair }),
        3 => (any::<Index>(), prop::bool::weighted(0.9)).prop_map(|(change, expected)| GeneratedWrite::Undo { change, expected }),
    ];
    // Mostly one account, so that the two writes conflict.
    (prop::sample::select(vec![0, 0, 0, 1]), 0..BOOKS.len(), write)
}

fn generate_resolution() -> impl Strategy<Value = wire::Resolution> {
    prop::sample::select(vec![wire::Resolution::Unspecified, wire::Resolution::Keep, wire::Resolution::Replace])
}

/// Returns fills; with `corrected`, the broker has corrected every second one.
fn broker_fills(range: std::ops::Range<i64>, corrected: bool) -> Vec<wire::ImportedTrade> {
    let mut fills = fills(range);
    if corrected {
        fills.iter_mut().step_by(2).for_each(|fill| fill.price = "77.7".to_owned());
    }
    fills
}

/// Write with its arguments.
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

/// Outcome of a write: the change or the number of undone changes, trades added, trades removed or corrected, the
/// head's total and version, and unresolved conflicts; or the reason code of the error.
type Outcome = Result<[i64; 6], String>;

fn outcome_of(change: i64, added: i64, removed: i64, head: Option<wire::TradesHead>) -> [i64; 6] {
    let head = head.unwrap();
    [change, added, removed, head.total, head.version, 0]
}

fn imported(response: wire::ImportTradesResponse) -> [i64; 6] {
    let head = response.head.unwrap();
    [response.change_id, response.added, response.corrected, head.total, head.version, response.conflicts]
}

/// Previews an import and commits it; repeats the commit while the book changes in between.
async fn preview_and_commit(
    client: &mut Client,
    book: wire::Book,
    fills: &[wire::ImportedTrade],
    others: wire::Resolution,
) -> Result<wire::ImportTradesResponse, Status> {
    let mut shown = preview(client, book, fills).await;
    loop {
        match commit(client, commit_request(&shown, others)).await? {
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
    let response = match call {
        Call::Add(book, trade) => {
            add_with_key(client, BOOKS[book], trade, "").await.map(|a| outcome_of(a.change_id, 1, 0, a.head))
        }
        Call::Replace(book, trades) => send_replace(client, replace_parts(BOOKS[book], &trades, ""))
            .await
            .map(|a| outcome_of(a.change_id, a.added, a.removed, a.head)),
        Call::Import(book, fills) => {
            let count = i64::try_from(fills.len()).unwrap();
            let parts = vec![import_head(BOOKS[book]), import_batch(fills), import_end(count)];
            send_import(client, parts).await.map(imported)
        }
        Call::Preview(book, fills, others) => {
            preview_and_commit(client, BOOKS[book], &fills, others).await.map(imported)
        }
        Call::Edit(id, trade) => edit(client, id, trade).await.map(|a| outcome_of(a.change_id, 0, 0, a.head)),
        Call::Delete(id, pair) => delete(client, id, pair).await.map(|a| outcome_of(a.change_id, 0, a.deleted, a.head)),
        Call::Undo(id, newer) => undo(client, id, newer).await.map(|a| outcome_of(a.undone, 0, a.removed, a.head)),
    };
    response.map_err(|status| reason_of(&status))
}

/// Returns the models after the writes in the order that gives these outcomes.
fn explain(models: &[Model; 2], writes: &[(usize, Call); 2], outcomes: &[Outcome; 2]) -> Option<[Model; 2]> {
    [[0, 1], [1, 0]].into_iter().find_map(|order| {
        let mut models = models.clone();
        let matches = order.iter().all(|which| {
            let (account, call) = &writes[*which];
            models[*account].apply(call) == outcomes[*which]
        });
        matches.then_some(models)
    })
}

async fn run(pool: PgPool, steps: Vec<[(usize, usize, GeneratedWrite); 2]>) -> Result<(), TestCaseError> {
    let accounts = [Uuid::new_v4(), Uuid::new_v4()];
    let clients = accounts.map(|account_id| client_as(&pool, account_id));
    let mut models = [Model::default(), Model::default()];
    // The first state and the previous one, each updated with the changes since.
    let mut known_states = [KnownStates::default(), KnownStates::default()];
    for step in steps {
        let writes = step.map(|(account, book, write)| (account, models[account].to_call(book, write)));
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
        for ((client, model), known_states) in clients.iter().zip(&models).zip(&mut known_states) {
            let client = &mut client.clone();
            let (head, trades) = list(client, None).await;
            prop_assert_eq!(&trades, &model.trades());
            prop_assert_eq!((head.version, head.total), (model.version, i64::try_from(trades.len()).unwrap()));
            for (book, count) in books(client).await {
                let in_book = trades.iter().filter(|trade| trade.book == Some(book)).count();
                prop_assert_eq!(count, i64::try_from(in_book).unwrap());
            }
            for (version, before) in [&known_states.first, &known_states.last] {
                prop_assert_eq!(&changed_since(client, *version, before.clone()).await, &trades);
            }
            known_states.last = (head.version, trades);
            if known_states.first.0 == 0 {
                known_states.first = known_states.last.clone();
            }
        }
    }
    undo_full_reload_required(&pool, accounts[0], &clients[0], &models[0]).await
}

/// Versions of the log with their trades.
#[derive(Default)]
struct KnownStates {
    first: (i64, Vec<wire::Trade>),
    last: (i64, Vec<wire::Trade>),
}

/// Applies the changes since a version to its trades; newest first.
async fn changed_since(client: &mut Client, since: i64, mut trades: Vec<wire::Trade>) -> Vec<wire::Trade> {
    let changed = list_changed(client, since).await;
    assert!(!changed.full_reload_required);
    let is_touched = |id| changed.deleted_ids.contains(&id) || changed.trades.iter().any(|trade| trade.id == id);
    trades.retain(|trade| !is_touched(trade.id));
    trades.extend(changed.trades.iter().cloned());
    trades.sort_by_key(|trade| std::cmp::Reverse((trade.executed_at.unwrap().seconds, trade.id)));
    trades
}

/// Undoes the first change of each book, and checks that nothing remains.
async fn undo_full_reload_required(
    pool: &PgPool,
    account_id: Uuid,
    client: &Client,
    model: &Model,
) -> Result<(), TestCaseError> {
    let client = &mut client.clone();
    for book in 0..BOOKS.len() {
        let Some(oldest) = model.changes.iter().find(|change| change.book == book && !change.undone) else { continue };
        undo(client, oldest.id, model.newer(oldest)).await.unwrap();
    }
    prop_assert_eq!(list(client, None).await.1.len(), 0);
    let remaining = sqlx::query_scalar::<_, i64>(
        "select (select count(*) from trades.undo_copy where account_id = $1)
              + (select count(*) from trades.deleted_source_key where account_id = $1)
              + (select coalesce(sum(trade_count), 0) from trades.book where account_id = $1)::bigint",
    );
    prop_assert_eq!(remaining.bind(account_id).fetch_one(pool).await.unwrap(), 0);
    Ok(())
}

/// `PROPTEST_CASES` sets the number of cases. Each case has its own accounts.
#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_writes_leave_the_books_as_the_model_predicts(pool: PgPool) {
    let handle = Handle::current();
    let cases = tokio::task::spawn_blocking(move || {
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        let steps = prop::collection::vec([generate_write(), generate_write()], 1..10);
        runner.run(&steps, |steps| handle.block_on(run(pool.clone(), steps)))
    });
    if let Err(failure) = cases.await.unwrap() {
        panic!("{failure}");
    }
}
