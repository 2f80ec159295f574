//! Files that hold one secret, such as a passphrase, and the directory in which a secrets store puts them.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use file_store::Location;
use zeroize::Zeroizing;

/// Names of the files in a directory of secrets.
const NAMES: [&str; 11] = [
    "database-url",
    "smtp-url",
    "google-client-secret",
    "sms-gateway-token",
    "edge-token",
    "signing-key",
    "tls-key",
    "grpc-tls-key",
    "encryption-key",
    "backup-passphrase",
    "aws-secret-access-key",
];
/// Variable in which systemd names the directory with the credentials of a service.
const CREDENTIALS_DIRECTORY: &str = "CREDENTIALS_DIRECTORY";
/// Variable with the secret key of a bucket.
const BUCKET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
/// Permission bits of the group and of others.
const GROUP_AND_OTHERS: u32 = 0o077;
/// Permission bits of others.
const OTHERS: u32 = 0o007;
/// Permission bit that lets others open the files of a folder.
const SEARCH_BY_OTHERS: u32 = 0o001;

/// File that holds one secret.
#[derive(Clone, Debug)]
pub struct SecretFile {
    path: PathBuf,
    access: Access,
}

/// Users that may read a file.
#[derive(Clone, Copy, Debug)]
enum Access {
    /// Its owner only.
    Owner,
    /// Its owner and its group. systemd grants a service access by an access control list, which the permission bits
    /// show as access of the group.
    OwnerAndGroup,
}

impl From<OsString> for SecretFile {
    fn from(path: OsString) -> Self {
        Self { path: path.into(), access: Access::Owner }
    }
}

impl SecretFile {
    /// Returns the path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the first line. `content` names the secret in errors.
    ///
    /// # Errors
    /// As [`read_text`](Self::read_text), and if the line is empty.
    pub(crate) fn read_line(&self, content: &str) -> anyhow::Result<Zeroizing<String>> {
        let text = self.read_text(content)?;
        let line = Zeroizing::new(text.lines().next().unwrap_or_default().trim().to_owned());
        ensure!(!line.is_empty(), "the first line of {} is empty; write the {content} there", self.path.display());
        Ok(line)
    }

    /// Reads the whole text. `content` names the secret in errors.
    ///
    /// # Errors
    /// If the file cannot be read, or if other users can read it.
    pub(crate) fn read_text(&self, content: &str) -> anyhow::Result<Zeroizing<String>> {
        let path = self.path.display();
        let read_error = || format!("cannot read the {content} in {path}");
        let mut file = File::open(&self.path).with_context(read_error)?;
        let metadata = file.metadata().with_context(read_error)?;
        let mode = metadata.permissions().mode();
        match self.access {
            Access::Owner => ensure!(mode & GROUP_AND_OTHERS == 0, "others may read {path}; run chmod 600"),
            Access::OwnerAndGroup => ensure!(
                mode & OTHERS == 0 || self.is_in_closed_folder().with_context(read_error)?,
                "others may read {path}; run chmod o= on it, or mount it with mode 0440"
            ),
        }
        // With enough capacity, the text is not copied while it is read.
        let capacity = usize::try_from(metadata.len()).unwrap_or_default() + 1;
        let mut text = Zeroizing::new(String::with_capacity(capacity));
        file.read_to_string(&mut text).with_context(read_error)?;
        Ok(text)
    }

    /// Returns true if others cannot open the files of the folder in which the file is stored.
    fn is_in_closed_folder(&self) -> std::io::Result<bool> {
        // In Kubernetes the files are symbolic links to another folder.
        let path = self.path.canonicalize()?;
        let Some(folder) = path.parent() else { return Ok(false) };
        Ok(folder.metadata()?.permissions().mode() & SEARCH_BY_OTHERS == 0)
    }
}

/// Directory of secrets, one in each file: the credentials of a systemd service, or secrets of Docker or Kubernetes.
#[derive(Debug)]
pub(crate) struct SecretsDir {
    path: PathBuf,
    /// Names of the files that set a setting.
    used: RefCell<Vec<String>>,
}

