//! The journal service through its client, on a real Postgres.

use rpc::caller::{Caller, Trader};
use rpc::journal::v1::journal_service_client::JournalServiceClient;
use rpc::journal::v1::{
    AddEntryRequest, AddEntryResponse, ClaimJournalRequest, Kind, ListEntriesRequest, ListEntriesResponse, NewEntry,
};
use rpc::transport::{Transport, local};
use sqlx::PgPool;
use tonic::service::interceptor::InterceptedService;
use tonic::{Code, Request, Status};
use uuid::Uuid;

type Client = JournalServiceClient<Transport>;

/// Returns a client that calls as the account, or without a token.
fn client_as(pool: &PgPool, account_id: Option<Uuid>) -> Client {
    let server = crate::public_journal::server(pool.clone());
    let caller = account_id.map(|account_id| {
        let (name, email) = ("Asha Rao".to_owned(), "asha@example.in".to_owned());
        Caller::from(Trader { account_id, session_id: Uuid::nil(), name, email, email_confirmed: true })
    });
    JournalServiceClient::new(local(InterceptedService::new(server, move |mut request: Request<()>| {
        if let Some(caller) = caller.clone() {
            request.extensions_mut().insert(caller);
        }
        Ok(request)
    })))
}

/// Returns the `n`th generated entry: a profit of 10 rupees for even `n`, otherwise a loss of 5.
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

fn add_request(key: &str, entry: NewEntry) -> AddEntryRequest {
    AddEntryRequest { key: key.to_owned(), entry: Some(entry), create_if_missing: true, ..Default::default() }
}

async fn add(client: &mut Client, request: AddEntryRequest) -> Result<AddEntryResponse, Status> {
    Ok(client.add_entry(request).await?.into_inner())
}

/// Creates a journal with one entry and returns its key.
async fn create_journal(client: &mut Client) -> String {
    add(client, add_request("", new_entry(0))).await.unwrap().key
}

async fn list(client: &mut Client, key: &str, kind: Kind, page_size: i32, page_token: &str) -> ListEntriesResponse {
    let request =
        ListEntriesRequest { key: key.to_owned(), kind: kind.into(), page_size, page_token: page_token.to_owned() };
    client.list_entries(request).await.unwrap().into_inner()
}

async fn list_intraday(client: &mut Client, key: &str) -> ListEntriesResponse {
    list(client, key, Kind::Intraday, 500, "").await
}

async fn claim_journal(client: &mut Client, key: &str) -> Result<i64, Status> {
    Ok(client.claim_journal(ClaimJournalRequest { key: key.to_owned() }).await?.into_inner().entries)
}

/// Returns the only field with a violation.
#[track_caller]
fn field_of(status: &Status) -> String {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    tonic_types::StatusExt::get_details_bad_request(status).unwrap().field_violations.remove(0).field
}

/// Returns the reason code of an error.
#[track_caller]
fn reason_of(status: &Status) -> String {
    tonic_types::StatusExt::get_details_error_info(status).unwrap().reason
}

