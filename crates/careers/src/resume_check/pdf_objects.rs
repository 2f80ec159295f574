//! Objects of a PDF file that act by themselves: scripts, programs to start, forms that send data, attached files.
//!
//! Readers find objects through a table of offsets, which a hostile file may point anywhere. So this check does not
//! follow the table: it reads whatever looks like an object, also in compressed object streams and in earlier versions
//! of the document. An action must name its type, so it is found by that name, however the name is written.

use std::collections::HashSet;
use std::io::Read;

use flate2::read::ZlibDecoder;

use super::pdf_tokens::{Token, Tokens};
use super::rejection::Rejection;

const MIB: usize = 1024 * 1024;
/// Maximum size of all object streams together after decompression, against decompression bombs.
const MAX_DECOMPRESSED_BYTES: usize = 64 * MIB;
/// Maximum number of reads of a byte, on average. Well-formed objects do not overlap and are read once.
const MAX_READS_PER_BYTE: usize = 4;
/// Names of actions, annotations and dictionaries that start, send or contain something (ISO 32000-2, 12.6.4, 7.11.4,
/// 12.7.9, 13).
const ACTIVE_NAMES: [&[u8]; 15] = [
    b"EmbeddedFile",
    b"EmbeddedFiles",
    b"FileAttachment",
    b"GoToE",
    b"GoToR",
    b"ImportData",
    b"JavaScript",
    b"Launch",
    b"Movie",
    b"Rendition",
    b"RichMedia",
    b"RichMediaExecute",
    b"Sound",
    b"SubmitForm",
    b"XFA",
];

/// Rejects active content, and object streams that cannot be read.
pub(super) fn check(file: &[u8]) -> Result<(), Rejection> {
    let mut check = Check {
        remaining_bytes: file.len().saturating_mul(MAX_READS_PER_BYTE).saturating_add(MIB),
        decompressed_bytes: 0,
        open_actions: HashSet::new(),
        harmless: HashSet::new(),
        other: HashSet::new(),
    };
    for position in find_word(file, b"trailer") {
        check.read_object(file, position)?;
    }
    for position in find_word(file, b"obj") {
        let object = check.read_object(file, position)?;
        check.add_target(number_before(file, position - 3), &object);
        if let Some(data) = object.stream.and_then(|start| file.get(start..))
            && let Some(layout) = object.layout()?
        {
            check.read_object_stream(data, &layout)?;
        }
    }
    // The action on opening must be a jump to a page. It is a reference to an object that may stand anywhere.
    let is_jump = |number: &u64| check.harmless.contains(number) && !check.other.contains(number);
    if check.open_actions.iter().all(is_jump) { Ok(()) } else { Err(Rejection::Macros) }
}

struct Check {
    remaining_bytes: usize,
    decompressed_bytes: usize,
    /// Numbers of the objects that are actions on opening.
    open_actions: HashSet<u64>,
    /// Numbers of objects that are destinations or jumps to one.
    harmless: HashSet<u64>,
    /// Numbers of all other objects. An object of an earlier version has the same number.
    other: HashSet<u64>,
}

/// Properties of an object that the check needs.
#[derive(Default)]
struct Object {
    is_array: bool,
    /// Value of `/S` in the outermost dictionary: the type of an action.
    action: Option<Vec<u8>>,
    /// Position of the data of a stream.
    stream: Option<usize>,
    /// `/First` and `/N` of an object stream. The inner value is absent if it is not a number.
    first: Option<Option<u64>>,
    count: Option<Option<u64>>,
    has_filter: bool,
    is_deflated: bool,
    /// Name of a filter other than deflate, or of a predictor.
    has_other_filter: bool,
}

/// Layout of an object stream.
struct Layout {
    first: usize,
    count: usize,
    is_deflated: bool,
}

impl Object {
    /// Returns the layout if the stream is an object stream. Readers need `/First` and `/N`; not all need the type.
    fn layout(&self) -> Result<Option<Layout>, Rejection> {
        let (Some(first), Some(count)) = (self.first, self.count) else { return Ok(None) };
        let parse = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        match (parse(first), parse(count)) {
            (Some(first), Some(count)) if !self.has_other_filter && self.has_filter == self.is_deflated => {
                Ok(Some(Layout { first, count, is_deflated: self.is_deflated }))
            }
            // No program writes object streams in another way.
            _ => Err(Rejection::Unreadable),
        }
    }
}

