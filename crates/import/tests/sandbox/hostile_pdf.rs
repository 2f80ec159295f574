//! Malicious PDF documents: each is rejected in time, within the memory of the parser process.

use std::time::{Duration, Instant};

use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::pdf_fixtures::contract_notes::{LAYOUTS, Layout, document, file, note};
use super::pdf_fixtures::documents::{self, Text, save};
use super::{ImportService, equity, reason};

/// Returns a document with one page that has this content.
fn with_content(content: Vec<u8>) -> Document {
    let mut document = page();
    let id = document.page_iter().next().unwrap();
    let mut stream = Stream::new(dictionary! {}, content);
    stream.compress().unwrap();
    let stream = document.add_object(stream);
    document.get_dictionary_mut(id).unwrap().set("Contents", stream);
    document
}

fn page() -> Document {
    documents::document(&[vec![Text { x: 50.0, y: 500.0, is_right: false, text: "text".to_owned() }]], 8.0)
}

/// Returns a document whose form shows itself twice.
fn with_recursive_form() -> Document {
    let mut document = with_content(b"/X Do".to_vec());
    let id = document.new_object_id();
    let resources = dictionary! { "XObject" => dictionary! { "X" => id } };
    let form = dictionary! { "Type" => "XObject", "Subtype" => "Form", "Resources" => resources.clone() };
    document.objects.insert(id, Object::Stream(Stream::new(form, b"/X Do /X Do".to_vec())));
    let page = document.page_iter().next().unwrap();
    document.get_dictionary_mut(page).unwrap().set("Resources", resources);
    document
}

fn with_catalog_entry(key: &str, value: impl Into<Object>) -> Document {
    let mut document = page();
    document.catalog_mut().unwrap().set(key, value);
    document
}

/// Returns a document with object streams that unpack to 100 MB.
fn with_object_streams() -> Vec<u8> {
    let mut document = page();
    for _ in 0..100 {
        let content = format!("{} {}", "1 0 ", "[".to_owned() + &"0 ".repeat(500_000) + "]");
        let dictionary = dictionary! { "Type" => "ObjStm", "N" => 1, "First" => 4 };
        let mut stream = Stream::new(dictionary, content.into_bytes());
        stream.compress().unwrap();
        document.add_object(stream);
    }
    save(document)
}

fn hostile_documents() -> Vec<(&'static str, Vec<u8>)> {
    let script = dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("app.alert(1)") };
    let launch = dictionary! { "S" => "Launch", "F" => Object::string_literal("/bin/sh") };
    let pages: Vec<Vec<Text>> = vec![vec![]; 600];
    let mut deep = Object::Array(vec![]);
    for _ in 0..90 {
        deep = Object::Array(vec![deep]);
    }
    let mut looping = page();
    let root = looping.catalog().unwrap().get(b"Pages").unwrap().as_reference().unwrap();
    looping.get_dictionary_mut(root).unwrap().set("Kids", vec![Object::Reference(root), Object::Reference(root)]);
    let nested = format!("%PDF-1.7\n1 0 obj\n{}{}\nendobj\n", "[".repeat(2_000_000), "]".repeat(2_000_000));
    let numbers = format!("%PDF-1.7\n1 0 obj\n[{}]\nendobj\ntrailer\n<< /Root 1 0 R >>\n", "0 ".repeat(3_500_000));
    vec![
        ("a script", save(with_catalog_entry("OpenAction", script))),
        ("a program to start", save(with_catalog_entry("OpenAction", launch))),
        ("an embedded file", save(with_catalog_entry("Names", dictionary! { "EmbeddedFiles" => Dictionary::new() }))),
        ("a content bomb", save(with_content(vec![b' '; 300 << 20]))),
        ("many operators", save(with_content(b"q Q ".repeat(200_000)))),
        ("deep brackets in content", save(with_content(b"[".repeat(1_000_000)))),
        ("a recursive form", save(with_recursive_form())),
        ("600 pages", save(documents::document(&pages, 8.0))),
        ("a loop of pages", save(looping)),
        ("a deep object", save(with_catalog_entry("Deep", deep))),
        ("a very deep object", nested.into_bytes()),
        ("millions of numbers", numbers.into_bytes()),
        ("object streams of 100 MB", with_object_streams()),
        ("9 MB", [b"%PDF-1.7\n".to_vec(), vec![b'x'; 9 << 20]].concat()),
        ("only a header", b"%PDF-1.7\n".to_vec()),
    ]
}

fn cause(status: &Status) -> String {
    let info = status.get_details_error_info();
    info.and_then(|mut info| info.metadata.remove("cause")).unwrap_or_default()
}

#[tokio::test]
async fn rejects_malicious_documents_in_time_and_reads_the_next_file() {
    let good = file(&note(Layout::Zerodha, 7, "05-06-2026", 12));
    let service = ImportService::new();
    for (name, document) in hostile_documents() {
        let started = Instant::now();
        let status = service.import(equity(), &document).await.expect_err(name);
        println!("{name}: {:?}", started.elapsed());
        assert!(started.elapsed() < Duration::from_secs(10), "{name}: {:?}", started.elapsed());
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "FILE_UNREADABLE"), "{name}");
        let started = Instant::now();
        let layout = service.layout("", &document).await;
        assert!(started.elapsed() < Duration::from_secs(10), "layout of {name}: {:?}", started.elapsed());
        // A document without harm that is only no contract note: its object streams are not unpacked.
        if cause(&status) == "PDF" {
            assert!(layout.expect(name).ends_with("Xxxx\n"), "{name}");
            continue;
        }
        let rejected = layout.expect_err(name);
        assert_eq!((rejected.code(), rejected.details()), (status.code(), status.details()), "{name}");
    }
    assert_eq!(service.import(equity(), &good).await.unwrap().rows, 12);
}

#[tokio::test]
async fn reads_large_documents_within_the_memory_of_the_parser_process() {
    let service = ImportService::new();
    for layout in LAYOUTS.into_iter().filter(|layout| !layout.is_refused()) {
        let notes = [note(layout, 7, "05-06-2026", 700), note(layout, 8, "08-06-2026", 300)];
        let options = rpc::imports::v1::ImportOptions { confirm: true, ..equity() };
        let response = service.import(options, &save(document(&notes))).await.unwrap();
        assert_eq!(response.error_count, 0, "{layout:?}");
    }
}
