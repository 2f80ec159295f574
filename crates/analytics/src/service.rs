//! Brings trades, entries and rates together, and keeps what comes of it until one of them changes.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use rpc::guard;
use rpc::trades::v1 as wire;
use rpc::trades::v1::list_trades_response::Part;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use time::{Date, OffsetDateTime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Code, Request};
use uuid::Uuid;

use crate::adjustment::Adjustment;
use crate::analysis::Analysis;
use crate::cache::{Cache, Known};
use crate::error::Error;
use crate::fill::{Fill, INDIA, Source};
use crate::log::{Reader, write_broker};
use crate::reconcile::{Reconciliation, Report};
use crate::store::Store;
use crate::tariff::Tariff;

/// Trades of one account that are analysed.
const MOST_TRADES: i64 = 1_000_000;
/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(4);

/// Who asks.
#[derive(Clone)]
pub struct Trader {
    pub account_id: Uuid,
    /// The token as it came, with which the trade log is asked.
    pub authorization: Option<MetadataValue<Ascii>>,
    /// The account as a service named it, with which goes the same.
    pub account: Option<MetadataValue<Ascii>>,
}

impl Trader {
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        if let Some(account) = &self.account {
            request.metadata_mut().insert(guard::ACCOUNT, account.clone());
        }
        request
    }
}

#[derive(Clone)]
pub struct Service {
    pub store: Store,
    trades: TradesServiceClient<Transport>,
    pub tariff: &'static Tariff,
    cache: Arc<Cache>,
    /// What takes a processor takes a turn, so that questions do not take all of them from everybody else.
    turns: Arc<Semaphore>,
}

impl Service {
    pub fn new(store: Store, trades: TradesServiceClient<Transport>, tariff: &'static Tariff) -> Self {
        let turns = available_parallelism().map_or(1, usize::from);
        Self { store, trades, tariff, cache: Arc::default(), turns: Arc::new(Semaphore::new(turns)) }
    }