impl Check {
    /// Reads the object at `position`: a dictionary, an array, or another single token.
    fn read_object(&mut self, bytes: &[u8], position: usize) -> Result<Object, Rejection> {
        let mut tokens = Tokens::new(bytes, position);
        let mut object = Object::default();
        let mut depth = 0_usize;
        // The token before, if it is a name, and the depth at which an action on opening began.
        let mut key: Option<Vec<u8>> = None;
        let mut open_action_depth = None;
        while let Some(token) = tokens.next() {
            let value_of = key.take();
            match token {
                Token::Name(name) => {
                    if ACTIVE_NAMES.contains(&name.as_slice()) {
                        return Err(Rejection::Macros);
                    }
                    if value_of.as_deref() == Some(b"S") {
                        if open_action_depth.is_some() && name != b"GoTo" {
                            return Err(Rejection::Macros);
                        }
                        if depth == 1 {
                            object.action = Some(name.clone());
                        }
                    }
                    object.add_filter_name(&name);
                    key = Some(name);
                }
                Token::Number(number) => match value_of.as_deref() {
                    Some(b"OpenAction") => drop(self.open_actions.insert(number)),
                    Some(b"AA") => return Err(Rejection::Macros),
                    Some(b"First") if depth == 1 => object.first = Some(tokens.unless_reference(number)),
                    Some(b"N") if depth == 1 => object.count = Some(tokens.unless_reference(number)),
                    _ => {}
                },
                Token::Open { is_array } => {
                    match value_of.as_deref() {
                        Some(b"AA") if !is_array => return Err(Rejection::Macros),
                        Some(b"OpenAction") if !is_array => open_action_depth = Some(depth),
                        _ => {}
                    }
                    object.is_array |= depth == 0 && is_array;
                    depth += 1;
                }
                Token::Close => {
                    depth = depth.saturating_sub(1);
                    open_action_depth = open_action_depth.filter(|start| depth > *start);
                }
                Token::Word(b"stream") => {
                    object.stream = Some(tokens.data_position());
                    break;
                }
                Token::Word(b"endobj" | b"endstream" | b"xref" | b"startxref" | b"trailer") => break,
                // The second number and the letter of a reference, an operator, or a text.
                Token::Word(_) | Token::Text => {}
            }
            if depth == 0 {
                object.stream = tokens.stream_position();
                break;
            }
        }
        let read = tokens.position().saturating_sub(position).max(1);
        self.remaining_bytes = self.remaining_bytes.checked_sub(read).ok_or(Rejection::Unreadable)?;
        Ok(object)
    }

    /// Notes what an action on opening would do if it is the object of this number.
    fn add_target(&mut self, number: Option<u64>, object: &Object) {
        let Some(number) = number else { return };
        let is_harmless = object.is_array || object.action.as_deref() == Some(b"GoTo");
        if is_harmless { &mut self.harmless } else { &mut self.other }.insert(number);
    }

    /// Reads the objects of an object stream (ISO 32000-2, 7.5.7): pairs of number and offset, then the objects.
    fn read_object_stream(&mut self, data: &[u8], layout: &Layout) -> Result<(), Rejection> {
        let decompressed;
        let content = if layout.is_deflated {
            decompressed = self.decompress(data)?;
            decompressed.as_slice()
        } else {
            data
        };
        let mut pairs = Tokens::new(content, 0);
        for _ in 0..layout.count {
            let (Some(Token::Number(number)), Some(Token::Number(offset))) = (pairs.next(), pairs.next()) else {
                return Err(Rejection::Unreadable);
            };
            let offset = usize::try_from(offset).ok().and_then(|offset| layout.first.checked_add(offset));
            let object = self.read_object(content, offset.ok_or(Rejection::Unreadable)?)?;
            self.add_target(Some(number), &object);
        }
        Ok(())
    }

    /// Decompresses until the end of the compressed data, whatever length the file states for it.
    fn decompress(&mut self, data: &[u8]) -> Result<Vec<u8>, Rejection> {
        let max_bytes = MAX_DECOMPRESSED_BYTES.saturating_sub(self.decompressed_bytes);
        let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let mut content = Vec::new();
        // Readers use what they could decompress of damaged data, so the check does, too.
        let result = ZlibDecoder::new(data).take(limit).read_to_end(&mut content);
        if content.len() > max_bytes || (result.is_err() && content.is_empty()) {
            return Err(Rejection::Unreadable);
        }
        self.decompressed_bytes += content.len();
        self.remaining_bytes = self.remaining_bytes.saturating_add(content.len().saturating_mul(MAX_READS_PER_BYTE));
        Ok(content)
    }
}

impl Object {
    /// Notes the keys of a stream's dictionary that tell how its data is stored.
    fn add_filter_name(&mut self, name: &[u8]) {
        match name {
            b"Filter" => self.has_filter = true,
            b"FlateDecode" | b"Fl" => self.is_deflated = true,
            b"First" => self.first = self.first.or(Some(None)),
            b"N" => self.count = self.count.or(Some(None)),
            b"Predictor" => self.has_other_filter = true,
            _ if name.ends_with(b"Decode") => self.has_other_filter = true,
            _ => {}
        }
    }
}

