//! Minimal Postgres client for the tests: one simple query per connection.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// Returns the first column of the result of `query`, or the error message.
pub fn query(url: &str, sql: &str) -> Result<Vec<String>, String> {
    run_query(url, sql).unwrap_or_else(|error| Err(error.to_string()))
}

/// Returns the percent-decoded component of `url` that follows `prefix`.
pub fn url_component(url: &str, prefix: &str) -> String {
    let component = url.split_once(prefix).unwrap().1;
    let component = component.split('?').next().unwrap();
    let mut segments = component.split('%');
    let mut bytes = segments.next().unwrap().as_bytes().to_vec();
    for segment in segments {
        bytes.push(u8::from_str_radix(&segment[..2], 16).unwrap());
        bytes.extend_from_slice(&segment.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

fn run_query(url: &str, sql: &str) -> io::Result<Result<Vec<String>, String>> {
    let socket = url_component(url, "?host=");
    let mut stream = UnixStream::connect(format!("{socket}/.s.PGSQL.5432"))?;
    let database = url_component(url, ":5432/");
    let startup = format!("\0\x03\0\0user\0postgres\0database\0{database}\0\0");
    stream.write_all(&message(None, startup.as_bytes()))?;
    stream.write_all(&message(Some(b'Q'), format!("{sql}\0").as_bytes()))?;

    let (mut rows, mut ready_count) = (Vec::new(), 0);
    loop {
        let mut header = [0; 5];
        stream.read_exact(&mut header)?;
        let length = u32::from_be_bytes(header[1..].try_into().unwrap()) as usize;
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body)?;
        match header[0] {
            b'E' => return Ok(Err(String::from_utf8_lossy(&body).into_owned())),
            b'D' => {
                let length = u32::from_be_bytes(body[2..6].try_into().unwrap()) as usize;
                rows.push(String::from_utf8(body[6..6 + length].to_vec()).unwrap());
            }
            // ReadyForQuery: sent once after the startup and once after the result.
            b'Z' if ready_count == 1 => return Ok(Ok(rows)),
            b'Z' => ready_count += 1,
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
