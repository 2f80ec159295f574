//! Removal of files and directories that may not exist.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) fn remove_file_if_exists(path: &Path) -> Result<()> {
    ignore_not_found(fs::remove_file(path), path)
}

pub(crate) fn remove_dir_if_exists(dir: &Path) -> Result<()> {
    ignore_not_found(fs::remove_dir_all(dir), dir)
}

fn ignore_not_found(removed: io::Result<()>, path: &Path) -> Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
