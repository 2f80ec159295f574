//! Tax links: an accountant sees the tax pack of one year without an account.

use rpc::caller::Trader;
use rpc::token::Purpose;
use uuid::Uuid;

use super::sessions::truncate_address;
use super::{Service, run_write};
use crate::error::Error;
use crate::secret::Secret;
use crate::session::Device;
use crate::tax_link::{NewTaxLink, OpenTaxLink, TaxLink, TaxLinkAction, TaxLinkToken};
use crate::token::{SignedToken, Subject};

impl Service {
    /// Creates a link. Returns it with its token, which cannot be read again.
    pub(crate) async fn create_tax_link(&self, trader: &Trader, new: NewTaxLink) -> Result<(TaxLink, Secret), Error> {
        self.require_reauthentication(trader).await?;
        let token = TaxLinkToken::generate(trader.account_id)?;
        let text = token.to_secret();
        let store = self.store.clone();
        let link = run_write(async move { store.add_tax_link(&token, &new).await }).await?;
        self.email_queued.notify_one();
        tracing::info!(account_id = %trader.account_id, link_id = %link.link_id, "tax_link_created");
        Ok((link, text))
    }

    pub(crate) async fn list_tax_links(&self, trader: &Trader) -> Result<Vec<TaxLink>, Error> {
        self.store.list_tax_links(trader.account_id).await
    }

    pub(crate) async fn revoke_tax_link(&self, trader: &Trader, link_id: &str) -> Result<(), Error> {
        let link_id: Uuid = link_id.parse().map_err(|_| Error::TaxLinkNotFound)?;
        let (store, account_id) = (self.store.clone(), trader.account_id);
        let is_revoked = run_write(async move { store.revoke_tax_link(account_id, link_id).await }).await?;
        tracing::info!(%account_id, %link_id, is_revoked, "tax_link_revoked");
        if is_revoked { Ok(()) } else { Err(Error::TaxLinkNotFound) }
    }

    /// Logs the use of a link, and returns it with a token that reads the account. The token is for the caller alone:
    /// who has the link must not get it.
    ///
    /// # Errors
    /// [`Error::TaxLinkExpired`] if the link does not work, for whatever reason.
    pub(crate) async fn use_tax_link(
        &self,
        token: &Secret,
        action: TaxLinkAction,
        device: Device,
    ) -> Result<(OpenTaxLink, SignedToken), Error> {
        let token = TaxLinkToken::parse(token.expose()).ok_or(Error::TaxLinkExpired)?;
        // The owner of the account recognizes a device without the whole address of somebody else.
        let device = Device { address: truncate_address(&device.address), ..device };
        let (store, account_id) = (self.store.clone(), token.account_id);
        let open = run_write(async move { store.use_tax_link(&token, action, &device).await }).await?;
        let Some(open) = open else {
            tracing::info!("tax_link_rejected");
            return Err(Error::TaxLinkExpired);
        };
        let link_id = open.link.link_id;
        tracing::info!(%account_id, %link_id, action = action.as_str(), "tax_link_used");
        let signed = self.keys.sign(
            Purpose::Analytics,
            &Subject {
                account_id,
                session_id: Some(link_id),
                token_id: None,
                name: &open.name,
                email: &open.email,
                email_confirmed: open.email_confirmed,
            },
        )?;
        Ok((open, signed))
    }
}
