//! Emails of a maildir or an mbox file, one after the other.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::{Path, PathBuf};
use std::vec;

use anyhow::Context as _;

use super::email_parser::MAX_EMAIL_BYTES;
use super::maildir::{self, Maildir};
use super::mbox::MboxReader;

/// Emails that have not been read yet.
pub(super) enum Mailbox {
    Maildir {
        root: PathBuf,
        count: usize,
        emails: vec::IntoIter<PathBuf>,
        /// Links and folders that are not read.
        unread: vec::IntoIter<(PathBuf, EmailError)>,
    },
    Mbox {
        reader: MboxReader<BufReader<File>>,
        /// Number of emails that have been read.
        read: usize,
    },
}

/// Email that has not been parsed.
pub(super) struct RawEmail {
    /// Path in the maildir, or number in the mbox file.
    pub location: String,
    pub content: Result<File, EmailError>,
}

/// Reason for which an email cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmailError {
    TooLarge,
    /// A symbolic link.
    Link,
    /// A folder of emails that cannot be opened.
    UnreadableFolder,
    /// The file cannot be opened, for example because another program has moved it.
    Unreadable,
}

impl Mailbox {
    /// Opens a maildir folder or an mbox file.
    ///
    /// # Errors
    /// If it is neither, or cannot be read.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let metadata = path.metadata().with_context(|| format!("cannot open {name}"))?;
        if metadata.is_dir() {
            let maildir = Maildir::list(path)?;
            let Maildir { emails, links, unreadable_folders } =
                maildir.with_context(|| format!("{name} is not a maildir: it has no folder cur or new"))?;
            let links = links.into_iter().map(|path| (path, EmailError::Link));
            let folders = unreadable_folders.into_iter().map(|path| (path, EmailError::UnreadableFolder));
            let unread: Vec<_> = links.chain(folders).collect();
            let count = emails.len() + unread.len();
            return Ok(Self::Maildir {
                root: path.to_owned(),
                count,
                emails: emails.into_iter(),
                unread: unread.into_iter(),
            });
        }
        let read_error = || format!("cannot read {name}");
        let file = File::open(path).with_context(read_error)?;
        let reader = MboxReader::new(BufReader::new(file)).with_context(read_error)?;
        let reader = reader.with_context(|| {
            format!("{name} is neither a maildir nor an mbox file, whose first line begins with \"From \"")
        })?;
        Ok(Self::Mbox { reader, read: 0 })
    }

    /// Returns the number of all emails, if it is known.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Maildir { count, .. } => Some(*count),
            Self::Mbox { .. } => None,
        }
    }

    /// Reads the next email; `None` after the last one. Links and unreadable folders of a maildir come last.
    ///
    /// # Errors
    /// If the mbox file cannot be read, or its email cannot be stored meanwhile.
    pub fn read_next(&mut self) -> anyhow::Result<Option<RawEmail>> {
        match self {
            Self::Maildir { root, emails, unread, .. } => {
                let location = |path: &Path| path.strip_prefix(&*root).unwrap_or(path).display().to_string();
                if let Some(path) = emails.next() {
                    return Ok(Some(RawEmail { location: location(&path), content: open(&path) }));
                }
                let next = unread.next();
                Ok(next.map(|(path, error)| RawEmail { location: location(&path), content: Err(error) }))
            }
            Self::Mbox { reader, read } => {
                let mut file = tempfile::tempfile().context("cannot create a temporary file")?;
                let Some(size) = reader.read_email(&mut file).context("cannot read the mbox file")? else {
                    return Ok(None);
                };
                file.rewind()?;
                *read += 1;
                let content = if size > MAX_EMAIL_BYTES { Err(EmailError::TooLarge) } else { Ok(file) };
                Ok(Some(RawEmail { location: format!("email {read}"), content }))
            }
        }
    }
}

fn open(path: &Path) -> Result<File, EmailError> {
    let file = maildir::open_email(path).map_err(|_| EmailError::Unreadable)?;
    let size = file.metadata().map_err(|_| EmailError::Unreadable)?.len();
    if size > MAX_EMAIL_BYTES { Err(EmailError::TooLarge) } else { Ok(file) }
}
