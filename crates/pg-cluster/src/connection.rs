//! Connection parameters of a cluster.

use crate::password::Password;
use crate::socket::PORT;

/// Name of the database that every cluster has.
pub const DATABASE: &str = "tradebahi";

/// Superuser in `Cluster::url`.
pub const USER: &str = "postgres";

/// Returns the URL of `database` in the cluster whose socket is in `socket_dir`.
pub(crate) fn url(socket_dir: &str, password: Option<&Password>, database: &str) -> String {
    let (database, host) = (percent_encode(database), percent_encode(socket_dir));
    let password = password.map(|password| format!(":{}", password.as_str())).unwrap_or_default();
    // Contains the port because sqlx would otherwise use PGPORT.
    format!("postgres://{USER}{password}@localhost:{PORT}/{database}?host={host}")
}

/// Percent-encodes `text` as a component of a URL.
fn percent_encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_characters_reserved_in_urls() {
        assert_eq!(percent_encode("/a b/ü?&%"), "%2Fa%20b%2F%C3%BC%3F%26%25");
        assert_eq!(percent_encode("trades_1.x-y~"), "trades_1.x-y~");
    }
}
