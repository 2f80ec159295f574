//! Accounts of a tax pack.

use crate::fill::BrokerAccount;

/// Accounts whose trades count in a tax pack; none for all. A tax return is that of one person, and one login may have
/// the accounts of several.
#[derive(Clone, Debug, Default)]
pub struct TaxAccounts(pub Vec<BrokerAccount>);

impl TaxAccounts {
    pub fn contain(&self, account: BrokerAccount) -> bool {
        self.0.is_empty() || self.0.contains(&account)
    }
}
