//! Access rules: the option `access` of every rpc in `proto/`.

use std::collections::BTreeSet;

use crate::caller::{AuthError, Bearer};

/// Metadata key with the service token of an edge.
pub const EDGE_TOKEN_METADATA_KEY: &str = "tradebahi-edge-token";

/// Scope of edges, which state the address of each client. No rpc requires it.
pub const EDGE_SCOPE: &str = "clients:state";

/// Access rule of an rpc: the callers that may use it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Path of the rpc, such as `/tradebahi.auth.v1.AuthService/Register`.
    pub path: &'static str,
    /// Any caller, also without a token.
    pub public: bool,
    /// Traders with a session.
    pub session: bool,
    /// Traders on the analytics site.
    pub analytics: bool,
    /// Services whose token has this scope.
    pub scope: Option<&'static str>,
}

include!(concat!(env!("OUT_DIR"), "/access.rs"));

/// Returns the access rule of the rpc with this path, or `None` if there is no such rpc.
pub fn find(path: &str) -> Option<&'static Access> {
    RPCS.binary_search_by_key(&path, |rpc| rpc.path).ok().and_then(|index| RPCS.get(index))
}

/// Returns every scope: those that rpcs require, and that of edges.
pub fn all_scopes() -> BTreeSet<&'static str> {
    RPCS.iter().filter_map(|rpc| rpc.scope).chain([EDGE_SCOPE]).collect()
}

impl Access {
    /// Returns an error unless `bearer` may call the rpc. `None` is a caller without a token.
    pub(crate) fn check(&self, bearer: Option<&Bearer>) -> Result<(), AuthError> {
        let is_allowed = match bearer {
            None => return if self.public { Ok(()) } else { Err(AuthError::Unauthenticated) },
            Some(Bearer::Session(_)) => self.session,
            Some(Bearer::Analytics(_)) => self.analytics,
            Some(Bearer::Service(service)) => {
                self.scope.is_some_and(|required| service.scopes.iter().any(|scope| scope == required))
            }
        };
        if is_allowed || self.public { Ok(()) } else { Err(AuthError::Forbidden) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_rpc_by_its_exact_path() {
        assert!(RPCS.len() > 30);
        for rpc in RPCS {
            assert_eq!(find(rpc.path).map(|access| access.path), Some(rpc.path));
        }
        assert!(find("/tradebahi.auth.v1.AuthService/").is_none());
        assert!(find("").is_none());
    }

    #[test]
    fn returns_the_scopes_of_rpcs_and_edges() {
        assert!(all_scopes().is_superset(&BTreeSet::from([
            "accounts:read",
            "trades:read",
            "trades:write",
            EDGE_SCOPE
        ])));
    }
}