impl SecretsDir {
    /// Opens the directory of `--secrets-dir`, or else the one that systemd names; `None` if there is neither.
    ///
    /// # Errors
    /// If it is no directory. Also if the directory of `--secrets-dir` has a file with an unknown name, which would be
    /// ignored, or a link to a missing file. The one of systemd may have credentials for other programs.
    pub(crate) fn open(named: Option<PathBuf>) -> anyhow::Result<Option<Self>> {
        let from_systemd = || std::env::var_os(CREDENTIALS_DIRECTORY).filter(|path| !path.is_empty());
        let is_named = named.is_some();
        let Some(path) = named.or_else(|| from_systemd().map(PathBuf::from)) else { return Ok(None) };
        let open_error = || format!("cannot open the directory of secrets {}", path.display());
        let metadata = path.metadata().with_context(open_error)?;
        ensure!(metadata.is_dir(), "the directory of secrets {} is a file", path.display());
        if is_named {
            check_names(&path).with_context(open_error)?;
        }
        Ok(Some(Self { path, used: RefCell::default() }))
    }

    /// Returns the names of the files that have set a setting.
    pub(crate) fn used_names(&self) -> Vec<String> {
        self.used.borrow().clone()
    }

    /// Sets `setting` to the first line of the file `name`, if the setting is not set and there is such a file.
    pub(crate) fn fill_text(&self, setting: &mut Option<String>, name: &str) -> anyhow::Result<()> {
        if setting.is_none()
            && let Some(file) = self.find(name)?
        {
            *setting = Some(file.read_line("secret")?.to_string());
        }
        Ok(())
    }

    /// Sets `setting` to the file `name`, if the setting is not set and there is such a file.
    pub(crate) fn fill_file(&self, setting: &mut Option<SecretFile>, name: &str) -> anyhow::Result<()> {
        if setting.is_none() {
            *setting = self.find(name)?;
        }
        Ok(())
    }

    /// Sets the secret key of a bucket to the first line of the file `aws-secret-access-key`, if its variable is not set
    /// and there is such a file.
    pub(crate) fn fill_bucket_key(&self, location: Option<&mut Location>) -> anyhow::Result<()> {
        if let Some(Location::Bucket { secret_key, .. }) = location
            && std::env::var_os(BUCKET_KEY).is_none_or(|key| key.is_empty())
            && let Some(file) = self.find("aws-secret-access-key")?
        {
            *secret_key = Some(file.read_line("secret key of the bucket")?.as_str().into());
        }
        Ok(())
    }

    fn find(&self, name: &str) -> anyhow::Result<Option<SecretFile>> {
        debug_assert!(NAMES.contains(&name), "{name}");
        let path = self.path.join(name);
        let exists = path.try_exists().with_context(|| format!("cannot read {}", path.display()))?;
        if exists {
            self.used.borrow_mut().push(name.to_owned());
        }
        Ok(exists.then_some(SecretFile { path, access: Access::OwnerAndGroup }))
    }
}

