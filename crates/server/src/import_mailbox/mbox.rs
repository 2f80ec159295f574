//! Reader of mbox files, one email after the other.
//!
//! The reader of mail-parser holds each email in memory whatever its size, and takes every line that begins with `From `
//! as a separator.

use std::io::{self, BufRead, Read as _, Write};

use super::email_parser::MAX_EMAIL_BYTES;

/// Bytes of a line that are held in memory; the rest of a longer line follows as another piece.
const MAX_PIECE_BYTES: u64 = 64 * 1024;
const SEPARATOR: &[u8] = b"From ";

/// Reader of an mbox file.
pub(super) struct MboxReader<R> {
    reader: R,
    /// Line, or piece of a long line. At first and behind each email, the separator line of the next one.
    piece: Vec<u8>,
    /// The piece is at the start of its line.
    is_line_start: bool,
}

impl<R: BufRead> MboxReader<R> {
    /// Returns a reader; `None` if the file does not begin like an mbox. An empty file is an mbox without emails.
    pub fn new(reader: R) -> io::Result<Option<Self>> {
        let mut mbox = Self { reader, piece: Vec::new(), is_line_start: true };
        while mbox.read_piece()? && mbox.piece.trim_ascii().is_empty() {}
        Ok((mbox.piece.is_empty() || mbox.piece.starts_with(SEPARATOR)).then_some(mbox))
    }

    /// Writes the next email to `out`, and returns its size; `None` after the last one. An email above
    /// [`MAX_EMAIL_BYTES`] is written in part.
    pub fn read_email(&mut self, out: &mut impl Write) -> io::Result<Option<u64>> {
        if self.piece.is_empty() {
            return Ok(None);
        }
        // The piece is the separator, whose rest does not belong to the email.
        while !self.piece.ends_with(b"\n") && self.read_piece()? {}
        let mut size: u64 = 0;
        while self.read_piece()? {
            if self.is_line_start && is_separator(&self.piece) {
                break;
            }
            let content = if self.is_line_start { unquote(&self.piece) } else { &self.piece };
            size = size.saturating_add(content.len() as u64);
            if size <= MAX_EMAIL_BYTES {
                out.write_all(content)?;
            }
        }
        Ok(Some(size))
    }

    /// Reads the next piece; returns false at the end of the file.
    fn read_piece(&mut self) -> io::Result<bool> {
        self.is_line_start = self.piece.is_empty() || self.piece.ends_with(b"\n");
        self.piece.clear();
        Ok((&mut self.reader).take(MAX_PIECE_BYTES).read_until(b'\n', &mut self.piece)? > 0)
    }
}

/// Returns true if a line separates two emails: `From `, then nothing, or a sender and a date with a time. A sentence
/// that begins with the word is no separator; not all programs quote it.
fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(SEPARATOR) else { return false };
    let is_time =
        |word: &[u8]| matches!(word, [a, b, b':', c, d, ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_digit()));
    let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    let words = || rest.split(u8::is_ascii_whitespace);
    rest.trim_ascii().is_empty() || (words().any(is_time) && words().any(is_year))
}

/// Removes one `>` from a quoted line `>From `.
fn unquote(line: &[u8]) -> &[u8] {
    let quotes = line.iter().take_while(|byte| **byte == b'>').count();
    let is_quoted = quotes > 0 && line.get(quotes..).is_some_and(|rest| rest.starts_with(SEPARATOR));
    if is_quoted { line.get(1..).unwrap_or_default() } else { line }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Returns all emails, read through a buffer of `capacity` bytes.
    fn read_all(mbox: &[u8], capacity: usize) -> Vec<(u64, Vec<u8>)> {
        let mut reader = MboxReader::new(BufReader::with_capacity(capacity, mbox)).unwrap().unwrap();
        let mut emails = Vec::new();
        loop {
            let mut email = Vec::new();
            match reader.read_email(&mut email).unwrap() {
                Some(size) => emails.push((size, email)),
                None => return emails,
            }
        }
    }

    #[test]
    fn reads_each_email_without_its_separator_and_quotes() {
        let mbox = b"\nFrom asha@example.in Sat Nov 28 09:15:00 2026\r\nSubject: a\r\n\r\nFrom here on it is text.\r\n\
            >From the start\n>>From twice\n> From\n\
            From - Sat Nov 28 2026 10:00:00\nSubject: b\n\n\nFrom \nSubject: c\n\nlast";
        let expected = [
            &b"Subject: a\r\n\r\nFrom here on it is text.\r\nFrom the start\n>From twice\n> From\n"[..],
            b"Subject: b\n\n\n",
            b"Subject: c\n\nlast",
        ];
        for capacity in [1, 7, 8192] {
            let emails = read_all(mbox, capacity);
            assert_eq!(emails.iter().map(|(_, email)| email.as_slice()).collect::<Vec<_>>(), expected, "{capacity}");
            assert!(emails.iter().all(|(size, email)| *size == email.len() as u64));
        }
    }

    #[test]
    fn rejects_a_file_that_does_not_begin_with_a_separator() {
        for other in [&b"Subject: a\n\nFrom b Sat Nov 28 09:15:00 2026\n"[..], b"%PDF-1.7\n", b"\0\0"] {
            assert!(MboxReader::new(other).unwrap().is_none());
        }
        assert!(read_all(b"", 8).is_empty() && read_all(b"\n\n", 8).is_empty());
    }

    #[test]
    fn skips_the_rest_of_an_email_above_the_size_limit() {
        let line = vec![b'x'; usize::try_from(MAX_EMAIL_BYTES).unwrap() + 10];
        let separator: &[u8] = b"From a@b Sat Nov 28 09:15:00 2026\n";
        let mbox = [separator, b"Subject: ", &line, b"\n", separator, b"Subject: b\n"].concat();
        let emails = read_all(&mbox, 8192);
        assert_eq!(emails.len(), 2);
        assert_eq!(emails[0].0, mbox.len() as u64 - 2 * separator.len() as u64 - 11);
        assert!(emails[0].1.len() as u64 <= MAX_EMAIL_BYTES);
        assert_eq!(emails[1].1, b"Subject: b\n");
    }
}
