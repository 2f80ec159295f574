//! What others wrote: from the registry alone, under licences that we know, once each, and each with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

const RULES: &str = include_str!("../../../../.cargo/deny.toml");
const README: &str = include_str!("../../../../README.md");

/// What `cargo` prints, in the workspace.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).args(["--locked", "--offline"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The first text in quotes of each line of a list of the rules.
fn listed(name: &str) -> BTreeSet<&'static str> {
    let (_, list) = RULES.split_once(&format!("\n{name} = [\n")).unwrap();
    let (list, _) = list.split_once("\n]").unwrap();
    list.lines().filter_map(|line| line.split('"').nth(1)).collect()
}

/// Every crate that is built here: its name, version and licence.
fn crates() -> BTreeSet<[String; 3]> {
    let tree = ["tree", "--workspace", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}|{l}"];
    let tree = cargo(&tree);
    let lines = tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|'));
    lines
        .map(|(name, licence)| {
            let mut words = name.split(' ');
            let mut word = || words.next().unwrap().to_owned();
            [word(), word(), licence.to_owned()]
        })
        .collect()
}

#[test]
fn everything_comes_from_the_registry_and_is_pinned() {
    let lock = include_str!("../../../../Cargo.lock");
    let sources: BTreeSet<&str> = lock.lines().filter(|line| line.starts_with("source = ")).collect();
    assert_eq!(sources, BTreeSet::from(["source = \"registry+https://github.com/rust-lang/crates.io-index\""]));
    assert_eq!(lock.matches("\nsource = ").count(), lock.matches("\nchecksum = ").count());
    let package: Value = serde_json::from_str(include_str!("../../../../web/package.json")).unwrap();
    for kind in ["dependencies", "devDependencies", "optionalDependencies"] {
        for (name, version) in package[kind].as_object().unwrap() {
            assert!(version.as_str().unwrap().starts_with(|c: char| c.is_ascii_digit()), "{name} {version}");
        }
    }
}

/// Every part of a licence that holds beside others must be one that we know, or leave the choice of one.
#[test]
fn every_licence_is_one_that_we_know() {
    let known = listed("allow");
    for [name, version, licence] in crates() {
        let alike = licence.replace('/', " OR ").replace(['(', ')'], "");
        let fine = alike.split(" AND ").all(|part| part.split(" OR ").any(|one| known.contains(one.trim())));
        assert!(fine, "{name} {version} is under {licence}");
    }
}

#[test]
fn no_crate_is_built_in_two_versions_without_a_reason() {
    let excused = listed("skip");
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for [name, version, _] in crates() {
        let version = version.trim_start_matches('v').to_owned();
        let excused = excused.iter().any(|one| format!("{name}@{version}.").starts_with(&format!("{one}.")));
        if !excused {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(versions.is_empty(), "{versions:?}");
}

/// What the first cells of README's tables of dependencies name. `tests:` may stand before.
fn told() -> BTreeSet<&'static str> {
    let (_, section) = README.split_once("\n## Dependencies\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let names = cells.flat_map(|cell| cell.rsplit(": ").next().unwrap().split(", "));
    names.filter(|name| !["Rust", "Web"].contains(name)).collect()
}

#[test]
fn the_readme_says_what_each_dependency_is_for_and_names_no_other() {
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let used = packages.iter().flat_map(|package| package["dependencies"].as_array().unwrap());
    let mut used: BTreeSet<&str> =
        used.filter(|used| !used["source"].is_null()).map(|used| used["name"].as_str().unwrap()).collect();
    let package: Value = serde_json::from_str(include_str!("../../../../web/package.json")).unwrap();
    for kind in ["dependencies", "devDependencies", "optionalDependencies"] {
        used.extend(package[kind].as_object().unwrap().keys().map(|name| match name.split_once('/') {
            // One for each kind of machine.
            Some(("@embedded-postgres", _)) => "@embedded-postgres/*",
            _ => name.as_str(),
        }));
    }
    let python = include_str!("../foreign/requirements.txt").lines();
    used.extend(python.filter(|line| !line.starts_with('#')).filter_map(|line| line.split(['=', '[']).next()));
    assert_eq!(told(), used);
}