    /// Asks the analysis of the account. What takes long is done on a thread of its own.
    pub async fn ask<T: Send + 'static>(
        &self,
        trader: &Trader,
        question: impl FnOnce(&Analysis) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let analysis = self.analysis(trader).await?;
        self.work(move || question(&analysis)).await
    }

    /// Does what takes a processor for a while, on a thread of its own, in its turn.
    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
        let turn = self.turn().await?;
        let work = move || {
            let _turn = turn;
            work()
        };
        Ok(tokio::task::spawn_blocking(work).await?)
    }

    /// Sets a broker's report against the trades of its broker and segment.
    pub async fn reconcile(&self, trader: &Trader, report: Report) -> Result<Reconciliation, Error> {
        let (broker, contracts) = (report.broker, report.contracts);
        let book = wire::Book {
            broker: write_broker(broker).into(),
            segment: if contracts { wire::Segment::Fno } else { wire::Segment::Equity }.into(),
        };
        let request = trader.request(wire::ListIsinsRequest { book: Some(book) });
        let isins = self.trades.clone().list_isins(request).await?.into_inner().isins;
        let isins: Vec<_> = isins.into_iter().map(|pair| (pair.symbol, pair.isin)).collect();
        let found = self.ask(trader, move |analysis| Reconciliation::of(analysis, &report, &isins)).await?;
        found.ok_or(Error::NoTradesOfOurs { broker, contracts })
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        let turn = tokio::time::timeout(PATIENCE, self.turns.clone().acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(Error::Busy)
    }

    /// The analysis of the trades and entries as they are now.
    async fn analysis(&self, trader: &Trader) -> Result<Arc<Analysis>, Error> {
        let slot = self.cache.slot(trader.account_id);
        let mut slot = slot.lock().await;
        let adjustments = self.store.adjustments(trader.account_id).await?;
        let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
        let head = self.head(trader, slot.as_ref().map(|known| known.version)).await?;
        if head.total > MOST_TRADES {
            return Err(Error::TooManyTrades);
        }
        let same = |known: &&Known| known.today == today && *known.adjustments == adjustments;
        let fills = match slot.as_ref().filter(|known| known.version == head.version) {
            Some(known) if same(&known) => return Ok(known.analysis.clone()),
            Some(known) => trades_of(&known.analysis),
            None => match self.added(trader, slot.as_ref(), &head).await? {
                Some(fills) => fills,
                None => return self.afresh(trader, &mut slot, adjustments, today).await,
            },
        };
        self.work_out(trader, &mut slot, head.version, fills, adjustments, today).await
    }

    async fn afresh(
        &self,
        trader: &Trader,
        slot: &mut Option<Known>,
        adjustments: Vec<Adjustment>,
        today: Date,
    ) -> Result<Arc<Analysis>, Error> {
        let (version, fills) = self.all(trader).await?;
        self.work_out(trader, slot, version, fills, adjustments, today).await
    }

    async fn work_out(
        &self,
        trader: &Trader,
        slot: &mut Option<Known>,
        version: i64,
        fills: Vec<Fill>,
        adjustments: Vec<Adjustment>,
        today: Date,
    ) -> Result<Arc<Analysis>, Error> {
        let (tariff, adjustments) = (self.tariff, Arc::new(adjustments));
        let entered = adjustments.clone();
        let work = move || Arc::new(Analysis::of(fills, &entered, tariff, today));
        let analysis = self.work(work).await?;
        self.cache.filled(trader.account_id, analysis.fills.len());
        *slot = Some(Known { version, today, adjustments, analysis: analysis.clone() });
        Ok(analysis)
    }

    /// The version of the trades and how many there are.
    async fn head(&self, trader: &Trader, known_version: Option<i64>) -> Result<wire::TradesHead, Error> {
        let page = wire::QueryTradesRequest {
            limit: 1,
            sort: wire::SortKey::Time.into(),
            known_version,
            ..wire::QueryTradesRequest::default()
        };
        let answer = self.trades.clone().query_trades(trader.request(page)).await?.into_inner();
        answer.head.ok_or(Error::NoTrade("head"))
    }

    /// The trades that are known and the one that was entered since, where no more than that happened.
    async fn added(
        &self,
        trader: &Trader,
        known: Option<&Known>,
        head: &wire::TradesHead,
    ) -> Result<Option<Vec<Fill>>, Error> {
        let Some(known) = known.filter(|known| known.version + 1 == head.version) else { return Ok(None) };
        let trades = i64::try_from(known.analysis.trades).unwrap_or(i64::MAX);
        if trades + 1 != head.total {
            return Ok(None);
        }
        let newest = wire::ListChangesRequest { book: None, limit: 1, cursor: String::new() };
        let newest = self.trades.clone().list_changes(trader.request(newest)).await?.into_inner();
        let entered = newest.changes.first().is_some_and(|change| {
            change.kind() == wire::ChangeKind::Entry && change.removed == 0 && change.undone_at.is_none()
        });
        if !entered {
            return Ok(None);
        }
        // Numbers are given in order, so it has the next one, unless newer ones were deleted before.
        let last = known.analysis.fills.iter().map(|fill| fill.trade_id).max().unwrap_or_default();
        let asked = self.trades.clone().get_trade(trader.request(wire::GetTradeRequest { id: last + 1 })).await;
        let trade = match asked {
            Ok(answer) => answer.into_inner().trade.ok_or(Error::NoTrade("trade"))?,
            Err(status) if status.code() == Code::NotFound => return Ok(None),
            Err(status) => return Err(status.into()),
        };
        let mut fills = trades_of(&known.analysis);
        fills.push(Reader::default().read(trade)?);
        Ok(Some(fills))
    }

    /// All trades, and the version that they are of.
    async fn all(&self, trader: &Trader) -> Result<(i64, Vec<Fill>), Error> {
        let request = trader.request(wire::ListTradesRequest { known_version: None });
        let mut stream = self.trades.clone().list_trades(request).await?.into_inner();
        let (mut version, mut fills, mut reader) = (0, Vec::new(), Reader::default());
        while let Some(message) = stream.message().await? {
            match message.part {
                Some(Part::Head(head)) => {
                    version = head.version;
                    fills.reserve(usize::try_from(head.total).unwrap_or_default());
                }
                Some(Part::Page(page)) => {
                    for trade in page.trades {
                        fills.push(reader.read(trade)?);
                    }
                }
                None => return Err(Error::NoTrade("page")),
            }
        }
        // Newest first came in; sorting what is almost in order is cheap.
        fills.reverse();
        Ok((version, fills))
    }
}

/// The trades of an analysis, without what was added to them.
fn trades_of(analysis: &Analysis) -> Vec<Fill> {
    analysis.fills.iter().filter(|fill| fill.source == Source::Trade).cloned().collect()
}
