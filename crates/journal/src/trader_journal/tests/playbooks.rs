//! Playbooks and templates.

use super::*;

fn playbook(name: &str, rules: &[(i64, &str)]) -> Playbook {
    let rules = rules.iter().map(|(id, text)| Rule { id: *id, text: (*text).to_owned() }).collect();
    Playbook { name: name.to_owned(), rules, ..Default::default() }
}

async fn save_playbook(client: &mut Client, playbook: Playbook) -> Result<Playbook, Status> {
    let request = SavePlaybookRequest { playbook: Some(playbook) };
    Ok(client.save_playbook(request).await?.into_inner().playbook.unwrap())
}

async fn list_playbooks(client: &mut Client) -> Vec<Playbook> {
    client.list_playbooks(ListPlaybooksRequest {}).await.unwrap().into_inner().playbooks
}

async fn save_template(client: &mut Client, template: Template) -> Result<Template, Status> {
    let request = SaveTemplateRequest { template: Some(template) };
    Ok(client.save_template(request).await?.into_inner().template.unwrap())
}

#[sqlx::test(migrations = "../../migrations")]
async fn rules_keep_their_ids_and_ids_are_not_used_again(pool: PgPool) {
    let mut asha = client_of(&pool, ASHA);
    let first = save_playbook(&mut asha, playbook("Range break", &[(0, "Stop at once"), (0, "No add")])).await.unwrap();
    let ids: Vec<i64> = first.rules.iter().map(|rule| rule.id).collect();
    let mut edited = first.clone();
    edited.rules = vec![
        Rule { id: ids[1], text: "No add below the entry".to_owned() },
        Rule { id: 0, text: "Half at 1R".to_owned() },
    ];
    let edited = save_playbook(&mut asha, edited).await.unwrap();
    assert_eq!((edited.version, edited.created_at), (2, first.created_at));
    assert_eq!(edited.rules[0].id, ids[1]);
    assert!(!ids.contains(&edited.rules[1].id));
    assert_eq!(list_playbooks(&mut asha).await, std::slice::from_ref(&edited));

    assert_eq!(reason_of(&save_playbook(&mut asha, first.clone()).await.unwrap_err()), "INVALID", "a removed rule");
    let stale = Playbook { rules: Vec::new(), ..first };
    assert_eq!(reason_of(&save_playbook(&mut asha, stale).await.unwrap_err()), "PLAYBOOK_CHANGED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_new_name_is_given_to_the_entries_with_the_setup(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    let setup = |name: &str| Content { setup: name.to_owned(), ..Default::default() };
    for client in [&mut asha, &mut ravi] {
        save(client, position(1), setup("range Break"), 0).await;
        save(client, position(2), setup("Gap and go"), 0).await;
    }
    let saved = save_playbook(&mut asha, playbook("Range break", &[])).await.unwrap();
    save_playbook(&mut asha, Playbook { name: "Opening range".to_owned(), ..saved.clone() }).await.unwrap();
    let filter = |setup: &str| Filter { setup: setup.to_owned(), ..Default::default() };
    let renamed = search(&mut asha, filter("opening range")).await;
    assert_eq!((keys(&renamed.entries), renamed.entries[0].version), (vec![position(1).key.as_str()], 2));
    assert_eq!(search(&mut asha, filter("range break")).await.total, 0);
    assert_eq!(search(&mut asha, Filter { text: "opening".to_owned(), ..Default::default() }).await.total, 1);
    assert_eq!(search(&mut ravi, filter("range break")).await.total, 1);

    asha.delete_playbook(DeletePlaybookRequest { id: saved.id }).await.unwrap();
    assert_eq!(search(&mut asha, filter("opening range")).await.total, 1, "entries keep the setup");
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_invalid_playbooks(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    let saved = save_playbook(&mut asha, playbook("Range break", &[])).await.unwrap();
    let taken = save_playbook(&mut asha, playbook("RANGE  break", &[])).await.unwrap_err();
    assert_eq!((taken.code(), reason_of(&taken)), (Code::AlreadyExists, "PLAYBOOK_NAME_TAKEN".to_owned()));
    assert_eq!(reason_of(&save_playbook(&mut ravi, saved.clone()).await.unwrap_err()), "PLAYBOOK_NOT_FOUND");
    let delete = DeletePlaybookRequest { id: saved.id };
    assert_eq!(reason_of(&ravi.delete_playbook(delete).await.unwrap_err()), "PLAYBOOK_NOT_FOUND");
    let long = "x".repeat(201);
    let cases = [
        ("playbook.name", playbook(" ", &[])),
        ("playbook.rules", playbook("a", &[(0, "r"); 31])),
        ("playbook.rules[0].text", playbook("a", &[(0, &long)])),
        ("playbook.rules[0].id", playbook("a", &[(1, "of nobody")])),
        ("playbook.description", Playbook { description: "x".repeat(5_001), ..playbook("a", &[]) }),
    ];
    for (field, playbook) in cases {
        assert_eq!(violation_of(&save_playbook(&mut asha, playbook).await.unwrap_err()).0, field);
    }
    for n in 1..100 {
        save_playbook(&mut asha, playbook(&format!("Setup {n}"), &[])).await.unwrap();
    }
    assert_eq!(reason_of(&save_playbook(&mut asha, playbook("one more", &[])).await.unwrap_err()), "PLAYBOOKS_FULL");
}

#[sqlx::test(migrations = "../../migrations")]
async fn templates_are_saved_renamed_and_deleted(pool: PgPool) {
    let (mut asha, mut ravi) = (client_of(&pool, ASHA), client_of(&pool, RAVI));
    let new = Template { name: "Expiry day".to_owned(), plan: "## Levels\n".to_owned(), ..Default::default() };
    let saved = save_template(&mut asha, new.clone()).await.unwrap();
    assert_eq!(reason_of(&save_template(&mut asha, new).await.unwrap_err()), "TEMPLATE_NAME_TAKEN");
    let renamed = save_template(&mut asha, Template { name: "Expiry".to_owned(), ..saved.clone() }).await.unwrap();
    assert_eq!(renamed.version, 2);
    assert_eq!(reason_of(&save_template(&mut asha, saved.clone()).await.unwrap_err()), "TEMPLATE_CHANGED");
    assert_eq!(reason_of(&save_template(&mut ravi, saved.clone()).await.unwrap_err()), "TEMPLATE_NOT_FOUND");
    let list = asha.list_templates(ListTemplatesRequest {}).await.unwrap().into_inner().templates;
    assert_eq!(list, [renamed]);
    let delete = DeleteTemplateRequest { id: saved.id };
    assert_eq!(reason_of(&ravi.delete_template(delete).await.unwrap_err()), "TEMPLATE_NOT_FOUND");
    asha.delete_template(delete).await.unwrap();
    for n in 0..50 {
        save_template(&mut asha, Template { name: format!("T {n}"), ..Default::default() }).await.unwrap();
    }
    let full = save_template(&mut asha, Template { name: "more".to_owned(), ..Default::default() }).await.unwrap_err();
    assert_eq!(reason_of(&full), "TEMPLATES_FULL");
}
