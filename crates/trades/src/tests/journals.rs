//! The journals of the public pages through their client, on a real Postgres.

use rpc::journals::v1::journal_service_client::JournalServiceClient;
use rpc::journals::v1::{
    AddEntryRequest, AddEntryResponse, Kind, ListEntriesRequest, ListEntriesResponse, NewEntry, TakeOverRequest,
};

use super::*;

type Journals = JournalServiceClient<Transport>;

/// A client whose calls come from the trader `account_id`, or from nobody.
fn journals_of(pool: &PgPool, account_id: Option<Uuid>) -> Journals {
    let server = crate::journals(Pools { requests: pool.clone(), imports: pool.clone() });
    let caller = account_id.map(|account_id| {
        let (name, email) = ("Asha Rao".to_owned(), "asha@example.in".to_owned());
        Caller::from(Trader { account_id, sign_in_id: Uuid::nil(), name, email })
    });
    JournalServiceClient::new(local(InterceptedService::new(server, move |mut request: Request<()>| {
        if let Some(caller) = caller.clone() {
            request.extensions_mut().insert(caller);
        }
        Ok(request)
    })))
}

/// The `n`th entry of a made-up notebook: one in two wins 10 rupees, the others lose 5.
fn new_entry(n: i64) -> NewEntry {
    NewEntry {
        kind: Kind::Intraday.into(),
        symbol: "tatasteel".to_owned(),
        quantity: "10".to_owned(),
        buy_price: "142.5".to_owned(),
        sell_price: if n % 2 == 0 { "143.5" } else { "142" }.to_owned(),
        target_price: "146".to_owned(),
        stop_loss: "141".to_owned(),
        bought_at: Some(prost_types::Timestamp { seconds: 1_751_000_000 + n * 60, nanos: 0 }),
        sold_at: Some(prost_types::Timestamp { seconds: 1_751_000_030 + n * 60, nanos: 0 }),
    }
}

fn writing(key: &str, entry: NewEntry) -> AddEntryRequest {
    AddEntryRequest { key: key.to_owned(), entry: Some(entry), make: true, ..Default::default() }
}

async fn write(client: &mut Journals, request: AddEntryRequest) -> Result<AddEntryResponse, Status> {
    Ok(client.add_entry(request).await?.into_inner())
}

/// A new journal with one entry, by its key.
async fn begin(client: &mut Journals) -> String {
    write(client, writing("", new_entry(0))).await.unwrap().key
}

/// One entry in the journal of the account.
pub async fn begin_own(pool: &PgPool, account_id: Uuid) {
    write(&mut journals_of(pool, Some(account_id)), writing("", new_entry(0))).await.unwrap();
}

async fn page(client: &mut Journals, key: &str, kind: Kind, limit: i32, before: i64) -> ListEntriesResponse {
    let request = ListEntriesRequest { key: key.to_owned(), kind: kind.into(), limit, before };
    client.list_entries(request).await.unwrap().into_inner()
}

async fn all(client: &mut Journals, key: &str) -> ListEntriesResponse {
    page(client, key, Kind::Intraday, 500, 0).await
}

async fn take_over(client: &mut Journals, key: &str) -> Result<i64, Status> {
    Ok(client.take_over(TakeOverRequest { key: key.to_owned() }).await?.into_inner().entries)
}

