//! Files that hold one secret, such as a passphrase.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use zeroize::Zeroizing;

/// Reads the first line of a file. Rejects a file that other users can read, and an empty line. `content` names the
/// secret in errors.
pub(crate) fn read_secret(file: &Path, content: &str) -> anyhow::Result<Zeroizing<String>> {
    let bytes = read_private_file(file, content)?;
    let text = str::from_utf8(&bytes).with_context(|| format!("the {content} in {} is not UTF-8", file.display()))?;
    let line = Zeroizing::new(text.lines().next().unwrap_or_default().trim().to_owned());
    ensure!(!line.is_empty(), "the first line of {} is empty; write the {content} there", file.display());
    Ok(line)
}

/// Reads a file; rejects one that other users can read. `content` names it in errors.
pub(crate) fn read_private_file(file: &Path, content: &str) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let read_error = || format!("cannot read the {content} in {}", file.display());
    let mode = std::fs::metadata(file).with_context(read_error)?.permissions().mode();
    ensure!(mode & 0o077 == 0, "others may read {}; run chmod 600", file.display());
    Ok(Zeroizing::new(std::fs::read(file).with_context(read_error)?))
}
