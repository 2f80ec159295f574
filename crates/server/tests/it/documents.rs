//! Checks that the documents stay true: settings match `--help`, and every path, link and test they name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const ROOT: &str = "../..";
const DOCUMENTS: [&str; 13] = [
    "README.md",
    "CHANGELOG.md",
    ".github/CONTRIBUTING.md",
    ".github/SECURITY.md",
    ".github/asvs.md",
    "crates/README.md",
    "crates/server/README.md",
    "crates/server/benches/README.md",
    "crates/server/tests/README.md",
    "web/README.md",
    "web/tests/e2e/findings.md",
    "web/tests/e2e/spec-deviations.md",
    "web/tests/e2e/spec-ledger.md",
];
/// Maximum length of the README in words.
const MAX_README_LENGTH: usize = 1_500;
/// Number of items of levels 1 and 2 of ASVS 5.0.0.
const ASVS_ITEMS: usize = 253;
/// Minimum number of applicable items that are met. Raise it with the table.
const MIN_ASVS_ITEMS_MET: usize = 200;

fn read(document: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// Returns the targets of relative Markdown links in `text`.
fn relative_links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://")).collect()
}

/// Returns the paths of the repository that `text` names in backticks; patterns and placeholders are skipped.
fn named_paths(text: &str) -> Vec<&str> {
    let outside_code_blocks = text.split("```").step_by(2);
    outside_code_blocks
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .filter(|path| ["crates/", "web/", "proto/", "migrations/", ".github/"].iter().any(|top| path.starts_with(top)))
        .filter(|path| !path.contains(['<', '*', '{', '…', ' ']))
        .collect()
}

#[test]
fn every_path_and_link_in_the_documents_exists() {
    let mut missing = BTreeSet::new();
    for document in DOCUMENTS {
        let text = read(document);
        let folder = Path::new(ROOT).join(document).parent().map(PathBuf::from).unwrap();
        for link in relative_links(&text) {
            if !folder.join(link).exists() {
                missing.insert(format!("{document}: link to {link}"));
            }
        }
        for path in named_paths(&text) {
            // Built files exist only after a build.
            if !path.starts_with("web/build") && !Path::new(ROOT).join(path).exists() {
                missing.insert(format!("{document}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Adds the names of the tests in Rust files of `folder` and its subfolders.
fn collect_test_names(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_test_names(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut is_test = false;
            for line in text.lines().map(str::trim_start) {
                if line.starts_with("#[") {
                    is_test |= line.contains("test");
                } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test) {
                    names.extend(rest.split('(').next().map(str::to_owned));
                    is_test = false;
                } else if !line.starts_with("//") {
                    is_test = false;
                }
            }
        }
    }
}

#[test]
fn s13_every_asvs_item_has_a_state_and_existing_tests() {
    let mut tests = BTreeSet::new();
    collect_test_names(&Path::new(ROOT).join("crates"), &mut tests);
    let text = read(".github/asvs.md");
    let (mut items, mut errors) = (BTreeSet::new(), Vec::new());
    let (mut met, mut applicable) = (0, 0);
    for line in text.lines().filter(|line| line.strip_prefix("| ").is_some_and(|row| row.starts_with(char::is_numeric)))
    {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[item, _, state, reason, tests_of_item] = cells.as_slice() else { panic!("{line}") };
        match state {
            "met" => (met, applicable) = (met + 1, applicable + 1),
            "not met" => applicable += 1,
            "not applicable" => {}
            _ => errors.push(format!("{item}: state {state}")),
        }
        if !items.insert(item) {
            errors.push(format!("{item}: twice"));
        }
        if reason == "–" {
            errors.push(format!("{item}: no reason"));
        }
        // Paths are checked with those of the other documents.
        for test in tests_of_item.split('`').skip(1).step_by(2).filter(|test| !test.contains('/')) {
            if !tests.contains(test) {
                errors.push(format!("{item}: no test {test}"));
            }
        }
    }
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(items.len(), ASVS_ITEMS);
    assert!(met >= MIN_ASVS_ITEMS_MET, "{met} items are met");
    assert!(text.contains(&format!("{met} of {applicable} applicable items are met")), "{met} of {applicable}");
}

/// Reads the configuration, because Caddy is not available where these tests run.
#[test]
fn s13_the_proxy_redirects_pages_only() {
    let compose: Value = serde_norway::from_str(&read("compose.yaml")).unwrap();
    let proxy = &compose["services"]["proxy"];
    assert_eq!(proxy["configs"][0]["target"], "/etc/caddy/Caddyfile");
    assert!(proxy["command"].is_null(), "the image reads the Caddyfile unless it has another command");
    let content = compose["configs"]["proxy"]["content"].as_str().unwrap();
    let (https, http) = content.split_once("\nhttp://${SITE:-localhost} {").unwrap();
    assert!(
        https.starts_with("${SITE:-localhost} {") && https.contains("reverse_proxy unix//run/tradebahi/http.sock"),
        "{https}"
    );
    assert!(!http.contains("reverse_proxy"), "{http}");
    let redirects: Vec<&str> = http.lines().map(str::trim).filter(|line| line.starts_with("redir")).collect();
    assert_eq!(redirects, ["redir @page https://{host}{uri} 308"]);
    assert!(http.contains("header Accept *text/html*") && http.contains("method GET HEAD"), "{http}");
    assert!(http.contains("respond \"Use https.\" 403"), "{http}");
}

#[test]
fn the_readme_is_short() {
    let length = read("README.md").split_whitespace().count();
    assert!(length <= MAX_README_LENGTH, "README.md has {length} words");
}

#[test]
fn the_table_of_settings_names_every_flag_and_variable_of_the_help() {
    let help = Command::new(env!("CARGO_BIN_EXE_tradebahi")).args(["serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let is_flag = |c: char| c.is_ascii_lowercase() || c == '-';
    let flags = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
    let flags = flags.map(|rest| format!("--{}", rest.split(|c| !is_flag(c)).next().unwrap()));
    let in_help: BTreeSet<String> = flags.filter(|flag| flag != "--help").collect();
    let variables = help.split("[env: ").skip(1).filter_map(|rest| rest.split(['=', ']']).next());
    let variables_in_help: BTreeSet<String> = variables.map(str::to_owned).collect();

    let operations = read("crates/server/README.md");
    let (_, table) = operations.split_once("\n| Flag | Variable |").unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let flags: BTreeSet<String> =
        rows.iter().map(|row| row[1]).filter(|flag| *flag != "–").map(str::to_owned).collect();
    let of_flags = rows.iter().filter(|row| row[1] != "–").map(|row| row[2].to_owned());
    assert_eq!(flags, in_help);
    assert_eq!(of_flags.collect::<BTreeSet<_>>(), variables_in_help);
}
