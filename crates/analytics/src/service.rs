//! Analyses of accounts: reads trades and adjustments, and caches the analysis until one of them changes.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use db::{WRITE_TIMEOUT, run_to_completion};
use queue::KeyedQueue;
use rpc::authorization;
use rpc::broker_account::to_wire_account_number;
use rpc::caller::Caller;
use rpc::trades::v1 as wire;
use rpc::trades::v1::stream_trades_response::Part;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use rust_decimal::Decimal;
use time::OffsetDateTime;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Status};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::adjustment::RecordedAdjustment;
use crate::analysis::{Analysis, TradeChanges};
use crate::broker_terms::BrokerTerms;
use crate::cache::{Cache, CachedAnalysis, Versions};
use crate::capital_returns::LedgerHistory;
use crate::charge_rates::ChargeRates;
use crate::data_issues::{self, IssueAnswer};
use crate::error::Error;
use crate::fill::{BrokerAccount, Fill, INDIA};
use crate::fill_key::FillKey;
use crate::limits::MAX_TRADES;
use crate::parallel::WORKERS;
use crate::reconcile::{Reconciliation, Report, TaxReconciliation, TaxReport};
use crate::store::Store;
use crate::strategies::{Decided, Decision};
use crate::trade_log::TradeParser;

/// Accounts whose trades are read at the same time. Their trades take memory until the analysis is made.
const MAX_CONCURRENT_READS: usize = 8;
/// Large accounts whose trades are read at the same time.
const MAX_CONCURRENT_LARGE_READS: usize = 1;
/// Trades above which an account is large.
const LARGE_ACCOUNT_TRADES: i64 = 100_000;
/// Requests of one account that are answered at the same time.
const MAX_CONCURRENT_REQUESTS_PER_ACCOUNT: usize = 2;
/// Requests of one account that wait; a page makes up to six at once.
const MAX_WAITING_REQUESTS_PER_ACCOUNT: usize = 14;
/// Processors that one account uses at most: an update, which continues if its caller is gone, and a query.
const MAX_CPU_PERMITS_PER_ACCOUNT: usize = WORKERS as usize + MAX_CONCURRENT_REQUESTS_PER_ACCOUNT - 1;
/// Time that a request waits for a permit, or for another request that makes the same analysis. Shorter than the
/// edge's timeout.
const WAIT_TIMEOUT: Duration = Duration::from_secs(4);
/// Attempts of a decision about a strategy while others change strategies.
const MAX_DECISION_ATTEMPTS: usize = 3;
/// Time to update an analysis, which continues if its caller is gone. All steps have their own limits; this one covers
/// a trade log that stopped answering.
const UPDATE_TIMEOUT: Duration = Duration::from_mins(1);

/// Caller of the service, with the credentials for calls of the trade log.
#[derive(Clone)]
pub struct Trader {
    pub account_id: Uuid,
    /// Access token of the request.
    pub authorization: Option<MetadataValue<Ascii>>,
    /// Account that an internal service named in the request.
    pub account: Option<MetadataValue<Ascii>>,
}

impl Trader {
    /// Returns the caller of a request.
    pub fn from_request<T>(request: &Request<T>) -> Result<Self, Status> {
        Ok(Self {
            account_id: Caller::from_request(request)?.account_id,
            authorization: request.metadata().get("authorization").cloned(),
            account: request.metadata().get(authorization::ACCOUNT_METADATA_KEY).cloned(),
        })
    }

    /// Returns a request to the trade log with the caller's credentials.
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        if let Some(account) = &self.account {
            request.metadata_mut().insert(authorization::ACCOUNT_METADATA_KEY, account.clone());
        }
        request
    }
}

/// Result of answers to data issues.
pub struct AnswerResult {
    /// Number of issues that were answered now.
    pub answer_count: usize,
    /// Numbers of the first and the last adjustment; none if none was added.
    pub ids: Option<(i64, i64)>,
    pub net_before: Decimal,
    pub net_after: Decimal,
    pub issues_before: usize,
    pub issues_after: usize,
}

