//! Adjustments: facts that no trade states and the trader enters, such as corporate actions, opening holdings and
//! settlements. A value of these types is valid.

use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::fill::BrokerAccount;

/// Adjustment entered by the trader, effective from the start of its day.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Adjustment {
    /// Number within the account.
    pub id: i64,
    /// Symbol in capitals.
    pub symbol: String,
    /// Ex-date of a corporate action, day of a payment, expiry of a settled contract, or purchase day of an opening
    /// holding.
    pub day: Date,
    pub kind: AdjustmentKind,
}

impl Adjustment {
    /// Returns the key that sorts adjustments in the order in which they apply.
    pub fn order(&self) -> (Date, u8, &'static str, i64) {
        (self.day, self.kind.rank(), self.kind.name(), self.id)
    }
}

/// Ratio of new to old shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    pub new: i32,
    pub old: i32,
}

/// Shares in one account, with a price per share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PricedShares {
    pub account: BrokerAccount,
    pub quantity: Decimal,
    pub price: Decimal,
}

/// Kind of an adjustment, with its values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AdjustmentKind {
    /// `new` shares replace `old` shares.
    Split(Ratio),
    /// `new` shares are added to every `old` shares, at no cost.
    Bonus {
        ratio: Ratio,
        /// Day of allotment, from which the new shares count as held; none if it is the ex-date.
        allotted: Option<Date>,
    },
    /// The share or contract has this symbol from that day on.
    Rename(String),
    /// `new` shares of another company replace `old` shares, which keep their days of purchase and their cost.
    Merger {
        into: String,
        ratio: Ratio,
        /// Rupees paid for each old share in addition; 0 if none.
        cash: Decimal,
    },
    /// `new` shares of another company are added to every `old` shares, with the same days of purchase.
    Demerger {
        new_symbol: String,
        ratio: Ratio,
        /// Part of the cost that moves to the new shares.
        cost_percent: Decimal,
    },
    /// Shares bought from the company in a rights issue.
    Rights(PricedShares),
    /// Shares sold to the company. An open offer or a delisting is a sale in the log: it is taxed otherwise.
    Buyback(PricedShares),
    /// Rupees that the company returned for each share, which reduce its cost.
    CapitalReturn(Decimal),
    /// Rupees paid in all for the fraction of a share that a corporate action left in this account.
    FractionPayment { account: BrokerAccount, amount: Decimal },
    /// Change of a contract by the exchange, other than for a split or bonus of the underlying.
    ContractAdjustment {
        /// Symbol with the changed strike; none if the symbol stays.
        new_symbol: Option<String>,
        /// `new` units replace `old` units, at an unchanged value.
        ratio: Ratio,
        /// Rupees by which the entry price of one unit is reduced, after `ratio`.
        price_cut: Decimal,
    },
    /// Settlement price of one unit of a contract.
    Settlement(Decimal),
    /// Shares held before the first trade.
    Opening { account: BrokerAccount, quantity: Decimal, price: Decimal },
    /// Highest price of a share on 31 January 2018, the day of the adjustment. It changes the cost in the tax pack only.
    FairValue(Decimal),
    /// Statement that the share had no corporate action around that day.
    NoAction,
    /// The data issue whose id is the symbol needs no answer.
    Dismissal,
}

/// Adjustment to add.
pub struct NewAdjustment {
    pub adjustment: Adjustment,
    /// Data issue that it answers.
    pub issue_id: Option<String>,
}

/// Stored adjustment with the change that added it.
#[derive(Clone, Debug)]
pub struct RecordedAdjustment {
    pub adjustment: Adjustment,
    /// Number of the first adjustment that was added in the same request.
    pub change_id: i64,
    pub added_at: OffsetDateTime,
    /// Data issue that it answers.
    pub issue_id: Option<String>,
}

impl AdjustmentKind {
    /// Returns the name in the tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Split(_) => "split",
            Self::Bonus { .. } => "bonus",
            Self::Rename(_) => "rename",
            Self::Merger { .. } => "merger",
            Self::Demerger { .. } => "demerger",
            Self::Rights(_) => "rights",
            Self::Buyback(_) => "buyback",
            Self::CapitalReturn(_) => "capital-return",
            Self::FractionPayment { .. } => "fraction-payment",
            Self::ContractAdjustment { .. } => "contract-adjustment",
            Self::Settlement(_) => "settlement",
            Self::Opening { .. } => "opening",
            Self::FairValue(_) => "fair-value",
            Self::NoAction => "no-action",
            Self::Dismissal => "dismissal",
        }
    }

    /// Returns the symbol of another share or contract that it names.
    pub fn other_symbol(&self) -> Option<&str> {
        match self {
            Self::Rename(symbol) | Self::Merger { into: symbol, .. } | Self::Demerger { new_symbol: symbol, .. } => {
                Some(symbol)
            }
            Self::ContractAdjustment { new_symbol, .. } => new_symbol.as_deref(),
            Self::Split(_)
            | Self::Bonus { .. }
            | Self::Rights(_)
            | Self::Buyback(_)
            | Self::CapitalReturn(_)
            | Self::FractionPayment { .. }
            | Self::Settlement(_)
            | Self::Opening { .. }
            | Self::FairValue(_)
            | Self::NoAction
            | Self::Dismissal => None,
        }
    }

    /// Returns its ratio; none for kinds without one.
    pub fn ratio(&self) -> Option<Ratio> {
        match self {
            Self::Split(ratio)
            | Self::Bonus { ratio, .. }
            | Self::Merger { ratio, .. }
            | Self::Demerger { ratio, .. }
            | Self::ContractAdjustment { ratio, .. } => Some(*ratio),
            Self::Rename(_)
            | Self::Rights(_)
            | Self::Buyback(_)
            | Self::CapitalReturn(_)
            | Self::FractionPayment { .. }
            | Self::Settlement(_)
            | Self::Opening { .. }
            | Self::FairValue(_)
            | Self::NoAction
            | Self::Dismissal => None,
        }
    }

    /// Returns the rank among the adjustments of one day: a payment for a fraction follows the action that left it.
    fn rank(&self) -> u8 {
        match self {
            Self::Bonus { .. } => 0,
            Self::FractionPayment { .. } => 2,
            _ => 1,
        }
    }
}
