//! Data issues and the closed trades that their answers may change.

use std::collections::BTreeSet;
use std::sync::Arc;

use time::Date;

use super::answer::ProposedAnswer;
use crate::closed_trade::ClosedTrade;
use crate::fill::{BrokerAccount, TradeKind};
use crate::financial_year::FinancialYear;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::remark::Remark;

/// Ledgers of an analysis, by index.
pub type Ledgers<'a> = &'a [Arc<InstrumentLedger>];

/// Kind of a data issue, in the order of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IssueKind {
    /// A contract expired while open.
    Settlement,
    /// A corporate action seems to be missing.
    CorporateAction,
    /// Shares were sold without a purchase.
    MissingCost,
    /// A file between two others may be missing.
    FileGap,
    /// The price of a trade is far from those of the same day.
    OddPrice,
    /// A symbol cannot be parsed, or the kind of a fund is unknown.
    UnknownInstrument,
    UnknownRates,
    /// The price of 31 January 2018 may count as the cost of shares.
    FairValue,
}

impl IssueKind {
    /// Returns the name in ids.
    fn name(self) -> &'static str {
        match self {
            Self::Settlement => "settlement",
            Self::CorporateAction => "corporateAction",
            Self::MissingCost => "missingCost",
            Self::FileGap => "fileGap",
            Self::OddPrice => "oddPrice",
            Self::UnknownInstrument => "unknownInstrument",
            Self::UnknownRates => "unknownRates",
            Self::FairValue => "fairValue",
        }
    }
}

/// Closed trades that the answer to an issue may change, among those of some ledgers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// No closed trade.
    None,
    All,
    /// Delivered shares.
    Delivery,
    /// Closed trades that were open at the start of this day.
    OpenOn(Date),
    /// Closed trades of one kind and year with missing charge rates.
    RatesMissing(TradeKind, FinancialYear),
    /// Closed trades with this trade.
    Trade(i64),
}

impl Scope {
    pub fn contains(self, ledger: &InstrumentLedger, closed_trade: &ClosedTrade) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Delivery => closed_trade.kind == TradeKind::Delivery,
            Self::OpenOn(day) => closed_trade.opened_day < day && closed_trade.closed_day >= day,
            Self::RatesMissing(kind, year) => {
                closed_trade.flags.rates_missing
                    && closed_trade.kind == kind
                    && FinancialYear::from_day(closed_trade.closed_day) == year
            }
            Self::Trade(id) => {
                let mut lots = ledger.lot_matches(&closed_trade.lot_matches).iter();
                let has_id = |lot| ledger.fill_of_lot(lot).is_some_and(|fill| fill.trade_id == id);
                lots.any(|lot_match| has_id(lot_match.entry.lot) || has_id(lot_match.exit.lot))
            }
        }
    }
}

/// Fact that figures depend on and that is unknown or doubtful.
#[derive(Clone, Debug)]
pub struct DataIssue {
    /// Identifier within the account; the same issue has the same id until it is answered.
    pub id: String,
    pub kind: IssueKind,
    /// Account that it concerns; none for all accounts.
    pub account: Option<BrokerAccount>,
    pub instrument: Option<Arc<Instrument>>,
    /// Day of the event: first sale, expiry, ex-date or trade.
    pub day: Option<Date>,
    /// Code and values of its sentences.
    pub details: Remark,
    /// Trade that it is about; 0 if there is none.
    pub trade_id: i64,
    /// Possible answers, the likely one first.
    pub answers: Vec<ProposedAnswer>,
    /// Ledgers whose closed trades it may change, by index.
    pub ledgers: Vec<usize>,
    pub scope: Scope,
    /// Financial years that it may change.
    pub years: BTreeSet<FinancialYear>,
    /// Number of closed trades that it may change; counted when all issues are found.
    pub closed_trades: usize,
}

impl DataIssue {
    /// Creates an issue that changes no closed trade. `subject` makes its id unique among those of its kind.
    pub fn new(kind: IssueKind, account: Option<BrokerAccount>, subject: &str, details: Remark) -> Self {
        let account_key = account.map_or_else(|| "all".to_owned(), BrokerAccount::key);
        Self {
            id: format!("{}:{account_key}:{subject}", kind.name()),
            kind,
            account,
            instrument: None,
            day: None,
            details,
            trade_id: 0,
            answers: Vec::new(),
            ledgers: Vec::new(),
            scope: Scope::All,
            years: BTreeSet::new(),
            closed_trades: 0,
        }
    }

    /// Returns the likely answer.
    pub fn likely_answer(&self) -> Option<&ProposedAnswer> {
        self.answers.iter().find(|answer| answer.likely)
    }
}
