//! PDF documents with text at given positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use lopdf::content::{Content, Operation};
use lopdf::encryption::crypt_filters::{Aes128CryptFilter, Aes256CryptFilter, CryptFilter, Rc4CryptFilter};
use lopdf::{Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary};

/// Width of a character of Courier as a fraction of the font size.
const COURIER_WIDTH: f32 = 0.6;

/// Text with its left edge or, if `is_right`, its right edge, from the bottom left of the page.
#[derive(Clone, Debug)]
pub struct Text {
    pub x: f32,
    pub y: f32,
    pub is_right: bool,
    pub text: String,
}

/// Encryption algorithms of PDF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encryption {
    Rc4With40Bits,
    Rc4With128Bits,
    Rc4Filter,
    Aes128,
    Aes256Revision5,
    Aes256Revision6,
}

pub const ENCRYPTIONS: [Encryption; 6] = [
    Encryption::Rc4With40Bits,
    Encryption::Rc4With128Bits,
    Encryption::Rc4Filter,
    Encryption::Aes128,
    Encryption::Aes256Revision5,
    Encryption::Aes256Revision6,
];

/// Returns a document with these pages of text in Courier of `size` points.
pub fn document(pages: &[Vec<Text>], size: f32) -> Document {
    let mut document = Document::with_version("1.7");
    let pages_id = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding",
        "FirstChar" => 32, "LastChar" => 255, "Widths" => vec![Object::Integer(600); 224],
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for page in pages {
        let mut operations =
            vec![Operation::new("BT", vec![]), Operation::new("Tf", vec!["F1".into(), Object::Real(size)])];
        for text in page {
            let width = text.text.chars().count() as f32 * size * COURIER_WIDTH;
            let x = if text.is_right { text.x - width } else { text.x };
            let position = [1.0, 0.0, 0.0, 1.0, x, text.y].map(Object::Real).to_vec();
            operations.push(Operation::new("Tm", position));
            let bytes: Vec<u8> = text.text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
            operations.push(Operation::new("Tj", vec![Object::string_literal(bytes)]));
        }
        operations.push(Operation::new("ET", vec![]));
        let content = document.add_object(Stream::new(dictionary! {}, Content { operations }.encode().unwrap()));
        let page = dictionary! {
            "Type" => "Page", "Parent" => pages_id, "Contents" => content, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 842.into(), 595.into()],
        };
        kids.push(document.add_object(page).into());
    }
    let count = i64::try_from(kids.len()).unwrap();
    document
        .objects
        .insert(pages_id, Object::Dictionary(dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages_id });
    document.trailer.set("Root", catalog);
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    document.compress();
    document
}

/// Returns the file of a document.
pub fn save(mut document: Document) -> Vec<u8> {
    let mut file = Vec::new();
    document.save_to(&mut file).unwrap();
    file
}

/// Returns the file of a document that `password` opens.
pub fn save_encrypted(mut document: Document, encryption: Encryption, password: &str) -> Vec<u8> {
    let filters = |filter: Arc<dyn CryptFilter>| BTreeMap::from([(b"StdCF".to_vec(), filter)]);
    let name = b"StdCF".to_vec();
    let (owner_password, user_password, permissions) = ("owner", password, Permissions::all());
    let key = [7; 32];
    #[allow(deprecated, reason = "brokers may still use revision 5")]
    let version = match encryption {
        Encryption::Rc4With40Bits => {
            EncryptionVersion::V1 { document: &document, owner_password, user_password, permissions }
        }
        Encryption::Rc4With128Bits => {
            EncryptionVersion::V2 { document: &document, owner_password, user_password, key_length: 128, permissions }
        }
        Encryption::Rc4Filter | Encryption::Aes128 => EncryptionVersion::V4 {
            document: &document,
            encrypt_metadata: true,
            crypt_filters: filters(if encryption == Encryption::Aes128 {
                Arc::new(Aes128CryptFilter)
            } else {
                Arc::new(Rc4CryptFilter)
            }),
            stream_filter: name.clone(),
            string_filter: name,
            owner_password,
            user_password,
            permissions,
        },
        Encryption::Aes256Revision5 => EncryptionVersion::R5 {
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes256CryptFilter)),
            file_encryption_key: &key,
            stream_filter: name.clone(),
            string_filter: name,
            owner_password,
            user_password,
            permissions,
        },
        Encryption::Aes256Revision6 => EncryptionVersion::V5 {
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes256CryptFilter)),
            file_encryption_key: &key,
            stream_filter: name.clone(),
            string_filter: name,
            owner_password,
            user_password,
            permissions,
        },
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    save(document)
}
