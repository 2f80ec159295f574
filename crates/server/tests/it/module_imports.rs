//! Imports between the modules of each crate: no cycle of more than two modules, and fixed layers in `edge` and `http`.
//!
//! Reads the sources as text. A module is a file; a path such as `crate::a::B` is an import of the file that defines `B`,
//! followed through `use` declarations of the modules on the way. Unit tests are left out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

/// Layers of `crates/edge`, lowest first. A module imports from its own layer and lower ones only.
const EDGE_LAYERS: [&[&str]; 6] = [
    // Settings, limits and conversions.
    &[
        "device_name",
        "error_texts",
        "etag",
        "file_issues",
        "form_texts",
        "idempotency",
        "json",
        "limits",
        "rate_limits",
        "settings",
        "status",
        "stream_error",
        "timestamps",
        "trade_json",
        "column_mapping_json",
        "broker_account",
        "cookies",
        "download",
        "site_files",
    ],
    // Calls to the core, and the state of all handlers.
    &["call", "readiness", "record_cache", "state"],
    // Used by several areas.
    &[
        "broker_accounts",
        "caller",
        "change_response",
        "client_record",
        "second_factor_proof",
        "upload",
        "upload_call",
        "workbook_export",
    ],
    // Operations. One area does not use another; only `account_export` joins them.
    &["api"],
    &["api::account_export", "api_description", "health", "site"],
    &["router", ""],
];

/// Layers of `crates/http`, lowest first.
const HTTP_LAYERS: [&[&str]; 7] = [
    &["accept_encoding", "content_security_policy", "listener", "network", "path_id", "transfer_rate"],
    &["client_address", "problem", "rate_limit", "request_id", "security_headers", "settings"],
    &["call_limit", "compression", "cross_site", "drain", "host", "metrics", "query"],
    // Reading of requests, and limits.
    &["body_limits", "json_body", "json_fields", "limiter", "multipart", "csp_report"],
    &["pending_bodies", "write_timeout"],
    &["load_shed", "trace"],
    &["serve", ""],
];

#[test]
fn no_crate_has_an_import_cycle_of_more_than_two_modules() {
    let mut cycles = Vec::new();
    for entry in fs::read_dir("..").unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let crate_cycles = find_cycles(&read_imports(&folder.join("src")));
        cycles.extend(crate_cycles.into_iter().map(|cycle| format!("{name}: {}", cycle.join(" → "))));
    }
    assert!(cycles.is_empty(), "modules that import each other:\n{}", cycles.join("\n"));
}

#[test]
fn the_modules_of_edge_import_from_lower_layers_only() {
    let imports = read_imports(Path::new("../edge/src"));
    check_layers(&imports, &EDGE_LAYERS);
    let area = |module: &str| module.strip_prefix("api::").and_then(|rest| rest.split("::").next().map(str::to_owned));
    for (module, imported) in edges(&imports) {
        if let (Some(one), Some(other)) = (area(module), area(imported)) {
            assert!(one == other || one == "account_export", "{module} uses {imported} of another area");
        }
    }
}

#[test]
fn the_modules_of_http_import_from_lower_layers_only() {
    check_layers(&read_imports(Path::new("../http/src")), &HTTP_LAYERS);
}

fn check_layers(imports: &Imports, layers: &[&[&str]]) {
    let layer_of = |module: &str| {
        let owners = layers.iter().enumerate().flat_map(|(layer, names)| names.iter().map(move |name| (layer, *name)));
        let owner = owners
            .filter(|(_, name)| module == *name || (!name.is_empty() && module.starts_with(&format!("{name}::"))))
            .max_by_key(|(_, name)| name.len());
        owner.unwrap_or_else(|| panic!("{module} has no layer: add it to the list")).0
    };
    for (module, imported) in edges(imports) {
        assert!(layer_of(module) >= layer_of(imported), "{module} imports {imported} of a higher layer");
    }
}

/// Modules by path (empty for `lib.rs`), each with those that it imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn edges(imports: &Imports) -> impl Iterator<Item = (&str, &str)> {
    imports.iter().flat_map(|(module, imported)| imported.iter().map(move |other| (module.as_str(), other.as_str())))
}

/// Reads the imports between the files of a crate's library.
fn read_imports(src: &Path) -> Imports {
    let mut modules = BTreeMap::new();
    if src.is_dir() {
        read_modules(src, "", &mut modules);
    }
    let sources: Vec<(String, Source)> =
        modules.iter().map(|(module, text)| (module.clone(), Source::parse(module, text, &modules))).collect();
    let sources: BTreeMap<String, Source> = sources.into_iter().collect();
    let import = |module: &String, path: &Vec<String>| resolve(path, &sources, 0).filter(|other| other != module);
    sources
        .iter()
        .map(|(module, source)| (module.clone(), source.paths.iter().filter_map(|path| import(module, path)).collect()))
        .collect()
}

