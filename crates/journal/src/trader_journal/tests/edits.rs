//! Bulk edits and their undo.

use super::*;

fn tag(tags: &[&str]) -> Edit {
    Edit { add_tags: texts(tags), ..Default::default() }
}

async fn undo(client: &mut Client, id: i64) -> Result<Vec<Entry>, Status> {
    Ok(client.undo_change(UndoChangeRequest { id }).await?.into_inner().entries)
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_hundred_positions_are_tagged_and_untagged_as_one_change(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let noted = Content { tags: texts(&["expiry"]), ..noted("Held.") };
    save(&mut asha, position(7), noted, 0).await;
    let change = edit(&mut asha, (0..100).map(position).collect(), tag(&["gap-up", "Expiry"])).await.unwrap();
    assert_eq!(change.entries.len(), 100);
    let page = search(&mut asha, Filter { tags: texts(&["GAP-UP"]), ..Default::default() }).await;
    assert_eq!(page.total, 100);
    let listed = asha.list_changes(ListChangesRequest {}).await.unwrap().into_inner().changes;
    assert_eq!((listed.len(), listed[0].id, listed[0].entries), (1, change.change_id, 100));

    undo(&mut asha, change.change_id).await.unwrap();
    let page = search(&mut asha, Filter { tags: texts(&["gap-up"]), ..Default::default() }).await;
    assert_eq!(page.total, 0);
    let entries = list(&mut asha).await;
    let kept = entries.iter().find(|entry| entry.subject == Some(position(7))).unwrap();
    assert_eq!((content(kept).tags.as_slice(), content(kept).note.as_str()), (&["expiry".to_owned()][..], "Held."));
    assert_eq!(kept.version, 3);
    assert!(asha.list_changes(ListChangesRequest {}).await.unwrap().into_inner().changes.is_empty());
    assert_eq!(reason_of(&undo(&mut asha, change.change_id).await.unwrap_err()), "CHANGE_UNDONE");
}

#[sqlx::test(migrations = "../../migrations")]
async fn undo_keeps_later_edits_and_deletions(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let edit_all = Edit { setup: Some("Range break".to_owned()), rating: Some(2), reviewed: Some(true), ..tag(&["a"]) };
    let change = edit(&mut asha, vec![position(1), position(2)], edit_all).await.unwrap();
    let later = Content {
        setup: "Gap and go".to_owned(),
        tags: texts(&["a", "b"]),
        rating: 2,
        reviewed: true,
        ..noted("Later.")
    };
    save(&mut asha, position(1), later, 1).await;
    asha.delete_entry(DeleteEntryRequest { id: change.entries[1].id, version: 1 }).await.unwrap();
    undo(&mut asha, change.change_id).await.unwrap();
    let entries = list(&mut asha).await;
    let expected = Content { setup: "Gap and go".to_owned(), tags: texts(&["b"]), ..noted("Later.") };
    assert_eq!((entries.len(), content(&entries[0])), (1, &expected));
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_invalid_edits_as_a_whole(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    let cases: [(&str, Vec<Subject>, Edit); 6] = [
        ("subjects", Vec::new(), tag(&["a"])),
        ("subjects", (0..501).map(position).collect(), tag(&["a"])),
        ("subjects", vec![position(1), position(1)], tag(&["a"])),
        ("subjects[1].day", vec![position(1), Subject { day: "x".to_owned(), ..position(2) }], tag(&["a"])),
        ("edit", vec![position(1)], Edit::default()),
        ("edit.rating", vec![position(1)], Edit { rating: Some(6), ..Default::default() }),
    ];
    for (field, subjects, change) in cases {
        assert_eq!(violation_of(&edit(&mut asha, subjects, change).await.unwrap_err()).0, field);
    }
    let many: Vec<String> = (0..20).map(|n| format!("tag {n}")).collect();
    save(&mut asha, position(2), Content { tags: many, ..Default::default() }, 0).await;
    let status = edit(&mut asha, vec![position(1), position(2)], tag(&["one more"])).await.unwrap_err();
    assert_eq!(violation_of(&status), ("subjects[1]".to_owned(), "TOO_MANY".to_owned()));
    assert_eq!(list(&mut asha).await.len(), 1, "nothing was created");

    let change = edit(&mut asha, vec![position(1)], tag(&["a"])).await.unwrap();
    assert_eq!(reason_of(&undo(&mut ravi, change.change_id).await.unwrap_err()), "CHANGE_NOT_FOUND");
}

#[sqlx::test(migrations = "../../migrations")]
async fn concurrent_edits_of_the_same_positions_all_take_effect(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let edits: Vec<_> = (0..6)
        .map(|n| {
            let mut client = asha.clone();
            tokio::spawn(async move {
                edit(&mut client, vec![position(1), position(2)], tag(&[&format!("tag {n}")])).await.unwrap()
            })
        })
        .collect();
    for edit in edits {
        edit.await.unwrap();
    }
    let entries = list(&mut asha).await;
    assert_eq!(
        entries.iter().map(|entry| (content(entry).tags.len(), entry.version)).collect::<Vec<_>>(),
        [(6, 6), (6, 6)]
    );
}

#[sqlx::test(migrations = "../../migrations")]
async fn changes_expire_after_30_days_or_100_newer_ones(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    for n in 0..102 {
        edit(&mut asha, vec![position(1)], Edit { rating: Some(n % 5 + 1), ..Default::default() }).await.unwrap();
    }
    let count = || async {
        sqlx::query_scalar::<_, i64>("select count(*) from journal.change").fetch_one(&pool).await.unwrap()
    };
    assert_eq!(count().await, 100);
    sqlx::query("update journal.change set made_at = now() - interval '31 days' where change_id % 2 = 0")
        .execute(&pool)
        .await
        .unwrap();
    let old =
        sqlx::query_scalar::<_, i64>("select count(*) from journal.change where made_at < now() - interval '30 days'");
    let old = old.fetch_one(&pool).await.unwrap();
    crate::delete_expired_rows(&pool, &settings(&tempfile::tempdir().unwrap())).await.unwrap();
    assert_eq!(count().await, 100 - old);
}

async fn add(client: &mut Client, additions: &[(Subject, &str)]) -> AddToEntriesResponse {
    let addition = |(subject, note): &(Subject, &str)| Addition {
        subject: Some(subject.clone()),
        texts: texts(&[note]),
        tags: texts(&["news"]),
        setup: "Gap and go".to_owned(),
        emotion: "Calm".to_owned(),
    };
    let request = AddToEntriesRequest { additions: additions.iter().map(addition).collect() };
    client.add_to_entries(request).await.unwrap().into_inner()
}

#[sqlx::test(migrations = "../../migrations")]
async fn notes_are_added_once_and_undone_as_one_change(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    let before = Content { setup: "Range break".to_owned(), tags: texts(&["News"]), ..noted("Held.") };
    save(&mut asha, position(1), before.clone(), 0).await;
    save(&mut ravi, position(1), noted("Mine."), 0).await;
    let additions = [(position(1), "Bought the dip."), (position(2), "Sold early.")];
    let added = add(&mut asha, &additions).await;
    assert_eq!((added.changed, added.full.len()), (2, 0));
    let entries = list(&mut asha).await;
    let expected =
        Content { note: "Held.\n\nBought the dip.".to_owned(), emotion: "Calm".to_owned(), ..before.clone() };
    assert_eq!((content(&entries[0]), entries[0].version), (&expected, 2));
    assert_eq!(
        (content(&entries[1]).note.as_str(), content(&entries[1]).setup.as_str()),
        ("Sold early.", "Gap and go")
    );
    let page = search(&mut asha, Filter { text: "dip".to_owned(), ..Default::default() }).await;
    assert_eq!(page.total, 1);

    let repeated = add(&mut asha, &additions).await;
    assert_eq!((repeated.changed, repeated.change_id), (0, 0));
    assert_eq!(list(&mut asha).await, entries);
    let long = "x".repeat(19_995);
    let full = add(&mut asha, &[(position(1), &long), (position(3), &long)]).await;
    assert_eq!((full.changed, full.full), (1, vec![position(1).key]));
    let full = AddToEntriesRequest {
        additions: vec![
            Addition { subject: Some(position(4)), texts: vec![String::new()], ..Addition::default() },
            Addition { subject: Some(position(1)), texts: vec![long.clone()], ..Addition::default() },
        ],
    };
    let full = asha.add_to_entries(full).await.unwrap().into_inner();
    assert_eq!((full.changed, full.change_id, full.full), (0, 0, vec![position(1).key]));

    undo(&mut asha, added.change_id).await.unwrap();
    let entries = list(&mut asha).await;
    assert_eq!((content(&entries[0]), content(&entries[1])), (&before, &Content::default()));
    assert_eq!(content(&list(&mut ravi).await[0]), &noted("Mine."));
    let count: i64 = sqlx::query_scalar("select entry_count from journal.account where account_id = $1")
        .bind(ASHA)
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(count, 3);
}

#[sqlx::test(migrations = "../../migrations")]
async fn keys_of_a_kind_are_listed_in_pages(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    for subject in [position(2), day("2026-11-20"), position(1)] {
        save(&mut asha, subject, noted("Held."), 0).await;
    }
    save(&mut ravi, position(3), noted("Held."), 0).await;
    let mut listed = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListKeysRequest { kind: EntryKind::Position.into(), page_size: 1, page_token };
        let page = asha.list_keys(request).await.unwrap().into_inner();
        assert!(page.keys.len() <= 1);
        listed.extend(page.keys);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    listed.sort();
    assert_eq!(listed, [position(1).key, position(2).key]);
    let too_large = ListKeysRequest { kind: EntryKind::Position.into(), page_size: 10_001, ..Default::default() };
    assert_eq!(violation_of(&asha.list_keys(too_large).await.unwrap_err()).0, "page_size");
    let without_kind = asha.list_keys(ListKeysRequest::default()).await.unwrap_err();
    assert_eq!(violation_of(&without_kind).0, "kind");
}
