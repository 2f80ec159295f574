//! Dependencies between the crates of the workspace, and files that the site is built from.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Dependencies of each crate on other crates of the workspace and on sqlx. What is absent matters: a domain crate uses no
/// other domain crate, `edge` uses neither a domain crate nor SQL, and `http` and `export` know nothing of the edge.
const DEPENDENCIES: [(&str, &[&str]); 18] = [
    ("analytics", &["db", "instrument", "queue", "rpc", "sqlx"]),
    ("auth", &["db", "mail", "queue", "rpc", "sqlx"]),
    ("careers", &["db", "file-store", "mail", "queue", "rpc", "sandbox", "sqlx"]),
    ("db", &["sqlx"]),
    ("edge", &["export", "http-server", "queue", "rpc", "texts"]),
    ("export", &["rpc"]),
    ("http-server", &["queue"]),
    ("import", &["instrument", "queue", "rpc", "sandbox"]),
    ("instrument", &[]),
    ("file-store", &[]),
    ("journal", &["db", "file-store", "queue", "rpc", "sandbox", "sqlx"]),
    ("mail", &[]),
    ("pg-cluster", &[]),
    ("queue", &[]),
    ("rpc", &[]),
    ("sandbox", &[]),
    ("texts", &[]),
    ("trades", &["db", "instrument", "queue", "rpc", "sqlx"]),
];

#[test]
fn each_crate_depends_on_the_listed_crates_only() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |value: &'_ Value| value["name"].as_str().unwrap().to_owned();
    let crates: BTreeSet<String> = packages.iter().map(name).collect();
    let listed = DEPENDENCIES.iter().map(|(name, _)| *name).chain(["server"]);
    assert_eq!(crates, listed.map(str::to_owned).collect(), "add a new crate to the list");

    for package in packages {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let dependencies: BTreeSet<String> =
            dependencies.filter(|dependency| dependency["kind"].is_null()).map(name).collect();
        let package = name(package);
        let Some((_, allowed)) = DEPENDENCIES.iter().find(|(listed, _)| *listed == package) else { continue };
        let checked: BTreeSet<&str> =
            dependencies.iter().map(String::as_str).filter(|name| crates.contains(*name) || *name == "sqlx").collect();
        assert_eq!(checked, allowed.iter().copied().collect(), "{package}");
        if package == "http-server" {
            assert!(["tonic", "prost"].iter().all(|name| !dependencies.contains(*name)), "http knows no rpc");
        }
    }
}

/// Collects the files outside `web` that the pages in `folder` import. `web` is `depth` folders up.
fn read_from_outside(folder: &Path, depth: usize, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_from_outside(&path, depth + 1, files);
        } else if path.extension().is_some_and(|ending| ending == "ts" || ending == "tsx") {
            let out = format!("\"{}", "../".repeat(depth + 1));
            let text = fs::read_to_string(&path).unwrap();
            files.extend(text.split(&out).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned));
        }
    }
}

/// Compares the Dockerfile with the imports, because Docker is not available where these tests run.
#[test]
fn the_image_has_what_the_site_is_built_from() {
    let dockerfile = include_str!("../../../../Dockerfile");
    let (site, _) = dockerfile.split_once(" AS server").unwrap();
    let copied: Vec<&str> = site.lines().filter_map(|line| line.strip_prefix("COPY ")?.split(' ').next()).collect();
    let mut read = BTreeSet::new();
    read_from_outside(Path::new("../../web/app"), 1, &mut read);
    assert!(read.len() >= 2, "{read:?}");
    for file in read {
        assert!(copied.iter().any(|copied| file.starts_with(copied)), "the site stage has no {file}");
    }
}