/// Reads the files below `folder`, without unit tests and binaries.
fn read_modules(folder: &Path, parent: &str, modules: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let child = if parent.is_empty() { name.clone() } else { format!("{parent}::{name}") };
        if path.is_dir() {
            if name != "tests" && name != "bin" {
                read_modules(&path, &child, modules);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" && name != "main" {
            let module = if name == "mod" || name == "lib" { parent.to_owned() } else { child };
            modules.insert(module, blank_tests(&blank_comments_and_strings(&fs::read_to_string(&path).unwrap())));
        }
    }
}

/// Paths in a module, absolute within the crate.
struct Source {
    paths: Vec<Vec<String>>,
    /// Names that `use` declarations bring into the module, with what they stand for.
    names: BTreeMap<String, Vec<String>>,
}

impl Source {
    fn parse(module: &str, text: &str, modules: &BTreeMap<String, String>) -> Self {
        let mut source = Self { paths: Vec::new(), names: BTreeMap::new() };
        let base: Vec<String> = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        source.scan(&tokenize(text), &base, modules);
        source
    }

    fn scan(&mut self, tokens: &[&str], base: &[String], modules: &BTreeMap<String, String>) {
        let at = |index: usize| tokens.get(index).copied().unwrap_or_default();
        let mut index = 0;
        while index < tokens.len() {
            // An inline module: `super` in it is this file.
            if at(index) == "mod" && at(index + 2) == "{" {
                let end = matching_brace(tokens, index + 2);
                let inner = [base, &[at(index + 1).to_owned()]].concat();
                self.scan(&tokens[index + 3..end], &inner, modules);
                index = end;
            } else if at(index) == "use" {
                let end = (index..tokens.len()).find(|end| at(*end) == ";").unwrap_or(tokens.len());
                self.scan_use(&tokens[index + 1..end], &[], base, modules);
                index = end;
            } else if index == 0 || at(index - 1) != "::" {
                let mut end = index + 1;
                while at(end) == "::" && is_name(at(end + 1)) {
                    end += 2;
                }
                let names: Vec<String> = (index..end).step_by(2).map(|index| at(index).to_owned()).collect();
                if names.len() > 1 {
                    self.paths.extend(absolute(&names, base, modules));
                }
                index = end - 1;
            }
            index += 1;
        }
    }

    /// Reads the tree of a `use` declaration.
    fn scan_use(&mut self, tokens: &[&str], prefix: &[String], base: &[String], modules: &BTreeMap<String, String>) {
        let mut path = prefix.to_vec();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            match *token {
                "::" => {}
                "{" => {
                    let end = matching_brace(tokens, index);
                    let mut start = index + 1;
                    let mut depth = 0;
                    for at in index + 1..=end {
                        match tokens[at] {
                            "{" => depth += 1,
                            "}" if at < end => depth -= 1,
                            _ => {}
                        }
                        if depth == 0 && (tokens[at] == "," || at == end) {
                            if start < at {
                                self.scan_use(&tokens[start..at], &path, base, modules);
                            }
                            start = at + 1;
                        }
                    }
                    return;
                }
                "as" => {
                    self.add_use(&path, tokens.get(index + 1).copied(), base, modules);
                    return;
                }
                name => path.push(name.to_owned()),
            }
            index += 1;
        }
        self.add_use(&path, None, base, modules);
    }

    fn add_use(&mut self, path: &[String], alias: Option<&str>, base: &[String], modules: &BTreeMap<String, String>) {
        let path: Vec<String> = path.iter().filter(|name| !matches!(name.as_str(), "*")).cloned().collect();
        let is_self = path.len() > 1 && path.last().is_some_and(|name| name == "self");
        let path = if is_self { &path[..path.len() - 1] } else { &path[..] };
        let Some(target) = absolute(path, base, modules) else { return };
        let name = alias.map(str::to_owned).or_else(|| path.last().cloned());
        self.names.extend(name.map(|name| (name, target.clone())));
        self.paths.push(target);
    }
}

/// Converts a path to one from the root of the crate; `None` for paths of other crates.
fn absolute(path: &[String], base: &[String], modules: &BTreeMap<String, String>) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([base, rest].concat()),
        "super" => {
            let parent = &base[..base.len().checked_sub(1)?];
            let is_relative = rest.first().is_some_and(|name| name == "super");
            if is_relative { absolute(rest, parent, modules) } else { Some([parent, rest].concat()) }
        }
        _ => {
            let child = [base, std::slice::from_ref(first)].concat();
            modules.contains_key(&child.join("::")).then(|| [base, path].concat())
        }
    }
}

/// Returns the module that defines `path`.
fn resolve(path: &[String], sources: &BTreeMap<String, Source>, depth: usize) -> Option<String> {
    let length = (0..=path.len()).rev().find(|length| sources.contains_key(&path[..*length].join("::")))?;
    let module = path[..length].join("::");
    let target = path.get(length).and_then(|name| sources[&module].names.get(name));
    match target {
        Some(target) if depth < 8 => resolve(&[target, &path[length + 1..]].concat(), sources, depth + 1),
        Some(_) | None => Some(module),
    }
}

