//! Emails of a maildir and its subfolders. Nothing is changed, and symbolic links are not followed.
//!
//! The reader of mail-parser follows links and reads files whatever their size.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context as _;
use rustix::fs::{Mode, OFlags};

/// Maximum depth of subfolders.
const MAX_FOLDER_DEPTH: usize = 16;

/// File or folder in a folder.
type Entry = (PathBuf, fs::FileType, fs::DirEntry);

/// Files of a maildir.
#[derive(Debug, Default)]
pub(super) struct Maildir {
    /// Emails, the oldest first.
    pub emails: Vec<PathBuf>,
    /// Symbolic links in place of emails or of a folder of emails, which are not followed.
    pub links: Vec<PathBuf>,
    /// Subfolders that cannot be read.
    pub unreadable_folders: Vec<PathBuf>,
}

impl Maildir {
    /// Lists the emails in `cur` and `new` of a maildir and of all its subfolders; `None` if no folder is a maildir.
    /// Subfolders may be named `.Name` (Maildir++) or `Name`.
    ///
    /// # Errors
    /// If `root` cannot be read.
    pub fn list(root: &Path) -> anyhow::Result<Option<Self>> {
        let mut maildir = Self::default();
        let mut dated = Vec::new();
        let mut is_maildir = false;
        let mut pending = vec![(root.to_owned(), 0)];
        while let Some((folder, depth)) = pending.pop() {
            let entries = match read_folder(&folder) {
                Err(error) if depth == 0 => {
                    return Err(error).with_context(|| format!("cannot read {}", folder.display()));
                }
                entries => maildir.readable(entries, folder),
            };
            for (path, kind, entry) in entries {
                let name = entry.file_name();
                let is_of_emails = name == "cur" || name == "new";
                if kind.is_symlink() {
                    maildir.links.extend(is_of_emails.then_some(path));
                } else if kind.is_dir() && is_of_emails {
                    is_maildir = true;
                    maildir.list_emails(path, &mut dated);
                } else if kind.is_dir() && name != "tmp" && depth < MAX_FOLDER_DEPTH {
                    pending.push((path, depth + 1));
                }
            }
        }
        dated.sort();
        maildir.links.sort();
        maildir.unreadable_folders.sort();
        maildir.emails = dated.into_iter().map(|(_, path)| path).collect();
        Ok(is_maildir.then_some(maildir))
    }

    /// Adds the files in `cur` or `new` with their dates.
    fn list_emails(&mut self, folder: PathBuf, dated: &mut Vec<(u64, PathBuf)>) {
        for (path, kind, entry) in self.readable(read_folder(&folder), folder) {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_symlink() {
                self.links.push(path);
            } else if kind.is_file() && !name.starts_with('.') {
                dated.push((delivery_time(&name).unwrap_or_else(|| modification_time(&entry)), path));
            }
        }
    }

    /// Returns the entries of a subfolder; none if it cannot be read, which is reported unless it was deleted or moved.
    fn readable(&mut self, entries: io::Result<Vec<Entry>>, folder: PathBuf) -> Vec<Entry> {
        entries.unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                self.unreadable_folders.push(folder);
            }
            Vec::new()
        })
    }
}

/// Opens an email.
///
/// # Errors
/// If it is not a file any longer, or a symbolic link.
pub(super) fn open_email(path: &Path) -> io::Result<File> {
    // Without blocking, because opening a named pipe would wait for its writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

fn read_folder(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type() {
            Ok(kind) => entries.push((entry.path(), kind, entry)),
            // Another program has moved it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// Returns the time of delivery in seconds since 1970, with which file names of maildirs begin.
fn delivery_time(name: &str) -> Option<u64> {
    name.split_once('.')?.0.parse().ok()
}

fn modification_time(entry: &fs::DirEntry) -> u64 {
    let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |age| age.as_secs())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(root: &Path, path: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "Subject: a\n").unwrap();
    }

    fn names(root: &Path, paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn lists_emails_of_all_folders_by_their_delivery() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "cur/1764300003.M1P1.host:2,S",
            "new/1764300001.M1P1.host",
            ".Broker/cur/1764300002.M1P1.host:2,",
            ".Broker.Old/new/1764300000.M1P1.host",
            "Archive/2026/cur/1764299999.M1P1.host:2,",
            "tmp/1764300009.M1P1.host",
            "cur/.hidden",
            "dovecot.index.cache",
            "cur/subfolder/1764300009.M1P1.host",
        ] {
            write(root, path);
        }
        let maildir = Maildir::list(root).unwrap().unwrap();
        let expected = [
            "Archive/2026/cur/1764299999.M1P1.host:2,",
            ".Broker.Old/new/1764300000.M1P1.host",
            "new/1764300001.M1P1.host",
            ".Broker/cur/1764300002.M1P1.host:2,",
            "cur/1764300003.M1P1.host:2,S",
        ];
        assert_eq!(names(root, &maildir.emails), expected);
        assert!(maildir.links.is_empty());
    }

    #[test]
    fn follows_no_link() {
        let outside = tempfile::tempdir().unwrap();
        write(outside.path(), "cur/1.a.b");
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "new/2.a.b");
        symlink(outside.path(), root.join(".Linked")).unwrap();
        symlink(outside.path().join("cur"), root.join("cur")).unwrap();
        symlink(outside.path().join("cur/1.a.b"), root.join("new/1.a.b")).unwrap();
        symlink(root, root.join(".Loop")).unwrap();
        let maildir = Maildir::list(root).unwrap().unwrap();
        assert_eq!(names(root, &maildir.emails), ["new/2.a.b"]);
        assert_eq!(names(root, &maildir.links), ["cur", "new/1.a.b"]);
        assert!(open_email(&root.join("new/1.a.b")).is_err());
        assert!(open_email(root).is_err());
        assert!(open_email(&root.join("new/2.a.b")).is_ok());
    }

    #[test]
    fn lists_the_rest_if_a_subfolder_cannot_be_read_or_was_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "new/1.a.b");
        // A path above PATH_MAX cannot be read by any user. It gets that long only by the move.
        let folders = |name: &str| std::iter::repeat_n(name.repeat(255), 8).collect::<PathBuf>();
        fs::create_dir_all(root.join(folders("a"))).unwrap();
        fs::create_dir_all(root.join(folders("b"))).unwrap();
        fs::rename(root.join("b".repeat(255)), root.join(folders("a")).join("b".repeat(255))).unwrap();
        let maildir = Maildir::list(root).unwrap().unwrap();
        assert_eq!(names(root, &maildir.emails), ["new/1.a.b"]);
        assert_eq!(maildir.unreadable_folders.len(), 1);

        let mut maildir = Maildir::default();
        maildir.list_emails(root.join("deleted"), &mut Vec::new());
        assert!(maildir.unreadable_folders.is_empty());
    }

    #[test]
    fn a_folder_without_cur_and_new_is_no_maildir() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a/b/1.a.b");
        assert!(Maildir::list(folder.path()).unwrap().is_none());
        assert!(Maildir::list(&folder.path().join("missing")).is_err());
    }
}
