//! Accounts of a tax pack.

use std::collections::HashMap;

use crate::fill::BrokerAccount;

/// Accounts whose trades count in a tax pack; none for all. A tax return is that of one person, and one login may have
/// the accounts of several.
#[derive(Clone, Debug, Default)]
pub struct TaxAccounts(pub Vec<BrokerAccount>);

impl TaxAccounts {
    pub fn contain(&self, account: BrokerAccount) -> bool {
        self.0.is_empty() || self.0.contains(&account)
    }

    /// Returns whether they are known to belong to several people; `holders` are those of all accounts.
    pub fn have_several_people(&self, holders: &HashMap<BrokerAccount, String>) -> bool {
        let mut names = holders.iter().filter(|(account, _)| self.contain(**account)).map(|(_, name)| name);
        let first = names.next();
        names.any(|name| Some(name) != first)
    }
}
