//! Emails as files, for installations without an SMTP server.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tokio::fs;
use uuid::Uuid;

/// Retention of email files. They contain personal data that nothing else deletes.
const FILE_RETENTION: Duration = Duration::from_hours(7 * 24);

/// Writes an email (`eml`) or a text message (`sms`) that only our user can read. Files appear complete, and their names
/// sort by age.
///
/// # Errors
/// If the file cannot be written.
pub async fn write_file(folder: &Path, id: Uuid, extension: &str, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder).await?;
    fs::set_permissions(folder, Permissions::from_mode(0o700)).await?;
    let partial = folder.join(format!(".{id}"));
    fs::write(&partial, content).await?;
    fs::rename(partial, folder.join(format!("{id}.{extension}"))).await
}

/// Deletes files of emails and text messages older than 7 days from `folder`, even if emails are sent by SMTP now. Run it periodically in any
/// process that can reach the folder.
///
/// # Errors
/// If the folder cannot be read or a file cannot be deleted.
pub async fn delete_expired_files(folder: &Path) -> io::Result<()> {
    let mut files = match fs::read_dir(folder).await {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let oldest = SystemTime::now() - FILE_RETENTION;
    while let Some(file) = files.next_entry().await? {
        let name = file.file_name();
        // Partial files are left by a crash.
        let is_partial =
            name.to_str().and_then(|name| name.strip_prefix('.')).is_some_and(|id| id.parse::<Uuid>().is_ok());
        let is_message = Path::new(&name).extension().is_some_and(|extension| extension == "eml" || extension == "sms");
        if !is_partial && !is_message {
            continue;
        }
        // Another process may delete the same file.
        match delete_if_older(&file.path(), oldest).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

async fn delete_if_older(file: &Path, oldest: SystemTime) -> io::Result<()> {
    match fs::metadata(file).await?.modified()? < oldest {
        true => fs::remove_file(file).await,
        false => Ok(()),
    }
}
