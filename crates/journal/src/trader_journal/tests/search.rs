//! Search by words and labels, and counts by label.

use super::*;

/// Saves positions with different labels and a day.
async fn save_examples(client: &mut Client) {
    let entry = |setup: &str, tags: &[&str], mistakes: &[&str], rating, note: &str| Content {
        setup: setup.to_owned(),
        tags: texts(tags),
        mistakes: texts(mistakes),
        rating,
        ..noted(note)
    };
    save(client, position(1), entry("Range break", &["gap-up"], &["FOMO"], 2, "Chased the open."), 0).await;
    save(client, position(2), entry("Range break", &["gap-up"], &[], 4, "Waited for the close."), 0).await;
    save(client, position(3), entry("VWAP reject", &["Gap-Up", "expiry"], &["fomo", "late"], 0, "It's a 50% plan_"), 0)
        .await;
    let reviewed = Content {
        plan: "No BANKNIFTY today.".to_owned(),
        emotion: "Calm".to_owned(),
        reviewed: true,
        ..noted("Kept.")
    };
    save(client, day("2026-01-05"), reviewed, 0).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn finds_entries_of_the_own_account_by_text_and_labels(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    save_examples(&mut asha).await;
    save_examples(&mut ravi).await;
    let filter = |text: &str| Filter { text: text.to_owned(), ..Default::default() };
    let tags = |tags: &[&str]| Filter { tags: texts(tags), ..Default::default() };
    let cases: [(Filter, &[usize]); 17] = [
        (filter(""), &[5, 3, 2, 1]),
        (filter("gap-up AND fomo"), &[3, 1]),
        (filter("chas"), &[1]),
        (filter("chased close"), &[]),
        (filter("CLOSE"), &[2]),
        (filter("bank"), &[5]),
        (filter("infy"), &[3, 2, 1]),
        (filter("it's & | ! :* ' plan"), &[3]),
        (tags(&["gap-up", "EXPIRY"]), &[3]),
        (tags(&["gap"]), &[]),
        (Filter { mistakes: texts(&["fomo"]), ..tags(&["gap-up"]) }, &[3, 1]),
        (Filter { setup: "range BREAK".to_owned(), ..Default::default() }, &[2, 1]),
        (Filter { emotion: "calm".to_owned(), ..Default::default() }, &[5]),
        (Filter { rating: 4, ..Default::default() }, &[2]),
        (Filter { kind: EntryKind::Day.into(), ..Default::default() }, &[5]),
        (Filter { reviewed: Some(false), ..tags(&["gap-up"]) }, &[3, 2, 1]),
        (Filter { from: "2026-01-03".to_owned(), to: "2026-01-04".to_owned(), ..Default::default() }, &[3, 2]),
    ];
    for (filter, expected) in cases {
        let matches = search(&mut asha, filter.clone()).await;
        let expected: Vec<String> =
            expected.iter().map(|n| if *n == 5 { "2026-01-05".to_owned() } else { position(*n).key }).collect();
        assert_eq!(
            (keys(&matches.entries), matches.total),
            (expected.iter().map(String::as_str).collect(), expected.len() as i64),
            "{filter:?}"
        );
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_continue_after_the_last_entry(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    for n in 0..7 {
        // Several entries have the same day.
        let subject = Subject { day: "2026-03-02".to_owned(), ..position(n) };
        save(&mut asha, subject, noted("Same words."), 0).await;
    }
    for text in ["", "words"] {
        let (mut matches, mut page_token) = (Vec::new(), String::new());
        loop {
            let filter = Some(Filter { text: text.to_owned(), ..Default::default() });
            let request = SearchEntriesRequest { filter, page_size: 3, page_token: page_token.clone() };
            let page = asha.search_entries(request).await.unwrap().into_inner();
            assert_eq!(page.total, if page_token.is_empty() { 7 } else { 0 });
            matches.extend(page.entries.iter().map(|entry| entry.id));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        assert_eq!(matches, [7, 6, 5, 4, 3, 2, 1]);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn counts_entries_by_label_in_any_case(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    save_examples(&mut asha).await;
    let group = |by: Label, filter: Filter| {
        let mut client = asha.clone();
        async move {
            let request = GroupEntriesRequest { filter: Some(filter), by: by.into(), with_positions: false };
            let groups = client.group_entries(request).await.unwrap().into_inner().groups;
            groups.into_iter().map(|group| (group.name.to_lowercase(), group.entries)).collect::<Vec<_>>()
        }
    };
    let pairs =
        |pairs: &[(&str, i64)]| pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Vec<_>>();
    let all = Filter::default;
    assert_eq!(group(Label::Tag, all()).await, pairs(&[("gap-up", 3), ("expiry", 1)]));
    assert_eq!(group(Label::Mistake, all()).await, pairs(&[("fomo", 2), ("late", 1)]));
    assert_eq!(group(Label::Setup, all()).await, pairs(&[("range break", 2), ("vwap reject", 1)]));
    assert_eq!(group(Label::Emotion, all()).await, pairs(&[("calm", 1)]));
    assert_eq!(group(Label::Rating, all()).await, pairs(&[("2", 1), ("4", 1)]));
    assert_eq!(group(Label::None, all()).await.len(), 1);
    let fomo = Filter { mistakes: texts(&["fomo"]), ..Default::default() };
    assert_eq!(group(Label::Setup, fomo).await, pairs(&[("range break", 1), ("vwap reject", 1)]));
}

#[sqlx::test(migrations = "../../migrations")]
async fn groups_have_positions_and_rules(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let checked = |kept: &[i64], broken: &[i64]| Content {
        setup: "Range break".to_owned(),
        rules_kept: kept.to_vec(),
        rules_broken: broken.to_vec(),
        tags: texts(&["a", "b"]),
        ..Default::default()
    };
    save(&mut asha, position(1), checked(&[1, 2], &[]), 0).await;
    save(&mut asha, position(2), checked(&[1], &[2]), 0).await;
    save(&mut asha, day("2026-01-02"), noted("A quiet day."), 0).await;
    let mut groups = async |by: Label| {
        let request = GroupEntriesRequest { filter: None, by: by.into(), with_positions: true };
        let response = asha.group_entries(request).await.unwrap().into_inner();
        assert!(!response.too_many_positions);
        let keys = response.position_keys;
        let groups = response.groups.into_iter().map(|group| {
            let mut positions: Vec<String> =
                group.positions.iter().map(|index| keys[usize::try_from(*index).unwrap()].clone()).collect();
            positions.sort();
            (group.name, group.entries, [group.rules_kept, group.rules_broken], positions)
        });
        (groups.collect::<Vec<_>>(), keys.len())
    };
    let both = || vec![position(1).key, position(2).key];
    let tag = |name: &str| (name.to_owned(), 2, [3, 1], both());
    assert_eq!(groups(Label::Tag).await, (vec![tag("a"), tag("b")], 2));
    assert_eq!(groups(Label::Setup).await, (vec![("Range break".to_owned(), 2, [3, 1], both())], 2));
    let broken = ("Range break".to_owned(), 1, [1, 1], vec![position(2).key]);
    assert_eq!(groups(Label::SetupWithBrokenRule).await, (vec![broken], 1));
    assert_eq!(groups(Label::None).await, (vec![(String::new(), 3, [3, 1], both())], 2));
    let days = groups(Label::Day).await.0;
    let days: Vec<_> = days.iter().map(|(name, entries, ..)| (name.as_str(), *entries)).collect();
    assert_eq!(days, [("2026-01-02", 2), ("2026-01-03", 1)]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_invalid_filters(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let cases = [
        ("filter.text", Filter { text: "x".repeat(201), ..Default::default() }),
        ("filter.tags", Filter { tags: vec!["a".to_owned(); 11], ..Default::default() }),
        ("filter.setup", Filter { setup: "x".repeat(41), ..Default::default() }),
        ("filter.rating", Filter { rating: 6, ..Default::default() }),
        ("filter.from", Filter { from: "2026-13-01".to_owned(), ..Default::default() }),
    ];
    for (field, filter) in cases {
        let request = SearchEntriesRequest { filter: Some(filter), ..Default::default() };
        assert_eq!(violation_of(&asha.search_entries(request).await.unwrap_err()).0, field);
    }
    for token in ["x", "2026-01-01", "2026-01-01_x", "_1"] {
        let request = SearchEntriesRequest { page_token: token.to_owned(), ..Default::default() };
        assert_eq!(violation_of(&asha.search_entries(request).await.unwrap_err()).0, "page_token");
    }
}
