//! Imported ledgers.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use super::*;

/// Returns the entry with this number; its day, kind and amount follow from it.
fn ledger_entry(number: u8) -> wire::LedgerEntry {
    let kinds = [wire::LedgerKind::Dp, wire::LedgerKind::Amc, wire::LedgerKind::Deposit, wire::LedgerKind::Other];
    wire::LedgerEntry {
        day: format!("2026-{:02}-{:02}", 4 + number / 20, 1 + number % 20),
        kind: kinds[usize::from(number % 4)].into(),
        amount: format!("{}.5", i32::from(number) - 3),
        particulars: format!("Entry {number}"),
        source_key: vec![number; 16],
        ..wire::LedgerEntry::default()
    }
}

pub(super) fn ledger(numbers: impl IntoIterator<Item = u8>) -> wire::ImportLedgerRequest {
    wire::ImportLedgerRequest {
        broker: wire::Broker::Zerodha.into(),
        file_name: "ledger.csv".to_owned(),
        format: "zerodha-ledger".to_owned(),
        entries: numbers.into_iter().map(ledger_entry).collect(),
        ..wire::ImportLedgerRequest::default()
    }
}

async fn import(client: &mut Client, request: wire::ImportLedgerRequest) -> wire::ImportLedgerResponse {
    client.import_ledger(request).await.unwrap().into_inner()
}

async fn stored(client: &mut Client) -> Vec<wire::LedgerEntry> {
    let mut pages = client.stream_ledger_entries(wire::StreamLedgerEntriesRequest {}).await.unwrap().into_inner();
    let mut entries = Vec::new();
    while let Some(page) = pages.message().await.unwrap() {
        entries.extend(page.entries);
    }
    entries
}

async fn numbers(client: &mut Client) -> BTreeSet<u8> {
    let entries = stored(client).await;
    let numbers: BTreeSet<u8> = entries.iter().map(|entry| entry.source_key[0]).collect();
    assert_eq!(numbers.len(), entries.len());
    numbers
}

async fn sums(client: &mut Client, request: wire::ListLedgerSumsRequest) -> Vec<wire::LedgerSum> {
    client.list_ledger_sums(request).await.unwrap().into_inner().sums
}

