//! Parser of emails, run in a sandboxed process and never in the command itself: anybody can send an email.
//!
//! [`main`] is the process: it reads an email from stdin, and writes to stdout a line of JSON, the [`Head`], followed by
//! the bytes of the attachments that it lists. A program calls it before anything else if its first argument is
//! [`ARGUMENT`].

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use mail_parser::{HeaderName, Message, MessageParser, MessagePart, MimeHeaders as _, PartType};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

/// First argument that makes the program a parser of emails.
pub const ARGUMENT: &str = "parse-email";

/// Maximum size of an email in bytes. Providers accept about 25 MB.
pub(super) const MAX_EMAIL_BYTES: u64 = 30 * 1024 * 1024;
/// Maximum number of broker files in an email.
const MAX_ATTACHMENTS: usize = 50;
/// Maximum depth of emails that are attached to emails.
const MAX_FORWARD_DEPTH: usize = 8;
/// Maximum size of the JSON in bytes; the names of all attachments fit.
const MAX_HEAD_BYTES: u64 = 256 * 1024;
/// Maximum size of all attachments in bytes. Decoding makes text in rare encodings longer.
const MAX_CONTENT_BYTES: u64 = 2 * MAX_EMAIL_BYTES;
/// Maximum length of an email address (RFC 5321).
const MAX_ADDRESS_BYTES: usize = 320;
/// Time that the process may run. It may use 20 s of CPU time.
const PARSE_TIMEOUT: Duration = Duration::from_secs(40);

/// Times that an email may state, in seconds since 1970: the years 1990 to 2099.
const SENT_AT_RANGE: Range<i64> = 631_152_000..4_102_444_800;

const PDF_MAGIC: &[u8] = b"%PDF";
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// OLE compound file, such as .xls.
const OLE_MAGIC: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// Email with the attachments that may be broker files.
#[derive(Debug)]
pub(super) struct Email {
    /// Time of sending in seconds since 1970, as the email states it; absent outside [`SENT_AT_RANGE`].
    pub sent_at: Option<i64>,
    /// Address in the From header; empty if the email does not state exactly one.
    pub sender: String,
    /// Parts of the email could not be read, or are too many or too deeply nested.
    pub is_incomplete: bool,
    pub attachments: Vec<Attachment>,
}

/// Attachment that may be a broker file.
#[derive(Debug)]
pub(super) struct Attachment {
    pub name: String,
    /// The content is not what the name says, such as text in a .pdf file.
    pub is_damaged: bool,
    pub content: Vec<u8>,
}

/// First line of the output.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Head {
    sent_at: Option<i64>,
    sender: String,
    is_incomplete: bool,
    attachments: Vec<AttachmentHead>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AttachmentHead {
    name: String,
    is_damaged: bool,
    bytes: u64,
}

/// Parses the email in `file` with the parser process `program`; `None` if it is not an email or the process fails.
///
/// # Errors
/// If the process cannot be started.
pub(super) async fn parse(program: &Path, file: File) -> io::Result<Option<Email>> {
    let mut parser = sandbox::command(program, &[ARGUMENT], file).spawn()?;
    let Some(stdout) = parser.stdout.take() else { return Ok(None) };
    let parsed = tokio::time::timeout(PARSE_TIMEOUT, async {
        let email = read_output(stdout).await?;
        Ok::<_, io::Error>(parser.wait().await?.success().then_some(email))
    });
    Ok(parsed.await.ok().and_then(Result::ok).flatten())
}

