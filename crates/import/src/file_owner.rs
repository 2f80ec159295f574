//! Owner of a file: the client code and the name in the rows above its table, or in its file name.

use crate::sheet::{Cell, Row};

/// Labels of client codes in reports of brokers, in lower case.
const CLIENT_CODE_LABELS: [&str; 5] = ["client id", "unique client code", "ucc", "client code", "clientcode"];
/// Labels of names in reports of brokers, in lower case.
const HOLDER_LABELS: [&str; 2] = ["name", "client name"];
const MAX_CLIENT_CODE_CHARS: usize = 20;
const MAX_HOLDER_CHARS: usize = 100;

/// Owner of a file. Unknown texts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileOwner {
    /// Client code at the broker, in capitals.
    pub client_code: String,
    /// Name of the person whose account it is.
    pub holder: String,
}

impl FileOwner {
    /// Creates an owner, without texts that cannot be a client code or a name.
    pub fn new(client_code: &str, holder: &str) -> Self {
        let code = client_code.trim();
        let is_code = (4..=MAX_CLIENT_CODE_CHARS).contains(&code.len())
            && code.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && code.bytes().any(|byte| byte.is_ascii_digit());
        let holder = holder.trim();
        let is_name = holder.chars().count() <= MAX_HOLDER_CHARS && !holder.chars().any(char::is_control);
        Self {
            client_code: if is_code { code.to_ascii_uppercase() } else { String::new() },
            holder: if is_name { holder.to_owned() } else { String::new() },
        }
    }

    /// Reads a row above the table. The first value of each kind counts.
    pub fn read_row(&mut self, row: &Row<'_>) {
        let mut texts = row.cells().map(cell_text).filter(|text| !text.is_empty());
        while let Some(text) = texts.next() {
            let label = text.trim_end_matches(':').trim_end().to_lowercase();
            let is_code = CLIENT_CODE_LABELS.contains(&&*label);
            if !is_code && !HOLDER_LABELS.contains(&&*label) {
                continue;
            }
            let value = texts.next().unwrap_or_default();
            let read = if is_code { Self::new(&value, "") } else { Self::new("", &value) };
            if self.client_code.is_empty() {
                self.client_code = read.client_code;
            }
            if self.holder.is_empty() {
                self.holder = read.holder;
            }
        }
    }

    /// Returns the owner with the client code of a file name such as `tradebook-AB1234-EQ.csv`, unless the file states
    /// one. Zerodha's CSV files have no rows above the table.
    pub fn or_file_name(self, file_name: &str) -> Self {
        if !self.client_code.is_empty() {
            return self;
        }
        let mut parts = file_name.split(['-', '.', '_', ' ', '(']);
        let is_named_by_code = matches!(parts.next(), Some("tradebook" | "ledger"));
        let code = parts.next().filter(|_| is_named_by_code).unwrap_or_default();
        let prefix_len = code.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (_, digits) = code.split_at(prefix_len);
        // Zerodha's client codes have two or three letters, then digits.
        let is_code = (2..=3).contains(&prefix_len)
            && (3..=6).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        let read = Self::new(if is_code { code } else { "" }, "");
        Self { client_code: read.client_code, ..self }
    }
}

fn cell_text(cell: Cell<'_>) -> String {
    match cell {
        Cell::Text(text) => text.trim().to_owned(),
        // Groww's client codes are numbers in some files.
        Cell::Number(number) => format!("{number}"),
        Cell::Empty | Cell::Serial(_) | Cell::Bool(_) | Cell::Error => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_client_code_of_a_file_name() {
        let code = |name: &str| FileOwner::default().or_file_name(name).client_code;
        for name in
            ["tradebook-AB1234-EQ.csv", "tradebook-ab1234-FO (1).csv", "tradebook-AB1234.xlsx", "ledger-AB1234.csv"]
        {
            assert_eq!(code(name), "AB1234", "{name}");
        }
        for name in [
            "tradebook.csv",
            "tradebook-1904.xlsx",
            "tradebook-resaved.xlsx",
            "orders-AB1234.csv",
            "",
            "tradebook-é1234",
        ] {
            assert_eq!(code(name), "", "{name}");
        }
        let stated = FileOwner::new("ZX9876", "");
        assert_eq!(stated.clone().or_file_name("tradebook-AB1234-EQ.csv"), stated);
    }

    #[test]
    fn keeps_no_text_that_cannot_be_a_client_code_or_a_name() {
        assert_eq!(
            FileOwner::new(" ab1234 ", " A Trader "),
            FileOwner { client_code: "AB1234".to_owned(), holder: "A Trader".to_owned() }
        );
        for code in ["", "AB", "ABCDEF", "AB 1234", "AB-1234", "123456789012345678901", "ÄB1234"] {
            assert_eq!(FileOwner::new(code, "").client_code, "", "{code}");
        }
        assert_eq!(FileOwner::new("", "a\u{0}b").holder, "");
        assert_eq!(FileOwner::new("", &"x".repeat(101)).holder, "");
    }
}
