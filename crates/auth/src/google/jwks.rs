//! Cache of the keys that sign ID tokens.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, JwkSet};
use tokio::sync::Mutex;

use crate::error::Error;

/// Lifetime of cached keys, and so the maximum time that a key is accepted after Google revoked it. Google rotates its
/// keys every few days and publishes new ones long before it uses them.
const CACHE_TTL: Duration = Duration::from_hours(1);
/// Minimum interval between requests for a missing key. Limits the requests caused by tokens with made-up key ids.
const MIN_REFETCH_INTERVAL: Duration = Duration::from_mins(1);

/// Keys by key id, fetched when needed.
#[derive(Default)]
pub(super) struct JwksCache(Mutex<CachedKeys>);

#[derive(Default)]
struct CachedKeys {
    keys: HashMap<String, DecodingKey>,
    fetched_at: Option<Instant>,
}

impl JwksCache {
    /// Returns the key with the id `kid`. Concurrent callers that need a fetch share one.
    pub(super) async fn find_key(
        &self,
        kid: &str,
        fetch: impl AsyncFnOnce() -> Result<JwkSet, Error>,
    ) -> Result<DecodingKey, Error> {
        let mut cached = self.0.lock().await;
        if cached.needs_fetch(kid, Instant::now()) {
            cached.keys = collect_rsa_keys(fetch().await?);
            cached.fetched_at = Some(Instant::now());
        }
        cached.keys.get(kid).cloned().ok_or_else(|| Error::GoogleRejected("unknown signing key".into()))
    }
}

impl CachedKeys {
    /// Returns true if the keys must be fetched before `kid` is looked up.
    fn needs_fetch(&self, kid: &str, now: Instant) -> bool {
        let age = self.fetched_at.map(|fetched_at| now.duration_since(fetched_at));
        age.is_none_or(|age| age >= CACHE_TTL || (age >= MIN_REFETCH_INTERVAL && !self.keys.contains_key(kid)))
    }
}

fn collect_rsa_keys(set: JwkSet) -> HashMap<String, DecodingKey> {
    let keys = set.keys.into_iter().filter_map(|key| {
        let AlgorithmParameters::RSA(rsa) = key.algorithm else {
            return None;
        };
        Some((key.common.key_id?, DecodingKey::from_rsa_components(&rsa.n, &rsa.e).ok()?))
    });
    keys.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetches_keys_after_an_hour_and_for_an_unknown_key_after_a_minute() {
        let fetched_at = Instant::now();
        let keys = HashMap::from([("cached".to_owned(), DecodingKey::from_secret(b"x"))]);
        let cached = CachedKeys { keys, fetched_at: Some(fetched_at) };
        for (kid, seconds, want) in [
            ("cached", 0, false),
            ("unknown", 0, false),
            ("unknown", 59, false),
            ("unknown", 60, true),
            ("cached", 60, false),
            ("cached", 3599, false),
            ("cached", 3600, true),
        ] {
            let now = fetched_at + Duration::from_secs(seconds);
            assert_eq!(cached.needs_fetch(kid, now), want, "{kid} after {seconds} s");
        }
        assert!(CachedKeys::default().needs_fetch("cached", fetched_at));
    }
}
