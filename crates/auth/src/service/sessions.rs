//! Sessions: refresh, logout, and the list of open sessions.

use std::net::{IpAddr, Ipv6Addr};

use rpc::caller::{Bearer, Caller, Trader};
use uuid::Uuid;

use super::{Service, Tokens, run_write};
use crate::error::Error;
use crate::secret::Secret;
use crate::session::Device;
use crate::store::sessions::OpenSession;
use crate::store::token_rotation::Rotation;
use crate::token::{RefreshToken, TokenHash};

impl Service {
    /// Exchanges a refresh token for the next pair of tokens.
    pub(crate) async fn refresh(&self, presented: &Secret, device: Option<Device>) -> Result<Tokens, Error> {
        let presented = TokenHash::from_token(presented.expose());
        let next = RefreshToken::generate()?;
        let store = self.store.clone();
        let (rotation, next) = run_write(async move {
            let rotation = store.rotate_token(presented, &next, device.as_ref()).await?;
            Ok((rotation, next))
        })
        .await?;
        match rotation {
            Rotation::Refreshed(session) => self.issue_tokens(&session, next),
            Rotation::Reused(account_id) => {
                tracing::info!(%account_id, "refresh_token_reused");
                Err(Error::SessionEnded)
            }
            Rotation::Expired => Err(Error::SessionEnded),
        }
    }

    /// Ends the session of the refresh token and the session of the caller, if they exist.
    pub(crate) async fn log_out(&self, refresh: &Secret, caller: Option<&Caller>) -> Result<(), Error> {
        let token_session = match refresh.expose() {
            "" => None,
            token => self.store.find_session_by_token(&TokenHash::from_token(token)).await?,
        };
        let caller_session = match caller.map(|caller| &caller.bearer) {
            Some(Bearer::Session(trader)) => Some((trader.account_id, trader.session_id)),
            Some(Bearer::Analytics(_) | Bearer::Service(_)) | None => None,
        };
        for (account_id, session_id) in token_session.into_iter().chain(caller_session) {
            let store = self.store.clone();
            if run_write(async move { store.end_session(account_id, session_id).await }).await? {
                tracing::info!(%account_id, "logout");
            }
        }
        Ok(())
    }

    /// Returns the caller's open sessions with truncated addresses.
    pub(crate) async fn list_sessions(&self, trader: &Trader) -> Result<Vec<OpenSession>, Error> {
        let mut sessions = self.store.list_open_sessions(trader.account_id).await?;
        for session in &mut sessions {
            session.address = truncate_address(&session.address);
        }
        Ok(sessions)
    }

    /// Ends one of the caller's sessions, or all others if `session_id` is empty. Returns how many ended.
    ///
    /// Somebody with a stolen session could otherwise log its owner out.
    pub(crate) async fn end_session(&self, trader: &Trader, session_id: &str) -> Result<i32, Error> {
        self.require_reauthentication(trader).await?;
        let (store, account_id, current) = (self.store.clone(), trader.account_id, trader.session_id);
        let ended = if session_id.is_empty() {
            run_write(async move { store.end_other_sessions(account_id, current).await }).await?
        } else {
            let session_id: Uuid = session_id.parse().map_err(|_| Error::SessionNotFound)?;
            let has_ended = run_write(async move { store.end_session(account_id, session_id).await }).await?;
            has_ended.then_some(1).ok_or(Error::SessionNotFound)?
        };
        tracing::info!(%account_id, ended, "sessions_ended");
        Ok(ended)
    }
}

/// Truncates an IPv4 address to its /24 and an IPv6 address to its /48 network: enough to recognize a place, too little
/// to identify a person.
pub(super) fn truncate_address(address: &str) -> String {
    match address.parse().map(|address: IpAddr| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::truncate_address;

    #[test]
    fn truncates_addresses_to_networks() {
        for (address, want) in [
            ("203.0.113.77", "203.0.113.0/24"),
            ("::ffff:203.0.113.77", "203.0.113.0/24"),
            ("2001:db8:7:1:2:3:4:5", "2001:db8:7::/48"),
            ("::1", "::/48"),
            ("somewhere", ""),
        ] {
            assert_eq!(truncate_address(address), want);
        }
    }
}
