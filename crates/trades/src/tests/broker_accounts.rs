//! Several accounts with one broker.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

const SECOND: wire::Book = wire::Book { broker_account: 2, ..ZERODHA_EQUITY };

#[sqlx::test(migrations = "../../migrations")]
async fn identical_trades_of_two_accounts_with_one_broker_never_mix(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    for book in [ZERODHA_EQUITY, SECOND] {
        assert_eq!(import(&mut client, book, &fills(0..30)).await.added, 30);
        let again = import(&mut client, book, &fills(0..40)).await;
        assert_eq!((again.added, again.duplicates), (10, 30));
    }
    assert_eq!(books(&mut client).await, [(ZERODHA_EQUITY, 40), (SECOND, 40)]);
    let preview = preview(&mut client, SECOND, &fills(35..50)).await;
    assert_eq!((preview.added, preview.duplicates, preview.book), (10, 5, Some(SECOND)));

    let (_, trades) = list(&mut client, None).await;
    let of_second = trades.iter().filter(|trade| trade.book == Some(SECOND)).count();
    assert_eq!((trades.len(), of_second), (80, 40));

    // Deleting a trade of one account does not keep it out of the other.
    let deleted = trades.iter().find(|trade| trade.book == Some(SECOND)).unwrap();
    delete(&mut client, deleted.id, false).await.unwrap();
    assert_eq!(import(&mut client, ZERODHA_EQUITY, &fills(0..40)).await.added, 0);
    assert_eq!(import(&mut client, SECOND, &fills(0..40)).await.added, 0);
    assert_eq!(books(&mut client).await, [(ZERODHA_EQUITY, 40), (SECOND, 39)]);

    // Replacing and undoing one leaves the other.
    let of_first = |trades: Vec<wire::Trade>| -> Vec<wire::Trade> {
        trades.into_iter().filter(|trade| trade.book == Some(ZERODHA_EQUITY)).collect()
    };
    let before = of_first(list(&mut client, None).await.1);
    let replaced = replace(&mut client, SECOND, &[manual_trade(1)]).await;
    assert_eq!((replaced.removed, replaced.head.unwrap().last_book), (39, Some(SECOND)));
    assert_eq!(of_first(list(&mut client, None).await.1), before);
    assert_eq!(undo(&mut client, replaced.change_id, 0).await.unwrap().restored, 39);
    assert_eq!(of_first(list(&mut client, None).await.1), before);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_filter_selects_one_account_or_all_of_a_broker(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    import(&mut client, SECOND, &fills(0..4)).await;
    import(&mut client, GROWW_EQUITY, &fills(0..5)).await;
    let filter = |broker: wire::Broker, broker_account| wire::ListTradesRequest {
        filter: Some(wire::Filter { broker: broker.into(), broker_account, ..Default::default() }),
        ..page_of(100)
    };
    for (broker, account, total) in [
        (wire::Broker::Zerodha, 0, 7),
        (wire::Broker::Zerodha, 1, 3),
        (wire::Broker::Zerodha, 2, 4),
        (wire::Broker::Zerodha, 3, 0),
        (wire::Broker::Groww, 1, 5),
        (wire::Broker::Unspecified, 0, 12),
        (wire::Broker::Unspecified, 1, 8),
    ] {
        let page = query(&mut client, filter(broker, account)).await;
        let shown = (page.head.unwrap().total, i64::try_from(page.trades.len()).unwrap());
        assert_eq!(shown, (total, total), "{broker:?} {account}");
    }
    let status = client.list_trades(filter(wire::Broker::Zerodha, 21)).await.unwrap_err();
    assert_eq!(field_of(&status), "filter.broker_account");
    let beyond = wire::Book { broker_account: 21, ..ZERODHA_EQUITY };
    let status = add_with_key(&mut client, beyond, manual_trade(1), "").await.unwrap_err();
    assert_eq!(field_of(&status), "book.broker_account");
}

fn owned_head(book: wire::Book, client_code: &str) -> wire::ImportHead {
    let import_part::Part::Head(head) = import_head(book) else { unreachable!() };
    wire::ImportHead { client_code: client_code.to_owned(), holder: "Asha Rao".to_owned(), ..head }
}

/// Imports fills of a file with a client code; returns the book.
async fn import_owned(
    client: &mut Client,
    book: wire::Book,
    client_code: &str,
    range: std::ops::Range<i64>,
) -> Result<wire::Book, Status> {
    let count = range.end - range.start;
    let head = import_part::Part::Head(owned_head(book, client_code));
    let parts = vec![head, import_batch(fills(range)), import_end(count)];
    Ok(send_import(client, parts).await?.book.unwrap())
}

async fn preview_owned(client: &mut Client, book: wire::Book, client_code: &str) -> Result<wire::Preview, Status> {
    use wire::preview_trades_request::Part;
    let end = wire::ImportEnd { trades: 5, issues: Some(wire::FileIssues::default()), notes: Vec::new() };
    let batch = wire::ImportBatch { trades: fills(0..5) };
    let parts = [Part::Head(owned_head(book, client_code)), Part::Batch(batch), Part::End(end)];
    let messages = parts.map(|part| wire::PreviewTradesRequest { part: Some(part) });
    Ok(client.preview_trades(tokio_stream::iter(messages)).await?.into_inner().preview.unwrap())
}

async fn accounts(client: &mut Client) -> Vec<wire::BrokerAccount> {
    client.list_broker_accounts(wire::ListBrokerAccountsRequest {}).await.unwrap().into_inner().accounts
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_client_code_of_a_file_selects_the_account(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let first = wire::Book { broker_account: 1, ..ZERODHA_EQUITY };
    // The first code belongs to the first account, without a question.
    let new = preview_owned(&mut client, ZERODHA_EQUITY, "AB1234").await.unwrap();
    assert_eq!((new.account_match(), new.book), (wire::AccountMatch::NewCode, Some(ZERODHA_EQUITY)));
    assert_eq!((&*new.masked_client_code, &*new.holder), ("AB••34", "Asha Rao"));
    assert!(accounts(&mut client).await.is_empty());
    commit(&mut client, commit_request(&new, wire::Resolution::Keep)).await.unwrap().unwrap();
    let second_preview = preview_owned(&mut client, ZERODHA_EQUITY, "ab1234").await.unwrap();
    assert_eq!(
        (second_preview.account_match(), second_preview.book),
        (wire::AccountMatch::Known, Some(ZERODHA_EQUITY))
    );

    // Another code is not imported into it silently; a preview proposes an unused account.
    let refused = import_owned(&mut client, ZERODHA_EQUITY, "CD5678", 0..5).await.unwrap_err();
    assert_eq!(reason_of(&refused), "UNKNOWN_CLIENT_CODE");
    let refused = import_owned(&mut client, first, "CD5678", 0..5).await.unwrap_err();
    assert_eq!(reason_of(&refused), "OTHER_CLIENT_CODE");
    let other = preview_owned(&mut client, ZERODHA_EQUITY, "CD5678").await.unwrap();
    assert_eq!((other.account_match(), other.book, other.added), (wire::AccountMatch::OtherCodes, Some(SECOND), 5));
    commit(&mut client, commit_request(&other, wire::Resolution::Keep)).await.unwrap().unwrap();

    // From now on, the code decides.
    assert_eq!(import_owned(&mut client, ZERODHA_EQUITY, "CD5678", 0..7).await.unwrap(), SECOND);
    assert_eq!(import_owned(&mut client, ZERODHA_EQUITY, "AB1234", 0..8).await.unwrap(), ZERODHA_EQUITY);
    assert_eq!(reason_of(&import_owned(&mut client, SECOND, "AB1234", 0..5).await.unwrap_err()), "OTHER_CLIENT_CODE");
    // A file without a code goes to the selected or the first account.
    assert_eq!(import_owned(&mut client, SECOND, "", 0..9).await.unwrap(), SECOND);
    assert_eq!(import_owned(&mut client, ZERODHA_EQUITY, "", 0..9).await.unwrap(), ZERODHA_EQUITY);
    // A code of another broker is independent.
    assert_eq!(import_owned(&mut client, GROWW_EQUITY, "AB1234", 0..2).await.unwrap(), GROWW_EQUITY);
    let codes: Vec<_> = accounts(&mut client)
        .await
        .into_iter()
        .map(|account| (account.broker_account, account.masked_client_code, account.trades))
        .collect();
    let code = |text: &str| text.to_owned();
    assert_eq!(codes, [(0, code("AB••34"), 9), (2, code("CD••78"), 9), (0, code("AB••34"), 2)]);

    let status = import_owned(&mut client, ZERODHA_EQUITY, "AB-1234", 0..1).await.unwrap_err();
    assert_eq!(field_of(&status), "head.client_code");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_preview_moves_to_the_account_that_the_trader_selects(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import_owned(&mut client, ZERODHA_EQUITY, "AB1234", 0..3).await.unwrap();
    import(&mut client, SECOND, &fills(0..2)).await;
    let request = |preview: &wire::Preview, broker_account| wire::CommitPreviewRequest {
        broker_account,
        ..commit_request(preview, wire::Resolution::Keep)
    };
    // A file without a client code would go to the first account.
    let first = preview_owned(&mut client, ZERODHA_EQUITY, "").await.unwrap();
    assert_eq!((first.book, first.added, first.duplicates), (Some(ZERODHA_EQUITY), 2, 3));
    let moved = *commit(&mut client, request(&first, 2)).await.unwrap().unwrap_err();
    assert_eq!((moved.book, moved.added, moved.duplicates), (Some(SECOND), 3, 2));
    assert_eq!(books(&mut client).await, [(ZERODHA_EQUITY, 3), (SECOND, 2)]);
    commit(&mut client, request(&moved, 2)).await.unwrap().unwrap();
    assert_eq!(books(&mut client).await, [(ZERODHA_EQUITY, 3), (SECOND, 5)]);

    // A file with a code never goes to an account with another one.
    let other = preview_owned(&mut client, ZERODHA_EQUITY, "CD5678").await.unwrap();
    let refused = commit(&mut client, request(&other, 1)).await.unwrap_err();
    assert_eq!(reason_of(&refused), "OTHER_CLIENT_CODE");
    let invalid = commit(&mut client, request(&other, 21)).await.unwrap_err();
    assert_eq!(field_of(&invalid), "broker_account");
}

#[sqlx::test(migrations = "../../migrations")]
async fn saves_and_deletes_what_is_known_about_an_account(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let mut other_trader = client_as(&pool, Uuid::from_u128(2));
    import_owned(&mut client, ZERODHA_EQUITY, "AB1234", 0..3).await.unwrap();
    let save = |broker_account, label: &str, client_code: Option<&str>| wire::SaveBrokerAccountRequest {
        broker: wire::Broker::Zerodha.into(),
        broker_account,
        label: label.to_owned(),
        holder: "Asha Rao".to_owned(),
        client_code: client_code.map(str::to_owned),
        settings: None,
    };
    // An absent client code stays; an empty one is removed.
    let named = client.save_broker_account(save(1, " Mine ", None)).await.unwrap().into_inner().account.unwrap();
    assert_eq!((&*named.label, &*named.masked_client_code, named.trades), ("Mine", "AB••34", 3));
    let taken = client.save_broker_account(save(2, "", Some("ab1234"))).await.unwrap_err();
    assert_eq!((taken.code(), &*reason_of(&taken)), (Code::AlreadyExists, "CLIENT_CODE_TAKEN"));
    client.save_broker_account(save(2, "Mother", Some("CD5678"))).await.unwrap();
    let cleared = client.save_broker_account(save(2, "Mother", Some(""))).await.unwrap().into_inner().account.unwrap();
    assert_eq!(cleared.masked_client_code, "");
    assert!(accounts(&mut other_trader).await.is_empty());

    for (request, field) in [
        (save(21, "", None), "broker_account"),
        (save(1, &"x".repeat(41), None), "label"),
        (save(1, "", Some("AB 12")), "client_code"),
        (wire::SaveBrokerAccountRequest { holder: "x".repeat(101), ..save(1, "", None) }, "holder"),
        (wire::SaveBrokerAccountRequest { broker: 0, ..save(1, "", None) }, "broker"),
    ] {
        assert_eq!(field_of(&client.save_broker_account(request).await.unwrap_err()), field);
    }
    let delete =
        |broker_account| wire::DeleteBrokerAccountRequest { broker: wire::Broker::Zerodha.into(), broker_account };
    let status = client.delete_broker_account(delete(1)).await.unwrap_err();
    assert_eq!(reason_of(&status), "BROKER_ACCOUNT_HAS_TRADES");
    for _ in 0..2 {
        client.delete_broker_account(delete(2)).await.unwrap();
    }
    assert_eq!(accounts(&mut client).await.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_first_holder_in_a_file_increases_the_version_of_the_accounts(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    for range in [0..5, 0..5, 5..10] {
        import_owned(&mut client, ZERODHA_EQUITY, "AB1234", range).await.unwrap();
        assert_eq!(list(&mut client, None).await.0.broker_accounts_version, 1);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn saves_the_settings_of_an_account_and_increases_their_version(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let version = async |client: &mut Client| list(client, None).await.0.broker_accounts_version;
    let price = |kind: wire::BrokerageKind, from: &str| wire::BrokeragePrice {
        kind: kind.into(),
        from: from.to_owned(),
        ..Default::default()
    };
    let settings = wire::BrokerAccountSettings {
        plan: String::new(),
        woman_first_holder: true,
        opened_on: "2024-04-01".to_owned(),
        closed_on: String::new(),
        brokerage: vec![
            wire::BrokeragePrice { flat: "15.5".to_owned(), ..price(wire::BrokerageKind::Options, "2026-01-01") },
            wire::BrokeragePrice { flat: "0".to_owned(), ..price(wire::BrokerageKind::Options, "") },
            wire::BrokeragePrice {
                percent: "0.025".to_owned(),
                min: "2".to_owned(),
                max: "15".to_owned(),
                ..price(wire::BrokerageKind::Intraday, "2025-07-01")
            },
        ],
    };
    let save = |settings: Option<wire::BrokerAccountSettings>| wire::SaveBrokerAccountRequest {
        broker: wire::Broker::Zerodha.into(),
        broker_account: 2,
        settings,
        ..Default::default()
    };
    assert_eq!(version(&mut client).await, 0);
    let saved = client.save_broker_account(save(Some(settings.clone()))).await.unwrap().into_inner().account.unwrap();
    let mut expected = settings.clone();
    expected.plan = "standard".to_owned();
    expected.brokerage.reverse();
    assert_eq!(saved.settings.as_ref(), Some(&expected));
    assert_eq!(version(&mut client).await, 1);
    let changes = client.list_changed_trades(wire::ListChangedTradesRequest { since: 0 }).await.unwrap().into_inner();
    assert_eq!(changes.head.unwrap().broker_accounts_version, 1);

    // Absent settings stay, and the trades do not change.
    let named = client.save_broker_account(save(None)).await.unwrap().into_inner().account.unwrap();
    assert_eq!(named.settings, saved.settings);
    assert_eq!(version(&mut client).await, 1);
    assert_eq!(accounts(&mut client).await, [named]);
    // The strategies of all accounts of a holder may be grouped together.
    let of_holder = wire::SaveBrokerAccountRequest { holder: "Asha Rao".to_owned(), ..save(None) };
    for _ in 0..2 {
        client.save_broker_account(of_holder.clone()).await.unwrap();
        assert_eq!(version(&mut client).await, 2);
    }
    let mut other_trader = client_as(&pool, Uuid::from_u128(2));
    assert_eq!((version(&mut other_trader).await, accounts(&mut other_trader).await.len()), (0, 0));

    let change = |change: &dyn Fn(&mut wire::BrokerAccountSettings)| {
        let mut settings = settings.clone();
        change(&mut settings);
        save(Some(settings))
    };
    for (request, field) in [
        (change(&|s| s.plan = "Prime Plan".to_owned()), "settings.plan"),
        (change(&|s| s.opened_on = "2026-02-30".to_owned()), "settings.opened_on"),
        (change(&|s| s.opened_on = "1989-12-31".to_owned()), "settings.opened_on"),
        (change(&|s| s.closed_on = "2024-03-31".to_owned()), "settings.closed_on"),
        (change(&|s| s.brokerage[0].kind = 0), "settings.brokerage[0].kind"),
        (change(&|s| s.brokerage[0].from = String::new()), "settings.brokerage[1].from"),
        (change(&|s| s.brokerage[0].flat = "-1".to_owned()), "settings.brokerage[0].flat"),
        (change(&|s| s.brokerage[0].flat = "1.00001".to_owned()), "settings.brokerage[0].flat"),
        (change(&|s| s.brokerage[0].percent = "1".to_owned()), "settings.brokerage[0].flat"),
        (change(&|s| s.brokerage[0].flat = String::new()), "settings.brokerage[0].flat"),
        (change(&|s| s.brokerage[2].percent = "5".to_owned()), "settings.brokerage[2].percent"),
        (change(&|s| s.brokerage[2].max = "1.99".to_owned()), "settings.brokerage[2].max"),
        (change(&|s| s.brokerage = vec![s.brokerage[0].clone(); 41]), "settings.brokerage"),
    ] {
        assert_eq!(field_of(&client.save_broker_account(request).await.unwrap_err()), field);
    }

    let key = wire::DeleteBrokerAccountRequest { broker: wire::Broker::Zerodha.into(), broker_account: 2 };
    client.delete_broker_account(key).await.unwrap();
    assert_eq!((version(&mut client).await, accounts(&mut client).await.len()), (3, 0));
    let again = client.save_broker_account(save(None)).await.unwrap().into_inner().account.unwrap();
    assert_eq!(again.settings.unwrap().brokerage, []);
}

#[sqlx::test(migrations = "../../migrations")]
async fn files_of_two_persons_that_are_checked_together_never_mix(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    // Both are checked before either is imported, so both codes seem to be the first one.
    let own = preview_owned(&mut client, ZERODHA_EQUITY, "AB1234").await.unwrap();
    let other = preview_owned(&mut client, ZERODHA_EQUITY, "CD5678").await.unwrap();
    assert_eq!([own.book, other.book], [Some(ZERODHA_EQUITY); 2]);
    commit(&mut client, commit_request(&own, wire::Resolution::Keep)).await.unwrap().unwrap();
    let changed = *commit(&mut client, commit_request(&other, wire::Resolution::Keep)).await.unwrap().unwrap_err();
    assert_eq!((changed.account_match(), changed.book), (wire::AccountMatch::OtherCodes, Some(SECOND)));
    assert_eq!((changed.added, changed.duplicates), (5, 0));
    let request = wire::GetPreviewRequest { preview_id: other.id, ..Default::default() };
    assert_eq!(client.get_preview(request).await.unwrap().into_inner().preview, Some(changed.clone()));
    commit(&mut client, commit_request(&changed, wire::Resolution::Keep)).await.unwrap().unwrap();
    assert_eq!(books(&mut client).await, [(ZERODHA_EQUITY, 5), (SECOND, 5)]);

    // The same for two files with codes that both propose the third account.
    let [third, fourth] = ["EF9012", "GH3456"];
    let third = preview_owned(&mut client, ZERODHA_EQUITY, third).await.unwrap();
    let fourth_preview = preview_owned(&mut client, ZERODHA_EQUITY, fourth).await.unwrap();
    assert_eq!(third.book, fourth_preview.book);
    commit(&mut client, commit_request(&third, wire::Resolution::Keep)).await.unwrap().unwrap();
    let changed =
        *commit(&mut client, commit_request(&fourth_preview, wire::Resolution::Keep)).await.unwrap().unwrap_err();
    assert_eq!(changed.book, Some(wire::Book { broker_account: 4, ..ZERODHA_EQUITY }));

    // A file whose code another file of the same person brought in meanwhile goes to the account of that code.
    let [a, b] = [
        preview_owned(&mut client, GROWW_EQUITY, "1234567890").await.unwrap(),
        preview_owned(&mut client, GROWW_EQUITY, "1234567890").await.unwrap(),
    ];
    for preview in [a, b] {
        let committed = commit(&mut client, commit_request(&preview, wire::Resolution::Keep)).await.unwrap();
        let book = committed.map_or_else(|changed| changed.book, |committed| committed.book);
        assert_eq!(book, Some(GROWW_EQUITY));
    }
}
