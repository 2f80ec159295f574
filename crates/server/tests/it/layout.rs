//! Who may use whom: server → edge → rpc, server → domain crates → rpc. And what the site is built from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn a_domain_crate_knows_no_other_and_the_edge_knows_neither_them_nor_sql() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        let normal =
            package["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["kind"].is_null());
        let names = normal.map(|dependency| dependency["name"].as_str().unwrap());
        uses.insert(
            package["name"].as_str().unwrap(),
            names.filter(|name| ours.contains(name) || *name == "sqlx").collect(),
        );
    }

    assert_eq!(uses["rpc"], BTreeSet::new());
    assert_eq!(uses["pg-cluster"], BTreeSet::new());
    assert_eq!(uses["sandbox"], BTreeSet::new());
    assert_eq!(uses["instrument"], BTreeSet::new());
    assert_eq!(uses["careers"], BTreeSet::from(["db", "mail", "rpc", "sandbox", "sqlx"]));
    assert_eq!(uses["edge"], BTreeSet::from(["rpc"]));
    assert_eq!(uses["mail"], BTreeSet::new());
    assert_eq!(uses["auth"], BTreeSet::from(["db", "mail", "rpc", "sqlx"]));
    assert_eq!(uses["trades"], BTreeSet::from(["db", "instrument", "rpc", "sqlx"]));
    assert_eq!(uses["journal"], BTreeSet::from(["db", "rpc", "sqlx"]));
    assert_eq!(uses["import"], BTreeSet::from(["instrument", "rpc", "sandbox"]));
    assert_eq!(uses["analytics"], BTreeSet::from(["db", "rpc", "sqlx"]));
    let rest: BTreeSet<&str> = ours
        .difference(&BTreeSet::from([
            "rpc",
            "pg-cluster",
            "db",
            "mail",
            "sandbox",
            "instrument",
            "careers",
            "edge",
            "auth",
            "trades",
            "journal",
            "import",
            "analytics",
        ]))
        .copied()
        .collect();
    assert_eq!(rest, BTreeSet::from(["server"]));
}

/// What the pages in `folder` read that lies outside `web`, which is `depth` folders up.
fn read_from_outside(folder: &Path, depth: usize, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_from_outside(&path, depth + 1, found);
        } else if path.extension().is_some_and(|ending| ending == "ts" || ending == "tsx") {
            let out = format!("\"{}", "../".repeat(depth + 1));
            let text = fs::read_to_string(&path).unwrap();
            found.extend(text.split(&out).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned));
        }
    }
}

/// A Docker that would say so is not to be had where these tests run.
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
