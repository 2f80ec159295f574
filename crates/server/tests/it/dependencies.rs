//! What others wrote: from the registry alone, under licences that we know, once each, and each with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
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
    let (known, mut met) = (listed("allow"), BTreeSet::new());
    for [name, version, licence] in crates() {
        let alike = licence.replace('/', " OR ").replace(['(', ')'], "");
        let fine = alike.split(" AND ").all(|part| part.split(" OR ").any(|one| known.contains(one.trim())));
        assert!(fine, "{name} {version} is under {licence}");
        met.extend(known.iter().filter(|known| alike.contains(**known)));
    }
    assert_eq!(met, known, "a licence that nothing has");
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

/// All that is written in files of these kinds in `folder`, and in its folders.
fn written(folder: &Path, endings: &[&str], text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_ours = !["node_modules", "build", "benches"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && is_ours {
            written(&path, endings, text);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            let read = fs::read_to_string(path).unwrap();
            text.extend(read.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]));
        }
    }
}

#[test]
fn no_crate_is_asked_for_that_is_not_used() {
    let by_generated_code = ["rpc prost", "rpc prost_types", "rpc tonic_prost"];
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    let mut unused = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let mut text = String::new();
        written(Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap(), &["rs"], &mut text);
        if package["name"] == "server" {
            // Its tests take a file of theirs.
            written(Path::new("../careers/tests"), &["rs"], &mut text);
        }
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let paths: BTreeSet<&str> =
            text.split("::").filter_map(|before| before.rsplit(|c| !is_letter(c)).next()).collect();
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap();
            let name = name.replace('-', "_");
            let is_whole = |uses: &str| [";", " as "].iter().any(|end| text.contains(&format!("use {uses}{end}")));
            if !paths.contains(name.as_str()) && !is_whole(&name) {
                unused.insert(format!("{} {name}", package["name"].as_str().unwrap()));
            }
        }
    }
    assert_eq!(unused, by_generated_code.map(str::to_owned).into());
}

/// In a file of the pages or their tests, by name; or in a script, by a command of its.
#[test]
fn no_package_is_asked_for_that_is_not_used() {
    let package: Value = serde_json::from_str(include_str!("../../../../web/package.json")).unwrap();
    let lock: Value = serde_json::from_str(include_str!("../../../../web/package-lock.json")).unwrap();
    let mut text = String::new();
    written(Path::new("../../web"), &["ts", "tsx", "css"], &mut text);
    let scripts = package["scripts"].to_string();
    let words: BTreeSet<&str> = scripts.split(['"', ' ']).collect();
    let is_used = |name: &str| {
        let bin = lock["packages"][format!("node_modules/{name}")]["bin"].as_object();
        let is_run = bin.is_some_and(|commands| commands.keys().any(|command| words.contains(command.as_str())));
        is_run || text.contains(&format!("\"{name}\"")) || text.contains(&format!("\"{name}/"))
    };
    for kind in ["dependencies", "devDependencies"] {
        for name in package[kind].as_object().unwrap().keys() {
            assert!(is_used(name.strip_prefix("@types/").unwrap_or(name)), "{name}");
        }
    }
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