/// Service that answers queries on the analysis of an account.
#[derive(Clone)]
pub struct Service {
    pub store: Store,
    trades: TradesServiceClient<Transport>,
    pub rates: &'static ChargeRates,
    cache: Arc<Cache>,
    /// Limits the requests of each account.
    account_requests: KeyedQueue<Uuid>,
    /// Limits CPU-bound work, so that it leaves processors for other requests.
    cpu_permits: Arc<Semaphore>,
    /// Limits accounts whose trades are being read.
    read_permits: Arc<Semaphore>,
    /// Limits large accounts whose trades are being read; small accounts do not wait for them.
    large_read_permits: Arc<Semaphore>,
    /// Time that a request waits for a permit, or for another request that makes the same analysis.
    pub wait_timeout: Duration,
}

impl Service {
    pub fn new(store: Store, trades: TradesServiceClient<Transport>, rates: &'static ChargeRates) -> Self {
        // More than one account takes, so that the others always find one.
        let cpu_permits = available_parallelism().map_or(1, usize::from).max(MAX_CPU_PERMITS_PER_ACCOUNT + 1);
        let [cpu_permits, read_permits, large_read_permits] =
            [cpu_permits, MAX_CONCURRENT_READS, MAX_CONCURRENT_LARGE_READS]
                .map(|permits| Arc::new(Semaphore::new(permits)));
        Self {
            store,
            trades,
            rates,
            cache: Arc::default(),
            account_requests: KeyedQueue::new(MAX_CONCURRENT_REQUESTS_PER_ACCOUNT, MAX_WAITING_REQUESTS_PER_ACCOUNT),
            cpu_permits,
            read_permits,
            large_read_permits,
            wait_timeout: WAIT_TIMEOUT,
        }
    }

