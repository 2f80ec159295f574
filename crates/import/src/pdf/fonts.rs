//! Codes of a font: their text and their widths.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Encoding, Object};

/// Decompressed size in bytes of a table of characters.
const MAX_CMAP_BYTES: usize = 256 * 1024;
/// Widths of one font.
const MAX_WIDTHS: usize = 70_000;
/// Width in thousandths of the font size of a code without a stated width: that of a digit in Helvetica.
const DEFAULT_WIDTH: f32 = 556.0;

/// Font of a page.
pub(super) struct Font<'d> {
    encoding: Encoding<'d>,
    /// Bytes of a code: two in composite fonts.
    pub code_bytes: usize,
    /// False for a composite font without a table of characters, whose codes are numbers of glyphs.
    pub has_characters: bool,
    widths: HashMap<u32, f32>,
    default_width: f32,
}

impl<'d> Font<'d> {
    /// Reads a font; none if its characters cannot be decoded.
    pub fn read(document: &'d Document, font: &'d Dictionary) -> Option<Self> {
        let encoding = font.get_font_encoding_with_limit(document, MAX_CMAP_BYTES).ok()?;
        let is_composite = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Type0");
        let mut read = Self {
            encoding,
            code_bytes: if is_composite { 2 } else { 1 },
            has_characters: !is_composite
                || font.get_deref(b"ToUnicode", document).is_ok_and(|table| table.as_stream().is_ok()),
            widths: HashMap::new(),
            default_width: if is_composite { 1000.0 } else { DEFAULT_WIDTH },
        };
        if is_composite {
            read.read_composite_widths(document, font);
        } else {
            read.read_simple_widths(document, font);
        }
        Some(read)
    }

    /// Returns the text of a code.
    pub fn decode(&self, code: &[u8]) -> String {
        self.encoding.bytes_to_string(code).unwrap_or_default()
    }

    /// Returns the width of a code as a fraction of the font size.
    pub fn width(&self, code: &[u8]) -> f32 {
        let number = code.iter().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
        self.widths.get(&number).unwrap_or(&self.default_width) / 1000.0
    }

    fn read_simple_widths(&mut self, document: &Document, font: &Dictionary) {
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or_default();
        let Ok(widths) = font.get_deref(b"Widths", document).and_then(Object::as_array) else { return };
        let codes = u32::try_from(first).unwrap_or_default()..;
        let numbers = widths.iter().map(|width| number(document, width)).take(256);
        self.widths = codes.zip(numbers).filter_map(|(code, width)| Some((code, width?))).collect();
    }

    /// Reads the array `W`: `c [w1 w2 …]` for codes from `c` on, or `first last w`.
    fn read_composite_widths(&mut self, document: &Document, font: &Dictionary) {
        let descendants = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
        let descendant = descendants.ok().and_then(|fonts| document.dereference(fonts.first()?).ok());
        let Some((_, Object::Dictionary(descendant))) = descendant else { return };
        if let Some(width) = descendant.get(b"DW").ok().and_then(|width| number(document, width)) {
            self.default_width = width;
        }
        let Ok(entries) = descendant.get_deref(b"W", document).and_then(Object::as_array) else { return };
        let mut entries = entries.iter();
        while let (Some(first), Some(second)) = (entries.next().and_then(code), entries.next()) {
            if let Ok((_, Object::Array(widths))) = document.dereference(second) {
                let numbers = widths.iter().take(MAX_WIDTHS - self.widths.len().min(MAX_WIDTHS));
                let widths = (first..).zip(numbers).filter_map(|(code, width)| Some((code, number(document, width)?)));
                self.widths.extend(widths);
            } else if let (Some(last), Some(width)) = (code(second), entries.next().and_then(|w| number(document, w))) {
                let room = u32::try_from(MAX_WIDTHS - self.widths.len().min(MAX_WIDTHS)).unwrap_or_default();
                self.widths.extend((first..=last.min(first.saturating_add(room))).map(|code| (code, width)));
            }
        }
    }
}

fn code(object: &Object) -> Option<u32> {
    object.as_i64().ok().and_then(|code| u32::try_from(code).ok()).filter(|code| *code <= 0xffff)
}

fn number(document: &Document, object: &Object) -> Option<f32> {
    document.dereference(object).ok()?.1.as_float().ok()
}
