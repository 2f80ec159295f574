//! Saving, attaching and deleting entries.

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn an_entry_is_returned_as_saved_and_belongs_to_its_account(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    let content = Content {
        setup: "Range break".to_owned(),
        tags: texts(&["gap-up", "expiry"]),
        mistakes: texts(&["FOMO"]),
        emotion: "Calm".to_owned(),
        rating: 4,
        note: "**Held** to the close.\n- one\n".to_owned(),
        planned_entry: "1500.5".to_owned(),
        planned_stop: "1480".to_owned(),
        planned_target: "1550".to_owned(),
        planned_risk: "205".to_owned(),
        rules_kept: vec![1, 3],
        rules_broken: vec![2],
        reviewed: true,
        ..Default::default()
    };
    let saved = save(&mut asha, position(1), content.clone(), 0).await;
    assert_eq!((saved.version, saved.subject.clone(), saved.content.clone()), (1, Some(position(1)), Some(content)));

    let keys = vec![position(1).key, position(2).key];
    let request = LookUpEntriesRequest { kind: EntryKind::Position.into(), keys, without_text: false };
    assert_eq!(asha.look_up_entries(request.clone()).await.unwrap().into_inner().entries, std::slice::from_ref(&saved));
    assert!(ravi.look_up_entries(request).await.unwrap().into_inner().entries.is_empty());
    assert!(list(&mut ravi).await.is_empty());
    let delete = DeleteEntryRequest { id: saved.id, version: 1 };
    assert_eq!(reason_of(&ravi.delete_entry(delete).await.unwrap_err()), "ENTRY_NOT_FOUND");
    let attach = AttachEntryRequest { id: saved.id, version: 1, subject: Some(position(2)) };
    assert_eq!(reason_of(&ravi.attach_entry(attach).await.unwrap_err()), "ENTRY_NOT_FOUND");
    // The same key in another account is another entry.
    save(&mut ravi, position(1), noted("Mine."), 0).await;
    assert_eq!(list(&mut asha).await, [saved]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_edit_of_an_older_version_returns_the_stored_entry_and_changes_nothing(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    save(&mut asha, position(1), noted("One."), 0).await;
    let second = save(&mut asha, position(1), noted("Two."), 1).await;
    for version in [0, 1] {
        let conflict = try_save(&mut asha, position(1), noted("From another tab."), version).await.unwrap();
        assert!(conflict.conflict);
        assert_eq!(conflict.entry, Some(second.clone()));
    }
    assert_eq!(list(&mut asha).await, std::slice::from_ref(&second));
    // The response to the last edit was lost, so the client repeats it.
    let repeated = try_save(&mut asha, position(1), noted("Two."), 1).await.unwrap();
    assert_eq!((repeated.conflict, repeated.entry), (false, Some(second)));
    // A version of an entry that does not exist.
    let missing = try_save(&mut asha, position(2), noted(""), 1).await.unwrap_err();
    assert_eq!(reason_of(&missing), "ENTRY_NOT_FOUND");
}

#[sqlx::test(migrations = "../../migrations")]
async fn of_concurrent_edits_one_is_saved_and_the_others_are_conflicts(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    for version in [0, 1] {
        let edits = (0..8).map(|n| {
            let mut client = asha.clone();
            tokio::spawn(async move {
                try_save(&mut client, day("2026-11-20"), noted(&format!("Tab {n}, {version}.")), version).await.unwrap()
            })
        });
        let mut saved = 0;
        for edit in edits.collect::<Vec<_>>() {
            saved += usize::from(!edit.await.unwrap().conflict);
        }
        assert_eq!(saved, 1, "version {version}");
    }
    let entries = list(&mut asha).await;
    assert_eq!((entries.len(), entries[0].version), (1, 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn labels_lose_number_signs_spaces_and_repetitions(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let content = Content { tags: texts(&[" #gap-up", "Gap-Up", "two  words"]), ..Default::default() };
    let saved = save(&mut asha, position(1), content, 0).await;
    assert_eq!(super::content(&saved).tags, ["gap-up", "two words"]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_invalid_entries(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let long = |chars| "x".repeat(chars);
    let subjects: [(&str, &str, Subject); 12] = [
        ("subject.kind", "ENTRY_KIND_MISSING", Subject { kind: 0, ..position(1) }),
        ("subject.key", "KEY_INVALID", Subject { key: String::new(), ..position(1) }),
        ("subject.key", "KEY_INVALID", Subject { key: long(201), ..position(1) }),
        ("subject.key", "KEY_INVALID", Subject { key: "a\0".to_owned(), ..position(1) }),
        ("subject.key", "KEY_INVALID", Subject { key: "2026-11-21".to_owned(), ..day("2026-11-20") }),
        ("subject.key", "KEY_INVALID", Subject { kind: EntryKind::Week.into(), ..day("2026-11-17") }),
        ("subject.key", "KEY_INVALID", Subject { kind: EntryKind::Month.into(), ..day("2026-11-02") }),
        ("subject.day", "DATE_INVALID", Subject { day: "2026-02-30".to_owned(), ..position(1) }),
        ("subject.day", "DATE_INVALID", Subject { day: "+2026-02-20".to_owned(), ..position(1) }),
        ("subject.day", "DATE_INVALID", Subject { day: "1989-12-31".to_owned(), ..position(1) }),
        ("subject.symbol", "SYMBOL_INVALID", Subject { symbol: long(101), ..position(1) }),
        ("subject.quantity", "QUANTITY_OUT_OF_RANGE", Subject { quantity: "-1".to_owned(), ..position(1) }),
    ];
    for (field, reason, subject) in subjects {
        let status = try_save(&mut asha, subject, Content::default(), 0).await.unwrap_err();
        assert_eq!(violation_of(&status), (field.to_owned(), reason.to_owned()));
    }
    let contents: [(&str, &str, Content); 12] = [
        ("content.note", "TEXT_INVALID", noted(&long(20_001))),
        ("content.note", "TEXT_INVALID", noted("a\0b")),
        ("content.plan", "TEXT_INVALID", Content { plan: "ह".repeat(20_001), ..Default::default() }),
        ("content.setup", "LABEL_INVALID", Content { setup: long(41), ..Default::default() }),
        ("content.tags", "TOO_MANY", Content { tags: vec!["a".to_owned(); 21], ..Default::default() }),
        ("content.tags[1]", "LABEL_INVALID", Content { tags: texts(&["a", " # "]), ..Default::default() }),
        ("content.tags[0]", "LABEL_INVALID", Content { tags: texts(&["a,b"]), ..Default::default() }),
        ("content.rating", "RATING_INVALID", Content { rating: 6, ..Default::default() }),
        ("content.rating", "RATING_INVALID", Content { rating: i32::MIN, ..Default::default() }),
        ("content.planned_stop", "PRICE_OUT_OF_RANGE", Content { planned_stop: "0".to_owned(), ..Default::default() }),
        (
            "content.planned_risk",
            "PRICE_TOO_PRECISE",
            Content { planned_risk: "1.00001".to_owned(), ..Default::default() },
        ),
        ("content.rules_kept", "RULES_INVALID", Content { rules_kept: vec![0], ..Default::default() }),
    ];
    for (field, reason, content) in contents {
        let status = try_save(&mut asha, position(1), content, 0).await.unwrap_err();
        assert_eq!(violation_of(&status), (field.to_owned(), reason.to_owned()));
    }
    let status = try_save(&mut asha, position(1), Content::default(), -1).await.unwrap_err();
    assert_eq!(violation_of(&status).0, "version");
    assert!(list(&mut asha).await.is_empty());
    save(&mut asha, position(1), noted(&"ह".repeat(20_000)), 0).await;
    for (kind, date) in
        [(EntryKind::Week, "2026-06-01"), (EntryKind::Month, "2026-06-01"), (EntryKind::Day, "2026-06-01")]
    {
        save(&mut asha, Subject { kind: kind.into(), ..day(date) }, noted("Review."), 0).await;
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_entry_can_be_attached_to_another_position(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let orphan = save(&mut asha, position(1), noted("Held."), 0).await;
    let request = AttachEntryRequest { id: orphan.id, version: 1, subject: Some(position(2)) };
    let attached = asha.attach_entry(request.clone()).await.unwrap().into_inner().entry.unwrap();
    assert_eq!((attached.id, attached.version, attached.subject), (orphan.id, 2, Some(position(2))));
    assert_eq!(reason_of(&asha.attach_entry(request).await.unwrap_err()), "ENTRY_CHANGED");

    // A position with an entry gets both notes.
    let target = save(&mut asha, position(3), noted("Sold early."), 0).await;
    let request = AttachEntryRequest { id: orphan.id, version: 2, subject: Some(position(3)) };
    let merged = asha.attach_entry(request).await.unwrap().into_inner().entry.unwrap();
    assert_eq!((merged.id, content(&merged).note.as_str()), (target.id, "Sold early.\n\nHeld."));
    assert_eq!(list(&mut asha).await, std::slice::from_ref(&merged));

    let long = save(&mut asha, position(4), noted(&"x".repeat(20_000)), 0).await;
    let request = AttachEntryRequest { id: long.id, version: 1, subject: Some(position(3)) };
    assert_eq!(reason_of(&asha.attach_entry(request).await.unwrap_err()), "MERGED_ENTRY_TOO_LARGE");
    assert_eq!(list(&mut asha).await, [merged, long]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn deletes_an_entry_of_the_given_version_only(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let entry = save(&mut asha, position(1), noted("Held."), 0).await;
    let delete = |version| DeleteEntryRequest { id: entry.id, version };
    assert_eq!(reason_of(&asha.delete_entry(delete(2)).await.unwrap_err()), "ENTRY_CHANGED");
    asha.delete_entry(delete(1)).await.unwrap();
    assert_eq!(reason_of(&asha.delete_entry(delete(1)).await.unwrap_err()), "ENTRY_NOT_FOUND");
    assert!(list(&mut asha).await.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_full_journal_takes_edits_but_no_new_entries(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    save(&mut asha, position(1), noted("One."), 0).await;
    sqlx::query("update journal.account set entry_count = 200000").execute(&pool).await.unwrap();
    let full = try_save(&mut asha, position(2), noted(""), 0).await.unwrap_err();
    assert_eq!((full.code(), reason_of(&full)), (Code::FailedPrecondition, "ENTRIES_FULL".to_owned()));
    let tag = Edit { add_tags: texts(&["a"]), ..Default::default() };
    let full = edit(&mut asha, vec![position(1), position(2)], tag.clone()).await.unwrap_err();
    assert_eq!(reason_of(&full), "ENTRIES_FULL");
    save(&mut asha, position(1), noted("Two."), 1).await;
    edit(&mut asha, vec![position(1)], tag).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn lists_all_entries_in_pages(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    for n in 0..5 {
        save(&mut asha, position(n), noted("Note."), 0).await;
    }
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListEntriesRequest { page_size: 2, page_token, without_text: true };
        let page = asha.list_entries(request).await.unwrap().into_inner();
        all.extend(page.entries);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(all.len(), 5);
    assert!(all.iter().all(|entry| content(entry).note.is_empty()));
    for (page_size, page_token) in [(21, ""), (-1, ""), (1, "x")] {
        let request = ListEntriesRequest { page_size, page_token: page_token.to_owned(), without_text: false };
        assert_eq!(asha.list_entries(request).await.unwrap_err().code(), Code::InvalidArgument);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_longest_texts_fit_into_every_response(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let longest = || Content { note: "🙂".repeat(20_000), plan: "🙂".repeat(20_000), ..Default::default() };
    for n in 0..100 {
        save(&mut asha, position(n), longest(), 0).await;
    }
    let keys: Vec<String> = (0..100).map(|n| position(n).key).collect();
    let request = |keys: &[String], without_text| LookUpEntriesRequest {
        kind: EntryKind::Position.into(),
        keys: keys.to_vec(),
        without_text,
    };
    let full = asha.look_up_entries(request(&keys[..20], false)).await.unwrap().into_inner().entries;
    assert!(full.iter().all(|entry| *content(entry) == longest()));
    assert_eq!(asha.look_up_entries(request(&keys, true)).await.unwrap().into_inner().entries.len(), 100);
    assert_eq!(violation_of(&asha.look_up_entries(request(&keys, false)).await.unwrap_err()).0, "keys");
    let search = SearchEntriesRequest { filter: None, page_size: 100, page_token: String::new() };
    let page = asha.search_entries(search).await.unwrap().into_inner().entries;
    assert_eq!((page.len(), content(&page[0]).note.chars().count()), (100, 500));
    assert_eq!(list(&mut asha).await.len(), 20);
    let tagged = edit(&mut asha, (0..100).map(position).collect(), Edit { rating: Some(1), ..Default::default() });
    let change_id = tagged.await.unwrap().change_id;
    asha.undo_change(UndoChangeRequest { id: change_id }).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn deleting_an_account_leaves_the_journals_of_others(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    for client in [&mut asha, &mut ravi] {
        edit(client, vec![position(1)], Edit { rating: Some(3), ..Default::default() }).await.unwrap();
        let playbook = Playbook { name: "Range break".to_owned(), ..Default::default() };
        client.save_playbook(SavePlaybookRequest { playbook: Some(playbook) }).await.unwrap();
        let template = Template { name: "Plan".to_owned(), ..Default::default() };
        client.save_template(SaveTemplateRequest { template: Some(template) }).await.unwrap();
    }
    for _ in 0..2 {
        crate::delete_account(&pool, &settings(&tempfile::tempdir().unwrap()), ASHA).await.unwrap();
    }
    for table in ["account", "account_entry", "change", "playbook", "template"] {
        let query = format!("select array_agg(account_id) from journal.{table}");
        let left: Vec<Uuid> = sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(&pool).await.unwrap();
        assert_eq!(left, [RAVI], "{table}");
    }
}
