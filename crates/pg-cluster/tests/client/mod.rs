//! As much of Postgres's protocol as the tests need: one simple query.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// The first column of the answer to `query`, or what went wrong.
pub fn ask(url: &str, query: &str) -> Result<Vec<String>, String> {
    exchange(url, query).unwrap_or_else(|error| Err(error.to_string()))
}

/// The decoded part of `url` after `mark`.
pub fn url_part(url: &str, mark: &str) -> String {
    let part = url.split_once(mark).unwrap().1;
    let part = part.split('?').next().unwrap();
    let mut pieces = part.split('%');
    let mut bytes = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

fn exchange(url: &str, query: &str) -> io::Result<Result<Vec<String>, String>> {
    let socket = url_part(url, "?host=");
    let mut stream = UnixStream::connect(format!("{socket}/.s.PGSQL.5432"))?;
    let database = url_part(url, ":5432/");
    let startup = format!("\0\x03\0\0user\0postgres\0database\0{database}\0\0");
    stream.write_all(&message(None, startup.as_bytes()))?;
    stream.write_all(&message(Some(b'Q'), format!("{query}\0").as_bytes()))?;

    let (mut rows, mut replies) = (Vec::new(), 0);
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body)?;
        match head[0] {
            b'E' => return Ok(Err(String::from_utf8_lossy(&body).into_owned())),
            b'D' => {
                let length = u32::from_be_bytes(body[2..6].try_into().unwrap()) as usize;
                rows.push(String::from_utf8(body[6..6 + length].to_vec()).unwrap());
            }
            // Ready for a query: once after the start, once after the answer.
            b'Z' if replies == 1 => return Ok(Ok(rows)),
            b'Z' => replies += 1,
            _ => {}
        }
    }
}

fn message(kind: Option<u8>, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    let mut message: Vec<u8> = kind.into_iter().collect();
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(body);
    message
}