fn ids(page: &ListEntriesResponse) -> Vec<i64> {
    page.entries.iter().map(|entry| entry.id).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_added_entry_is_listed_with_its_result(pool: PgPool) {
    let mut client = client_as(&pool, None);
    assert_eq!(list_intraday(&mut client, "").await, ListEntriesResponse { pnl: "0".to_owned(), ..Default::default() });
    let precise = NewEntry {
        kind: Kind::Equity.into(),
        quantity: "0.500000".to_owned(),
        buy_price: "83.1225".to_owned(),
        sell_price: "83.1425".to_owned(),
        ..new_entry(0)
    };
    let added = add(&mut client, add_request("", precise.clone())).await.unwrap();
    assert_eq!(added.key.len(), 43);
    let entry = added.entry.unwrap();
    assert_eq!((entry.id, entry.pnl.as_str(), entry.win), (1, "0.01", true));
    let stored = NewEntry { symbol: "TATASTEEL".to_owned(), quantity: "0.5".to_owned(), ..precise };
    assert_eq!(entry.entry.as_ref(), Some(&stored));

    let lost = add(&mut client, add_request(&added.key, new_entry(1))).await.unwrap();
    assert_eq!((lost.key.as_str(), lost.replayed), (added.key.as_str(), false));
    let equity = list(&mut client, &added.key, Kind::Equity, 500, "").await;
    assert_eq!((equity.total, equity.wins, equity.pnl.as_str(), equity.opened_by_key), (1, 1, "0.01", true));
    assert_eq!(equity.entries, [entry]);
    let intraday = list_intraday(&mut client, &added.key).await;
    assert_eq!((intraday.total, intraday.wins, intraday.pnl.as_str()), (1, 0, "-5.00"));
    assert_eq!(intraday.entries, [lost.entry.unwrap()]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_are_sorted_newest_first_and_contain_each_entry_once(pool: PgPool) {
    let mut client = client_as(&pool, None);
    let key = create_journal(&mut client).await;
    for n in 1..7 {
        let kind = if n == 3 { Kind::Equity } else { Kind::Intraday };
        add(&mut client, add_request(&key, NewEntry { kind: kind.into(), ..new_entry(n) })).await.unwrap();
    }
    let first = list(&mut client, &key, Kind::Intraday, 4, "").await;
    assert_eq!((ids(&first), first.next_page_token.as_str(), first.total), (vec![7, 6, 5, 3], "3", 6));
    let last = list(&mut client, &key, Kind::Intraday, 4, &first.next_page_token).await;
    assert_eq!((ids(&last), last.next_page_token.as_str(), last.total), (vec![2, 1], "", 6));
    // The default size.
    let whole = list(&mut client, &key, Kind::Intraday, 0, "").await;
    assert_eq!(whole.next_page_token, "");
    assert_eq!((whole.wins, whole.pnl.as_str()), (4, "30.00"));
    for (kind, page_size, page_token) in
        [(0, 1, ""), (1, -1, ""), (1, 501, ""), (9, 1, ""), (1, 1, "0"), (1, 1, "-1"), (1, 1, "x")]
    {
        let page_token = page_token.to_owned();
        let request = ListEntriesRequest { kind, page_size, page_token, ..Default::default() };
        let status = client.list_entries(request.clone()).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{request:?}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unknown_key_is_treated_like_no_key(pool: PgPool) {
    let mut client = client_as(&pool, None);
    let key = create_journal(&mut client).await;
    let forged = format!("{}A", &key[..42]);
    for other in [forged.as_str(), "x", "' or 1=1 --", &"k".repeat(4000)] {
        if other == key {
            continue;
        }
        let listed = list_intraday(&mut client, other).await;
        assert_eq!((listed.total, listed.opened_by_key), (0, false), "{other}");
        let without_create = AddEntryRequest { create_if_missing: false, ..add_request(other, new_entry(1)) };
        let status = add(&mut client, without_create).await.unwrap_err();
        assert_eq!((status.code(), reason_of(&status).as_str()), (Code::NotFound, "JOURNAL_NOT_FOUND"));
        let created = add(&mut client, add_request(other, new_entry(1))).await.unwrap();
        assert!(created.key != other && created.key != key && created.entry.unwrap().id == 1);
    }
    assert_eq!(list_intraday(&mut client, &key).await.total, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_invalid_entry_with_every_invalid_field_and_stores_nothing(pool: PgPool) {
    let mut client = client_as(&pool, None);
    let status = add(&mut client, AddEntryRequest { create_if_missing: true, ..Default::default() }).await.unwrap_err();
    let fields = tonic_types::StatusExt::get_details_bad_request(&status).unwrap().field_violations;
    let fields: Vec<_> = fields.iter().map(|violation| violation.field.as_str()).collect();
    let expected = [
        "entry.kind",
        "entry.quantity",
        "entry.buy_price",
        "entry.sell_price",
        "entry.target_price",
        "entry.stop_loss",
        "entry.bought_at",
        "entry.sold_at",
        "entry.symbol",
    ];
    assert_eq!(fields, expected);
    let stated_results = [
        (Some("10.01"), None, "pnl"),
        (Some("9.99"), None, "pnl"),
        (Some("ten"), None, "pnl"),
        (Some("79228162514264337593543950335"), None, "pnl"),
        (Some("10"), Some(false), "win"),
    ];
    for (pnl, win, field) in stated_results {
        let stated = AddEntryRequest { pnl: pnl.map(str::to_owned), win, ..add_request("", new_entry(0)) };
        assert_eq!(field_of(&add(&mut client, stated).await.unwrap_err()), field, "{pnl:?}");
    }
    let journals = sqlx::query_scalar!(r#"select count(*) as "count!" from journal.journal"#).fetch_one(&pool).await;
    assert_eq!(journals.unwrap(), 0);
    let stated = AddEntryRequest { pnl: Some("10.00".to_owned()), win: Some(true), ..add_request("", new_entry(0)) };
    add(&mut client, stated).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn twenty_concurrent_requests_with_one_idempotency_key_add_one_entry(pool: PgPool) {
    let mut client = client_as(&pool, None);
    let visitor = create_journal(&mut client).await;
    for (key, account_id) in [(visitor.as_str(), None), ("", Some(Uuid::from_u128(1)))] {
        let mut client = client_as(&pool, account_id);
        let keyed = |entry| AddEntryRequest { idempotency_key: "k".to_owned(), ..add_request(key, entry) };
        let requests = (0..20).map(|_| {
            let (mut client, request) = (client.clone(), keyed(new_entry(1)));
            tokio::spawn(async move { add(&mut client, request).await.unwrap() })
        });
        let mut responses = Vec::new();
        for request in requests.collect::<Vec<_>>() {
            responses.push(request.await.unwrap());
        }
        assert_eq!(responses.iter().filter(|response| !response.replayed).count(), 1);
        assert!(responses.iter().all(|response| response.entry == responses[0].entry && response.key == key));
        let status = add(&mut client, keyed(new_entry(2))).await.unwrap_err();
        assert_eq!(
            (field_of(&status).as_str(), reason_of(&status).as_str()),
            ("idempotency_key", "IDEMPOTENCY_KEY_REUSED")
        );
        assert_eq!(list_intraday(&mut client, key).await.total, if key.is_empty() { 1 } else { 2 });
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_journal_can_be_taken_over_once(pool: PgPool) {
    let mut anonymous = client_as(&pool, None);
    let (mut asha, mut ravi) = (client_as(&pool, Some(Uuid::from_u128(1))), client_as(&pool, Some(Uuid::from_u128(2))));
    let key = create_journal(&mut anonymous).await;
    add(&mut asha, add_request(&key, new_entry(1))).await.unwrap();
    assert_eq!(
        list_intraday(&mut asha, "").await.total,
        0,
        "with a key, an account still adds to the journal of the key"
    );
    assert_eq!(claim_journal(&mut asha, &key).await.unwrap(), 2);
    for client in [&mut asha, &mut ravi] {
        let status = claim_journal(client, &key).await.unwrap_err();
        assert_eq!((status.code(), reason_of(&status).as_str()), (Code::NotFound, "JOURNAL_NOT_FOUND"));
    }
    for client in [&mut anonymous, &mut ravi] {
        assert_eq!(list_intraday(client, &key).await.total, 0);
    }
    let own = list_intraday(&mut asha, &key).await;
    assert_eq!((ids(&own), own.opened_by_key, own.pnl.as_str()), (vec![2, 1], false, "5.00"));
    let added = add(&mut asha, add_request(&key, new_entry(2))).await.unwrap();
    assert_eq!((added.key.as_str(), added.entry.unwrap().id), ("", 3));
    assert_eq!(claim_journal(&mut anonymous, &key).await.unwrap_err().code(), Code::Unauthenticated);
}

#[sqlx::test(migrations = "../../migrations")]
async fn taking_over_appends_the_entries_to_the_accounts_journal(pool: PgPool) {
    let (mut anonymous, mut asha) = (client_as(&pool, None), client_as(&pool, Some(Uuid::from_u128(1))));
    let keyed = |key: &str, n, idempotency_key: &str| AddEntryRequest {
        idempotency_key: idempotency_key.to_owned(),
        ..add_request(key, new_entry(n))
    };
    add(&mut asha, keyed("", 0, "both")).await.unwrap();
    let key = create_journal(&mut anonymous).await;
    add(&mut anonymous, keyed(&key, 1, "both")).await.unwrap();
    let equity = NewEntry { kind: Kind::Equity.into(), ..new_entry(2) };
    let lost = AddEntryRequest { idempotency_key: "lost".to_owned(), ..add_request(&key, equity) };
    add(&mut anonymous, lost.clone()).await.unwrap();

    assert_eq!(claim_journal(&mut asha, &key).await.unwrap(), 3);
    let own = list_intraday(&mut asha, "").await;
    assert_eq!((ids(&own), own.total, own.wins, own.pnl.as_str()), (vec![3, 2, 1], 3, 2, "15.00"));
    let equity = list(&mut asha, "", Kind::Equity, 500, "").await;
    assert_eq!((ids(&equity), equity.total, equity.pnl.as_str()), (vec![4], 1, "10.00"));
    assert!(add(&mut asha, keyed("", 0, "both")).await.unwrap().replayed);
    assert!(add(&mut asha, AddEntryRequest { key: String::new(), ..lost }).await.unwrap().replayed);
    assert_eq!(add(&mut asha, add_request("", new_entry(3))).await.unwrap().entry.unwrap().id, 5);
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_claims_make_one_journal(pool: PgPool) {
    let (mut anonymous, asha) = (client_as(&pool, None), client_as(&pool, Some(Uuid::from_u128(1))));
    let mut claims = Vec::new();
    for _ in 0..4 {
        let (key, mut asha) = (create_journal(&mut anonymous).await, asha.clone());
        claims.push(tokio::spawn(async move { claim_journal(&mut asha, &key).await.unwrap() }));
    }
    for claim_journal in claims {
        assert_eq!(claim_journal.await.unwrap(), 1);
    }
    assert_eq!(ids(&list_intraday(&mut asha.clone(), "").await), [4, 3, 2, 1]);
}

/// Sets the entry count of a journal without adding entries.
async fn set_entry_count(pool: &PgPool, key: &str, entries: i64) {
    sqlx::query("update journal.journal set entry_count = $2 where journal_id = $1")
        .bind(crate::public_journal::key::KeyHash::from_key(key).journal_id())
        .bind(entries)
        .execute(pool)
        .await
        .unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_journal_rejects_entries_and_can_still_be_read(pool: PgPool) {
    let (mut anonymous, mut asha) = (client_as(&pool, None), client_as(&pool, Some(Uuid::from_u128(1))));
    let key = create_journal(&mut anonymous).await;
    let keyed = AddEntryRequest { idempotency_key: "k".to_owned(), ..add_request(&key, new_entry(1)) };
    set_entry_count(&pool, &key, 9_999).await;
    assert_eq!(add(&mut anonymous, keyed.clone()).await.unwrap().entry.unwrap().id, 10_000);
    let status = add(&mut anonymous, add_request(&key, new_entry(2))).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::FailedPrecondition, "JOURNAL_FULL"));
    assert!(add(&mut anonymous, keyed).await.unwrap().replayed, "an earlier entry with the same key is returned");

    add(&mut asha, add_request("", new_entry(0))).await.unwrap();
    let status = claim_journal(&mut asha, &key).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_str()), (Code::FailedPrecondition, "JOURNAL_FULL"));
    assert_eq!((list_intraday(&mut anonymous, &key).await.total, list_intraday(&mut asha, "").await.total), (2, 1));
}

async fn count_rows(pool: &PgPool) -> [i64; 3] {
    let counts = sqlx::query!(
        r#"select (select count(*) from journal.journal) as "journals!",
                  (select count(*) from journal.total) as "totals!",
                  (select count(*) from journal.entry) as "entries!""#
    );
    let counts = counts.fetch_one(pool).await.unwrap();
    [counts.journals, counts.totals, counts.entries]
}

#[sqlx::test(migrations = "../../migrations")]
async fn journals_without_an_account_are_deleted_90_days_after_the_last_save(pool: PgPool) {
    let (mut anonymous, mut asha) = (client_as(&pool, None), client_as(&pool, Some(Uuid::from_u128(1))));
    let mut keys = Vec::new();
    for _ in 0..23 {
        keys.push(create_journal(&mut anonymous).await);
    }
    let taken_over = keys.pop().unwrap();
    claim_journal(&mut asha, &taken_over).await.unwrap();
    let age = async |days: i32| {
        sqlx::query("update journal.journal set last_saved_at = now() - make_interval(days => $1)")
            .bind(days)
            .execute(&pool)
            .await
            .unwrap();
    };
    age(89).await;
    crate::public_journal::delete_expired_rows(&pool).await.unwrap();
    assert_eq!(count_rows(&pool).await, [23, 23, 23]);
    age(91).await;
    add(&mut anonymous, add_request(&keys[0], new_entry(1))).await.unwrap();
    crate::public_journal::delete_expired_rows(&pool).await.unwrap();
    assert_eq!(count_rows(&pool).await, [2, 2, 3], "the journal saved since and the one of the account are kept");
    assert_eq!(list_intraday(&mut anonymous, &keys[0]).await.total, 2);
    assert_eq!(list_intraday(&mut anonymous, &keys[1]).await.total, 0);
    assert_eq!(list_intraday(&mut asha, "").await.total, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn deleting_an_account_deletes_its_journal_and_no_other(pool: PgPool) {
    let (mut anonymous, mut asha) = (client_as(&pool, None), client_as(&pool, Some(Uuid::from_u128(1))));
    let key = create_journal(&mut anonymous).await;
    add(&mut asha, add_request("", new_entry(0))).await.unwrap();
    for _ in 0..2 {
        crate::public_journal::delete_account(&pool, Uuid::from_u128(1)).await.unwrap();
        assert_eq!(count_rows(&pool).await, [1, 1, 1]);
    }
    assert_eq!((list_intraday(&mut asha, "").await.total, list_intraday(&mut anonymous, &key).await.total), (0, 1));
}
