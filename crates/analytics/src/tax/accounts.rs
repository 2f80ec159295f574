//! Accounts of a tax pack.

use std::collections::HashMap;

use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;

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

/// Returns the trades of the accounts that were closed in a year, in the order of closing.
pub fn closed_in<'a>(
    analysis: &'a Analysis,
    year: FinancialYear,
    accounts: &'a TaxAccounts,
) -> impl Iterator<Item = &'a ClosedTrade> {
    let is_closed_in_year = move |closed_trade: &ClosedTrade| FinancialYear::from_day(closed_trade.closed_day) == year;
    analysis
        .closed_trades()
        .filter(move |closed_trade| is_closed_in_year(closed_trade) && accounts.contain(closed_trade.account))
}
