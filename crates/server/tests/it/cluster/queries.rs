//! Each query on distributed tables filters by the distribution key, so that it runs on one node; exceptions are listed
//! with a reason. No query uses what Citus rejects.

use std::collections::BTreeSet;

use serde_json::Value;
use server::distribute::{Placement, TABLES};

const CLEANUP: &str = "expired rows are deleted for all accounts at once";
const BY_ACCOUNT: &str = "rows under another key are searched by account, which is rare";
const RESTORE: &str = "a restore handles all rows, before tables are distributed";
const ALL_SESSIONS: &str = "a restore and an operator end the sessions of all accounts";
const BACKUP: &str = "a backup lists the files of all accounts";
const ENCRYPTION: &str = "a command encrypts the seeds of all accounts";
const KEY_CHECK: &str = "the start and a restore look for secrets without a key";
const TEST: &str = "a test reads all rows";

/// Queries on distributed tables that run on every node: the beginning of the text, and the reason.
const MULTI_NODE_QUERIES: &[(&str, &str)] = &[
    ("delete from auth.known_device where last_seen_at <", CLEANUP),
    ("delete from auth.refresh_token where token_hash in (", CLEANUP),
    ("delete from auth.session where (account_id, session_id) in (", CLEANUP),
    ("delete from auth.email_link_token where token_hash in (", CLEANUP),
    ("delete from auth.used_token where token_id in (", CLEANUP),
    ("delete from auth.second_factor_challenge where token_hash in (", CLEANUP),
    ("delete from auth.trusted_device where (account_id, trusted_device_id) in (", CLEANUP),
    ("delete from auth.tax_link_use where (account_id, link_id, day, action, user_agent, address) in (", CLEANUP),
    ("delete from auth.tax_link where (account_id, link_id) in (", CLEANUP),
    ("delete from auth.totp where confirmed_at is null and created_at <", CLEANUP),
    ("delete from trades.idempotent_request where recorded_at <", CLEANUP),
    ("select account_id from auth.account where closed_at <=", CLEANUP),
    ("select account_id, change_id from trades.change where has_undo_copies", CLEANUP),
    ("select account_id, preview_id from trades.preview where expires_at <", CLEANUP),
    ("select journal_id from journal.journal where key_hash is not null", CLEANUP),
    ("delete from journal.change where (account_id, change_id) in (", CLEANUP),
    ("select account_id, screenshot_id, file_id, thumbnail_id from journal.screenshot where deleted_at <", CLEANUP),
    ("select file_id as \"file_id!\", sha256 as \"sha256!\" from journal.screenshot", BACKUP),
    ("delete from auth.google_identity where account_id = $1", BY_ACCOUNT),
    ("delete from auth.refresh_token where account_id = $1", BY_ACCOUNT),
    ("delete from auth.email_link_token where account_id = $1", BY_ACCOUNT),
    ("delete from auth.second_factor_challenge where account_id = $1", BY_ACCOUNT),
    ("select distinct session_id from auth.refresh_token where account_id = $1", BY_ACCOUNT),
    ("with deleted as ( delete from auth.refresh_token where account_id = $1", BY_ACCOUNT),
    ("delete from auth.login where login = any ($1) and account_id = $2", "the logins of one account, at most two"),
    ("select account_id, secret from auth.totp where account_id >", ENCRYPTION),
    ("select case when octet_length(secret) >=", KEY_CHECK),
    ("truncate auth.refresh_token", RESTORE),
    ("truncate auth.email_link_token", RESTORE),
    ("truncate auth.trusted_device", RESTORE),
    ("truncate auth.second_factor_challenge", RESTORE),
    ("update auth.tax_link set revoked_at = now() where revoked_at is null", RESTORE),
    ("update auth.session set ended_at = now() where ended_at is null", ALL_SESSIONS),
    ("delete from auth.refresh_token where session_id = any ($1)", ALL_SESSIONS),
    ("select (select count(*) from journal.journal) as \"journals!\"", TEST),
    ("select count(*) as \"count!\" from journal.journal", TEST),
];

