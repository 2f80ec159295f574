//! The log against a model of it: whatever two clients write at the same moment, the books hold what one of the two
//! orders gives.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use rust_decimal::Decimal;
use sqlx::PgPool;
use tokio::runtime::Handle;
use uuid::Uuid;

use super::*;

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

/// A book as it should be.
#[derive(Clone, Debug, Default, PartialEq)]
struct Book {
    trades: BTreeMap<i64, (wire::Trade, Option<String>)>,
    /// What the broker told of trades of files, as far as it was taken or decided about.
    told: BTreeMap<i64, wire::ImportedTrade>,
    deleted: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct Change {
    id: i64,
    book: usize,
    before: Book,
    /// Of an entry that still waits for its other leg.
    pair_id: Option<String>,
    undone: bool,
}

/// An account as it should be. Its undo knows nothing of what is kept: it goes back to the whole book of then.
#[derive(Clone, Debug, Default)]
struct Model {
    version: i64,
    trade_ids: i64,
    change_ids: i64,
    books: [Book; BOOKS.len()],
    changes: Vec<Change>,
}

fn value(quantity: &str, price: &str) -> String {
    (quantity.parse::<Decimal>().unwrap() * price.parse::<Decimal>().unwrap()).normalize().to_string()
}

/// A trade as the broker tells it.
fn told_trade(id: i64, book: Option<wire::Book>, fill: &wire::ImportedTrade) -> wire::Trade {
    wire::Trade {
        id,
        book,
        side: fill.side,
        symbol: fill.symbol.clone(),
        quantity: fill.quantity.clone(),
        price: fill.price.clone(),
        value: value(&fill.quantity, &fill.price),
        executed_at: fill.executed_at,
        time_precision: fill.time_precision,
        exchange: fill.exchange,
        notes: None,
        pair_id: String::new(),
        imported: true,
        edited: false,
        contract: None,
        order_id: fill.order_id.clone(),
    }
}

impl Model {
    fn resolve(&self, book: usize, draw: Draw) -> Call {
        let ids: Vec<i64> = self.books.iter().flat_map(|book| book.trades.keys().copied()).collect();
        let trade_id = |index: Index| if ids.is_empty() { 1 } else { *index.get(&ids) };
        match draw {
            Draw::Add { n, pair } => {
                let pair_id = pair.map(|pair| format!("pair {pair}")).unwrap_or_default();
                Call::Add(book, wire::NewTrade { pair_id, ..entry(n) })
            }
            Draw::Replace { from, count } => Call::Replace(book, (from..from + count).map(entry).collect()),
            Draw::Import { from, count, corrected } => Call::Import(book, told(from..from + count, corrected)),
            Draw::Preview { from, count, corrected, others } => {
                Call::Preview(book, told(from..from + count, corrected), others)
            }
            Draw::Edit { trade, n } => Call::Edit(trade_id(trade), entry(n)),
            Draw::Delete { trade, pair } => Call::Delete(trade_id(trade), pair),
            Draw::Undo { change, told } => {
                let Some(change) = (!self.changes.is_empty()).then(|| change.get(&self.changes)) else {
                    return Call::Undo(1, 0);
                };
                Call::Undo(change.id, if told { self.newer(change) } else { 7 })
            }
        }
    }

    fn newer(&self, than: &Change) -> i64 {
        let newer = |change: &&Change| change.book == than.book && !change.undone && change.id > than.id;
        i64::try_from(self.changes.iter().filter(newer).count()).unwrap()
    }

    fn apply(&mut self, call: &Call) -> Outcome {
        match call {
            Call::Add(book, new) => {
                let before = self.books[*book].clone();
                self.put(*book, new);
                let newest = self.changes.iter_mut().rev().find(|change| change.book == *book && !change.undone);
                let pair_id = Some(new.pair_id.clone()).filter(|pair_id| !pair_id.is_empty());
                self.version += 1;
                let id = match newest {
                    Some(first) if pair_id.is_some() && first.pair_id == pair_id => {
                        first.pair_id = None;
                        first.id
                    }
                    _ => self.record(*book, before, pair_id),
                };
                Ok(self.done(id, 1, 0))
            }
            Call::Replace(book, trades) => {
                let before = self.books[*book].clone();
                self.books[*book].trades.clear();
                trades.iter().for_each(|new| self.put(*book, new));
                self.version += 1;
                let removed = before.trades.len();
                let id = self.record(*book, before, None);
                Ok(self.done(id, trades.len(), removed))
            }
            Call::Import(book, fills) => Ok(self.import(*book, fills, wire::Resolution::Unspecified)),
            Call::Preview(book, fills, others) => Ok(self.import(*book, fills, *others)),
            Call::Edit(id, new) => self.edit(*id, new),
            Call::Delete(id, pair) => self.delete(*id, *pair),
            Call::Undo(id, newer) => self.undo(*id, *newer),
        }
    }

    fn import(&mut self, book: usize, fills: &[wire::ImportedTrade], others: wire::Resolution) -> [i64; 6] {
        let before = self.books[book].clone();
        let conflicts = fills.iter().filter(|fill| self.merge(book, fill, others)).count();
        let added = self.books[book].trades.len() - before.trades.len();
        let taken = if others == wire::Resolution::Take { conflicts } else { 0 };
        self.version += i64::from(added + taken > 0);
        let id = self.record(book, before, None);
        let mut done = self.done(id, added, taken);
        done[5] = if others == wire::Resolution::Unspecified { i64::try_from(conflicts).unwrap() } else { 0 };
        done
    }

    fn done(&self, change: i64, added: usize, removed: usize) -> [i64; 6] {
        let total: usize = self.books.iter().map(|book| book.trades.len()).sum();
        let count = |len: usize| i64::try_from(len).unwrap();
        [change, count(added), count(removed), count(total), self.version, 0]
    }

