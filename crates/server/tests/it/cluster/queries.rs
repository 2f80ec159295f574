//! Each query on tables that are spread names the key of its rows, so that it goes to one node; those that do not say
//! why. What a cluster refuses outright is in none.

use std::collections::BTreeSet;

use serde_json::Value;
use server::distribute::{Place, TABLES};

const SWEEP: &str = "what has run out is swept away, of whichever account";
const BY_ACCOUNT: &str = "what stands under another key is looked for by its account, which is rare";
const RESTORE: &str = "a restore is about all rows, before any table is spread";
const TEST: &str = "a test looks at all there is";

/// Queries on spread tables that no key leads to one node, by how they begin, and why each may be.
const ACROSS: &[(&str, &str)] = &[
    ("delete from auth.known_device where last_seen_at <", SWEEP),
    ("delete from auth.refresh_token where token_hash in (", SWEEP),
    ("delete from auth.sign_in where (account_id, sign_in_id) in (", SWEEP),
    ("delete from auth.ticket where ticket_hash in (", SWEEP),
    ("delete from auth.used_token where token_id in (", SWEEP),
    ("delete from trades.answered_request where answered_at <", SWEEP),
    ("select account_id from auth.account where closed_at <=", SWEEP),
    ("select account_id, change_id from trades.change where kept", SWEEP),
    ("select account_id, preview_id from trades.preview where expires_at <", SWEEP),
    ("select journal_id from trades.journal where key_hash is not null", SWEEP),
    ("delete from auth.google_identity where account_id = $1", BY_ACCOUNT),
    ("delete from auth.refresh_token where account_id = $1", BY_ACCOUNT),
    ("delete from auth.ticket where account_id = $1", BY_ACCOUNT),
    ("select distinct sign_in_id from auth.refresh_token where account_id = $1", BY_ACCOUNT),
    ("with gone as ( delete from auth.refresh_token where account_id = $1", BY_ACCOUNT),
    ("delete from auth.login where login = any ($1) and account_id = $2", "the names of one account, at most two"),
    ("truncate auth.refresh_token", RESTORE),
    ("truncate auth.ticket", RESTORE),
    ("update auth.sign_in set ended_at = now() where ended_at is null", RESTORE),
    ("select (select count(*) from trades.journal) as \"journals!\"", TEST),
    ("select count(*) as \"count!\" from trades.journal", TEST),
];

/// What Postgres is told, in one line each.
fn queries() -> Vec<String> {
    let dir = std::fs::read_dir("../../.sqlx").unwrap();
    let files = dir.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let queries =
        files.map(|file| serde_json::from_slice::<Value>(&file).unwrap()["query"].as_str().unwrap().to_owned());
    let mut queries: Vec<String> =
        queries.map(|query| query.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    queries.sort();
    queries
}

/// The tables that a query names, with where they live.
fn tables(query: &str) -> Vec<(&'static str, Place)> {
    let names: BTreeSet<&str> =
        query.split(|letter: char| !(letter.is_ascii_alphanumeric() || "._".contains(letter))).collect();
    TABLES.iter().filter(|(table, _)| names.contains(table)).copied().collect()
}

/// Whether the query says by a parameter whose rows it is about, at each table that it reads and for those it adds.
fn names_its_key(query: &str, spread: &[(&str, Place, &str)], key: &str) -> bool {
    let inserted = query.strip_prefix("insert into ").and_then(|rest| rest.split(['(', ')']).nth(1));
    let adds = inserted.is_some_and(|columns| columns.split(',').any(|column| column.trim() == key));
    let reads = ["from", "join", "update", "using"]
        .iter()
        .flat_map(|word| spread.iter().map(move |(table, ..)| query.matches(&format!("{word} {table} ")).count()));
    let named = query.matches(&format!("{key} = ")).count();
    (adds || query.contains(&format!("{key} = $"))) && named >= reads.sum()
}

/// Whether a choice among values, which need not be worked out, is one of the clock.
fn chooses_by_clock(set: &str) -> bool {
    let coalesced = set.split("coalesce(").skip(1).filter_map(|rest| rest.split(')').next());
    let cases = set.split("case ").skip(1).filter_map(|rest| rest.split(" end").next());
    coalesced.chain(cases).any(|choice| choice.contains("now("))
}

/// What a cluster would refuse, or send to every node.
fn fault(query: &str) -> Option<&'static str> {
    let spread: Vec<_> =
        tables(query).into_iter().filter_map(|(table, place)| Some((table, place, place.key()?))).collect();
    let (_, first, key) = *spread.first()?;
    let elsewhere = |(_, place): &(&str, Place)| *place != first && *place != Place::Everywhere;
    if tables(query).iter().any(elsewhere) || matches!(first, Place::Own(_)) && spread.len() > 1 {
        return Some("joins tables that lie on different nodes");
    }
    if query.split_once("on conflict").is_some_and(|(_, rest)| rest.contains("now()")) {
        return Some("takes the clock in an upsert");
    }
    let set = query.split_once(" set ").filter(|_| query.starts_with("update ")).map_or("", |(_, set)| set);
    if chooses_by_clock(set) {
        return Some("takes the clock in a choice");
    }
    let named = names_its_key(query, &spread, key);
    if !named && (query.contains(" for update") || query.contains(" for share")) {
        return Some("locks rows of many nodes");
    }
    (!named).then_some("goes to every node")
}

#[test]
fn a_query_goes_to_one_node_or_says_why_not() {
    let queries = queries();
    assert!(queries.len() > 200, "{}", queries.len());
    let mut unused: BTreeSet<&str> = ACROSS.iter().map(|(begins, _)| *begins).collect();
    let mut faults = Vec::new();
    for query in &queries {
        let Some(fault) = fault(query) else { continue };
        let reason = ACROSS.iter().find(|(begins, _)| query.starts_with(begins));
        match reason {
            Some((begins, _)) if fault == "goes to every node" => drop(unused.remove(begins)),
            Some(_) | None => faults.push(format!("{fault}: {query}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(unused.is_empty(), "no query is so, or it needs no reason: {unused:?}");
}

#[test]
fn what_a_cluster_refuses_is_seen() {
    for (query, want) in [
        ("select trade_id from trades.trade where account_id = $1", None),
        ("insert into trades.book (account_id, broker) values ($1, $2)", None),
        ("select name from careers.application order by name for update", None),
        ("delete from auth.known_device where last_seen_at < now()", Some("goes to every node")),
        ("insert into trades.book (broker) values ($1)", Some("goes to every node")),
        (
            "select 1 from trades.book b join trades.trade t on t.broker = b.broker where b.account_id = $1",
            Some("goes to every node"),
        ),
        ("select journal_id from trades.journal limit 20 for update", Some("locks rows of many nodes")),
        (
            "select a.name from auth.login l join auth.account a on a.account_id = l.account_id where l.login = $1",
            Some("joins tables that lie on different nodes"),
        ),
        (
            "select 1 from auth.login join auth.client_id using (account_id) where login = $1",
            Some("joins tables that lie on different nodes"),
        ),
        (
            "insert into trades.book (account_id) values ($1) on conflict do update set at = now()",
            Some("takes the clock in an upsert"),
        ),
        (
            "update auth.account set closed_at = coalesce(closed_at, now()) where account_id = $1",
            Some("takes the clock in a choice"),
        ),
    ] {
        assert_eq!(fault(query), want, "{query}");
    }
}