/// Reads the output of the process, which a malicious email may control.
async fn read_output(stdout: impl tokio::io::AsyncRead + Unpin) -> io::Result<Email> {
    let mut output = BufReader::new(stdout);
    let mut line = Vec::new();
    (&mut output).take(MAX_HEAD_BYTES).read_until(b'\n', &mut line).await?;
    let head: Head = serde_json::from_slice(&line)?;
    let sizes = head.attachments.iter().map(|attachment| attachment.bytes);
    let total = sizes.fold(0, u64::saturating_add);
    if total > MAX_CONTENT_BYTES || head.attachments.len() > MAX_ATTACHMENTS {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut attachments = Vec::with_capacity(head.attachments.len());
    for AttachmentHead { name, is_damaged, bytes } in head.attachments {
        let mut content = Vec::new();
        (&mut output).take(bytes).read_to_end(&mut content).await?;
        if content.len() as u64 != bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        attachments.push(Attachment { name: clean_name(&name), is_damaged, content });
    }
    let sent_at = head.sent_at.filter(|seconds| SENT_AT_RANGE.contains(seconds));
    let sender = clean_address(&head.sender);
    Ok(Email { sent_at, sender, is_incomplete: head.is_incomplete, attachments })
}

/// Runs the process: parses the email on stdin and writes the result to stdout. Any exit code except success means that
/// it was not parsed.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    sandbox::confine()?;
    let (input, mut output) = sandbox::stdio_files()?;
    let mut raw = Vec::new();
    input.take(MAX_EMAIL_BYTES + 1).read_to_end(&mut raw)?;
    if raw.len() as u64 > MAX_EMAIL_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let email = MessageParser::default().parse(&raw).ok_or(io::ErrorKind::InvalidData)?;
    let (head, contents) = find_attachments(&email);
    serde_json::to_writer(&mut output, &head)?;
    output.write_all(b"\n")?;
    contents.iter().try_for_each(|content| output.write_all(content))?;
    // Dropping recurses into each forwarded email, of which there may be more than the stack can take.
    std::mem::forget(email);
    Ok(())
}

/// Returns the facts about an email, and the contents of its attachments that may be broker files.
fn find_attachments<'m>(email: &'m Message<'_>) -> (Head, Vec<&'m [u8]>) {
    let sent_at = email.date().map(mail_parser::DateTime::to_timestamp);
    let mut head = Head { sent_at, sender: sender_address(email), ..Head::default() };
    let mut contents = Vec::new();
    let mut pending = vec![(email, 0)];
    let mut delimiters = ClosingDelimiters::default();
    while let Some((email, depth)) = pending.pop() {
        for part in &email.parts {
            match &part.body {
                PartType::Multipart(_) => {
                    head.is_incomplete |= !delimiters.close(part, &email.raw_message);
                    continue;
                }
                PartType::Message(forwarded) if depth < MAX_FORWARD_DEPTH => {
                    pending.push((forwarded, depth + 1));
                    continue;
                }
                PartType::Message(_) => {
                    head.is_incomplete = true;
                    continue;
                }
                PartType::Text(_) | PartType::Html(_) | PartType::Binary(_) | PartType::InlineBinary(_) => {}
            }
            // Parts that should contain others, but without a usable boundary, or nested too deeply.
            head.is_incomplete |=
                has_media_type(part, "multipart", None) || has_media_type(part, "message", Some("rfc822"));
            let kind = FileKind::of(part);
            let content = part.contents();
            if !kind.is_broker_file(content) {
                continue;
            }
            if contents.len() == MAX_ATTACHMENTS {
                head.is_incomplete = true;
                return (head, contents);
            }
            head.attachments.push(AttachmentHead {
                name: clean_name(part.attachment_name().unwrap_or_default()),
                is_damaged: kind.contradicts(content),
                bytes: content.len() as u64,
            });
            contents.push(content);
        }
    }
    (head, contents)
}

/// Returns the address of the sender; empty unless all From headers together have exactly one.
fn sender_address(email: &Message<'_>) -> String {
    let mut addresses = email.header_values(HeaderName::From).flat_map(|header| {
        let addresses =
            header.as_address().map(|addresses| addresses.iter().map(|one| one.address().unwrap_or_default()));
        // A header that has no address counts as one, so that no other one is taken.
        addresses.map_or_else(|| vec![""], Iterator::collect)
    });
    match (addresses.next(), addresses.next()) {
        (Some(address), None) => clean_address(address),
        _ => String::new(),
    }
}

/// Boundaries of the closing delimiters in a raw email, such as `b` of `--b--`.
#[derive(Default)]
struct ClosingDelimiters<'m> {
    /// Raw email that was searched; an email and the ones forwarded in it as text share it.
    raw: &'m [u8],
    boundaries: HashSet<&'m [u8]>,
}