fn ids(page: &ListEntriesResponse) -> Vec<i64> {
    page.entries.iter().map(|entry| entry.id).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_entry_comes_back_with_what_it_came_to(pool: PgPool) {
    let mut client = journals_of(&pool, None);
    assert_eq!(all(&mut client, "").await, ListEntriesResponse { pnl: "0".to_owned(), ..Default::default() });
    let precise = NewEntry {
        kind: Kind::Equity.into(),
        quantity: "0.500000".to_owned(),
        buy_price: "83.1225".to_owned(),
        sell_price: "83.1425".to_owned(),
        ..new_entry(0)
    };
    let added = write(&mut client, writing("", precise.clone())).await.unwrap();
    assert_eq!(added.key.len(), 43);
    let entry = added.entry.unwrap();
    assert_eq!((entry.id, entry.pnl.as_str(), entry.win), (1, "0.01", true));
    let stored = NewEntry { symbol: "TATASTEEL".to_owned(), quantity: "0.5".to_owned(), ..precise };
    assert_eq!(entry.entry.as_ref(), Some(&stored));

    let lost = write(&mut client, writing(&added.key, new_entry(1))).await.unwrap();
    assert_eq!((lost.key.as_str(), lost.replayed), (added.key.as_str(), false));
    let equity = page(&mut client, &added.key, Kind::Equity, 500, 0).await;
    assert_eq!((equity.total, equity.wins, equity.pnl.as_str(), equity.opened), (1, 1, "0.01", true));
    assert_eq!(equity.entries, [entry]);
    let intraday = all(&mut client, &added.key).await;
    assert_eq!((intraday.total, intraday.wins, intraday.pnl.as_str()), (1, 0, "-5.00"));
    assert_eq!(intraday.entries, [lost.entry.unwrap()]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_are_the_newest_first_and_each_entry_stands_on_one(pool: PgPool) {
    let mut client = journals_of(&pool, None);
    let key = begin(&mut client).await;
    for n in 1..7 {
        let kind = if n == 3 { Kind::Equity } else { Kind::Intraday };
        write(&mut client, writing(&key, NewEntry { kind: kind.into(), ..new_entry(n) })).await.unwrap();
    }
    let first = page(&mut client, &key, Kind::Intraday, 4, 0).await;
    assert_eq!((ids(&first), first.more, first.total), (vec![7, 6, 5, 3], true, 6));
    let last = page(&mut client, &key, Kind::Intraday, 4, 3).await;
    assert_eq!((ids(&last), last.more, last.total), (vec![2, 1], false, 6));
    let whole = page(&mut client, &key, Kind::Intraday, 6, 0).await;
    assert!(!whole.more);
    assert_eq!((whole.wins, whole.pnl.as_str()), (4, "30.00"));
    for (kind, limit) in [(0, 1), (1, 0), (1, 501), (9, 1)] {
        let refused = client.list_entries(ListEntriesRequest { kind, limit, ..Default::default() }).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{kind} {limit}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_key_that_opens_nothing_counts_as_none(pool: PgPool) {
    let mut client = journals_of(&pool, None);
    let key = begin(&mut client).await;
    let forged = format!("{}A", &key[..42]);
    for other in [forged.as_str(), "x", "' or 1=1 --", &"k".repeat(4000)] {
        if other == key {
            continue;
        }
        let seen = all(&mut client, other).await;
        assert_eq!((seen.total, seen.opened), (0, false), "{other}");
        let unasked = AddEntryRequest { make: false, ..writing(other, new_entry(1)) };
        let refused = write(&mut client, unasked).await.unwrap_err();
        assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::NotFound, "NO_JOURNAL"));
        let made = write(&mut client, writing(other, new_entry(1))).await.unwrap();
        assert!(made.key != other && made.key != key && made.entry.unwrap().id == 1);
    }
    assert_eq!(all(&mut client, &key).await.total, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn every_field_at_fault_is_named_and_nothing_is_stored(pool: PgPool) {
    let mut client = journals_of(&pool, None);
    let refused = write(&mut client, AddEntryRequest { make: true, ..Default::default() }).await.unwrap_err();
    let fields = tonic_types::StatusExt::get_details_bad_request(&refused).unwrap().field_violations;
    let fields: Vec<_> = fields.iter().map(|broken| broken.field.as_str()).collect();
    let all_of_them = [
        "type",
        "quantity",
        "buyPrice",
        "sellPrice",
        "targetPrice",
        "stopLoss",
        "buyDateTime",
        "sellDateTime",
        "symbol",
    ];
    assert_eq!(fields, all_of_them);
    let claims = [
        (Some("10.01"), None, "pnl"),
        (Some("9.99"), None, "pnl"),
        (Some("ten"), None, "pnl"),
        (Some("79228162514264337593543950335"), None, "pnl"),
        (Some("10"), Some(false), "status"),
    ];
    for (pnl, win, field) in claims {
        let claimed = AddEntryRequest { pnl: pnl.map(str::to_owned), win, ..writing("", new_entry(0)) };
        assert_eq!(field_of(&write(&mut client, claimed).await.unwrap_err()), field, "{pnl:?}");
    }
    let journals = sqlx::query_scalar!(r#"select count(*) as "count!" from trades.journal"#).fetch_one(&pool).await;
    assert_eq!(journals.unwrap(), 0);
    let claimed = AddEntryRequest { pnl: Some("10.00".to_owned()), win: Some(true), ..writing("", new_entry(0)) };
    write(&mut client, claimed).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn one_key_sent_twenty_times_writes_one_entry(pool: PgPool) {
    let mut client = journals_of(&pool, None);
    let visitor = begin(&mut client).await;
    for (key, account_id) in [(visitor.as_str(), None), ("", Some(Uuid::from_u128(1)))] {
        let mut client = journals_of(&pool, account_id);
        let keyed = |entry| AddEntryRequest { idempotency_key: "k".to_owned(), ..writing(key, entry) };
        let sending = (0..20).map(|_| {
            let (mut client, request) = (client.clone(), keyed(new_entry(1)));
            tokio::spawn(async move { write(&mut client, request).await.unwrap() })
        });
        let mut answers = Vec::new();
        for sent in sending.collect::<Vec<_>>() {
            answers.push(sent.await.unwrap());
        }
        assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
        assert!(answers.iter().all(|answer| answer.entry == answers[0].entry && answer.key == key));
        let refused = write(&mut client, keyed(new_entry(2))).await.unwrap_err();
        assert_eq!((field_of(&refused).as_str(), reason_of(&refused).as_str()), ("Idempotency-Key", "KEY_REUSED"));
        assert_eq!(all(&mut client, key).await.total, if key.is_empty() { 1 } else { 2 });
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_journal_is_taken_over_once(pool: PgPool) {
    let mut nobody = journals_of(&pool, None);
    let (mut asha, mut ravi) =
        (journals_of(&pool, Some(Uuid::from_u128(1))), journals_of(&pool, Some(Uuid::from_u128(2))));
    let key = begin(&mut nobody).await;
    write(&mut asha, writing(&key, new_entry(1))).await.unwrap();
    assert_eq!(all(&mut asha, "").await.total, 0, "signed in, one still writes in the browser's journal");
    assert_eq!(take_over(&mut asha, &key).await.unwrap(), 2);
    for client in [&mut asha, &mut ravi] {
        let refused = take_over(client, &key).await.unwrap_err();
        assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::NotFound, "NO_JOURNAL"));
    }
    for client in [&mut nobody, &mut ravi] {
        assert_eq!(all(client, &key).await.total, 0);
    }
    let own = all(&mut asha, &key).await;
    assert_eq!((ids(&own), own.opened, own.pnl.as_str()), (vec![2, 1], false, "5.00"));
    let added = write(&mut asha, writing(&key, new_entry(2))).await.unwrap();
    assert_eq!((added.key.as_str(), added.entry.unwrap().id), ("", 3));
    assert_eq!(take_over(&mut nobody, &key).await.unwrap_err().code(), Code::Unauthenticated);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_journal_that_is_taken_over_stands_behind_the_one_that_is_there(pool: PgPool) {
    let (mut nobody, mut asha) = (journals_of(&pool, None), journals_of(&pool, Some(Uuid::from_u128(1))));
    let keyed = |key: &str, n, idempotency_key: &str| AddEntryRequest {
        idempotency_key: idempotency_key.to_owned(),
        ..writing(key, new_entry(n))
    };
    write(&mut asha, keyed("", 0, "both")).await.unwrap();
    let key = begin(&mut nobody).await;
    write(&mut nobody, keyed(&key, 1, "both")).await.unwrap();
    let equity = NewEntry { kind: Kind::Equity.into(), ..new_entry(2) };
    let lost = AddEntryRequest { idempotency_key: "lost".to_owned(), ..writing(&key, equity) };
    write(&mut nobody, lost.clone()).await.unwrap();

    assert_eq!(take_over(&mut asha, &key).await.unwrap(), 3);
    let own = all(&mut asha, "").await;
    assert_eq!((ids(&own), own.total, own.wins, own.pnl.as_str()), (vec![3, 2, 1], 3, 2, "15.00"));
    let equity = page(&mut asha, "", Kind::Equity, 500, 0).await;
    assert_eq!((ids(&equity), equity.total, equity.pnl.as_str()), (vec![4], 1, "10.00"));
    assert!(write(&mut asha, keyed("", 0, "both")).await.unwrap().replayed);
    assert!(write(&mut asha, AddEntryRequest { key: String::new(), ..lost }).await.unwrap().replayed);
    assert_eq!(write(&mut asha, writing("", new_entry(3))).await.unwrap().entry.unwrap().id, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn two_browsers_that_are_taken_over_at_once_make_one_journal(pool: PgPool) {
    let (mut nobody, asha) = (journals_of(&pool, None), journals_of(&pool, Some(Uuid::from_u128(1))));
    let mut taken = Vec::new();
    for _ in 0..4 {
        let (key, mut asha) = (begin(&mut nobody).await, asha.clone());
        taken.push(tokio::spawn(async move { take_over(&mut asha, &key).await.unwrap() }));
    }
    for taken in taken {
        assert_eq!(taken.await.unwrap(), 1);
    }
    assert_eq!(ids(&all(&mut asha.clone(), "").await), [4, 3, 2, 1]);
}

/// Makes a journal as full as it says, as far as the limit is concerned.
async fn pretend(pool: &PgPool, key: &str, entries: i64) {
    sqlx::query("update trades.journal set entry_count = $2 where journal_id = $1")
        .bind(crate::journal::Lock::of(key).journal_id())
        .bind(entries)
        .execute(pool)
        .await
        .unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_journal_takes_no_more_and_gives_what_it_has(pool: PgPool) {
    let (mut nobody, mut asha) = (journals_of(&pool, None), journals_of(&pool, Some(Uuid::from_u128(1))));
    let key = begin(&mut nobody).await;
    let keyed = AddEntryRequest { idempotency_key: "k".to_owned(), ..writing(&key, new_entry(1)) };
    pretend(&pool, &key, 9_999).await;
    assert_eq!(write(&mut nobody, keyed.clone()).await.unwrap().entry.unwrap().id, 10_000);
    let refused = write(&mut nobody, writing(&key, new_entry(2))).await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "JOURNAL_FULL"));
    assert!(write(&mut nobody, keyed).await.unwrap().replayed, "it is there already");

    write(&mut asha, writing("", new_entry(0))).await.unwrap();
    let refused = take_over(&mut asha, &key).await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_str()), (Code::AlreadyExists, "JOURNAL_FULL"));
    assert_eq!((all(&mut nobody, &key).await.total, all(&mut asha, "").await.total), (2, 1));
}

async fn rows(pool: &PgPool) -> [i64; 3] {
    let counts = sqlx::query!(
        r#"select (select count(*) from trades.journal) as "journals!",
                  (select count(*) from trades.journal_tally) as "tallies!",
                  (select count(*) from trades.journal_entry) as "entries!""#
    );
    let counts = counts.fetch_one(pool).await.unwrap();
    [counts.journals, counts.tallies, counts.entries]
}

#[sqlx::test(migrations = "../../migrations")]
async fn ninety_days_after_the_last_save_a_journal_is_swept_away_unless_it_is_an_accounts(pool: PgPool) {
    let (mut nobody, mut asha) = (journals_of(&pool, None), journals_of(&pool, Some(Uuid::from_u128(1))));
    let mut keys = Vec::new();
    for _ in 0..23 {
        keys.push(begin(&mut nobody).await);
    }
    let taken = keys.pop().unwrap();
    take_over(&mut asha, &taken).await.unwrap();
    let age = async |days: i32| {
        sqlx::query("update trades.journal set last_saved_at = now() - make_interval(days => $1)")
            .bind(days)
            .execute(&pool)
            .await
            .unwrap();
    };
    age(89).await;
    crate::sweep(&pool).await.unwrap();
    assert_eq!(rows(&pool).await, [23, 23, 23]);
    age(91).await;
    write(&mut nobody, writing(&keys[0], new_entry(1))).await.unwrap();
    crate::sweep(&pool).await.unwrap();
    assert_eq!(rows(&pool).await, [2, 2, 3], "what was saved in since, and the account's");
    assert_eq!(all(&mut nobody, &keys[0]).await.total, 2);
    assert_eq!(all(&mut nobody, &keys[1]).await.total, 0);
    assert_eq!(all(&mut asha, "").await.total, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_that_is_erased_leaves_no_entry_and_nobody_elses_goes(pool: PgPool) {
    let (mut nobody, mut asha) = (journals_of(&pool, None), journals_of(&pool, Some(Uuid::from_u128(1))));
    let key = begin(&mut nobody).await;
    write(&mut asha, writing("", new_entry(0))).await.unwrap();
    for _ in 0..2 {
        crate::erase(&pool, Uuid::from_u128(1)).await.unwrap();
        assert_eq!(rows(&pool).await, [1, 1, 1]);
    }
    assert_eq!((all(&mut asha, "").await.total, all(&mut nobody, &key).await.total), (0, 1));
}
