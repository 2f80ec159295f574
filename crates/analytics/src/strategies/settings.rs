//! Settings of the trader for grouping.

use std::collections::HashMap;

use time::Duration;

use crate::fill::BrokerAccount;

/// Settings of the trader for grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupingSettings {
    /// Time within which the legs of one strategy are opened.
    pub window: Duration,
    /// Groups positions of all accounts of one person; otherwise those of each account with a broker.
    pub across_accounts: bool,
}

impl GroupingSettings {
    /// Returns settings with a window in minutes.
    pub fn new(window_minutes: u32, across_accounts: bool) -> Self {
        Self { window: Duration::minutes(window_minutes.into()), across_accounts }
    }

    pub fn window_minutes(&self) -> u32 {
        self.window.whole_minutes().try_into().unwrap_or_default()
    }
}

impl Default for GroupingSettings {
    fn default() -> Self {
        Self::new(5, false)
    }
}

/// Accounts with brokers whose positions are grouped together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupingScope {
    Account(BrokerAccount),
    /// All accounts of a holder; empty for those whose holder is not known.
    Person(String),
}

impl GroupingScope {
    pub fn new(account: BrokerAccount, holders: &HashMap<BrokerAccount, String>, settings: GroupingSettings) -> Self {
        if settings.across_accounts {
            Self::Person(holders.get(&account).cloned().unwrap_or_default())
        } else {
            Self::Account(account)
        }
    }
}
