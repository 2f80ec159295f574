//! Places of file stores: directories and buckets.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// Place of a file store: a directory, or a folder of a bucket that speaks the S3 protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Directory of this machine.
    Dir(PathBuf),
    /// Address of a bucket, such as `s3://journal/screenshots`. Its region, endpoint and keys are in the variables
    /// `AWS_REGION`, `AWS_ENDPOINT`, `AWS_ACCESS_KEY_ID` and, unless `secret_key` is set, `AWS_SECRET_ACCESS_KEY`.
    Bucket {
        /// Name of the bucket.
        name: String,
        /// Folder in the bucket; may be empty.
        folder: String,
        /// Secret key of the bucket, if it is not in its variable.
        secret_key: Option<SecretKey>,
    },
}

/// Secret key of a bucket. Masked in [`Debug`](fmt::Debug) output.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(Arc<str>);

impl SecretKey {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SecretKey {
    fn from(key: &str) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// Address of a bucket that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the address of a bucket is like s3://name/folder")]
pub struct InvalidLocation;

impl FromStr for Location {
    type Err = InvalidLocation;

    fn from_str(text: &str) -> Result<Self, InvalidLocation> {
        let Some(bucket) = text.strip_prefix("s3://") else {
            let is_address = text.split_once(":/").is_some_and(|(scheme, _)| !scheme.contains('/'));
            return if is_address { Err(InvalidLocation) } else { Ok(Self::Dir(text.into())) };
        };
        let (name, folder) = bucket.split_once('/').unwrap_or((bucket, ""));
        let folder = folder.trim_end_matches('/');
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_name = |part: &str| !part.is_empty() && part != "." && part != ".." && part.chars().all(is_allowed);
        if !is_name(name) || !(folder.is_empty() || folder.split('/').all(is_name)) {
            return Err(InvalidLocation);
        }
        Ok(Self::Bucket { name: name.to_owned(), folder: folder.to_owned(), secret_key: None })
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dir(dir) => dir.display().fmt(f),
            Self::Bucket { name, folder, .. } if folder.is_empty() => write!(f, "s3://{name}"),
            Self::Bucket { name, folder, .. } => write!(f, "s3://{name}/{folder}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_directories_and_buckets() {
        let parse = |text: &str| text.parse::<Location>();
        assert_eq!(parse("/var/lib/pictures").unwrap(), Location::Dir("/var/lib/pictures".into()));
        for (text, name, folder) in
            [("s3://journal", "journal", ""), ("s3://journal/", "journal", ""), ("s3://journal/a/b", "journal", "a/b")]
        {
            let bucket = Location::Bucket { name: name.to_owned(), folder: folder.to_owned(), secret_key: None };
            assert_eq!(parse(text).unwrap(), bucket);
            assert_eq!(parse(&bucket.to_string()).unwrap(), bucket);
        }
        for text in ["S3://a", "gs://a", "s3:/a", "s3://", "s3:///a", "s3://a//b", "s3://a/../b", "s3://a b"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