/// Returns every checked query as one line.
fn read_queries() -> Vec<String> {
    let dir = std::fs::read_dir("../../.sqlx").unwrap();
    let files = dir.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let queries =
        files.map(|file| serde_json::from_slice::<Value>(&file).unwrap()["query"].as_str().unwrap().to_owned());
    let mut queries: Vec<String> =
        queries.map(|query| query.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    queries.sort();
    queries
}

/// Returns the tables that a query names, with their placement.
fn tables_in(query: &str) -> Vec<(&'static str, Placement)> {
    let names: BTreeSet<&str> = query.split(|c: char| !(c.is_ascii_alphanumeric() || "._".contains(c))).collect();
    TABLES.iter().filter(|(table, _)| names.contains(table)).copied().collect()
}

/// Returns true if the query compares the key of each table that it reads, or inserts the key, and has a parameter for it.
fn uses_key(query: &str, distributed: &[(&str, Placement, &str)], key: &str) -> bool {
    let inserted = query.strip_prefix("insert into ").and_then(|rest| rest.split(['(', ')']).nth(1));
    let adds = inserted.is_some_and(|columns| columns.split(',').any(|column| column.trim() == key));
    let reads = ["from", "join", "update", "using"]
        .iter()
        .flat_map(|word| distributed.iter().map(move |(table, ..)| query.matches(&format!("{word} {table} ")).count()));
    let has_key = query.matches(&format!("{key} = ")).count();
    (adds || query.contains(&format!("{key} = $"))) && has_key >= reads.sum()
}

/// Returns true if a `coalesce` or `case` contains `now()`; such a branch may not be evaluated.
fn has_conditional_now(set: &str) -> bool {
    let coalesced = set.split("coalesce(").skip(1).filter_map(|rest| rest.split(')').next());
    let cases = set.split("case ").skip(1).filter_map(|rest| rest.split(" end").next());
    coalesced.chain(cases).any(|choice| choice.contains("now("))
}

/// Returns why a cluster would reject a query or run it on every node.
fn find_problem(query: &str) -> Option<&'static str> {
    let distributed: Vec<_> = tables_in(query)
        .into_iter()
        .filter_map(|(table, placement)| Some((table, placement, placement.column()?)))
        .collect();
    let (_, first, key) = *distributed.first()?;
    let is_on_other_nodes =
        |(_, placement): &(&str, Placement)| *placement != first && *placement != Placement::EveryNode;
    if tables_in(query).iter().any(is_on_other_nodes)
        || matches!(first, Placement::ByColumn(_)) && distributed.len() > 1
    {
        return Some("joins tables on different nodes");
    }
    if query.split_once("on conflict").is_some_and(|(_, rest)| rest.contains("now()")) {
        return Some("uses now() in an upsert");
    }
    let set = query.split_once(" set ").filter(|_| query.starts_with("update ")).map_or("", |(_, set)| set);
    if has_conditional_now(set) {
        return Some("uses now() in a condition");
    }
    let has_key = uses_key(query, &distributed, key);
    if !has_key && (query.contains(" for update") || query.contains(" for share")) {
        return Some("locks rows on many nodes");
    }
    (!has_key).then_some("runs on every node")
}

#[test]
fn each_query_runs_on_one_node_or_is_listed_with_a_reason() {
    let queries = read_queries();
    assert!(queries.len() > 200, "{}", queries.len());
    let mut unused: BTreeSet<&str> = MULTI_NODE_QUERIES.iter().map(|(beginning, _)| *beginning).collect();
    let mut problems = Vec::new();
    for query in &queries {
        let Some(problem) = find_problem(query) else { continue };
        let reason = MULTI_NODE_QUERIES.iter().find(|(beginning, _)| query.starts_with(beginning));
        match reason {
            Some((beginning, _)) if problem == "runs on every node" => drop(unused.remove(beginning)),
            Some(_) | None => problems.push(format!("{problem}: {query}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(unused.is_empty(), "no query needs these entries: {unused:?}");
}

#[test]
fn detects_queries_that_a_cluster_rejects() {
    for (query, expected) in [
        ("select trade_id from trades.trade where account_id = $1", None),
        ("insert into trades.book (account_id, broker) values ($1, $2)", None),
        ("select name from careers.application order by name for update", None),
        ("delete from auth.known_device where last_seen_at < now()", Some("runs on every node")),
        ("insert into trades.book (broker) values ($1)", Some("runs on every node")),
        (
            "select 1 from trades.book b join trades.trade t on t.broker = b.broker where b.account_id = $1",
            Some("runs on every node"),
        ),
        ("select journal_id from journal.journal limit 20 for update", Some("locks rows on many nodes")),
        (
            "select a.name from auth.login l join auth.account a on a.account_id = l.account_id where l.login = $1",
            Some("joins tables on different nodes"),
        ),
        (
            "select 1 from auth.login join auth.client_id using (account_id) where login = $1",
            Some("joins tables on different nodes"),
        ),
        (
            "insert into trades.book (account_id) values ($1) on conflict do update set at = now()",
            Some("uses now() in an upsert"),
        ),
        (
            "update auth.account set closed_at = coalesce(closed_at, now()) where account_id = $1",
            Some("uses now() in a condition"),
        ),
    ] {
        assert_eq!(find_problem(query), expected, "{query}");
    }
}