/// Returns import cycles of at least three modules: for each import that is part of one, the shortest. A file and its
/// parent may import each other, as a type and the files with its methods do.
fn find_cycles(imports: &Imports) -> BTreeSet<Vec<String>> {
    let mut cycles = BTreeSet::new();
    for (module, imported) in edges(imports) {
        // The direct way back would be a cycle of two.
        let mut came_from = BTreeMap::from([(imported, imported)]);
        let mut open = VecDeque::from([imported]);
        while let Some(current) = open.pop_front() {
            for next in imports.get(current).into_iter().flatten().map(String::as_str) {
                if (current, next) != (imported, module) && !came_from.contains_key(next) {
                    came_from.insert(next, current);
                    open.push_back(next);
                }
            }
        }
        if came_from.contains_key(module) {
            let steps = std::iter::successors(Some(module), |step| Some(came_from[step]).filter(|from| from != step));
            let mut cycle: Vec<String> = steps.map(str::to_owned).collect();
            cycle.reverse();
            let first = (0..cycle.len()).min_by_key(|index| &cycle[*index]).unwrap_or_default();
            cycle.rotate_left(first);
            cycles.insert(cycle);
        }
    }
    cycles
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Splits into names, `::`, and single other characters.
fn tokenize(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = if in_name(first) {
            rest.find(|c: char| !in_name(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, next) = rest.split_at(length);
        tokens.push(token);
        rest = next.trim_start();
    }
    tokens
}

/// Returns the index of the brace that closes the one at `open`.
fn matching_brace(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    tokens.len() - 1
}

/// Removes items below `#[cfg(test)]`.
fn blank_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let end = after.find(['{', ';']).unwrap_or(after.len());
        let mut depth = 0;
        let mut length = end + 1;
        if after[end..].starts_with('{') {
            for (index, c) in after[end..].char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    length = end + index + 1;
                    break;
                }
            }
        }
        rest = after.get(length..).unwrap_or_default();
    }
    kept + rest
}

/// Removes comments and the content of literals.
fn blank_comments_and_strings(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(raw) = raw_string_length(rest, kept.chars().next_back()) {
            raw
        } else if first == '"' {
            string_length(rest, '"')
        } else if first == '\'' && is_char_literal(rest) {
            string_length(rest, '\'')
        } else {
            0
        };
        if skipped == 0 {
            kept.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            kept.push(' ');
            rest = &rest[skipped..];
        }
    }
    kept
}

/// Returns the length of the raw string at the beginning of `text`, if there is one.
fn raw_string_length(text: &str, before: Option<char>) -> Option<usize> {
    let after =
        text.strip_prefix('r').filter(|_| !before.is_some_and(|c| c.is_alphanumeric() && c != 'b' || c == '_'))?;
    let hashes = after.find(|c| c != '#')?;
    let start = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(1 + hashes + 1 + start.find(&end)? + end.len())
}

/// Returns true for a character literal, false for a lifetime.
fn is_char_literal(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    let (first, second) = (chars.next(), chars.next());
    first == Some('\\') || second == Some('\'')
}

/// Returns the length of the literal at the beginning of `text`, with its quotes.
fn string_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return index + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[test]
fn finds_imports_in_nested_uses_paths_and_reexports() {
    let files = [
        ("", "mod a; mod b; mod c; pub use a::{self as renamed, One}; pub struct Root;"),
        ("a", "use crate::{Root, b::{Two, deep::{self, Three}}}; pub struct One; fn f() { \"crate::c\"; } // crate::c"),
        (
            "b",
            "fn f<'a>(x: &'a str) -> crate::One { super::c::run('\"'); r#\"crate::d\"#; } #[cfg(test)] mod tests { use crate::d; }",
        ),
        ("b::deep", "pub struct Three; mod inner { use super::super::Two; }"),
        ("c", "pub fn run() {}"),
        ("d", ""),
    ];
    let modules: BTreeMap<String, String> =
        files.map(|(module, text)| (module.to_owned(), blank_tests(&blank_comments_and_strings(text)))).into();
    let sources: BTreeMap<String, Source> = files
        .iter()
        .map(|(module, _)| ((*module).to_owned(), Source::parse(module, &modules[*module], &modules)))
        .collect();
    let imports = |module: &str| -> Vec<String> {
        let paths = sources[module].paths.iter();
        let imported: BTreeSet<String> = paths.filter_map(|path| resolve(path, &sources, 0)).collect();
        imported.into_iter().filter(|other| other != module).collect()
    };
    assert_eq!(imports(""), ["a"]);
    assert_eq!(imports("a"), ["", "b", "b::deep"]);
    assert_eq!(imports("b"), ["a", "c"]);
    assert_eq!(imports("b::deep"), ["b"]);
}