    fn record(&mut self, book: usize, before: Book, pair_id: Option<String>) -> i64 {
        self.change_ids += 1;
        self.changes.push(Change { id: self.change_ids, book, before, pair_id, undone: false });
        self.change_ids
    }

    fn put(&mut self, book: usize, new: &wire::NewTrade) {
        self.trade_ids += 1;
        let trade = wire::Trade {
            id: self.trade_ids,
            book: Some(BOOKS[book]),
            side: new.side,
            symbol: new.symbol.clone(),
            quantity: new.quantity.clone(),
            price: new.price.clone(),
            value: value(&new.quantity, &new.price),
            executed_at: new.executed_at,
            time_precision: wire::TimePrecision::Minute.into(),
            exchange: new.exchange,
            notes: None,
            pair_id: new.pair_id.clone(),
            imported: false,
            edited: false,
            contract: None,
            order_id: String::new(),
        };
        self.books[book].trades.insert(self.trade_ids, (trade, None));
    }

    /// Says whether the broker told the trade otherwise before.
    fn merge(&mut self, index: usize, fill: &wire::ImportedTrade, others: wire::Resolution) -> bool {
        let key = Some(fill.source_key.clone());
        let book = &mut self.books[index];
        if let Some((id, (trade, _))) = book.trades.iter_mut().find(|(_, (_, other))| *other == key) {
            let conflict = book.told[id].price != fill.price;
            if conflict && others != wire::Resolution::Unspecified {
                book.told.insert(*id, fill.clone());
            }
            if conflict && others == wire::Resolution::Take {
                *trade = told_trade(*id, trade.book, fill);
            }
            return conflict;
        }
        if !book.deleted.contains(&fill.source_key) {
            self.trade_ids += 1;
            let trade = told_trade(self.trade_ids, Some(BOOKS[index]), fill);
            book.trades.insert(self.trade_ids, (trade, key));
            book.told.insert(self.trade_ids, fill.clone());
        }
        false
    }

    fn book_of(&self, trade_id: i64) -> Result<usize, String> {
        self.books.iter().position(|book| book.trades.contains_key(&trade_id)).ok_or_else(|| "NO_TRADE".to_owned())
    }

    fn edit(&mut self, id: i64, new: &wire::NewTrade) -> Outcome {
        let book = self.book_of(id)?;
        let before = self.books[book].clone();
        let (trade, _) = self.books[book].trades.get_mut(&id).unwrap();
        let was = trade.clone();
        if trade.executed_at != new.executed_at {
            trade.time_precision = wire::TimePrecision::Minute.into();
        }
        (trade.side, trade.exchange, trade.executed_at) = (new.side, new.exchange, new.executed_at);
        (trade.symbol, trade.quantity, trade.price) = (new.symbol.clone(), new.quantity.clone(), new.price.clone());
        trade.value = value(&new.quantity, &new.price);
        if *trade == was {
            return Ok(self.done(0, 0, 0));
        }
        trade.edited = trade.imported;
        self.version += 1;
        let change = self.record(book, before, None);
        Ok(self.done(change, 0, 0))
    }

    fn delete(&mut self, id: i64, pair: bool) -> Outcome {
        let index = self.book_of(id)?;
        let before = self.books[index].clone();
        let book = &mut self.books[index];
        let pair_id = book.trades[&id].0.pair_id.clone();
        let goes = |trade: &wire::Trade| trade.id == id || (pair && !pair_id.is_empty() && trade.pair_id == pair_id);
        let (gone, left) = std::mem::take(&mut book.trades).into_iter().partition(|(_, (trade, _))| goes(trade));
        let gone: BTreeMap<_, _> = gone;
        book.trades = left;
        book.deleted.extend(gone.values().filter_map(|(_, key)| key.clone()));
        self.version += 1;
        let change = self.record(index, before, None);
        Ok(self.done(change, 0, gone.len()))
    }

    fn undo(&mut self, id: i64, expected: i64) -> Outcome {
        let change = self.changes.iter().find(|change| change.id == id).ok_or("NO_CHANGE")?.clone();
        if change.undone {
            return Err("CHANGE_UNDONE".to_owned());
        }
        let newer = self.newer(&change);
        if newer != expected {
            return Err("CHANGES_MOVED".to_owned());
        }
        for other in &mut self.changes {
            other.undone |= other.book == change.book && other.id >= id;
        }
        let now = std::mem::replace(&mut self.books[change.book], change.before);
        let removed = now.trades.keys().filter(|id| !self.books[change.book].trades.contains_key(id)).count();
        self.version += 1;
        Ok(self.done(newer + 1, 0, removed))
    }

    /// Newest first, as the log is listed.
    fn trades(&self) -> Vec<wire::Trade> {
        let mut trades: Vec<_> =
            self.books.iter().flat_map(|book| book.trades.values().map(|(trade, _)| trade.clone())).collect();
        trades.sort_by_key(|trade| std::cmp::Reverse((trade.executed_at.unwrap().seconds, trade.id)));
        trades
    }
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
        for (client, model) in clients.iter().zip(&models) {
            let client = &mut client.clone();
            let (head, trades) = list(client, None).await;
            prop_assert_eq!(&trades, &model.trades());
            prop_assert_eq!((head.version, head.total), (model.version, i64::try_from(trades.len()).unwrap()));
            for (book, count) in books(client).await {
                let held = trades.iter().filter(|trade| trade.book == Some(book)).count();
                prop_assert_eq!(count, i64::try_from(held).unwrap());
            }
        }
    }
    everything_goes(&pool, accounts[0], &clients[0], &models[0]).await
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
