//! Third-party dependencies: from the registry only, with allowed licences, in one version each, used and documented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const DENY_TOML: &str = include_str!("../../../../.cargo/deny.toml");
const CONTRIBUTING: &str = include_str!("../../../../.github/CONTRIBUTING.md");

/// Runs `cargo` in the workspace and returns its output.
fn run_cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).args(["--locked", "--offline"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the first quoted text of each line of a list in deny.toml.
fn read_list(name: &str) -> BTreeSet<&'static str> {
    let (_, list) = DENY_TOML.split_once(&format!("\n{name} = [\n")).unwrap();
    let (list, _) = list.split_once("\n]").unwrap();
    list.lines().filter_map(|line| line.split('"').nth(1)).collect()
}

/// Returns name, version and licence of every crate in the build.
fn crates() -> BTreeSet<[String; 3]> {
    let tree = ["tree", "--workspace", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}|{l}"];
    let tree = run_cargo(&tree);
    let lines = tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|'));
    lines
        .map(|(name, licence)| {
            let mut fields = name.split(' ');
            let mut next_field = || fields.next().unwrap().to_owned();
            [next_field(), next_field(), licence.to_owned()]
        })
        .collect()
}

#[test]
fn all_dependencies_come_from_the_registry_and_are_pinned() {
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

/// Each part of a licence joined by `AND` must be allowed or offer an allowed alternative.
#[test]
fn every_licence_is_allowed() {
    let (allowed, mut used) = (read_list("allow"), BTreeSet::new());
    for [name, version, licence] in crates() {
        let normalized = licence.replace('/', " OR ").replace(['(', ')'], "");
        let is_allowed =
            normalized.split(" AND ").all(|part| part.split(" OR ").any(|one| allowed.contains(one.trim())));
        assert!(is_allowed, "{name} {version} is under {licence}");
        used.extend(allowed.iter().filter(|allowed| normalized.contains(**allowed)));
    }
    assert_eq!(used, allowed, "an allowed licence is not used");
}

#[test]
fn no_crate_has_two_versions_without_an_exception() {
    let skipped = read_list("skip");
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for [name, version, _] in crates() {
        let version = version.trim_start_matches('v').to_owned();
        let skipped = skipped.iter().any(|one| format!("{name}@{version}.").starts_with(&format!("{one}.")));
        if !skipped {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(versions.is_empty(), "{versions:?}");
}

/// Appends the files with the given extensions below `folder` to `text`, without comment lines.
fn read_sources(folder: &Path, extensions: &[&str], text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_source = !["node_modules", "build", "benches"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && is_source {
            read_sources(&path, extensions, text);
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|one| extension == *one)) {
            let read = fs::read_to_string(path).unwrap();
            text.extend(read.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]));
        }
    }
}

#[test]
fn every_declared_crate_is_used() {
    let by_generated_code = ["rpc tonic_prost"];
    let metadata: Value =
        serde_json::from_str(&run_cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    let mut unused = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let mut text = String::new();
        read_sources(Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap(), &["rs"], &mut text);
        if package["name"] == "server" {
            // The tests of `server` include files from there.
            for folder in ["../careers/tests", "../import/src/tests/pdf_fixtures"] {
                read_sources(Path::new(folder), &["rs"], &mut text);
            }
        }
        let is_name_char = |c: char| c.is_alphanumeric() || c == '_';
        let paths: BTreeSet<&str> =
            text.split("::").filter_map(|before| before.rsplit(|c| !is_name_char(c)).next()).collect();
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

/// A package is used if a file of the pages or tests imports it, or if a script runs one of its commands.
#[test]
fn every_declared_package_is_used() {
    let package: Value = serde_json::from_str(include_str!("../../../../web/package.json")).unwrap();
    let lock: Value = serde_json::from_str(include_str!("../../../../web/package-lock.json")).unwrap();
    let mut text = String::new();
    read_sources(Path::new("../../web"), &["ts", "tsx", "css"], &mut text);
    let scripts = package["scripts"].to_string();
    let script_tokens: BTreeSet<&str> = scripts.split(['"', ' ']).collect();
    let is_used = |name: &str| {
        let bin = lock["packages"][format!("node_modules/{name}")]["bin"].as_object();
        let is_run =
            bin.is_some_and(|commands| commands.keys().any(|command| script_tokens.contains(command.as_str())));
        is_run || text.contains(&format!("\"{name}\"")) || text.contains(&format!("\"{name}/"))
    };
    for kind in ["dependencies", "devDependencies"] {
        for name in package[kind].as_object().unwrap().keys() {
            assert!(is_used(name.strip_prefix("@types/").unwrap_or(name)), "{name}");
        }
    }
}

/// Returns the dependencies named in the first cells of the tables; `tests:` may precede them.
fn documented_dependencies() -> BTreeSet<&'static str> {
    let (_, section) = CONTRIBUTING.split_once("\n## Dependencies\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let names = cells.flat_map(|cell| cell.rsplit(": ").next().unwrap().split(", "));
    names.filter(|name| !["Rust", "Web"].contains(name)).collect()
}

#[test]
fn the_tables_of_dependencies_are_complete() {
    let metadata: Value =
        serde_json::from_str(&run_cargo(&["metadata", "--format-version", "1", "--no-deps"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let used = packages.iter().flat_map(|package| package["dependencies"].as_array().unwrap());
    let mut used: BTreeSet<&str> =
        used.filter(|used| !used["source"].is_null()).map(|used| used["name"].as_str().unwrap()).collect();
    let package: Value = serde_json::from_str(include_str!("../../../../web/package.json")).unwrap();
    for kind in ["dependencies", "devDependencies", "optionalDependencies"] {
        used.extend(package[kind].as_object().unwrap().keys().map(|name| match name.split_once('/') {
            // One package per platform.
            Some(("@embedded-postgres", _)) => "@embedded-postgres/*",
            _ => name.as_str(),
        }));
    }
    let python = include_str!("../foreign/requirements.txt").lines();
    used.extend(python.filter(|line| !line.starts_with('#')).filter_map(|line| line.split(['=', '[']).next()));
    assert_eq!(documented_dependencies(), used);
}
