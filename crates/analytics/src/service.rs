//! Brings trades, entries and rates together, and keeps what comes of it until one of them changes.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use rpc::guard;
use rpc::trades::v1 as wire;
use rpc::trades::v1::list_trades_response::Part;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use time::OffsetDateTime;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::analysis::{Analysis, Changes};
use crate::cache::{Cache, Known};
use crate::cores::WORKERS;
use crate::error::Error;
use crate::fill::{Fill, INDIA};
use crate::log::{Reader, write_broker};
use crate::reconcile::{Reconciliation, Report};
use crate::store::Store;
use crate::tariff::Tariff;

/// Trades of one account that are analysed.
const MOST_TRADES: i64 = 1_000_000;
/// Accounts whose trades are read at once, which takes memory until they are worked out; and of those with many trades.
const READINGS: usize = 8;
const LARGE_READINGS: usize = 1;
const MANY_TRADES: i64 = 100_000;
/// Shorter than the edge's.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long an account is worked out whose caller may have gone. Everything in it has a limit of its own; this one is
/// for a trade log that has fallen silent.
const LONGEST: Duration = Duration::from_mins(1);

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
    /// So do trades that are read. Large accounts wait for each other, and not the others for them.
    readings: Arc<Semaphore>,
    large_readings: Arc<Semaphore>,
    /// How long a question waits for its turn, or for another that works out the same account.
    pub patience: Duration,
}

impl Service {
    pub fn new(store: Store, trades: TradesServiceClient<Transport>, tariff: &'static Tariff) -> Self {
        let turns = available_parallelism().map_or(1, usize::from).max(WORKERS as usize);
        let [turns, readings, large_readings] =
            [turns, READINGS, LARGE_READINGS].map(|permits| Arc::new(Semaphore::new(permits)));
        Self { store, trades, tariff, cache: Arc::default(), turns, readings, large_readings, patience: PATIENCE }
    }

    /// Asks the analysis of the account. What takes long is done on a thread of its own.
    pub async fn ask<T: Send + 'static>(
        &self,
        trader: &Trader,
        question: impl FnOnce(&Analysis) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let analysis = self.analysis(trader).await?;
        work(self.turn(&self.turns, 1).await?, move || question(&analysis)).await
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

    async fn turn(&self, of: &Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, Error> {
        let turn = timeout(self.patience, of.clone().acquire_many_owned(permits)).await;
        turn.ok().and_then(Result::ok).ok_or(Error::Busy)
    }

    /// The analysis of the trades and entries as they are now. It is worked out to its end though the caller hangs up:
    /// who asks again finds it.
    async fn analysis(&self, trader: &Trader) -> Result<Arc<Analysis>, Error> {
        let slot = self.cache.slot(trader.account_id).lock_owned();
        let slot = timeout(self.patience, slot).await.map_err(|_| Error::Busy)?;
        let (service, trader) = (self.clone(), trader.clone());
        let fill = async move { service.fill(slot, &trader).await };
        tokio::spawn(timeout(LONGEST, fill.in_current_span())).await?.unwrap_or(Err(Error::Busy))
    }

    /// Brings what is known of an account up to date.
    async fn fill(&self, mut slot: OwnedMutexGuard<Option<Known>>, trader: &Trader) -> Result<Arc<Analysis>, Error> {
        let adjustments = self.store.adjustments(trader.account_id).await?;
        let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
        let changes = match slot.as_ref() {
            Some(known) => self.changes(trader, known.version).await?,
            None => None,
        };
        if let (Some(known), Some((version, changes))) = (slot.as_mut(), &changes)
            && changes.ids.is_empty()
            && known.analysis.is_of(&adjustments, today)
        {
            known.version = *version;
            return Ok(known.analysis.clone());
        }
        let tariff = self.tariff;
        // What is known is taken out, so that it is changed where it stands unless somebody reads it at this moment.
        let (version, analysis) = match changes {
            Some((version, changes)) => {
                let turn = self.turn(&self.turns, WORKERS).await?;
                let known = slot.take();
                let change = move || {
                    let mut analysis = Arc::unwrap_or_clone(known?.analysis);
                    analysis.change(changes);
                    let same = analysis.is_of(&adjustments, today);
                    Some(if same { analysis } else { Analysis::of(analysis.to_trades(), &adjustments, tariff, today) })
                };
                (version, work(turn, change).await?.ok_or(Error::NoTrade("change"))?)
            }
            None => {
                let mut room = vec![self.turn(&self.readings, 1).await?];
                let (version, trades) = self.all(trader, &mut room).await?;
                room.push(self.turn(&self.turns, WORKERS).await?);
                (version, work(room, move || Analysis::of(trades, &adjustments, tariff, today)).await?)
            }
        };
        let analysis = Arc::new(analysis);
        self.cache.filled(trader.account_id, analysis.trades);
        *slot = Some(Known { version, analysis: analysis.clone() });
        Ok(analysis)
    }

    /// What changed about the trades since that version, and the version now; none where all of them have to be read.
    async fn changes(&self, trader: &Trader, since: i64) -> Result<Option<(i64, Changes)>, Error> {
        let request = trader.request(wire::ListChangedTradesRequest { since });
        let answer = self.trades.clone().list_changed_trades(request).await?.into_inner();
        let head = answer.head.ok_or(Error::NoTrade("head"))?;
        if head.total > MOST_TRADES {
            return Err(Error::TooManyTrades);
        }
        if answer.everything {
            return Ok(None);
        }
        let mut reader = Reader::default();
        let trades: Result<Vec<Fill>, Error> = answer.trades.into_iter().map(|trade| reader.read(trade)).collect();
        let trades = trades?;
        let ids = answer.gone.into_iter().chain(trades.iter().map(|trade| trade.trade_id)).collect();
        Ok(Some((head.version, Changes { ids, trades })))
    }

    /// All trades, and the version that they are of. Many of them take more room.
    async fn all(&self, trader: &Trader, room: &mut Vec<OwnedSemaphorePermit>) -> Result<(i64, Vec<Fill>), Error> {
        let request = trader.request(wire::ListTradesRequest { known_version: None });
        let mut stream = self.trades.clone().list_trades(request).await?.into_inner();
        let (mut version, mut fills, mut reader) = (0, Vec::new(), Reader::default());
        while let Some(message) = stream.message().await? {
            match message.part {
                Some(Part::Head(head)) if head.total > MOST_TRADES => return Err(Error::TooManyTrades),
                Some(Part::Head(head)) => {
                    if head.total > MANY_TRADES {
                        room.push(self.turn(&self.large_readings, 1).await?);
                    }
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

/// Does what takes a processor for a while, on a thread of its own, in its turn, which ends with it.
async fn work<T: Send + 'static>(
    turn: impl Send + 'static,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let work = move || {
        let _turn = turn;
        work()
    };
    Ok(tokio::task::spawn_blocking(work).await?)
}
