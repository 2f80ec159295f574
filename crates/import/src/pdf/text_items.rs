//! Interprets the operators of a page that show text (ISO 32000-1, 9.4).

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Error, Object, ObjectId};

use super::fonts::Font;
use super::matrix::Matrix;
use crate::error::{Rejection, RejectionReason};

/// Decompressed size in bytes of one stream.
pub(super) const MAX_STREAM_BYTES: usize = 1024 * 1024;
/// Levels of forms that show forms.
const MAX_FORM_DEPTH: usize = 4;
/// Operators of a page, with those of its forms.
const MAX_OPERATIONS: usize = 300_000;
/// Saved graphics states.
const MAX_SAVED_STATES: usize = 64;
/// Characters of a word.
const MAX_ITEM_CHARS: usize = 200;
/// Largest gap within a word, as a fraction of the font size.
const MAX_CHAR_GAP: f32 = 0.17;

/// Text without whitespace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextItem {
    pub text: String,
    /// Left and right edge in points.
    pub left: f32,
    pub right: f32,
    /// Baseline in points from the bottom of the page.
    pub baseline: f32,
    /// Font size in points.
    pub size: f32,
    /// False if the font does not state the characters of its codes: the text may be a cipher.
    pub has_characters: bool,
}

#[derive(Clone)]
struct TextState<'d> {
    ctm: Matrix,
    font: Option<Rc<Font<'d>>>,
    font_size: f32,
    char_spacing: f32,
    word_spacing: f32,
    horizontal_scale: f32,
    leading: f32,
    rise: f32,
}

/// Reader of the words of one page.
pub(super) struct PageReader<'d> {
    document: &'d Document,
    fonts: HashMap<*const Dictionary, Option<Rc<Font<'d>>>>,
    state: TextState<'d>,
    saved: Vec<TextState<'d>>,
    text_matrix: Matrix,
    line_matrix: Matrix,
    items: Vec<TextItem>,
    max_items: usize,
    /// True if the next character may continue the last word.
    is_in_word: bool,
    operations: usize,
}

