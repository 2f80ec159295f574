//! Arguments of `tradebahi import`.

use std::path::PathBuf;

use clap::Args;

use super::DatabaseSettings;
use crate::import_mailbox::parse_domain;

/// Arguments of `tradebahi import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Tradebook of Zerodha, or order history or F&O report of Groww: .xlsx, .xls or .csv. Its content is printed, and
    /// nothing is stored.
    #[arg(required_unless_present = "mailbox", conflicts_with = "mailbox")]
    pub file: Option<PathBuf>,

    /// Print JSON; for a file, as `POST /upload` responds.
    #[arg(long)]
    pub json: bool,

    /// Import of the contract notes in a mailbox.
    #[command(flatten)]
    pub from_mailbox: MailboxImport,
}

/// Arguments of `tradebahi import --mailbox`.
#[derive(Debug, Args)]
pub struct MailboxImport {
    /// Maildir folder or mbox file whose contract notes are imported. It is only read.
    ///
    /// The password of encrypted documents, usually the PAN, is read from the variable TRADEBAHI_PAN, or asked for in a
    /// terminal.
    #[arg(long, value_name = "FOLDER", requires = "email")]
    pub mailbox: Option<PathBuf>,

    /// Email address or phone number of the account whose log gets the trades.
    #[arg(long, conflicts_with = "file")]
    pub email: Option<String>,

    /// Show what would be imported, and store nothing in the log.
    #[arg(long, conflicts_with = "file")]
    pub dry_run: bool,

    /// Also import files whose only reason for a review is that their layout was never seen in a real file. Compare
    /// some trades with the broker before.
    #[arg(long, conflicts_with = "file")]
    pub accept_new_layouts: bool,

    /// Also import files with a client code if no account with the broker has one yet, and files that state none. For
    /// the first run: the account gets the code, and files with another one need a review from then on.
    #[arg(long, conflicts_with = "file")]
    pub accept_new_codes: bool,

    /// Read only emails whose From address is of this domain or a subdomain of it. May be repeated, or list domains with
    /// commas between them.
    #[arg(long, value_name = "DOMAIN", value_delimiter = ',', value_parser = parse_domain, conflicts_with = "file")]
    pub from: Vec<String>,

    /// Database of the log.
    #[command(flatten)]
    pub database: DatabaseSettings,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::MailboxImport;
    use crate::config::{Cli, Command};

    #[test]
    fn accepts_either_a_file_or_a_mailbox_with_an_account() {
        let parse = |arguments: &[&str]| Cli::try_parse_from([&["tradebahi", "import"], arguments].concat());
        for arguments in [
            &[][..],
            &["--mailbox", "mail"],
            &["--email", "a@example.in", "file.csv"],
            &["--dry-run", "file.csv"],
            &["--email", "a@example.in"],
            &["--mailbox", "mail", "--email", "a@example.in", "file.csv"],
            &["--mailbox", "mail", "--email", "a@example.in", "--from", "a@zerodha.com"],
            &["--from", "zerodha.com", "file.csv"],
            &["--accept-new-codes", "file.csv"],
        ] {
            assert!(parse(arguments).is_err(), "{arguments:?}");
        }
        assert!(matches!(parse(&["file.csv", "--json"]).unwrap().command, Command::Import(_)));
        let Command::Import(arguments) = parse(&[
            "--mailbox",
            "mail",
            "--email",
            "a@example.in",
            "--dry-run",
            "--from",
            "a.in,B.in",
            "--from",
            "c.in",
        ])
        .unwrap()
        .command
        else {
            panic!("another command");
        };
        assert_eq!((arguments.file, arguments.from_mailbox.mailbox), (None, Some("mail".into())));
        let MailboxImport { dry_run, accept_new_layouts, accept_new_codes, from, .. } = arguments.from_mailbox;
        assert!(dry_run && !accept_new_layouts && !accept_new_codes);
        assert_eq!(from, ["a.in", "b.in", "c.in"]);
    }
}