async fn list_ledgers(client: &mut Client) -> Vec<wire::Ledger> {
    client.list_ledgers(wire::ListLedgersRequest {}).await.unwrap().into_inner().ledgers
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_same_entries_are_stored_in_any_order_and_twice(pool: PgPool) {
    let files = [0..=20, 10..=40, 15..=45];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut expected = None;
    for (account, order) in (1..).zip(orders) {
        let mut client = client_as(&pool, Uuid::from_u128(account));
        for file in order {
            let preview = wire::ImportLedgerRequest { preview: true, ..ledger(files[file].clone()) };
            let preview = import(&mut client, preview).await;
            let imported = import(&mut client, ledger(files[file].clone())).await;
            assert_eq!((imported.added, imported.duplicates), (preview.added, preview.duplicates));
            assert_eq!((preview.id.as_str(), imported.added + imported.duplicates), ("", files[file].len() as i64));
            let again = import(&mut client, ledger(files[file].clone())).await;
            assert_eq!((again.added, again.id.as_str()), (0, ""));
        }
        let (entries, sums) = (stored(&mut client).await, sums(&mut client, Default::default()).await);
        assert_eq!(entries.len(), 46);
        let (entries, sums) = (Some(entries), Some(sums));
        assert_eq!(expected.get_or_insert_with(|| (entries.clone(), sums.clone())), &(entries, sums));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unrecognised_kind_replaces_no_recognised_one(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let of_kind = |kind: wire::LedgerKind, particulars: &str| {
        let entry = wire::LedgerEntry { kind: kind.into(), particulars: particulars.to_owned(), ..ledger_entry(1) };
        wire::ImportLedgerRequest { entries: vec![entry], ..ledger([]) }
    };
    // A file with less facts, a complete one, and the first one again.
    for (kind, particulars, expected) in [
        (wire::LedgerKind::Other, "Paid", (wire::LedgerKind::Other, "Paid")),
        (wire::LedgerKind::Deposit, "", (wire::LedgerKind::Deposit, "")),
        (wire::LedgerKind::Other, "Paid", (wire::LedgerKind::Deposit, "")),
    ] {
        import(&mut client, of_kind(kind, particulars)).await;
        let entry = stored(&mut client).await.remove(0);
        assert_eq!((entry.kind(), entry.particulars.as_str()), expected);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn removing_ledgers_keeps_the_entries_of_the_others(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let mut model: BTreeMap<String, BTreeSet<u8>> = BTreeMap::new();
    let mut random = 7_u32;
    let mut next = move |limit: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::try_from((random >> 16) % limit).unwrap()
    };
    for _ in 0..120 {
        let ids: Vec<_> = model.keys().cloned().collect();
        if ids.len() > 3 || (!ids.is_empty() && next(3) == 0) {
            let id = ids[usize::from(next(ids.len() as u32))].clone();
            let before = numbers(&mut client).await.len();
            model.remove(&id);
            let removed = client.delete_ledger(wire::DeleteLedgerRequest { id }).await.unwrap().into_inner().removed;
            assert_eq!(before - numbers(&mut client).await.len(), removed as usize);
        } else {
            let first = next(60);
            let file: BTreeSet<u8> = (first..=first + next(30)).collect();
            let before: BTreeSet<u8> = model.values().flatten().copied().collect();
            let imported = import(&mut client, ledger(file.clone())).await;
            assert_eq!(imported.added as usize, file.difference(&before).count());
            if imported.added > 0 {
                model.insert(imported.id, file);
            }
        }
        let expected: BTreeSet<u8> = model.values().flatten().copied().collect();
        assert_eq!(numbers(&mut client).await, expected);
        let listed = list_ledgers(&mut client).await;
        let counts: BTreeMap<_, _> = listed.into_iter().map(|one| (one.id, one.entries as usize)).collect();
        assert_eq!(counts, model.iter().map(|(id, file)| (id.clone(), file.len())).collect());
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn sums_have_the_kind_the_period_and_the_account(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ledger(0..=1)).await;
    import(&mut client, wire::ImportLedgerRequest { broker_account: 2, ..ledger([1, 5, 21]) }).await;
    let by = |by: wire::LedgerPeriod| wire::ListLedgerSumsRequest { by: by.into(), ..Default::default() };
    let short = |sums: Vec<wire::LedgerSum>| -> Vec<(String, u32, i32, String, i64)> {
        sums.into_iter().map(|one| (one.period, one.broker_account, one.kind, one.amount, one.entries)).collect()
    };
    let row = |period: &str, account, kind: wire::LedgerKind, amount: &str, entries| {
        (period.to_owned(), account, kind.into(), amount.to_owned(), entries)
    };
    let (amc, dp) = (wire::LedgerKind::Amc, wire::LedgerKind::Dp);
    assert_eq!(
        short(sums(&mut client, by(wire::LedgerPeriod::Month)).await),
        [
            row("2026-04", 0, amc, "-2.5", 1),
            row("2026-04", 0, dp, "-3.5", 1),
            row("2026-04", 2, amc, "0", 2),
            row("2026-05", 2, amc, "18.5", 1),
        ]
    );
    let second = wire::BrokerAccountKey { broker: wire::Broker::Zerodha.into(), broker_account: 2 };
    let request = wire::ListLedgerSumsRequest { accounts: vec![second], ..by(wire::LedgerPeriod::All) };
    let all = sums(&mut client, request).await;
    assert_eq!(all[0].treatment(), wire::LedgerTreatment::Cost);
    assert_eq!(short(all), [row("", 2, amc, "18.5", 3)]);
    let day = wire::ListLedgerSumsRequest {
        from: "2026-05-01".to_owned(),
        to: "2026-05-31".to_owned(),
        ..by(wire::LedgerPeriod::Day)
    };
    assert_eq!(short(sums(&mut client, day).await), [row("2026-05-02", 2, amc, "18.5", 1)]);
    let mut other = client_as(&pool, Uuid::from_u128(2));
    assert!(sums(&mut other, by(wire::LedgerPeriod::Month)).await.is_empty());
    let id = list_ledgers(&mut client).await[0].id.clone();
    let status = other.delete_ledger(wire::DeleteLedgerRequest { id }).await.unwrap_err();
    assert_eq!((status.code(), list_ledgers(&mut client).await.len()), (Code::NotFound, 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_client_code_selects_the_account(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let with_code = |code: &str, numbers: std::ops::RangeInclusive<u8>| wire::ImportLedgerRequest {
        client_code: code.to_owned(),
        holder: "Asha Rao".to_owned(),
        ..ledger(numbers)
    };
    assert_eq!(import(&mut client, with_code("AB1234", 0..=1)).await.broker_account, 0);
    assert_eq!(import(&mut client, with_code("ZX9876", 0..=1)).await.broker_account, 2);
    assert_eq!(import(&mut client, with_code("ZX9876", 0..=2)).await.added, 1);
    let wrong = wire::ImportLedgerRequest { broker_account: 1, ..with_code("ZX9876", 0..=3) };
    assert_eq!(client.import_ledger(wrong).await.unwrap_err().code(), Code::FailedPrecondition);
    // An account with ledgers is not removed.
    let second = wire::DeleteBrokerAccountRequest { broker: wire::Broker::Zerodha.into(), broker_account: 2 };
    assert_eq!(client.delete_broker_account(second).await.unwrap_err().code(), Code::FailedPrecondition);
    for ledger in list_ledgers(&mut client).await.into_iter().filter(|ledger| ledger.broker_account == 2) {
        client.delete_ledger(wire::DeleteLedgerRequest { id: ledger.id }).await.unwrap();
    }
    client.delete_broker_account(second).await.unwrap();
    assert_eq!(stored(&mut client).await.len(), 2);
    crate::delete_account(&pool, Uuid::from_u128(1)).await.unwrap();
    assert_eq!((stored(&mut client).await.len(), list_ledgers(&mut client).await.len()), (0, 0));
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_invalid_ledgers_and_stores_nothing(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let changed = |change: fn(&mut wire::LedgerEntry)| {
        let mut request = ledger(4..=6);
        change(&mut request.entries[1]);
        request
    };
    for request in [
        wire::ImportLedgerRequest { broker: 0, ..ledger(0..=1) },
        wire::ImportLedgerRequest { broker_account: 21, ..ledger(0..=1) },
        wire::ImportLedgerRequest { format: "A".to_owned(), ..ledger(0..=1) },
        wire::ImportLedgerRequest { file_name: "\u{7}".to_owned(), ..ledger(0..=1) },
        ledger([]),
        ledger([4, 4]),
        ledger(std::iter::repeat_n(4, 10_001)),
        changed(|entry| entry.kind = 0),
        changed(|entry| entry.amount = "0".to_owned()),
        changed(|entry| entry.amount = "1e5".to_owned()),
        changed(|entry| entry.amount = "1.00001".to_owned()),
        changed(|entry| entry.amount = "-100000000000".to_owned()),
        changed(|entry| entry.day = "2026-02-30".to_owned()),
        changed(|entry| entry.day = "1900-01-01".to_owned()),
        changed(|entry| entry.particulars = "x".repeat(121)),
        changed(|entry| entry.particulars = "a\u{0}b".to_owned()),
        changed(|entry| entry.source_key = vec![1; 17]),
    ] {
        let status = client.import_ledger(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    }
    assert!(stored(&mut client).await.is_empty());
    let day = |from: &str, to: &str| wire::ListLedgerSumsRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        by: wire::LedgerPeriod::Day.into(),
        ..Default::default()
    };
    for request in [
        day("", ""),
        day("2026-01-01", ""),
        day("2026-01-02", "2026-01-01"),
        day("2024-01-01", "2026-01-01"),
        day("x", "2026-01-01"),
    ] {
        assert_eq!(client.list_ledger_sums(request).await.unwrap_err().code(), Code::InvalidArgument);
    }
    let status = client.delete_ledger(wire::DeleteLedgerRequest { id: "'; drop".to_owned() }).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

async fn capital_flows(client: &mut Client) -> wire::ListCapitalFlowsResponse {
    client.list_capital_flows(wire::ListCapitalFlowsRequest {}).await.unwrap().into_inner()
}

#[sqlx::test(migrations = "../../migrations")]
async fn capital_flows_are_sums_by_day_and_account(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let mut key = 0_u8;
    let mut entry = |day: &str, kind: wire::LedgerKind, amount: &str| {
        key += 1;
        let (day, amount, source_key) = (day.to_owned(), amount.to_owned(), vec![key; 16]);
        wire::LedgerEntry { day, kind: kind.into(), amount, source_key, ..wire::LedgerEntry::default() }
    };
    let first = vec![
        entry("2026-04-01", wire::LedgerKind::Deposit, "-1000.5"),
        entry("2026-04-01", wire::LedgerKind::Withdrawal, "200"),
        entry("2026-04-01", wire::LedgerKind::Amc, "88.5"),
        entry("2026-04-01", wire::LedgerKind::Other, "1"),
        entry("2026-04-01", wire::LedgerKind::Other, "-100"),
        entry("2026-04-01", wire::LedgerKind::Other, "100.01"),
        // Of the depository participant.
        entry("2026-04-01", wire::LedgerKind::Dp, "15.34"),
        entry("2026-04-01", wire::LedgerKind::Settlement, "-300"),
        entry("2026-04-01", wire::LedgerKind::Journal, "50"),
        entry("2026-04-03", wire::LedgerKind::Deposit, "-7"),
    ];
    // Another file begins on the last day of the first one, with another entry.
    let second = vec![entry("2026-04-03", wire::LedgerKind::Withdrawal, "40")];
    let request = |entries, opening: &str| wire::ImportLedgerRequest {
        entries,
        opening_balance: opening.to_owned(),
        ..ledger([])
    };
    import(&mut client, request(first, "-12.3456")).await;
    import(&mut client, request(second, "940.3044")).await;
    let other_debits = wire::ImportLedgerRequest {
        format: "zerodha-other-debits".to_owned(),
        ..request(vec![entry("2026-05-01", wire::LedgerKind::Interest, "3")], "")
    };
    import(&mut client, wire::ImportLedgerRequest { broker: wire::Broker::Groww.into(), ..other_debits }).await;

    let flows = capital_flows(&mut client).await;
    let days: Vec<[&str; 6]> = flows
        .days
        .iter()
        .map(|day| [&*day.day, &day.deposits, &day.withdrawals, &day.other, &day.transfers, &day.balance])
        .collect();
    let expected = [
        ["2026-05-01", "0", "0", "-3", "0", "-3"],
        ["2026-04-01", "1000.5", "200", "-104.85", "-50", "945.65"],
        ["2026-04-03", "7", "40", "0", "0", "-33"],
    ];
    assert_eq!(days, expected);
    assert_eq!(flows.days.iter().map(|day| day.unknown_entries).collect::<Vec<_>>(), [0, 3, 0]);
    assert_eq!(flows.days.iter().map(|day| &*day.unknown_amount).collect::<Vec<_>>(), ["0", "201.01", "0"]);
    let unknown: Vec<_> = flows.unknown_entries.iter().map(|entry| (&*entry.day, &*entry.amount)).collect();
    assert_eq!(unknown, [("2026-04-01", "1"), ("2026-04-01", "-100"), ("2026-04-01", "100.01")]);
    let ledgers: Vec<_> = flows
        .ledgers
        .iter()
        .map(|ledger| (&*ledger.from, &*ledger.to, &*ledger.opening_balance, ledger.is_complete))
        .collect();
    // The balance at the beginning of 3 April is that before the deposit of the first file.
    let expected = [
        ("2026-05-01", "2026-05-01", "", false),
        ("2026-04-01", "2026-04-03", "-12.3456", true),
        ("2026-04-03", "2026-04-03", "933.3044", true),
    ];
    assert_eq!(ledgers, expected);

    let mut other = client_as(&pool, Uuid::from_u128(2));
    assert_eq!(capital_flows(&mut other).await, wire::ListCapitalFlowsResponse::default());
    for opening in ["x", "1e5", "0.00001", "100000000000", "-100000000000"] {
        let request = request(vec![ledger_entry(1)], opening);
        assert_eq!(other.import_ledger(request).await.unwrap_err().code(), Code::InvalidArgument, "{opening}");
    }
}