/// Returns the positions behind each occurrence of `word` that is not part of a longer word. An object's number may
/// touch `obj`.
fn find_word<'a>(bytes: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    bytes.windows(word.len()).enumerate().filter(move |(_, window)| *window == word).filter_map(move |(start, _)| {
        let end = start + word.len();
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let is_start = before.is_none_or(|byte| !byte.is_ascii_alphabetic());
        let is_end = bytes.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        (is_start && is_end).then_some(end)
    })
}

/// Returns the object number of `12 0 obj`, given the position of `obj`.
fn number_before(bytes: &[u8], position: usize) -> Option<u64> {
    let before = bytes.get(..position)?.trim_ascii_end();
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let generation = before.iter().rev().take_while(|byte| is_digit(byte)).count();
    let before = before.get(..before.len() - generation)?.trim_ascii_end();
    let digits = before.iter().rev().take_while(|byte| is_digit(byte)).count();
    let number = before.get(before.len() - digits..)?;
    (generation > 0).then(|| std::str::from_utf8(number).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;

    use super::*;

    fn deflate(content: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// Returns a document whose objects have these contents and the numbers from 1.
    fn document(objects: &[&str]) -> Vec<u8> {
        let numbered = (1..).zip(objects);
        let objects: String = numbered.map(|(number, object)| format!("{number} 0 obj\n{object}\nendobj\n")).collect();
        format!("%PDF-1.7\n{objects}trailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n").into_bytes()
    }

    /// Returns a document with a compressed object stream of two objects, 11 and 12.
    fn document_with_object_stream(dictionary: &str, object: &str, is_deflated: bool) -> Vec<u8> {
        let first = "<< /Type /Font >> ";
        let header = format!("11 0 12 {} ", first.len());
        let content = format!("{header}{first}{object}");
        let data = if is_deflated { deflate(content.as_bytes()) } else { content.into_bytes() };
        let dictionary = dictionary.replace("FIRST", &header.len().to_string());
        let head = format!("%PDF-1.7\n7 0 obj\n<< {dictionary} /Length {} >>\nstream\r\n", data.len());
        [head.as_bytes(), &data, b"\nendstream\nendobj\nstartxref\n9\n%%EOF\n"].concat()
    }

    const OBJECT_STREAM: &str = "/Type /ObjStm /N 2 /First FIRST /Filter /FlateDecode";
    const SCRIPT: &str = "<< /S /JavaScript /JS (app.alert\\(1\\)) >>";

    #[test]
    fn s9_accepts_what_word_processors_write() {
        for objects in [
            // LibreOffice, Chrome and Word: a destination on opening, links, bookmarks, tags and a language.
            &["<< /Type /Catalog /OpenAction [3 0 R /XYZ null null 0] /Lang (en-IN) /MarkInfo << /Marked true >> >>"][..],
            &["<< /OpenAction 2 0 R /PageMode /UseOutlines /Names 3 0 R >>", "<< /S /GoTo /D [4 0 R /Fit] >>"],
            &["<< /OpenAction 2 0 R >>", "[4 0 R /FitH 800]"],
            &["<< /OpenAction << /Type /Action /S /GoTo /D (start) >> >>"],
            &["<< /Subtype /Link /A << /S /URI /URI (https://x.example/javascript/launch) >> >>"],
            // Names in texts and comments are no names.
            &["<< /Title (HTML /JavaScript \\( /Launch) /Dest (a) /Next 4 0 R % /JavaScript\n >>"],
            &["<< /Title <2F4A617661536372697074> /First 4 0 R /Last 5 0 R /Count 2 >>"],
            // Values of forms without scripts, glyphs, and a stream with /N.
            &["<< /Encoding << /Differences [65 /A /AA /AE] >> >>", "<< /AP << /N 4 0 R >> /First 1 >>"],
            &["<< /N 3 /Alternate /DeviceRGB /Length 4 /Filter /FlateDecode >>\nstream\nabcd\nendstream"],
        ] {
            assert_eq!(check(&document(objects)), Ok(()), "{objects:?}");
        }
        let stream = document_with_object_stream(OBJECT_STREAM, "<< /Type /Catalog /Pages 2 0 R >>", true);
        assert_eq!(check(&stream), Ok(()));
    }

    #[test]
    fn s9_rejects_active_content() {
        for object in [
            SCRIPT,
            "<< /S /Java#53cript /JS (x) >>",
            "<< /S/#4aavaScript/JS<00> >>",
            "<< /Names << /JavaScript 4 0 R >> >>",
            "<< /A << /S /Launch /F (cmd.exe) >> >>",
            "<< /A << /S % a comment\n /Launch >> >>",
            "/Launch",
            "<< /AA << /O << /S /URI /URI (https://x.example) >> >> >>",
            "<< /AA 4 0 R >>",
            "<< /OpenAction << /S /URI /URI (https://x.example) >> >>",
            "<< /OpenAction << /Next [] /S /Named /N /Print >> >>",
            "<< /Type /EmbeddedFile /Length 1 >>\nstream\nx\nendstream",
            "<< /A << /S /GoToR /F (\\\\\\\\evil.example\\\\a.pdf) >> >>",
            "<< /A << /S /SubmitForm /F (https://x.example) >> >>",
            "<< /AcroForm << /XFA [(a) 4 0 R] >> >>",
        ] {
            assert_eq!(check(&document(&[object])), Err(Rejection::Macros), "{object}");
            let stream = document_with_object_stream(OBJECT_STREAM, object, true);
            if !object.contains("stream") {
                assert_eq!(check(&stream), Err(Rejection::Macros), "compressed: {object}");
            }
        }
    }

    #[test]
    fn s9_an_action_on_opening_must_be_a_jump_to_a_page_in_every_version() {
        let open = "<< /OpenAction 2 0 R >>";
        assert_eq!(check(&document(&[open])), Err(Rejection::Macros), "the object is missing");
        assert_eq!(check(&document(&[open, "<< /S /URI /URI (https://x.example) >>"])), Err(Rejection::Macros));
        let jump = document(&[open, "<< /S /GoTo /D [3 0 R /Fit] >>"]);
        assert_eq!(check(&jump), Ok(()));
        let newer = b"2 0 obj << /S /URI /URI (https://x.example) >> endobj %%EOF\n".as_slice();
        assert_eq!(check(&[&jump, newer].concat()), Err(Rejection::Macros));
        let in_stream = document_with_object_stream(OBJECT_STREAM, "<< /S /URI /URI (https://x.example) >>", true);
        let open = b"1 0 obj << /OpenAction 12 0 R >> endobj ".as_slice();
        assert_eq!(check(&[open, &in_stream].concat()), Err(Rejection::Macros));
    }

    #[test]
    fn s9_finds_objects_that_hide_from_a_scan_from_start_to_end() {
        for start in ["(", "<", "<< /A (", "9 0 obj (", "% \n9 0 obj <"] {
            let hidden = format!("%PDF-1.7\n{start}\n7 0%\nobj{SCRIPT}endobj\n%%EOF");
            assert_eq!(check(hidden.as_bytes()), Err(Rejection::Macros), "{start}");
        }
        for (dictionary, is_deflated) in [
            ("/N 2 /First FIRST /Filter [/FlateDecode]", true),
            ("/N 2 /F#69rst FIRST /Filter /Fl", true),
            ("/Type /ObjStm /N 2 /First FIRST", false),
        ] {
            let stream = document_with_object_stream(dictionary, SCRIPT, is_deflated);
            assert_eq!(check(&stream), Err(Rejection::Macros), "{dictionary}");
        }
        // Layouts that no program writes.
        for dictionary in [
            "/N 2 /First FIRST /Filter [/ASCIIHexDecode /FlateDecode]",
            "/N 2 /First FIRST /Filter 8 0 R",
            "/N 8 0 R /First FIRST /Filter /FlateDecode",
            "/N 2 /First 8 0 R /Filter /FlateDecode",
            "/N 2 /First FIRST /Filter /FlateDecode /DecodeParms << /Predictor 12 >>",
            "/N 9 /First FIRST /Filter /FlateDecode",
        ] {
            let stream = document_with_object_stream(dictionary, "null", true);
            assert_eq!(check(&stream), Err(Rejection::Unreadable), "{dictionary}");
        }
    }

    #[test]
    fn s9_rejects_files_that_take_long_to_read() {
        let bomb = deflate(&vec![b' '; MAX_DECOMPRESSED_BYTES + 1]);
        let head = b"7 0 obj << /N 1 /First 1 /Filter /FlateDecode >> stream\n".as_slice();
        assert_eq!(check(&[head, &bomb].concat()), Err(Rejection::Unreadable));
        // Each of these objects ends only at the end of the file.
        assert_eq!(check(&b"1 0 obj [".repeat(20_000)), Err(Rejection::Unreadable));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn s9_a_damaged_file_is_never_read_for_long(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
            is_deflated in any::<bool>(),
        ) {
            let dictionary = if is_deflated { OBJECT_STREAM } else { "/N 2 /First FIRST" };
            let mut file = document_with_object_stream(dictionary, "<< /A [ (b) <63> /D ] >>", is_deflated);
            file.extend(document(&["<< /OpenAction 2 0 R >>", "<< /S /GoTo >>"]));
            for (index, byte) in changes {
                *index.get_mut(&mut file) = byte;
            }
            // Any result is right; the check must end without a panic.
            let _: Result<(), Rejection> = check(&file);
        }
    }
}
