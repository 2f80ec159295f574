//! Settings.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::Notify;

use crate::encryption::EncryptionKeys;
use crate::google::Google;
use crate::signing_key::SigningKey;
use crate::sms::Sms;

/// Auth settings. [`Default`] returns the production values.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the product, which is not allowed as a password. Defaults to `tradebahi`.
    pub product_name: String,
    /// Maximum number of passwords hashed at the same time. Defaults to the number of cores minus one, at least one.
    pub max_concurrent_hashes: usize,
    /// Maximum number of requests that wait to hash a password. Further requests are rejected as busy. Defaults to 32.
    pub hash_queue_capacity: usize,
    /// Maximum time in that queue. Defaults to two seconds.
    pub hash_queue_timeout: Duration,
    /// Memory of one hash (argon2id's `m`), in KiB. Defaults to 19,456; only tests use less.
    pub hash_memory_kib: u32,
    /// Passes over that memory (argon2id's `t`). Defaults to 2.
    pub hash_passes: u32,
    /// Key that signs tokens. If unset, a key is generated once and stored in the database.
    pub signing_key: Option<SigningKey>,
    /// Keys that encrypt signing keys and the seeds of authenticator apps in the database. Without them, these are stored
    /// as they are.
    pub encryption_keys: EncryptionKeys,
    /// Throttles failed logins from loopback addresses as well. Defaults to true; false only in development.
    pub throttle_loopback: bool,
    /// Base URL of the site without a trailing slash, used for links in emails.
    pub site_url: String,
    /// Days between the closing of an account and its deletion. The account can be restored until then. Defaults to 30.
    pub deletion_delay_days: u32,
    /// Google login. If unset, requests for it are rejected as not set up.
    pub google: Option<Google>,
    /// Delivery of text messages. If unset, phone numbers cannot be verified.
    pub sms: Option<Sms>,
    /// Notified when an email is queued; [`send_emails`](crate::send_emails) in the same process waits for it.
    pub email_queued: Arc<Notify>,
}

impl Settings {
    pub(crate) fn deletion_delay(&self) -> time::Duration {
        time::Duration::days(self.deletion_delay_days.into())
    }
}

impl Default for Settings {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            product_name: "tradebahi".to_owned(),
            max_concurrent_hashes: cores.saturating_sub(1).max(1),
            hash_queue_capacity: 32,
            hash_queue_timeout: Duration::from_secs(2),
            hash_memory_kib: 19_456,
            hash_passes: 2,
            signing_key: None,
            encryption_keys: EncryptionKeys::default(),
            throttle_loopback: true,
            site_url: "http://127.0.0.1:8080".to_owned(),
            deletion_delay_days: 30,
            google: None,
            sms: None,
            email_queued: Arc::default(),
        }
    }
}
