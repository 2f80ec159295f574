//! Reader of mbox files, one email after the other.
//!
//! The reader of mail-parser holds each email in memory whatever its size, and takes every line that begins with `From `
//! as a separator.

use std::io::{self, BufRead, Read as _, Write};

use super::email_parser::MAX_EMAIL_BYTES;

/// Bytes of a line that are held in memory; the rest of a longer line follows as another chunk.
const MAX_CHUNK_BYTES: u64 = 64 * 1024;
const SEPARATOR: &[u8] = b"From ";
const WEEKDAYS: [&[u8]; 7] = [b"Sun", b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat"];
const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// Reader of an mbox file.
pub(super) struct MboxReader<R> {
    reader: R,
    /// Line, or chunk of a long line. At first and behind each email, the separator line of the next one.
    chunk: Vec<u8>,
    /// The chunk is at the start of its line.
    is_line_start: bool,
    /// The line before that of the chunk is blank, or there is none.
    is_after_blank_line: bool,
}

impl<R: BufRead> MboxReader<R> {
    /// Returns a reader; `None` if the file does not begin like an mbox. An empty file is an mbox without emails.
    pub fn new(reader: R) -> io::Result<Option<Self>> {
        let mut mbox = Self { reader, chunk: Vec::new(), is_line_start: true, is_after_blank_line: true };
        while mbox.read_chunk()? && mbox.chunk.trim_ascii().is_empty() {}
        Ok((mbox.chunk.is_empty() || is_separator(&mbox.chunk)).then_some(mbox))
    }

    /// Writes the next email to `out`, and returns its size; `None` after the last one. An email above
    /// [`MAX_EMAIL_BYTES`] is written in part.
    pub fn read_email(&mut self, out: &mut impl Write) -> io::Result<Option<u64>> {
        if self.chunk.is_empty() {
            return Ok(None);
        }
        // The chunk is the separator, whose rest does not belong to the email.
        while !self.chunk.ends_with(b"\n") && self.read_chunk()? {}
        let mut size: u64 = 0;
        while self.read_chunk()? {
            if self.is_line_start && self.is_after_blank_line && is_separator(&self.chunk) {
                break;
            }
            let content = if self.is_line_start { unquote(&self.chunk) } else { &self.chunk };
            size = size.saturating_add(content.len() as u64);
            if size <= MAX_EMAIL_BYTES {
                out.write_all(content)?;
            }
        }
        Ok(Some(size))
    }

    /// Reads the next chunk; returns false at the end of the file.
    fn read_chunk(&mut self) -> io::Result<bool> {
        let is_blank_line = self.is_line_start && matches!(self.chunk.as_slice(), b"" | b"\n" | b"\r\n");
        self.is_line_start = self.chunk.is_empty() || self.chunk.ends_with(b"\n");
        self.is_after_blank_line = self.is_line_start && is_blank_line;
        self.chunk.clear();
        Ok((&mut self.reader).take(MAX_CHUNK_BYTES).read_until(b'\n', &mut self.chunk)? > 0)
    }
}

/// Returns true if a line has the form of a separator: `From `, a sender without spaces, and a date such as
/// `Sat Nov 28 09:15:00 2026`, with a zone before or after the year or without one. Thunderbird writes `From ` alone.
fn is_separator(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(SEPARATOR) else { return false };
    let mut fields = rest.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let Some(_sender) = fields.next() else { return true };
    let date: Vec<_> = fields.collect();
    match date.as_slice() {
        [weekday, month, day, time, rest @ ..] => {
            let is_end_of_date = match rest {
                [year] => is_number(year, 4),
                [one, other] => (is_number(one, 4) && is_zone(other)) || (is_zone(one) && is_number(other, 4)),
                _ => false,
            };
            WEEKDAYS.contains(weekday)
                && MONTHS.contains(month)
                && (is_number(day, 1) || is_number(day, 2))
                && is_time(time)
                && is_end_of_date
        }
        _ => false,
    }
}

fn is_number(word: &[u8], digits: usize) -> bool {
    word.len() == digits && word.iter().all(u8::is_ascii_digit)
}

/// Returns true for a time with or without seconds.
fn is_time(word: &[u8]) -> bool {
    let parts: Vec<_> = word.split(|byte| *byte == b':').collect();
    matches!(parts.len(), 2 | 3) && parts.iter().all(|part| is_number(part, 2))
}

/// Returns true for a zone such as `+0530` or `IST`.
fn is_zone(word: &[u8]) -> bool {
    match word {
        [b'+' | b'-', offset @ ..] => is_number(offset, 4),
        name => (1..=5).contains(&name.len()) && name.iter().all(u8::is_ascii_uppercase),
    }
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
            >From the start\n>>From twice\n> From\n\n\
            From - Sat Nov 28 10:00:00 2026\nSubject: b\n\n\nFrom \nSubject: c\n\nlast";
        let expected = [
            &b"Subject: a\r\n\r\nFrom here on it is text.\r\nFrom the start\n>From twice\n> From\n\n"[..],
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
    fn splits_at_lines_of_the_mbox_form_after_a_blank_line_only() {
        for separator in [
            "From asha@example.in Sat Nov 28 09:15:00 2026",
            "From 1850@xxx Sat Nov 28 09:15:00 +0000 2026",
            "From MAILER-DAEMON Sat Nov  8 09:15:00 2026 +0530",
            "From - Sat Nov 28 09:15 IST 2026\r",
            "From ",
            "From \r",
        ] {
            let mbox =
                |before: &str| format!("From - Sat Nov 28 09:15:00 2026\nSubject: a\n{before}{separator}\nb: c\n");
            for capacity in [1, 8192] {
                let count = |before| read_all(mbox(before).as_bytes(), capacity).len();
                assert_eq!((count("\n"), count("\r\n"), count("\ntext\n")), (2, 2, 1), "{separator}");
            }
        }
        for sentence in [
            "From 09:15 to 15:30 on 5 June 2026 at NSE.",
            "From Sat Nov 28 09:15:00 2026",
            "From a b Sat Nov 28 09:15:00 2026",
            "From a@b Sat Nov 28 2026 09:15:00",
            "From a@b Sat Nov 28 09:15:00 2026 we trade",
            "From here",
            "From",
        ] {
            let mbox = format!("From - Sat Nov 28 09:15:00 2026\nSubject: a\n\n{sentence}\nb: c\n");
            assert_eq!(read_all(mbox.as_bytes(), 8192).len(), 1, "{sentence}");
        }
    }

    #[test]
    fn a_long_line_before_a_separator_is_not_blank() {
        let line = "x".repeat(usize::try_from(MAX_CHUNK_BYTES).unwrap());
        let separator = "From - Sat Nov 28 09:15:00 2026\n";
        let mbox = format!("{separator}Subject: a\n\n{line}\n{separator}b: c\n");
        assert_eq!(read_all(mbox.as_bytes(), 8192).len(), 1);
    }

    #[test]
    fn rejects_a_file_that_does_not_begin_with_a_separator() {
        for other in
            [&b"Subject: a\n\nFrom b Sat Nov 28 09:15:00 2026\n"[..], b"From here on\n", b"%PDF-1.7\n", b"\0\0"]
        {
            assert!(MboxReader::new(other).unwrap().is_none());
        }
        assert!(read_all(b"", 8).is_empty() && read_all(b"\n\n", 8).is_empty());
    }

    #[test]
    fn skips_the_rest_of_an_email_above_the_size_limit() {
        let line = vec![b'x'; usize::try_from(MAX_EMAIL_BYTES).unwrap() + 10];
        let separator: &[u8] = b"From a@b Sat Nov 28 09:15:00 2026\n";
        let mbox = [separator, b"Subject: ", &line, b"\n\n", separator, b"Subject: b\n"].concat();
        let emails = read_all(&mbox, 8192);
        assert_eq!(emails.len(), 2);
        assert_eq!(emails[0].0, mbox.len() as u64 - 2 * separator.len() as u64 - 11);
        assert!(emails[0].1.len() as u64 <= MAX_EMAIL_BYTES);
        assert_eq!(emails[1].1, b"Subject: b\n");
    }
}