/// Rejects files with unknown names and links to missing files. Names that begin with a dot are those of Kubernetes and
/// editors; directories, such as that of a service account in Kubernetes, hold no secret.
fn check_names(folder: &Path) -> anyhow::Result<()> {
    for entry in folder.read_dir()? {
        let (name, path) = entry.map(|entry| (entry.file_name(), entry.path()))?;
        let name = name.to_string_lossy();
        if name.starts_with('.') || path.is_dir() {
            continue;
        }
        ensure!(NAMES.contains(&&*name), "unknown file {name}; the names are {}", NAMES.join(", "));
        let exists = path.try_exists().with_context(|| format!("cannot read {name}"))?;
        ensure!(exists, "{name} is a link to a missing file");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    fn write(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, "hunter42\nsecond line\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn s13_a_named_file_is_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, is_accepted) in [(0o600, true), (0o400, true), (0o440, false), (0o604, false), (0o644, false)] {
            let file = SecretFile::from(write(folder.path(), "secret", mode).into_os_string());
            let line = file.read_line("token");
            assert_eq!(line.is_ok(), is_accepted, "{mode:o}: {line:?}");
        }
    }

    #[test]
    fn s13_a_file_in_the_directory_of_secrets_is_closed_to_others_or_the_directory_is() {
        for (folder_mode, mode, is_accepted) in [
            // systemd, seen with the access control list as access of the group.
            (0o550, 0o440, true),
            (0o500, 0o400, true),
            // Docker and Kubernetes by default.
            (0o755, 0o444, false),
            (0o777, 0o644, false),
            // With a mode in their settings.
            (0o755, 0o440, true),
            (0o777, 0o400, true),
            (0o700, 0o444, true),
            (0o750, 0o644, true),
            (0o755, 0o602, false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), "edge-token", mode);
            fs::set_permissions(folder.path(), Permissions::from_mode(folder_mode)).unwrap();
            let secrets = SecretsDir::open(Some(folder.path().to_owned())).unwrap().unwrap();
            let mut setting = None;
            let filled = secrets.fill_text(&mut setting, "edge-token");
            fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
            assert_eq!(filled.is_ok(), is_accepted, "{folder_mode:o}, {mode:o}: {filled:?}");
            assert_eq!(setting.as_deref(), is_accepted.then_some("hunter42"));
        }
    }

    #[test]
    fn s13_the_folder_of_a_symbolic_link_is_that_of_its_target() {
        let [folder, open] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        fs::set_permissions(open.path(), Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(write(open.path(), "edge-token", 0o644), folder.path().join("edge-token")).unwrap();
        let secrets = SecretsDir::open(Some(folder.path().to_owned())).unwrap().unwrap();
        let error = secrets.fill_text(&mut None, "edge-token").unwrap_err().to_string();
        assert!(error.contains("others may read"), "{error}");
    }

    #[test]
    fn s13_the_directory_of_secrets_sets_only_what_is_not_set() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "edge-token", 0o600);
        let secrets = SecretsDir::open(Some(folder.path().to_owned())).unwrap().unwrap();
        let mut text = Some("from a flag".to_owned());
        secrets.fill_text(&mut text, "edge-token").unwrap();
        assert_eq!(text.as_deref(), Some("from a flag"));
        let mut file = Some(SecretFile::from(OsString::from("named")));
        secrets.fill_file(&mut file, "edge-token").unwrap();
        assert_eq!(file.unwrap().path(), Path::new("named"));
        let (mut text, mut file) = (None, None);
        secrets.fill_text(&mut text, "signing-key").unwrap();
        secrets.fill_file(&mut file, "signing-key").unwrap();
        assert!(text.is_none() && file.is_none());
        secrets.fill_file(&mut file, "edge-token").unwrap();
        assert_eq!(*file.unwrap().read_text("token").unwrap(), "hunter42\nsecond line\n");
    }

    #[test]
    fn s13_the_secret_key_of_a_bucket_comes_from_the_directory_of_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = SecretsDir::open(Some(folder.path().to_owned())).unwrap().unwrap();
        let mut bucket: Location = "s3://journal/pictures".parse().unwrap();
        let without_key = bucket.clone();
        secrets.fill_bucket_key(Some(&mut bucket)).unwrap();
        assert_eq!(bucket, without_key, "there is no such file");
        write(folder.path(), "aws-secret-access-key", 0o600);
        secrets.fill_bucket_key(Some(&mut bucket)).unwrap();
        let Location::Bucket { secret_key, .. } = &bucket else { panic!("{bucket:?}") };
        assert_eq!(secret_key, &Some("hunter42".into()));
        assert!(!format!("{bucket:?} {bucket}").contains("hunter42"));
        let mut dir: Location = "pictures".parse().unwrap();
        secrets.fill_bucket_key(Some(&mut dir)).unwrap();
        assert_eq!(dir, Location::Dir("pictures".into()));
    }

    #[test]
    fn s13_a_missing_directory_of_secrets_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = write(folder.path(), "edge-token", 0o600);
        for path in [folder.path().join("none"), file] {
            let error = SecretsDir::open(Some(path)).unwrap_err().to_string();
            assert!(error.contains("directory of secrets"), "{error}");
        }
    }

    #[test]
    fn s13_unknown_names_and_links_to_missing_files_are_rejected_in_a_named_directory() {
        let folder = tempfile::tempdir().unwrap();
        let open = || SecretsDir::open(Some(folder.path().to_owned())).map(drop);
        // As in Kubernetes: links by way of another link, and the directory of the service account.
        for name in ["..2026_11_29", "kubernetes.io"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        write(&folder.path().join("..2026_11_29"), "smtp-url", 0o440);
        write(folder.path(), ".encryption-key.swp", 0o600);
        for (target, name) in [("..2026_11_29", "..data"), ("..data/smtp-url", "smtp-url")] {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        }
        open().unwrap();
        let misspelled = write(folder.path(), "encryption_key", 0o600);
        let error = format!("{:#}", open().unwrap_err());
        assert!(error.contains("unknown file encryption_key; the names are database-url, smtp-url"), "{error}");
        fs::remove_file(misspelled).unwrap();
        std::os::unix::fs::symlink("none", folder.path().join("encryption-key")).unwrap();
        let error = format!("{:#}", open().unwrap_err());
        assert!(error.contains("encryption-key is a link to a missing file"), "{error}");
    }
}
