//! The keys that Google signs with, kept for a while.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, JwkSet};
use tokio::sync::Mutex;

use crate::error::Error;

/// Google changes its keys every few days, and shows new ones long before it signs with them. One that it took back
/// is not believed for longer than this.
const GOOD_FOR: Duration = Duration::from_hours(1);
/// However many tokens name a key that is not there, it is not looked for more often.
const PAUSE: Duration = Duration::from_mins(1);

/// Keys by their ids.
#[derive(Default)]
pub(super) struct Keys(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    keys: HashMap<String, DecodingKey>,
    fetched: Option<Instant>,
}

impl Keys {
    /// The key with the id `kid`. All who need keys that are not there wait for one and the same answer.
    pub(super) async fn find(
        &self,
        kid: &str,
        fetch: impl AsyncFnOnce() -> Result<JwkSet, Error>,
    ) -> Result<DecodingKey, Error> {
        let mut kept = self.0.lock().await;
        if kept.wants(kid, Instant::now()) {
            kept.keys = rsa(fetch().await?);
            kept.fetched = Some(Instant::now());
        }
        kept.keys.get(kid).cloned().ok_or_else(|| Error::GoogleRefused("signed with an unknown key".into()))
    }
}

impl Kept {
    /// Whether to ask for keys before `kid` is looked for.
    fn wants(&self, kid: &str, now: Instant) -> bool {
        let age = self.fetched.map(|fetched| now.duration_since(fetched));
        age.is_none_or(|age| age >= GOOD_FOR || (age >= PAUSE && !self.keys.contains_key(kid)))
    }
}

fn rsa(set: JwkSet) -> HashMap<String, DecodingKey> {
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
    fn keys_are_asked_for_again_after_an_hour_and_for_an_unknown_one_after_a_minute() {
        let fetched = Instant::now();
        let keys = HashMap::from([("known".to_owned(), DecodingKey::from_secret(b"x"))]);
        let kept = Kept { keys, fetched: Some(fetched) };
        for (kid, seconds, want) in [
            ("known", 0, false),
            ("unknown", 0, false),
            ("unknown", 59, false),
            ("unknown", 60, true),
            ("known", 60, false),
            ("known", 3599, false),
            ("known", 3600, true),
        ] {
            assert_eq!(kept.wants(kid, fetched + Duration::from_secs(seconds)), want, "{kid} after {seconds} s");
        }
        assert!(Kept::default().wants("known", fetched));
    }
}
