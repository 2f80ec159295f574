//! Tokens that are exchanged once: for a sign-in here, for a session that reads on the analytics site.

use std::collections::HashMap;

use jsonwebtoken::DecodingKey;
use rpc::caller::Trader;
use rpc::token::{self, Claims, Purpose};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Service, Tokens, to_the_end};
use crate::error::Error;
use crate::sign_in::Device;
use crate::token::{Signed, Subject};

impl Service {
    /// A token that becomes a sign-in to the account, once and within a minute.
    pub(crate) async fn sign_in_token(&self, account_id: Uuid) -> Result<Signed, Error> {
        let account = self.store.credentials_of(account_id).await?.ok_or(Error::SessionEnded)?;
        let (name, email) = (&account.name, &account.email);
        self.signer.sign(Purpose::SignIn, &Subject { account_id, sign_in_id: None, name, email })
    }

    /// Begins the sign-in that a token of [`sign_in_token`](Self::sign_in_token) stands for.
    pub(crate) async fn exchange(&self, token: &str, device: Device) -> Result<Tokens, Error> {
        let claims = self.take_once(token, Purpose::SignIn).await?;
        self.sign_in(claims.sub, device).await
    }

    /// A token that says to the analytics site who the trader is.
    pub(crate) fn hand_off(&self, trader: &Trader) -> Result<Signed, Error> {
        let Trader { account_id, sign_in_id, name, email } = trader;
        let subject = Subject { account_id: *account_id, sign_in_id: Some(*sign_in_id), name, email };
        let signed = self.signer.sign(Purpose::Handoff, &subject)?;
        tracing::info!(%account_id, token_id = %signed.id, "handed_off");
        Ok(signed)
    }

    /// Begins a session that reads, while the sign-in that it came from goes on.
    pub(crate) async fn start_analytics(&self, token: &str) -> Result<Signed, Error> {
        let claims = self.take_once(token, Purpose::Handoff).await?;
        let (account_id, name, email) = (claims.sub, &claims.name, &claims.email);
        let sign_in_id = claims.sid.ok_or(Error::SessionEnded)?;
        if !self.store.goes_on(account_id, sign_in_id).await? {
            return Err(Error::SessionEnded);
        }
        tracing::info!(%account_id, token_id = %claims.jti, "analytics_session");
        self.signer.sign(Purpose::Analytics, &Subject { account_id, sign_in_id: Some(sign_in_id), name, email })
    }

    /// What a token of ours says, the first time that it is shown.
    async fn take_once(&self, token: &str, purpose: Purpose) -> Result<Claims, Error> {
        let keys: HashMap<String, DecodingKey> = self
            .public_keys()
            .await?
            .into_iter()
            .filter_map(|(kid, x)| DecodingKey::from_ed_components(&x).ok().map(|key| (kid, key)))
            .collect();
        let claims = token::read(token, purpose, |kid| keys.get(kid)).ok_or(Error::SessionEnded)?;
        let expires_at = OffsetDateTime::from_unix_timestamp(claims.exp).map_err(|_| Error::SessionEnded)?;
        let (store, token_id) = (self.store.clone(), claims.jti);
        if to_the_end(async move { store.use_token(token_id, expires_at).await }).await? {
            return Ok(claims);
        }
        tracing::info!(account_id = %claims.sub, "token_used_again");
        Err(Error::SessionEnded)
    }
}