impl<'m> ClosingDelimiters<'m> {
    /// Returns true if the multipart `part` of the email `raw` has its closing delimiter.
    fn close(&mut self, part: &MessagePart<'_>, raw: &'m [u8]) -> bool {
        if !std::ptr::eq(self.raw, raw) {
            let line_boundary = |line: &'m [u8]| line.trim_ascii_end().strip_prefix(b"--")?.strip_suffix(b"--");
            *self = Self { raw, boundaries: raw.split(|byte| *byte == b'\n').filter_map(line_boundary).collect() };
        }
        let boundary = part.content_type().and_then(|media_type| media_type.attribute("boundary"));
        boundary.is_some_and(|boundary| self.boundaries.contains(boundary.as_bytes()))
    }
}

fn has_media_type(part: &MessagePart<'_>, main: &str, sub: Option<&str>) -> bool {
    part.content_type().is_some_and(|media_type| {
        let is_sub = |sub: &str| media_type.subtype().is_some_and(|stated| stated.eq_ignore_ascii_case(sub));
        media_type.ctype().eq_ignore_ascii_case(main) && sub.is_none_or(is_sub)
    })
}

/// Kind of a file, as its name or its media type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Pdf,
    /// .xlsx or .zip.
    Zip,
    /// .xls, which may also be an HTML table, or .csv.
    Table,
    Other,
}

impl FileKind {
    fn of(part: &MessagePart<'_>) -> Self {
        let name = part.attachment_name().unwrap_or_default().to_ascii_lowercase();
        match name.rsplit('.').next() {
            Some("pdf") => Self::Pdf,
            Some("xlsx" | "zip") => Self::Zip,
            Some("xls" | "csv") => Self::Table,
            _ if has_media_type(part, "application", Some("pdf")) => Self::Pdf,
            _ if has_media_type(part, "text", Some("csv")) => Self::Table,
            _ => Self::Other,
        }
    }

    /// Returns true if a part may be a broker file, by its first bytes, or else by its name.
    fn is_broker_file(self, content: &[u8]) -> bool {
        [PDF_MAGIC, ZIP_MAGIC, OLE_MAGIC].iter().any(|magic| content.starts_with(magic)) || self != Self::Other
    }

    /// Returns true if the content cannot be of this kind.
    fn contradicts(self, content: &[u8]) -> bool {
        match self {
            Self::Pdf => !content.starts_with(PDF_MAGIC),
            Self::Zip => !content.starts_with(ZIP_MAGIC),
            Self::Table | Self::Other => false,
        }
    }
}

/// Returns a file name without folders and without characters that are not safe to display.
fn clean_name(name: &str) -> String {
    import::sanitize_file_name(name.rsplit(['/', '\\']).next().unwrap_or_default())
}

