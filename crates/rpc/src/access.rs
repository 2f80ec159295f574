//! Who may call which rpc: the option `access` of every rpc in `proto/`, and nothing beside it.

use std::collections::BTreeSet;

use crate::caller::{Bearer, Refused};

/// Who may call an rpc.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The rpc, such as `/tradebahi.auth.v1.AuthService/Register`.
    pub path: &'static str,
    /// Anybody, without a credential.
    pub open: bool,
    /// A trader who is signed in.
    pub session: bool,
    /// A trader on the analytics site.
    pub analytics: bool,
    /// A service whose token has this scope.
    pub scope: Option<&'static str>,
}

include!(concat!(env!("OUT_DIR"), "/access.rs"));

/// Who may call the rpc with this path; nothing where there is no such rpc.
pub fn of(path: &str) -> Option<&'static Access> {
    RPCS.binary_search_by_key(&path, |rpc| rpc.path).ok().and_then(|found| RPCS.get(found))
}

/// Every scope that an rpc asks for.
pub fn scopes() -> BTreeSet<&'static str> {
    RPCS.iter().filter_map(|rpc| rpc.scope).collect()
}

impl Access {
    /// Refuses a bearer who may not call, and nobody where somebody is asked for.
    pub(crate) fn admit(&self, bearer: Option<&Bearer>) -> Result<(), Refused> {
        let named = match bearer {
            None => return if self.open { Ok(()) } else { Err(Refused::SignedOut) },
            Some(Bearer::Session(_)) => self.session,
            Some(Bearer::Analytics(_)) => self.analytics,
            Some(Bearer::Service(service)) => {
                self.scope.is_some_and(|scope| service.scopes.iter().any(|has| has == scope))
            }
        };
        if named || self.open { Ok(()) } else { Err(Refused::Forbidden) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rpc_is_found_by_its_path_and_nothing_else_is() {
        assert!(RPCS.len() > 30);
        for rpc in RPCS {
            assert_eq!(of(rpc.path).map(|found| found.path), Some(rpc.path));
        }
        assert!(of("/tradebahi.auth.v1.AuthService/").is_none());
        assert!(of("").is_none());
    }

    #[test]
    fn the_scopes_are_those_that_an_rpc_asks_for() {
        assert!(scopes().is_superset(&BTreeSet::from(["accounts:read", "trades:read", "trades:write"])));
    }
}