impl<'d> PageReader<'d> {
    pub fn new(document: &'d Document) -> Self {
        let state = TextState {
            ctm: Matrix::IDENTITY,
            font: None,
            font_size: 0.0,
            char_spacing: 0.0,
            word_spacing: 0.0,
            horizontal_scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        Self {
            document,
            fonts: HashMap::new(),
            state,
            saved: Vec::new(),
            text_matrix: Matrix::IDENTITY,
            line_matrix: Matrix::IDENTITY,
            items: Vec::new(),
            max_items: 0,
            is_in_word: false,
            operations: 0,
        }
    }

    /// Returns the words of a page, at most `max_items`.
    pub fn read_page(mut self, page: ObjectId, content: &[u8], max_items: usize) -> Result<Vec<TextItem>, Rejection> {
        self.max_items = max_items;
        let (own, inherited) = self.document.get_page_resources(page).map_err(|_| RejectionReason::PdfDamaged)?;
        let inherited = inherited.into_iter().filter_map(|id| self.document.get_dictionary(id).ok());
        let resources: Vec<&Dictionary> = own.into_iter().chain(inherited).collect();
        self.run(content, &resources, 0)?;
        Ok(self.items)
    }

    fn run(&mut self, content: &[u8], resources: &[&'d Dictionary], depth: usize) -> Result<(), Rejection> {
        for operation in Content::decode_iter(content) {
            let operation = operation.map_err(|_| RejectionReason::PdfDamaged)?;
            self.operations += 1;
            if self.operations > MAX_OPERATIONS {
                return Err(RejectionReason::PdfTooLarge.into());
            }
            match (operation.operator.as_str(), operation.operands.as_slice()) {
                ("Do", [Object::Name(name)]) => self.show_form(name, resources, depth)?,
                ("Tf", [Object::Name(name), size]) => {
                    self.state.font = self.find_font(name, resources);
                    self.state.font_size = size.as_float().unwrap_or_default();
                }
                ("Tj", [Object::String(text, _)]) => self.show(text)?,
                ("'", [Object::String(text, _)]) => {
                    self.next_line(0.0, -self.state.leading);
                    self.show(text)?;
                }
                ("\"", [word_spacing, char_spacing, Object::String(text, _)]) => {
                    self.state.word_spacing = word_spacing.as_float().unwrap_or_default();
                    self.state.char_spacing = char_spacing.as_float().unwrap_or_default();
                    self.next_line(0.0, -self.state.leading);
                    self.show(text)?;
                }
                ("TJ", [Object::Array(parts)]) => {
                    for part in parts {
                        match part {
                            Object::String(text, _) => self.show(text)?,
                            other => {
                                let shift = other.as_float().unwrap_or_default() / 1000.0;
                                self.advance(-shift * self.state.font_size);
                            }
                        }
                    }
                }
                _ => self.set_state(&operation),
            }
        }
        Ok(())
    }

    /// Applies an operator that changes the state only.
    fn set_state(&mut self, operation: &Operation) {
        let operands = operation.operands.as_slice();
        let numbers: Vec<f32> = operands.iter().map_while(|operand| operand.as_float().ok()).collect();
        match (operation.operator.as_str(), numbers.as_slice()) {
            ("q", _) if self.saved.len() < MAX_SAVED_STATES => self.saved.push(self.state.clone()),
            ("Q", _) => self.state = self.saved.pop().unwrap_or_else(|| self.state.clone()),
            ("cm", _) => {
                if let Some(matrix) = Matrix::from_operands(operands) {
                    self.state.ctm = matrix.then(self.state.ctm);
                }
            }
            ("BT", _) => self.set_matrix(Matrix::IDENTITY),
            ("Tm", _) => {
                if let Some(matrix) = Matrix::from_operands(operands) {
                    self.set_matrix(matrix);
                }
            }
            ("Td", [x, y]) => self.next_line(*x, *y),
            ("TD", [x, y]) => {
                self.state.leading = -y;
                self.next_line(*x, *y);
            }
            ("T*", _) => self.next_line(0.0, -self.state.leading),
            ("TL", [leading]) => self.state.leading = *leading,
            ("Tc", [spacing]) => self.state.char_spacing = *spacing,
            ("Tw", [spacing]) => self.state.word_spacing = *spacing,
            ("Tz", [percent]) => self.state.horizontal_scale = percent / 100.0,
            ("Ts", [rise]) => self.state.rise = *rise,
            _ => (),
        }
    }

    fn set_matrix(&mut self, matrix: Matrix) {
        (self.text_matrix, self.line_matrix) = (matrix, matrix);
    }

    fn next_line(&mut self, x: f32, y: f32) {
        self.set_matrix(Matrix::translation(x, y).then(self.line_matrix));
    }

    fn advance(&mut self, width: f32) {
        let width = width * self.state.horizontal_scale;
        self.text_matrix = Matrix::translation(width, 0.0).then(self.text_matrix);
    }

    fn find_font(&mut self, name: &[u8], resources: &[&'d Dictionary]) -> Option<Rc<Font<'d>>> {
        let document = self.document;
        let font = find_resource(document, b"Font", name, resources)?.as_dict().ok()?;
        let read = || Font::read(document, font).map(Rc::new);
        self.fonts.entry(std::ptr::from_ref(font)).or_insert_with(read).clone()
    }

    /// Shows a form, which is content with its own resources.
    fn show_form(&mut self, name: &[u8], resources: &[&'d Dictionary], depth: usize) -> Result<(), Rejection> {
        let document = self.document;
        let Some(Object::Stream(form)) = find_resource(document, b"XObject", name, resources) else { return Ok(()) };
        if !form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|subtype| subtype == b"Form") {
            return Ok(());
        }
        if depth >= MAX_FORM_DEPTH {
            return Err(RejectionReason::PdfTooLarge.into());
        }
        let content = form.decompressed_content_with_limit(MAX_STREAM_BYTES).map_err(content_error)?;
        let own = form.dict.get_deref(b"Resources", document).and_then(Object::as_dict).ok();
        let resources: Vec<&Dictionary> = own.into_iter().chain(resources.iter().copied()).collect();
        let (state, saved) = (self.state.clone(), std::mem::take(&mut self.saved));
        let matrix = form.dict.get_deref(b"Matrix", document).and_then(Object::as_array).ok();
        if let Some(matrix) = matrix.and_then(|numbers| Matrix::from_operands(numbers)) {
            self.state.ctm = matrix.then(self.state.ctm);
        }
        self.run(&content, &resources, depth + 1)?;
        (self.state, self.saved) = (state, saved);
        Ok(())
    }

    fn show(&mut self, text: &[u8]) -> Result<(), Rejection> {
        let Some(font) = self.state.font.clone() else { return Ok(()) };
        for code in text.chunks(font.code_bytes) {
            let decoded = font.decode(code);
            let width = font.width(code) * self.state.font_size;
            self.add_text(&decoded, width, font.has_characters)?;
            let is_space = code == [b' '];
            let spacing = self.state.char_spacing + if is_space { self.state.word_spacing } else { 0.0 };
            self.advance(width + spacing);
        }
        Ok(())
    }

    /// Adds the text of one code at the current position to the last word, or as a new word.
    fn add_text(&mut self, text: &str, width: f32, has_characters: bool) -> Result<(), Rejection> {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        if text.trim().is_empty() {
            self.is_in_word &= text.is_empty();
            return Ok(());
        }
        let matrix = Matrix::translation(0.0, self.state.rise).then(self.text_matrix).then(self.state.ctm);
        let (Some((horizontal, vertical)), (left, baseline)) = (matrix.upright_scale(), matrix.origin()) else {
            return Ok(());
        };
        let size = (self.state.font_size * vertical).abs();
        let right = left + width * self.state.horizontal_scale * horizontal;
        if !(left.is_finite() && right.is_finite() && baseline.is_finite() && size.is_finite()) {
            return Ok(());
        }
        if self.is_in_word
            && let Some(item) = self.items.last_mut()
            && (item.baseline - baseline).abs() < size * 0.1
            && (left - item.right).abs() <= size * MAX_CHAR_GAP
            && item.text.len() < MAX_ITEM_CHARS
        {
            item.text.push_str(&text);
            item.right = right;
            item.has_characters &= has_characters;
            return Ok(());
        }
        if self.items.len() >= self.max_items {
            return Err(RejectionReason::PdfTooLarge.into());
        }
        self.items.push(TextItem { text, left, right, baseline, size, has_characters });
        self.is_in_word = true;
        Ok(())
    }
}

fn find_resource<'d>(
    document: &'d Document,
    kind: &[u8],
    name: &[u8],
    resources: &[&'d Dictionary],
) -> Option<&'d Object> {
    resources.iter().find_map(|resources| {
        let objects = resources.get_deref(kind, document).and_then(Object::as_dict).ok()?;
        objects.get_deref(name, document).ok()
    })
}

/// Converts an error of a page's content: too long, or damaged.
pub(super) fn content_error(error: Error) -> Rejection {
    match error {
        Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => RejectionReason::PdfTooLarge.into(),
        _ => RejectionReason::PdfDamaged.into(),
    }
}