/// Returns an email address without characters that are not safe to display; empty if it is too long.
fn clean_address(address: &str) -> String {
    if address.len() <= MAX_ADDRESS_BYTES { import::remove_deceptive_chars(address) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;

    use super::*;

    /// Returns an email with parts; each has its headers and its body.
    fn email(parts: &[String]) -> String {
        let parts: String = parts.iter().map(|part| format!("--b\r\n{part}\r\n")).collect();
        format!(
            "From: no-reply@broker.example\r\nDate: Fri, 05 Jun 2026 20:15:00 +0530\r\nSubject: Contract note\r\n\
             MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{parts}--b--\r\n"
        )
    }

    /// Returns a part with the file `name`.
    fn part(media_type: &str, name: &str, content: &[u8]) -> String {
        format!(
            "Content-Type: {media_type}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}",
            BASE64.encode(content)
        )
    }

    /// Returns the head with the contents of the attachments; `None` if the email is none.
    fn parse(raw: &[u8]) -> Option<(Head, Vec<Vec<u8>>)> {
        let email = MessageParser::default().parse(raw)?;
        let (head, contents) = find_attachments(&email);
        let contents = contents.into_iter().map(<[u8]>::to_vec).collect();
        std::mem::forget(email);
        Some((head, contents))
    }

    fn names(head: &Head) -> Vec<&str> {
        head.attachments.iter().map(|attachment| attachment.name.as_str()).collect()
    }

    #[test]
    fn finds_broker_files_by_content_or_name_and_nothing_else() {
        let raw = email(&[
            "Content-Type: text/plain\r\n\r\nPK Rao, a,b,c,d".to_owned(),
            "Content-Type: text/html\r\n\r\n<table><tr><td>Dear customer</table>".to_owned(),
            part("image/png", "logo.png", b"\x89PNG\r\n"),
            part("application/pkcs7-signature", "smime.p7s", b"\x30\x80"),
            part("application/octet-stream", "note", b"%PDF-1.7 a"),
            part("application/pdf", "../../etc/b.PDF", b"%PDF-1.7 b"),
            part("application/octet-stream", "c.xlsx", b"PK\x03\x04 c"),
            part("application/vnd.ms-excel", "d.xls", b"<table>d</table>"),
            part("text/csv", "e\u{202e}.csv", b"symbol,price\n"),
            part("application/octet-stream", "f", &[OLE_MAGIC, b" f"].concat()),
        ]);
        let (head, contents) = parse(raw.as_bytes()).unwrap();
        assert_eq!(names(&head), ["note", "b.PDF", "c.xlsx", "d.xls", "e.csv", "f"]);
        assert_eq!((contents[0].as_slice(), contents[4].as_slice()), (&b"%PDF-1.7 a"[..], &b"symbol,price\n"[..]));
        assert!(!head.is_incomplete && head.attachments.iter().all(|attachment| !attachment.is_damaged));
        assert_eq!(head.sent_at, Some(1_780_670_700));
    }

    #[test]
    fn marks_a_file_whose_content_contradicts_its_name() {
        let broken =
            "Content-Type: application/pdf; name=\"a.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n*not base64*";
        let raw = email(&[
            broken.to_owned(),
            part("application/pdf", "b.pdf", b"<html>"),
            part("application/zip", "c.zip", b"%PDF-1.7"),
            part("application/pdf", "d.pdf", b"%PDF-1.7"),
        ]);
        let (head, _) = parse(raw.as_bytes()).unwrap();
        let damaged: Vec<_> = head.attachments.iter().map(|attachment| attachment.is_damaged).collect();
        assert_eq!((names(&head), damaged), (vec!["a.pdf", "b.pdf", "c.zip", "d.pdf"], vec![true, true, true, false]));
    }

    #[test]
    fn the_sender_is_the_only_address_of_all_from_headers() {
        let long = format!("{}@a.in", "x".repeat(320));
        for (headers, sender) in [
            ("From: Zerodha <no-reply@zerodha.com>\r\n", "no-reply@zerodha.com"),
            ("From: \"no-reply@zerodha.com\" <a@evil.example>\r\n", "a@evil.example"),
            ("From: no-reply@zerodha.com\r\nFrom: a@evil.example\r\n", ""),
            ("From: a@evil.example, no-reply@zerodha.com\r\n", ""),
            ("From:\r\nFrom: no-reply@zerodha.com\r\n", ""),
            ("Sender: no-reply@zerodha.com\r\n", ""),
            (&format!("From: {long}\r\n"), ""),
        ] {
            let raw = format!("{headers}Subject: a\r\n\r\ntext");
            assert_eq!(parse(raw.as_bytes()).unwrap().0.sender, sender, "{headers}");
        }
    }

    #[test]
    fn finds_the_files_of_forwarded_emails() {
        let inner = email(&[part("application/pdf", "inner.pdf", b"%PDF-1.7")]);
        let encoded = format!(
            "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
            BASE64.encode(&inner)
        );
        let plain =
            format!("Content-Type: message/rfc822\r\n\r\n{}", inner.replace("=b\r\n", "=c\r\n").replace("--b", "--c"));
        for forwarded in [encoded, plain] {
            let (head, _) = parse(email(&[forwarded]).as_bytes()).unwrap();
            assert_eq!((names(&head), head.is_incomplete), (vec!["inner.pdf"], false));
        }
    }

    #[test]
    fn finds_the_file_in_200_nested_multiparts() {
        let mut raw = part("application/pdf", "deep.pdf", b"%PDF-1.7");
        for level in 0..200 {
            raw = format!(
                "Content-Type: multipart/mixed; boundary=l{level}x\r\n\r\n--l{level}x\r\n{raw}\r\n--l{level}x--\r\n"
            );
        }
        let (head, _) = parse(raw.as_bytes()).unwrap();
        assert_eq!(names(&head), ["deep.pdf"]);
    }

    #[test]
    fn an_email_that_cannot_be_read_in_full_is_incomplete() {
        let no_boundary = "Subject: a\r\nContent-Type: multipart/mixed\r\n\r\n--b\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n--b--\r\n";
        let absent_boundary = no_boundary.replace("mixed", "mixed; boundary=absent");
        let deep = "Content-Type: message/rfc822\r\n\r\n".repeat(100_000) + "Subject: a\r\n\r\ntext";
        let cut = email(&[part("application/pdf", "a.pdf", b"%PDF-1.7")]).replace("--b--", "");
        let cut_inside = email(&[format!(
            "Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n{}",
            part("application/pdf", "a.pdf", b"%PDF")
        )]);
        let cut_forwarded = email(&[format!(
            "Content-Type: message/rfc822\r\n\r\n{}",
            cut.replace("=b\r\n", "=c\r\n").replace("--b", "--c")
        )]);
        let many = email(&vec![part("application/pdf", "a.pdf", b"%PDF"); MAX_ATTACHMENTS + 1]);
        for (raw, files) in [
            (no_boundary, 0),
            (absent_boundary.as_str(), 0),
            (deep.as_str(), 0),
            (&cut, 1),
            (&cut_inside, 1),
            (&cut_forwarded, 1),
            (&many, MAX_ATTACHMENTS),
        ] {
            let (head, contents) = parse(raw.as_bytes()).unwrap();
            assert!(head.is_incomplete, "{}", &raw[..60]);
            assert_eq!((head.attachments.len(), contents.len()), (files, files));
        }
    }

    #[test]
    fn reads_hostile_headers() {
        let long = "x".repeat(5_000_000);
        let file = part("application/pdf", "a.pdf", b"%PDF-1.7");
        for header in [
            format!("X-Long: {long}\r\n"),
            format!("To: {}\r\n", "<a@b>,".repeat(200_000)),
            "X: y\r\n".repeat(200_000),
            format!("Subject: {}\r\n", "=?utf-8?Q?=41?= ".repeat(100_000)),
            format!("Date: {long}\r\n"),
            "Received: (((((((((\r\n".to_owned(),
        ] {
            let (head, _) = parse(format!("{header}{file}").as_bytes()).unwrap();
            assert_eq!(names(&head), ["a.pdf"]);
        }
        let (head, _) = parse(email(&[part("application/pdf", &long, b"%PDF-1.7")]).as_bytes()).unwrap();
        assert!(head.attachments[0].name.len() <= 150);
        assert!(parse(b"").is_none());
    }

    #[tokio::test]
    async fn rejects_an_output_with_false_sizes_or_times() {
        let head = |sizes: &[u64]| {
            let attachments: Vec<_> = sizes
                .iter()
                .map(|bytes| AttachmentHead { name: "a".to_owned(), is_damaged: false, bytes: *bytes })
                .collect();
            serde_json::to_string(&Head { attachments, ..Head::default() }).unwrap() + "\n"
        };
        let email = read_output((head(&[2, 1]) + "abc").as_bytes()).await.unwrap();
        assert_eq!(
            email.attachments.iter().map(|file| file.content.as_slice()).collect::<Vec<_>>(),
            [&b"ab"[..], b"c"]
        );
        for (sent_at, is_kept) in [
            (631_152_000, true),
            (631_151_999, false),
            (4_102_444_799, true),
            (4_102_444_800, false),
            (i64::MAX, false),
        ] {
            let head = Head { sent_at: Some(sent_at), ..Head::default() };
            let output = serde_json::to_string(&head).unwrap() + "\n";
            assert_eq!(read_output(output.as_bytes()).await.unwrap().sent_at.is_some(), is_kept, "{sent_at}");
        }
        for output in [
            head(&[4]) + "abc",
            head(&[MAX_CONTENT_BYTES, 1]),
            head(&[u64::MAX, u64::MAX]),
            head(&[0; MAX_ATTACHMENTS + 1]),
            "x".repeat(300_000),
            String::new(),
        ] {
            assert!(read_output(output.as_bytes()).await.is_err());
        }
    }
}