    /// Runs a query on the current analysis of the account, on a blocking thread.
    ///
    /// A query that waits ends with its caller. One that runs keeps its place until it is done, so that an account that
    /// disconnects cannot start another one earlier.
    ///
    /// # Errors
    /// [`Error::Busy`] if the account has too many requests.
    pub async fn query<T: Send + 'static>(
        &self,
        trader: &Trader,
        query: impl FnOnce(&Analysis) -> T + Send + 'static,
    ) -> Result<T, Error> {
        // One deadline for both waits, so that they do not add up.
        let deadline = Instant::now() + self.wait_timeout;
        let place = self.account_requests.acquire(trader.account_id, self.wait_timeout);
        let place = place.await.map_err(|queue::Busy| Error::Busy)?;
        let analysis = self.analysis(trader, deadline).await?;
        let cpu_permit = self.acquire(&self.cpu_permits, 1).await?;
        run_blocking((place, cpu_permit), move || query(&analysis)).await
    }

    /// Answers data issues of the account as one change. Issues that have an answer already are skipped.
    pub async fn answer_issues(&self, trader: &Trader, answers: Vec<IssueAnswer>) -> Result<AnswerResult, Error> {
        let recorded = self.store.list_recorded_adjustments(trader.account_id).await?;
        let stored_issue_ids: HashSet<String> = recorded.into_iter().filter_map(|one| one.issue_id).collect();
        let collect = move |analysis: &Analysis| {
            let issues = &analysis.issues().issues;
            let adjustments = data_issues::answers_to_adjustments(issues, &answers, &stored_issue_ids);
            (adjustments, analysis.net(), issues.len())
        };
        let (adjustments, net_before, issues_before) = self.query(trader, collect).await?;
        let adjustments = adjustments?;
        let answer_count = adjustments.iter().filter_map(|one| one.issue_id.as_ref()).collect::<HashSet<_>>().len();
        let ids = if adjustments.is_empty() {
            None
        } else {
            let (store, account_id) = (self.store.clone(), trader.account_id);
            let add = async move { store.add_adjustments(account_id, adjustments).await };
            let added = run_to_completion(WRITE_TIMEOUT, add).await?;
            let id = |recorded: Option<&RecordedAdjustment>| recorded.map(|recorded| recorded.adjustment.id);
            id(added.first()).zip(id(added.last()))
        };
        let after = |analysis: &Analysis| (analysis.net(), analysis.issues().issues.len());
        let (net_after, issues_after) = self.query(trader, after).await?;
        Ok(AnswerResult { answer_count, ids, net_before, net_after, issues_before, issues_after })
    }

    /// Makes a decision about a strategy; returns the number of the change and the ids of the confirmed strategies.
    ///
    /// # Errors
    /// Those of [`Analysis::decide`]; [`Error::Busy`] if the strategies changed meanwhile, more than once.
    pub async fn decide(
        &self,
        trader: &Trader,
        id: FillKey,
        grouping: Option<FillKey>,
        decision: Decision,
    ) -> Result<Decided, Error> {
        let decision = Arc::new(decision);
        for _ in 0..MAX_DECISION_ATTEMPTS {
            let decision = decision.clone();
            let apply = move |analysis: &Analysis| {
                let strategy = analysis.strategies().find(id);
                let fills: HashSet<FillKey> = strategy.iter().flat_map(|one| &one.lots).map(|lot| lot.fill).collect();
                (analysis.strategy_version(), analysis.decide(id, grouping, &decision), fills)
            };
            let (version, change, fills) = self.query(trader, apply).await?;
            let change = change?;
            let ids = change.added.iter().map(|strategy| strategy.id).collect();
            let (store, account_id) = (self.store.clone(), trader.account_id);
            let write = async move { store.change_strategies(account_id, version, change).await };
            if let Some(change_id) = run_to_completion(WRITE_TIMEOUT, write).await? {
                return Ok(Decided { change_id, ids, fills });
            }
        }
        Err(Error::Busy)
    }

    /// Compares a broker's report with the trades of its account and segment.
    pub async fn reconcile(&self, trader: &Trader, report: Report) -> Result<Reconciliation, Error> {
        let (account, contracts) = (report.account, report.contracts);
        let isins = self.list_isins(trader, account, contracts).await?;
        let reconciliation = self.query(trader, move |analysis| Reconciliation::new(analysis, &report, &isins)).await?;
        reconciliation.ok_or(Error::NoTradesToReconcile { broker: account.broker, contracts })
    }

    /// Compares a broker's tax report with the closed lots of its account.
    pub async fn reconcile_tax_report(&self, trader: &Trader, report: TaxReport) -> Result<TaxReconciliation, Error> {
        let (account, contracts) = (report.account, !report.has_shares());
        let isins = self.list_isins(trader, account, false).await?;
        let reconciliation =
            self.query(trader, move |analysis| TaxReconciliation::new(analysis, &report, &isins)).await?;
        reconciliation.ok_or(Error::NoTradesToReconcile { broker: account.broker, contracts })
    }

    /// Returns the symbols of a book with their ISINs.
    async fn list_isins(
        &self,
        trader: &Trader,
        account: BrokerAccount,
        contracts: bool,
    ) -> Result<Vec<(String, String)>, Error> {
        let book = wire::Book {
            broker: account.broker.to_wire().into(),
            broker_account: to_wire_account_number(account.number),
            segment: if contracts { wire::Segment::Fno } else { wire::Segment::Equity }.into(),
        };
        let request = trader.request(wire::ListIsinsRequest { book: Some(book) });
        let isins = self.trades.clone().list_isins(request).await?.into_inner().isins;
        Ok(isins.into_iter().map(|pair| (pair.symbol, pair.isin)).collect())
    }

    /// Returns the ledgers of the account by broker account.
    pub async fn list_ledger_histories(
        &self,
        trader: &Trader,
    ) -> Result<BTreeMap<BrokerAccount, LedgerHistory>, Error> {
        let request = trader.request(wire::ListCapitalFlowsRequest {});
        LedgerHistory::from_wire(self.trades.clone().list_capital_flows(request).await?.into_inner())
    }

    async fn acquire(&self, semaphore: &Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, Error> {
        let permit = timeout(self.wait_timeout, semaphore.clone().acquire_many_owned(permits)).await;
        permit.ok().and_then(Result::ok).ok_or(Error::Busy)
    }

    /// Returns the analysis of the current trades and adjustments. An update continues if the caller disconnects, so
    /// that the next request finds its result.
    async fn analysis(&self, trader: &Trader, deadline: Instant) -> Result<Arc<Analysis>, Error> {
        let slot = self.cache.slot(trader.account_id).lock_owned();
        let slot = timeout_at(deadline, slot).await.map_err(|_| Error::Busy)?;
        let (service, trader) = (self.clone(), trader.clone());
        let update = async move { service.update(slot, &trader).await };
        tokio::spawn(timeout(UPDATE_TIMEOUT, update.in_current_span())).await?.unwrap_or(Err(Error::Busy))
    }

    /// Updates the cached analysis of an account, or makes a new one.
    async fn update(
        &self,
        mut slot: OwnedMutexGuard<Option<CachedAnalysis>>,
        trader: &Trader,
    ) -> Result<Arc<Analysis>, Error> {
        let (adjustments, strategy_version) = tokio::try_join!(
            self.store.list_adjustments(trader.account_id),
            self.store.strategy_version(trader.account_id),
        )?;
        let cached_version = slot.as_ref().map(|cached| cached.analysis.strategy_version());
        // Zero until the first decision.
        let confirmed = if cached_version.unwrap_or_default() == strategy_version {
            None
        } else {
            Some(Arc::new(self.store.list_confirmed_strategies(trader.account_id).await?))
        };
        let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
        let changes = match slot.as_ref() {
            Some(cached) => self.list_changes(trader, cached.versions.trades).await?,
            None => None,
        };
        let cached_terms = slot.as_ref().map(|cached| (cached.versions.broker_accounts, cached.analysis.terms.clone()));
        let rates = self.rates;
        let (versions, analysis) = match changes {
            Some((versions, changes)) => {
                let terms = self.terms(trader, versions, cached_terms).await?;
                if let Some(cached) = slot.as_mut()
                    && changes.ids.is_empty()
                    && confirmed.is_none()
                    && cached.analysis.is_current(&adjustments, &terms, today)
                {
                    cached.versions = versions;
                    return Ok(cached.analysis.clone());
                }
                let permit = self.acquire(&self.cpu_permits, WORKERS).await?;
                // Taken out of the slot, so that it is not copied unless a query is using it now.
                let cached = slot.take();
                let apply = move || {
                    let mut analysis = Arc::unwrap_or_clone(cached?.analysis);
                    analysis.apply(changes);
                    if !analysis.is_made_with(&terms, today) {
                        let confirmed = confirmed.unwrap_or_else(|| analysis.confirmed_strategies());
                        let trades = analysis.to_trades();
                        analysis = Analysis::with_terms(trades, &adjustments, rates, terms, today);
                        analysis.set_confirmed_strategies(confirmed);
                        return Some(analysis);
                    }
                    if !analysis.is_current(&adjustments, &terms, today) {
                        analysis.apply_adjustments(&adjustments);
                    }
                    if let Some(confirmed) = confirmed {
                        analysis.set_confirmed_strategies(confirmed);
                    }
                    Some(analysis)
                };
                (versions, run_blocking(permit, apply).await?.ok_or(Error::InvalidTradeLog("change"))?)
            }
            None => {
                let mut permits = vec![self.acquire(&self.read_permits, 1).await?];
                let (versions, trades) = self.read_trades(trader, &mut permits).await?;
                let terms = self.terms(trader, versions, cached_terms).await?;
                permits.push(self.acquire(&self.cpu_permits, WORKERS).await?);
                let cached = slot.as_ref().map(|cached| cached.analysis.confirmed_strategies());
                let analyse = move || {
                    let mut analysis = Analysis::with_terms(trades, &adjustments, rates, terms, today);
                    if let Some(confirmed) = confirmed.or(cached) {
                        analysis.set_confirmed_strategies(confirmed);
                    }
                    analysis
                };
                (versions, run_blocking(permits, analyse).await?)
            }
        };
        let analysis = Arc::new(analysis);
        self.cache.record_size(trader.account_id, analysis.trade_count);
        *slot = Some(CachedAnalysis { versions, analysis: analysis.clone() });
        Ok(analysis)
    }

    /// Returns the terms of the trader's accounts with brokers, with stated charges; `cached` are those of a version.
    async fn terms(
        &self,
        trader: &Trader,
        versions: Versions,
        cached: Option<(i64, Arc<BrokerTerms>)>,
    ) -> Result<Arc<BrokerTerms>, Error> {
        match cached {
            Some((version, terms)) if version == versions.broker_accounts => Ok(terms),
            // No settings were ever saved, and no contract note was imported.
            _ if versions.broker_accounts == 0 => Ok(Arc::default()),
            _ => {
                let request = trader.request(wire::ListBrokerAccountsRequest {});
                let accounts = self.trades.clone().list_broker_accounts(request).await?.into_inner().accounts;
                let request = trader.request(wire::ListContractNotesRequest {});
                let notes = self.trades.clone().list_contract_notes(request).await?.into_inner().notes;
                Ok(Arc::new(BrokerTerms::from_wire(accounts, notes)?))
            }
        }
    }

    /// Returns the changes of trades since a version, and the current versions; none if all trades have to be read.
    async fn list_changes(&self, trader: &Trader, since: i64) -> Result<Option<(Versions, TradeChanges)>, Error> {
        let request = trader.request(wire::ListChangedTradesRequest { since });
        let response = self.trades.clone().list_changed_trades(request).await?.into_inner();
        let head = response.head.ok_or(Error::InvalidTradeLog("head"))?;
        if head.total > MAX_TRADES {
            return Err(Error::TooManyTrades);
        }
        if response.full_reload_required {
            return Ok(None);
        }
        let mut parser = TradeParser::default();
        let trades: Result<Vec<Fill>, Error> = response.trades.into_iter().map(|trade| parser.parse(trade)).collect();
        let trades = trades?;
        let ids = response.deleted_ids.into_iter().chain(trades.iter().map(|trade| trade.trade_id)).collect();
        Ok(Some((versions(&head), TradeChanges { ids, trades })))
    }

    /// Reads all trades and the versions. For a large account a permit is added to `permits`.
    async fn read_trades(
        &self,
        trader: &Trader,
        permits: &mut Vec<OwnedSemaphorePermit>,
    ) -> Result<(Versions, Vec<Fill>), Error> {
        let request = trader.request(wire::StreamTradesRequest { known_version: None, with_source_keys: true });
        let mut stream = self.trades.clone().stream_trades(request).await?.into_inner();
        let (mut head_versions, mut fills, mut parser) = (Versions::default(), Vec::new(), TradeParser::default());
        while let Some(message) = stream.message().await? {
            match message.part {
                Some(Part::Head(head)) if head.total > MAX_TRADES => return Err(Error::TooManyTrades),
                Some(Part::Head(head)) => {
                    if head.total > LARGE_ACCOUNT_TRADES {
                        permits.push(self.acquire(&self.large_read_permits, 1).await?);
                    }
                    head_versions = versions(&head);
                    fills.reserve(usize::try_from(head.total).unwrap_or_default());
                }
                Some(Part::Page(page)) => {
                    for trade in page.trades {
                        fills.push(parser.parse(trade)?);
                    }
                }
                None => return Err(Error::InvalidTradeLog("page")),
            }
        }
        // The log sends the newest first. The analysis sorts by time, which is fast if the trades are nearly sorted.
        fills.reverse();
        Ok((head_versions, fills))
    }
}

fn versions(head: &wire::TradesHead) -> Versions {
    Versions { trades: head.version, broker_accounts: head.broker_accounts_version }
}

/// Runs CPU-bound work on a blocking thread, and drops `permits` when it ends.
async fn run_blocking<T: Send + 'static>(
    permits: impl Send + 'static,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let work = move || {
        let _permits = permits;
        work()
    };
    Ok(tokio::task::spawn_blocking(work).await?)
}
